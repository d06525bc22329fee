import { expect, it } from "vitest";
import { fromRows } from "../data/from-rows.ts";
import { createRandom } from "../math/random.ts";
import { createFutureLabels } from "./future-labels.ts";

/** One label of one worker per task, every fifth of them wrong. */
const T = 20_000;
const data = fromRows(
  Array.from({ length: T }, (_, t) => ({
    task: `t${t}`,
    worker: "w",
    label: t % 5 === 1 ? "b" : "a",
  })),
);
const crowd = { truth: new Int32Array(T), rows: Float64Array.of(0.8, 0.2, 0.5, 0.5) };

it.each([0, 0.1, 0.3])("adds labels by the rows, with a correlation of %f", (correlation) => {
  const future = createFutureLabels(data, { ...crowd, correlation }, createRandom(1));
  future.grow(3);
  const grown = future.data();
  expect(grown.label.length).toBe(3 * T);
  expect(grown.label.slice(0, T)).toEqual(data.label);
  const lists = Array.from({ length: T }, () => [] as number[]);
  for (let i = 0; i < 3 * T; i++) lists[grown.task[i]].push(grown.label[i]);
  const rate = (at: number) => lists.reduce((sum, list) => sum + list[at], 0) / T;
  const both = lists.reduce((sum, list) => sum + list[1] * list[2], 0) / T;
  const [second, third] = [rate(1), rate(2)];
  expect(Math.abs(second - 0.2)).toBeLessThan(0.02);
  expect(Math.abs(third - 0.2)).toBeLessThan(0.02);
  const spread = Math.sqrt(second * (1 - second) * third * (1 - third));
  expect(Math.abs((both - second * third) / spread - correlation)).toBeLessThan(0.03);
});

it("adds whole labels, on average as many as asked for", () => {
  const future = createFutureLabels(data, { ...crowd, correlation: 0 }, createRandom(2));
  future.grow(1);
  expect(future.data().label.length).toBe(T);
  future.grow(1.25);
  expect(Math.abs(future.data().label.length / T - 1.25)).toBeLessThan(0.02);
});
