/** What is known beyond labels, from tables by name to numbers as methods take them. */
import type { Known } from "../belief/known.ts";
import { type Links, linksOf } from "../belief/links.ts";
import { type CategoricalData, hasAbstentions } from "../data/categorical.ts";
import { CrowdError, hint } from "../error.ts";
import type { Probabilities } from "../io/probabilities.ts";
import type { Table } from "../io/table.ts";

/** A table, and what messages call it. */
export interface NamedTable {
  readonly name: string;
  readonly table: Table;
}

/** What a person may know beyond the answers, by name of task, worker and class. */
export interface KnownTables {
  /** True to fit with the data's gold as well. */
  readonly useGold?: boolean | undefined;
  /** P(class), in the order of the classes. */
  readonly prior?: readonly number[] | undefined;
  /** Labels of the past: worker, true, given and count. */
  readonly history?: NamedTable | undefined;
  /** True confusions: worker, true, given and probability. */
  readonly confusion?: NamedTable | undefined;
  /** How much each worker counts: worker and weight. */
  readonly weights?: NamedTable | undefined;
  /** P(class) of each task, in place of the prior. */
  readonly taskPrior?: Probabilities | undefined;
  /** P(class) of each task by a classifier. */
  readonly predictions?: Probabilities | undefined;
  /** Tasks that tend to have the same class: two columns of tasks, and a weight if links differ in it. */
  readonly links?: NamedTable | undefined;
  /** True where abstentions are one more thing that a worker can have said. */
  readonly abstentions?: boolean | undefined;
}

/** Joins tables to the tasks, workers and classes of labels. */
export function knownOfLabels(data: CategoricalData, tables: KnownTables): Known {
  const L = data.classes.length + (tables.abstentions && hasAbstentions(data) ? 1 : 0);
  const { prior, history, confusion, weights, taskPrior, predictions, links } = tables;
  return {
    ...(tables.useGold && { gold: goldOf(data) }),
    ...(prior && { prior: priorOf(data, prior) }),
    ...(history && { history: cellsOf(data, L, history, "count") }),
    ...(confusion && {
      confusion: rowsToOne(cellsOf(data, L, confusion, "probability"), L, confusion.name),
    }),
    ...(weights && { weights: weightsOf(data, weights) }),
    ...(taskPrior && { taskPrior: probabilitiesOf(data, taskPrior) }),
    ...(predictions && { predictions: probabilitiesOf(data, predictions) }),
    ...(links && { links: linksFrom(data, links) }),
  };
}

function goldOf({ gold }: CategoricalData): Int32Array {
  if (gold.some((k) => k >= 0)) return gold;
  throw noGold();
}

/** What to say where gold is to be used and there is none. */
export function noGold(): CrowdError {
  return new CrowdError(
    "usage",
    `${hint("known.gold")} needs gold, and the data have none. Give it with ${hint("gold")}.`,
  );
}

function priorOf({ classes }: CategoricalData, shares: readonly number[]): Float64Array {
  const sum = shares.reduce((total, p) => total + p, 0);
  if (
    shares.length !== classes.length ||
    shares.some((p) => !(p >= 0)) ||
    !(Math.abs(sum - 1) < 0.01)
  ) {
    throw new CrowdError(
      "usage",
      `${hint("known.prior")} takes ${classes.length} shares that sum to 1, for ${[...classes].join(", ")}; not "${shares.join()}".`,
    );
  }
  return Float64Array.from(shares, (p) => p / sum);
}

/** A table with worker, true, given and a number, as cells[(worker * K + true) * L + given]. */
function cellsOf(
  data: CategoricalData,
  L: number,
  named: NamedTable,
  number: string,
): Float64Array {
  const K = data.classes.length;
  const workers = new Map(Array.from(data.workers, (name, w) => [name, w]));
  const classes = new Map(Array.from(data.classes, (name, k) => [name, k]));
  const cells = new Float64Array(data.workers.length * K * L);
  const rows = rowsOf(named, ["worker", "true", "given", number]);
  rows.forEach(([worker, truth, label, text], row) => {
    const w = workers.get(worker);
    if (w === undefined) return;
    const k = classes.get(truth);
    const l = label === "(abstained)" && L > K ? K : classes.get(label);
    const value = Number(text);
    if (k === undefined || l === undefined || !(value >= 0)) {
      throw new CrowdError(
        "bad-data",
        `${named.name}: row ${row + 1} has ${truth}, ${label}, ${text}; expected two of the classes ` +
          `${[...data.classes].slice(0, 5).join(", ")}${K > 5 ? ", …" : ""} and a number from 0 up.`,
      );
    }
    cells[(w * K + k) * L + l] += value;
  });
  return cells;
}

