/** Lists the methods, or shows one: what it assumes, its options, its paper. */
import { methods as list } from "../auto/index.ts";
import type { Command } from "./command.ts";
import { commonFlags } from "./data-flags.ts";
import { kebab } from "./flags.ts";
import { methodNamed } from "./method-flags.ts";

export const methods: Command = {
  id: "methods",
  usage: "[NAME]",
  example: "consilience methods dawid-skene",
  flags: () => ({ json: commonFlags["json"], help: commonFlags["help"] }),
  async run(given, world) {
    const [name] = given.files;
    if (given.on("json")) {
      const cards = name === undefined ? list : [methodNamed(name).method];
      await world.print(`${JSON.stringify(cards.map(card), null, 2)}\n`);
      return;
    }
    await world.print(name === undefined ? table() : page(name));
  },
};

function card({
  id,
  title,
  summary,
  paper,
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
    probabilistic,
    needs,
    cost,
    options,
    presets,
  };
}

function table(): string {
  const width = Math.max(...list.map(({ id }) => id.length)) + 2;
  const lines = list.flatMap(({ id, summary, presets = {} }) => [
    `  ${id.padEnd(width)}${summary}`,
    ...Object.entries(presets).map(
      ([preset, { title }]) => `  ${preset.padEnd(width)}${title}: a preset of ${id}.`,
    ),
  ]);
  return ["categorical (one class a task):", ...lines, ""].join("\n");
}

function page(name: string): string {
  const { method, options: preset } = methodNamed(name);
  const { id, title, summary, paper, options, probabilistic, needs, cost } = method;
  const rows = Object.entries(options).map(([option, { default: usual, help }]) => {
    const flag = `  --${kebab(option)}`;
    const value = Object.hasOwn(preset, option) ? preset[option] : usual;
    return `${flag.padEnd(28)}${help} [${value}]`;
  });
  return [
    `${title} (${id})`,
    summary,
    "",
    `Paper: ${paper.authors} (${paper.year}). ${paper.title}. ${paper.url}`,
    `Posterior: ${probabilistic ? "a probability under the model" : "a share of votes, not a probability of being right"}`,
    ...(needs ? [`Needs: ${needs}`] : []),
    `Cost: ${cost}`,
    "",
    "Options:",
    ...rows,
    "",
    `Use: consilience aggregate labels.csv --method ${name}`,
    "",
  ].join("\n");
}
