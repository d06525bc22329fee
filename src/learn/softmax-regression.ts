/**
 * Softmax regression on probabilities, in double precision, for EM: its targets change from call to
 * call, and each call takes a few steps from where the last one ended.
 *
 *   minimise  -sum_i sum_k q[i][k] log f(x_i)[k] + lambda / 2 · |w|²,   the bias free of charge
 *
 * The steps are those of L-BFGS. What it remembers of the curvature stays true when the targets change,
 * which enter the gradient X'(f - q) + lambda w but not its differences; and as scores are linear in the
 * weights, trying a length of step costs no product with X.
 *
 * Nocedal & Wright (2006), Numerical Optimization, 2nd ed., algorithm 7.4.
 * https://doi.org/10.1007/978-0-387-40065-5
 */
import { normalizeLog } from "../math/log-sum-exp.ts";

/** Steps, and changes of gradient along them, that are remembered. */
const MEMORY = 10;

/** Rows of features, each with a 1 at its end for the bias. */
export interface Rows {
  readonly count: number;
  /** Numbers per row, the 1 included. */
  readonly width: number;
  /** Row after row, and rows of zeros up to a multiple of four. */
  readonly values: Float64Array;
}

export interface Regression {
  /** weights[class * width + column], the bias last. */
  readonly weights: Float64Array;
  /** Everything that changes, to go on from: the weights too. */
  readonly state: Readonly<Record<string, Float64Array>>;
  /** At most so many steps towards targets q[row * K + class]; none makes the loss larger. */
  improve(q: Float64Array, steps: number): void;
  /** log f, as into[row * K + class]. */
  logProbabilities(into: Float64Array): void;
  /** lambda / 2 · |w|². */
  penalty(): number;
}

/** The problem without its targets, and where its solution is. */
interface State {
  readonly x: Rows;
  readonly K: number;
  /** Lambda for each weight, 0 for the bias. */
  readonly price: Float64Array;
  readonly weights: Float64Array;
  /** X w, as scores[row * K + class]. */
  readonly scores: Float64Array;
  /** How the scores change along the direction of a step. */
  readonly along: Float64Array;
  readonly residual: Float64Array;
}

/** Sets up the regression at weights of 0. */
export function createRegression(x: Rows, K: number, lambda: number): Regression {
  const { width } = x;
  const weights = new Float64Array(K * width);
  const scores = new Float64Array((x.values.length / width) * K);
  const state: State = {
    x,
    K,
    price: weights.map((_, j) => (j % width === width - 1 ? 0 : lambda)),
    weights,
    scores,
    along: scores.slice(),
    residual: scores.slice(),
  };
  const memory = createMemory(weights.length);
  return {
    weights,
    state: { weights, scores, ...memory.state },
    improve: (q, steps) => improve(state, memory, q, steps),
    logProbabilities: (into) => logProbabilities(state, into),
    penalty: () => pricedDot(state.price, weights, weights) / 2,
  };
}

/** Takes at most so many steps towards targets q; none makes the loss larger. */
function improve(
  state: State,
  memory: ReturnType<typeof createMemory>,
  q: Float64Array,
  steps: number,
): void {
  const { x, K, weights, scores, along } = state;
  let here = gradient(state, q);
  for (let n = 0; n < steps; n++) {
    const direction = memory.descend(here);
    multiply(x, direction, K, along);
    const length = lowest(lookAlong(state, q, direction));
    if (length === 0) {
      // Either this is the lowest point, or what is remembered misleads.
      if (!memory.forget()) return;
      continue;
    }
    for (let i = 0; i < scores.length; i++) scores[i] += length * along[i];
    for (let j = 0; j < weights.length; j++) weights[j] += direction[j] *= length;
    const there = gradient(state, q);
    memory.remember(direction, here, there);
    here = there;
  }
}

/** Returns X'(f - q) + lambda w. */
function gradient({ x, K, price, weights, scores, residual }: State, q: Float64Array) {
  residual.set(scores);
  for (let from = 0; from < x.count * K; from += K) {
    normalizeLog(residual, from, from + K);
    for (let k = from; k < from + K; k++) residual[k] -= q[k];
  }
  const result = weights.map((w, j) => price[j] * w);
  addTransposed(x, residual.fill(0, x.count * K), K, result);
  return result;
}

/** Returns the loss along the direction, but for a constant, with slope and curvature. */
function lookAlong(
  { x, K, price, weights, scores, along }: State,
  q: Float64Array,
  direction: Float64Array,
): (length: number) => Point {
  const linear = pricedDot(price, weights, direction);
  const square = pricedDot(price, direction, direction);
  const f = new Float64Array(K);
  return (length) => {
    let value = length * (linear + (length / 2) * square);
    let slope = linear + length * square;
    let curvature = square;
    for (let from = 0; from < x.count * K; from += K) {
      for (let k = 0; k < K; k++) f[k] = scores[from + k] + length * along[from + k];
      value += normalizeLog(f, 0, K);
      let target = 0;
      for (let k = 0; k < K; k++) target += q[from + k] * along[from + k];
      let mean = 0;
      let spread = 0;
      for (let k = 0; k < K; k++) {
        const off = along[from + k] - target;
        mean += f[k] * off;
        spread += f[k] * off * off;
      }
      value -= length * target;
      slope += mean;
      curvature += spread - mean * mean;
    }
    return { length, value, slope, curvature };
  };
}

