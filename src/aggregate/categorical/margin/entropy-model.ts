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
import type { CategoricalData } from "../../../data/categorical.ts";

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
    // An abstention is on no side of anything: a parameter per class, after those of the thresholds.
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
  predict(x: Float64Array, posterior: Float64Array, hidden: CategoricalData): number;
}

export interface EntropySettings {
  readonly worker: Features;
  readonly task: Features;
  readonly a: number;
  readonly b: number;
  readonly L: number;
}

/** The parameters of the last x as tables, and room for their slopes and for one softmax. */
interface State {
  readonly data: CategoricalData;
  readonly settings: EntropySettings;
  readonly K: number;
  readonly L: number;
  /** Number of parameters of workers, which come first, and of all. */
  readonly ofWorkers: number;
  readonly parameters: number;
  /** As sigma[(worker * K + class) * L + label] and tau[(task * K + class) * L + label]. */
  readonly sigma: Float64Array;
  readonly tau: Float64Array;
  readonly slopeSigma: Float64Array;
  readonly slopeTau: Float64Array;
  readonly rates: Float64Array;
}

/** Sets up the model for a crowd. */
export function entropyModel(data: CategoricalData, settings: EntropySettings): EntropyModel {
  const { L } = settings;
  const [T, W, K] = [data.tasks.length, data.workers.length, data.classes.length];
  const ofWorkers = W * settings.worker.size;
  const state: State = {
    data,
    settings,
    K,
    L,
    ofWorkers,
    parameters: ofWorkers + T * settings.task.size,
    sigma: new Float64Array(W * K * L),
    tau: new Float64Array(T * K * L),
    slopeSigma: new Float64Array(W * K * L),
    slopeTau: new Float64Array(T * K * L),
    rates: new Float64Array(L),
  };
  return {
    parameters: state.parameters,
    value: (x, posterior, gradient) => valueAt(state, x, posterior, gradient),
    addLogs: (x, logs) => addLogs(state, x, logs),
    confusion: (x) => confusionAt(state, x),
    predict: (x, posterior, hidden) => predict(state, x, posterior, hidden),
  };
}

/** Sums the parameters of each cell, into sigma and tau. */
function unfold({ settings, ofWorkers, sigma, tau }: State, x: Float64Array): void {
  sumCells(x, 0, settings.worker, sigma);
  sumCells(x, ofWorkers, settings.task, tau);
}

/** Fills `rates` with P(· | k, w, t); returns log P(l). */
function softmax(
  { K, L, sigma, tau, rates }: State,
  w: number,
  t: number,
  k: number,
  l: number,
): number {
  const s = (w * K + k) * L;
  const u = (t * K + k) * L;
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
}

/** Returns a/2·σ² + b/2·τ². */
function penaltyOf({ settings: { a, b }, ofWorkers, parameters }: State, x: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < parameters; p++) sum += (p < ofWorkers ? a : b) * x[p] * x[p];
  return sum / 2;
}

/** Returns the penalised expected log-probability of the labels, and writes its gradient. */
function valueAt(
  state: State,
  x: Float64Array,
  posterior: Float64Array,
  gradient: Float64Array,
): number {
  const { data, settings, K, L, ofWorkers, parameters, slopeSigma, slopeTau, rates } = state;
  const { worker, task, label, weight } = data;
  unfold(state, x);
  slopeSigma.fill(0);
  slopeTau.fill(0);
  let value = -penaltyOf(state, x);
  for (let i = 0; i < label.length; i++) {
    const [w, t, l] = [worker[i], task[i], label[i]];
    for (let k = 0; k < K; k++) {
      const q = posterior[t * K + k] * (weight ? weight[i] : 1);
      if (q < 1e-14) continue;
      value += q * softmax(state, w, t, k, l);
      const [s, u] = [(w * K + k) * L, (t * K + k) * L];
      for (let j = 0; j < L; j++) {
        const slope = q * ((j === l ? 1 : 0) - rates[j]);
        slopeSigma[s + j] += slope;
        slopeTau[u + j] += slope;
      }
    }
  }
  const { a, b } = settings;
  for (let p = 0; p < parameters; p++) gradient[p] = (p < ofWorkers ? -a : -b) * x[p];
  spreadCells(slopeSigma, settings.worker, gradient, 0);
  spreadCells(slopeTau, settings.task, gradient, ofWorkers);
  return value;
}

/** Adds the log-probability of each task's labels to logs[task * K + class]; returns the penalty. */
function addLogs(state: State, x: Float64Array, logs: Float64Array): number {
  const { K } = state;
  const { worker, task, label, weight } = state.data;
  unfold(state, x);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    for (let k = 0; k < K; k++) {
      logs[task[i] * K + k] += count * softmax(state, worker[i], task[i], k, label[i]);
    }
  }
  return penaltyOf(state, x);
}

/** Returns P(label | class, worker) where tau is 0. */
function confusionAt(state: State, x: Float64Array): Float64Array {
  const { K, L, sigma, tau, rates } = state;
  unfold(state, x);
  tau.fill(0);
  const table = new Float64Array(sigma.length);
  for (let row = 0; row * L < table.length; row++) {
    softmax(state, Math.floor(row / K), 0, row % K, 0);
    table.set(rates, row * L);
  }
  return table;
}

/** Returns the log-probability of other labels of the same workers and tasks. */
function predict(
  state: State,
  x: Float64Array,
  posterior: Float64Array,
  { worker, task, label, weight }: CategoricalData,
): number {
  const { K } = state;
  unfold(state, x);
  let sum = 0;
  for (let i = 0; i < label.length; i++) {
    const t = task[i];
    let p = 0;
    for (let k = 0; k < K; k++) {
      p += posterior[t * K + k] * Math.exp(softmax(state, worker[i], t, k, label[i]));
    }
    sum += (weight ? weight[i] : 1) * Math.log(Math.max(1e-300, p));
  }
  return sum;
}

/** Writes the sum of the parameters of each cell, table after table. */
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

/** Adds the slope of each cell to those of its parameters: `sumCells` the other way round. */
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
