import { expect, it } from "vitest";
import { createRandom } from "../math/random.ts";
import { addExactly, onGrid } from "./exact-sum.ts";

it("returns to the same bits whatever comes and goes in between", () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = createRandom(seed).split("sum");
    const part = () => onGrid(1e3 * random.next() ** (1 + 20 * random.next()));
    const [high, low] = [new Float64Array(1), new Float64Array(1)];
    for (let i = 0; i < 50; i++) addExactly(high, low, 0, part());
    const before = high[0];
    const parts = Array.from({ length: 200 }, part);
    for (const x of parts) addExactly(high, low, 0, x);
    parts.sort((a, b) => b - a);
    for (const x of parts) addExactly(high, low, 0, -x);
    expect(high[0]).toBe(before);
  }
});

it("is the exact sum, rounded once", () => {
  const random = createRandom(7);
  const scale = 2n ** 60n;
  for (let attempt = 0; attempt < 100; attempt++) {
    const [high, low] = [new Float64Array(1), new Float64Array(1)];
    let exact = 0n;
    for (let i = 0; i < 300; i++) {
      const x = onGrid(random.next() ** 8);
      addExactly(high, low, 0, x);
      // A multiple of 2^-60 as a whole number: its parts above and below 2^-30.
      const upper = Math.floor(x * 2 ** 30);
      exact += BigInt(upper) * 2n ** 30n + BigInt((x - upper * 2 ** -30) * 2 ** 60);
    }
    expect(high[0]).toBe(Number(exact) / Number(scale));
    expect(Math.abs(low[0])).toBeLessThanOrEqual(high[0] * 2 ** -53);
  }
});

it("rounds to multiples of 2^-60, and leaves large numbers alone", () => {
  expect(onGrid(0)).toBe(0);
  expect(onGrid(1)).toBe(1);
  expect(onGrid(2 ** -60)).toBe(2 ** -60);
  expect(onGrid(1.2 * 2 ** -60)).toBe(2 ** -60);
  expect(onGrid(2 ** -70)).toBe(0);
  expect(onGrid(0.1)).toBe(0.1);
});
