import { describe, expect, it } from "vitest";
import { integer } from "./distributions.ts";
import { createRandom } from "./random.ts";
import { smallestFirst } from "./select.ts";

describe("smallestFirst", () => {
  it("parts any numbers as sorting does", () => {
    const random = createRandom(1);
    for (let trial = 0; trial < 300; trial++) {
      const size = integer(random, 40);
      const values = Float64Array.from({ length: size + 6 }, () => integer(random, 12));
      const before = values.slice();
      const n = integer(random, size + 2);
      smallestFirst(values, 3, 3 + size, n);
      expect(values.subarray(0, 3)).toEqual(before.subarray(0, 3));
      expect(values.subarray(3 + size)).toEqual(before.subarray(3 + size));
      const sorted = before.subarray(3, 3 + size).sort();
      expect(values.slice(3, 3 + Math.min(n, size)).sort()).toEqual(sorted.subarray(0, n));
      expect(values.slice(3, 3 + size).sort()).toEqual(sorted);
    }
  });

  it("does not take long for numbers that are sorted, reversed or all alike", () => {
    for (const make of [(i: number) => i, (i: number) => -i, () => 1]) {
      const values = Float64Array.from({ length: 200_000 }, (_, i) => make(i));
      smallestFirst(values, 0, values.length, 100_000);
      expect(Math.max(...values.subarray(99_000, 100_000))).toBeLessThanOrEqual(
        Math.min(...values.subarray(100_000, 101_000)),
      );
    }
  });
});
