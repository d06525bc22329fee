import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  beta,
  binomial,
  categorical,
  dirichlet,
  exponential,
  gamma,
  integer,
  inverseGaussian,
  logNormal,
  normal,
  shuffle,
} from "./distributions.ts";
import { digamma, logGamma, trigamma } from "./gamma.ts";
import { incompleteBeta, incompleteGamma, normalCdf } from "./incomplete.ts";
import { createRandom, type Random } from "./random.ts";

const draws = 20_000;

describe("continuous draws follow their distribution function", () => {
  const cases: [string, (random: Random) => number, (x: number) => number][] = [
    ["normal", normal, normalCdf],
    ["exponential", exponential, (x) => -Math.expm1(-x)],
    ["logNormal(1, 2)", (r) => logNormal(r, 1, 2), (x) => normalCdf((Math.log(x) - 1) / 2)],
    ...[
      [1, 1],
      [0.2, 3],
      [50, 0.5],
      [1e6, 1],
    ].map(([mean, shape]): (typeof cases)[number] => [
      `inverseGaussian(${mean}, ${shape})`,
      (random) => inverseGaussian(random, mean, shape),
      (x) => waldCdf(x, mean, shape),
    ]),
    ...[0.01, 0.3, 0.99, 1, 1.5, 20, 1e5].map((a): (typeof cases)[number] => [
      `gamma(${a})`,
      (random) => gamma(random, a),
      (x) => incompleteGamma(a, x),
    ]),
    ...[
      [0.2, 0.2],
      [0.5, 3],
      [1, 1],
      [2, 30],
      [500, 400],
    ].map(([a, b]): (typeof cases)[number] => [
      `beta(${a}, ${b})`,
      (random) => beta(random, a, b),
      (x) => incompleteBeta(x, a, b),
    ]),
  ];

  it.each(cases)("%s", (name, draw, cdf) => {
    const values = Float64Array.from(sample(name, draw)).sort();
    let distance = 0;
    for (const [i, x] of values.entries()) {
      const p = cdf(x);
      distance = Math.max(distance, Math.abs(p - i / draws), Math.abs(p - (i + 1) / draws));
    }
    // Kolmogorov: √n D is above 2.5 with probability 2 exp(-2 · 2.5²) = 7e-6.
    expect(Math.sqrt(draws) * distance).toBeLessThan(2.5);
  });
});

