import { describe, expect, it } from "vitest";
import { loadSet, withSet } from "../../test/datasets.ts";
import { labelMeFeatures, labelMePredicted } from "../../test/labelme.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import { tempered } from "../belief/temper.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { normal } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import {
  believeLabels,
  countedConfusion,
  evidenceOf,
  temperatureByGold,
  temperatureByLabels,
} from "./calibration.ts";
import { crowdLayer } from "./crowd-layer.ts";
import type { AnyLearner, Learning } from "./learner.ts";
import { readModel } from "./trained-model.ts";
import { twoStage } from "./two-stage.ts";

const K = 4;

/** Probabilities from which classes are drawn, and labels of workers who err one time in four. */
function drawn(seed: number, T = 1500) {
  const random = createRandom(seed).split("calibration");
  const f = new Float64Array(T * K);
  const gold = new Int32Array(T);
  const rows: { task: string; worker: string; label: string }[] = [];
  for (let t = 0; t < T; t++) {
    const weights = Array.from({ length: K }, () => Math.exp(1.5 * normal(random)));
    const total = weights.reduce((a, b) => a + b, 0);
    let left = random.next() * total;
    gold[t] = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    f.set(
      weights.map((weight) => weight / total),
      t * K,
    );
    for (let w = 0; w < 3; w++) {
      const label = random.next() < 0.75 ? gold[t] : Math.floor(random.next() * K);
      rows.push({ task: `t${t}`, worker: `w${(t + 7 * w) % 20}`, label: `c${label}` });
    }
  }
  const data = fromRows(rows, { classes: ["c0", "c1", "c2", "c3"] }) as CategoricalData;
  return { f, gold, data };
}

describe("temperatures", () => {
  it("are found by gold: what was sharpened or softened comes back", () => {
    for (const power of [0.5, 1, 3]) {
      const { f, gold } = drawn(1);
      const T = temperatureByGold(tempered(f, K, 1 / power), gold);
      expect(T / power).toBeGreaterThan(0.9);
      expect(T / power).toBeLessThan(1.1);
    }
  });

  it("are found by labels of workers who are known", () => {
    const { f, gold, data } = drawn(2);
    const truth = new Float64Array(f.length);
    gold.forEach((k, t) => {
      truth[t * K + k] = 1;
    });
    const confusion = countedConfusion(data, truth);
    const rows = Int32Array.from(gold.keys());
    for (const power of [0.5, 1, 2.5]) {
      const sharpened = tempered(f, K, 1 / power);
      const T = temperatureByLabels(sharpened, data, rows, { confusion, certainty: 1 });
      expect(T / power).toBeGreaterThan(0.85);
      expect(T / power).toBeLessThan(1.15);
    }
  });

  it("are found by workers who have to be estimated first", () => {
    const { f, data } = drawn(4);
    const belief = believeLabels(data, 0);
    const T = temperatureByLabels(
      tempered(f, K, 0.4),
      data,
      Int32Array.from(data.tasks, (_, t) => t),
      belief,
    );
    expect(T / 2.5).toBeGreaterThan(0.8);
    expect(T / 2.5).toBeLessThan(1.25);
  });

  it("rise by as much as labels that leave no doubt may be wrong", () => {
    const { f, data } = drawn(5);
    const rows = Int32Array.from(data.tasks, (_, t) => t);
    const { confusion } = believeLabels(data, 0);
    const at = (certainty: number) => temperatureByLabels(f, data, rows, { confusion, certainty });
    expect(at(0.8)).toBeGreaterThan(1.2 * at(1));
    expect(at(0.6)).toBeGreaterThan(1.2 * at(0.8));
  });

  it("stay 1 where there is little to go by", () => {
    const { f, gold } = drawn(3, 20);
    expect(temperatureByGold(tempered(f, K, 0.2), gold)).toBe(1);
    expect(temperatureByGold(tempered(f, K, 0.2), gold.fill(-1))).toBe(1);
  });
});

const executor = await openRuntime();

it("evidence is what the labels of all workers say together", () => {
  const said = { ann: "a", bob: "b", eve: "b" };
  const rows = Object.entries(said).map(([worker, label]) => ({ task: "t", worker, label }));
  const data = fromRows(rows, { classes: ["a", "b"] });
  const confusion = Float64Array.from([0.8, 0.2, 0.3, 0.7, 0.6, 0.4, 0.1, 0.9, 0.6, 0.4, 0.1, 0.9]);
  const belief = { confusion, certainty: 1 };
  const logs = (...numbers: number[]) => numbers.reduce((sum, p) => sum + Math.log(p), 0);
  const all = evidenceOf(data, Int32Array.of(0), belief);
  expect([...all]).toEqual([logs(0.8, 0.4, 0.4), logs(0.3, 0.9, 0.9)]);
});

withSet("labelme", "held-out labels make classifiers honest, and leave their answers", async () => {
  const data = loadSet("labelme");
  const features = await labelMeFeatures();
  const scores = async (learnt: Learning) => {
    const { f, gold } = await labelMePredicted(data, learnt);
    const C = data.classes.length;
    let [loss, right, sure] = [0, 0, 0];
    gold.forEach((k, i) => {
      const row = f.subarray(i * C, (i + 1) * C);
      const most = row.reduce((a, b) => Math.max(a, b));
      loss -= Math.log(Math.max(row[k], 1e-10)) / gold.length;
      right += Number(row.indexOf(most) === k) / gold.length;
      sure += most / gold.length;
    });
    return { loss, right, gap: Math.abs(sure - right) };
  };
  const plainly = { rate: 1e-3, crowdRate: 0, schedule: "constant", steps: 1200 } as const;
  const options = { ...plainly, selection: "last", patience: 100 } as const;
  const methods: readonly (readonly [AnyLearner, object])[] = [
    [twoStage, { targets: "hard" }],
    [crowdLayer, {}],
  ];
  for (const [method, more] of methods) {
    const [own, plain] = await Promise.all(
      [true, false].map((calibrate) =>
        method(data, features, { ...options, ...more, calibrate }, { executor }),
      ),
    );
    const [honest, before] = await Promise.all([own, plain].map(scores));
    expect(honest.right).toBeCloseTo(before.right, 10);
    expect(honest.loss).toBeLessThan(0.9 * before.loss);
    expect(honest.gap).toBeLessThan(0.75 * before.gap);
    expect(own.notes.join()).toMatch(/tempered by \d\.\d\d, chosen on held-out labels/);
    const { temperature = 1 } = own.predictor;
    expect(temperature).toBeGreaterThan(1);
    const read = readModel({ name: "m", onnx: own.predictor.toOnnx() });
    expect(read.classes.length).toBe(data.classes.length);
    expect(own.predictor.weights).toEqual(plain.predictor.weights);
  }
});

describe("what may be believed of labels that agree", () => {
  const crowd = randomCrowd(1, {
    tasks: 600,
    workers: 10,
    classes: 4,
    rate: 0.6,
    skill: [0.6, 0.8],
  });

  it("is all of it where workers err independently", () => {
    expect(believeLabels(crowd, 0).certainty).toBe(1);
  });

  it("is less where the labels show that they err alike", () => {
    // On every fourth task most see the class before.
    const random = createRandom(1);
    const seen = (t: number) => (t % 4 === 0 ? (crowd.gold[t] + 3) % 4 : crowd.gold[t]);
    const label = crowd.task.map((t, i) => (random.next() < 0.5 ? seen(t) : crowd.label[i]));
    const { certainty } = believeLabels({ ...crowd, label }, 0);
    expect(certainty).toBeLessThan(0.995);
    expect(certainty).toBeGreaterThan(0.5);
  });
});
