import { describe, expect, it } from "vitest";
import { logBeta } from "../math/gamma.ts";
import { createRandom } from "../math/random.ts";
import { createClassBelief } from "./class-belief.ts";
import { expectLogs } from "./dirichlet.ts";
import { expectLabelLogs, expectRates, liveIbcc, meanConfusion, priorTable } from "./ibcc.ts";

const settings = { diagonal: 4, offDiagonal: 1 };

/** E f(p) for p ~ Beta(a, b), by the midpoint rule on a fine grid. */
function integrate(a: number, b: number, f: (p: number) => number): number {
  const steps = 200_000;
  let sum = 0;
  for (let i = 0; i < steps; i++) {
    const p = (i + 0.5) / steps;
    sum += f(p) * Math.exp((a - 1) * Math.log(p) + (b - 1) * Math.log1p(-p) - logBeta(a, b));
  }
  return sum / steps;
}

describe("brute force", () => {
  it.each([
    [3, 2, 2, 2],
    [7.5, 2.25, 4, 1.5],
  ])("expects logs under Dirichlet(%d, %d) with prior (%d, %d)", (a, b, c, d) => {
    const into = new Float64Array(3);
    const divergence = expectLogs(Float64Array.of(a, b), Float64Array.of(c, d), into, 2);
    expect(Math.log(into[0])).toBeCloseTo(integrate(a, b, Math.log), 5);
    expect(Math.log(into[2])).toBeCloseTo(
      integrate(a, b, (p) => Math.log1p(-p)),
      5,
    );
    const logRatio = (p: number) =>
      (a - c) * Math.log(p) + (b - d) * Math.log1p(-p) - logBeta(a, b) + logBeta(c, d);
    expect(divergence).toBeCloseTo(integrate(a, b, logRatio), 5);
  });

  it("has a prior of right labels, wrong labels and the past", () => {
    const history = Float64Array.from({ length: 6 }, (_, at) => at / 10);
    const beta = priorTable({ workers: 2, classes: 2, given: 3 }, settings, history);
    for (let w = 0; w < 2; w++) {
      for (let k = 0; k < 2; k++) {
        for (let l = 0; l < 3; l++) {
          const past = w === 0 ? history[k * 3 + l] : 0;
          expect(beta[(w * 3 + l) * 2 + k]).toBe((l === k ? 4 : 1) + past);
        }
      }
    }
  });

  it("expects the logs of one label as of all, and their divergence is the sum of the rows'", () => {
    const [W, K, L] = [3, 3, 4];
    const shape = { workers: W, classes: K, given: L };
    const random = createRandom(3);
    const counts = Float64Array.from({ length: W * L * K }, () => 5 * random.next());
    const history = Float64Array.from({ length: 2 * K * L }, () => random.next());
    const beta = priorTable(shape, settings, history);
    const rates = new Float64Array(counts.length);
    const divergence = expectRates(counts, beta, shape, rates, 0.5);
    const said = new Float64Array(K);
    let rows = 0.5;
    for (let w = 0; w < W; w++) {
      for (let l = 0; l < L; l++) {
        expectLabelLogs(counts, w * L * K, settings, history, w, l, { K, L }, said);
        for (let k = 0; k < K; k++) {
          expect(said[k]).toBeCloseTo(Math.log(rates[(w * L + l) * K + k]), 12);
        }
      }
      for (let k = 0; k < K; k++) {
        const cells = Array.from({ length: L }, (_, l) => (w * L + l) * K + k);
        rows += expectLogs(
          Float64Array.from(cells, (at) => beta[at] + counts[at]),
          Float64Array.from(cells, (at) => beta[at]),
          new Float64Array(L),
          1,
        );
      }
    }
    expect(divergence).toBeCloseTo(rows, 10);
    const confusion = meanConfusion(beta, counts, shape);
    const row = [0, 1, 2, 3].map((l) => beta[(1 * L + l) * K + 2] + counts[(1 * L + l) * K + 2]);
    const total = row.reduce((sum, x) => sum + x, 0);
    row.forEach((x, l) => {
      expect(confusion[(1 * K + 2) * L + l]).toBeCloseTo(x / total, 13);
    });
  });

  it("believes in classes as their Dirichlet says, pseudo-tasks included", () => {
    const known = { priorCounts: Float64Array.of(0.5, 1) };
    const belief = createClassBelief({ classes: { length: 2 } }, known, "learn", [1, 1]);
    const divergence = belief.update(Float64Array.of(6, 3));
    expect(Math.log(belief.factor[0])).toBeCloseTo(integrate(7.5, 5, Math.log), 5);
    expect(belief.shares[0]).toBeCloseTo(7.5 / 12.5, 12);
    const into = new Float64Array(2);
    expect(divergence).toBe(expectLogs(Float64Array.of(7.5, 5), Float64Array.of(1.5, 2), into, 1));
  });
});

it("has the largest bound that any Dirichlet gives for these beliefs of tasks", () => {
  const [K, W] = [2, 1];
  const options = { ...settings, classCount: 1, prior: "uniform" } as const;
  const model = liveIbcc(options, { K, L: K, room: K, known: {} });
  const counts = Float64Array.of(5, 1, 0.5, 3);
  const totals = {
    tasks: Float64Array.of(3, 2),
    labels: new Float64Array(K + 1),
    pooled: new Float64Array(0),
  };
  model.learn(totals);
  const best = model.objective(counts, W, totals);
  // The bound under another Dirichlet: expected logs and divergence of that one, the same counts.
  const shape = { workers: W, classes: K, given: K };
  const beta = priorTable(shape, settings, undefined);
  for (const change of [0.9, 1, 1.1]) {
    const rates = new Float64Array(4);
    const other = counts.map((count) => count * change);
    const divergence = expectRates(other, beta, shape, rates, 0);
    const bound =
      counts.reduce((sum, count, at) => sum + count * Math.log(rates[at]), 0) +
      5 * Math.log(0.5) -
      divergence;
    if (change === 1) expect(bound).toBeCloseTo(best, 12);
    else expect(bound).toBeLessThan(best);
  }
});