describe("moments", () => {
  it("has the mean, variance, skewness and kurtosis of a normal", () => {
    const random = createRandom(2);
    const x = Array.from({ length: 200_000 }, () => normal(random));
    expectMean(x, 0, 1);
    expectMean(
      x.map((v) => v ** 2),
      1,
      2,
    );
    expectMean(
      x.map((v) => v ** 3),
      0,
      15,
    );
    expectMean(
      x.map((v) => v ** 4),
      3,
      96,
    );
  });

  it.each([0.05, 0.7, 1, 3, 400])("has the mean and the mean log of gamma(%s)", (shape) => {
    const x = sample("gamma", (random) => gamma(random, shape));
    expectMean(x, shape, shape);
    // Below the smallest double the log is cut off; with a shape of 0.05 that is never seen.
    expectMean(x.map(Math.log), digamma(shape), trigamma(shape));
  });

  it.each([
    [1, 1],
    [0.3, 2],
    [2, 5],
  ])("has the mean, variance and mean inverse of inverseGaussian(%s, %s)", (mean, shape) => {
    const x = sample("wald", (random) => inverseGaussian(random, mean, shape));
    const variance = mean ** 3 / shape;
    expectMean(x, mean, variance);
    // Central fourth moment: 3 v² + 15 v³ / mean².
    expectMean(
      x.map((v) => (v - mean) ** 2),
      variance,
      2 * variance ** 2 + (15 * variance ** 3) / mean ** 2,
    );
    expectMean(
      x.map((v) => 1 / v),
      1 / mean + 1 / shape,
      1 / (mean * shape) + 2 / shape ** 2,
    );
  });

  it.each([
    [0.5, 0.5],
    [3, 1],
    [20, 80],
  ])("has the mean and variance of beta(%s, %s)", (a, b) => {
    const x = sample("beta", (random) => beta(random, a, b));
    const mean = a / (a + b);
    const variance = (mean * (1 - mean)) / (a + b + 1);
    expectMean(x, mean, variance);
    const raw = (k: number) =>
      Math.exp(logGamma(a + k) - logGamma(a) + logGamma(a + b) - logGamma(a + b + k));
    expectMean(
      x.map((v) => v * v),
      raw(2),
      raw(4) - raw(2) ** 2,
    );
  });

  it.each([
    [10, 0.3],
    [10, 0.97],
    [1000, 0.001],
    [1000, 0.4],
    [1e6, 0.5],
    [1e9, 1e-8],
    [1e9, 0.9],
  ])("has the mean and variance of binomial(%s, %s)", (n, p) => {
    const x = sample("binomial", (random) => binomial(random, n, p));
    const variance = n * p * (1 - p);
    expectMean(x, n * p, variance);
    const fourth = variance * (1 + 3 * (n - 2) * p * (1 - p));
    expectMean(
      x.map((k) => (k - n * p) ** 2),
      variance,
      fourth - variance ** 2,
    );
  });

  it.each([
    [7, 0.2],
    [30, 0.4],
    [40, 0.7],
  ])("draws each count of binomial(%s, %s) as often as it should", (n, p) => {
    const counts = new Array<number>(n + 1).fill(0);
    for (const k of sample("pmf", (random) => binomial(random, n, p))) counts[k]++;
    expectCounts(
      counts,
      counts.map((_, k) =>
        Math.exp(
          logGamma(n + 1) -
            logGamma(k + 1) -
            logGamma(n - k + 1) +
            k * Math.log(p) +
            (n - k) * Math.log1p(-p),
        ),
      ),
    );
  });

  it.each([[[1, 1, 1]], [[0.3, 2, 5]], [[0.01, 0.02, 0.01]]])(
    "has the moments of dirichlet(%s)",
    (alpha) => {
      const total = alpha.reduce((a, b) => a + b);
      const x = sampleOf("dirichlet", (random) => [...dirichlet(random, alpha)]);
      for (const [k, a] of alpha.entries()) {
        const mean = a / total;
        expectMean(
          x.map((row) => row[k]),
          mean,
          (mean * (1 - mean)) / (total + 1),
        );
      }
      const product = (alpha[0] * alpha[1]) / (total * (total + 1));
      const products = x.map((row) => row[0] * row[1]);
      const squares =
        (alpha[0] * (alpha[0] + 1) * alpha[1] * (alpha[1] + 1)) /
        (total * (total + 1) * (total + 2) * (total + 3));
      expectMean(products, product, squares - product ** 2);
    },
  );
});

describe("discrete draws", () => {
  it("draws each class in proportion to its weight", () => {
    const counts = [0, 0, 0, 0, 0];
    for (const k of sample("categorical", (random) => categorical(random, [3, 0, 1, 6, 0])))
      counts[k]++;
    expectCounts(counts, [0.3, 0, 0.1, 0.6, 0]);
    expect([counts[1], counts[4]]).toEqual([0, 0]);
  });

  it("draws each whole number equally often", () => {
    const counts = new Array<number>(7).fill(0);
    for (const k of sample("integer", (random) => integer(random, 7))) counts[k]++;
    expectCounts(counts, new Array(7).fill(1 / 7));
  });

  it("is unbiased where 2^53 is no multiple", () => {
    // Plain rounding would give the lower third of this range half of all draws.
    const n = 2 ** 52 * 1.5;
    const low = sample("large", (random) => (integer(random, n) < n / 3 ? 1 : 0));
    expectMean(low, 1 / 3, 2 / 9);
  });

  it("shuffles into each order equally often", () => {
    const counts = new Map<string, number>();
    for (const order of sampleOf("shuffle", (random) => {
      const array = ["a", "b", "c", "d"];
      shuffle(random, array);
      return array.join("");
    })) {
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expectCounts([...counts.values()], new Array(24).fill(1 / 24));
  });

  it("keeps what it shuffles", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (values, seed) => {
        const array = Int32Array.from(values);
        shuffle(createRandom(seed), array);
        expect([...array.sort()]).toEqual([...Int32Array.from(values).sort()]);
      }),
    );
  });
});