function rowsToOne(cells: Float64Array, L: number, name: string): Float64Array {
  for (let row = 0; row < cells.length; row += L) {
    const total = cells.subarray(row, row + L).reduce((sum, p) => sum + p, 0);
    if (!(total > 0)) {
      throw new CrowdError(
        "bad-data",
        `${name}: a worker of the labels has no probabilities for some class.`,
      );
    }
    for (let l = 0; l < L; l++) cells[row + l] /= total;
  }
  return cells;
}

function weightsOf({ workers }: CategoricalData, named: NamedTable): Float64Array {
  const weight = new Map(rowsOf(named, ["worker", "weight"]).map(([w, x]) => [w, Number(x)]));
  return Float64Array.from(workers, (name) => weight.get(name) ?? Number.NaN);
}

/** What the two columns of a table of links may be called. */
const ENDS = [
  ["task", "task"],
  ["task", "other"],
  ["task_a", "task_b"],
  ["task_1", "task_2"],
  ["task1", "task2"],
  ["from", "to"],
  ["source", "target"],
] as const;

/** A table with two tasks per row, and a weight if there is a column of that name. */
function linksFrom(data: CategoricalData, { name, table }: NamedTable): Links {
  const { header, columns, rows } = table;
  const names = header.map((each) => each.trim().toLowerCase());
  const ends = ENDS.map(([a, b]) => [names.indexOf(a), names.lastIndexOf(b)]);
  const found = ends.find(([a, b]) => a >= 0 && b >= 0 && a !== b);
  if (!found) {
    throw new CrowdError(
      "bad-data",
      `${name}: there are no two columns of tasks. It has: ${header.join(", ")}; expected task_a, task_b and, if links differ in it, weight.`,
    );
  }
  const text = (column: number, row: number) =>
    columns[column].texts[columns[column].code[row]] ?? "";
  const heavy = names.indexOf("weight");
  const pairs = Array.from({ length: rows }, (_, row): [string, string, number] => {
    const [a, b] = found.map((column) => text(column, row).trim());
    const weight =
      heavy < 0 ? 1 : text(heavy, row).trim() === "" ? Number.NaN : Number(text(heavy, row));
    if (a !== b && weight >= 0) return [a, b, weight];
    throw new CrowdError(
      "bad-data",
      `${name}: row ${row + 1} has ${a}, ${b}${heavy < 0 ? "" : `, ${text(heavy, row)}`}; expected two different tasks` +
        `${heavy < 0 ? "" : " and a number from 0 up"}.`,
    );
  });
  return linksOf(data, pairs);
}

/** The probabilities of the data's tasks and classes; a task that the table does not name is any class alike. */
function probabilitiesOf(
  data: CategoricalData,
  { tasks, classes, posterior }: Probabilities,
): Float64Array {
  const K = data.classes.length;
  const place = new Map(tasks.map((name, t) => [name, t]));
  const column = Array.from(data.classes, (name) => classes.indexOf(name));
  return Float64Array.from({ length: data.tasks.length * K }, (_, at) => {
    const t = place.get(data.tasks.at(Math.floor(at / K)));
    if (t === undefined) return 1 / K;
    const c = column[at % K];
    return c < 0 ? 0 : posterior[t * classes.length + c];
  });
}

/** The cells of the named columns, row by row. */
function rowsOf({ name, table }: NamedTable, names: readonly string[]): string[][] {
  const { header, columns, rows } = table;
  const places = names.map((each) => {
    const at = header.findIndex((column) => column.trim().toLowerCase() === each);
    if (at >= 0) return at;
    throw new CrowdError(
      "bad-data",
      `${name}: there is no column "${each}". It has: ${header.join(", ")}; expected ${names.join(", ")}.`,
    );
  });
  return Array.from({ length: rows }, (_, row) =>
    places.map((at) => columns[at].texts[columns[at].code[row]] ?? ""),
  );
}
