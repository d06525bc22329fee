import { describe, expect, it } from "vitest";
import { normal } from "../math/distributions.ts";
import { normalCdf } from "../math/incomplete.ts";
import { createRandom } from "../math/random.ts";
import {
  bayesAccuracy,
  type GaussOptions,
  gaussFeatures,
  separationFor,
  withFeatures,
} from "./features.ts";
import { oneCoinCrowd } from "./one-coin.ts";
import { readAll } from "./rows.ts";
import { scatteredCrowd } from "./scattered.ts";

describe("gaussFeatures", () => {
  const T = 30_000;

  it.each<[string, GaussOptions, number]>([
    ["a separation", { separation: 3 }, 3],
    ["a radius", { radius: 1.6 }, 1.6 * Math.SQRT2],
    ["nothing said", {}, 2],
    ["a Bayes accuracy", { bayesAccuracy: 0.8 }, separationFor(0.8, 4)],
  ])("puts means as far apart as %s says, with noise of variance 1", (_, options, distance) => {
    const { means, variance } = measure(4, { ...options, dimensions: 6 });
    for (const [k, mean] of means.entries()) {
      for (const other of means.slice(0, k)) {
        // Ten standard errors of a mean of T / 4 rows.
        expect(Math.abs(gap(mean, other) - distance)).toBeLessThan(0.12);
      }
    }
    for (const v of variance) expect(Math.abs(v - 1)).toBeLessThan(0.05);
  });

  it("puts means at right angles for a radius, and around the origin for a separation", () => {
    const radial = measure(4, { radius: 2, dimensions: 4 }).means;
    for (const mean of radial) expect(Math.abs(Math.hypot(...mean) - 2)).toBeLessThan(0.08);
    const angle = radial[0].reduce((sum, x, j) => sum + x * radial[3][j], 0);
    expect(Math.abs(angle)).toBeLessThan(0.1);
    const around = measure(4, { separation: 2, dimensions: 3 }).means;
    for (let j = 0; j < 3; j++) {
      const sum = around.reduce((total, mean) => total + mean[j], 0);
      expect(Math.abs(sum)).toBeLessThan(0.12);
    }
  });

  it("puts two classes on both sides of the origin, in one dimension if need be", () => {
    const [[a], [b]] = measure(2, { separation: 2, dimensions: 1 }).means;
    expect(Math.abs(a - b)).toBeCloseTo(2, 1);
    expect(Math.abs(a + b)).toBeLessThan(0.1);
  });

  it("gives the rows that there were when more follow", () => {
    const truth = Int32Array.from({ length: 50 }, (_, t) => t % 3);
    const rows = (n: number) =>
      readAll(gaussFeatures(truth.slice(0, n), 3, { separation: 1 }, createRandom(2)));
    expect(rows(50).slice(0, 200)).toEqual(rows(20));
  });

  it("says what is wrong", () => {
    const make = (options: GaussOptions, K = 3) =>
      gaussFeatures(new Int32Array(2), K, options, createRandom(0));
    expect(() => make({ separation: 1, radius: 1 })).toThrow(/give one of separation, radius and/);
    expect(() => make({ separation: -1 })).toThrow("at least 0 apart, not -1");
    expect(() => make({ radius: 1, dimensions: 2 })).toThrow("need at least 3 dimensions, not 2");
    expect(() => make({ dimensions: 1 })).toThrow("need at least 2 dimensions, not 1");
    expect(() => make({ bayesAccuracy: 0.2 })).toThrow("from 0.333 to below 1, not 0.2");
  });

  /** The mean of the rows of each class, and the variance of each dimension within classes. */
  function measure(K: number, options: GaussOptions) {
    const truth = Int32Array.from({ length: T }, (_, t) => t % K);
    const features = gaussFeatures(truth, K, options, createRandom(1));
    const [d] = features.shape;
    const rows = readAll(features);
    const means = Array.from({ length: K }, () => new Array<number>(d).fill(0));
    rows.forEach((x, at) => {
      means[truth[Math.floor(at / d)]][at % d] += (x * K) / T;
    });
    const variance = new Array<number>(d).fill(0);
    rows.forEach((x, at) => {
      variance[at % d] += (x - means[truth[Math.floor(at / d)]][at % d]) ** 2 / T;
    });
    return { means, variance };
  }
});

