import { describe, expect, it } from "vitest";
import { featureCrowd, featuresOf } from "../../test/feature-crowd.ts";
import { fixedLogistic } from "../../test/fixed-logistic.ts";
import { labContext } from "../../test/lab-context.ts";
import { zeroLogistic } from "../../test/zero-logistic.ts";
import { beliefPropagation } from "../aggregate/categorical/messages/belief-propagation.ts";
import { fromMatrix } from "../data/features.ts";
import { fromRows } from "../data/from-rows.ts";
import { openRuntime } from "../node/runtime.ts";
import {
  byDefault,
  type CaseName,
  cases,
  type MethodName,
  runCase,
  underSpammers,
} from "../reproduce/deep-bp-features.ts";
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import { deepBp } from "./deep-bp.ts";
import { taskPriors } from "./deep-mf.ts";
import { twoStage } from "./two-stage.ts";

const executor = await openRuntime();
const context = labContext(executor);

/** A network that does not learn. */
const still = { rate: 0, epochs: 1 } as const;

describe("with a network that does not learn", () => {
  // Eight labels without loops, and P(second class) of the five tasks by a sum over all truths.
  const edges = "000 100 110 211 221 321 420 430".split(" ");
  const exact = {
    "one-coin 2 1": [0.293103, 0.172414, 0.844828, 0.734483, 0.172414],
    "two-coin 2 1": [0.329851, 0.183314, 0.840727, 0.711935, 0.163137],
    "one-coin .5 .25": [0.216079, 0.128137, 0.892999, 0.823586, 0.128137],
    "two-coin .5 .25": [0.312928, 0.138794, 0.903603, 0.803258, 0.110747],
  };
  it.each(Object.entries(exact))("is exact on a tree (%s)", async (prior, expected) => {
    const data = fromRows(edges.map(([task, worker, label]) => ({ task, worker, label })));
    const [workerPrior, right, wrong] = prior.split(" ");
    const chosen = { ...still, workerPrior: workerPrior as "one-coin", tolerance: 1e-12 };
    const { posterior } = await deepBp(
      data,
      fromMatrix(
        [...data.tasks],
        [2],
        Float32Array.from({ length: 10 }, (_, i) => Math.sin(i)),
      ),
      { ...chosen, right: Number(right), wrong: Number(wrong) },
      { executor },
    );
    const second = posterior.filter((_, at) => at % 2 === 1);
    expect([...second]).toEqual(expected.map((p) => expect.closeTo(p, 6)));
  });

  it.each([
    ["one-coin", 2],
    ["one-coin", 4],
    ["two-coin", 2],
  ] as const)(
    "is belief propagation with its opinions as task priors (%s, %i classes)",
    async (workerPrior, K) => {
      const { data, features } = featureCrowd(3, { classes: K, tasks: 50 });
      const chosen = { workerPrior, right: 3, wrong: 1.5, tolerance: 1e-10 };
      const context = { executor, model: fixedLogistic(1) };
      const result = await deepBp(data, features, { ...chosen, ...still, clipAt: 0.8 }, context);
      const taskPrior = taskPriors(await result.predictor.predict(features), K, 0.8);
      const reference = beliefPropagation(data, chosen, { taskPrior });
      expectAlike(result.posterior, reference.posterior);
      expectAlike(result.confusion ?? new Float64Array(), reference.confusion);
    },
  );
});

it("learns what the labels alone say until it is to solve the messages anew", async () => {
  const { data, features } = featureCrowd(4, { classes: 3 });
  const shared = { epochs: 8, rate: 0.05, batch: 1000, schedule: "constant", decay: 0 } as const;
  const context = { executor, model: zeroLogistic };
  const first = { ...shared, aggregator: "belief-propagation", targets: "soft" } as const;
  const plain = await twoStage(data, features, first, context);
  const { trace } = await deepBp(data, features, { ...shared, refresh: 5 }, context);
  for (let epoch = 0; epoch < 5; epoch++) expect(trace[epoch]).toBeCloseTo(plain.trace[epoch], 6);
  expect(Math.abs(trace[5] - plain.trace[5])).toBeGreaterThan(0.01);
});

it("does not let the accidents of a random start turn over what all workers say", async () => {
  const rows = Array.from({ length: 30 }, (_, i) => ({
    task: `t${i % 10}`,
    worker: `w${i % 3}`,
    label: "a",
  }));
  const data = fromRows(rows, { classes: ["a", "b"], gold: [["t0", "a"]] });
  for (let seed = 0; seed < 8; seed++) {
    const chosen = { epochs: 30, hidden: "5", dropout: 0, rate: 0.02, seed };
    const features = featuresOf(data, 3, 0, seed);
    const { consensus } = await deepBp(data, features, chosen, { executor });
    expect([...consensus], `seed ${seed}`).toEqual(Array.from(data.tasks, () => 0));
  }
});

