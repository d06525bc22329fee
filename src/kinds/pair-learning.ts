/** Networks that predict scores or clusters of items. */
import type { PairwiseData } from "../data/pairwise.ts";
import type { SimilarityData } from "../data/similarity.ts";
import { CrowdError } from "../error.ts";
import type { ReadNumbers } from "../io/sinks/numbers.ts";
import type { ReadClusters } from "../io/sinks/similarity.ts";
import { pairwiseLearners, similarityLearners } from "../learn/index.ts";
import { rounded } from "../report/csv-files.ts";
import type { KindLearning, PredictedRows } from "./learning.ts";

/** Learners of preferences, and their predictions: one score per item. */
export const pairwiseLearning: KindLearning<PairwiseData> = {
  learners: Object.values(pairwiseLearners),
  defaultLearner: "crowd-reward-model",
  predictions: {
    described: ({ items }) => items,
    outputs: () => ["score"],
    goldOf(rows, gold) {
      const known = new Map(gold.map(([item, score]) => [item, Number(score)]));
      return Float64Array.from(rows, (item) => known.get(item) ?? Number.NaN);
    },
    table: ({ rows, numbers }) => ({
      header: ["item", "score"],
      rows: Array.from(rows, (item, i) => [item, rounded(numbers[i])]),
    }),
    answers: ({ rows, numbers }): ReadNumbers => ({
      names: [...rows],
      columns: { score: numbers },
      notes: [],
    }),
  },
};

/** Learners of similarities, and their predictions: P(cluster) of each item. */
export const similarityLearning: KindLearning<SimilarityData> = {
  learners: Object.values(similarityLearners),
  defaultLearner: "cluster-net",
  predictions: {
    described: ({ items }) => items,
    outputs: () => [],
    goldOf() {
      throw new CrowdError(
        "not-supported",
        "Clusters have no names before they are found, so that no epoch can be chosen by known ones. Leave validation gold out.",
      );
    },
    table: (predicted) => ({
      header: ["item", "cluster", "confidence"],
      rows: clustersOf(predicted).map(({ item, cluster, confidence }) => [
        item,
        cluster,
        rounded(confidence),
      ]),
    }),
    answers(predicted): ReadClusters {
      const found = clustersOf(predicted);
      return {
        names: found.map(({ item }) => item),
        clusters: found.map(({ cluster }) => String(cluster)),
        notes: [],
      };
    },
  },
};

/** The likeliest cluster of each row, from 1. */
function clustersOf({ rows, numbers }: PredictedRows) {
  const K = numbers.length / Math.max(1, rows.length);
  return Array.from(rows, (item, i) => {
    const own = numbers.subarray(i * K, (i + 1) * K);
    const confidence = own.reduce((a, b) => Math.max(a, b), 0);
    return { item, cluster: own.indexOf(confidence) + 1, confidence };
  });
}
