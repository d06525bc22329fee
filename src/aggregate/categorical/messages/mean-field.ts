/**
 * Mean field: every task's class and every worker's confusion get a belief of their own, as if they
 * were independent given the labels, and the beliefs are fitted in turns.
 *
 *   skill[w]         ~ Beta(right, wrong)            one coin: right with the same probability everywhere
 *   confusion[w, k]  ~ Dirichlet(right, wrong, …)    two coins: a row for each class
 *   z[t]             ~ h[t]                          the class prior, or the task's own
 *   label[i]         ~ Categorical(confusion[w, z[t]])
 *
 * Coordinate ascent on the evidence lower bound. Quick, and as good as belief propagation where
 * workers gave many labels; it is too sure of itself, and with sparse labels, a worker prior near chance
 * and a worker who labels everything at random it can take that one for an expert, and fall to chance.
 *
 * `averaging: "rates"` is the authors' AMF: log in place of digamma, which is EM for the confusions with
 * posterior means where EM has modes. Two coins is iBCC with a fixed class prior. `createMeanField` is the engine, for learners that come
 * with a new h[t] every time.
 *
 * Liu, Peng & Ihler (2012), NeurIPS 25, section 3.2; Kim, Cho, Kim & Ok (2022), AISTATS, PMLR 151.
 */
import { skillOf } from "../../../belief/confusion-table.ts";
import { startingPosterior } from "../../../belief/known.ts";
import { sumOverTasks, taskPriors } from "../../../belief/task-priors.ts";
import { voteShares } from "../../../belief/votes.ts";
import {
  type Averaging,
  createCoins,
  createRows,
  expectedLabels,
} from "../../../belief/worker-beliefs.ts";
import {
  type CoinPrior,
  evenRows,
  nothingToTell,
  type RowsPrior,
  type Sizes,
} from "../../../belief/worker-prior.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { type ClassPrior, createClassPrior } from "../../../em/class-prior.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What mean field finds beyond the answers. */
export interface MeanFieldFit extends Fit {
  /** Posterior mean of the confusions. */
  readonly confusion: Float64Array;
}

/** How good workers are before they give labels. */
export const skillPriorOptions = {
  right: { default: 2, min: 1e-3, unit: "labels", help: "Prior count of right labels." },
  wrong: {
    default: 1,
    min: 1e-3,
    unit: "labels",
    help: "Prior count of wrong labels; with two coins, the count of each wrong label.",
  },
} as const;

/** Mean field: beliefs about tasks and workers, with priors, fitted in turns as if independent. */
export const meanField = aggregator(
  {
    id: "mean-field",
    title: "Mean field",
    summary:
      "Variational inference with independent beliefs about tasks and workers, both with priors.",
    paper: {
      authors: "Q. Liu, J. Peng, A. Ihler",
      year: 2012,
      title: "Variational inference for crowdsourcing",
      url: "https://proceedings.neurips.cc/paper/2012/hash/cd00692c3bfe59267d5ecfac5310286c-Abstract.html",
    },
    family: "messages",
    probabilistic: true,
    cost: "O(N) per iteration with one coin; with two O(N·K + W·K²), and W·K² memory",
    options: {
      ...probabilisticOptions,
      maxIterations: { default: 100, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Largest change of a class probability at which to stop.",
      },
      workerPrior: {
        default: "one-coin",
        choices: ["one-coin", "two-coin"],
        help: "Worker model: one skill for all classes, or one row of rates per class.",
      },
      ...skillPriorOptions,
      averaging: {
        default: "logs",
        choices: ["logs", "rates"],
        help: "Averaging over a worker's rates: of their logarithms, or of the rates themselves, which is EM with means instead of modes.",
      },
      start: {
        default: "votes",
        choices: ["votes", "uniform"],
        help: "Start: vote shares, or all workers at their prior.",
      },
    },
  },
  function* (data, options, { known, K, L }): Steps<MeanFieldFit> {
    const { maxIterations, tolerance, right, wrong } = options;
    const classes = createClassPrior(data, known, "uniform");
    const h = taskPriors(data, known, classes.factor);
    const prior: CoinPrior | RowsPrior =
      options.workerPrior === "one-coin"
        ? { kind: "one-coin", right, wrong }
        : evenRows({ K, L }, right, wrong);
    const model = createMeanField(data, prior, {
      L,
      history: known.history,
      averaging: options.averaging,
    });
    if (options.start === "votes" || known.start) {
      model.startFrom(startingPosterior(data, known, voteShares(data)));
    }
    const trace: number[] = [];
    const notes: string[] = [];
    let converged = false;
    for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
      const change = model.update(h);
      const stuck = change < 1e-9 && options.start === "uniform" && !known.start;
      if (iteration === 1 && stuck && K > 1 && data.label.length > 0) notes.push(nothingToTell);
      converged = change <= tolerance;
      trace.push(model.bound(h));
      yield { iteration, objective: trace[iteration - 1] };
    }
    const answer = averagedAnswer(data, model.posterior, model.confusion(), classes, { K, L });
    return { ...answer, trace, converged, notes };
  },
);

