import { describe, expect, it } from "vitest";
import { fixture, numericGates, numericLaws } from "../../../test/numeric-checks.ts";
import { drain } from "../../method.ts";
import { ok2019, varianceMessages } from "./ok-2019.ts";
import type { PlainFrame } from "./worker-frame.ts";

const close = (values: readonly number[], digits = 6) =>
  values.map((x) => expect.closeTo(x, digits));

it("the fixture", () => {
  const { value, sd } = ok2019(fixture, { tolerance: 1e-12, maxIterations: 100000 });
  expect([...value]).toEqual(close([1.668867, 3.176716, 4.484457]));
  expect([...sd]).toEqual(close([0.807447, 0.791808, 0.80555]));
});

/** A path of tasks: each shares a worker with the next. */
const edges = [
  [0, 0, 0.5],
  [0, 1, -0.2],
  [1, 1, 1.3],
  [1, 2, 0.9],
  [2, 2, -1],
  [2, 3, 0.4],
] as const;
const tree: PlainFrame = {
  tasks: 3,
  workers: 4,
  task: Int32Array.from(edges, ([t]) => t),
  worker: Int32Array.from(edges, ([, w]) => w),
  y: Float64Array.from(edges, ([, , y]) => y),
  count: new Float64Array(6).fill(1),
  perWorker: Float64Array.of(1, 2, 2, 1),
};

/** Sums over all variances of all workers; given them, values are normal. */
function allVariances(variances: readonly number[], v: number) {
  const [mass, first, second] = Array.from({ length: 3 }, () => [0, 0, 0]);
  for (let code = 0; code < variances.length ** 4; code++) {
    const s = [0, 1, 2, 3].map(
      (w) => variances[Math.floor(code / variances.length ** w) % variances.length],
    );
    const each = [0, 1, 2].map((t) => {
      const own = edges.filter(([task]) => task === t);
      const A = own.reduce((sum, [, w]) => sum + 1 / s[w], 1 / v);
      const B = own.reduce((sum, [, w, y]) => sum + y / s[w], 0);
      const C = own.reduce((sum, [, w, y]) => sum + y ** 2 / s[w] + Math.log(s[w]), Math.log(v));
      return { mean: B / A, variance: 1 / A, log: (-C + B ** 2 / A - Math.log(A)) / 2 };
    });
    const weight = Math.exp(each.reduce((sum, { log }) => sum + log, 0));
    each.forEach(({ mean, variance }, t) => {
      mass[t] += weight;
      first[t] += weight * mean;
      second[t] += weight * (mean ** 2 + variance);
    });
  }
  const mean = first.map((sum, t) => sum / mass[t]);
  return { mean, sd: second.map((sum, t) => Math.sqrt(sum / mass[t] - mean[t] ** 2)) };
}

describe("brute force", () => {
  it("is exact where answers form no loops", () => {
    const exact = allVariances([0.1, 1, 4], 1);
    expect(exact.mean).toEqual(close([0.0897558, 0.9186377, -0.32494], 7));
    const { value, sd } = drain(
      varianceMessages(
        tree,
        { variances: Float64Array.of(0.1, 1, 4), m: 0, v: 1 },
        { maxIterations: 50, tolerance: 1e-14 },
      ),
    );
    expect([...value]).toEqual(close(exact.mean, 9));
    expect([...(sd ?? [])]).toEqual(close(exact.sd, 9));
  });
});

describe("laws", () => {
  numericLaws(ok2019, { tolerance: 1e-10, maxIterations: 500 });
});

numericGates(ok2019, {
  emotion: [12.1126, 18.7262, 0.682],
  num_video: [0.0478, 0.0599, 0.9961],
  num_truth100: [26.5831, 32.64, 0.4254],
});

describe("limits", () => {
  it("takes a coarser grid for a task whose answers lie far apart, and keeps the others", () => {
    const frame: PlainFrame = {
      tasks: 2,
      workers: 2,
      task: Int32Array.of(0, 0, 1, 1),
      worker: Int32Array.of(0, 1, 0, 1),
      y: Float64Array.of(0, 0.2, 0, 1e8),
      count: new Float64Array(4).fill(1),
      perWorker: Float64Array.of(2, 2),
    };
    const model = { variances: Float64Array.of(0.25, 1, 8), m: 0, v: 1e18 };
    const { value } = drain(varianceMessages(frame, model, { maxIterations: 9, tolerance: 1e-6 }));
    expect(value[0]).toBeCloseTo(0.1, 6);
    // Between both, to a step of the grid.
    expect(Math.abs(value[1] - 5e7)).toBeLessThan(1e8 / 19_000);
  });
});
