/**
 * Clusters against gold: how far two partitions of the same items are alike.
 *
 *   adjusted Rand index   pairs that both put together, 0 where chance would give as many, 1 where all are the same
 *   NMI                   what one says of the other, in shares of the mean of both entropies
 *   pair F1               precision and recall of the pairs put together
 *   matched accuracy      share of items in the right cluster, under the best match of clusters with those of gold
 *
 * The interval of the adjusted Rand index is that of a jackknife over items.
 */
import { CrowdError } from "../error.ts";
import { assign } from "../math/assignment.ts";
import type { Interval } from "./accuracy.ts";

/** Clusters to be scored, by item. */
export interface ScoredClusters {
  /** The cluster of each item, from 0. */
  readonly cluster: Int32Array;
  /** Known cluster of each item, or -1. */
  readonly gold: Int32Array;
}

/** All scores of clusters against gold. */
export interface SimilarityMetrics {
  /** Number of items with gold, of clusters among them, and of clusters of gold. */
  readonly items: number;
  readonly clusters: number;
  readonly goldClusters: number;
  readonly adjustedRand: Interval;
  readonly nmi: number;
  /** NaN where no pair is put together on one side. */
  readonly pairPrecision: number;
  readonly pairRecall: number;
  readonly pairF1: number;
  readonly accuracy: number;
  /** What each item with gold adds to the adjusted Rand index: their mean is the index. */
  readonly credits: Float64Array;
}

/** Scores clusters against gold. */
export function evaluateClusters({ cluster, gold }: ScoredClusters): SimilarityMetrics {
  const items = Array.from(gold.keys()).filter((i) => gold[i] >= 0);
  if (items.length === 0) {
    throw new CrowdError(
      "bad-data",
      "There is no gold to score against: no item has a known cluster.",
    );
  }
  const table = tableOf(
    items.map((i) => cluster[i]),
    items.map((i) => gold[i]),
  );
  const { rows, columns, both } = table;
  const [found, known, shared] = [pairs(rows), pairs(columns), pairs([...both.values()])];
  const [precision, recall] = [shared / found, shared / known];
  return {
    items: items.length,
    clusters: rows.length,
    goldClusters: columns.length,
    ...randOf(table, found, known, shared),
    nmi: mutual(table),
    pairPrecision: precision,
    pairRecall: recall,
    pairF1: (2 * shared) / (found + known),
    accuracy: matched(table) / items.length,
  };
}

interface Contingency {
  readonly n: number;
  /** Sizes of clusters, and of those of gold. */
  readonly rows: number[];
  readonly columns: number[];
  /** Items in both, by row * columns + column. */
  readonly both: Map<number, number>;
  /** The cell of each item. */
  readonly row: number[];
  readonly column: number[];
}

function tableOf(found: readonly number[], known: readonly number[]): Contingency {
  const coded = (list: readonly number[]) => {
    const codes = new Map<number, number>();
    return list.map((x) => {
      const code = codes.get(x) ?? codes.size;
      codes.set(x, code);
      return code;
    });
  };
  const [row, column] = [coded(found), coded(known)];
  const [rows, columns]: number[][] = [[], []];
  const both = new Map<number, number>();
  const width = new Set(column).size;
  row.forEach((r, i) => {
    rows[r] = (rows[r] ?? 0) + 1;
    columns[column[i]] = (columns[column[i]] ?? 0) + 1;
    const cell = r * width + column[i];
    both.set(cell, (both.get(cell) ?? 0) + 1);
  });
  return { n: row.length, rows, columns, both, row, column };
}

const choose = (n: number) => (n * (n - 1)) / 2;
const pairs = (sizes: readonly number[]) => sizes.reduce((sum, n) => sum + choose(n), 0);

/** The adjusted index of counts of pairs; two partitions of which neither says anything agree. */
function adjusted(shared: number, found: number, known: number, n: number): number {
  const chance = n > 1 ? (found * known) / choose(n) : 0;
  const most = (found + known) / 2;
  return Math.abs(most - chance) < 1e-12 ? 1 : (shared - chance) / (most - chance);
}

/** The index with its interval: without an item, as many pairs fewer as it had companions. */
function randOf(
  { n, rows, columns, both, row, column }: Contingency,
  found: number,
  known: number,
  shared: number,
): Pick<SimilarityMetrics, "adjustedRand" | "credits"> {
  const value = adjusted(shared, found, known, n);
  const without = row.map((r, i) => {
    const cell = both.get(r * columns.length + column[i]) ?? 1;
    return adjusted(
      shared - (cell - 1),
      found - (rows[r] - 1),
      known - (columns[column[i]] - 1),
      n - 1,
    );
  });
  const mean = without.reduce((sum, x) => sum + x / n, 0);
  const squares = without.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  const half = 1.96 * Math.sqrt(((n - 1) / n) * squares);
  return {
    adjustedRand: { value, low: Math.max(-1, value - half), high: Math.min(1, value + half) },
    credits: Float64Array.from(without, (x) => value + (n - 1) * (mean - x)),
  };
}

/** Mutual information over the mean of both entropies; 1 where neither partition says anything. */
function mutual({ n, rows, columns, both }: Contingency): number {
  const entropy = (sizes: readonly number[]) =>
    -sizes.reduce((sum, size) => sum + (size / n) * Math.log(size / n), 0);
  let information = 0;
  for (const [cell, count] of both) {
    const [r, c] = [Math.floor(cell / columns.length), cell % columns.length];
    information += (count / n) * Math.log((count * n) / (rows[r] * columns[c]));
  }
  const mean = (entropy(rows) + entropy(columns)) / 2;
  return mean > 0 ? Math.max(0, information / mean) : 1;
}

/** Items in the right cluster, each cluster matched with another of gold so that they are most. */
function matched({ rows, columns, both }: Contingency): number {
  const size = Math.max(rows.length, columns.length);
  const cost = new Float64Array(size * size);
  for (const [cell, count] of both) {
    cost[Math.floor(cell / columns.length) * size + (cell % columns.length)] = -count;
  }
  return assign(cost, size).reduce((sum, c, r) => sum - cost[r * size + c], 0);
}
