/** The files of a campaign: tasks and workers without labels, what workers cost, what a classifier says, known answers. */
import type { CrowdData } from "../data/crowd-data.ts";
import { fromRows } from "../data/from-rows.ts";
import { CrowdError } from "../error.ts";
import type { AssignRequest } from "../jobs/assign.ts";
import { readGold, readProbabilities, readTable } from "../node/files.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { goldColumns, listOf, readData } from "./data-flags.ts";

const group = "The campaign";

export const campaignFlags: FlagTable = {
  tasks: {
    type: "text",
    value: "FILE",
    group,
    help: "Tasks that may have no label yet: a column of names.",
  },
  workers: {
    type: "text",
    value: "FILE",
    group,
    help: "Workers who may have given no label yet: a column of names.",
  },
  costs: {
    type: "text",
    value: "FILE",
    group,
    help: "Cost of one label: a table with worker and cost; 1 for others.",
  },
  "task-prior": {
    type: "text",
    value: "FILE",
    group,
    help: "P(class) of each task by a classifier; its tasks may have no label yet.",
  },
};

/** Reads labels, or begins without any if tasks and classes are given. */
export async function readLabelsSoFar(given: Given, world: World): Promise<CrowdData> {
  if (given.files.length > 0) return readData(given, world);
  const classes = listOf(given.text("classes"));
  if (classes && (given.named.has("tasks") || given.named.has("task-prior"))) {
    return fromRows([], { classes });
  }
  throw new CrowdError(
    "usage",
    "Name a file of labels, or - for standard input. To begin without labels, give --tasks FILE, --workers FILE and --classes A,B,…",
  );
}

/** Reads the files of a campaign. */
export async function readCampaign(
  given: Given,
  world: World,
): Promise<Pick<AssignRequest, "tasks" | "workers" | "cost" | "taskPrior" | "gold">> {
  const reading = { signal: world.signal, stdin: world.stdin };
  const [tasks, workers, costs] = ["tasks", "workers", "costs"].map((flag) => given.text(flag));
  const [prior, gold] = [given.text("task-prior"), given.text("gold")];
  return {
    tasks: tasks === undefined ? undefined : await namesIn(tasks, "task", world),
    workers: workers === undefined ? undefined : await namesIn(workers, "worker", world),
    cost: costs === undefined ? undefined : await costsIn(costs, world),
    taskPrior: prior === undefined ? undefined : await readProbabilities(prior, reading),
    gold:
      gold === undefined
        ? undefined
        : (await readGold(gold, { ...reading, goldColumns: goldColumns(given) })).gold,
  };
}

/** The cells of a table, row by row, with its first row. */
async function cellsIn(file: string, { signal }: World): Promise<string[][]> {
  const { columns, rows } = await readTable(file, { header: false, signal });
  return Array.from({ length: rows }, (_, row) =>
    columns.map(({ texts, code }) => (texts[code[row]] ?? "").trim()),
  );
}

/** The names in a file: those of the column of that name, or of a file with one column. */
async function namesIn(file: string, name: string, world: World): Promise<string[]> {
  const [first = [], ...rest] = await cellsIn(file, world);
  const at = first.findIndex((cell) => cell.toLowerCase() === name);
  if (at < 0 && first.length > 1) {
    throw new CrowdError(
      "bad-data",
      `${file}: there is no column "${name}". It has: ${first.join(", ")}.`,
    );
  }
  const rows = at < 0 ? [first, ...rest] : rest;
  return rows.map((row) => row[Math.max(0, at)]).filter((cell) => cell !== "");
}

async function costsIn(file: string, world: World): Promise<Map<string, number>> {
  const [first = [], ...rest] = await cellsIn(file, world);
  const [worker, cost] = ["worker", "cost"].map((name) =>
    first.findIndex((cell) => cell.toLowerCase() === name),
  );
  if (worker < 0 || cost < 0) {
    throw new CrowdError(
      "bad-data",
      `${file}: expected the columns worker and cost; it has: ${first.join(", ")}.`,
    );
  }
  return new Map(
    rest.map((row) => {
      const value = row[cost] === "" ? Number.NaN : Number(row[cost]);
      if (value > 0) return [row[worker], value];
      throw new CrowdError(
        "bad-data",
        `${file}: the cost of ${row[worker]} is "${row[cost]}"; expected a number above 0.`,
      );
    }),
  );
}
