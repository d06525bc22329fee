import { describe, expect, it } from "vitest";
import { chebyshev } from "./chebyshev.ts";
import { studentQuantile } from "./incomplete.ts";

const points = (low: number, high: number) =>
  Array.from({ length: 1001 }, (_, i) => low + ((high - low) * i) / 1000);

describe("chebyshev", () => {
  it.each([
    ["exp", Math.exp, -2, 3],
    ["a quantile by 1 / df", (x: number) => studentQuantile(0.975, 1 / x), 1e-4, 0.5],
    ["a peak that needs many terms", (x: number) => 1 / (1 + 25 * x * x), -1, 1],
  ] as const)("meets %s to thirteen digits", (_, f, low, high) => {
    const near = chebyshev(f, low, high);
    for (const x of points(low, high)) expect(Math.abs(near(x) / f(x) - 1)).toBeLessThan(1e-12);
  });

  it("asks a smooth function few times, and gives one that is not smooth back", () => {
    let calls = 0;
    const near = chebyshev((x) => Math.sin(x) + 0 * calls++, 0, 1);
    for (const x of points(0, 1)) near(x);
    expect(calls).toBeLessThanOrEqual(32);
    expect(chebyshev(Math.abs, -1, 1)).toBe(Math.abs);
    expect(chebyshev(Math.exp, 1, 1)).toBe(Math.exp);
  });
});
