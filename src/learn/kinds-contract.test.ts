import * as runtime from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import {
  clusterCrowd,
  type KindCrowd,
  numberCrowd,
  preferenceCrowd,
} from "../../test/kind-crowds.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { type Features, fromMatrix } from "../data/features.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { type NumericData, selectValues } from "../data/numeric.ts";
import { type PairwiseData, selectComparisons } from "../data/pairwise.ts";
import { toPlain } from "../data/plain.ts";
import { type SimilarityData, selectPairs } from "../data/similarity.ts";
import { openRuntime } from "../node/runtime.ts";
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import type { KindLearner, Learnt } from "./create-learner.ts";
import { numericLearners, pairwiseLearners, similarityLearners } from "./index.ts";
import type { LearnContext } from "./session.ts";

const executor = await openRuntime();
const quick = { epochs: 4, batch: 16, hidden: "5", dropout: 0.2, starts: 2 };
/** All at once, and by plain gradients: Adam makes a step of a rounding error. */
const still = { ...quick, batch: 1000, dropout: 0, optimiser: "sgd", rate: 0.1, crowdRate: 0.1 };

type Crowd = KindCrowd<CrowdData>;

/** What a kind of answers needs for the tests below. */
interface Kind {
  readonly learners: readonly KindLearner[];
  /** What the result says of each task or item. */
  readonly truth: string;
  /** The output of the model file that `predict` gives. */
  readonly output: string;
  readonly crowd: (seed: number) => Crowd;
  /** Crowds that have next to nothing to learn from. */
  readonly degenerate: Readonly<Record<string, () => Crowd>>;
  readonly empty: () => Crowd;
  readonly select: (data: CrowdData, rows: Int32Array) => CrowdData;
  readonly missing: RegExp;
}

const withNames = (data: CrowdData, names: readonly string[], width = 3): Crowd => ({
  data,
  features: fromMatrix(
    names,
    [width],
    Float32Array.from({ length: width * names.length }, (_, i) => Math.sin(i + 1)),
  ),
});

const values = (rows: readonly (readonly [string, string, number])[]) => {
  const data = fromRows(
    rows.map(([task, worker, value]) => ({ task, worker, value })),
    { kind: "numeric", gold: rows.map(([task, , value]) => [task, value] as const) },
  );
  return withNames(data, [...data.tasks]);
};

const comparisons = (rows: readonly (readonly [string, string, string, string])[]) => {
  const data = fromRows(
    rows.map(([worker, left, right, label]) => ({ worker, left, right, label })),
    { kind: "pairwise" },
  );
  return withNames(data, [...data.items]);
};

const pairs = (rows: readonly (readonly [string, string, string, string])[]) => {
  const data = fromRows(
    rows.map(([worker, left, right, label]) => ({ worker, left, right, label })),
    { kind: "similarity" },
  );
  return withNames(data, [...data.items]);
};

const twelve = Array.from({ length: 12 }, (_, i) => i);

const kinds: Readonly<Record<string, Kind>> = {
  numeric: {
    learners: Object.values(numericLearners) as unknown as KindLearner[],
    truth: "value",
    output: "values",
    crowd: (seed) => numberCrowd(seed),
    degenerate: {
      "one worker": () => values(twelve.map((i) => [`t${i}`, "w", Math.cos(i)])),
      "one answer": () => values([["t", "w", 3]]),
      "answers that are all equal": () => values(twelve.map((i) => [`t${i % 4}`, `w${i % 3}`, 7])),
      "two outputs of which one has a single answer": () => {
        const rows = twelve.map((i) => ({
          task: `t${i % 6}`,
          worker: `w${i % 2}`,
          output: i === 5 ? "b" : "a",
          value: i,
        }));
        const gold = [0, 1, 2, 3, 4, 5].map((t) => [`t${t}`, t, t === 5 ? "b" : "a"] as const);
        const data = fromRows(rows, { kind: "numeric", gold });
        return withNames({ ...data, gold: data.gold.map((x) => x || 0) } as NumericData, [
          ...new Set(data.tasks),
        ]);
      },
    },
    empty: () => {
      const { data, features } = numberCrowd(1);
      return { data: selectValues(data, new Int32Array(0)), features };
    },
    select: (data, rows) => selectValues(data as NumericData, rows),
    missing: /labelled tasks have no features: t1/,
  },
  pairwise: {
    learners: Object.values(pairwiseLearners) as unknown as KindLearner[],
    truth: "score",
    output: "scores",
    crowd: (seed) => preferenceCrowd(seed, { ties: 0.1 }),
    degenerate: {
      "one worker": () =>
        comparisons(twelve.map((i) => ["u", `i${i % 5}`, `i${(i + 1) % 5}`, `i${i % 5}`])),
      "one answer, two items": () => comparisons([["u", "a", "b", "a"]]),
      "answers that are all equal": () =>
        comparisons(twelve.map((i) => [`u${i % 3}`, "a", "b", "a"])),
      "ties only": () =>
        comparisons(twelve.map((i) => [`u${i % 3}`, `i${i % 4}`, `i${(i + 1) % 4}`, "tie"])),
    },
    empty: () => {
      const { data, features } = preferenceCrowd(1);
      return { data: selectComparisons(data, new Int32Array(0)), features };
    },
    select: (data, rows) => selectComparisons(data as PairwiseData, rows),
    missing: /labelled items have no features: i\d/,
  },
  similarity: {
    learners: Object.values(similarityLearners) as unknown as KindLearner[],
    truth: "membership",
    output: "probabilities",
    crowd: (seed) => clusterCrowd(seed),
    degenerate: {
      "one worker": () =>
        pairs(twelve.map((i) => ["u", `i${i}`, `i${(i + 1) % 12}`, i % 3 ? "same" : "different"])),
      "two answers": () =>
        pairs([
          ["u", "a", "b", "same"],
          ["v", "a", "b", "different"],
        ]),
    },
    empty: () => {
      const { data, features } = clusterCrowd(1);
      return { data: selectPairs(data, new Int32Array(0)), features };
    },
    select: (data, rows) => selectPairs(data as SimilarityData, rows),
    missing: /labelled items have no features: i\d/,
  },
};

