/**
 * Confusion vector: a worker is right with one probability for each true class; errors are even.
 *
 *   z[t]      ~ Categorical(prior)
 *   label[i]  = z[t] with probability accuracy[w, z[t]], else any other class, all alike
 *
 * EM, starting from the vote shares. K numbers per worker, between one-coin's one and
 * Dawid–Skene's K²: good for more than two classes and a medium number of labels; wrong where
 * workers confuse particular classes. With two classes it is Dawid–Skene.
 *
 * Differs from the tutorial: the probability is indexed by the true class. Indexed by the given one,
 * as printed there, the rates of a class do not sum to one.
 *
 * Ibrahim, Traganitis, Fu & Giannakis (2025), Learning from crowdsourced noisy labels: a signal
 * processing perspective. https://doi.org/10.1109/MSP.2025.3572636
 */
import {
  exposureOf,
  type Shape,
  skillOf,
  tableBytes,
  transpose,
} from "../../../belief/confusion-table.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { FLOOR } from "../../../belief/shares.ts";
import { voteShares } from "../../../belief/votes.ts";
import { createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { climb, climbOptions } from "../../../em/climb.ts";
import { smoothingOption } from "../../../em/confusion.ts";
import { createExpectation, type Expectation } from "../../../kernels/expectation.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What the confusion vector model finds beyond the answers. */
export interface ConfusionVector extends Fit {
  readonly confusion: Float64Array;
  /** P(right label | class, worker), as accuracy[worker * K + class]. */
  readonly accuracy: Float64Array;
}

/**
 * Confusion vector: each worker is right with one probability per class, learnt together with the
 * classes by EM.
 */
export const confusionVector = aggregator(
  {
    id: "confusion-vector",
    title: "Confusion vector",
    summary:
      "Each worker is right with one probability per class; EM estimates it together with the classes.",
    paper: {
      authors: "S. Ibrahim, P. A. Traganitis, X. Fu, G. B. Giannakis",
      year: 2025,
      title: "Learning from crowdsourced noisy labels: a signal processing perspective",
      url: "https://doi.org/10.1109/MSP.2025.3572636",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N·K + W·K²) per iteration, W·K² memory",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      ...climbOptions,
      ...priorOption,
      ...smoothingOption,
    },
  },
  function* (data, options, { known, engine, K, L }): Steps<ConfusionVector> {
    const W = data.workers.length;
    const shape = { workers: W, classes: K, given: L };
    const model = createExpectation(
      { ...data, tasks: data.tasks.length, ...shape, base: taskBase(data, known) },
      engine,
    );
    const prior = createClassPrior(data, known, options.prior);
    const pseudo = pseudoLabels(shape, options.smoothing, known.history);
    const accuracy = new Float64Array(W * K);
    model.startFrom(startingPosterior(data, known, voteShares(data)));
    const climbed = yield* climb(
      {
        maximise() {
          prior.update(model.totals);
          maximise(model, pseudo, shape, accuracy);
        },
        infer() {
          const penalty = logDensity(model.rates, pseudo, prior.logDensity(), shape);
          return model.infer(prior.factor) + penalty;
        },
        change: model.change,
      },
      options,
    );
    const confusion = transpose(model.rates, shape);
    return {
      posterior: model.posterior.slice(),
      prior: prior.shares,
      confusion,
      exposure: exposureOf(model.counts, shape),
      accuracy,
      skill: skillOf(confusion, prior.shares, shape),
      ...climbed,
    };
  },
);

/** Returns pseudo-labels of each worker and class, laid out as [(worker * K + class) * L + label]. */
function pseudoLabels(
  { workers: W, classes: K, given: L }: Shape,
  smoothing: number,
  history: Float64Array | undefined,
): Float64Array {
  return new Float64Array(W * K * L).map((_, at) => smoothing + (history ? history[at] : 0));
}

/** Sets accuracies and rates from the expected labels and the pseudo-labels. */
function maximise(
  { counts, rates }: Expectation,
  pseudo: Float64Array,
  { workers: W, classes: K, given: L }: Shape,
  accuracy: Float64Array,
): void {
  const sums = new Float64Array(3);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      // Right, wrong and abstaining labels of worker w on tasks of class k.
      sums.fill(0);
      for (let l = 0; l < L; l++) {
        const kind = l === k ? 0 : l < K ? 1 : 2;
        sums[kind] += counts[(w * L + l) * K + k];
        sums[kind] += pseudo[(w * K + k) * L + l];
      }
      const [right, wrong, silent] = sums;
      const said = right + wrong;
      const share = said > 0 ? right / said : 1 / K;
      const rate = K === 1 ? 1 : Math.min(1 - FLOOR, Math.max(FLOOR, share));
      const silence = Math.max(L > K ? FLOOR : 0, silent > 0 ? silent / (said + silent) : 0);
      accuracy[w * K + k] = rate;
      for (let l = 0; l < L; l++) {
        const even = l === k ? rate : (1 - rate) / (K - 1);
        rates[(w * L + l) * K + k] = l < K ? (1 - silence) * even : silence;
      }
    }
  }
}

/** Adds the log density of the pseudo-labels under the rates to `start`. */
function logDensity(
  rates: Float64Array,
  pseudo: Float64Array,
  start: number,
  { workers: W, classes: K, given: L }: Shape,
): number {
  let sum = start;
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < L; l++) {
        const count = pseudo[(w * K + k) * L + l];
        if (count > 0) sum += count * Math.log(rates[(w * L + l) * K + k]);
      }
    }
  }
  return sum;
}
