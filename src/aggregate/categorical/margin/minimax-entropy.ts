/**
 * Minimax conditional entropy: workers confuse classes, and tasks make them confuse others.
 *
 *   P(l | k, w, t) = exp(σ[w, k, l] + τ[t, k, l]) / sum over labels     worker w on task t of class k
 *   (i)  σ, τ      = those that maximise the expected log-probability of the labels - a/2·σ² - b/2·τ²
 *   (ii) P(k | t)  ∝ prior[k] · product over the labels of P(l | k, w, t)
 *
 * in turns from the vote shares. It is the dual of: among all distributions of labels that have the
 * observed counts of each worker and of each task, take the one of most entropy; among all classes of
 * the tasks, those for which that entropy is least. Together it climbs the penalised likelihood.
 *
 * For tasks that are each hard in their own way, with many labels each; `form: ordinal` for classes in
 * an order, where errors go to neighbours. With few labels per task τ fits noise: raise b, or `select`.
 * The form of 2012 has one τ a label, whatever the class (`vector`); without τ (`none`) it is
 * Dawid–Skene with a Gaussian prior on log rates.
 *
 * Zhou, Platt, Basu & Mao (2012), NIPS 25, 2204–2212.
 * Zhou, Liu, Platt & Meek (2014), ICML, PMLR 32, 262–270. https://proceedings.mlr.press/v32/zhouc14.html
 */

import { skillOf } from "../../../belief/confusion-table.ts";
import { startingPosterior } from "../../../belief/known.ts";
import { sumOverTasks, taskPriors } from "../../../belief/task-priors.ts";
import { voteShares } from "../../../belief/votes.ts";
import { type CategoricalData, selectLabels } from "../../../data/categorical.ts";
import { createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { minimise } from "../../../math/lbfgs.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Context, type Fit, probabilisticOptions } from "../aggregator.ts";
import { type EntropyModel, entropyModel, featuresOf } from "./entropy-model.ts";

/** What minimax entropy finds beyond the answers. */
export interface MinimaxEntropy extends Fit {
  /** P(label | class, worker) on a task without peculiarities. */
  readonly confusion: Float64Array;
  /** The penalties that were used: given, or selected. */
  readonly penalties: { readonly a: number; readonly b: number };
}

/** What `select` tries for a and for b. */
const GRID = [0.01, 0.1, 1, 5, 25];

/**
 * Minimax conditional entropy: workers confuse classes, and each task adds confusions of its own;
 * both are kept small.
 */
export const minimaxEntropy = aggregator(
  {
    id: "minimax-entropy",
    title: "Minimax conditional entropy",
    summary: "Both workers and tasks have confusion parameters, which are regularised.",
    paper: {
      authors: "D. Zhou, Q. Liu, J. C. Platt, C. Meek",
      year: 2014,
      title: "Aggregating ordinal labels from crowds by minimax conditional entropy",
      url: "https://proceedings.mlr.press/v32/zhouc14.html",
    },
    family: "margin",
    probabilistic: true,
    cost: "O(N·K²) per gradient, some 30 of them per iteration; (W + T)·K² memory",
    total: ({ labels: N, classes: K }) => 500 * N * K ** 2,
    options: {
      ...probabilisticOptions,
      prior: { ...priorOption.prior, default: "uniform" },
      form: {
        default: "matrix",
        choices: ["matrix", "vector", "ordinal", "none"],
        help: "Parameters per task: one per class and label, one per label, one per side of each threshold, or none.",
      },
      a: { default: 1, min: 0, help: "Penalty on the parameters of workers." },
      b: { default: 1, min: 0, help: "Penalty on the parameters of tasks." },
      tied: {
        default: true,
        help: "Multiply b by labels per worker / labels per task, as in the paper.",
      },
      select: {
        default: false,
        help: "Choose a and b from .01, .1, 1, 5 and 25 by the likelihood of hidden labels.",
      },
      folds: {
        default: 5,
        min: 1,
        integer: true,
        help: "Number of times that select hides a tenth of the labels.",
      },
      maxIterations: {
        default: 100,
        min: 1,
        integer: true,
        help: "Maximum number of rounds of (i) and (ii).",
      },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Largest change of a posterior probability at which to stop.",
      },
      innerSteps: {
        default: 25,
        min: 1,
        integer: true,
        help: "Maximum number of L-BFGS steps of (i).",
      },
    },
  },
  minimaxSteps,
);

