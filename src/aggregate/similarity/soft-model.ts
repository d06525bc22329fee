/** The likelihood of soft clusters, its gradient, and steps of Adam on it. */
import type { Frame } from "./frame.ts";

/** Where memberships and rates begin. */
const [FLOOR, ALIKE, APART] = [1e-12, 0.8, 0.3];

const logit = (p: number) => Math.log(p / (1 - p));
const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** All parameters in one list: N × K logits of memberships, then those of both rates of each worker. */
export function createSoftModel(frame: Frame, K: number, q: Float64Array) {
  const { N, W } = frame;
  const x = new Float64Array(N * K + 2 * W);
  for (let at = 0; at < N * K; at++) x[at] = Math.log(Math.max(FLOOR, q[at]));
  for (let w = 0; w < W; w++) {
    x[N * K + w] = logit(ALIKE);
    x[N * K + W + w] = logit(APART);
  }
  const adam = createAdam(x.length);
  const gradient = new Float64Array(x.length);
  return {
    parameters: x,
    /** The objective here and its gradient. */
    slope: () => {
      const objective = softSlope(frame, K, x, gradient);
      return { objective, gradient };
    },
    /** Climbs one step and returns the objective before it. */
    step(rate: number): number {
      const objective = softSlope(frame, K, x, gradient);
      adam(x, gradient, rate);
      return objective;
    },
    read: () => ({
      f: shares(x, N, K),
      alike: x.slice(N * K, N * K + W).map(logistic),
      apart: x.slice(N * K + W).map(logistic),
    }),
  };
}

/** Memberships of logits. */
function shares(x: Float64Array, N: number, K: number): Float64Array {
  const f = new Float64Array(N * K);
  for (let i = 0; i < N; i++) {
    let most = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < K; c++) most = Math.max(most, x[i * K + c]);
    let sum = 0;
    for (let c = 0; c < K; c++) {
      f[i * K + c] = Math.exp(x[i * K + c] - most);
      sum += f[i * K + c];
    }
    for (let c = 0; c < K; c++) f[i * K + c] /= sum;
  }
  return f;
}

/** Log-likelihood less the penalty, and its gradient; the means over workers count as constants. */
function softSlope(frame: Frame, K: number, x: Float64Array, gradient: Float64Array): number {
  const { N, W, left, right, worker, same, weight } = frame;
  const f = shares(x, N, K);
  const [one, two] = [N * K, N * K + W];
  gradient.fill(0);
  let sum = 0;
  for (let i = 0; i < left.length; i++) {
    const [l, r, w] = [left[i] * K, right[i] * K, worker[i]];
    let s = 0;
    for (let c = 0; c < K; c++) s += f[l + c] * f[r + c];
    const [a, b] = [logistic(x[one + w]), logistic(x[two + w])];
    const p = Math.min(1 - 1e-12, Math.max(1e-12, a * s + b * (1 - s)));
    sum += weight[i] * Math.log(same[i] ? p : 1 - p);
    const slope = weight[i] * (same[i] ? 1 / p : -1 / (1 - p));
    gradient[one + w] += slope * s * a * (1 - a);
    gradient[two + w] += slope * (1 - s) * b * (1 - b);
    for (let c = 0; c < K; c++) {
      gradient[l + c] += slope * (a - b) * f[l + c] * (f[r + c] - s);
      gradient[r + c] += slope * (a - b) * f[r + c] * (f[l + c] - s);
    }
  }
  for (const from of [one, two]) {
    let mean = 0;
    for (let w = 0; w < W; w++) mean += x[from + w] / W;
    for (let w = 0; w < W; w++) {
      const away = x[from + w] - mean;
      sum -= (away * away) / 2;
      gradient[from + w] -= away;
    }
  }
  return sum;
}

/** Steps of Adam upwards, in double precision. */
function createAdam(size: number) {
  const [first, second] = [new Float64Array(size), new Float64Array(size)];
  let t = 0;
  return (x: Float64Array, gradient: Float64Array, rate: number) => {
    t++;
    const [one, two] = [1 - 0.9 ** t, 1 - 0.999 ** t];
    for (let i = 0; i < size; i++) {
      first[i] = 0.9 * first[i] + 0.1 * gradient[i];
      second[i] = 0.999 * second[i] + 0.001 * gradient[i] * gradient[i];
      x[i] += (rate * (first[i] / one)) / (Math.sqrt(second[i] / two) + 1e-8);
    }
  };
}
