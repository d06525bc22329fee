/**
 * Mostly workers with plain symmetric noise; but on some tasks, the outliers, what a worker says depends
 * on what the task looks like:
 *
 *   label ~ softmax(x / |x| · weights[class, worker])    weights uniform in [0, 1)
 *
 * which is close to guessing. No one confusion explains both kinds of task.
 *
 * Nguyen, Ibrahim & Fu (2024), after the generator of their code; its features are images.
 */
import { normalizeLog } from "../math/log-sum-exp.ts";
import type { Random } from "../math/random.ts";
import { everybody } from "./assignment.ts";
import { classOption, drawTruth, evenErrors, pick, stack, toDataset, uniform } from "./draw.ts";
import { gaussFeatures, gaussOptions } from "./features.ts";
import { readAll } from "./rows.ts";
import { scenario } from "./scenario.ts";

/**
 * Outliers: symmetric noise, except that the labels of a share of the tasks depend on their
 * features.
 */
export const instanceDependentCrowd = scenario(
  {
    id: "instance-dependent",
    title: "Outliers whose labels follow their features",
    summary: "Symmetric noise, except for a share of tasks whose labels depend on the features.",
    paper: {
      authors: "T. Nguyen, S. Ibrahim, X. Fu",
      year: 2024,
      title:
        "Noisy label learning with instance-dependent outliers: identifiability via crowd wisdom",
      url: "https://openreview.net/forum?id=HTLJptF7qM",
    },
    features: true,
    options: {
      tasks: { default: 2000, min: 1, integer: true, help: "Number of tasks." },
      workers: {
        default: 3,
        min: 1,
        integer: true,
        help: "Number of workers; each labels every task.",
      },
      classes: { ...classOption.classes, default: 10 },
      outliers: { default: 0.3, min: 0, max: 1, help: "Probability that a task is an outlier." },
      noise: { default: 0.2, min: 0, max: 1, help: "Error rate on the other tasks." },
      rates: {
        default: "equal",
        choices: ["equal", "spread", "one-good"],
        help: "Error rates of the workers: equal, within .05 of each other, or one such worker among guessers.",
      },
      ...gaussOptions,
    },
  },
  (options, random, tasks) => {
    const { classes: K, workers: W } = options;
    const truth = drawTruth(tasks, uniform(K), random.split("truth"));
    const T = truth.length;
    const parts = tasks.features ?? [gaussFeatures(truth, K, options, random.split("features"))];
    const chance = random.split("outliers");
    const outliers = Uint8Array.from(truth, () => (chance.next() < options.outliers ? 1 : 0));
    const follow = outlierRule(readAll(...parts), T, W, K, random.split("weights"));
    const confusion = stack(
      errorRates(options).map((rate) => evenErrors(new Float64Array(K).fill(1 - rate))),
    );
    const places = everybody(T, W);
    const draws = random.split("labels");
    const label = places.worker.map((w, i) => {
      const t = Math.floor(i / W);
      return outliers[t]
        ? pick(follow(t, truth[t], w), 0, K, draws.next())
        : pick(confusion, (w * K + truth[t]) * K, K, draws.next());
    });
    return {
      data: toDataset(places, truth, label, W, K),
      prior: uniform(K),
      confusion,
      roles: Array.from({ length: W }, (_, w) =>
        options.rates === "one-good" && w > 0 ? "guesses" : "symmetric noise",
      ),
      outliers,
      features: parts[0],
    };
  },
);

interface Noise {
  readonly workers: number;
  readonly classes: number;
  readonly noise: number;
  readonly rates: "equal" | "spread" | "one-good";
}

/** How often each worker is wrong on tasks that are no outliers. */
function errorRates({ workers: W, classes: K, noise, rates }: Noise): number[] {
  return Array.from({ length: W }, (_, w) => {
    if (rates === "one-good" && w > 0) return 1 - 1 / K;
    const place = W > 1 ? (2 * w) / (W - 1) - 1 : 0;
    return rates === "spread" ? Math.max(0, Math.min(1, noise + 0.05 * place)) : noise;
  });
}

/** What a worker says of an outlier of a class, as probabilities. */
function outlierRule(rows: Float32Array, T: number, W: number, K: number, random: Random) {
  const d = rows.length / T;
  const weights = Float64Array.from({ length: K * W * d * K }, () => random.next());
  return (t: number, k: number, w: number): Float64Array => {
    const row = rows.subarray(t * d, (t + 1) * d);
    const length = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0)) || 1;
    const says = new Float64Array(K);
    for (let j = 0, at = (k * W + w) * d * K; j < d; j++) {
      for (let l = 0; l < K; l++) says[l] += (row[j] / length) * weights[at++];
    }
    normalizeLog(says, 0, K);
    return says;
  };
}
