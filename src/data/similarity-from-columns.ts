/** From columns to similarities: an item beside itself, gold, and notes. */
import { CrowdError, plural } from "../error.ts";
import { type AnswerColumns, attributesOf, type ColumnOptions } from "./columns.ts";
import { type Names, namesOf } from "./names.ts";
import { componentsOf } from "./pairwise.ts";
import type { SimilarityData } from "./similarity.ts";
import { checkWeights } from "./weights.ts";

export interface SimilarityColumns extends Omit<AnswerColumns, "tasks" | "task"> {
  readonly items: readonly string[];
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** `SAME`, or 0 for different. */
  readonly label: Int32Array;
}

/** How similarities are read. */
export interface SimilarityOptions extends ColumnOptions {
  /** Known clusters: item and the name of its cluster. */
  readonly gold?: Iterable<readonly [item: string, cluster: string | number]> | undefined;
}

/** Builds similarities from interned columns. */
export function similarityFromColumns(
  columns: SimilarityColumns,
  options: SimilarityOptions = {},
): SimilarityData {
  const notes = [...(options.notes ?? [])];
  const { left, right, weight, time } = columns;
  checkWeights(weight);
  const rows = Int32Array.from(left.keys()).filter((i) => left[i] !== right[i]);
  const dropped = left.length - rows.length;
  if (dropped > 0) {
    notes.push(`${plural(dropped, "answer")} about an item and itself dropped.`);
  }
  if (rows.length === 0 && dropped > 0) {
    throw new CrowdError(
      "no-labels",
      "Every answer is about an item and itself. A row has two items, left and right, that are to be told apart.",
    );
  }
  const ints = (column: Int32Array) => rows.map((i) => column[i]);
  const doubles = (column: Float64Array) => Float64Array.from(rows, (i) => column[i]);
  const items = namesOf(columns.items);
  const data = {
    kind: "similarity" as const,
    tasks: namesOf([""]),
    workers: namesOf(columns.workers),
    items,
    task: new Int32Array(rows.length),
    worker: ints(columns.worker),
    left: ints(left),
    right: ints(right),
    label: ints(columns.label),
    ...clusterGold(items, options.gold, notes),
    ...(weight && { weight: doubles(weight) }),
    ...(time && { time: doubles(time) }),
    ...attributesOf(options),
    notes,
  };
  const parts = componentsOf(data).count;
  if (parts > 1) {
    notes.push(
      `The answers fall into ${parts} parts that share no item; nothing says whether items of two parts are the same.`,
    );
  }
  return data;
}

/** The known cluster of each item; gold of items without answers is counted, and an error if there is no other. */
function clusterGold(
  items: Names,
  gold: Iterable<readonly [string, string | number]> = [],
  notes: string[],
): Pick<SimilarityData, "gold" | "clusters"> {
  const known = new Map<string, string>();
  for (const [item, cluster] of gold) {
    const before = known.get(item) ?? String(cluster);
    if (before !== String(cluster)) {
      throw new CrowdError(
        "bad-data",
        `Gold names two clusters for item "${item}": "${before}" and "${cluster}".`,
      );
    }
    known.set(item, before);
  }
  const matched = [...known.keys()].filter((item) => items.indexOf(item) >= 0);
  if (known.size > 0 && matched.length === 0) {
    const [sample] = known.keys();
    throw new CrowdError(
      "bad-data",
      `None of the ${known.size} gold items has answers: gold names "${sample}", the answers "${items.at(0)}". ` +
        "Do both name items the same way?",
    );
  }
  if (matched.length < known.size) {
    notes.push(
      `${known.size - matched.length} of ${known.size} gold items have no answers and are left out.`,
    );
  }
  const clusters = namesOf([...new Set(matched.map((item) => known.get(item) ?? ""))].sort());
  const column = new Int32Array(items.length).fill(-1);
  for (const item of matched) column[items.indexOf(item)] = clusters.indexOf(known.get(item) ?? "");
  return { gold: column, clusters };
}
