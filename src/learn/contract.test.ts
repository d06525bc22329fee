import { describe, expect, it } from "vitest";
import { featureCrowd, featuresOf } from "../../test/feature-crowd.ts";
import { zeroLogistic } from "../../test/zero-logistic.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { type Features, fromMatrix } from "../data/features.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { toPlain } from "../data/plain.ts";
import { openRuntime } from "../node/runtime.ts";
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { learnerList } from "./index.ts";
import type { AnyLearner, Learning } from "./learner.ts";
import type { LearnContext } from "./session.ts";

const executor = await openRuntime();
const quick = { epochs: 4, batch: 16, hidden: "5", dropout: 0.2 };
/** All at once, and by plain gradients: Adam makes a step of a rounding error. */
const still = {
  epochs: 5,
  batch: 1000,
  dropout: 0,
  model: "logistic",
  standardise: false,
  optimiser: "sgd",
  rate: 0.1,
  randomStart: false,
};

/** At the start of these all predictions are the same, and their volume a matter of rounding. */
const volumes = new Set(["geo-crowd-net-f", "coin-net", "auto-learner"]);

/** Those whose own parameters start at random, so that names and order matter a little. */
const randomStart = new Set(["doctor-net", "conal", "instance-trace"]);

/** Those that draw nothing at random. */
const deterministic = new Set(["raykar"]);

const ignored = () => {};

