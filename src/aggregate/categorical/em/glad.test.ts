import { describe, expect, it } from "vitest";
import { accuracyGates, splitAccuracy } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { namesOf } from "../../../data/names.ts";
import { normal } from "../../../math/distributions.ts";
import { createRandom } from "../../../math/random.ts";
import { spearman } from "../../../math/statistics.ts";
import { glad } from "./glad.ts";
import { createGlad } from "./glad-model.ts";
import { oneCoin } from "./one-coin.ts";

const logistic = (x: number) => 1 / (1 + Math.exp(-x));

describe("invariants", () => {
  it.each([2, 4])("never lowers its penalised likelihood (K = %i)", (classes) => {
    for (let seed = 0; seed < 10; seed++) {
      const data = randomCrowd(seed, { classes, skill: [0.1, 0.9] });
      const options = { prior: "learn", tolerance: 0, maxIterations: 30 } as const;
      const { trace } = glad(data, options, { priorCounts: new Float64Array(classes).fill(1) });
      for (let i = 1; i < trace.length; i++) {
        expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9 * Math.abs(trace[i]));
      }
    }
  });

  it("climbs by slopes that match finite differences of the definition", () => {
    const data = weighted(randomCrowd(1, { tasks: 12, workers: 5 }));
    const history = Float64Array.from({ length: 5 * 9 }, (_, at) => (at % 4 === 0 ? 4 : 1));
    const model = createGlad(data, history, { meanLogOdds: 1, meanEase: 0.5 }, 3);
    const random = createRandom(2);
    model.posterior.fill(0.6);
    model.maximise(); // gives each task its own ease
    // All labels of every second task are right: where its height curves upwards.
    for (let at = 0; at < model.posterior.length; at++) {
      model.posterior[at] = Math.floor(at / 3) % 2 === 0 ? random.next() : 1;
    }
    const q = (logOdds: Float64Array, ease: Float64Array) =>
      expected(data, model.posterior, logOdds, ease, history, [1, 0.5]);
    const height = { value: 0, slope: 0, curvature: 0 };
    const moved = (values: Float64Array, at: number, by: number) =>
      values.map((x, i) => (i === at ? x + by : x));
    const check = (at: (by: number) => number) => {
      const [low, mid, high] = [-1e-4, 0, 1e-4].map(at);
      expect(height.slope).toBeCloseTo((high - low) / 2e-4, 5);
      return (high - 2 * mid + low) / 1e-8;
    };
    for (let w = 0; w < data.workers.length; w++) {
      model.lookAtWorker(w, model.logOdds[w], height);
      const curve = check((by) => q(moved(model.logOdds, w, by), model.ease));
      expect(height.curvature / curve).toBeCloseTo(1, 3);
    }
    for (let t = 0; t < data.tasks.length; t++) {
      model.lookAtTask(t, model.ease[t], height);
      const curve = check((by) => q(model.logOdds, moved(model.ease, t, by)));
      expect(height.curvature).toBeLessThanOrEqual(curve + 1e-3);
      expect(height.curvature).toBeLessThanOrEqual(-1);
    }
  });

  it("ends where no worker and no task can climb", () => {
    const data = randomCrowd(3);
    const { logOdds, difficulty, posterior } = glad(data, { tolerance: 0, maxIterations: 2000 });
    const ease = difficulty.map((d) => -Math.log(d));
    const q = (a: Float64Array, b: Float64Array) =>
      expected(data, posterior, a, b, undefined, [1, 1]);
    const top = q(logOdds, ease);
    for (const by of [-1e-2, 1e-2]) {
      for (let w = 0; w < logOdds.length; w++) {
        expect(q(logOdds.with(w, logOdds[w] + by), ease)).toBeLessThan(top);
      }
      for (let t = 0; t < ease.length; t++) {
        expect(q(logOdds, ease.with(t, ease[t] + by))).toBeLessThan(top);
      }
    }
  });

  it("hears nothing of the class in an abstention", () => {
    const data = randomCrowd(4);
    const silent = { ...data, label: data.label.map((l, i) => (i % 5 === 0 ? 3 : l)) };
    const modelled = glad(silent, { abstentions: "model" });
    expect(modelled.posterior).toEqual(glad(silent).posterior);
    expect(modelled.given).toBe(4);
  });

  it("takes a worker's past as labels on tasks of usual ease", () => {
    const data = randomCrowd(1);
    const history = new Float64Array(8 * 9);
    for (let k = 0; k < 3; k++) history[k * 4] = 1000;
    history.fill(1000, 9, 18);
    const { logOdds } = glad(data, {}, { history });
    const usual = Math.exp(1);
    expect(logistic(logOdds[0] * usual)).toBeGreaterThan(0.99);
    expect(logistic(logOdds[1] * usual)).toBeCloseTo(1 / 3, 2);
  });
});