/** What is said of tasks and workers where confusions were averaged over; updates the class prior. */
export function averagedAnswer(
  data: CategoricalData,
  posterior: Float64Array,
  confusion: Float64Array,
  classes: ClassPrior,
  { K, L }: Sizes,
) {
  classes.update(sumOverTasks(posterior, K));
  const shape = { workers: data.workers.length, classes: K, given: L };
  return {
    posterior,
    prior: classes.shares,
    confusion,
    exposure: expectedLabels(data, posterior, K),
    skill: skillOf(confusion, classes.shares, shape),
  };
}

export interface MeanField {
  /** P(class) of each task, as posterior[task * K + class]; overwritten by every update. */
  readonly posterior: Float64Array;
  /** Puts the tasks here and the workers to match. Without it the workers begin at their prior. */
  startFrom(posterior: Float64Array): void;
  /** Forgets everything: all tasks uniform, all workers at their prior. */
  restart(): void;
  /** All tasks under h[task * K + class], then all workers; returns the largest change of a task. */
  update(h: Float64Array): number;
  /** Lower bound of the log evidence under h, in nats, for tasks and workers after an update. */
  bound(h: Float64Array): number;
  /** Posterior mean, as confusion[(worker * K + class) * L + label]. */
  confusion(): Float64Array;
}

export interface MeanFieldSettings {
  /** What labels can say: K, or K + 1 with abstentions. */
  readonly L?: number;
  /** Pseudo-labels of each worker from the past: history[(worker * K + class) * L + label]. */
  readonly history?: Float64Array | undefined;
  readonly averaging?: Averaging;
}

export function createMeanField(
  data: CategoricalData,
  prior: CoinPrior | RowsPrior,
  { L = data.classes.length, history, averaging = "logs" }: MeanFieldSettings = {},
): MeanField {
  const K = data.classes.length;
  const sizes = { K, L };
  const posterior = new Float64Array(data.tasks.length * K).fill(1 / K);
  const next = new Float64Array(posterior.length);
  const crowd =
    prior.kind === "one-coin"
      ? createCoins(data, prior, sizes, history, averaging)
      : createRows(data, prior, sizes, history, averaging);
  return {
    posterior,
    startFrom(start) {
      posterior.set(start);
      crowd.count(posterior);
    },
    restart() {
      posterior.fill(1 / K);
      crowd.forget();
    },
    update(h) {
      let change = 0;
      for (let at = 0; at < h.length; at++) next[at] = Math.log(h[at]);
      crowd.speak(next);
      for (let from = 0; from < next.length; from += K) normalizeLog(next, from, from + K);
      for (let at = 0; at < next.length; at++) {
        change = Math.max(change, Math.abs(next[at] - posterior[at]));
      }
      posterior.set(next);
      crowd.count(posterior);
      return change;
    },
    bound(h) {
      let bound = crowd.logEvidence();
      for (let at = 0; at < h.length; at++) {
        const q = posterior[at];
        if (q > 0) bound += q * (Math.log(h[at]) - Math.log(q));
      }
      return bound;
    },
    confusion: crowd.confusion,
  };
}
