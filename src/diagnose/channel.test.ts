import { describe, expect, it } from "vitest";
import { informativeness } from "../belief/informativeness.ts";
import { dirichlet } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { capacity, information } from "./channel.ts";

const entropy = (p: number) => (p <= 0 ? 0 : -p * Math.log2(p));

function randomRows(seed: number, K: number, L = K): Float64Array {
  const random = createRandom(seed).split("rows");
  const rows = new Float64Array(K * L);
  for (let k = 0; k < K; k++) {
    dirichlet(random, new Float64Array(L).fill(0.7), rows.subarray(k * L, (k + 1) * L));
  }
  return rows;
}

function symmetric(K: number, right: number): Float64Array {
  return new Float64Array(K * K).map((_, at) =>
    at % (K + 1) === 0 ? right : (1 - right) / (K - 1),
  );
}

describe("invariants", () => {
  it("is between 0 and the log of the classes, and at least the information at any shares", () => {
    for (let seed = 0; seed < 30; seed++) {
      const rows = randomRows(seed, 4);
      const { nats, shares } = capacity(rows, 4, 4);
      expect(nats).toBeLessThanOrEqual(Math.log(4) + 1e-9);
      expect(shares.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
      expect(information(rows, shares, 4, 4)).toBeCloseTo(nats, 8);
      const any = dirichlet(createRandom(seed), new Float64Array(4).fill(1));
      expect(information(rows, any, 4, 4)).toBeLessThanOrEqual(nats + 1e-9);
      expect(informativeness(rows, 4, 4)).toBeGreaterThanOrEqual(0);
      expect(informativeness(rows, 4, 4)).toBeLessThanOrEqual(1);
    }
  });

  it("does not change when classes or labels are renamed", () => {
    const rows = randomRows(1, 3);
    const turned = rows.map((_, at) => rows[(2 - Math.floor(at / 3)) * 3 + ((at + 1) % 3)]);
    expect(capacity(turned, 3, 3).nats).toBeCloseTo(capacity(rows, 3, 3).nats, 8);
    expect(informativeness(turned, 3, 3)).toBeCloseTo(informativeness(rows, 3, 3), 12);
  });
});

describe("brute force", () => {
  it("the score is the mean squared distance of all pairs of rows", () => {
    for (let seed = 0; seed < 10; seed++) {
      const rows = randomRows(seed, 4, 5);
      let sum = 0;
      for (let k = 0; k < 4; k++) {
        for (let j = 0; j < k; j++) {
          for (let l = 0; l < 5; l++) sum += (rows[k * 5 + l] - rows[j * 5 + l]) ** 2;
        }
      }
      expect(informativeness(rows, 4, 5)).toBeCloseTo(sum / 12, 12);
    }
  });

  it("two classes: the best of a thousand shares is no better than the capacity", () => {
    for (let seed = 0; seed < 5; seed++) {
      const rows = randomRows(seed, 2, 3);
      let best = 0;
      for (let i = 0; i <= 1000; i++) {
        best = Math.max(best, information(rows, [i / 1000, 1 - i / 1000], 2, 3));
      }
      const { nats } = capacity(rows, 2, 3);
      // A grid of a thousandth misses the top by less than 1e-5.
      expect(nats).toBeGreaterThanOrEqual(best - 1e-9);
      expect(nats - best).toBeLessThan(1e-5);
    }
  });
});

describe("published numbers", () => {
  it("a binary symmetric channel that errs one time in ten carries .531004 bits", () => {
    expect(capacity(symmetric(2, 0.9), 2, 2).bits).toBeCloseTo(0.531004, 6);
    expect(capacity(symmetric(2, 0.9), 2, 2).bits).toBeCloseTo(1 - entropy(0.1) - entropy(0.9), 9);
  });

  it("a Z-channel of a half carries .321928 bits", () => {
    expect(capacity(Float64Array.of(1, 0, 0.5, 0.5), 2, 2).bits).toBeCloseTo(0.321928, 6);
    expect(capacity(Float64Array.of(1, 0, 0.5, 0.5), 2, 2).bits).toBeCloseTo(Math.log2(1.25), 8);
  });

  it.each([3, 4, 7])("%s symmetric classes carry log K − H(p) − (1 − p) log(K − 1)", (K) => {
    for (const p of [0.2, 0.5, 0.8, 0.99]) {
      const bits = Math.log2(K) - entropy(p) - entropy(1 - p) - (1 - p) * Math.log2(K - 1);
      expect(capacity(symmetric(K, p), K, K).bits).toBeCloseTo(bits, 9);
    }
  });

  it("two classes score (sensitivity + specificity − 1)²", () => {
    expect(informativeness(Float64Array.of(0.9, 0.1, 0.3, 0.7), 2, 2)).toBeCloseTo(0.36, 12);
  });

  it("identical rows are worth 0, a permutation everything", () => {
    const spam = Float64Array.of(0.2, 0.3, 0.5, 0.2, 0.3, 0.5, 0.2, 0.3, 0.5);
    expect(informativeness(spam, 3, 3)).toBeCloseTo(0, 15);
    expect(capacity(spam, 3, 3).nats).toBeCloseTo(0, 9);
    const turned = Float64Array.of(0, 1, 0, 0, 0, 1, 1, 0, 0);
    expect(informativeness(turned, 3, 3)).toBeCloseTo(1, 15);
    expect(capacity(turned, 3, 3).nats).toBeCloseTo(Math.log(3), 9);
  });
});

describe("limits", () => {
  it("is 0 for one class or none, and finite with impossible labels and classes of no share", () => {
    expect(capacity(Float64Array.of(1), 1, 1)).toMatchObject({ nats: 0, bits: 0 });
    expect(capacity(new Float64Array(0), 0, 0).nats).toBe(0);
    expect(informativeness(Float64Array.of(1), 1, 1)).toBe(0);
    expect(information(Float64Array.of(1, 0, 0, 1), [1, 0], 2, 2)).toBe(0);
    expect(capacity(Float64Array.of(1, 0, 0, 0, 1, 0), 2, 3).bits).toBeCloseTo(1, 9);
  });

  it("converges for channels that carry next to nothing", () => {
    const faint = Float64Array.of(0.501, 0.499, 0.499, 0.501);
    expect(capacity(faint, 2, 2).nats).toBeCloseTo(2e-6, 8);
  });
});
