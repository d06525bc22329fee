import { describe, expect, it } from "vitest";
import { createRandom } from "../../math/random.ts";
import {
  jackknifeDifference,
  jackknifeRatio,
  newcombeInterval,
  smoothed,
  welch,
} from "./difference-of-shares.ts";

describe("Newcombe's interval", () => {
  it("is the published one for 56/70 - 48/80", () => {
    const { low, high } = newcombeInterval({ sum: 56, weight: 70 }, { sum: 48, weight: 80 });
    expect(low).toBeCloseTo(0.0524, 4);
    expect(high).toBeCloseTo(0.3339, 4);
  });

  it("is mirrored if the shares change places, and stays within -1 and 1", () => {
    const [a, b] = [
      { sum: 9, weight: 10 },
      { sum: 3, weight: 10 },
    ];
    const [there, back] = [newcombeInterval(a, b), newcombeInterval(b, a)];
    expect(there.low).toBeCloseTo(-back.high, 12);
    expect(there.high).toBeCloseTo(-back.low, 12);
    const all = newcombeInterval({ sum: 10, weight: 10 }, { sum: 0, weight: 10 });
    // 10/10 - 0/10, method 10 in Newcombe's table II: 0.6075 to 1.
    expect(all.low).toBeCloseTo(0.6075, 4);
    expect(all.high).toBe(1);
  });
});

describe("the jackknife", () => {
  const members = (parts: readonly number[]) => parts.map((part) => ({ weight: 1, part }));

  it("leaves each member out, by the definition", () => {
    const a = [
      { weight: 1, part: 0.2 },
      { weight: 2, part: 0.9 },
      { weight: 0.5, part: 0.4 },
    ];
    const b = members([0.1, 0.7]);
    const rate = (list: typeof a) =>
      (list.reduce((sum, { weight, part }) => sum + weight * part, 0) + 0.5) /
      (list.reduce((sum, { weight }) => sum + weight, 0) + 1);
    const variance = (list: typeof a) => {
      const left = list.map((_, i) => rate(list.filter((__, j) => j !== i)));
      const mean = left.reduce((x, y) => x + y, 0) / left.length;
      return ((left.length - 1) / left.length) * left.reduce((sum, x) => sum + (x - mean) ** 2, 0);
    };
    const { value, low, high } = jackknifeDifference(a, b);
    expect(value).toBeCloseTo(rate(a) - rate(b), 12);
    const { error } = welch([
      { variance: variance(a), size: 3 },
      { variance: variance(b), size: 2 },
    ]);
    // Welch's degrees of freedom lie between 1 and 3 here, t between 12.71 and 3.18.
    expect((high - low) / 2 / error).toBeGreaterThan(3.18);
    expect((high - low) / 2 / error).toBeLessThan(12.71);
    expect((high + low) / 2).toBeCloseTo(value, 12);
  });

  it("covers differences and ratios of mean probabilities", () => {
    const random = createRandom(2);
    let [difference, ratio] = [0, 0];
    const runs = 2000;
    for (let run = 0; run < runs; run++) {
      const a = members(Array.from({ length: 40 }, () => random.next() ** 0.5));
      const b = members(Array.from({ length: 30 }, () => random.next() ** 1.5));
      const [d, r] = [jackknifeDifference(a, b), jackknifeRatio(b, a)];
      if (d.low <= 2 / 3 - 0.4 && 2 / 3 - 0.4 <= d.high) difference++;
      if (r.low <= 0.6 && 0.6 <= r.high) ratio++;
    }
    for (const share of [difference / runs, ratio / runs]) {
      expect(share).toBeGreaterThan(0.93);
      expect(share).toBeLessThan(0.97);
    }
  });

  it("is smooth at the ends", () => {
    expect(smoothed({ sum: 0, weight: 0 })).toBe(0.5);
    expect(smoothed({ sum: 20, weight: 20 })).toBeCloseTo(20.5 / 21, 12);
    const { low, high } = jackknifeRatio(members([0, 0, 0]), members([1, 1, 1]));
    expect(low > 0 && Number.isFinite(high)).toBe(true);
  });
});
