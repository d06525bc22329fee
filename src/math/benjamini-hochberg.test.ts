import { expect, it } from "vitest";
import { benjaminiHochberg } from "./benjamini-hochberg.ts";
import { createRandom } from "./random.ts";

it("repeats the example of the paper: four of fifteen at 5 %", () => {
  const p = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719,
    0.6528, 0.759, 1,
  ];
  expect(benjaminiHochberg(p, 0.05)).toEqual(p.map((_, i) => i < 4));
});

it("does not depend on the order, and believes nothing in an empty list", () => {
  const random = createRandom(1);
  const p = Array.from({ length: 40 }, () => random.next() ** 6);
  const kept = benjaminiHochberg(p, 0.05);
  expect(kept.filter(Boolean).length).toBeGreaterThan(0);
  expect(benjaminiHochberg(p.toReversed(), 0.05)).toEqual(kept.toReversed());
  expect(benjaminiHochberg([], 0.05)).toEqual([]);
  expect(benjaminiHochberg([0.06, 1], 0.05)).toEqual([false, false]);
});