/** The whole fit: penalties as given or selected, then (i) and (ii) in turns. */
export function* minimaxSteps(
  data: CategoricalData,
  options: Settings & { readonly tied: boolean; readonly select: boolean },
  context: Context,
): Steps<MinimaxEntropy> {
  const penalties = options.select
    ? yield* selectPenalties(data, options, context)
    : { a: options.a, b: options.b * (options.tied ? tie(data) : 1) };
  const { model, x, posterior, prior, trace, converged } = yield* alternate(
    data,
    { ...options, ...penalties },
    context,
  );
  const confusion = model.confusion(x);
  const shape = { workers: data.workers.length, classes: context.K, given: context.L };
  const skill = skillOf(confusion, prior, shape);
  const notes = options.select ? [`Selected a = ${penalties.a} and b = ${penalties.b}.`] : [];
  return { posterior, prior, confusion, skill, penalties, trace, converged, notes };
}

/** Labels per worker over labels per task, of those who have any. */
function tie({ worker, task }: CategoricalData): number {
  return new Set(task).size / Math.max(1, new Set(worker).size);
}

interface Settings {
  readonly prior: "learn" | "uniform";
  readonly form: "matrix" | "vector" | "ordinal" | "none";
  readonly a: number;
  readonly b: number;
  readonly folds: number;
  readonly seed: number;
  readonly maxIterations: number;
  readonly tolerance: number;
  readonly innerSteps: number;
}

interface Ended {
  readonly model: EntropyModel;
  readonly x: Float64Array;
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
  readonly trace: readonly number[];
  readonly converged: boolean;
}

/** (i) and (ii) in turns, from the vote shares. */
function* alternate(
  data: CategoricalData,
  options: Settings,
  { known, K, L }: Context,
): Steps<Ended> {
  const { form, a, b } = options;
  const worker = featuresOf(form === "ordinal" ? "ordinal" : "matrix", K, L);
  const model = entropyModel(data, { worker, task: featuresOf(form, K, L), a, b, L });
  const classes = createClassPrior(data, known, options.prior);
  let posterior = startingPosterior(data, known, voteShares(data));
  let x = new Float64Array(model.parameters);
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= options.maxIterations && !converged; iteration++) {
    classes.update(sumOverTasks(posterior, K));
    const beliefs = posterior;
    const negative = (at: Float64Array, gradient: Float64Array) => {
      const value = model.value(at, beliefs, gradient);
      for (let p = 0; p < gradient.length; p++) gradient[p] = -gradient[p];
      return -value;
    };
    x = minimise(negative, x, { maxIterations: options.innerSteps, tolerance: 1e-7 })
      .x as Float64Array<ArrayBuffer>;
    const logs = taskPriors(data, known, classes.factor).map(Math.log);
    let objective = classes.logDensity() - model.addLogs(x, logs);
    for (let t = 0; t < data.tasks.length; t++) {
      objective += normalizeLog(logs, t * K, (t + 1) * K);
    }
    converged = logs.every((p, at) => Math.abs(p - posterior[at]) <= options.tolerance);
    posterior = logs;
    trace.push(objective);
    yield { iteration, objective };
  }
  return { model, x, posterior, prior: classes.shares, trace, converged };
}

/** The a and b under which labels that were hidden are most probable. */
function* selectPenalties(
  data: CategoricalData,
  options: Settings,
  context: Context,
): Steps<{ a: number; b: number }> {
  const draw = hiddenBy(data, options.seed);
  const folds = Array.from({ length: options.folds }, (_, fold) => {
    const hide = draw(fold);
    return {
      shown: selectLabels(data, (i) => !hide[i]),
      hidden: selectLabels(data, (i) => hide[i] === 1),
    };
  });
  let best = { a: options.a, b: options.b, score: -Infinity };
  for (const a of GRID) {
    for (const b of options.form === "none" ? [1] : GRID) {
      let score = 0;
      for (const { shown, hidden } of folds) {
        const steps = alternate(shown, { ...options, a, b }, context);
        let step = steps.next();
        for (; !step.done; step = steps.next()) {
          yield { ...step.value, stage: `trying a = ${a} and b = ${b}` };
        }
        score += step.value.model.predict(step.value.x, step.value.posterior, hidden);
      }
      if (score > best.score) best = { a, b, score };
    }
  }
  return { a: best.a, b: best.b };
}

/** Which labels each fold hides: about a tenth, drawn by the names of task and worker. */
function hiddenBy({ tasks, workers, task, worker }: CategoricalData, seed: number) {
  const random = createRandom(seed).split("hidden");
  return (fold: number): Uint8Array => {
    const ofTask = Array.from(tasks, (name) => random.split(fold).split(name));
    return Uint8Array.from(task, (t, i) =>
      ofTask[t].split(workers.at(worker[i])).next() < 0.1 ? 1 : 0,
    );
  };
}