/** Writes log f to into[row * K + class]. */
function logProbabilities({ x, K, scores, residual }: State, into: Float64Array): void {
  residual.set(scores);
  for (let from = 0; from < x.count * K; from += K) {
    const total = normalizeLog(residual, from, from + K);
    for (let k = from; k < from + K; k++) into[k] = scores[k] - total;
  }
}

/** Returns the sum of price · a · b. */
function pricedDot(price: Float64Array, a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, j) => sum + price[j] * value * b[j], 0);
}

interface Point {
  readonly length: number;
  readonly value: number;
  readonly slope: number;
  readonly curvature: number;
}

/**
 * Finds where a convex function is as good as flat: by Newton's method, and by halves where that would leave
 * the stretch on which the lowest point must be. Returns 0 if nothing lower is found.
 */
function lowest(look: (length: number) => Point): number {
  const start = look(0);
  let here = start;
  let [low, high] = [0, Infinity];
  for (let n = 0; n < 60 && Math.abs(here.slope) > 0.1 * Math.abs(start.slope); n++) {
    if (here.slope > 0) high = here.length;
    else low = here.length;
    const newton = here.length - here.slope / here.curvature;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    // Where nothing is curved, as where all classes are certain, Newton's step has no end.
    here = look(Math.min(next, 10 * low + 1));
  }
  return here.value < start.value ? here.length : 0;
}

/** Keeps the last steps and how the gradient changed along each, the oldest overwritten first. */
function createMemory(size: number) {
  const steps = new Float64Array(MEMORY * size);
  const changes = new Float64Array(MEMORY * size);
  const taken = Float64Array.of(0);
  const place = (all: Float64Array, p: number) =>
    all.subarray((p % MEMORY) * size, ((p % MEMORY) + 1) * size);
  return {
    state: { steps, changes, taken },
    /** Minus the gradient times the inverse of the curvature that the steps have seen. */
    descend(gradient: Float64Array): Float64Array {
      const direction = gradient.map((g) => -g);
      const oldest = Math.max(0, taken[0] - MEMORY);
      const shares: number[] = [];
      for (let p = taken[0] - 1; p >= oldest; p--) {
        const [s, y] = [place(steps, p), place(changes, p)];
        shares.push(dot(s, direction) / dot(s, y));
        addTo(direction, -shares[shares.length - 1], y);
      }
      if (taken[0] > 0) {
        const [s, y] = [place(steps, taken[0] - 1), place(changes, taken[0] - 1)];
        const scale = dot(s, y) / dot(y, y);
        for (let j = 0; j < size; j++) direction[j] *= scale;
      }
      for (let p = oldest; p < taken[0]; p++) {
        const [s, y] = [place(steps, p), place(changes, p)];
        addTo(direction, Number(shares.pop()) - dot(y, direction) / dot(s, y), s);
      }
      return direction;
    },
    /** Whether there was anything to forget. */
    forget(): boolean {
      const any = taken[0] > 0;
      taken[0] = 0;
      return any;
    },
    remember(step: Float64Array, before: Float64Array, after: Float64Array): void {
      const change = after.map((g, j) => g - before[j]);
      if (!(dot(step, change) > Number.EPSILON * dot(change, change))) return;
      place(steps, taken[0]).set(step);
      place(changes, taken[0]).set(change);
      taken[0]++;
    },
  };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

function addTo(target: Float64Array, share: number, vector: Float64Array): void {
  for (let j = 0; j < target.length; j++) target[j] += share * vector[j];
}

// Both products take four rows at a time: each number of the other factor is then read once for four
// multiplications, which makes them more than twice as fast.

/** into[row * K + class] = x[row] · weights[class]. */
function multiply(
  { values: x, width }: Rows,
  weights: Float64Array,
  K: number,
  into: Float64Array,
) {
  for (let a = 0, row = 0; a < x.length; a += 4 * width, row += 4) {
    const [b, c, d] = [a + width, a + 2 * width, a + 3 * width];
    for (let k = 0; k < K; k++) {
      let [first, second, third, fourth] = [0, 0, 0, 0];
      for (let j = 0, at = k * width; j < width; j++, at++) {
        const w = weights[at];
        first += w * x[a + j];
        second += w * x[b + j];
        third += w * x[c + j];
        fourth += w * x[d + j];
      }
      into[row * K + k] = first;
      into[(row + 1) * K + k] = second;
      into[(row + 2) * K + k] = third;
      into[(row + 3) * K + k] = fourth;
    }
  }
}

/** into[class * width + column] += sum over rows of residual[row * K + class] · x[row][column]. */
function addTransposed(
  { values: x, width }: Rows,
  residual: Float64Array,
  K: number,
  into: Float64Array,
) {
  for (let a = 0, row = 0; a < x.length; a += 4 * width, row += 4) {
    const [b, c, d] = [a + width, a + 2 * width, a + 3 * width];
    for (let k = 0; k < K; k++) {
      const first = residual[row * K + k];
      const second = residual[(row + 1) * K + k];
      const third = residual[(row + 2) * K + k];
      const fourth = residual[(row + 3) * K + k];
      for (let j = 0, at = k * width; j < width; j++, at++) {
        into[at] += first * x[a + j] + second * x[b + j] + third * x[c + j] + fourth * x[d + j];
      }
    }
  }
}
