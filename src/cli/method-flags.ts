/** The flags that choose a method, its options and what it is told beforehand. */

import type { Known } from "../belief/known.ts";
import { type CategoricalData, hasAbstentions } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import type { Names } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import type { Answers } from "../io/answers.ts";
import { type Chosen, methodNamed, ofKind } from "../jobs/choose-method.ts";
import type { KindMethod } from "../kinds/kind.ts";
import { kindNamed, kinds } from "../kinds.ts";
import type { Card } from "../method.ts";
import { readAnswers, readHeader, readTable } from "../node/files.ts";
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
    help: "P(class), in the order of the classes, or how it is come by.",
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
    help: "P(class) of each task: a table with task and a column a class, or task, label, probability.",
  },
  predictions: {
    type: "text",
    value: "FILE",
    group,
    help: "For crowdlab: P(class) of each task by a classifier, a table like that of --task-prior.",
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
  const name = peek(args, "method") ?? kinds[0].defaultMethod;
  const all = kinds.flatMap(({ methods }) => methods);
  // A name that is no method's is refused when the command runs, so that --help works until then.
  const method = all.find(({ id, presets }) => id === name || presets?.[name]) ?? all[0];
  const { seed: _, prior: __, ...own } = cardFlags(method.options, `Options of ${method.id}`);
  return { ...setFlag, ...own };
}

/** The method on the command line with its options; numbers for --prior are read by `readKnown`. */
export function chosenOptions(
  given: Given,
  kindId: string,
  plugins: readonly KindMethod[] = [],
): Chosen {
  const kind = kindNamed(kindId);
  const name = given.text("method") ?? kind.defaultMethod;
  const { method, options } = methodNamed(name, kind, ofKind(plugins, kind));
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
  return { method, options: { ...seeded, ...options, ...values } };
}

/** Refuses a name that is no method's of any kind, before anything is read. */
export function checkMethod(given: Given, plugins: readonly KindMethod[]): void {
  const name = given.text("method");
  if (name === undefined) return;
  methodNamed(name, { id: "", methods: [...kinds.flatMap(({ methods }) => methods), ...plugins] });
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
  if (data.kind === "categorical") return readLabelKnown(given, data as CategoricalData, world);
  const refused = Object.keys(knownFlags).find(
    (flag) => flag !== "use-gold" && given.named.has(flag),
  );
  if (refused) {
    throw new CrowdError("usage", `--${refused} is for labels; these are ${data.kind} answers.`);
  }
  if (!given.on("use-gold")) return {};
  const kind = kindNamed(data.kind);
  if (kind.goldCount(data) === 0) throw new CrowdError("usage", "--use-gold needs --gold FILE.");
  return { gold: (data as CrowdData & { readonly gold: Float64Array }).gold };
}

async function readLabelKnown(given: Given, data: CategoricalData, world: World): Promise<Known> {
  const reading = { signal: world.signal };
  // Abstentions, where modelled, are one more thing that a worker can have said.
  const L =
    data.classes.length + (given.text("abstentions") === "model" && hasAbstentions(data) ? 1 : 0);
  const known: { -readonly [Name in keyof Known]: Known[Name] } = {};
  if (given.on("use-gold")) {
    if (!data.gold.some((k) => k >= 0))
      throw new CrowdError("usage", "--use-gold needs --gold FILE.");
    known.gold = data.gold;
  }
  const prior = given.text("prior");
  if (prior !== undefined && !/^[a-z]+$/.test(prior)) known.prior = readPrior(prior, data.classes);
  const history = given.text("history");
  if (history) known.history = await readCells(history, "count", data, L, reading);
  const confusion = given.text("confusion");
  if (confusion)
    known.confusion = rowsToOne(
      await readCells(confusion, "probability", data, L, reading),
      L,
      confusion,
    );
  const weights = given.text("weights");
  if (weights) known.weights = await readWeights(weights, data, reading);
  const taskPrior = given.text("task-prior");
  if (taskPrior) known.taskPrior = await readTaskPrior(taskPrior, data, reading);
  const predictions = given.text("predictions");
  if (predictions) known.predictions = await readTaskPrior(predictions, data, reading);
  return known;
}

function readPrior(text: string, classes: Names): Float64Array {
  const shares = text.split(",").map(Number);
  const sum = shares.reduce((total, p) => total + p, 0);
  if (
    shares.length !== classes.length ||
    shares.some((p) => !(p >= 0)) ||
    !(Math.abs(sum - 1) < 0.01)
  ) {
    throw new CrowdError(
      "usage",
      `--prior takes ${classes.length} shares that sum to 1, for ${[...classes].join(", ")}; not "${text}".`,
    );
  }
  return Float64Array.from(shares, (p) => p / sum);
}

type Reading = { readonly signal: AbortSignal };

