import { expect, it } from "vitest";
import { createRandom } from "../math/random.ts";
import { oneCoinCrowd } from "./one-coin.ts";
import { thin } from "./thin.ts";

const { data } = oneCoinCrowd({ tasks: 4000 });

it("keeps about the share, and all tasks and workers", () => {
  for (const share of [0.1, 0.5, 0.9]) {
    const kept = thin(data, share, createRandom(1));
    const error = Math.sqrt((share * (1 - share)) / data.label.length);
    expect(Math.abs(kept.label.length / data.label.length - share)).toBeLessThan(3 * error);
    expect(kept.tasks).toBe(data.tasks);
    expect(kept.workers).toBe(data.workers);
  }
  expect(thin(data, 1, createRandom(1)).label).toEqual(data.label);
  expect(thin(data, 0, createRandom(1)).label.length).toBe(0);
});

it("keeps with a larger share what it keeps with a smaller one, by the same numbers", () => {
  const pairs = (share: number) => {
    const { task, worker } = thin(data, share, createRandom(3));
    return new Set(Array.from(task, (t, i) => t * 1000 + worker[i]));
  };
  const large = pairs(0.6);
  for (const pair of pairs(0.2)) expect(large.has(pair)).toBe(true);
});

it("refuses what is no share", () => {
  expect(() => thin(data, 1.5, createRandom(1))).toThrow("from 0 to 1, not 1.5");
});
