import { describe, expect, it } from "vitest";
import { loadSets, withSet } from "../../../test/datasets.ts";
import {
  fixture,
  marginals,
  multiLabelGates,
  multiLabelLaws,
  near,
} from "../../../test/multi-label-checks.ts";
import { randomSets } from "../../../test/random-answers.ts";
import { fromRows, type LabelSetRow } from "../../data/from-rows.ts";
import type { MultiLabelData } from "../../data/multi-label.ts";
import { dawidSkene } from "../categorical/em/dawid-skene.ts";
import { conditioned, decide } from "./exclusive.ts";
import { sharedWorkers } from "./shared-workers.ts";

describe("laws", () => multiLabelLaws(sharedWorkers));
describe("laws with a label that excludes all others", () => {
  const run: typeof sharedWorkers = Object.assign(
    (data: MultiLabelData, _?: object, known?: object) =>
      sharedWorkers(data, data.classes.indexOf("d") >= 0 ? { exclusive: "d" } : {}, known),
    sharedWorkers,
  );
  it("does not depend on the order of rows", () => {
    const data = randomSets(2);
    const found = run(data);
    expect(found.exclusive).toBe(3);
    found.setProbability.forEach((p, t) => {
      const set = [...found.chosen.subarray(t * 4, t * 4 + 4)];
      expect(set.slice(0, 3).includes(1)).toBe(set[3] === 0);
      expect(p).toBeGreaterThan(0);
    });
  });
  it("keeps known sets, those too that break the rule", () => {
    const data = randomSets(2);
    const { posterior, setProbability } = run(data, {}, { gold: data.gold });
    expect([...posterior]).toEqual([...data.gold]);
    expect([...setProbability]).toEqual(near(new Float64Array(data.tasks.length).fill(1)));
  });
});

it("is the fixture after one iteration", () => {
  const once = sharedWorkers(fixture, { maxIterations: 1, exclusive: "off" });
  expect([...once.prior]).toEqual(near([0.533333, 0.266667, 0.466667], 5));
  expect([...once.labelSensitivity.subarray(0, 3)]).toEqual(near([0.695946, 0.65388, 0.68442], 5));
  expect([...once.labelSpecificity.subarray(0, 3)]).toEqual(
    near([0.800077, 0.834361, 0.818832], 5),
  );
  expect([...once.posterior]).toEqual(
    near(
      [0.842787, 0.156719, 0.256309, 0.137859, 0.055726, 0.911648, 0.776887, 0.142674, 0.282319],
      5,
    ),
  );
  expect(once.trace[0]).toBeCloseTo(-11.240373, 5);
  const exclusive = sharedWorkers(fixture, { maxIterations: 1, exclusive: "2" });
  expect([...exclusive.posterior]).toEqual(
    near(
      [0.922979, 0.171631, 0.050039, 0.016056, 0.00649, 0.978348, 0.878867, 0.161402, 0.085123],
      5,
    ),
  );
});