describe("brute force", () => {
  it.each([2, 3])("matches a sum over every possible truth (K = %i)", (classes) => {
    const data = weighted(randomCrowd(3, { tasks: 5, workers: 3, classes }));
    const { posterior, logOdds, difficulty, trace } = glad(data, { maxIterations: 5 });
    const right = (i: number) => logistic(logOdds[data.worker[i]] / difficulty[data.task[i]]);
    let total = 0;
    const exact = new Float64Array(posterior.length);
    for (let code = 0; code < classes ** 5; code++) {
      const truth = Array.from(data.tasks, (_, t) => Math.floor(code / classes ** t) % classes);
      let p = classes ** -5;
      data.label.forEach((l, i) => {
        const rate = l === truth[data.task[i]] ? right(i) : (1 - right(i)) / (classes - 1);
        p *= rate ** (data.weight?.[i] ?? 1);
      });
      total += p;
      truth.forEach((k, t) => {
        exact[t * classes + k] += p;
      });
    }
    expect([...posterior]).toEqual([...exact].map((p) => expect.closeTo(p / total, 10)));
    let penalty = 0;
    for (const a of logOdds) penalty -= (a - 1) ** 2 / 2;
    for (const d of difficulty) penalty -= (-Math.log(d) - 1) ** 2 / 2;
    expect(trace.at(-1)).toBeCloseTo(Math.log(total) + penalty, 9);
  });
});

describe("published numbers", () => {
  accuracyGates(
    {
      bluebird: 0.7222,
      rte: 0.925,
      web: 0.8228,
      product: 0.9283,
      possent: 0.948,
      weather: 0.88,
      weather_amt: 0.8533,
      sp: 0.9172,
      sp_amt: 0.946,
      zencrowd_in: 0.7657,
      zencrowd_us: 0.8765,
    },
    0.005,
    (data) => glad(data),
  );
});

describe("limits", () => {
  it("ranks tasks by difficulty, and is about as good as one-coin where they differ", () => {
    let gain = 0;
    for (let seed = 0; seed < 5; seed++) {
      const { data, ease } = drawTasks(seed, 600, 40, 20);
      const { difficulty, posterior } = glad(data);
      expect(spearman(difficulty, ease)).toBeLessThan(-0.5);
      const other = oneCoin(data, { comparePriors: false }).posterior;
      gain += (splitAccuracy(data, posterior) - splitAccuracy(data, other)) / 5;
    }
    // They disagree on about 1 % of 3000 tasks, by chance: three standard errors are 0.005.
    expect(gain).toBeGreaterThan(-0.005);
  });

  it("gives an adversary negative log-odds", () => {
    const data = randomCrowd(2, { classes: 2, skill: [0.9, 0.95] });
    const label = data.label.map((l, i) => (data.worker[i] === 0 ? 1 - l : l));
    const { logOdds, skill } = glad({ ...data, label });
    expect(logOdds[0]).toBeLessThan(0);
    expect(skill[0]).toBeLessThan(0.3);
    for (let w = 1; w < 8; w++) expect(logOdds[w]).toBeGreaterThan(0);
  });

  it("leaves a task and a worker without labels at their prior means", () => {
    const data = randomCrowd(2);
    const { logOdds, difficulty } = glad(
      {
        ...data,
        tasks: namesOf([...data.tasks, "empty"]),
        workers: namesOf([...data.workers, "silent"]),
        gold: Int32Array.of(...data.gold, -1),
      },
      { meanLogOdds: 5, meanEase: 0.5, maxIterations: 1 },
    );
    expect(logOdds.at(-1)).toBe(5);
    expect(difficulty.at(-1)).toBeCloseTo(Math.exp(-0.5), 12);
  });

  it("halves a step that leads down", () => {
    // So easy that the height has a kink at 0, and labels that are right two times in five.
    const data = randomCrowd(1, { classes: 2, rate: 1 });
    const model = createGlad(data, undefined, { meanLogOdds: 0.5, meanEase: 6 }, 2);
    model.posterior.fill(0.4);
    model.maximise();
    for (const a of model.logOdds) expect(Math.abs(a)).toBeLessThan(0.1);
  });

  it("keeps its parameters in bounds, whatever pushes them", () => {
    const data = randomCrowd(2, { classes: 2, skill: [1, 1] });
    const label = data.label.map((l, i) => (data.task[i] === 0 ? 1 - l : l));
    const weight = new Float64Array(label.length).fill(1e6);
    const { logOdds, difficulty, trace } = glad(
      { ...data, label, weight },
      { meanLogOdds: 19.5, meanEase: -5.5, maxIterations: 1 },
      { gold: data.gold },
    );
    expect(trace.every(Number.isFinite)).toBe(true);
    expect(Math.max(...logOdds)).toBe(20);
    expect(difficulty[0]).toBeCloseTo(Math.exp(6), 9);
  });
});

