/** The flags of every command that reads labels, and the reading. */

import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import type { Repeats } from "../data/repeats.ts";
import { CrowdError } from "../error.ts";
import { formats } from "../io/index.ts";
import { kindNamed, kindOf, kinds } from "../kinds.ts";
import { readData as readFiles, readTable } from "../node/files.ts";
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
  "gold-columns": {
    type: "text",
    value: "ROLE=NAME,…",
    many: true,
    group,
    help: "Columns of the gold file: task=…,label=…",
  },
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
    help: "Format of the files; detected if omitted.",
  },
  repeats: {
    type: "text",
    value: "distinct|first|last|all|error",
    group,
    help: "What to keep when a worker labelled a task more than once.",
  },
  classes: { type: "text", value: "A,B,…", help: "All classes, in this order.", group },
  abstain: { type: "text", value: "A,B,…", help: 'Labels that mean "I do not know".', group },
  missing: { type: "text", value: "A,B,…", help: "Labels to treat as missing.", group },
  map: {
    type: "text",
    value: "A=B,…|FILE",
    help: "Labels to read as others; an empty one is missing. A file is a CSV with two columns.",
    group,
  },
  "label-separator": {
    type: "text",
    value: "TEXT",
    help: "What stands between several labels in a cell, such as |.",
    group,
  },
  "fold-case": { type: "switch", help: "Treat labels that differ only in case as one.", group },
  "keep-spaces": { type: "switch", help: "Keep spaces at the ends of names.", group },
  "keep-unicode": { type: "switch", help: "Keep the Unicode form of names.", group },
  "no-header": { type: "switch", help: "The first row holds data; columns are 1, 2, 3.", group },
  "no-quotes": { type: "switch", help: "Quotes in CSV are ordinary characters.", group },
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
    goldColumns: goldColumns(given),
    format: given.text("format"),
    columns: columnMap(given.text("columns")),
    repeats: repeatsOf(given.text("repeats")),
    classes: listOf(given.text("classes")),
    abstentions: listOf(given.text("abstain")),
    missing: listOf(given.text("missing")),
    map: await labelMap(given.text("map")),
    labelSeparator: given.text("label-separator"),
    foldCase: given.on("fold-case"),
    keepSpaces: given.on("keep-spaces"),
    keepUnicode: given.on("keep-unicode"),
    header: given.on("no-header") ? false : undefined,
    quotes: given.on("no-quotes") ? false : undefined,
    predictions: given.on("with-predictions"),
    rejected: given.on("with-rejected"),
    badRows: given.on("drop-bad-rows") ? "drop" : "error",
    maxClasses: given.number("max-classes"),
    wording: asFlag,
    onProgress: showReading(world),
    onUnderstood: words,
  });
  world.show("");
  const { counts, goldCount, goldNoun = "task" } = kindOf(data);
  const known = gold ? [`${count(goldCount(data), goldNoun)} with gold`] : [];
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
    "position",
    "token",
    "text",
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

/** Reads `--map`: pairs such as `n/a=,Katze=cat`, or a table of two columns with or without the header from,to. */
async function labelMap(text: string | undefined): Promise<Record<string, string> | undefined> {
  if (text === undefined) return undefined;
  if (text.includes("=")) {
    const pairs = text.split(",").map((part) => {
      const [from, ...to] = part.split("=");
      if (to.length === 0) {
        throw new CrowdError("usage", `--map takes A=B,C=D or a file, not "${part}".`);
      }
      return [from.trim(), to.join("=").trim()] as const;
    });
    return Object.fromEntries(pairs);
  }
  const { columns, rows } = await readTable(text, { header: false });
  if (columns.length !== 2) {
    throw new CrowdError(
      "bad-data",
      `${text}: a map of labels has two columns, from and to, but there are ${columns.length}.`,
    );
  }
  const [from, to] = columns.map(({ texts, code }) =>
    Array.from(code, (each) => (texts[each] ?? "").trim()),
  );
  const header = rows > 0 && from[0].toLowerCase() === "from" && to[0].toLowerCase() === "to";
  return Object.fromEntries(from.map((name, row) => [name, to[row]]).slice(header ? 1 : 0));
}

/** The columns of gold on the command line, by role. */
export function goldColumns(given: Given): Record<string, string> | undefined {
  const text = given.text("gold-columns");
  if (text === undefined) return undefined;
  const roles = ["task", "label", "value", "item", "score"];
  const pairs = text.split(",").map((part) => {
    const [role, ...name] = part.split("=");
    if (roles.includes(role) && name.length > 0) return [role, name.join("=")];
    throw new CrowdError(
      "usage",
      `--gold-columns takes task=…,label=… (or value, item, score), not "${part}".`,
    );
  });
  return Object.fromEntries(pairs);
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
