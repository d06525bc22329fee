/** Lists the methods, or shows one: what it assumes, its options, its paper. */
import { methods as list } from "../auto/index.ts";
import { CrowdError } from "../error.ts";
import { learners } from "../learn/index.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { maxOf } from "../math/lists.ts";
import type { OptionTable } from "../method.ts";
import type { Command } from "./command.ts";
import { commonFlags } from "./data-flags.ts";
import { kebab, nearest } from "./flags.ts";
import { methodNamed } from "./method-flags.ts";

const kinds = ["categorical", "learn"] as const;

export const methods: Command = {
  id: "methods",
  usage: "[NAME]",
  example: "consilience methods dawid-skene",
  flags: () => ({
    kind: { type: "text", value: kinds.join("|"), help: "Only methods of this kind." },
    json: commonFlags["json"],
    help: commonFlags["help"],
  }),
  async run(given, world) {
    const [name] = given.files;
    const kind = given.text("kind");
    if (kind !== undefined && !kinds.some((each) => each === kind)) {
      throw new CrowdError("usage", `--kind is one of ${kinds.join(", ")}, not "${kind}".`);
    }
    const learner = learners.find(({ id }) => id === name);
    if (name !== undefined && !learner) checkName(name);
    if (given.on("json")) {
      const one = learner ? learnerCard(learner) : name && card(methodNamed(name).method);
      const all = [
        ...(kind === "learn" ? [] : list.map(card)),
        ...(kind === "categorical" ? [] : learners.map(learnerCard)),
      ];
      await world.print(`${JSON.stringify(one ? [one] : all, null, 2)}\n`);
    } else if (learner) await world.print(learnerPage(learner));
    else await world.print(name === undefined ? tables(kind) : page(name));
  },
};

/** Refuses a name that is no method's, with the nearest of all. */
function checkName(name: string): void {
  const names = [
    ...list.flatMap(({ id, presets }) => [id, ...Object.keys(presets ?? {})]),
    ...learners.map(({ id }) => id),
  ];
  if (names.includes(name)) return;
  const near = nearest(name, names);
  throw new CrowdError(
    "unknown-method",
    `There is no method "${name}". ${near ? `Did you mean ${near}?` : `Try: ${names.join(", ")}.`}`,
  );
}

function learnerCard({
  id,
  title,
  summary,
  paper,
  forecasts,
  confusion,
  cost,
  options,
}: AnyLearner) {
  return { id, kind: "learn", title, summary, paper, forecasts, confusion, cost, options };
}

function card({
  id,
  title,
  summary,
  paper,
  family,
  probabilistic,
  needs,
  cost,
  options,
  presets,
}: (typeof list)[number]) {
  return {
    id,
    kind: "categorical",
    title,
    summary,
    paper,
    family,
    probabilistic,
    needs,
    cost,
    options,
    presets,
  };
}

function tables(kind: string | undefined): string {
  const width = maxOf(learners.map(({ id }) => id.length)) + 2;
  const learning = learners.map(({ id, summary }) => `  ${id.padEnd(width)}${summary}`);
  return [
    ...(kind === "learn" ? [] : [table()]),
    ...(kind === "categorical"
      ? []
      : [["learn (with features, gives a classifier):", ...learning, ""].join("\n")]),
  ].join("\n");
}

/** A heading a family, in the order of the list. */
function table(): string {
  const names = list.flatMap(({ id, presets = {} }) => [id, ...Object.keys(presets)]);
  const width = maxOf(names.map((name) => name.length)) + 2;
  const lines = list.flatMap(({ id, family, summary, presets = {} }, m) => [
    ...(family === list[m - 1]?.family ? [] : [` ${family}`]),
    `  ${id.padEnd(width)}${summary}`,
    ...Object.entries(presets).map(
      ([preset, { title }]) => `  ${preset.padEnd(width)}${title}: a preset of ${id}.`,
    ),
  ]);
  return ["categorical (one class a task):", ...lines, ""].join("\n");
}

function learnerPage({ id, title, summary, paper, options, forecasts, cost }: AnyLearner): string {
  return [
    `${title} (${id})`,
    summary,
    "",
    `Paper: ${paper.authors} (${paper.year}). ${paper.title}. ${paper.url}`,
    `Predictions with labels: ${forecasts ? "yes" : "no, from features only"}`,
    `Cost: ${cost}`,
    "",
    "Options:",
    ...optionLines(options, {}),
    "",
    `Use: consilience learn labels.csv --features features.npy --method ${id} --out model/`,
    "",
  ].join("\n");
}

function optionLines(options: OptionTable, preset: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).map(([option, { default: usual, help }]) => {
    const flag = `  --${kebab(option)}`;
    const value = Object.hasOwn(preset, option) ? preset[option] : usual;
    return `${flag.padEnd(28)}${help} [${value}]`;
  });
}

function page(name: string): string {
  const { method, options: preset } = methodNamed(name);
  const { id, title, summary, paper, options, family, probabilistic, needs, cost } = method;
  return [
    `${title} (${id})`,
    summary,
    "",
    `Paper: ${paper.authors} (${paper.year}). ${paper.title}. ${paper.url}`,
    `Family: ${family}`,
    `Posterior: ${probabilistic ? "a probability under the model" : "a share of votes, not a probability of being right"}`,
    ...(needs ? [`Needs: ${needs}`] : []),
    `Cost: ${cost}`,
    "",
    "Options:",
    ...optionLines(options, preset),
    "",
    `Use: consilience aggregate labels.csv --method ${name}`,
    "",
  ].join("\n");
}