/** Labels that count for 1, 2 or 3. */
function weighted(data: CategoricalData): CategoricalData {
  return { ...data, weight: Float64Array.from(data.label, (_, i) => 1 + (i % 3)) };
}

/** The expected log-likelihood that the M step climbs, priors and history included, as defined. */
function expected(
  data: CategoricalData,
  posterior: Float64Array,
  logOdds: Float64Array,
  ease: Float64Array,
  history: Float64Array | undefined,
  [meanLogOdds, meanEase]: readonly [number, number],
): number {
  const K = data.classes.length;
  let sum = 0;
  data.label.forEach((l, i) => {
    const p = logistic(logOdds[data.worker[i]] * Math.exp(ease[data.task[i]]));
    const r = posterior[data.task[i] * K + l];
    sum += (data.weight?.[i] ?? 1) * (r * Math.log(p) + (1 - r) * Math.log(1 - p));
  });
  for (const a of logOdds) sum -= (a - meanLogOdds) ** 2 / 2;
  for (const b of ease) sum -= (b - meanEase) ** 2 / 2;
  history?.forEach((count, at) => {
    const p = logistic(logOdds[Math.floor(at / (K * K))] * Math.exp(meanEase));
    const right = at % K === Math.floor(at / K) % K;
    sum += count * Math.log(right ? p : 1 - p);
  });
  return sum;
}

/** A crowd drawn from the model: `each` labels per task, two classes. */
function drawTasks(seed: number, T: number, W: number, each: number) {
  const random = createRandom(seed);
  const logOdds = Float64Array.from({ length: W }, () => 0.4 + 0.4 * normal(random));
  const ease = Float64Array.from({ length: T }, () => 1 + normal(random));
  const gold = Int32Array.from({ length: T }, () => (random.next() < 0.5 ? 0 : 1));
  const task: number[] = [];
  const worker: number[] = [];
  const label: number[] = [];
  for (let t = 0; t < T; t++) {
    const first = Math.floor(random.next() * W);
    for (let j = 0; j < each; j++) {
      const w = (first + j) % W;
      task.push(t);
      worker.push(w);
      const right = random.next() < logistic(logOdds[w] * Math.exp(ease[t]));
      label.push(right ? gold[t] : 1 - gold[t]);
    }
  }
  const data: CategoricalData = {
    kind: "categorical",
    tasks: namesOf(Array.from({ length: T }, (_, t) => `t${t}`)),
    workers: namesOf(Array.from({ length: W }, (_, w) => `w${w}`)),
    classes: namesOf(["no", "yes"]),
    task: Int32Array.from(task),
    worker: Int32Array.from(worker),
    label: Int32Array.from(label),
    gold,
    notes: [],
  };
  return { data, ease };
}
