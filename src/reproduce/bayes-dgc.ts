/** Li, Huang, Chen: Crowdsourcing aggregation with deep Bayesian learning, SCIS 2021. */

import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { minimaxEntropy } from "../aggregate/categorical/margin/minimax-entropy.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { createRandom } from "../math/random.ts";
import { withFeatures } from "../simulate/features.ts";
import { thin } from "../simulate/thin.ts";
import { twoCoinCrowd } from "../simulate/two-coin.ts";
import { larger } from "./experiment.ts";
import { at, type Grid, gridExperiment } from "./grid.ts";
import { train } from "./learning.ts";

const PAPER = "Li, Huang, Chen (2021). Crowdsourcing aggregation with deep Bayesian learning.";

/**
 * The measure of the paper: the tasks most likely to be positive, as many as there are, are called so.
 * It knows how many there are, so it serves only to compare. Ties are broken by draws, 20 times.
 */
export function topKOracle(posterior: Float64Array, gold: Int32Array, seed: number) {
  const positives = gold.filter((k) => k === 1).length;
  const random = createRandom(seed).split("ties");
  let hits = 0;
  const draws = 20;
  for (let draw = 0; draw < draws; draw++) {
    const order = [...gold.keys()]
      .map((t) => ({ t, p: posterior[2 * t + 1], tie: random.next() }))
      .sort((a, b) => b.p - a.p || a.tie - b.tie);
    hits += order.slice(0, positives).filter(({ t }) => gold[t] === 1).length / draws;
  }
  return { f1: hits / positives, accuracy: 1 - (2 * (positives - hits)) / gold.length };
}

/** Shares of positives: a problem each, over which results are averaged. */
const POSITIVES = [0.05, 0.1, 0.3];

/**
 * Nine workers who are right on three quarters label everything, and a share of their labels is kept; features
 * with a Bayes accuracy of .9. Tasks stay, whether or not they kept a label.
 */
export function fewLabels(positive: number, share: number, seed: number, tasks = 700) {
  const crowd = twoCoinCrowd({
    tasks,
    workers: 9,
    labelsPerTask: 9,
    seed,
    a: 150,
    b: 50,
    positive,
  });
  const { data, features } = withFeatures(crowd, { bayesAccuracy: 0.9, dimensions: 20, seed });
  if (share === 1) return { data, features };
  const kept = thin(data, share, createRandom(seed).split("thin"));
  return { data: { ...kept, tasks: data.tasks, gold: data.gold }, features };
}

const figure = (id: string, title: string, measure: "accuracy" | "f1"): Grid => ({
  id,
  title,
  paper: PAPER,
  about:
    "Annotation fractions from .1 to 1 of nine workers' labels; the tasks most likely to be positive, as many as there truly are, are called so. The paper's 22 problems on images are not public: the mean over problems with 5, 10 and 30 % positives, workers right on three quarters, and Gaussian features with a Bayes accuracy of .9 stand in.",
  seeds: { full: 10, quick: 3 },
  xName: "Share of the labels",
  yName: measure === "f1" ? "F1" : "Accuracy",
  grid: ({ quick }) => (quick ? [0.1, 0.4, 1] : [0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1]),
  async cell(context, share, seed) {
    const results: Record<string, number> = {};
    for (const positive of POSITIVES) {
      const set = fewLabels(positive, share, seed, context.quick ? 400 : 700);
      const put = (name: string, posterior: Float64Array) => {
        const score = topKOracle(posterior, set.data.gold, seed)[measure];
        results[name] = (results[name] ?? 0) + score / POSITIVES.length;
      };
      put("MV", majorityVote(set.data).posterior);
      put("Dawid–Skene", dawidSkene(set.data).posterior);
      put("MaxEn", minimaxEntropy(set.data, { form: "vector" }).posterior);
      put("BayesGC", ibcc(set.data, ibcc.presets?.["bayes-gc"]?.options ?? {}).posterior);
      const shared = { hidden: "100", dropout: 0, rate: 1e-3 };
      for (const [name, id] of [
        ["Raykar", "raykar"],
        ["BayesDGC", "bayes-dgc"],
      ] as const) {
        put(name, (await train(context, set, { name, id }, shared, seed)).posterior);
      }
    }
    return results;
  },
  checks: (lines) => [
    larger(
      "with a tenth of the labels BayesDGC is better than BayesGC by .03",
      at(lines, "BayesDGC", 0),
      at(lines, "BayesGC", 0),
      0.03,
    ),
    larger(
      "with a tenth of the labels BayesDGC is better than the vote",
      at(lines, "BayesDGC", 0),
      at(lines, "MV", 0),
    ),
    larger(
      "with a tenth of the labels BayesDGC is better than minimax entropy",
      at(lines, "BayesDGC", 0),
      at(lines, "MaxEn", 0),
    ),
    larger(
      "its lead shrinks with more labels",
      lead(at(lines, "BayesDGC", 0), at(lines, "BayesGC", 0)),
      lead(at(lines, "BayesDGC", -1), at(lines, "BayesGC", -1)),
    ),
    larger("more labels help everyone (MV)", at(lines, "MV", -1), at(lines, "MV", 0)),
  ],
});

const lead = (a: readonly number[], b: readonly number[]) => a.map((x, i) => x - b[i]);

export const bayesDgcFig3 = gridExperiment(
  figure("bayes-dgc-fig-3", "BayesDGC, figure 3: accuracy by annotation fraction", "accuracy"),
);
export const bayesDgcFig4 = gridExperiment(
  figure("bayes-dgc-fig-4", "BayesDGC, figure 4: F1 by annotation fraction", "f1"),
);