/** A table with worker, true, given and a number, as cells[(worker * K + true) * L + given]. */
async function readCells(
  path: string,
  number: string,
  data: CategoricalData,
  L: number,
  reading: Reading,
): Promise<Float64Array> {
  const K = data.classes.length;
  const table = await readColumns(path, ["worker", "true", "given", number], reading);
  const workers = new Map(Array.from(data.workers, (name, w) => [name, w]));
  const classes = new Map(Array.from(data.classes, (name, k) => [name, k]));
  const cells = new Float64Array(data.workers.length * K * L);
  table.forEach(([worker, truth, label, text], row) => {
    const w = workers.get(worker);
    if (w === undefined) return;
    const k = classes.get(truth);
    const l = label === "(abstained)" && L > K ? K : classes.get(label);
    const value = Number(text);
    if (k === undefined || l === undefined || !(value >= 0)) {
      throw new CrowdError(
        "bad-data",
        `${path}: row ${row + 1} has ${truth}, ${label}, ${text}; expected two of the classes ` +
          `${[...data.classes].slice(0, 5).join(", ")}${K > 5 ? ", …" : ""} and a number from 0 up.`,
      );
    }
    cells[(w * K + k) * L + l] += value;
  });
  return cells;
}

function rowsToOne(cells: Float64Array, L: number, path: string): Float64Array {
  for (let row = 0; row < cells.length; row += L) {
    const total = cells.subarray(row, row + L).reduce((sum, p) => sum + p, 0);
    if (!(total > 0)) {
      throw new CrowdError(
        "bad-data",
        `${path}: a worker of the labels has no probabilities for some class.`,
      );
    }
    for (let l = 0; l < L; l++) cells[row + l] /= total;
  }
  return cells;
}

async function readWeights(
  path: string,
  data: CategoricalData,
  reading: Reading,
): Promise<Float64Array> {
  const table = new Map(
    (await readColumns(path, ["worker", "weight"], reading)).map(([w, x]) => [w, Number(x)]),
  );
  return Float64Array.from(data.workers, (name) => table.get(name) ?? Number.NaN);
}

async function readTaskPrior(
  path: string,
  data: CategoricalData,
  reading: Reading,
): Promise<Float64Array> {
  const K = data.classes.length;
  const { tasks, classes, posterior } =
    (await readLong(path, reading)) ?? (await readAnswers(path, reading));
  if (!classes || !posterior) {
    throw new CrowdError(
      "bad-data",
      `${path}: expected a column for each class, like posterior.csv has, or columns ${LONG.join(", ")}.`,
    );
  }
  const place = new Map(tasks.map((name, t) => [name, t]));
  const column = Array.from(data.classes, (name) => classes.indexOf(name));
  return Float64Array.from({ length: data.tasks.length * K }, (_, at) => {
    const t = place.get(data.tasks.at(Math.floor(at / K)));
    // A task the file does not name is any class alike.
    if (t === undefined) return 1 / K;
    const c = column[at % K];
    return c < 0 ? 0 : posterior[t * classes.length + c];
  });
}

/** Probabilities one a row; a class that a task has no row for has none. */
const LONG = ["task", "label", "probability"] as const;

/** Undefined where the file has other columns. */
async function readLong(path: string, reading: Reading): Promise<Answers | undefined> {
  // Standard input could not be read again.
  if (path === "-") return undefined;
  const { header } = await readHeader(path, reading);
  const names = header.map((name) => name.trim().toLowerCase());
  if (!LONG.every((name) => names.includes(name))) return undefined;
  const rows = await readColumns(path, LONG, reading);
  const tasks = [...new Set(rows.map(([task]) => task))];
  const classes = [...new Set(rows.map(([, label]) => label))];
  const [task, label] = [tasks, classes].map((all) => new Map(all.map((name, i) => [name, i])));
  const K = classes.length;
  const posterior = new Float64Array(tasks.length * K).fill(Number.NaN);
  for (const [row, [name, given, text]] of rows.entries()) {
    const at = (task.get(name) ?? 0) * K + (label.get(given) ?? 0);
    const p = text === "" ? Number.NaN : Number(text);
    if (!(p >= 0 && p <= 1) || name === "" || given === "" || !Number.isNaN(posterior[at])) {
      throw new CrowdError(
        "bad-data",
        `${path}: row ${row + 1} has ${name}, ${given}, ${text}; expected a task, a class it has no row for yet, ` +
          "and a probability from 0 to 1.",
      );
    }
    posterior[at] = p;
  }
  for (let t = 0; t < tasks.length; t++) {
    const shares = posterior.subarray(t * K, (t + 1) * K);
    shares.forEach((p, k) => {
      if (Number.isNaN(p)) shares[k] = 0;
    });
    const sum = shares.reduce((total, p) => total + p, 0);
    if (Math.abs(sum - 1) > 0.01) {
      throw new CrowdError(
        "bad-data",
        `${path}: the probabilities of task ${tasks[t]} sum to ${Number(sum.toFixed(4))}, not to 1. Give a row for each class.`,
      );
    }
  }
  return { tasks, labels: [], classes, posterior, notes: [] };
}

async function readColumns(
  path: string,
  names: readonly string[],
  reading: Reading,
): Promise<string[][]> {
  const { header, columns, rows } = await readTable(path, reading);
  const places = names.map((name) => {
    const at = header.findIndex((each) => each.trim().toLowerCase() === name);
    if (at >= 0) return at;
    throw new CrowdError(
      "bad-data",
      `${path}: there is no column "${name}". It has: ${header.join(", ")}; expected ${names.join(", ")}.`,
    );
  });
  return Array.from({ length: rows }, (_, row) =>
    places.map((at) => columns[at].texts[columns[at].code[row]] ?? ""),
  );
}
