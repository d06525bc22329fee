import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { bipartiteParts, chanceCorrected, workerPairs } from "./agreement-moments.ts";
import { crowdParts } from "./crowd-parts.ts";

describe("workerPairs", () => {
  it("has what a loop over all pairs of labels has", () => {
    const base = randomCrowd(1, { tasks: 12, workers: 9, rate: 0.25 });
    const weight = Float64Array.from(base.label, (_, i) => 1 + (i % 3));
    for (const data of [base, { ...base, weight }]) {
      const pairs = workerPairs("x", data);
      const a = Float64Array.from(data.label, (l, i) => l - 0.1 * i);
      const b = Float64Array.from(data.label, (l, i) => 1 + l * (i % 2));
      expectSums(data, pairs.products(a, b), (i, j) => a[i] * b[j]);
      expectSums(data, pairs.common, () => 1);
      const same = (i: number, j: number) => (data.label[i] === data.label[j] ? 1 : 0);
      expectSums(data, pairs.agreed(), same);
      expectSums(data, pairs.mirrored(pairs.products(a, b)), (i, j) => a[j] * b[i]);
    }
  });

  it("counts both of two labels that a worker gave one task, and no pair with themselves", () => {
    const rows = ["awx", "awy", "avx"].map(([task, worker, label]) => ({ task, worker, label }));
    const pairs = workerPairs("x", fromRows(rows, { repeats: "distinct" }));
    expect([...pairs.start]).toEqual([0, 1, 2]);
    expect([...pairs.common]).toEqual([2, 2]);
    expect([...pairs.agreed()]).toEqual([1, 1]);
  });

  it("corrects agreement for chance: products of s, exactly where counts are as expected", () => {
    // Four classes; two workers of skill p and q agree on p q + (1 - p)(1 - q)/3 of their tasks.
    const [p, q] = [0.7, 0.4];
    const agree = p * q + ((1 - p) * (1 - q)) / 3;
    const weight = Float64Array.of(agree, agree, 1 - agree, 1 - agree);
    const rows = ["awx", "avx", "bwx", "bvy"].map(([task, worker, label]) => ({
      task,
      worker,
      label,
    }));
    const data = { ...fromRows(rows, { classes: ["x", "y", "z", "u"] }), weight };
    const [c] = chanceCorrected(workerPairs("x", data), 4);
    expect(c).toBeCloseTo(((4 * p - 1) / 3) * ((4 * q - 1) / 3), 12);
  });

  it.each([
    ["a path", "av aw bw bx", true],
    ["a ring of four", "av aw bw bx cx cy dy dv", true],
    ["a ring of three", "av aw bw bx cx cv", false],
    ["a task of three", "av aw ax", false],
    ["a worker alone", "av bv", false],
  ])("says whether %s is bipartite", (_, labels, expected) => {
    const rows = labels.split(" ").map(([task, worker]) => ({ task, worker, label: "yes" }));
    const data = fromRows(rows);
    const found = bipartiteParts(workerPairs("x", data), crowdParts(data));
    expect(found.length > 0).toBe(expected);
  });

  it("refuses what would take hours, and says what to do", () => {
    const N = 150_000;
    const data: CategoricalData = {
      ...fromRows([{ task: "a", worker: "w", label: "x" }]),
      task: new Int32Array(N),
      worker: new Int32Array(N),
      label: new Int32Array(N),
    };
    expect(() => workerPairs("dalvi", data)).toThrow(
      /dalvi: the tasks hold 2.3e\+10 pairs of labels, too many to compare. Use a method/,
    );
  });
});

function expectSums(
  data: CategoricalData,
  sums: Float64Array,
  term: (i: number, j: number) => number,
): void {
  const { start, other } = workerPairs("x", data);
  const W = data.workers.length;
  const labels = [...data.label.keys()];
  let pairs = 0;
  for (let w = 0; w < W; w++) {
    for (let v = 0; v < W; v++) {
      let [sum, met] = [0, false];
      for (const i of labels.filter((i) => data.worker[i] === w)) {
        for (const j of labels) {
          if (v === w || data.worker[j] !== v || data.task[j] !== data.task[i]) continue;
          met = true;
          sum += Math.sqrt((data.weight?.[i] ?? 1) * (data.weight?.[j] ?? 1)) * term(i, j);
        }
      }
      if (!met) continue;
      pairs++;
      const row = other.subarray(start[w], start[w + 1]);
      expect(sums[start[w] + row.indexOf(v)]).toBeCloseTo(sum, 9);
    }
  }
  expect(other.length).toBe(pairs);
}
