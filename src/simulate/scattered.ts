/**
 * Crowds whose confusions can be told from labels and features, or cannot: with or without tasks that
 * leave no doubt of their class (anchors), with or without a worker who knows every class (an expert).
 *
 *   x ~ Uniform(0, 1)^d      truth = argmax W (x - ½)      W normal
 *
 * Without anchors the truth of any task is a random class with probability `doubt`, whatever the task
 * looks like. Differs from the paper's code: x is centred, since otherwise one class of three has three
 * quarters of the tasks; and its tanh(Wx) is left out, since it does not change the argmax.
 *
 * Ibrahim, Nguyen & Fu (2023). https://arxiv.org/abs/2306.03288
 */
import { fromMatrix } from "../data/features.ts";
import { integer, normal } from "../math/distributions.ts";
import { maxOf } from "../math/lists.ts";
import type { Random } from "../math/random.ts";
import { assignmentOptions } from "./assignment.ts";
import { simulateCrowd } from "./crowd.ts";
import { classOption, evenErrors } from "./draw.ts";
import { shares } from "./part.ts";
import { scenario } from "./scenario.ts";
import type { Tasks } from "./tasks.ts";

export const coupledPaper = {
  authors: "S. Ibrahim, T. Nguyen, X. Fu",
  year: 2023,
  title:
    "Deep learning from crowdsourced labels: coupled cross-entropy minimization, identifiability, and regularization",
  url: "https://arxiv.org/abs/2306.03288",
};

/**
 * Classes as regions of the features, with or without clear cases and an expert among poor workers.
 */
export const scatteredCrowd = scenario(
  {
    id: "scattered",
    title: "With or without anchors and an expert",
    summary: "Classes are regions of the features; one worker may be an expert among poor ones.",
    paper: coupledPaper,
    features: true,
    options: {
      ...assignmentOptions,
      tasks: { ...assignmentOptions.tasks, default: 2000 },
      workers: { ...assignmentOptions.workers, default: 5 },
      labelsPerTask: { ...assignmentOptions.labelsPerTask, default: 0 },
      classes: { ...classOption.classes, default: 3 },
      dimensions: { default: 10, min: 1, integer: true, help: "Number of features." },
      anchors: { default: true, help: "Include tasks whose features determine the class." },
      doubt: {
        default: 0.3,
        min: 0,
        max: 1,
        help: "Without anchors: probability that the class of a task is random.",
      },
      experts: { default: true, help: "Make the first worker an expert on all classes." },
      noise: {
        default: 0.1,
        min: 0,
        help: "Noise in the expert's confusion matrix: I + noise · Uniform(0, 1), normalised.",
      },
      others: {
        default: "uniform",
        choices: ["uniform", "random", "symmetric"],
        help: "Other workers: nearly guessing, random confusion matrices, or right more often than not.",
      },
      errors: { default: 0.4, min: 0, max: 1, help: "Error rate of symmetric workers." },
    },
  },
  (options, random, tasks) => {
    const { classes: K } = options;
    const made = tasks.truth ? undefined : regions(options, tasks, random);
    const habits = random.split("habits");
    const workers = Array.from({ length: options.workers }, (_, w) => {
      if (w === 0 && options.experts) {
        return { role: "expert", block: rates(K, (same) => same + options.noise * habits.next()) };
      }
      const block = {
        uniform: () => rates(K, (same) => 1 / K + 1e-4 * same),
        random: () => rates(K, () => habits.next()),
        symmetric: () => evenErrors(new Float64Array(K).fill(1 - options.errors)),
      }[options.others];
      return { role: options.others, block: block() };
    });
    const truth = tasks.truth ?? made?.truth ?? new Int32Array();
    const prior = shares(truth.subarray(0, tasks.train), K);
    const crowd = simulateCrowd(options, prior, workers, random, { ...tasks, truth });
    return { ...crowd, ...(made && { features: made.features }) };
  },
);

/** Features, and the class whose region each row is in. */
function regions(
  options: Readonly<{ classes: number; dimensions: number; anchors: boolean; doubt: number }>,
  { train, test }: Tasks,
  random: Random,
) {
  const { classes: K, dimensions: d } = options;
  const directions = random.split("directions");
  const weights = Float64Array.from({ length: K * d }, () => normal(directions));
  const draws = random.split("features");
  const matrix = Float32Array.from({ length: (train + test) * d }, () => draws.next());
  const doubts = random.split("doubts");
  const truth = Int32Array.from({ length: train + test }, (_, t) => {
    const any = integer(doubts, K);
    const certain = options.anchors || doubts.next() >= options.doubt;
    return certain ? regionOf(matrix.subarray(t * d, (t + 1) * d), weights) : any;
  });
  const names = Array.from(truth, (_, t) => `t${t}`);
  return { truth, features: fromMatrix(names, [d], matrix) };
}

/** argmax W (x - ½) */
function regionOf(x: Float32Array, weights: Float64Array): number {
  const scores = Array.from({ length: weights.length / x.length }, (_, k) =>
    x.reduce((sum, each, j) => sum + weights[k * x.length + j] * (each - 0.5), 0),
  );
  return scores.indexOf(maxOf(scores));
}

/** A K × K block whose rows are in proportion to `weight`, which is told 1 on the diagonal, else 0. */
function rates(K: number, weight: (same: 0 | 1) => number): Float64Array {
  const block = new Float64Array(K * K);
  for (let k = 0; k < K; k++) {
    let total = 0;
    for (let l = 0; l < K; l++) total += block[k * K + l] = weight(l === k ? 1 : 0);
    for (let l = 0; l < K; l++) block[k * K + l] /= total;
  }
  return block;
}
