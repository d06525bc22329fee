import { describe, expect, it } from "vitest";
import { accuracyGates, gate } from "../../../../test/datasets.ts";
import { largestDifference } from "../../../../test/expect-numbers.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { projectToSimplex } from "../../../math/simplex.ts";
import { majorityVote } from "../votes/majority-vote.ts";
import { m3v } from "./m3v.ts";

const exact = { tolerance: 1e-10, maxPasses: 100_000 } as const;

describe("invariants", () => {
  it("never raises its objective by more than the gap that it allows", () => {
    let turns = 0;
    for (let seed = 0; seed < 30; seed++) {
      const { trace } = m3v(randomCrowd(seed, { tasks: 60, skill: [0.3, 0.7] }));
      turns += trace.length;
      trace.forEach((objective, at) => {
        if (at > 0) expect(objective).toBeGreaterThanOrEqual(trace[at - 1] * (1 + 1e-5));
      });
    }
    expect(turns).toBeGreaterThan(60);
  });

  it("answers with the largest score, and every task that is not tied is what the machine was given", () => {
    const data = randomCrowd(3, { tasks: 80 });
    const { score, weights, consensus, converged, trace } = m3v(data, exact);
    expect(converged).toBe(true);
    const votes = new Float64Array(score.length);
    data.label.forEach((l, i) => {
      votes[data.task[i] * 3 + l] += weights[data.worker[i]];
    });
    expect(largestDifference(score, votes)).toBeLessThan(1e-12);
    consensus.forEach((k, t) => {
      expect(score[t * 3 + k]).toBe(Math.max(...score.subarray(t * 3, t * 3 + 3)));
    });
    expect(-trace[trace.length - 1]).toBeCloseTo(objectiveOf(data, weights, consensus, 1, 1), 6);
  });

  it("lets weights grow with the margin where the penalty grows along, and answers the same", () => {
    const data = randomCrowd(4, { tasks: 60 });
    const [one, five] = [m3v(data, exact), m3v(data, { ...exact, penalty: 5, margin: 5 })];
    expect(five.consensus).toEqual(one.consensus);
    expect(
      largestDifference(
        five.weights,
        one.weights.map((w) => 5 * w),
      ),
    ).toBeLessThan(1e-3);
    expect(largestDifference(five.posterior, one.posterior)).toBeLessThan(1e-3);
  });

  it("turns the votes of a worker who misleads", () => {
    const data = liar(randomCrowd(5, { classes: 2, tasks: 100, skill: [0.8, 0.9], rate: 1 }));
    const { weights, consensus } = m3v(data);
    expect(weights[0]).toBeLessThan(-0.05);
    expect(Math.min(...weights.subarray(1))).toBeGreaterThan(0);
    const right = consensus.filter((k, t) => k === data.gold[t]).length;
    expect(right).toBeGreaterThan(95);
  });
});

