import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "./random.ts";
import { pearson } from "./statistics.ts";

const draws = 50_000;

describe("published numbers", () => {
  // The same numbers as from sfc32 and the hash written anew in Python. A change here changes every
  // seeded result, and belongs in the release notes.
  it("still gives the numbers it gave before", () => {
    expect(take(createRandom(0), 3)).toEqual([
      0.013724676560353588, 0.4503771406343796, 0.4644776909926618,
    ]);
    expect(take(createRandom(1), 3)).toEqual([
      0.1451118948138499, 0.5821673047763616, 0.44374186565636786,
    ]);
    expect(take(createRandom(-12.5), 3)).toEqual([
      0.4018446918770011, 0.4089307884364539, 0.03135441955901386,
    ]);
    expect(take(createRandom(2 ** 53), 3)).toEqual([
      0.7209563590212101, 0.5246834064025987, 0.7148442298457405,
    ]);
    expect(take(createRandom(0).split("restart").split(7), 3)).toEqual([
      0.6441683260161777, 0.15904933142726496, 0.9501649704268412,
    ]);
    expect(take(createRandom(0).split("søster 🙂"), 3)).toEqual([
      0.9045635133134502, 0.06845321973766594, 0.058469936842704406,
    ]);
  });
});

describe("one stream", () => {
  // Bounds are five standard errors, from the moments of the uniform distribution.
  it.each([0, 1, 2, -1, 0.1, 1e300])("has the mean and variance of a uniform (seed %s)", (seed) => {
    const values = take(createRandom(seed), draws);
    const mean = sum(values) / draws;
    expect(Math.abs(mean - 1 / 2)).toBeLessThan(5 * Math.sqrt(1 / 12 / draws));
    const variance = sum(values.map((x) => (x - 0.5) ** 2)) / draws;
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(5 * Math.sqrt(1 / 180 / draws));
    expect(values.every((x) => x >= 0 && x < 1)).toBe(true);
  });

  it("is not correlated with itself a few draws later", () => {
    const values = take(createRandom(5), draws);
    for (const lag of [1, 2, 3, 7, 64]) {
      expectUncorrelated(values.slice(lag), values.slice(0, -lag));
    }
  });

  it("fills the squares of successive pairs evenly", () => {
    const side = 32;
    const counts = new Array<number>(side * side).fill(0);
    const random = createRandom(3);
    for (let i = 0; i < draws; i++) {
      counts[Math.floor(random.next() * side) * side + Math.floor(random.next() * side)]++;
    }
    const expected = draws / counts.length;
    const chi = sum(counts.map((n) => (n - expected) ** 2 / expected));
    const df = counts.length - 1;
    expect(Math.abs(chi - df)).toBeLessThan(5 * Math.sqrt(2 * df));
  });

  it("has 53 bits that are each as often 0 as 1 and do not follow each other", () => {
    const ones = new Float64Array(53);
    const same = new Float64Array(53);
    const random = createRandom(9);
    for (let i = 0; i < draws; i++) {
      const bits = BigInt(random.next() * 2 ** 53);
      for (let b = 0; b < 53; b++) {
        const bit = Number((bits >> BigInt(b)) & 1n);
        ones[b] += bit;
        // Against the bit 26 places away, which comes from the other of the two words drawn.
        if (bit === Number((bits >> BigInt((b + 26) % 53)) & 1n)) same[b]++;
      }
    }
    const bound = 5 * Math.sqrt(draws / 4);
    for (let b = 0; b < 53; b++) {
      expect(Math.abs(ones[b] - draws / 2)).toBeLessThan(bound);
      expect(Math.abs(same[b] - draws / 2)).toBeLessThan(bound);
    }
  });
});