describe("bayesAccuracy", () => {
  it("is the normal distribution's for two classes", () => {
    for (const separation of [0, 0.5, 1, 2, 4]) {
      expect(bayesAccuracy(separation)).toBeCloseTo(normalCdf(separation / 2), 10);
    }
  });

  it("is what the nearest mean gets right", () => {
    const random = createRandom(5);
    const [K, radius, T] = [10, 2.2, 100_000];
    let right = 0;
    for (let t = 0; t < T; t++) {
      const own = radius + normal(random);
      let wins = true;
      for (let k = 1; k < K; k++) if (normal(random) > own) wins = false;
      if (wins) right++;
    }
    const expected = bayesAccuracy(radius * Math.SQRT2, K);
    const error = Math.sqrt((expected * (1 - expected)) / T);
    expect(Math.abs(right / T - expected)).toBeLessThan(3 * error);
  });

  it("has its separation", () => {
    for (const K of [2, 5, 10]) {
      expect(bayesAccuracy(separationFor(0.85, K), K)).toBeCloseTo(0.85, 10);
      expect(separationFor(1 / K, K)).toBeCloseTo(0, 10);
    }
    expect(separationFor(normalCdf(1))).toBeCloseTo(2, 10);
  });
});

describe("withFeatures", () => {
  it("gives features to all tasks, with the same classes in the same places", () => {
    const crowd = oneCoinCrowd({ tasks: 4000, testTasks: 4000, classes: 3 });
    const { features, test, data } = withFeatures(crowd, { separation: 3, dimensions: 2 });
    expect(features.tasks).toBe(data.tasks);
    expect(test?.features?.tasks).toBe(test?.data.tasks);
    if (!test?.features) throw new Error("no features to test on");
    // The means of the one tell the classes of the other apart as well as anything can.
    const means = classMeans(readAll(features), data.gold);
    const rows = readAll(test.features);
    let right = 0;
    test.data.gold.forEach((k, t) => {
      const distances = means.map((m) => gap(m, [...rows.subarray(2 * t, 2 * t + 2)]));
      if (distances.indexOf(Math.min(...distances)) === k) right++;
    });
    const expected = bayesAccuracy(3, 3);
    expect(Math.abs(right / 4000 - expected)).toBeLessThan(3 * Math.sqrt(expected / 16_000));
  });

  it("takes its seed from the crowd, or is given one", () => {
    const truth = Int32Array.of(0, 1, 0, 1);
    const rows = (seed: number, own?: number) =>
      readAll(withFeatures(oneCoinCrowd({ seed }, { truth }), { seed: own }).features);
    expect(rows(1)).toEqual(rows(1));
    expect(rows(1)).not.toEqual(rows(2));
    expect(rows(1, 5)).not.toEqual(rows(1));
  });

  it("leaves labels as they are, and refuses tasks that have features", () => {
    const crowd = oneCoinCrowd({ tasks: 9 });
    expect(withFeatures(crowd).data).toBe(crowd.data);
    expect(() => withFeatures(scatteredCrowd({ tasks: 9 }))).toThrow(/have features already/);
  });
});

function classMeans(rows: Float32Array, truth: Int32Array): number[][] {
  const d = rows.length / truth.length;
  const means = [0, 1, 2].map(() => new Array<number>(d).fill(0));
  const counts = [0, 0, 0];
  truth.forEach((k, t) => {
    counts[k]++;
    for (let j = 0; j < d; j++) means[k][j] += rows[t * d + j];
  });
  return means.map((mean, k) => mean.map((sum) => sum / counts[k]));
}

function gap(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((x, j) => x - b[j]));
}
