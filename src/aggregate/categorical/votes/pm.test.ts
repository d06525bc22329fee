import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { majorityVote } from "./majority-vote.ts";
import { pm } from "./pm.ts";

describe("invariants", () => {
  it("never raises the weighted disagreement, where weights solve its problem", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { trace } = pm(randomCrowd(seed, { tasks: 80 }), { normalise: "sum", scale: "sum" });
      trace.forEach((objective, at) => {
        if (at > 0) expect(objective).toBeGreaterThanOrEqual(trace[at - 1] - 1e-9);
      });
    }
  });

  it("has weights that meet the constraint of CRH", () => {
    const { weights } = pm(randomCrowd(2), pm.presets?.["crh"]?.options);
    expect(weights.reduce((sum, x) => sum + Math.exp(-x), 0)).toBeCloseTo(1, 12);
  });

  it("ends where voting again changes nothing", () => {
    const data = randomCrowd(3, { tasks: 100 });
    const { consensus, errors, converged } = pm(data);
    expect(converged).toBe(true);
    const again = pm(data, { maxIterations: 100 });
    expect(again.consensus).toEqual(consensus);
    const counted = Array.from(
      data.workers,
      (_, w) =>
        [...data.label.keys()].filter(
          (i) => data.worker[i] === w && data.label[i] !== consensus[data.task[i]],
        ).length,
    );
    expect([...errors]).toEqual(counted);
  });
});

describe("brute force", () => {
  it.each([
    ["mean", "max"],
    ["mean", "sum"],
    ["sum", "max"],
    ["sum", "sum"],
  ] as const)("repeats a plain loop (%s, %s)", (normalise, scale) => {
    for (let seed = 0; seed < 5; seed++) {
      const data = randomCrowd(seed, { tasks: 30 });
      const { posterior } = pm(data, { normalise, scale, ties: "first" });
      const expected = naive(data, normalise === "mean", scale === "max");
      expect([...posterior]).toEqual(expected.map((p) => expect.closeTo(p, 9)));
    }
  });

  it("has the best weights for given errors: no other on the constraint is cheaper", () => {
    const { errors, weights } = pm(randomCrowd(4), { normalise: "sum", scale: "sum" });
    const cost = (w: readonly number[]) => w.reduce((sum, x, i) => sum + x * errors[i], 0);
    const best = cost([...weights]);
    for (let i = 0; i < weights.length; i++) {
      // Half of worker i's share of the constraint goes to the next.
      const shares = Array.from(weights, (x) => Math.exp(-x));
      const moved = shares[i] / 2;
      shares[i] -= moved;
      shares[(i + 1) % shares.length] += moved;
      expect(cost(shares.map((share) => -Math.log(share)))).toBeGreaterThan(best);
    }
  });
});

describe("published numbers", () => {
  // By totals it is known to collapse on web.
  const totals = {
    bluebird: 0.787,
    rte: 0.92,
    web: 0.395,
    product: 0.8981,
    possent: 0.95,
    weather: 0.8917,
    weather_amt: 0.8567,
    sp: 0.8978,
    sp_amt: 0.944,
    zencrowd_in: 0.7368,
    zencrowd_us: 0.8162,
  };
  accuracyGates(totals, 0.003, (data) => pm(data, { normalise: "sum", ties: "first" }));
  const rates = { bluebird: 0.787, rte: 0.9275, web: 0.8571, weather: 0.89, product: 0.9263 };
  accuracyGates({ ...rates, zencrowd_us: 0.8838 }, 0.003, (data) => pm(data, { ties: "first" }));
});

describe("limits", () => {
  it("is the plain vote where nobody errs, and where all err alike", () => {
    const right = randomCrowd(5, { skill: [1, 1] });
    expect(pm(right, { normalise: "sum" }).posterior).toEqual(majorityVote(right).posterior);
    const rows = ["awx", "avy", "bwy", "bvx"].map(([task, worker, label]) => ({
      task,
      worker,
      label,
    }));
    const alike = fromRows(rows);
    expect(pm(alike).posterior).toEqual(majorityVote(alike).posterior);
  });

  it("gives the worst worker no say, unless errors are compared with all", () => {
    const data = randomCrowd(6, { tasks: 100 });
    expect(Math.min(...pm(data).weights)).toBe(0);
    expect(Math.min(...pm(data, { scale: "sum" }).weights)).toBeGreaterThan(0);
  });

  it("has CRH as a preset", () => {
    expect(pm.presets?.["crh"]?.options).toEqual({ normalise: "sum", scale: "sum" });
  });
});

/** Votes and weights in turns, from the definition; ties to the first class. */
function naive(data: CategoricalData, rates: boolean, largest: boolean): number[] {
  const K = data.classes.length;
  const labels = [...data.label.keys()];
  const vote = (weights: readonly number[]) =>
    [...data.tasks].flatMap((_, t) => {
      const scores = new Array<number>(K).fill(0);
      for (const i of labels.filter((i) => data.task[i] === t)) {
        scores[data.label[i]] += weights[data.worker[i]];
      }
      const total = scores.reduce((a, b) => a + b, 0);
      if (total > 0) return scores.map((s) => s / total);
      for (const i of labels.filter((i) => data.task[i] === t)) scores[data.label[i]]++;
      return scores.map((s) => s / scores.reduce((a, b) => a + b, 0));
    });
  const answersOf = (shares: readonly number[]) =>
    Array.from(data.tasks, (_, t) => {
      const row = shares.slice(t * K, (t + 1) * K);
      return row.findIndex((p) => p >= Math.max(...row) - 1e-12);
    });
  let shares = vote(Array.from(data.workers, () => 1));
  for (let round = 0; round < 100; round++) {
    const answers = answersOf(shares);
    const costs = Array.from(data.workers, (_, w) => {
      const own = labels.filter((i) => data.worker[i] === w);
      const errors = own.filter((i) => data.label[i] !== answers[data.task[i]]).length;
      return Math.max(1e-8, rates ? (errors + 0.5) / (own.length + 1) : errors);
    });
    const whole = largest ? Math.max(...costs) : costs.reduce((a, b) => a + b, 0);
    shares = vote(costs.map((cost) => -Math.log(cost / whole)));
    if (answersOf(shares).every((k, t) => k === answers[t])) break;
  }
  return shares;
}