describe("a label that excludes all others", () => {
  /** All sets of L labels with their probability, of those that are allowed. */
  const enumerate = (q: readonly number[], x: number) =>
    Array.from({ length: 2 ** q.length }, (_, code) => {
      const set = q.map((_, l) => (code >> l) & 1);
      const others = set.some((each, l) => each === 1 && l !== x);
      const allowed = x < 0 || (set[x] === 1 ? !others : others);
      const p = set.reduce((product, each, l) => product * (each ? q[l] : 1 - q[l]), 1);
      return { set, p: allowed ? p : 0 };
    });

  it.each([-1, 0, 2])("is conditioned on as enumeration does, label %i", (x) => {
    const tasks = [
      [0.2, 0.4, 0.9, 0.3],
      [0.7, 0.6, 0.6, 0.1],
      [0.01, 0.02, 0.03, 0.04],
      [0.5, 0.45, 0.35, 0.5],
    ];
    const shape = { T: tasks.length, L: 4 };
    const odds = Float64Array.from(tasks.flat(), (q) => Math.log(q / (1 - q)));
    const posterior = Float64Array.from(tasks.flat());
    const sum = x < 0 ? 0 : conditioned(shape, odds, x, posterior);
    const { chosen, setProbability } = decide(shape, odds, x);
    let logs = 0;
    tasks.forEach((q, t) => {
      const sets = enumerate(q, x);
      const total = sets.reduce((mass, { p }) => mass + p, 0);
      logs += Math.log(total);
      const marginal = q.map((_, l) => sets.reduce((m, { set, p }) => m + set[l] * p, 0) / total);
      expect([...posterior.subarray(t * 4, t * 4 + 4)]).toEqual(near(marginal, 14));
      const best = sets.reduce((most, each) => (each.p > most.p ? each : most));
      const own = sets.find(({ set }) => set.every((each, l) => each === chosen[t * 4 + l]));
      expect(own?.p).toBeCloseTo(best.p, 14);
      expect(setProbability[t]).toBeCloseTo(best.p / total, 14);
    });
    expect(sum).toBeCloseTo(x < 0 ? 0 : logs, 12);
  });

  it("does not lose sure labels to rounding", () => {
    const odds = Float64Array.of(800, 790, -900);
    const posterior = new Float64Array(3);
    conditioned({ T: 1, L: 3 }, odds, 0, posterior);
    // {0} has exp(-790), {1} exp(-800).
    const sure = 1 / (1 + Math.exp(-10));
    expect([...posterior]).toEqual(near([sure, 1 - sure, 0], 12));
    expect([...decide({ T: 1, L: 3 }, odds, 0).setProbability]).toEqual(near([sure], 12));
  });

  it("is found where it has answers enough and never stands beside another", () => {
    const rows = (none: readonly string[]): LabelSetRow[] =>
      Array.from({ length: 60 }, (_, i) => [
        { task: `t${i}`, worker: "u", label: none },
        { task: `t${i}`, worker: "v", label: ["a", "b"] },
      ]).flat();
    const found = sharedWorkers(fromRows(rows(["none"]), { kind: "multi-label" }));
    expect(found.classes.at(found.exclusive)).toBe("none");
    expect(found.notes.join()).toContain('"none" never occurs beside another in 60 answers');
    expect(sharedWorkers(fromRows(rows(["none", "a"]), { kind: "multi-label" })).exclusive).toBe(
      -1,
    );
    const few = fromRows(rows(["none"]).slice(0, 90), { kind: "multi-label" });
    expect(sharedWorkers(few).exclusive).toBe(-1);
    // Answers of one label each are no sign of anything.
    const single = rows(["none"]).map((row) => ({ ...row, label: row.worker === "u" ? "x" : "y" }));
    expect(sharedWorkers(fromRows(single, { kind: "multi-label" })).exclusive).toBe(-1);
    expect(() => sharedWorkers(fixture, { exclusive: "7" })).toThrow(
      /one of the labels \("0", "1", "2"\)/,
    );
  });
});

/** Answers to one label as labels yes and no. */
function oneLabel(data: MultiLabelData, l: number) {
  return fromRows(
    Array.from(data.task, (t, i) => ({
      task: data.tasks.at(t),
      worker: data.workers.at(data.worker[i]),
      label: data.label.subarray(data.start[i], data.start[i + 1]).includes(l) ? "yes" : "no",
    })),
    { classes: ["no", "yes"] },
  );
}

