import { describe, expect, it } from "vitest";
import { accuracyGates, gate, splitAccuracy } from "../../../../test/datasets.ts";
import { enumerate } from "../../../../test/enumerate.ts";
import { fixtureA, randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { dawidSkene } from "./dawid-skene.ts";
import { fastDawidSkene } from "./fast-dawid-skene.ts";

describe("invariants", () => {
  it.each([0, 0.01, 1])("never lowers log P(labels, classes) (smoothing %s)", (smoothing) => {
    for (let seed = 0; seed < 30; seed++) {
      const data = randomCrowd(seed, { classes: 2 + (seed % 3), skill: [0.2, 0.8] });
      const { trace, converged, changes } = fastDawidSkene(data, { smoothing });
      expect(converged).toBe(true);
      expect(changes.at(-1)).toBe(0);
      for (let i = 1; i < trace.length; i++) {
        expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9 * Math.abs(trace[i]));
      }
    }
  });

  it("counts pseudo-labels and pseudo-tasks in what it climbs", () => {
    const data = randomCrowd(5);
    const history = Float64Array.from({ length: 8 * 9 }, (_, at) => (at % 4 === 0 ? 3 : 1));
    const known = { history, priorCounts: Float64Array.of(5, 1, 1) };
    const { trace, prior, confusion, consensus } = fastDawidSkene(data, { smoothing: 0.5 }, known);
    let joint = 5 * Math.log(prior[0]) + Math.log(prior[1]) + Math.log(prior[2]);
    for (const k of consensus) joint += Math.log(prior[k]);
    data.label.forEach((l, i) => {
      joint += Math.log(confusion[(data.worker[i] * 3 + consensus[data.task[i]]) * 3 + l]);
    });
    confusion.forEach((rate, at) => {
      joint += (0.5 + history[at]) * Math.log(rate);
    });
    expect(trace.at(-1)).toBeCloseTo(joint, 8);
  });

  it("leaves tasks without labels out of the prior", () => {
    const data = randomCrowd(2);
    const empty = Array.from({ length: 500 }, (_, t) => `empty${t}`);
    const gold = new Int32Array(540).fill(-1);
    const padded = { ...data, tasks: namesOf([...data.tasks, ...empty]), gold };
    expect([...fastDawidSkene(padded).prior]).toEqual(
      [...fastDawidSkene(data).prior].map((p) => expect.closeTo(p, 12)),
    );
  });
});

describe("brute force", () => {
  it.each([0.01, 1])("gives what counting everything anew gives (smoothing %s)", (smoothing) => {
    for (let seed = 0; seed < 10; seed++) {
      const data = randomCrowd(seed, { skill: [0.3, 0.7] });
      const { confusion, posterior, iterations } = fastDawidSkene(data, {
        smoothing,
        ties: "first",
      });
      const plain = hardEm(data, smoothing, iterations);
      expect([...confusion]).toEqual(plain.confusion.map((p) => expect.closeTo(p, 9)));
      expect([...posterior]).toEqual(plain.posterior.map((p) => expect.closeTo(p, 9)));
    }
  });

  it("gives the exact posterior under its parameters, and log P(labels, classes)", () => {
    const data = randomCrowd(3, { tasks: 6, workers: 3 });
    const { prior, confusion, posterior, consensus, trace } = fastDawidSkene(data, {
      smoothing: 0,
    });
    const exact = enumerate(data, prior, confusion);
    expect([...posterior]).toEqual(exact.posterior.map((p) => expect.closeTo(p, 9)));
    let joint = 0;
    for (const k of consensus) joint += Math.log(prior[k]);
    data.label.forEach((l, i) => {
      joint += Math.log(confusion[(data.worker[i] * 3 + consensus[data.task[i]]) * 3 + l]);
    });
    expect(trace.at(-1)).toBeCloseTo(joint, 8);
  });

  it("counts fixture A under its vote", () => {
    const { confusion, prior } = fastDawidSkene(fixtureA(), { smoothing: 1, maxIterations: 1 });
    // Votes 0 1 0 1 0: worker 0 said 0 0 of the first, 1 1 of the second.
    expect([...confusion.subarray(0, 4)]).toEqual(
      [3 / 4, 1 / 4, 1 / 4, 3 / 4].map((p) => expect.closeTo(p, 9)),
    );
    expect([...prior]).toEqual([0.6, 0.4].map((p) => expect.closeTo(p, 9)));
  });
});

