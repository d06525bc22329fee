/** Keys for draws about the items of a large part: by how their comparisons went, not by their names or order. */
import { hashNumber, mix } from "../../data/content-hash.ts";
import type { Fit } from "./score-fit.ts";

/** Rounds in which an item hears of its opponents, then of theirs. */
const ROUNDS = 2;

/** A key for each item of a part; those that are alike are told apart by their order. */
export function itemKeys({ pairs, layout }: Fit, part: number): Uint32Array {
  const found = layout.edges[part];
  if (!found) return new Uint32Array(0);
  const { won, lost, tied } = pairs;
  const { n, start, second } = found.edges;
  let keys = new Uint32Array(n).fill(1);
  for (let round = 0; round < ROUNDS; round++) {
    const next = keys.slice();
    for (let a = 0; a < n; a++) {
      for (let e = start[a]; e < start[a + 1]; e++) {
        const p = found.pair[e];
        const b = second[e];
        const [win, loss, tie] = [won[p], lost[p], tied[p]].map(hashNumber);
        // Sums do not depend on the order of the pairs.
        next[a] += mix(mix(keys[b], tie), mix(win, loss));
        next[b] += mix(mix(keys[a], tie), mix(loss, win));
      }
    }
    keys = next;
  }
  const seen = new Map<number, number>();
  return keys.map((key) => {
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return mix(key, before);
  });
}
