import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { drawCrowd, randomCrowd } from "../../../../test/random-crowd.ts";
import { expectTurned } from "../../../../test/spectral-crowds.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { oracle } from "../bayesian/oracle.ts";
import { oneCoinPgd } from "./one-coin-pgd.ts";

describe("invariants", () => {
  it("does not depend on the draw", () => {
    const data = randomCrowd(1, { tasks: 100 });
    const [one, two] = [oneCoinPgd(data), oneCoinPgd(data, { seed: 7 })];
    expect([...two.skill]).toEqual(Array.from(one.skill, (p) => expect.closeTo(p, 7)));
  });

  it("never raises the squared error", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { trace } = oneCoinPgd(randomCrowd(seed));
      for (let at = 1; at < trace.length; at++) {
        expect(trace[at]).toBeGreaterThanOrEqual(trace[at - 1] - 1e-13);
      }
    }
  });

  it("is turned by gold where most are wrong", () => expectTurned(oneCoinPgd));

  it("finds skills, the better the more tasks", () => {
    const error = (tasks: number) => {
      let sum = 0;
      for (let seed = 0; seed < 4; seed++) {
        const shape = { tasks, workers: 8, classes: 2, rate: 0.7, skill: [0.6, 0.9] } as const;
        const { data, confusion } = drawCrowd(seed, shape);
        const { skill } = oneCoinPgd(data);
        skill.forEach((p, w) => {
          sum += Math.abs(p - (confusion[4 * w] + confusion[4 * w + 3]) / 2);
        });
      }
      return sum / 32;
    };
    expect(error(8000)).toBeLessThan(0.02);
    expect(error(8000)).toBeLessThan(error(500) / 1.5);
  });
});

describe("brute force", () => {
  it.each([
    [2, [0.9, 0.6, 0.75, 0.3]],
    [4, [0.9, 0.5, 0.75, 0.15]],
  ] as const)("is exact on counts as expected (K = %i)", (K, skill) => {
    const { skill: found } = oneCoinPgd(population(skill, K), { tolerance: 1e-13 });
    expect([...found]).toEqual(skill.map((p) => expect.closeTo(p, 8)));
  });

  it("answers as the oracle does who knows these skills", () => {
    const data = randomCrowd(2);
    const { confusion, posterior, prior } = oneCoinPgd(data);
    expect([...posterior]).toEqual(
      Array.from(oracle(data, {}, { confusion, prior }).posterior, (p) => expect.closeTo(p, 9)),
    );
  });
});

describe("published numbers", () => {
  // Measured here; no reference prints them.
  const measured = { bluebird: 0.7222, rte: 0.9287, web: 0.8255, sp: 0.9146, zencrowd_us: 0.873 };
  accuracyGates(measured, 0.003, (data) => oneCoinPgd(data));
});

describe("limits", () => {
  it("says when a part of the crowd is bipartite, and who shares no task", () => {
    const rows = ["avx", "awx", "bwy", "bxy", "cqx"].map(([task, worker, label]) => ({
      task,
      worker,
      label,
    }));
    const notes = oneCoinPgd(fromRows(rows)).notes.join(" ");
    expect(notes).toMatch(/Bipartite parts of the crowd: 1, with 3 workers/);
    expect(notes).toMatch(/Workers who share no task with anybody: 1/);
    expect(oneCoinPgd(randomCrowd(1)).notes.join()).not.toMatch(/Bipartite|share no task/);
  });

  it("keeps skills within the margin", () => {
    const data = randomCrowd(5, { skill: [1, 1], classes: 2 });
    const { reliability } = oneCoinPgd(data, { margin: 0.1 });
    for (const s of reliability) expect(s).toBeCloseTo(0.9, 6);
  });

  it("lets a worker alone count like the usual one", () => {
    const base = randomCrowd(4, { tasks: 60, classes: 2, skill: [0.7, 0.9] });
    const data: CategoricalData = {
      ...base,
      tasks: namesOf([...base.tasks, "own"]),
      gold: Int32Array.of(...base.gold, -1),
      workers: namesOf([...base.workers, "alone"]),
      task: Int32Array.of(...base.task, 60),
      worker: Int32Array.of(...base.worker, 8),
      label: Int32Array.of(...base.label, 1),
    };
    const { skill, consensus, posterior } = oneCoinPgd(data);
    expect(consensus[60]).toBe(1);
    expect(posterior[121]).toBeCloseTo(skill[8], 9);
    expect(skill[8]).toBeGreaterThan(0.6);
  });
});

/** Two labels per task, every pair of workers as often as expected, by weight. */
function population(skill: readonly number[], K: number): CategoricalData {
  const rows: { task: string; worker: string; label: string; weight: number }[] = [];
  for (let w = 0; w < skill.length; w++) {
    for (let v = w + 1; v < skill.length; v++) {
      const agree = skill[w] * skill[v] + ((1 - skill[w]) * (1 - skill[v])) / (K - 1);
      for (const [label, weight] of [
        ["c0", agree],
        ["c1", 1 - agree],
      ] as const) {
        const task = `${w}-${v}-${label}`;
        rows.push({ task, worker: `w${w}`, label: "c0", weight });
        rows.push({ task, worker: `w${v}`, label, weight });
      }
    }
  }
  const classes = Array.from({ length: K }, (_, k) => `c${k}`);
  const weight = Float64Array.from(rows, (row) => 1000 * row.weight);
  return { ...fromRows(rows, { classes }), weight };
}
