/**
 * The kernels in plain TypeScript: what the WASM loops of `assembly/` do, readable.
 *
 * They run where WASM with SIMD is missing, and are the oracle of the kernels' tests.
 * Layouts: starts[T + 1] into rows[N] and weights[N]; row = worker * L + label;
 * rates and counts [row * K + class]; posterior and base [task * K + class].
 *
 * A label of weight w counts for w labels, so its rate is raised to the power of w, which may leave the
 * range of a double. With weights, therefore, `rates` (or `ratios`), `prior` and `base` hold base-2
 * logarithms, and the product over a task's labels is a sum: a score per class.
 */

/** Products leave this range only to be rescaled, so neither underflow nor overflow is met. */
const SMALL = 1e-100;
const LARGE = 1e100;

/** A class whose score is further than this below the best one gets posterior 0. */
const LOWEST = -1021;

/**
 * E step and expected counts of the tasks from..to: the posterior of a task is proportional to
 * prior · base · the rates of its labels. out = log-likelihood, largest change of a posterior.
 */
export function expect(
  K: number,
  from: number,
  to: number,
  starts: Int32Array,
  rows: Int32Array,
  rates: Float64Array,
  prior: Float64Array,
  base: Float64Array | null,
  posterior: Float64Array,
  counts: Float64Array,
  totals: Float64Array,
  scratch: Float64Array,
  out: Float64Array,
  weights: Float64Array | null,
): void {
  let logLikelihood = 0;
  let change = 0;
  for (let t = from; t < to; t++) {
    const belief = t * K;
    begin(scratch, K, prior, base, belief, weights !== null);
    for (let j = starts[t]; j < starts[t + 1]; j++) {
      const row = rows[j] * K;
      if (weights) for (let k = 0; k < K; k++) scratch[k] += weights[j] * rates[row + k];
      else for (let k = 0; k < K; k++) scratch[k] *= rates[row + k];
      if (((j - starts[t]) & 7) === 7 && !weights) logLikelihood += rescale(scratch, K);
    }
    if (weights) logLikelihood += exponentiate(scratch, K);
    const [log, largest] = settle(K, belief, scratch, posterior, totals);
    logLikelihood += log;
    if (largest > change) change = largest;
    addCounts(K, t, starts, rows, posterior, counts, weights);
  }
  out[0] = logLikelihood;
  out[1] = change;
}

/** Expected counts of the tasks from..to under the posterior as it stands. */
export function count(
  K: number,
  from: number,
  to: number,
  starts: Int32Array,
  rows: Int32Array,
  posterior: Float64Array,
  counts: Float64Array,
  totals: Float64Array,
  weights: Float64Array | null,
): void {
  for (let t = from; t < to; t++) {
    const belief = t * K;
    for (let k = 0; k < K; k++) totals[k] += posterior[belief + k];
    addCounts(K, t, starts, rows, posterior, counts, weights);
  }
}

/**
 * E step of models whose label speaks only for its own class: a label l multiplies the odds of l
 * by ratios[row], whatever the other classes; hits[row] gathers how often it was right.
 */
export function expectCoin(
  K: number,
  L: number,
  from: number,
  to: number,
  starts: Int32Array,
  rows: Int32Array,
  ratios: Float64Array,
  prior: Float64Array,
  base: Float64Array | null,
  posterior: Float64Array,
  hits: Float64Array,
  totals: Float64Array,
  scratch: Float64Array,
  out: Float64Array,
  weights: Float64Array | null,
): void {
  let logLikelihood = 0;
  let change = 0;
  for (let t = from; t < to; t++) {
    const belief = t * K;
    begin(scratch, K, prior, base, belief, weights !== null);
    for (let j = starts[t]; j < starts[t + 1]; j++) {
      const label = rows[j] % L;
      if (label < K && weights) scratch[label] += weights[j] * ratios[rows[j]];
      else if (label < K) scratch[label] *= ratios[rows[j]];
      if (((j - starts[t]) & 7) === 7 && !weights) logLikelihood += rescale(scratch, K);
    }
    if (weights) logLikelihood += exponentiate(scratch, K);
    const [log, largest] = settle(K, belief, scratch, posterior, totals);
    logLikelihood += log;
    if (largest > change) change = largest;
    addHits(K, L, t, starts, rows, posterior, hits, weights);
  }
  out[0] = logLikelihood;
  out[1] = change;
}

/** hits[row] of the tasks from..to under the posterior as it stands. */
export function countCoin(
  K: number,
  L: number,
  from: number,
  to: number,
  starts: Int32Array,
  rows: Int32Array,
  posterior: Float64Array,
  hits: Float64Array,
  totals: Float64Array,
  weights: Float64Array | null,
): void {
  for (let t = from; t < to; t++) {
    const belief = t * K;
    for (let k = 0; k < K; k++) totals[k] += posterior[belief + k];
    addHits(K, L, t, starts, rows, posterior, hits, weights);
  }
}

/** Vote shares of the tasks from..to; a task without votes gets equal shares. */
export function votes(
  K: number,
  L: number,
  from: number,
  to: number,
  starts: Int32Array,
  rows: Int32Array,
  posterior: Float64Array,
  weights: Float64Array | null,
): void {
  for (let t = from; t < to; t++) {
    const belief = t * K;
    posterior.fill(0, belief, belief + K);
    let total = 0;
    for (let j = starts[t]; j < starts[t + 1]; j++) {
      const label = rows[j] % L;
      if (label >= K) continue;
      const weight = weights ? weights[j] : 1;
      posterior[belief + label] += weight;
      total += weight;
    }
    for (let k = 0; k < K; k++) {
      posterior[belief + k] = total > 0 ? posterior[belief + k] / total : 1 / K;
    }
  }
}