// What every learner promises. A new one is tested by being in the list.
describe.each(learnerList.map((method) => [method.id, method] as const))("%s", (_, method) => {
  const learn = (
    { data, features }: { data: CategoricalData; features: Features },
    options: object = quick,
    context: Partial<LearnContext> = {},
  ): Promise<Learning> =>
    method(data, features, fitting(method, data, options), { executor, ...context });

  it("gives beliefs, confusions and predictions that are probabilities", async () => {
    for (const seed of [0, 1]) {
      const crowd = featureCrowd(seed, { classes: 2 + seed });
      expectSound(crowd, await learn(crowd));
    }
  });

  it("gives the same bits twice, and others from another seed", async () => {
    const crowd = featureCrowd(2);
    const [one, two, other] = [
      await learn(crowd),
      await learn(crowd),
      await learn(crowd, { ...quick, seed: 1 }),
    ];
    expect(two.posterior).toEqual(one.posterior);
    expect(two.predictor.weights).toEqual(one.predictor.weights);
    if (deterministic.has(method.id)) expect(other.posterior).toEqual(one.posterior);
    else expect(other.predictor.weights).not.toEqual(one.predictor.weights);
  });

  it("leaves its input alone", async () => {
    const crowd = featureCrowd(3);
    const before = structuredClone(toPlain(crowd.data));
    await learn(crowd);
    expect(toPlain(crowd.data)).toEqual(before);
  });

  it("learns: on an easy crowd it finds nearly every class", async () => {
    const crowd = featureCrowd(4, { tasks: 300, workers: 10, skill: [0.6, 0.9], separation: 5 });
    const result = await learn(crowd, {
      epochs: 40,
      batch: 32,
      hidden: "8",
      dropout: 0,
      rate: 0.02,
    });
    expect(right(crowd.data, result.posterior), "posterior").toBeGreaterThan(0.93);
    const f = await result.predictor.predict(crowd.features);
    expect(right(crowd.data, f), "classifier").toBeGreaterThan(0.93);
  });

  it("goes on from every checkpoint to the same bits", async () => {
    const crowd = featureCrowd(5);
    const saved: Uint8Array[] = [];
    const onCheckpoint = (make: () => Checkpoint) => saved.push(saveCheckpoint(make()));
    const valid = { features: crowd.features, gold: crowd.data.gold };
    const options = { ...quick, selection: "best" };
    const whole = await learn(crowd, options, { onCheckpoint, valid });
    expect(saved.length).toBeGreaterThanOrEqual(2);
    for (const bytes of [saved[0], saved[Math.floor(saved.length / 2)]]) {
      const again = await learn(crowd, options, { resume: loadCheckpoint(bytes), valid });
      expect(again.posterior).toEqual(whole.posterior);
      expect(again.predictor.weights).toEqual(whole.predictor.weights);
      expect(again.trace).toEqual(whole.trace);
    }
  });

  it("stops when asked to, with a checkpoint", async () => {
    const crowd = featureCrowd(6);
    const signal = { aborted: false };
    let stopped: Checkpoint | undefined;
    const promise = learn(
      crowd,
      { ...quick, epochs: 50 },
      {
        signal,
        onCheckpoint: (make, last) => {
          signal.aborted = true;
          if (last) stopped = make();
        },
      },
    );
    await expect(promise).rejects.toMatchObject({ code: "cancelled" });
    const { runs = [], parts = [] } = stopped ?? {};
    expect(runs.length + parts.length).toBeGreaterThan(0);
  });

  (randomStart.has(method.id) ? ignored : it)(
    "does not care how workers, tasks and classes are named",
    async () => {
      const crowd = featureCrowd(7, { classes: 3, tasks: 30 });
      // A majority is the first of equals, and so depends on names; shares do not.
      // Of the learners that auto-learner tries by itself one has a random start.
      const options = {
        ...still,
        ...(method.id === "a-lfc" && { start: "shares" }),
        ...(method.id === "auto-learner" && { learners: "aggnet,coin-net,crowd-layer" }),
      };
      const plain = await learn(crowd, options, { model: zeroLogistic });
      const K = 3;
      const turn = [1, 2, 0];
      const { data, features } = crowd;
      const W = data.workers.length;
      const T = data.tasks.length;
      const renamed: CategoricalData = {
        ...data,
        tasks: namesOf(Array.from(data.tasks, (_, t) => data.tasks.at(T - 1 - t))),
        task: data.task.map((t) => T - 1 - t),
        gold: Int32Array.from(data.gold, (_, t) => turn[data.gold[T - 1 - t]]),
        workers: namesOf(Array.from(data.workers, (_, w) => data.workers.at(W - 1 - w))),
        worker: data.worker.map((w) => W - 1 - w),
        classes: namesOf(["c2", "c0", "c1"]),
        label: data.label.map((l) => turn[l]),
      };
      const other = await learn({ data: renamed, features }, options, { model: zeroLogistic });
      for (let t = 0; t < T; t++) {
        for (let k = 0; k < K; k++) {
          const [a, b] = [plain.posterior[t * K + k], other.posterior[(T - 1 - t) * K + turn[k]]];
          expect(Math.abs(a - b), `task ${t} class ${k}`).toBeLessThan(
            volumes.has(method.id) ? 1e-3 : 1e-5,
          );
        }
      }
    },
  );

  it("takes workers and tasks without labels, a class never given, a worker with one label", async () => {
    const rows = Array.from({ length: 24 }, (_, i) => ({
      task: `t${i % 12}`,
      worker: `w${i % 3}`,
      label: `c${i % 2}`,
    }));
    rows.push({ task: "t0", worker: "once", label: "c1" });
    const gold = Array.from({ length: 12 }, (_, i) => [`t${i}`, `c${i % 2}`] as [string, string]);
    const base = fromRows(rows, { classes: ["c0", "c1", "never"], gold });
    const data: CategoricalData = {
      ...base,
      workers: namesOf([...base.workers, "idle"]),
      tasks: namesOf([...base.tasks, "unlabelled"]),
      gold: Int32Array.from([...base.gold, 0]),
    };
    const crowd = { data, features: featuresOf(data, 4, 3, 1) };
    expectSound(crowd, await learn(crowd));
  });

  it("takes one task, and labels that are all the same", async () => {
    const one = fromRows([{ task: "t", worker: "w", label: "a" }], {
      classes: ["a", "b"],
      gold: [["t", "a"]],
    });
    const lone = { data: one, features: fromMatrix(["t"], [2], Float32Array.of(1, 2)) };
    expectSound(lone, await learn(lone));
    const rows = Array.from({ length: 30 }, (_, i) => ({
      task: `t${i % 10}`,
      worker: `w${i % 3}`,
      label: "a",
    }));
    const gold = Array.from({ length: 10 }, (_, i) => [`t${i}`, "a"] as [string, string]);
    const same = fromRows(rows, { classes: ["a", "b"], gold });
    const crowd = { data: same, features: featuresOf(same, 3, 1, 2) };
    const result = await learn(crowd, { ...quick, epochs: 60, rate: 0.02 });
    expectSound(crowd, result);
    expect(result.consensus.every((k) => k === 0)).toBe(true);
  });

  it("takes fifty classes", async () => {
    const crowd = featureCrowd(8, { classes: 50, tasks: 60, workers: 6 });
    expectSound(crowd, await learn(crowd));
  });

  it("takes ten classes, more dimensions than tasks, and constant columns", async () => {
    const { data } = featureCrowd(8, { classes: 10, tasks: 25 });
    const matrix = new Float32Array(25 * 60);
    matrix.set(Array.from({ length: 25 * 60 }, (_, i) => (i % 60 < 50 ? Math.sin(i) : 7)));
    const crowd = { data, features: fromMatrix([...data.tasks], [60], matrix) };
    const result = await learn(crowd);
    expectSound(crowd, result);
    expect(result.notes.join(" ")).toMatch(/10 of 60 columns/);
  });

  it("refuses one class only, and tasks without features", async () => {
    const one = fromRows([{ task: "t", worker: "w", label: "a" }]);
    const features = fromMatrix(["t"], [1], Float32Array.of(1));
    await expect(learn({ data: one, features })).rejects.toThrow(/only one class/);
    const { data } = featureCrowd(9);
    await expect(learn({ data, features })).rejects.toThrow(/have no features: t0, t1/);
  });
});

