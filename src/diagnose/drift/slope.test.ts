import { describe, expect, it } from "vitest";
import { leastSquares } from "../../math/matrix.ts";
import { createRandom } from "../../math/random.ts";
import { judgedAnswers, rightness } from "./judged-answers.ts";
import { type SlopeAnswers, slopeOf } from "./slope.ts";

/** Answers of some workers whose log-odds fall with x. */
function sample(
  seed: number,
  workers: number,
  each: number,
  b: number,
  soft = false,
): SlopeAnswers {
  const random = createRandom(seed).split("slope");
  const n = workers * each;
  const x = Float64Array.from({ length: n }, (_, i) => Math.log1p(i % 40));
  const worker = Int32Array.from({ length: n }, (_, i) => Math.floor(i / each));
  const level = Float64Array.from({ length: workers }, () => 1 + 2 * random.next());
  const hits = x.map((each, i) => {
    const p = 1 / (1 + Math.exp(-(level[worker[i]] + b * each)));
    return random.next() < p ? 1 : 0;
  });
  const answers = judgedAnswers(
    soft ? hits.map((h) => (random.next() < 0.9 ? h : 1 - h) * 0.8 + 0.1) : hits,
  );
  return { ...answers, x, worker, cluster: worker };
}

/** The slope by plain ascent of the penalised log-likelihood, and its sandwich from numbers of all coefficients. */
function byDefinition(answers: SlopeAnswers, W: number) {
  const { x, worker, right, wrong } = answers;
  const sizes = new Float64Array(W);
  const means = new Float64Array(W);
  worker.forEach((u, i) => {
    sizes[u]++;
    means[u] += x[i];
  });
  const row = (i: number) => {
    const own = new Float64Array(W + 1);
    own[worker[i]] = 1;
    own[W] = x[i] - means[worker[i]] / sizes[worker[i]];
    return own;
  };
  const rows = Array.from(x, (_, i) => row(i));
  const theta = new Float64Array(W + 1).fill(1);
  theta[W] = 0;
  const dot = (own: Float64Array) => own.reduce((sum, each, k) => sum + each * theta[k], 0);
  const size = W + 1;
  let A = new Float64Array(size * size);
  for (let step = 0; step < 60; step++) {
    A = new Float64Array(size * size);
    const g = theta.map((each, k) => ((k < W ? 1 : 0) - each) / 4);
    for (let k = 0; k < size; k++) A[k * size + k] = 1 / 4;
    rows.forEach((own, i) => {
      const p = 1 / (1 + Math.exp(-dot(own)));
      const h = (p * right[i]) / (p * right[i] + (1 - p) * wrong[i]);
      const information = Math.max(0.05 * p * (1 - p), p * (1 - p) - h * (1 - h));
      for (let k = 0; k < size; k++) {
        g[k] += (h - p) * own[k];
        for (let l = 0; l < size; l++) A[k * size + l] += information * own[k] * own[l];
      }
    });
    const move = leastSquares(A, g, size, size);
    for (let k = 0; k < size; k++) theta[k] += move[k];
  }
  // Column of the inverse that belongs to the slope, then Σ over clusters of (column · score)².
  const unit = new Float64Array(size);
  unit[W] = 1;
  const column = leastSquares(A, unit, size, size);
  const scores = new Float64Array(W);
  rows.forEach((own, i) => {
    const p = 1 / (1 + Math.exp(-dot(own)));
    const residual = rightness(answers, i, p) - p;
    scores[worker[i]] += residual * own.reduce((sum, each, k) => sum + each * column[k], 0);
  });
  const variance = (W / (W - 1)) * scores.reduce((sum, each) => sum + each ** 2, 0);
  return { slope: theta[W], deviation: Math.sqrt(variance) };
}

describe("brute force", () => {
  it.each([false, true])("slope and standard error by full matrices (uncertain: %s)", (soft) => {
    const answers = sample(3, 6, 80, -0.4, soft);
    const exact = byDefinition(answers, 6);
    const found = slopeOf(answers);
    expect(found?.slope).toBeCloseTo(exact.slope, 7);
    expect(found?.deviation).toBeCloseTo(exact.deviation, 7);
  });
});

describe("coverage", () => {
  it.each([0, -0.5])("of intervals of a slope of %f, 150 runs", (b) => {
    let [covered, mean] = [0, 0];
    for (let run = 0; run < 150; run++) {
      const { slope = 0, low = 1, high = 0 } = slopeOf(sample(run, 25, 60, b)) ?? {};
      if (low <= b && b <= high) covered++;
      mean += slope / 150;
    }
    expect(mean).toBeCloseTo(b, 1);
    expect(covered / 150).toBeGreaterThan(0.9);
  });
});

describe("limits", () => {
  it("nothing to fit gives nothing", () => {
    const one = sample(1, 1, 50, 0);
    expect(slopeOf(one)).toBeUndefined();
    expect(slopeOf(sample(1, 3, 1, 0))).toBeUndefined();
    expect(slopeOf(sample(1, 0, 0, 0))).toBeUndefined();
  });

  it.each([0, 1])("answers that are all %i have a slope of about 0", (each) => {
    const { x, worker, cluster } = sample(1, 4, 100, 0);
    const answers = judgedAnswers(new Float64Array(x.length).fill(each));
    const found = slopeOf({ ...answers, x, worker, cluster });
    expect(found?.slope).toBeCloseTo(0, 0);
    expect(Number.isFinite(found?.low)).toBe(true);
  });
});