/** Sets the products, or scores, of a task before its labels: its prior times its base. */
function begin(
  scratch: Float64Array,
  K: number,
  prior: Float64Array,
  base: Float64Array | null,
  belief: number,
  inLogs: boolean,
): void {
  for (let k = 0; k < K; k++) {
    if (!base) scratch[k] = prior[k];
    else scratch[k] = inLogs ? prior[k] + base[belief + k] : prior[k] * base[belief + k];
  }
}

function addCounts(
  K: number,
  t: number,
  starts: Int32Array,
  rows: Int32Array,
  posterior: Float64Array,
  counts: Float64Array,
  weights: Float64Array | null,
): void {
  for (let j = starts[t]; j < starts[t + 1]; j++) {
    const row = rows[j] * K;
    const weight = weights ? weights[j] : 1;
    for (let k = 0; k < K; k++) counts[row + k] += weight * posterior[t * K + k];
  }
}

/** Adds to hits[row] the belief in what each label of a task says. */
function addHits(
  K: number,
  L: number,
  t: number,
  starts: Int32Array,
  rows: Int32Array,
  posterior: Float64Array,
  hits: Float64Array,
  weights: Float64Array | null,
): void {
  for (let j = starts[t]; j < starts[t + 1]; j++) {
    const label = rows[j] % L;
    if (label < K) hits[rows[j]] += (weights ? weights[j] : 1) * posterior[t * K + label];
  }
}

/** Divides by the largest value once it is extreme; returns the log of what was divided out. */
function rescale(scratch: Float64Array, K: number): number {
  let largest = 0;
  for (let k = 0; k < K; k++) if (scratch[k] > largest) largest = scratch[k];
  if (largest >= SMALL && largest <= LARGE) return 0;
  for (let k = 0; k < K; k++) scratch[k] /= largest;
  return Math.log(largest);
}

/** Turns scores into products, the largest of them 1; returns the log of what was divided out. */
function exponentiate(scratch: Float64Array, K: number): number {
  let largest = -Infinity;
  for (let k = 0; k < K; k++) if (scratch[k] > largest) largest = scratch[k];
  for (let k = 0; k < K; k++) {
    const difference = scratch[k] - largest;
    scratch[k] = difference >= LOWEST ? 2 ** difference : 0;
  }
  return largest * Math.LN2;
}

/** Normalises a task's products into its posterior; returns the log of their sum, and the change. */
function settle(
  K: number,
  belief: number,
  scratch: Float64Array,
  posterior: Float64Array,
  totals: Float64Array,
): [log: number, change: number] {
  let sum = 0;
  for (let k = 0; k < K; k++) sum += scratch[k];
  let change = 0;
  for (let k = 0; k < K; k++) {
    const value = scratch[k] / sum;
    change = Math.max(change, Math.abs(value - posterior[belief + k]));
    posterior[belief + k] = value;
    totals[k] += value;
  }
  return [Math.log(sum), change];
}

/**
 * One step of Adam, with root = 1 / sqrt(1 - beta2^t) and rate = learning rate / (1 - beta1^t):
 * value -= rate · m / (sqrt(v) · root + epsilon). `decay` · value is added to the gradient (weight
 * decay as a penalty); the value is multiplied by `shrink` first (decoupled weight decay).
 */
export function adam(
  n: number,
  values: Float32Array,
  gradients: Float32Array,
  first: Float32Array,
  second: Float32Array,
  rate: number,
  beta1: number,
  beta2: number,
  epsilon: number,
  decay: number,
  shrink: number,
  root: number,
): void {
  for (let i = 0; i < n; i++) {
    const g = gradients[i] + decay * values[i];
    first[i] = beta1 * first[i] + (1 - beta1) * g;
    second[i] = beta2 * second[i] + (1 - beta2) * g * g;
    values[i] = values[i] * shrink - (rate * first[i]) / (Math.sqrt(second[i]) * root + epsilon);
  }
}

/** One step of gradient descent: velocity = momentum · velocity + gradient, value -= rate · velocity. */
export function descend(
  n: number,
  values: Float32Array,
  gradients: Float32Array,
  velocity: Float32Array,
  rate: number,
  momentum: number,
  decay: number,
  shrink: number,
): void {
  for (let i = 0; i < n; i++) {
    const g = gradients[i] + decay * values[i];
    velocity[i] = momentum * velocity[i] + g;
    values[i] = values[i] * shrink - rate * velocity[i];
  }
}

/**
 * Fills n numbers, a multiple of four, with `value` or 0: value where a random word is below `limit`.
 * Four streams of sfc32 take turns; state holds the words a, b, c and the counter of each.
 */
export function drop(
  n: number,
  out: Float32Array,
  limit: number,
  value: number,
  state: Int32Array,
): void {
  for (let at = 0; at < n; at++) {
    const lane = at & 3;
    const [a, b, c, counter] = [state[lane], state[4 + lane], state[8 + lane], state[12 + lane]];
    const sum = (a + b + counter) | 0;
    state[12 + lane] = counter + 1;
    state[lane] = b ^ (b >>> 9);
    state[4 + lane] = c + (c << 3);
    state[8 + lane] = ((c << 21) | (c >>> 11)) + sum;
    out[at] = sum >>> 0 < limit >>> 0 ? value : 0;
  }
}
