/**
 * What mean field believes of all workers: a Beta a worker, or a Dirichlet a worker and class.
 *
 * Beliefs follow from the tasks' posterior by counting, and speak back as E log P(label | class).
 */
import type { CrowdDataset } from "../data/dataset.ts";
import { digamma, logBeta, logMultivariateBeta } from "../math/gamma.ts";
import { coinConfusion } from "./coin.ts";
import { type CoinPrior, coinPast, type RowsPrior, type Sizes } from "./worker-prior.ts";

/**
 * What is taken for E log of a rate: its mean under the belief, which is mean field, or the log of its mean,
 * which makes of it EM with means in place of modes.
 */
export type Averaging = "logs" | "rates";

/** The beliefs about all workers. */
export interface WorkerBeliefs {
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

/** Beta beliefs. What a class loses or gains is the same for all but the one the label names. */
export function createCoins(
  { workers, task, worker, label, weight }: CrowdDataset,
  prior: CoinPrior,
  { K, L }: Sizes,
  history: Float64Array | undefined,
  averaging: Averaging = "logs",
): WorkerBeliefs {
  const expectLog = averaging === "logs" ? digamma : Math.log;
  const W = workers.length;
  const all = new Float64Array(W); // labels that name a class
  const silent = new Float64Array(W);
  for (let i = 0; i < label.length; i++) {
    (label[i] < K ? all : silent)[worker[i]] += weight ? weight[i] : 1;
  }
  const rightBefore = new Float64Array(W).fill(prior.right);
  const wrongBefore = new Float64Array(W).fill(prior.wrong);
  for (let w = 0; history && w < W; w++) {
    const past = coinPast(history.subarray(w * K * L, (w + 1) * K * L), { K, L });
    rightBefore[w] += past.right;
    wrongBefore[w] += past.wrong;
  }
  const logBefore = rightBefore.map((count, w) => logBeta(count, wrongBefore[w]));
  const right = rightBefore.slice();
  const wrong = wrongBefore.slice();
  const gain = new Float64Array(W);
  const others = Math.log(Math.max(1, K - 1));
  return {
    forget() {
      right.set(rightBefore);
      wrong.set(wrongBefore);
    },
    count(posterior) {
      right.fill(0);
      for (let i = 0; i < label.length; i++) {
        const hit = label[i] < K ? posterior[task[i] * K + label[i]] : 0;
        right[worker[i]] += weight ? weight[i] * hit : hit;
      }
      for (let w = 0; w < W; w++) {
        wrong[w] = wrongBefore[w] + Math.max(0, all[w] - right[w]);
        right[w] += rightBefore[w];
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
            : weighShares(right[w], wrong[w]);
        sum -= (wrong[w] - wrongBefore[w]) * others;
      }
      return sum;
    },
    confusion() {
      const skill = right.map((count, w) => count / (count + wrong[w]));
      const silence = silent.map((count, w) => (count > 0 ? count / (count + all[w]) : 0));
      return coinConfusion(skill, silence, K, L);
    },
  };
}

/** Dirichlet beliefs, in tables laid out as table[(worker * L + label) * K + class]. */
export function createRows(
  { workers, task, worker, label, weight }: CrowdDataset,
  prior: RowsPrior,
  { K, L }: Sizes,
  history: Float64Array | undefined,
  averaging: Averaging = "logs",
): WorkerBeliefs {
  const expectLog = averaging === "logs" ? digamma : Math.log;
  const W = workers.length;
  const before = new Float64Array(W * L * K);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < L; l++) {
        const past = history ? history[(w * K + k) * L + l] : 0;
        before[(w * L + l) * K + k] = prior.counts[k * L + l] + past;
      }
    }
  }
  const counts = before.slice();
  const logs = new Float64Array(before.length);
  const row = new Float64Array(L);
  /** Copies the row of worker and class out of the table, and returns its sum. */
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
      for (let i = 0; i < label.length; i++) {
        const cell = (worker[i] * L + label[i]) * K;
        const from = task[i] * K;
        const share = weight ? weight[i] : 1;
        for (let k = 0; k < K; k++) counts[cell + k] += share * posterior[from + k];
      }
    },
    speak(scores) {
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          const base = expectLog(read(counts, w, k));
          for (let l = 0; l < L; l++) logs[(w * L + l) * K + k] = expectLog(row[l]) - base;
        }
      }
      for (let i = 0; i < label.length; i++) {
        const cell = (worker[i] * L + label[i]) * K;
        const from = task[i] * K;
        const share = weight ? weight[i] : 1;
        for (let k = 0; k < K; k++) scores[from + k] += share * logs[cell + k];
      }
    },
    logEvidence() {
      let sum = 0;
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          read(counts, w, k);
          sum +=
            averaging === "logs"
              ? logMultivariateBeta(row) - logBefore[w * K + k]
              : weighShares(...row);
        }
      }
      return sum;
    },
    confusion() {
      const confusion = new Float64Array(W * K * L);
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          const total = read(counts, w, k);
          for (let l = 0; l < L; l++) confusion[(w * K + k) * L + l] = row[l] / total;
        }
      }
      return confusion;
    },
  };
}

/** Counts times the logs of their shares. */
function weighShares(...counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((sum, count) => sum + count * Math.log(count / total), 0);
}

/** Expected labels of each worker on tasks of each class, exposure[worker * K + class]. */
export function expectedLabels(
  { workers, task, worker, weight }: CrowdDataset,
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
