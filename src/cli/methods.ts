/** Lists the methods, or shows one: what it assumes, its options, its paper. */
import { CrowdError } from "../error.ts";
import { aliases, idOf } from "../jobs/choose-method.ts";
import { noSuchName } from "../jobs/nearest-name.ts";
import type { Kind, KindMethod } from "../kinds/kind.ts";
import { kinds } from "../kinds.ts";
import type { KindLearner } from "../learn/create-learner.ts";
import { allLearners } from "../learn/index.ts";
import { maxOf } from "../math/lists.ts";
import type { OptionTable } from "../method.ts";
import { wrap } from "../report/wrap.ts";
import type { Command } from "./command.ts";
import { commonFlags } from "./data-flags.ts";
import { kebab } from "./flags.ts";

const choices = [...kinds.map(({ id }) => id), "learn"];

export const methods: Command = {
  id: "methods",
  usage: "[NAME]",
  example: "consilience methods dawid-skene",
  flags: () => ({
    kind: { type: "text", value: choices.join("|"), help: "Only methods of this kind." },
    json: commonFlags["json"],
    help: commonFlags["help"],
  }),
  async run(given, world) {
    const [name] = given.files;
    const kind = given.text("kind");
    if (kind !== undefined && !choices.includes(kind)) {
      throw new CrowdError("usage", `--kind is one of ${choices.join(", ")}, not "${kind}".`);
    }
    const shown = kinds.filter(({ id }) => kind === undefined || id === kind);
    const withLearners = kind === undefined || kind === "learn";
    const found = name === undefined ? undefined : named(name);
    if (given.on("json")) {
      const all = [
        ...shown.flatMap((each) => each.methods.map(card)),
        ...(withLearners ? allLearners.map(learnerCard) : []),
      ];
      await world.print(`${JSON.stringify(found ? [found.card] : all, null, 2)}\n`);
    } else await world.print(wrap(found ? found.page : tables(shown, withLearners), world.width));
  },
};

/** A method, preset or learner by name; refuses one that there is not, with the nearest of all. */
function named(typed: string): { readonly card: object; readonly page: string } {
  const all = kinds.flatMap((kind) => kind.methods);
  const names = [
    ...all.flatMap(({ id, presets }) => [id, ...Object.keys(presets ?? {})]),
    ...allLearners.map(({ id }) => id),
  ];
  const name = idOf(typed, names) ?? typed;
  const learner = allLearners.find(({ id }) => id === name);
  if (learner) return { card: learnerCard(learner), page: learnerPage(learner) };
  const method = all.find(({ id, presets }) => id === name || presets?.[name]);
  if (method) return { card: card(method), page: page(name, method) };
  throw new CrowdError("unknown-method", noSuchName("method", typed, names, aliases));
}

function learnerCard(learner: KindLearner): object {
  const { id, kind: from, title, summary, paper, forecasts, confusion, cost, options } = learner;
  return { id, kind: "learn", from, title, summary, paper, forecasts, confusion, cost, options };
}

/** True where the posterior is a probability under a model; only labels have one. */
const probabilisticOf = (method: KindMethod): boolean | undefined =>
  (method as { readonly probabilistic?: boolean }).probabilistic;

function card(method: KindMethod): object {
  const { id, kind, title, summary, paper, family, needs, cost, options, presets } = method;
  const probabilistic = probabilisticOf(method);
  return { id, kind, title, summary, paper, family, probabilistic, needs, cost, options, presets };
}

function tables(shown: readonly Kind[], withLearners: boolean): string {
  const width = maxOf(allLearners.map(({ id }) => id.length)) + 2;
  const learning = kinds.flatMap(({ id: kind, learning }) => [
    ...(learning ? [` ${kind}`] : []),
    ...(learning?.learners ?? []).map(({ id, summary }) => `  ${id.padEnd(width)}${summary}`),
  ]);
  return [
    ...shown.map(table),
    ...(withLearners
      ? [["learn (with features, gives a model):", ...learning, ""].join("\n")]
      : []),
  ].join("\n");
}

/** One heading per family, in the order of the list. */
function table({ id: kind, title, methods: list }: Kind): string {
  const names = list.flatMap(({ id, presets = {} }) => [id, ...Object.keys(presets)]);
  const width = maxOf(names.map((name) => name.length)) + 2;
  const lines = list.flatMap(({ id, family, summary, presets = {} }, m) => [
    ...(family === list[m - 1]?.family ? [] : [` ${family}`]),
    `  ${id.padEnd(width)}${summary}`,
    ...Object.entries(presets).map(
      ([preset, each]) => `  ${preset.padEnd(width)}${each.title}: a preset of ${id}.`,
    ),
  ]);
  return [`${kind} (${title.toLowerCase()}):`, ...lines, ""].join("\n");
}

function learnerPage({
  id,
  kind,
  title,
  summary,
  paper,
  options,
  forecasts,
  cost,
}: KindLearner): string {
  return [
    `${title} (${id})`,
    summary,
    "",
    `Paper: ${paper.authors} (${paper.year}). ${paper.title}. ${paper.url}`,
    `Learns from: ${kind} answers`,
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

function page(name: string, method: KindMethod): string {
  const { id, kind, title, summary, paper, options, presets, family, needs, cost } = method;
  const probabilistic = probabilisticOf(method);
  const meaning = probabilistic
    ? "a probability under the model"
    : "a share of votes, not a probability of being right";
  return [
    `${title} (${id})`,
    summary,
    "",
    `Paper: ${paper.authors} (${paper.year}). ${paper.title}. ${paper.url}`,
    `Kind: ${kind}`,
    `Family: ${family}`,
    ...(probabilistic === undefined ? [] : [`Posterior: ${meaning}`]),
    ...(needs ? [`Needs: ${needs}`] : []),
    `Cost: ${cost}`,
    "",
    "Options:",
    ...optionLines(options, presets?.[name]?.options ?? {}),
    "",
    `Use: consilience aggregate labels.csv --method ${name}`,
    "",
  ].join("\n");
}
