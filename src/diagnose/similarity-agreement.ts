/** Agreement of similarities: the same pair of items, whichever stands on the left, is one thing to agree on. */
import { fromColumns } from "../data/categorical-from-columns.ts";
import type { SimilarityData } from "../data/similarity.ts";
import { type Agreement, type AgreementOptions, agreement } from "./agreement.ts";

/** Measures how much workers agree on whether two items are the same, on pairs with several answers. */
export function similarityAgreement(
  { workers, worker, left, right, label }: SimilarityData,
  options: AgreementOptions = {},
): Agreement {
  const places = new Map<string, number>();
  const task = left.map((l, i) => {
    const key = `${Math.min(l, right[i])} ${Math.max(l, right[i])}`;
    const at = places.get(key) ?? places.size;
    places.set(key, at);
    return at;
  });
  const classes = ["different", "same"];
  const labels = fromColumns(
    { tasks: [...places.keys()], workers: [...workers], labels: classes, task, worker, label },
    { classes, repeats: "all" },
  );
  return agreement(labels, options);
}

/** Numbers of pairs, and of those with two answers or more. */
export function repeatedPairs({ left, right }: SimilarityData): {
  pairs: number;
  repeated: number;
} {
  const counts = new Map<string, number>();
  left.forEach((l, i) => {
    const key = `${Math.min(l, right[i])} ${Math.max(l, right[i])}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  const repeated = [...counts.values()].filter((n) => n > 1).length;
  return { pairs: counts.size, repeated };
}