describe("limits", () => {
  it("never makes 0, NaN or Infinity of a gamma, however small or large its shape", () => {
    for (const shape of [1e-320, 1e-5, 1e-3, 0.01, 1e15]) {
      for (const x of sample("tiny", (random) => gamma(random, shape)).slice(0, 2000)) {
        expect(x > 0 && x < Infinity).toBe(true);
      }
    }
  });

  it("makes probabilities of Dirichlets with tiny alphas", () => {
    for (const alpha of [1e-320, 1e-6, 1e-3, 0.01]) {
      const random = createRandom(1).split(alpha);
      const out = new Float64Array(5);
      for (let i = 0; i < 500; i++) {
        expect(dirichlet(random, new Array(5).fill(alpha), out)).toBe(out);
        expect(Math.min(...out)).toBeGreaterThanOrEqual(0);
        expect(out.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
        const p = beta(random, alpha, alpha);
        expect(p >= 0 && p <= 1).toBe(true);
      }
    }
  });

  it("gives nothing to a class whose alpha is 0", () => {
    expect([...dirichlet(createRandom(0), [0, 3, 0])]).toEqual([0, 1, 0]);
  });

  it("knows the draws that are certain", () => {
    const random = createRandom(0);
    expect([binomial(random, 9, 0), binomial(random, 9, 1), binomial(random, 0, 0.5)]).toEqual([
      0, 9, 0,
    ]);
    expect([integer(random, 1), categorical(random, [0, 5]), categorical(random, [5])]).toEqual([
      0, 1, 0,
    ]);
    expect(logNormal(random, 2, 0)).toBe(Math.exp(2));
    const none: unknown[] = [];
    shuffle(random, none);
    expect(none).toEqual([]);
  });

  it("never picks a weight of 0 when rounding leaves something over", () => {
    const almostOne: Random = { next: () => 1 - 2 ** -53, split: () => almostOne };
    expect(categorical(almostOne, [0.88, 0.38, 0.4, 0.95, 0])).toBe(3);
    const zero: Random = { next: () => 0, split: () => zero };
    expect(categorical(zero, [0, 0.5, 0.5])).toBe(1);
  });

  it("says which argument is wrong", () => {
    const random = createRandom(0);
    expect(() => inverseGaussian(random, Infinity, 1)).toThrow("mean must be above 0 and finite");
    expect(() => inverseGaussian(random, 1, 0)).toThrow("shape must be above 0 and finite, not 0.");
    expect(() => gamma(random, 0)).toThrow("gamma: a shape must be above 0 and finite, not 0.");
    expect(() => beta(random, 1, Number.NaN)).toThrow("not NaN.");
    expect(() => dirichlet(random, [0, 0])).toThrow("dirichlet: no alpha is above 0.");
    expect(() => dirichlet(random, [1, -1])).toThrow("not -1.");
    expect(() => categorical(random, [0, 0])).toThrow("weights must sum to more than 0, not 0.");
    expect(() => categorical(random, [])).toThrow("categorical");
    expect(() => categorical(random, [1, -1])).toThrow("a weight must be at least 0, not -1.");
    expect(() => integer(random, 0)).toThrow("n must be a whole number from 1 to 2^53, not 0.");
    expect(() => integer(random, 2.5)).toThrow("not 2.5.");
    expect(() => binomial(random, 3, 1.1)).toThrow("binomial: p must be between 0 and 1, not 1.1.");
    expect(() => binomial(random, -1, 0.5)).toThrow("not -1.");
    expect(() => logNormal(random, 0, -1)).toThrow("logNormal: sigma must be at least 0, not -1.");
  });
});

function sampleOf<T>(name: string, draw: (random: Random) => T): T[] {
  const random = createRandom(1).split(name);
  return Array.from({ length: draws }, () => draw(random));
}

function sample(name: string, draw: (random: Random) => number): number[] {
  return sampleOf(name, draw);
}

/** Within five standard errors. */
function expectMean(values: number[], mean: number, variance: number): void {
  const found = values.reduce((a, b) => a + b, 0) / values.length;
  expect(Math.abs(found - mean)).toBeLessThan(5 * Math.sqrt(variance / values.length));
}

/** Each count within five standard errors of its binomial, or of one draw where that is less. */
/** P(X ≤ x) for an inverse Gaussian: Shuster (1968), JASA 63(324), 1514–1516. */
function waldCdf(x: number, mean: number, shape: number): number {
  const root = Math.sqrt(shape / x);
  const far = normalCdf(-root * (x / mean + 1));
  return normalCdf(root * (x / mean - 1)) + (far > 0 ? Math.exp((2 * shape) / mean) * far : 0);
}

function expectCounts(counts: number[], probabilities: number[]): void {
  expect(counts.length).toBe(probabilities.length);
  for (const [k, p] of probabilities.entries()) {
    const bound = 5 * Math.max(1, Math.sqrt(draws * p * (1 - p)));
    expect(Math.abs(counts[k] - draws * p)).toBeLessThan(bound);
  }
}
