/**
 * Small classifiers that learn from few examples and stay poor: what `machines` takes for workers.
 *
 * Each is told rows of numbers, standardised, and their classes, and gives a function from a row to a
 * class. What they get wrong depends on the row, and differs from one kind to the next.
 */
import { integer, normal } from "../math/distributions.ts";
import { minimise, type Objective } from "../math/lbfgs.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import type { Random } from "../math/random.ts";

export interface Examples {
  /** rows[example][dimension] */
  readonly rows: readonly Float64Array[];
  readonly label: Int32Array;
  /** Number of classes, which need not all be among the examples. */
  readonly K: number;
}

type Classifier = (row: Float64Array) => number;

/** The kinds, by the names that they have as roles. */
export const weakClassifiers: readonly (readonly [
  role: string,
  learn: (examples: Examples, random: Random) => Classifier,
])[] = [
  ["nearest neighbours", nearestNeighbours],
  ["logistic regression", (examples, random) => network(examples, 0, random)],
  ["network", (examples, random) => network(examples, 8, random)],
  ["naive Bayes", naiveBayes],
];

/** Most votes of the 3 to 15 nearest examples, or of a quarter of them if there are few. */
function nearestNeighbours({ rows, label, K }: Examples, random: Random): Classifier {
  const k = Math.max(1, Math.min(3 + 2 * integer(random, 7), Math.floor(rows.length / 4)));
  return (row) => {
    const distances = rows.map((other, i) => [squaredDistance(row, other), label[i]] as const);
    const votes = new Float64Array(K);
    for (const [, l] of distances.sort(([a], [b]) => a - b).slice(0, k)) votes[l]++;
    return best(votes);
  };
}

/** Each number of a row normal given the class, and independent of the others. */
function naiveBayes({ rows, label, K }: Examples): Classifier {
  const d = rows[0].length;
  const counts = new Float64Array(K);
  const mean = new Float64Array(K * d);
  const square = new Float64Array(K * d);
  rows.forEach((row, i) => {
    counts[label[i]]++;
    row.forEach((x, j) => {
      mean[label[i] * d + j] += x;
      square[label[i] * d + j] += x * x;
    });
  });
  const variance = square.map((sum, at) => {
    const n = counts[Math.floor(at / d)] || 1;
    mean[at] /= n;
    // A tenth of the variance of all rows, so that one example alone makes no needle.
    return sum / n - mean[at] ** 2 + 0.1;
  });
  return (row) => {
    const scores = counts.map(Math.log);
    for (let at = 0; at < K * d; at++) {
      const gap = row[at % d] - mean[at];
      scores[Math.floor(at / d)] -= 0.5 * (Math.log(variance[at]) + (gap * gap) / variance[at]);
    }
    return best(scores);
  };
}

/** A layer of tanh units, or none, and a softmax; a few steps of L-BFGS from a random start. */
function network(examples: Examples, hidden: number, random: Random): Classifier {
  const { rows, K } = examples;
  const d = rows[0].length;
  const first = hidden * (d + 1);
  const size = first + K * ((hidden || d) + 1);
  const start = Float64Array.from({ length: size }, () => normal(random) / Math.sqrt(d));
  const { x } = minimise(networkLoss(examples, hidden), start, { maxIterations: 20 });
  return (row) => best(layer(x, first, unitsOf(x, row, hidden), K));
}

/** Minus the log-likelihood of the classes, and a little for large weights. */
export function networkLoss({ rows, label, K }: Examples, hidden: number): Objective {
  const first = hidden * (rows[0].length + 1);
  const decay = 0.01 * rows.length;
  return (weights, gradient) => {
    let loss = 0;
    for (let at = 0; at < weights.length; at++) {
      loss += 0.5 * decay * weights[at] ** 2;
      gradient[at] = decay * weights[at];
    }
    rows.forEach((row, i) => {
      const units = unitsOf(weights, row, hidden);
      const error = layer(weights, first, units, K);
      normalizeLog(error, 0, K);
      loss -= Math.log(Math.max(error[label[i]], 1e-300));
      error[label[i]] -= 1;
      const back = pass(weights, gradient, first, units, error);
      if (!hidden) return;
      const inner = back.map((slope, u) => slope * (1 - units[u] ** 2));
      pass(weights, gradient, 0, row, inner);
    });
    return loss;
  };
}

function unitsOf(weights: Float64Array, row: Float64Array, hidden: number): Float64Array {
  return hidden ? layer(weights, 0, row, hidden).map(Math.tanh) : row;
}

/** Weighted sums of the inputs; the weights of an output stand together, its constant last. */
function layer(weights: Float64Array, from: number, input: Float64Array, outputs: number) {
  const n = input.length;
  const sums = new Float64Array(outputs);
  for (let o = 0; o < outputs; o++) {
    const at = from + o * (n + 1);
    let sum = weights[at + n];
    for (let j = 0; j < n; j++) sum += weights[at + j] * input[j];
    sums[o] = sum;
  }
  return sums;
}

/** Adds the gradient of a layer's weights, and passes the errors of its outputs back to its inputs. */
function pass(
  weights: Float64Array,
  gradient: Float64Array,
  from: number,
  input: Float64Array,
  error: Float64Array,
): Float64Array {
  const n = input.length;
  const back = new Float64Array(n);
  for (let o = 0; o < error.length; o++) {
    const at = from + o * (n + 1);
    gradient[at + n] += error[o];
    for (let j = 0; j < n; j++) {
      gradient[at + j] += error[o] * input[j];
      back[j] += error[o] * weights[at + j];
    }
  }
  return back;
}

function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] - b[j]) ** 2;
  return sum;
}

function best(scores: Float64Array): number {
  let best = 0;
  for (let k = 1; k < scores.length; k++) if (scores[k] > scores[best]) best = k;
  return best;
}