describe("limits", () => {
  const data = randomSets(9);
  const L = data.classes.length;

  it("is Dawid and Skene's method on each label with kappa 0", () => {
    const options = { maxIterations: 8, tolerance: 0 };
    const { posterior } = sharedWorkers(data, { ...options, kappa: 0, exclusive: "off" });
    for (let l = 0; l < L; l++) {
      const alone = dawidSkene(oneLabel(data, l), { ...options, smoothing: 0.01 });
      expect(Array.from(data.tasks, (_, t) => posterior[t * L + l])).toEqual(
        near(
          Array.from(data.tasks, (_, t) => alone.posterior[2 * t + 1]),
          9,
        ),
      );
    }
  });

  it("has one pair of rates per worker with an infinite kappa, and nears it", () => {
    const free = { exclusive: "off", maxIterations: 5, tolerance: 0 };
    const whole = sharedWorkers(data, { ...free, kappa: Infinity });
    whole.labelSensitivity.forEach((s, at) => {
      expect(s).toBe(whole.sensitivity[Math.floor(at / L)]);
    });
    const large = sharedWorkers(data, { ...free, kappa: 1e8 });
    expect([...large.posterior]).toEqual(near(whole.posterior, 5));
    expect(sharedWorkers(data, { ...free, kappa: 1e9 }).posterior).toEqual(whole.posterior);
  });

  it("gives all workers the rates of the crowd with an infinite kappa0", () => {
    const { sensitivity } = sharedWorkers(data, { kappa0: Infinity });
    expect(new Set(sensitivity).size).toBe(1);
  });

  it("keeps a label that nobody chose at a small probability", () => {
    const more = fromRows(
      [
        { task: "a", worker: "u", label: ["x"] },
        { task: "a", worker: "v", label: ["x"] },
        { task: "b", worker: "u", label: [] },
      ],
      { kind: "multi-label", classes: ["x", "y"] },
    );
    const { posterior, chosen } = sharedWorkers(more);
    expect(posterior[1]).toBeGreaterThan(0);
    expect(posterior[1]).toBeLessThan(0.3);
    expect([...chosen]).toEqual([1, 0, 0, 0]);
  });
});

it("lets its objective rise on drawn crowds, but for what the shrinkage costs", () => {
  for (const exclusive of ["off", "a"]) {
    for (const seed of [1, 2, 3, 4]) {
      const { trace } = sharedWorkers(randomSets(seed, { tasks: 100 }), {
        tolerance: 0,
        exclusive,
      });
      for (let i = 1; i < trace.length; i++) expect(trace[i]).toBeGreaterThan(trace[i - 1] - 0.05);
    }
  }
});

describe("public data", () => {
  const halves = (options: object) => (data: MultiLabelData) =>
    marginals(sharedWorkers(data, options));
  multiLabelGates(
    "kappa 0",
    halves({ kappa: 0, exclusive: "off" }),
    [0.5855, 0.4628, 0.517, 0.618],
    [0.6143, 0.6262, 0.3658],
  );
  multiLabelGates(
    "kappa 10",
    halves({ exclusive: "off" }),
    [0.5943, 0.4396, 0.5054, 0.599],
    [0.6246, 0.6341, 0.3943],
  );
  multiLabelGates(
    "kappa infinite",
    halves({ kappa: Infinity, exclusive: "off" }),
    [0.5746, 0.504, 0.537, 0.6117],
    [0.5964, 0.6245, 0.2775],
  );
  multiLabelGates(
    "none excludes all others",
    halves({}),
    [0.6082, 0.4208, 0.4974, 0.5924],
    // .4569 if EM stops by the likelihood of independent labels, which falls where labels exclude each other.
    [0.6273, 0.6362, 0.4571],
  );
  withSet("multi_openrel", "kappa 10: 43 iterations, 1.60 labels per task", () => {
    const data = loadSets("multi_openrel");
    const { trace, iterations, chosen } = sharedWorkers(data, { exclusive: "off" });
    expect(iterations).toBe(43);
    expect(trace.at(-1)).toBeCloseTo(-24652.04, 1);
    expect(chosen.reduce((sum, each) => sum + each, 0) / 800).toBeCloseTo(1.6, 2);
    expect(sharedWorkers(data).notes.join()).toContain('"none" never occurs beside another');
  });
});
