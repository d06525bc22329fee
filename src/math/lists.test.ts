import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { append, lengthOf, maxOf, minOf } from "./lists.ts";

describe("lists", () => {
  it("are as long as they like", () => {
    const values = Float64Array.from({ length: 300_000 }, (_, i) => Math.sin(i));
    const list: number[] = [1];
    append(list, values);
    expect(list.length).toBe(300_001);
    expect(maxOf(values)).toBe(values.reduce((a, b) => Math.max(a, b)));
    expect(minOf(values)).toBe(values.reduce((a, b) => Math.min(a, b)));
    expect(lengthOf(values) ** 2).toBeCloseTo(
      values.reduce((sum, x) => sum + x * x, 0),
      6,
    );
  });

  it("give what Math gives with every item as an argument", () => {
    fc.assert(
      fc.property(fc.array(fc.double()), fc.double(), (values, first) => {
        expect(maxOf(values)).toBe(Math.max(...values));
        expect(minOf(values, first)).toBe(Math.min(first, ...values));
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true })), (values) => {
        expect(lengthOf(values)).toBe(Math.hypot(...values));
      }),
    );
  });
});