const cases = Object.values(kinds).flatMap((kind) =>
  kind.learners.map((method) => [method.id, method, kind] as const),
);

// What every learner of answers that are no classes promises. A new one is tested by being in a list.
describe.each(cases)("%s", (_, method, kind) => {
  const learn = async (
    { data, features }: Crowd,
    options: object = quick,
    context: Partial<LearnContext> = {},
  ): Promise<Learnt> => {
    const known = Object.entries(options).filter(([name]) => Object.hasOwn(method.options, name));
    const walk = method.steps(data, features, Object.fromEntries(known), { executor, ...context });
    for (;;) {
      const step = await walk.next();
      if (step.done) return step.value;
    }
  };
  const truthOf = (result: Learnt) => numbersUnder(result, kind.truth);
  const crowd = kind.crowd(1);

  it("gives finite numbers, the same bits twice and others from another seed, and leaves its input alone", async () => {
    const before = structuredClone(toPlain(crowd.data));
    const [one, two, other] = [
      await learn(crowd),
      await learn(crowd),
      await learn(crowd, { ...quick, seed: 1 }),
    ];
    expectSound(one, kind.truth);
    expect(truthOf(two)).toEqual(truthOf(one));
    expect(two.predictor.weights).toEqual(one.predictor.weights);
    expect(other.predictor.weights).not.toEqual(one.predictor.weights);
    expect(toPlain(crowd.data)).toEqual(before);
  });

  it("goes on from every checkpoint to the same bits", async () => {
    const saved: Uint8Array[] = [];
    const onCheckpoint = (make: () => Checkpoint) => saved.push(saveCheckpoint(make()));
    const options = { ...quick, epochs: 3, selection: "best" };
    const whole = await learn(crowd, options, { onCheckpoint });
    expect(whole.notes.join(" ")).toMatch(/held out.*Epoch \d of 3 is kept/);
    for (const bytes of saved) {
      const again = await learn(crowd, options, { resume: loadCheckpoint(bytes) });
      expect(truthOf(again)).toEqual(truthOf(whole));
      expect(again.predictor.weights).toEqual(whole.predictor.weights);
      expect(again.trace).toEqual(whole.trace);
    }
  });

  it("refuses a checkpoint of answers that count otherwise", async () => {
    let saved: Checkpoint | undefined;
    const onCheckpoint = (make: () => Checkpoint) => {
      saved = make();
    };
    await learn(crowd, quick, { onCheckpoint });
    const weight = new Float64Array(crowd.data.worker.length).fill(2);
    const heavy = { ...crowd, data: { ...crowd.data, weight } };
    await expect(learn(heavy, quick, { resume: saved })).rejects.toThrow(/another run/);
  });

  it("stops when asked to, with a checkpoint", async () => {
    const signal = { aborted: false };
    let stopped: Checkpoint | undefined;
    const onCheckpoint: LearnContext["onCheckpoint"] = (make, last) => {
      signal.aborted = true;
      if (last) stopped = make();
    };
    const promise = learn(crowd, { ...quick, epochs: 50 }, { signal, onCheckpoint });
    await expect(promise).rejects.toMatchObject({ code: "cancelled" });
    expect(stopped?.runs.length).toBe(1);
  });

  it("does not care in which order rows stand, nor how workers are named", async () => {
    // Starts are drawn by the names of judges, and answers hidden by those of workers.
    const own = method.id === "reward-model-mixture" ? { types: 1 } : { clusters: 2 };
    const options = { ...still, ...own, model: "logistic" };
    const plain = await learn(crowd, options);
    const { worker, workers } = crowd.data;
    const backwards = kind.select(crowd.data, Int32Array.from(worker.keys()).reverse());
    const renamed = { ...backwards, workers: namesOf(Array.from(workers, (name) => `x${name}`)) };
    for (const data of [backwards, renamed]) {
      const other = truthOf(await learn({ ...crowd, data }, options));
      truthOf(plain).forEach((x, i) => {
        expect(Math.abs(x - other[i])).toBeLessThan(1e-4);
      });
    }
  });

  it.each(Object.entries(kind.degenerate))(
    "takes %s, also with answers held out",
    async (_, make) => {
      expectSound(await learn(make()), kind.truth);
      expectSound(await learn(make(), { ...quick, selection: "best" }), kind.truth);
    },
  );

  it("takes workers without answers, and answers that count nothing", async () => {
    const { data, features } = crowd;
    const weight = Float64Array.from(data.worker, (w) => (w === 0 ? 0 : 1));
    const workers = namesOf([...data.workers, "idle"]);
    expectSound(await learn({ data: { ...data, workers, weight }, features }), kind.truth);
  });

  it("refuses no answers, and names what has no features", async () => {
    await expect(learn(kind.empty())).rejects.toMatchObject({ name: "CrowdError" });
    const first = crowd.features.tasks.at(0);
    const features: Features = fromMatrix([first], [1], Float32Array.of(1));
    await expect(learn({ data: crowd.data, features })).rejects.toThrow(kind.missing);
  });

  it("chooses the epoch by validation gold, or says that it cannot", async () => {
    const gold = (crowd.data as { gold?: Float64Array }).gold ?? new Float64Array(0);
    const chosen = learn(crowd, quick, { valid: { features: crowd.features, gold } });
    if (method.id === "cluster-net") await expect(chosen).rejects.toThrow(/no names before/);
    else expect((await chosen).notes.join(" ")).toMatch(/validation gold/);
  });

  it("its model file says what it predicts and what the result has", async () => {
    const result = await learn(crowd);
    const { features } = crowd;
    const x = new Float32Array(features.tasks.length * features.shape[0]);
    features.read(
      [...features.tasks].map((_, i) => i),
      x,
    );
    const session = await runtime.InferenceSession.create(result.predictor.toOnnx());
    const said = await session.run({
      features: new runtime.Tensor("float32", x, [features.tasks.length, features.shape[0]]),
    });
    await session.release();
    const rowOf = new Map([...features.tasks].map((name, row) => [name, row]));
    const names = result as unknown as { items?: Iterable<string>; tasks: Iterable<string> };
    const order = [...(names.items ?? names.tasks)].map((name) => rowOf.get(name) ?? -1);
    const predicted = await result.predictor.predict(features, order);
    const truth = truthOf(result);
    expect(predicted.length).toBe(truth.length);
    const width = truth.length / order.length;
    const file = said[kind.output].data as Float32Array;
    truth.forEach((value, at) => {
      const inFile = file[order[Math.floor(at / width)] * width + (at % width)];
      expect(Math.abs(value - inFile)).toBeLessThan(1e-5 * Math.max(1, Math.abs(value)));
      expect(Math.abs(value - predicted[at])).toBeLessThan(1e-5 * Math.max(1, Math.abs(value)));
    });
  });
});

function numbersUnder(result: Learnt, name: string): Float64Array {
  return (result as unknown as Record<string, Float64Array>)[name];
}

function expectSound(result: Learnt, truth: string): void {
  const numbers = numbersUnder(result, truth);
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers.every(Number.isFinite), truth).toBe(true);
  expect(result.trace.every(Number.isFinite), "trace").toBe(true);
  expect(result.trace.length).toBe(result.history.flat().length);
  for (const name of ["offset", "stretch", "noise", "reliability", "alike", "apart"]) {
    const own = numbersUnder(result, name);
    if (own) expect(own.every(Number.isFinite), name).toBe(true);
  }
  for (const weights of result.predictor.weights.values())
    expect(weights.every(Number.isFinite)).toBe(true);
}
