/** The flags that choose a method, its options and what it is told beforehand. */

import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, hint } from "../error.ts";
import { aliases, type Chosen, idOf, methodNamed, ofKind } from "../jobs/choose-method.ts";
import { knownFrom } from "../jobs/known.ts";
import { type KindMethod, methodsOf } from "../kinds/kind.ts";
import { kindNamed, kinds } from "../kinds.ts";
import type { Card } from "../method.ts";
import { readProbabilities, readTable } from "../node/files.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { listOf } from "./data-flags.ts";
import { cardFlags, cardValues, peek } from "./flags.ts";

const group = "Known beforehand";

export const knownFlags: FlagTable = {
  "use-gold": {
    type: "switch",
    group,
    help: "Fit with gold as well; accuracy is then measured on gold not used, by 5 folds.",
  },
  prior: {
    type: "text",
    value: "learn|uniform|P,P,…",
    group,
    help: "P(class) in the order of the classes, or how to estimate it.",
  },
  history: {
    type: "text",
    value: "FILE",
    group,
    help: "Labels of the past: a table with worker, true, given and count.",
  },
  "task-prior": {
    type: "text",
    value: "FILE",
    group,
    help: "P(class) of each task: a table with task and a column per class, or task, label, probability.",
  },
  predictions: {
    type: "text",
    value: "FILE",
    group,
    help: "For crowdlab: P(class) of each task by a classifier, a table like that of --task-prior.",
  },
  links: {
    type: "text",
    value: "FILE",
    group,
    help: "For graph-dawid-skene: tasks that tend to share a class, a table with task_a, task_b and maybe weight.",
  },
  weights: {
    type: "text",
    value: "FILE",
    help: "For weighted-vote: a table with worker and weight.",
    group,
  },
  confusion: {
    type: "text",
    value: "FILE",
    group,
    help: "For oracle: a table with worker, true, given and probability.",
  },
};

export const pluginFlag: FlagTable = {
  plugin: {
    type: "text",
    value: "FILE",
    many: true,
    help: "Module with methods of your own, made by defineMethod. It runs with your rights.",
  },
};

/** The modules on this very command line; never those of a result file. */
export function pluginFiles(given: Given): readonly string[] {
  return listOf(given.text("plugin")) ?? [];
}

/** Options of methods that the table of flags cannot know: those of plugins. */
export const setFlag: FlagTable = {
  set: {
    type: "text",
    value: "NAME=VALUE",
    many: true,
    help: "Set an option of a --plugin method by its name; may be repeated.",
  },
};

/** The flags of the method that the arguments name, with the seed left to the common flags. */
export function methodFlags(args: readonly string[]): FlagTable {
  const named = peek(args, "kind");
  const kind = kinds.find(({ id }) => id === named) ?? kinds[0];
  const typed = peek(args, "method") ?? kind.defaultMethod;
  const all = [...methodsOf(kind), ...kinds.flatMap(({ methods }) => methods)];
  const names = all.flatMap(({ id, presets }) => [id, ...Object.keys(presets ?? {})]);
  const name = idOf(typed, names) ?? typed;
  // A name that is no method's is refused when the command runs, so that --help works until then.
  const method = all.find(({ id, presets }) => id === name || presets?.[name]) ?? all[0];
  // The kind may be found in the file only: the flags of all methods of that name are known until then.
  const alike = named === undefined ? all.filter(({ id }) => id === method.id) : [];
  const others = alike.flatMap(({ options }) =>
    Object.entries(cardFlags(options, `Options of ${method.id} for other kinds`)),
  );
  const {
    seed: _,
    prior: __,
    ...own
  } = {
    ...Object.fromEntries(others),
    ...cardFlags(method.options, `Options of ${method.id}`),
  };
  return { ...setFlag, ...own };
}

/** The method on the command line with its options; numbers for --prior are read by `readKnown`. */
export function chosenOptions(
  given: Given,
  kindId: string,
  plugins: readonly KindMethod[] = [],
): Chosen {
  const kind = kindNamed(kindId);
  const typed = given.text("method") ?? kind.defaultMethod;
  const { name, method, options } = methodNamed(typed, kind, ofKind(plugins, kind));
  refuseOthers(given, method, kind.id);
  const values = { ...cardValues(given, method.options), ...setValues(given, method) };
  const prior = given.text("prior");
  if (prior !== undefined) {
    delete values["prior"];
    if (/^[a-z]+$/.test(prior)) {
      if (!Object.hasOwn(method.options, "prior")) {
        throw new CrowdError("bad-option", `${method.id} does not take --prior ${prior}.`);
      }
      values["prior"] = prior;
    }
  }
  const seed = given.number("seed");
  const seeded = Object.hasOwn(method.options, "seed") ? { seed: seed ?? 0 } : {};
  return { name, method, options: { ...seeded, ...options, ...values } };
}

/** Refuses options that a method of the same name has for other kinds only. */
function refuseOthers(given: Given, { id, options }: KindMethod, kind: string): void {
  for (const other of kinds.flatMap(({ methods }) => methods)) {
    if (other.id !== id) continue;
    const foreign = Object.entries(other.options).filter(([name]) => !Object.hasOwn(options, name));
    const [typed] = Object.keys(cardValues(given, Object.fromEntries(foreign)));
    if (typed === undefined) continue;
    throw new CrowdError(
      "bad-option",
      `${id} has no option ${hint(typed)} for ${kind} answers; it is one for ${other.kind} answers.`,
    );
  }
}

/** Refuses a name that is no method's of any kind, before anything is read. */
export function checkMethod(given: Given, plugins: readonly KindMethod[]): void {
  const name = given.text("method");
  if (name === undefined) return;
  methodNamed(name, {
    id: "",
    aliases,
    methods: [...kinds.flatMap(({ methods }) => methods), ...plugins],
  });
}

/** The values of --set, by the types of the method's options. */
export function setValues(
  given: Given,
  { id, options }: Pick<Card, "id" | "options">,
): Chosen["options"] {
  const pairs = given.text("set")?.split(",") ?? [];
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, ...rest] = pair.split("=");
      const text = rest.join("=");
      const option = options[name];
      if (!option) {
        const known = Object.keys(options).join(", ") || "none";
        throw new CrowdError("bad-option", `${id} has no option "${name}". It has: ${known}.`);
      }
      if (typeof option.default === "number") return [name, Number(text)];
      return [name, typeof option.default === "boolean" ? text === "true" : text];
    }),
  );
}

/** What the files on the command line say of the tasks, workers and classes of the data. */
export async function readKnown(given: Given, data: CrowdData, world: World): Promise<object> {
  const badRows = given.on("drop-bad-rows") ? "drop" : "error";
  const reading = { signal: world.signal, badRows } as const;
  const table = async (flag: string) => {
    const name = given.text(flag);
    return name === undefined ? undefined : { name, table: await readTable(name, reading) };
  };
  const probabilities = (flag: string) => {
    const name = given.text(flag);
    return name === undefined ? undefined : readProbabilities(name, reading);
  };
  const prior = given.text("prior");
  const shares = prior === undefined || /^[a-z]+$/.test(prior) ? undefined : prior.split(",");
  return knownFrom(data, {
    useGold: given.on("use-gold"),
    prior: shares?.map(Number),
    history: await table("history"),
    confusion: await table("confusion"),
    weights: await table("weights"),
    taskPrior: await probabilities("task-prior"),
    predictions: await probabilities("predictions"),
    links: await table("links"),
    abstentions: given.text("abstentions") === "model",
  });
}
