/** The flags that name groups of tasks and workers, and the reading. */
import type { CrowdData } from "../data/crowd-data.ts";
import { joinAttributes } from "../data/join-attributes.ts";
import { CrowdError } from "../error.ts";
import { readAttributes } from "../node/files.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { listOf } from "./data-flags.ts";
import { asFlag } from "./hints.ts";

const group = "Comparing groups";

export const groupFlags: FlagTable = {
  groups: {
    type: "text",
    value: "FILE",
    many: true,
    group,
    help: "Table with the groups of tasks or workers: task or worker, and a column per attribute.",
  },
  by: {
    type: "text",
    value: "A,B,…",
    many: true,
    group,
    help: "Attributes to compare by; default: all columns that make groups.",
  },
  "group-columns": {
    type: "text",
    value: "task=NAME|worker=NAME",
    group,
    help: "Column of the tasks or workers in the files of groups.",
  },
};

/** Checks the flags before any work is done. */
export function checkGroups(given: Given): void {
  const lone = ["by", "group-columns"].find((flag) => given.named.has(flag));
  if (lone !== undefined && given.text("groups") === undefined) {
    throw new CrowdError("usage", `--${lone} needs --groups FILE, the table with the groups.`);
  }
  groupColumns(given);
}

/** Reads the files of groups and joins them to the data; says what was understood and noticed. */
export async function withGroups<Data extends CrowdData>(
  data: Data,
  given: Given,
  world: World,
): Promise<Data> {
  const files = listOf(given.text("groups"));
  if (files === undefined) return data;
  const words = given.on("quiet") || given.on("json") ? () => {} : world.say;
  const by = listOf(given.text("by"))?.map((name) => name.trim());
  const tables = [];
  for (const file of files) {
    const table = await readAttributes(file, {
      columns: groupColumns(given),
      only: by,
      keepSpaces: given.on("keep-spaces"),
      keepUnicode: given.on("keep-unicode"),
      badRows: given.on("drop-bad-rows") ? "drop" : "error",
      signal: world.signal,
      stdin: world.stdin,
      wording: asFlag,
      onUnderstood: words,
    });
    for (const note of table.notes) words(`note: ${note}`);
    tables.push(table);
  }
  const joined = joinAttributes(data, tables, { by });
  for (const note of joined.notes.slice(data.notes.length)) words(`note: ${note}`);
  return joined;
}

function groupColumns(given: Given): Record<string, string> | undefined {
  const text = given.text("group-columns");
  if (text === undefined) return undefined;
  const [role, ...name] = text.split("=");
  if ((role === "task" || role === "worker") && name.join("=") !== "") {
    return { [role]: name.join("=") };
  }
  throw new CrowdError("usage", `--group-columns takes task=NAME or worker=NAME, not "${text}".`);
}
