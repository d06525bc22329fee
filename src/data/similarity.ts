/**
 * Similarities: whether two items are the same. Answer `i` is what `workers.at(worker[i])` said of `items.at(left[i])`
 * beside `items.at(right[i])`; which of them stands on the left does not matter.
 */
import type { CrowdData } from "./crowd-data.ts";
import type { Names } from "./names.ts";

/** What an answer says of two items: 1 where they are the same, else 0. */
export const SAME = 1;
const DIFFERENT = 0;

/** Similarities: which pairs of items each worker found to be the same. */
export interface SimilarityData extends CrowdData {
  readonly kind: "similarity";
  /** What is put side by side. There is one task, without a name. */
  readonly items: Names;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** `SAME`, or 0 for different. */
  readonly label: Int32Array;
  /** The names of the known clusters. */
  readonly clusters: Names;
  /** Known cluster of each item, a number into `clusters`, or -1 where it is not known. */
  readonly gold: Int32Array;
}

const words: ReadonlyMap<string, number> = new Map([
  ...[
    "same",
    "yes",
    "y",
    "1",
    "true",
    "t",
    "match",
    "matching",
    "mustlink",
    "similar",
    "equal",
  ].map((word) => [word, SAME] as const),
  ...[
    "different",
    "no",
    "n",
    "0",
    "false",
    "f",
    "nomatch",
    "nonmatch",
    "mismatch",
    "cannotlink",
    "dissimilar",
    "notsame",
    "unequal",
  ].map((word) => [word, DIFFERENT] as const),
]);

/** Reads a word for same or different; undefined where it is neither. Case, blanks and hyphens do not matter. */
export function sameness(said: string): number | undefined {
  return words.get(said.toLowerCase().replace(/[\s_-]+/g, ""));
}

/** What a label should be, in words. */
export const samenessRule = "same or different (or yes and no, 1 and 0, true and false)";

/** Some rows of similarities, in the order given. */
export function selectPairs(data: SimilarityData, rows: Int32Array): SimilarityData {
  const ints = (column: Int32Array) => rows.map((i) => column[i]);
  const { weight, time } = data;
  return {
    ...data,
    task: ints(data.task),
    worker: ints(data.worker),
    left: ints(data.left),
    right: ints(data.right),
    label: ints(data.label),
    ...(weight && { weight: Float64Array.from(rows, (i) => weight[i]) }),
    ...(time && { time: Float64Array.from(rows, (i) => time[i]) }),
  };
}