describe("brute force", () => {
  // Small crowds with gold on every task, so that one machine is all there is to solve.
  it.each([0, 1, 2, 3, 4, 5])("weighs as the quadratic programme does (crowd %s)", (seed) => {
    const data = repeated(
      randomCrowd(seed, { tasks: 8, workers: 4, classes: 2 + (seed % 3), skill: [0.3, 0.8] }),
      seed,
    );
    for (const [C, margin] of [
      [1, 1],
      [0.1, 1],
      [3, 0.5],
    ]) {
      const { weights, trace, gap } = m3v(
        data,
        { penalty: C, margin, ...exact },
        { gold: data.gold },
      );
      const plain = quadratic(data, C, margin);
      expect(gap).toBeLessThan(1e-9);
      expect(-trace[0]).toBeCloseTo(plain.objective, 5);
      expect(largestDifference(weights, plain.weights)).toBeLessThan(2e-3);
    }
  });

  it("has a gap that is no smaller than what is left to gain", () => {
    for (let seed = 0; seed < 10; seed++) {
      const data = randomCrowd(seed, { skill: [0.3, 0.7] });
      const known = { gold: data.gold };
      const best = -m3v(data, exact, known).trace[0];
      for (const maxPasses of [1, 3, 10]) {
        const rough = m3v(data, { maxPasses, tolerance: 1e-12 }, known);
        const loss = objectiveOf(data, rough.weights, data.gold, 1, 1);
        expect(-rough.trace[0]).toBeCloseTo(loss, 9);
        expect(loss).toBeGreaterThanOrEqual(best - 1e-9);
        expect(loss - best).toBeLessThanOrEqual(rough.gap * loss + 1e-9);
        expect(rough.notes.join()).toMatch(/In 1 of 1 turns the weights were not found/);
      }
    }
  });

  it("knows the two cases that can be worked by hand", () => {
    // Two who agree share the margin; with a small penalty both get what it allows.
    const agree = fromRows(
      ["a1x", "a2x"].map(([task, worker, label]) => ({ task, worker, label })),
      { classes: ["x", "y"] },
    );
    expect([...m3v(agree, exact).weights]).toEqual([0.5, 0.5]);
    expect([...m3v(agree, { ...exact, penalty: 0.2 }).weights]).toEqual([0.2, 0.2]);
    // Two against one: (1, 1, -1) / 3 is the shortest that is ahead by 1.
    const outvoted = fromRows(
      ["a1x", "a2x", "a3y"].map(([task, worker, label]) => ({ task, worker, label })),
    );
    m3v(outvoted, exact).weights.forEach((w, at) => {
      expect(w).toBeCloseTo(at < 2 ? 1 / 3 : -1 / 3, 9);
    });
  });
});

describe("measured numbers", () => {
  // Nothing published could be checked; these are our own, beside those of the vote it starts from.
  const measured = {
    bluebird: 0.7593,
    rte: 0.9075,
    temp: 0.9416,
    web: 0.7524,
    weather: 0.89,
    weather_amt: 0.86,
    sp_amt: 0.944,
    zencrowd_us: 0.8627,
    zencrowd_in: 0.7436,
    possent: 0.943,
  };
  accuracyGates(measured, 0.003, (data) => m3v(data));

  for (const name of ["rte", "weather", "zencrowd_in"]) {
    gate(name, "a gap below 1e-4 of the objective", (data) => {
      const { weights, gap, trace, consensus } = m3v(data);
      expect(gap).toBeLessThan(1e-4);
      // The objective is that of its definition; where tasks are tied it costs what a tie does.
      const last = -trace[trace.length - 1];
      expect(objectiveOf(data, weights, consensus, 1, 1) / last).toBeCloseTo(1, 6);
    });
  }
});

describe("limits", () => {
  it("is the majority vote where nothing is asked of the answers", () => {
    for (const seed of [0, 1, 2]) {
      const data = randomCrowd(seed);
      const { posterior, weights } = m3v(data, { penalty: 0 });
      expect(posterior).toEqual(majorityVote(data).posterior);
      expect([...weights]).toEqual(new Array<number>(8).fill(0));
    }
  });

  it("leaves tied tasks out, whatever the rule for ties, until the others break the tie", () => {
    const rows = ["a1x", "a2x", "b1y", "b2y", "c1x", "c2x", "c3y", "d1x", "d3y"];
    const data = fromRows(rows.map(([task, worker, label]) => ({ task, worker, label })));
    const [first, last] = (["first", "last"] as const).map((ties) => m3v(data, { ties }));
    expect(last.consensus).toEqual(first.consensus);
    expect(data.classes.at(first.consensus[3])).toBe("x");
    expect(first.iterations).toBe(2);
  });

  it("calls a crowd that only contradicts itself tied, and gives the votes", () => {
    const rows = ["a1x", "a2y", "b1y", "b2x"];
    const data = fromRows(rows.map(([task, worker, label]) => ({ task, worker, label })));
    const { posterior, weights, trace } = m3v(data);
    expect([...weights]).toEqual([0, 0]);
    expect([...posterior]).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect([...trace]).toEqual([-2]);
  });

  it("stops when told to, and says so", () => {
    const data = randomCrowd(2, { tasks: 200, workers: 20, classes: 4, skill: [0.2, 0.5] });
    expect(m3v(data).iterations).toBeGreaterThan(1);
    const { converged, notes } = m3v(data, { maxIterations: 1 });
    expect(converged).toBe(false);
    expect(notes.join()).toMatch(/Stopped after 1 iterations/);
  });
});

