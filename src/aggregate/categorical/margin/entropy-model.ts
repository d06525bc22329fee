/**
 * P(label | class, worker, task) as a softmax of what the worker and what the task add to each label:
 *
 *   P(l | k, w, t) = exp(σ[w, k, l] + τ[t, k, l]) / sum over labels l'
 *
 * σ and τ are sums of parameters: one for each class and label, or for each label (a task of the
 * vector form), or for the sides of each threshold that class and label are on (ordinal). All are
 * penalised by half their squares, times a or b, which also settles that constants can be moved
 * between them.
 */
import type { CrowdDataset } from "../../../data/dataset.ts";

/** Which parameters make up each cell of a K × L table: cell (k, l) sums those of cells[k * L + l]. */
export interface Features {
  readonly size: number;
  readonly cells: readonly (readonly number[])[];
}

export type Form = "matrix" | "vector" | "ordinal" | "none";

export function featuresOf(form: Form, K: number, L: number): Features {
  const cells = Array.from({ length: K * L }, (_, cell) => {
    const [k, l] = [Math.floor(cell / L), cell % L];
    if (form === "none") return [];
    if (form === "matrix") return [cell];
    if (form === "vector") return [l];
    // An abstention is on no side of anything: a parameter a class, after those of the thresholds.
    if (l >= K) return [4 * (K - 1) + k];
    return Array.from({ length: K - 1 }, (_, s) => 4 * s + 2 * (k > s ? 1 : 0) + (l > s ? 1 : 0));
  });
  const sizes = { none: 0, matrix: K * L, vector: L, ordinal: 4 * (K - 1) + (L > K ? K : 0) };
  return { size: sizes[form], cells };
}

export interface EntropyModel {
  /** Parameters of all workers, then of all tasks. */
  readonly parameters: number;
  /** Penalised expected log-probability of the labels under these beliefs, and its gradient. */
  value(x: Float64Array, posterior: Float64Array, gradient: Float64Array): number;
  /** Adds to logs[task * K + class] the log-probability of the task's labels; returns the penalty. */
  addLogs(x: Float64Array, logs: Float64Array): number;
  /** P(label | class, worker) on a task without peculiarities, as confusion[(w * K + k) * L + l]. */
  confusion(x: Float64Array): Float64Array;
  /** Log-probability of other labels of the same workers and tasks, under these beliefs. */
  predict(x: Float64Array, posterior: Float64Array, hidden: CrowdDataset): number;
}

export interface EntropySettings {
  readonly worker: Features;
  readonly task: Features;
  readonly a: number;
  readonly b: number;
  readonly L: number;
}

export function entropyModel(
  data: CrowdDataset,
  { worker, task, a, b, L }: EntropySettings,
): EntropyModel {
  const K = data.classes.length;
  const [W, T] = [data.workers.length, data.tasks.length];
  const cells = K * L;
  const ofWorkers = W * worker.size;
  const parameters = ofWorkers + T * task.size;
  const sigma = new Float64Array(W * cells);
  const tau = new Float64Array(T * cells);
  const [slopeSigma, slopeTau] = [new Float64Array(W * cells), new Float64Array(T * cells)];
  const rates = new Float64Array(L);

  const unfold = (x: Float64Array) => {
    sumCells(x, 0, worker, sigma);
    sumCells(x, ofWorkers, task, tau);
  };
  /** Fills `rates` with P(· | k, w, t); returns log P(l). */
  const softmax = (w: number, t: number, k: number, l: number): number => {
    const [s, u] = [w * cells + k * L, t * cells + k * L];
    let max = -Infinity;
    for (let j = 0; j < L; j++) {
      rates[j] = sigma[s + j] + tau[u + j];
      if (rates[j] > max) max = rates[j];
    }
    const said = rates[l] - max;
    let sum = 0;
    for (let j = 0; j < L; j++) {
      rates[j] = Math.exp(rates[j] - max);
      sum += rates[j];
    }
    for (let j = 0; j < L; j++) rates[j] /= sum;
    return said - Math.log(sum);
  };
  const penalty = (x: Float64Array): number => {
    let sum = 0;
    for (let p = 0; p < parameters; p++) sum += (p < ofWorkers ? a : b) * x[p] * x[p];
    return sum / 2;
  };
  return {
    parameters,
    value(x, posterior, gradient) {
      unfold(x);
      slopeSigma.fill(0);
      slopeTau.fill(0);
      let value = -penalty(x);
      for (let i = 0; i < data.label.length; i++) {
        const [w, t, l] = [data.worker[i], data.task[i], data.label[i]];
        for (let k = 0; k < K; k++) {
          const q = posterior[t * K + k] * (data.weight ? data.weight[i] : 1);
          if (q < 1e-14) continue;
          value += q * softmax(w, t, k, l);
          const [s, u] = [w * cells + k * L, t * cells + k * L];
          for (let j = 0; j < L; j++) {
            const slope = q * ((j === l ? 1 : 0) - rates[j]);
            slopeSigma[s + j] += slope;
            slopeTau[u + j] += slope;
          }
        }
      }
      for (let p = 0; p < parameters; p++) gradient[p] = (p < ofWorkers ? -a : -b) * x[p];
      spreadCells(slopeSigma, worker, gradient, 0);
      spreadCells(slopeTau, task, gradient, ofWorkers);
      return value;
    },
    addLogs(x, logs) {
      unfold(x);
      for (let i = 0; i < data.label.length; i++) {
        const count = data.weight ? data.weight[i] : 1;
        for (let k = 0; k < K; k++) {
          logs[data.task[i] * K + k] +=
            count * softmax(data.worker[i], data.task[i], k, data.label[i]);
        }
      }
      return penalty(x);
    },
    confusion(x) {
      unfold(x);
      tau.fill(0);
      const table = new Float64Array(W * cells);
      for (let row = 0; row < W * K; row++) {
        softmax(Math.floor(row / K), 0, row % K, 0);
        table.set(rates, row * L);
      }
      return table;
    },
    predict(x, posterior, hidden) {
      unfold(x);
      let sum = 0;
      for (let i = 0; i < hidden.label.length; i++) {
        const t = hidden.task[i];
        let p = 0;
        for (let k = 0; k < K; k++) {
          p += posterior[t * K + k] * Math.exp(softmax(hidden.worker[i], t, k, hidden.label[i]));
        }
        sum += (hidden.weight ? hidden.weight[i] : 1) * Math.log(Math.max(1e-300, p));
      }
      return sum;
    },
  };
}

/** table[cell] = sum of the parameters of the cell, table after table. */
function sumCells(
  x: Float64Array,
  from: number,
  { size, cells }: Features,
  table: Float64Array,
): void {
  for (let at = 0, start = from; at < table.length; at += cells.length, start += size) {
    for (let cell = 0; cell < cells.length; cell++) {
      let sum = 0;
      for (const p of cells[cell]) sum += x[start + p];
      table[at + cell] = sum;
    }
  }
}

/** The other way round, for slopes. */
function spreadCells(
  table: Float64Array,
  { size, cells }: Features,
  gradient: Float64Array,
  from: number,
): void {
  for (let at = 0, start = from; at < table.length; at += cells.length, start += size) {
    for (let cell = 0; cell < cells.length; cell++) {
      for (const p of cells[cell]) gradient[start + p] += table[at + cell];
    }
  }
}
