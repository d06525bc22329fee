/** Label weights in the order of an index by task or by worker. */
import type { CategoricalData } from "./categorical.ts";

/** Returns the weights in the order of an index with this key and these starts; undefined if all are 1. */
export function sortedWeights(
  { weight }: CategoricalData,
  key: Int32Array,
  start: Int32Array,
): Float64Array | undefined {
  if (!weight) return undefined;
  const next = start.slice();
  const sorted = new Float64Array(weight.length);
  for (let i = 0; i < weight.length; i++) sorted[next[key[i]]++] = weight[i];
  return sorted;
}