/** From the definition: half the squared weights, and what each task is short of the margin. */
function objectiveOf(
  data: CategoricalData,
  weights: Float64Array,
  answers: Int32Array,
  C: number,
  margin: number,
): number {
  const K = data.classes.length;
  let sum = weights.reduce((squares, w) => squares + (w * w) / 2, 0);
  for (let t = 0; t < data.tasks.length; t++) {
    const scores = new Array<number>(K).fill(0);
    data.label.forEach((l, i) => {
      if (data.task[i] === t) scores[l] += weights[data.worker[i]];
    });
    const rivals = scores.filter((_, k) => k !== answers[t]);
    sum += C * Math.max(0, ...rivals.map((s) => margin - scores[answers[t]] + s));
  }
  return sum;
}

/** The dual as a dense quadratic programme, by accelerated projected gradients; answers are gold. */
function quadratic(data: CategoricalData, C: number, margin: number) {
  const [T, K, W] = [data.tasks.length, data.classes.length, data.workers.length];
  // One row for each task and class: how the weights change with its share.
  const rows = Array.from({ length: T * K }, () => new Float64Array(W));
  data.label.forEach((l, i) => {
    const [t, w] = [data.task[i], data.worker[i]];
    for (let k = 0; k < K; k++) rows[t * K + k][w] += Number(l === data.gold[t]) - Number(l === k);
  });
  const weightsOf = (alpha: Float64Array) => {
    const weights = new Float64Array(W);
    rows.forEach((row, at) => {
      for (let w = 0; w < W; w++) weights[w] += alpha[at] * row[w];
    });
    return weights;
  };
  const largest = rows.reduce((sum, row) => sum + row.reduce((s, x) => s + x * x, 0), 0);
  let alpha = new Float64Array(T * K).fill(C / K);
  let ahead = alpha;
  for (let round = 1; round <= 10_000; round++) {
    const weights = weightsOf(ahead);
    const next = ahead.map((a, at) => {
      const own = data.gold[Math.floor(at / K)] === at % K;
      const slope = (own ? 0 : margin) - rows[at].reduce((s, x, w) => s + x * weights[w], 0);
      return (a + slope / largest) / C;
    });
    for (let t = 0; t < T; t++) projectToSimplex(next.subarray(t * K, (t + 1) * K));
    const moved = next.map((share) => share * C);
    const pace = (round - 1) / (round + 2);
    ahead = moved.map((a, at) => a + pace * (a - alpha[at]));
    alpha = moved;
  }
  const weights = weightsOf(alpha);
  return { weights, objective: objectiveOf(data, weights, data.gold, C, margin) };
}

/** Some labels said twice, and some taken back by the same worker. */
function repeated(data: CategoricalData, seed: number): CategoricalData {
  const K = data.classes.length;
  const again = [...data.label.keys()].filter((i) => (i + seed) % 5 === 0);
  const more = (column: Int32Array) => Int32Array.of(...column, ...again.map((i) => column[i]));
  const label = more(data.label);
  for (let i = data.label.length; i < label.length; i++)
    if (i % 2 === 0) label[i] = (label[i] + 1) % K;
  return { ...data, task: more(data.task), worker: more(data.worker), label };
}

/** The first worker says the other of two classes. */
function liar(data: CategoricalData): CategoricalData {
  return { ...data, label: data.label.map((l, i) => (data.worker[i] === 0 ? 1 - l : l)) };
}
