import { describe, expect, it } from "vitest";
import { normal } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { bayesAccuracy } from "./features.ts";
import { networkLoss, weakClassifiers } from "./weak-classifiers.ts";

describe.each(weakClassifiers)("%s", (_, learn) => {
  it("learns from plain examples, and better from more", () => {
    const share = (n: number) => {
      const random = createRandom(n);
      const classify = learn(examples(n, 1.5, 1), random);
      const fresh = examples(2000, 1.5, 2);
      return fresh.rows.filter((row, i) => classify(row) === fresh.label[i]).length / 2000;
    };
    const [few, many] = [share(12), share(600)];
    expect(few).toBeGreaterThan(1 / 3 + 0.1);
    expect(many).toBeGreaterThan(few);
    expect(many).toBeGreaterThan(bayesAccuracy(1.5 * Math.SQRT2, 3) - 0.07);
  });

  it("copes with one example, and with classes that it never saw", () => {
    const { rows } = examples(1, 1, 3);
    const classify = learn({ rows, label: Int32Array.of(2), K: 5 }, createRandom(1));
    expect(classify(rows[0])).toBe(2);
  });
});

it.each([0, 4])("the loss of a network of %i units has its gradient", (hidden) => {
  const loss = networkLoss(examples(9, 1, 4), hidden);
  const random = createRandom(7);
  const size = hidden ? hidden * 4 + 3 * (hidden + 1) : 3 * 4;
  const weights = Float64Array.from({ length: size }, () => normal(random));
  const gradient = new Float64Array(size);
  loss(weights, gradient);
  for (let at = 0; at < size; at++) {
    const near = (step: number) =>
      loss(
        weights.map((w, j) => w + (j === at ? step : 0)),
        new Float64Array(size),
      );
    expect((near(1e-5) - near(-1e-5)) / 2e-5).toBeCloseTo(gradient[at], 6);
  }
});

/** Three classes, one on each of three axes. */
function examples(n: number, radius: number, seed: number) {
  const random = createRandom(seed);
  const label = Int32Array.from({ length: n }, (_, i) => i % 3);
  const rows = Array.from(label, (k) =>
    Float64Array.from({ length: 3 }, (_, j) => normal(random) + (j === k ? radius : 0)),
  );
  return { rows, label, K: 3 };
}
