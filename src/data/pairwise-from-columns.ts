/** From columns to pairwise data: comparisons of an item with itself, gold, and notes. */
import { CrowdError, plural } from "../error.ts";
import { type AnswerColumns, attributesOf, type ColumnOptions } from "./columns.ts";
import { namesOf } from "./names.ts";
import { componentsOf, type PairwiseData } from "./pairwise.ts";
import { scoredGold } from "./scored-gold.ts";
import { checkWeights } from "./weights.ts";

export interface PairwiseColumns extends AnswerColumns {
  readonly items: readonly string[];
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** `LEFT`, `RIGHT` or `TIE`. */
  readonly label: Int32Array;
}

/** How comparisons are read. */
export interface PairwiseOptions extends ColumnOptions {
  /** Known scores: item and score, larger is better. */
  readonly gold?: Iterable<readonly [item: string, score: number]> | undefined;
}

/** Builds pairwise data from interned columns. */
export function pairwiseFromColumns(
  columns: PairwiseColumns,
  options: PairwiseOptions = {},
): PairwiseData {
  const notes = [...(options.notes ?? [])];
  const { left, right, weight, time } = columns;
  checkWeights(weight);
  const rows = Int32Array.from(left.keys()).filter((i) => left[i] !== right[i]);
  if (rows.length < left.length) {
    notes.push(
      `${plural(left.length - rows.length, "comparison of an item with itself was", "comparisons of an item with itself were")} dropped.`,
    );
  }
  const ints = (column: Int32Array) => rows.map((i) => column[i]);
  const doubles = (column: Float64Array) => Float64Array.from(rows, (i) => column[i]);
  const items = namesOf(columns.items);
  const data = {
    kind: "pairwise" as const,
    tasks: namesOf(columns.tasks),
    workers: namesOf(columns.workers),
    items,
    task: ints(columns.task),
    worker: ints(columns.worker),
    left: ints(left),
    right: ints(right),
    label: ints(columns.label),
    gold: scoredGold(items, options.gold, "item", notes),
    ...(weight && { weight: doubles(weight) }),
    ...(time && { time: doubles(time) }),
    ...attributesOf(options),
    notes,
  };
  const parts = componentsOf(data).count;
  if (parts > 1) {
    notes.push(
      `The comparisons fall into ${parts} parts that share no item; scores are compared only within a part.`,
    );
  }
  return data;
}

/** Says that a winner is neither of the two items. */
export function winnerError(where: string, said: string, left: string, right: string): CrowdError {
  return new CrowdError(
    "bad-data",
    `${where}: the label should be the winner, "${left}" or "${right}", or "tie", but is "${said}".`,
  );
}
