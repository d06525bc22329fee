/**
 * What mean field believes of all workers: one Beta per worker, or one Dirichlet per worker and class.
 *
 * Beliefs follow from the tasks' posterior by counting, and speak back as E log P(label | class).
 */
import type { CategoricalData } from "../data/categorical.ts";
import { digamma, logBeta, logMultivariateBeta } from "../math/gamma.ts";
import { coinConfusion } from "./coin.ts";
import { type CoinPrior, coinPast, type RowsPrior, type Sizes } from "./worker-prior.ts";

/**
 * What is taken for E log of a rate: its mean under the belief, which is mean field, or the log of its mean,
 * which makes of it EM with means in place of modes.
 */
export type Averaging = "logs" | "rates";

/** The beliefs about all workers. */
interface WorkerBeliefs {
  /** Goes back to the prior. */
  forget(): void;
  /** Updates them from the tasks' posterior. */
  count(posterior: Float64Array): void;
  /** Adds E log P(label | class, worker) of every label to scores[task * K + class]. */
  speak(scores: Float64Array): void;
  /**
   * E log P(labels | classes, workers) less the divergence from the prior, right after `count`; where
   * rates are averaged, their log-likelihood and the log of their prior's density, without its constant.
   */
  logEvidence(): number;
  confusion(): Float64Array;
}

/** Makes the beliefs about all workers, at the prior and what is known of each worker's past. */
type CreateBeliefs<Prior> = (
  data: CategoricalData,
  prior: Prior,
  sizes: Sizes,
  history: Float64Array | undefined,
  averaging: Averaging,
) => WorkerBeliefs;

/** Makes Beta beliefs. What a class loses or gains is the same for all but the one the label names. */
export const createCoins: CreateBeliefs<CoinPrior> = (data, prior, sizes, history, averaging) => {
  const { K, L } = sizes;
  const { task, worker, label, weight } = data;
  const expectLog = averaging === "logs" ? digamma : Math.log;
  const W = data.workers.length;
  const { named, silent } = countNamed(data, K);
  const before = coinsBefore(prior, W, sizes, history);
  const logBefore = before.right.map((count, w) => logBeta(count, before.wrong[w]));
  const right = before.right.slice();
  const wrong = before.wrong.slice();
  const gain = new Float64Array(W);
  const others = Math.log(Math.max(1, K - 1));
  return {
    forget() {
      right.set(before.right);
      wrong.set(before.wrong);
    },
    count(posterior) {
      right.fill(0);
      for (let i = 0; i < label.length; i++) {
        const hit = label[i] < K ? posterior[task[i] * K + label[i]] : 0;
        right[worker[i]] += weight ? weight[i] * hit : hit;
      }
      for (let w = 0; w < W; w++) {
        wrong[w] = before.wrong[w] + Math.max(0, named[w] - right[w]);
        right[w] += before.right[w];
      }
    },
    speak(scores) {
      for (let w = 0; w < W; w++) gain[w] = expectLog(right[w]) - expectLog(wrong[w]) + others;
      for (let i = 0; K > 1 && i < label.length; i++) {
        if (label[i] >= K) continue;
        scores[task[i] * K + label[i]] += weight ? weight[i] * gain[worker[i]] : gain[worker[i]];
      }
    },
    logEvidence() {
      let sum = 0;
      for (let w = 0; K > 1 && w < W; w++) {
        sum +=
          averaging === "logs"
            ? logBeta(right[w], wrong[w]) - logBefore[w]
            : weighShares([right[w], wrong[w]]);
        sum -= (wrong[w] - before.wrong[w]) * others;
      }
      return sum;
    },
    confusion() {
      const skill = right.map((count, w) => count / (count + wrong[w]));
      const silence = silent.map((count, w) => (count > 0 ? count / (count + named[w]) : 0));
      return coinConfusion(skill, silence, K, L);
    },
  };
};

/** Counts the labels of each worker that name a class, and those that do not. */
function countNamed({ workers, worker, label, weight }: CategoricalData, K: number) {
  const named = new Float64Array(workers.length);
  const silent = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    (label[i] < K ? named : silent)[worker[i]] += weight ? weight[i] : 1;
  }
  return { named, silent };
}

/** Returns the prior counts of right and wrong labels, with each worker's past. */
function coinsBefore(
  prior: CoinPrior,
  W: number,
  { K, L }: Sizes,
  history: Float64Array | undefined,
) {
  const right = new Float64Array(W).fill(prior.right);
  const wrong = new Float64Array(W).fill(prior.wrong);
  for (let w = 0; history && w < W; w++) {
    const past = coinPast(history.subarray(w * K * L, (w + 1) * K * L), { K, L });
    right[w] += past.right;
    wrong[w] += past.wrong;
  }
  return { right, wrong };
}