describe("published numbers", () => {
  // With inner ties to the lowest class, as the reference has them.
  describe("no smoothing", () => {
    accuracyGates(
      {
        bluebird: 0.8796,
        rte: 0.9275,
        web: 0.813,
        product: 0.9354,
        possent: 0.96,
        weather: 0.9,
        weather_amt: 0.85,
        sp: 0.9124,
        sp_amt: 0.944,
        zencrowd_in: 0.7721,
        zencrowd_us: 0.8348,
      },
      1e-3,
      (data) => fastDawidSkene(data, { smoothing: 0, ties: "first" }),
    );
  });

  describe("one pseudo-label per cell", () => {
    accuracyGates(
      {
        bluebird: 0.8796,
        rte: 0.9275,
        web: 0.8462,
        product: 0.9377,
        possent: 0.959,
        weather: 0.8933,
        weather_amt: 0.8533,
        sp: 0.9148,
        sp_amt: 0.944,
        zencrowd_in: 0.7696,
        zencrowd_us: 0.823,
      },
      1e-3,
      (data) => fastDawidSkene(data, { smoothing: 1, ties: "first" }),
    );
  });

  gate("product", "as good as Dawid–Skene in a third of its iterations", (data) => {
    const [fast, slow] = [fastDawidSkene(data), dawidSkene(data)];
    expect(3 * fast.iterations).toBeLessThanOrEqual(slow.iterations);
    const [a, b] = [fast, slow].map(({ posterior }) => splitAccuracy(data, posterior));
    expect(Math.abs(a - b)).toBeLessThan(0.01);
  });
});

describe("limits", () => {
  it("hybrid hardens only once soft EM has settled, and later the tighter it must settle", () => {
    const data = randomCrowd(1, { tasks: 300, skill: [0.3, 0.7] });
    const run = (switchTolerance: number) =>
      fastDawidSkene(data, { variant: "hybrid", switchTolerance, maxIterations: 1000 });
    const [loose, tight] = [run(9), run(1e-4)];
    expect(tight.converged).toBe(true);
    expect(loose.iterations).toBeLessThan(tight.iterations);
    const soft = dawidSkene(data, { maxIterations: 1000 }).consensus;
    const same = ({ consensus }: typeof loose) => consensus.filter((k, t) => k === soft[t]).length;
    expect(same(tight)).toBeGreaterThan(same(loose));
  });

  it("without smoothing never gives a class to a worker who never met it", () => {
    const data = randomCrowd(2, { skill: [1, 1], classes: 2 });
    const { confusion } = fastDawidSkene(data, { smoothing: 0 });
    for (let row = 0; row < confusion.length; row += 2) {
      expect(Math.min(confusion[row], confusion[row + 1])).toBeLessThan(1e-9);
    }
  });

  it("does not move a task that has become a tie", () => {
    // Once b went to x, worker v has said y of both classes, and a is tied.
    const rows = ["avy", "bvy", "bwx"].map(([task, worker, label]) => ({ task, worker, label }));
    const { changes, posterior } = fastDawidSkene(fromRows(rows), { ties: "first" });
    expect(posterior[0]).toBeCloseTo(0.5, 12);
    expect([...changes]).toEqual([0]);
  });

  it("leaves a tied task out of the counts where ties abstain", () => {
    const rows = ["avx", "bvx", "bwy", "cvx", "dvy"].map(([task, worker, label]) => ({
      task,
      worker,
      label,
    }));
    const prior = (ties: "last" | "abstain") =>
      fastDawidSkene(fromRows(rows), { ties, maxIterations: 1 }).prior[0];
    expect(prior("last")).toBeCloseTo(2 / 4, 9);
    expect(prior("abstain")).toBeCloseTo(2 / 3, 9);
  });
});

/** Hard EM with every count made anew in every iteration. */
function hardEm(data: CategoricalData, smoothing: number, iterations: number) {
  const K = data.classes.length;
  const T = data.tasks.length;
  const argmax = (row: number[]) => row.findIndex((p) => p >= Math.max(...row) - 1e-12);
  let posterior = Array.from(data.tasks, (_, t) => {
    const votes = new Array<number>(K).fill(0);
    data.label.forEach((l, i) => {
      if (data.task[i] === t) votes[l]++;
    });
    return votes;
  });
  let confusion: number[] = [];
  for (let iteration = 0; iteration < iterations; iteration++) {
    const classes = posterior.map(argmax);
    const prior = Array.from(data.classes, (_, k) => classes.filter((c) => c === k).length / T);
    const counts = new Array<number>(data.workers.length * K * K).fill(smoothing);
    data.label.forEach((l, i) => {
      counts[(data.worker[i] * K + classes[data.task[i]]) * K + l]++;
    });
    confusion = counts.map((count, at) => {
      const row = at - (at % K);
      return count / counts.slice(row, row + K).reduce((a, b) => a + b);
    });
    posterior = Array.from(data.tasks, (_, t) => {
      const row = [...prior];
      data.label.forEach((l, i) => {
        if (data.task[i] !== t) return;
        for (let k = 0; k < K; k++) row[k] *= confusion[(data.worker[i] * K + k) * K + l];
      });
      const total = row.reduce((a, b) => a + b);
      return row.map((p) => p / total);
    });
  }
  return { confusion, posterior: posterior.flat() };
}