describe("goes on from every checkpoint to the same bits", () => {
  it.each([
    { refresh: 3 },
    { integral: "mc", samples: 50, resample: "run" },
    { integral: "mc", samples: 50, resample: "sweep" },
    { workerPrior: "two-coin", samples: 50, resample: "sweep" },
  ] as const)("%o", async (own) => {
    const { data, features } = featureCrowd(5, { classes: 3 });
    const chosen = { ...own, epochs: 5, hidden: "5" };
    const saved: Uint8Array[] = [];
    const onCheckpoint = (make: () => Checkpoint) => saved.push(saveCheckpoint(make()));
    const whole = await deepBp(data, features, chosen, { executor, onCheckpoint });
    expect(saved.length).toBe(5);
    for (const bytes of saved.slice(0, -1)) {
      const context = { executor, resume: loadCheckpoint(bytes) };
      const again = await deepBp(data, features, chosen, context);
      expect(again.posterior).toEqual(whole.posterior);
      expect(again.predictor.weights).toEqual(whole.predictor.weights);
      expect(again.notes).toEqual(whole.notes);
    }
  });
});

describe("notes", () => {
  const quick = { epochs: 2, hidden: "4", calibrate: false };
  const notesOf = async (crowd: ReturnType<typeof featureCrowd>, options: object) =>
    (await deepBp(crowd.data, crowd.features, { ...quick, ...options }, { executor })).notes.join(
      " ",
    );
  const three = featureCrowd(6, { classes: 3, tasks: 200, workers: 5, rate: 0.9 });

  it("say when draws stand for the confusions, and when hardly one of them fits", async () => {
    const notes = await notesOf(three, { workerPrior: "two-coin" });
    expect(notes).toMatch(/draws from the prior stand for it/);
    expect(notes).toMatch(/Of 400 draws from the prior fewer than 10 fit the workers behind 100 %/);
    expect(await notesOf(three, {})).toBe("");
  });

  it("say when the prior is at chance, and when messages have not settled", async () => {
    const two = featureCrowd(7, { classes: 2 });
    expect(await notesOf(two, { right: 1, wrong: 1 })).toMatch(/labels tell nothing/);
    expect(await notesOf(two, { sweeps: 1 })).toMatch(/damping of 0.3 may settle/);
    expect(await notesOf(two, { right: 1.2, wrong: 1 })).toBe("");
  });
});

/** Means over two seeds of what `reproduce deep-bp-features` runs with ten. */
async function inference<Name extends MethodName>(
  row: CaseName,
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const [one, other] = [
    await runCase(context, cases[row], names, 0),
    await runCase(context, cases[row], names, 1),
  ];
  const mean = (name: Name) => (one[name].inference + other[name].inference) / 2;
  return Object.fromEntries(names.map((name) => [name, mean(name)])) as Record<Name, number>;
}

describe("on sparse crowds with features", () => {
  it("is better than deep mean field where skills are extreme and features poor", async () => {
    const of = await inference("sparse skills, poor features", ["deep-mf", "deep-bp"]);
    expect(of["deep-bp"]).toBeGreaterThan(of["deep-mf"] + 0.02);
    expect(of["deep-bp"]).toBeGreaterThan(0.885);
  });

  it("holds with a spammer, and good features rescue mean field too", async () => {
    const of = await inference("spammer, good features", ["mf", "deep-mf", "deep-bp"]);
    expect(of.mf).toBeLessThan(0.6);
    expect(of["deep-mf"]).toBeGreaterThan(0.83);
    expect(of["deep-bp"]).toBeGreaterThan(0.82);
  });

  it("is kept from useless features by clipAt, and loses to the labels alone without it", async () => {
    const methods = ["bp", "mf", "deep-mf", "deep-bp"] as const;
    const free = await inference("useless features", methods);
    const clipped = await inference("useless features, clipped", methods);
    expect(free["deep-bp"]).toBeLessThan(free.bp - 0.02);
    expect(clipped["deep-bp"]).toBeGreaterThan(clipped.bp - 0.01);
    expect(clipped["deep-mf"]).toBeGreaterThan(clipped.mf - 0.015);
  });

  it("does not fall to chance under spammers as deep mean field can", async () => {
    const names = ["deep-mf two", "deep-bp"] as const;
    const of = await runCase(context, underSpammers(1), names, 1, byDefault);
    expect(of["deep-mf two"].inference).toBeLessThan(0.6);
    expect(of["deep-bp"].inference).toBeGreaterThan(0.74);
  });
});

function expectAlike(one: Float64Array, other: Float64Array): void {
  expect(one.length).toBe(other.length);
  for (let at = 0; at < one.length; at++) expect(one[at]).toBeCloseTo(other[at], 6);
}
