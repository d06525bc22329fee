import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import { aggnet } from "./aggnet.ts";
import { forecast, labelsOn } from "./forecast.ts";
import type { Net } from "./network.ts";
import { crowdValidator, goldValidator, holdOut } from "./validation.ts";

const crowd = featureCrowd(3, { tasks: 200, workers: 6, classes: 2, skill: [0.7, 0.9] });
const { data, features } = crowd;
const rows = Int32Array.from([...data.tasks].keys());

/** A network that says the truth with some probability, whatever it is asked about. */
function saying(share: number): Net {
  const predict = (which: ArrayLike<number>) =>
    Float64Array.from({ length: 2 * which.length }, (_, at) =>
      data.gold[which[at >> 1]] === at % 2 ? share : 1 - share,
    );
  return {
    predict: async () => predict(rows),
    predictRows: async (_, which = rows) => predict(which),
  } as Partial<Net> as Net;
}

describe("tasks held out", () => {
  const { trained, heldOut } = holdOut(data, 0.25, createRandom(1));

  it("take all their labels with them, and are about as many as asked for", () => {
    const [kept, out] = [labelsPerTask(trained), labelsPerTask(heldOut)];
    expect(kept.every((n, t) => n === 0 || out[t] === 0)).toBe(true);
    expect(trained.label.length + heldOut.label.length).toBe(data.label.length);
    const share = out.filter((n) => n > 0).length / data.tasks.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.35);
  });

  it("prefer a classifier that is right, without being told the truth", async () => {
    const validator = crowdValidator(trained, heldOut, features, rows);
    const [guess, fair, good] = await Promise.all(
      [0.5, 0.7, 0.95].map((p) => validator.score(saying(p))),
    );
    expect(fair).toBeGreaterThan(guess);
    expect(good).toBeGreaterThan(fair);
    // A guess leaves the entropy of two equal classes; the truth leaves that of the workers' errors.
    expect(guess).toBeCloseTo(-Math.LN2, 1);
    expect(good).toBeCloseTo(-0.6, 1);
    // Which class is which cannot matter: it is read through the workers' confusions.
    expect(await validator.score(saying(0.05))).toBeCloseTo(good, 1);
  });
});

it("gold counts what is right", async () => {
  const validator = goldValidator({ features, gold: data.gold });
  expect(await validator.score(saying(0.9))).toBe(1);
  expect(await validator.score(saying(0.1))).toBe(0);
});

it("without validation gold the best epoch is chosen by labels held out, and that is said", async () => {
  const executor = await openRuntime();
  const options = { epochs: 8, hidden: "8", batch: 32, rate: 0.02, selection: "best" } as const;
  const { history, notes, posterior } = await aggnet(data, features, options, { executor });
  const scores = history[0].map(({ validation }) => validation ?? Number.NaN);
  const best = scores.indexOf(Math.max(...scores)) + 1;
  expect(notes.join(" ")).toMatch(
    /Without validation gold the epoch was chosen on the labels of \d+ tasks held out/,
  );
  expect(notes.join(" ")).toContain(`Epoch ${best} of 8 is kept`);
  expect(posterior.every(Number.isFinite)).toBe(true);
});

it("patience stops, that many epochs after the best", async () => {
  const executor = await openRuntime();
  const options = { epochs: 200, hidden: "8", batch: 32, rate: 0.05, patience: 3 } as const;
  const { history } = await aggnet(data, features, options, { executor });
  const scores = history[0].map(({ validation }) => validation ?? Number.NaN);
  expect(scores.length).toBeLessThan(200);
  expect(scores.length - 1 - scores.indexOf(Math.max(...scores))).toBe(3);
});

it("labels on other tasks, of strangers and of nobody say nothing", () => {
  const tasks = [data.tasks.at(5), "elsewhere", data.tasks.at(0)];
  const labels = labelsOn(namesOf(tasks), data);
  expect(labels.label.length).toBe(labelsPerTask(data)[0] + labelsPerTask(data)[5]);
  const evidence = new Float64Array(4).map((_, at) => Math.log(at === 0 || at === 3 ? 0.9 : 0.1));
  const f = Float64Array.of(0.5, 0.5, 0.3, 0.7, 0.5, 0.5);
  const known = { workers: namesOf([data.workers.at(0)]), classes: data.classes, evidence };
  const { posterior, unknown } = forecast(known, f, labels);
  expect(unknown).toBe(labels.worker.filter((w) => w !== 0).length);
  expect(Array.from(posterior.subarray(2, 4))).toEqual([
    expect.closeTo(0.3, 12),
    expect.closeTo(0.7, 12),
  ]);
  const first = [...labels.label.keys()].find(
    (i) => labels.worker[i] === 0 && labels.task[i] === 2,
  );
  if (first !== undefined) expect(posterior[4 + labels.label[first]]).toBeCloseTo(0.9, 12);
});

it("labels join what the classifier said before it was tempered", () => {
  const labels = fromRows([{ task: "a", worker: "w", label: "1" }], { classes: ["0", "1"] });
  const evidence = Float64Array.of(0.9, 0.2, 0.1, 0.8).map(Math.log);
  const known = { workers: namesOf(["w"]), classes: labels.classes, evidence };
  const plain = [0.9, 0.1];
  const softened = [3, 1].map((p) => p / 4);
  const tasks = labelsOn(namesOf(["a", "elsewhere"]), labels);
  const f = Float64Array.of(...softened, ...softened);
  const { posterior } = forecast({ ...known, temperature: 2 }, f, tasks);
  const joint = [plain[0] * 0.2, plain[1] * 0.8];
  expect(posterior[0]).toBeCloseTo(joint[0] / (joint[0] + joint[1]), 12);
  expect([...posterior.subarray(2)]).toEqual(softened);
});
