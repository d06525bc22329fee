/** The flags of every command that reads labels, and the reading. */

import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import type { Repeats } from "../data/repeats.ts";
import { CrowdError } from "../error.ts";
import { formats } from "../io/index.ts";
import { kindNamed, kindOf, kinds } from "../kinds.ts";
import { readData as readFiles } from "../node/files.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { asFlag } from "./hints.ts";
import { showReading } from "./progress.ts";

const group = "Reading labels";

export const dataFlags: FlagTable = {
  kind: {
    type: "text",
    value: ["auto", ...kinds.map(({ id }) => id)].join("|"),
    group,
    default: "auto",
    help: "Kind of answers; auto recognises it by the columns.",
  },
  gold: { type: "text", value: "FILE", help: "Known classes: a table with task and label.", group },
  columns: {
    type: "text",
    value: "ROLE=NAME,…",
    many: true,
    group,
    help: "Which column is what: task=…,worker=…,label=…,time=…,weight=…",
  },
  format: {
    type: "text",
    value: formats.map(({ id }) => id).join("|"),
    group,
    help: "The format of the files, where it is not to be found out.",
  },
  repeats: {
    type: "text",
    value: "distinct|first|last|all|error",
    group,
    help: "What to keep when a worker labelled a task more than once.",
  },
  classes: { type: "text", value: "A,B,…", help: "All classes, in this order.", group },
  abstain: { type: "text", value: "A,B,…", help: 'Labels that mean "I do not know".', group },
  missing: { type: "text", value: "A,B,…", help: "Labels that mean that there is none.", group },
  "no-header": { type: "switch", help: "The first row holds data; columns are 1, 2, 3.", group },
  "with-predictions": {
    type: "switch",
    help: "Count what models said in a tool's export as labels of workers.",
    group,
  },
  "with-rejected": {
    type: "switch",
    help: "Count work that was rejected in Mechanical Turk or Toloka.",
    group,
  },
  "drop-bad-rows": {
    type: "switch",
    help: "Leave out rows that cannot be read, and count them.",
    group,
  },
  "max-classes": {
    type: "number",
    value: "N",
    help: "Most different labels to expect.",
    default: 10_000,
    group,
  },
};

export const commonFlags: FlagTable = {
  seed: { type: "number", value: "N", help: "Random seed.", default: 0 },
  json: { type: "switch", help: "Print the result as JSON, and nothing else." },
  quiet: { type: "switch", help: "Say nothing but errors." },
  help: { type: "switch", help: "Show this." },
};

/** Reads the answers named on the command line, with gold where given; says what was understood. */
export async function readData(given: Given, world: World): Promise<CrowdData> {
  const { files } = given;
  if (files.length === 0)
    throw new CrowdError("usage", "Name a file of labels, or - for standard input.");
  const words = given.on("quiet") || given.on("json") ? () => {} : world.say;
  const gold = given.text("gold");
  const kind = given.text("kind") ?? "auto";
  if (kind !== "auto") kindNamed(kind);
  const data = await readFiles(files, {
    kind,
    signal: world.signal,
    stdin: world.stdin,
    goldFile: gold,
    format: given.text("format"),
    columns: columnMap(given.text("columns")),
    repeats: repeatsOf(given.text("repeats")),
    classes: listOf(given.text("classes")),
    abstentions: listOf(given.text("abstain")),
    missing: listOf(given.text("missing")),
    header: given.on("no-header") ? false : undefined,
    predictions: given.on("with-predictions"),
    rejected: given.on("with-rejected"),
    badRows: given.on("drop-bad-rows") ? "drop" : "error",
    maxClasses: given.number("max-classes"),
    wording: asFlag,
    onProgress: showReading(world),
    onUnderstood: words,
  });
  world.show("");
  const { counts, goldCount } = kindOf(data);
  const known = gold ? [`${count(goldCount(data), "task")} with gold`] : [];
  words([...counts(data), ...known].join(", "));
  for (const note of data.notes) words(`note: ${note}`);
  return data;
}

/** Reads labels, for commands that take nothing else. */
export async function readLabels(given: Given, world: World): Promise<CategoricalData> {
  const text = (flag: string) => (flag === "kind" ? "categorical" : given.text(flag));
  return (await readData({ ...given, text }, world)) as CategoricalData;
}

/** Numbers for people: 12,345 labels. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
}

export function columnMap(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined;
  const roles = [
    "task",
    "worker",
    "label",
    "value",
    "left",
    "right",
    "item",
    "score",
    "time",
    "weight",
  ];
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [role, ...name] = part.split("=");
      if (!roles.includes(role) || name.length === 0) {
        throw new CrowdError(
          "usage",
          `--columns takes ${roles.map((each) => `${each}=…`).join(",")}, not "${part}".`,
        );
      }
      return [role, name.join("=")];
    }),
  );
}

function repeatsOf(text: string | undefined): Repeats | undefined {
  if (text === undefined) return undefined;
  const policies = ["error", "first", "last", "all", "distinct"] as const;
  const policy = policies.find((each) => each === text);
  if (!policy)
    throw new CrowdError("usage", `--repeats is one of ${policies.join(", ")}, not "${text}".`);
  return policy;
}

export function listOf(text: string | undefined): string[] | undefined {
  return text === undefined || text === "" ? undefined : text.split(",");
}
