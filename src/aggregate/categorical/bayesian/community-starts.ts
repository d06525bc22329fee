/** Where communities start: workers divided into groups by how they differ from the votes. */

import type { CategoricalData } from "../../../data/categorical.ts";
import { kMeans } from "../../../math/k-means.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import type { Ascent, CommunityModel, CommunitySettings, Kind, Sizes } from "./communities.ts";

/** Ascends from several starts; returns the end of the best, by the bound. */
export function* bestStart(model: CommunityModel, kind: Kind, seed: number): Steps<Ascent> {
  const random = createRandom(seed).split("groups");
  let best: Ascent | undefined;
  for (const groups of groupCounts(model.sizes.communities)) {
    const start = model.startAt(groups, random.split(groups));
    const ascent = yield* model.ascend(kind, start, `from ${groups} groups`);
    if (!best || ascent.bound > best.bound + 1e-9 * Math.abs(best.bound)) best = ascent;
  }
  return best as Ascent;
}

/** Lists the numbers of groups to start from: 1, 2, 3, 5 and all. The best bound chooses. */
function groupCounts(J: number): number[] {
  return [...new Set([1, 2, 3, 5, J].filter((groups) => groups <= J))];
}

/** Divides workers by k-means on their confusions beside the votes, in order of name; returns memberships. */
export function groupWorkers(
  { workers }: CategoricalData,
  counts: Float64Array,
  groups: number,
  { diagonal, offDiagonal }: CommunitySettings,
  { workers: W, classes: K, given: L, communities: J }: Sizes,
  random: Random,
): Float64Array {
  const order = Int32Array.from([...workers].keys()).sort((a, b) =>
    workers.at(a) < workers.at(b) ? -1 : 1,
  );
  const points = new Float64Array(W * K * L);
  order.forEach((w, place) => {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) {
        points[(place * L + l) * K + k] =
          counts[(w * L + l) * K + k] + (l === k ? diagonal : offDiagonal);
      }
    }
  });
  normaliseTables(points, K, L);
  const membership = new Float64Array(W * J);
  kMeans(points, K * L, groups, random).forEach((j, place) => {
    membership[order[place] * J + j] = 1;
  });
  return membership;
}

/** Divides the numbers of tables[(i * L + label) * K + class] by their sums over labels, in place. */
export function normaliseTables(tables: Float64Array, K: number, L: number): Float64Array {
  for (let from = 0; from < tables.length; from += L * K) {
    for (let k = from; k < from + K; k++) {
      let total = 0;
      for (let l = 0; l < L; l++) total += tables[k + l * K];
      for (let l = 0; l < L; l++) tables[k + l * K] /= total;
    }
  }
  return tables;
}