/** Makes Dirichlet beliefs, in tables laid out as table[(worker * L + label) * K + class]. */
export const createRows: CreateBeliefs<RowsPrior> = (data, prior, sizes, history, averaging) => {
  const { K, L } = sizes;
  const expectLog = averaging === "logs" ? digamma : Math.log;
  const W = data.workers.length;
  const sums = sumsOverLabels(data, sizes);
  const before = rowsBefore(prior, W, sizes, history);
  const counts = before.slice();
  const logs = new Float64Array(before.length);
  const row = new Float64Array(L);
  /** Reads the row of a worker and class from a table; returns its sum. */
  const read = (table: Float64Array, w: number, k: number): number => {
    let total = 0;
    for (let l = 0; l < L; l++) total += row[l] = table[(w * L + l) * K + k];
    return total;
  };
  const logBefore = new Float64Array(W * K).map((_, at) => {
    read(before, Math.floor(at / K), at % K);
    return logMultivariateBeta(row);
  });
  return {
    forget() {
      counts.set(before);
    },
    count(posterior) {
      counts.set(before);
      sums.addPosterior(posterior, counts);
    },
    speak(scores) {
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          const base = expectLog(read(counts, w, k));
          for (let l = 0; l < L; l++) logs[(w * L + l) * K + k] = expectLog(row[l]) - base;
        }
      }
      sums.addLogs(logs, scores);
    },
    logEvidence() {
      let sum = 0;
      for (let at = 0; at < W * K; at++) {
        read(counts, Math.floor(at / K), at % K);
        sum += averaging === "logs" ? logMultivariateBeta(row) - logBefore[at] : weighShares(row);
      }
      return sum;
    },
    confusion() {
      const confusion = new Float64Array(W * K * L);
      for (let at = 0; at < W * K; at++) {
        const total = read(counts, Math.floor(at / K), at % K);
        for (let l = 0; l < L; l++) confusion[at * L + l] = row[l] / total;
      }
      return confusion;
    },
  };
};

/** Returns the prior counts of labels, with each worker's past. */
function rowsBefore(
  prior: RowsPrior,
  W: number,
  { K, L }: Sizes,
  history: Float64Array | undefined,
): Float64Array {
  const before = new Float64Array(W * L * K);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < L; l++) {
        const past = history ? history[(w * K + k) * L + l] : 0;
        before[(w * L + l) * K + k] = prior.counts[k * L + l] + past;
      }
    }
  }
  return before;
}

/** Makes the two sums over labels, between tasks and the tables of workers. */
function sumsOverLabels({ task, worker, label, weight }: CategoricalData, { K, L }: Sizes) {
  return {
    /** Adds the posterior of each label's task to the counts of its worker. */
    addPosterior(posterior: Float64Array, counts: Float64Array): void {
      for (let i = 0; i < label.length; i++) {
        const cell = (worker[i] * L + label[i]) * K;
        const from = task[i] * K;
        const share = weight ? weight[i] : 1;
        for (let k = 0; k < K; k++) counts[cell + k] += share * posterior[from + k];
      }
    },
    /** Adds the log rates of each label, by class, to the scores of its task. */
    addLogs(logs: Float64Array, scores: Float64Array): void {
      for (let i = 0; i < label.length; i++) {
        const cell = (worker[i] * L + label[i]) * K;
        const from = task[i] * K;
        const share = weight ? weight[i] : 1;
        for (let k = 0; k < K; k++) scores[from + k] += share * logs[cell + k];
      }
    },
  };
}

/** Returns the sum of counts times the logs of their shares. */
function weighShares(counts: Float64Array | readonly number[]): number {
  let total = 0;
  for (const count of counts) total += count;
  let sum = 0;
  for (const count of counts) sum += count * Math.log(count / total);
  return sum;
}

/** Returns the expected labels of each worker on tasks of each class, exposure[worker * K + class]. */
export function expectedLabels(
  { workers, task, worker, weight }: CategoricalData,
  posterior: Float64Array,
  K: number,
): Float64Array {
  const exposure = new Float64Array(workers.length * K);
  for (let i = 0; i < task.length; i++) {
    for (let k = 0; k < K; k++) {
      exposure[worker[i] * K + k] += (weight ? weight[i] : 1) * posterior[task[i] * K + k];
    }
  }
  return exposure;
}