/** Options that the learner has; gold is refused where some is missing. */
function fitting(method: AnyLearner, _data: CategoricalData, options: object): object {
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => Object.hasOwn(method.options, name)),
  );
}

function expectSound({ data }: { data: CategoricalData }, result: Learning): void {
  const K = data.classes.length;
  const rowsSumToOne = (table: Float64Array, what: string) => {
    for (let row = 0; row < table.length; row += K) {
      let sum = 0;
      for (let k = row; k < row + K; k++) {
        expect(table[k], what).toBeGreaterThanOrEqual(0);
        sum += table[k];
      }
      expect(Math.abs(sum - 1), what).toBeLessThan(1e-5);
    }
  };
  expect(result.posterior.length).toBe(data.tasks.length * K);
  rowsSumToOne(result.posterior, "posterior");
  expect(result.confusion !== undefined).toBe(confusionPromised(result.method));
  if (result.confusion) {
    expect(result.confusion.length).toBe(data.workers.length * K * K);
    rowsSumToOne(result.confusion, "confusion");
  }
  if (result.evidence) expect(result.evidence.every(Number.isFinite)).toBe(true);
  expect(result.skill.length).toBe(data.workers.length);
  expect(result.skill.every((s) => s >= 0 && s <= 1)).toBe(true);
  expect(result.trace.every(Number.isFinite)).toBe(true);
  for (const weights of result.predictor.weights.values())
    expect(weights.every(Number.isFinite)).toBe(true);
}

const confusionPromised = (id: string) => learnerList.find((method) => method.id === id)?.confusion;

function right(data: CategoricalData, table: Float64Array): number {
  const K = data.classes.length;
  let count = 0;
  for (let t = 0; t < data.tasks.length; t++) {
    const row = table.subarray(t * K, (t + 1) * K);
    if (row.indexOf(row.reduce((a, b) => Math.max(a, b))) === data.gold[t]) count++;
  }
  return count / data.tasks.length;
}