describe("many streams", () => {
  it("gives the same numbers for the same seed and keys", () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.integer(), (seed, text, number) => {
        const make = () => take(createRandom(seed).split(text).split(number), 5);
        expect(make()).toEqual(make());
      }),
    );
  });

  it("splits alike however much was drawn and split before", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(50), (key, drawn) => {
        const used = createRandom(4);
        take(used, drawn);
        used.split("another").next();
        expect(take(used.split(key), 3)).toEqual(take(createRandom(4).split(key), 3));
      }),
    );
  });

  it("does not disturb a stream by splitting it", () => {
    const random = createRandom(8);
    const before = random.next();
    random.split("x").next();
    expect([before, random.next()]).toEqual(take(createRandom(8), 2));
  });

  it("never starts two streams alike", () => {
    const starts = new Set<number>();
    let streams = 0;
    const add = (random: Random) => {
      starts.add(random.next());
      streams++;
    };
    const root = createRandom(0);
    for (let i = 0; i < 20_000; i++) {
      add(createRandom(i));
      add(createRandom(-i - 1));
      add(createRandom(i + 0.5));
      add(createRandom(2 ** 32 + i * 2 ** 32 + 7));
      add(root.split(i));
      add(root.split(`${i}`));
      add(root.split("a").split(i));
      add(root.split(i).split("a"));
    }
    for (const key of ["", "\0", "\0\0", "ab", "ba", "a\0b", "12345678", "12345678\0", "ÿ", "é"]) {
      add(root.split(key));
    }
    // Among 160 000 draws of 53 bits an accidental tie has probability 1.4e-6.
    expect(starts.size).toBe(streams);
  });

  it("is not correlated between seeds, siblings, parents and children", () => {
    const root = createRandom(11);
    const values = [
      root,
      createRandom(12),
      createRandom(-11),
      root.split(0),
      root.split(1),
      root.split(2),
      root.split("0"),
      root.split("a"),
      root.split("b"),
      root.split("a").split("a"),
      root.split("a").split("b"),
      root.split(0).split(0),
    ].map((random) => take(random, 10_000));
    for (let i = 0; i < values.length; i++) {
      for (let j = 0; j < i; j++) {
        expectUncorrelated(values[i], values[j]);
        expectUncorrelated(values[i].slice(1), values[j].slice(0, -1));
      }
    }
  });

  it("is uniform across streams as well as along one", () => {
    const root = createRandom(2);
    const across = [
      Array.from({ length: draws }, (_, i) => createRandom(i).next()),
      Array.from({ length: draws }, (_, i) => root.split(i).next()),
      Array.from({ length: draws }, (_, i) => root.split(`task ${i}`).next()),
    ];
    for (const values of across) {
      expect(Math.abs(sum(values) / draws - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / draws));
      expectUncorrelated(values.slice(1), values.slice(0, -1));
    }
  });

  it("changes half the bits when one bit of the seed changes", () => {
    let flipped = 0;
    const trials = 52 * 40;
    for (let s = 1; s <= 40; s++) {
      const seed = s * 12345.678;
      for (let b = 0; b < 52; b++) {
        const bits = new BigUint64Array(Float64Array.of(seed).buffer);
        bits[0] ^= 1n << BigInt(b);
        const [other] = new Float64Array(bits.buffer);
        let change =
          BigInt(createRandom(seed).next() * 2 ** 53) ^
          BigInt(createRandom(other).next() * 2 ** 53);
        for (; change > 0n; change >>= 1n) flipped += Number(change & 1n);
      }
    }
    const bits = trials * 53;
    expect(Math.abs(flipped - bits / 2)).toBeLessThan(5 * Math.sqrt(bits / 4));
  });
});

describe("limits", () => {
  it("tells the number 1 from the text 1, but not 0 from -0", () => {
    const random = createRandom(0);
    expect(random.split(1).next()).not.toBe(random.split("1").next());
    expect(random.split(0).next()).toBe(random.split(-0).next());
    expect(createRandom(0).next()).toBe(createRandom(-0).next());
  });

  it("refuses seeds and keys that are not finite", () => {
    expect(() => createRandom(Number.NaN)).toThrow(
      "createRandom: seed must be a finite number, not NaN.",
    );
    expect(() => createRandom(Infinity)).toThrow("must be a finite number, not Infinity.");
    expect(() => createRandom(0).split(Number.NaN)).toThrow("split: key must be a finite number");
  });
});

function take(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.next());
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The correlation of n independent pairs has standard error 1 / √n. */
function expectUncorrelated(x: number[], y: number[]): void {
  expect(Math.abs(pearson(x, y))).toBeLessThan(5 / Math.sqrt(x.length));
}
