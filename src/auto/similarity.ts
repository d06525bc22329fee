/**
 * Auto for similarities. A hidden answer is predicted by the clusters and rates found without it. All candidates have the
 * number of clusters that crowd-clusters chooses by hidden answers, or the one that is given. Spectral clusters are the start of
 * both and have no probabilities, so they are no candidate.
 */
import { alikeChance, sayingSame } from "../aggregate/similarity/cluster-count.ts";
import {
  clustersOption,
  type SimilarityKnown,
  type SimilarityResult,
} from "../aggregate/similarity/clusterer.ts";
import { crowdClusters } from "../aggregate/similarity/crowd-clusters.ts";
import { softClusters } from "../aggregate/similarity/soft-clusters.ts";
import { SAME, type SimilarityData, selectPairs } from "../data/similarity.ts";
import { maxOf } from "../math/lists.ts";
import { type Steps, staged } from "../method.ts";
import { hiddenParts, hideInTurn, type Units } from "./hidden-answers.ts";
import { type Choice, type JudgeSettings, pickerFor, pickOptions } from "./pick.ts";

/** Log-probability of each answer while it is hidden. */
export function* hiddenPairs(
  method: Choice<SimilarityData, SimilarityResult>["method"],
  options: object,
  data: SimilarityData,
  known: object,
  { folds, seed }: JudgeSettings,
): Steps<Float64Array> {
  return yield* hideInTurn(hiddenParts(unitsOf(data), folds, seed), function* (shown, hidden) {
    const result = yield* method.steps(selectPairs(data, shown), options, known);
    const chance = pairChance(result);
    return Float64Array.from(hidden, (i) => {
      const p = sayingSame(result, data.worker[i], chance(data.left[i], data.right[i]));
      return Math.log(data.label[i] === SAME ? p : 1 - p);
    });
  });
}
/** Probability that two items are alike; where every item stood alone nothing was fitted, and no two are. */
function pairChance(result: SimilarityResult): (a: number, b: number) => number {
  const K = result.membership.length / Math.max(1, result.items.length);
  if (K === 1 && result.clusters > 1 + maxOf(result.component)) return () => 0;
  return alikeChance(result.membership, K, result.component);
}

/** Items and workers; the item on the left may as well stand on the right. */
function unitsOf({ items, workers, left, right, worker, label, weight }: SimilarityData): Units {
  return {
    said: Uint32Array.from(label),
    roles: [
      { of: [left, right], count: items.length },
      { of: [worker], count: workers.length },
    ],
    kept: { of: new Int32Array(label.length), count: 1 },
    weight,
  };
}

/** Auto for similarities: takes the method that predicts hidden answers best, or the clusters of the crowd. */
export const similarityAuto = pickerFor<SimilarityData, SimilarityKnown, SimilarityResult>()(
  "similarity",
  "the choice of the number of clusters, and six fits of two methods",
  { ...pickOptions, ...clustersOption },
  {
    choices: [
      { name: "clusters of the crowd", method: crowdClusters },
      { name: "soft clusters", method: softClusters },
    ],
    judge: hiddenPairs,
    *prepare(data, known, { clusters }) {
      if (Number(clusters) > 0) return { options: { clusters } };
      const steps = crowdClusters.steps(data, {}, known);
      const { membership, items, tried } = yield* staged(steps, "choosing the number of clusters");
      const chosen = Math.max(1, membership.length / Math.max(1, items.length));
      return { options: { clusters: chosen }, found: { tried } };
    },
    // Answers about one item go together.
    cluster: ({ left }) => left,
    weight: ({ weight }) => weight,
    size: ({ label }) => label.length,
  },
);
