import { expect, it } from "vitest";
import { minimise } from "../math/lbfgs.ts";
import { createRandom } from "../math/random.ts";
import { createRegression, type Rows } from "./softmax-regression.ts";

const lambda = 0.3;

/** Rows, a number of them that four does not divide, and targets. */
function draw(seed: number, { count = 21, size = 4, K = 3 } = {}) {
  const random = createRandom(seed).split("rows");
  const width = size + 1;
  const values = new Float64Array(Math.ceil(count / 4) * 4 * width);
  const q = new Float64Array(count * K);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < size; j++) values[i * width + j] = 4 * random.next() - 2;
    values[i * width + size] = 1;
    const shares = Array.from({ length: K }, () => random.next() ** 3);
    const total = shares.reduce((a, b) => a + b);
    for (let k = 0; k < K; k++) q[i * K + k] = shares[k] / total;
  }
  return { rows: { count, width, values }, q, K };
}

/** The loss and its gradient, written as they are defined. */
function lossOf({ count, width, values }: Rows, K: number, q: Float64Array, price = lambda) {
  return (weights: Float64Array, gradient: Float64Array = weights.slice()) => {
    let total = 0;
    gradient.fill(0);
    for (let i = 0; i < count; i++) {
      const x = values.subarray(i * width, (i + 1) * width);
      const scores = Array.from({ length: K }, (_, k) =>
        x.reduce((sum, value, j) => sum + value * weights[k * width + j], 0),
      );
      const top = Math.max(...scores);
      const all = top + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - top), 0));
      scores.forEach((score, k) => {
        total -= q[i * K + k] * (score - all);
        x.forEach((value, j) => {
          gradient[k * width + j] += (Math.exp(score - all) - q[i * K + k]) * value;
        });
      });
    }
    weights.forEach((w, at) => {
      if (at % width === width - 1) return;
      total += (price / 2) * w * w;
      gradient[at] += price * w;
    });
    return total;
  };
}

it("finds the minimum that a general method finds", () => {
  for (const shape of [{}, { K: 2, size: 1 }, { count: 6, size: 30, K: 5 }]) {
    const { rows, q, K } = draw(1, shape);
    const regression = createRegression(rows, K, lambda);
    regression.improve(q, 300);
    const loss = lossOf(rows, K, q);
    const reference = minimise(loss, new Float64Array(K * rows.width), { tolerance: 1e-10 });
    expect(loss(regression.weights)).toBeCloseTo(reference.value, 9);
  }
});

it("remembers curvature: on badly scaled columns it is there in fewer steps than a gradient needs", () => {
  const { rows, q, K } = draw(8, { count: 40 });
  for (let at = 0; at < rows.values.length; at++) rows.values[at] *= [0.1, 1, 10, 3, 1][at % 5];
  const loss = lossOf(rows, K, q);
  const reference = minimise(loss, new Float64Array(K * rows.width), { tolerance: 1e-10 });
  const regression = createRegression(rows, K, lambda);
  regression.improve(q, 25);
  expect(loss(regression.weights) - reference.value).toBeLessThan(1e-9);
});

it("never makes the loss larger, whatever the targets were before", () => {
  const { rows, K } = draw(2);
  const regression = createRegression(rows, K, lambda);
  for (let n = 0; n < 200; n++) {
    const { q } = draw(n % 17);
    const loss = lossOf(rows, K, q);
    const before = loss(regression.weights);
    regression.improve(q, 1 + (n % 3));
    expect(loss(regression.weights)).toBeLessThanOrEqual(before + 1e-10);
  }
});

it("finds its way back from certainty of the opposite", () => {
  const { rows, q, K } = draw(6, { count: 12, size: 3, K: 2 });
  const weak = 1e-6;
  const regression = createRegression(rows, K, weak);
  const one = Float64Array.from(q, (_, at) =>
    Number(rows.values[(at >> 1) * 4] > 0 === (at % 2 === 0)),
  );
  for (let n = 0; n < 20; n++) {
    const target = n % 2 ? one.map((p) => 1 - p) : one;
    const loss = lossOf(rows, K, target, weak);
    for (let step = 0; step < 5; step++) {
      const before = loss(regression.weights);
      regression.improve(target, 1);
      expect(loss(regression.weights)).toBeLessThanOrEqual(before + 1e-9);
    }
    expect(loss(regression.weights)).toBeLessThan(1);
  }
});

it("gives the logarithms of its probabilities, and its penalty without the bias", () => {
  const { rows, q, K } = draw(3);
  const regression = createRegression(rows, K, lambda);
  regression.improve(q, 20);
  const logs = new Float64Array(q.length);
  regression.logProbabilities(logs);
  const cross = q.reduce((sum, p, at) => sum - p * logs[at], 0);
  for (let from = 0; from < logs.length; from += K) {
    const total = logs.subarray(from, from + K).reduce((sum, log) => sum + Math.exp(log), 0);
    expect(total).toBeCloseTo(1, 12);
  }
  expect(cross + regression.penalty()).toBeCloseTo(lossOf(rows, K, q)(regression.weights), 9);
});

it("goes on from its state to the same bits", () => {
  const { rows, q, K } = draw(4);
  const whole = createRegression(rows, K, lambda);
  whole.improve(q, 3);
  const half = createRegression(rows, K, lambda);
  for (const [name, array] of Object.entries(half.state)) array.set(whole.state[name]);
  whole.improve(q, 4);
  half.improve(q, 4);
  expect(half.state).toEqual(whole.state);
});

it("stays where it is at the minimum, and finite where classes can be told apart for sure", () => {
  const { rows, K } = draw(5, { count: 8, size: 20, K: 2 });
  const q = Float64Array.from({ length: 16 }, (_, at) => (at % 4 < 2 ? at % 2 : 1 - (at % 2)));
  const regression = createRegression(rows, K, 1e-3);
  regression.improve(q, 500);
  expect(regression.weights.every((w) => Math.abs(w) < 100)).toBe(true);
  const before = regression.weights.slice();
  regression.improve(q, 5);
  const moved = regression.weights.map((w, j) => Math.abs(w - before[j]));
  expect(Math.max(...moved)).toBeLessThan(1e-4);
});
