import { describe, expect, it } from "vitest";
import { gate } from "../../test/datasets.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { shuffle } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { classDependentCrowd } from "../simulate/class-dependent.ts";
import { confusionCrowd } from "../simulate/confusion.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import { type ForecastOptions, forecast } from "./forecast.ts";

/** About so many labels of each task, by lot. */
function part(data: CategoricalData, share: number, seed: number): CategoricalData {
  const random = createRandom(seed).split("part");
  const lists = Array.from({ length: data.tasks.length }, () => [] as number[]);
  for (let i = 0; i < data.label.length; i++) lists[data.task[i]].push(i);
  const kept = new Set<number>();
  for (const list of lists) {
    shuffle(random, list);
    for (const i of list.slice(0, Math.floor(list.length * share + random.next()))) kept.add(i);
  }
  return selectLabels(data, (i) => kept.has(i));
}

function accuracy(data: CategoricalData): number {
  const { consensus } = dawidSkene(data, { shrinkage: 4 });
  const tasks = [...data.gold.keys()].filter((t) => data.gold[t] >= 0);
  return tasks.filter((t) => consensus[t] === data.gold[t]).length / tasks.length;
}

const blind = (data: CategoricalData) => ({ ...data, gold: data.gold.map(() => -1) });

/** Whether the forecast from half of the labels contains what all labels show, and how wide it is. */
function halfway(data: CategoricalData, seed: number, options: ForecastOptions = {}) {
  const half = part(options.independent ? blind(data) : data, 0.5, seed);
  const { points } = forecast(half, { seed, goal: 0.01, ...options });
  const twice = points[3];
  const shown = accuracy(data);
  return { contained: shown >= twice.low && shown <= twice.high, width: twice.high - twice.low };
}

describe("a forecast", () => {
  const crowds = {
    "one coin": (seed: number) =>
      oneCoinCrowd({ tasks: 1000, workers: 30, labelsPerTask: 6, seed }),
    confusions: (seed: number) =>
      confusionCrowd({ tasks: 1000, workers: 40, labelsPerTask: 8, seed }),
    "skill per class": (seed: number) =>
      classDependentCrowd({ tasks: 1000, workers: 40, labelsPerTask: 6, seed }),
    "hammer and spammer": (seed: number) =>
      hammerSpammerCrowd({ tasks: 1000, workers: 30, labelsPerTask: 10, seed }),
  };

  it.each([
    ["gold", {}],
    ["labels of independent workers", { independent: true }],
  ] as const)(
    "from half of the labels contains what all show, by %s, no wider than 6 points",
    (_, options) => {
      const runs = Object.values(crowds).flatMap((crowd) =>
        [1, 2, 3].map((seed) => halfway(crowd(70 + seed).data, seed, { draws: 24, ...options })),
      );
      // Of 12 intervals of 95 % three or more miss in 2 % of the cases.
      expect(runs.filter(({ contained }) => contained).length).toBeGreaterThanOrEqual(10);
      const widths = runs.map(({ width }) => width).sort((a, b) => a - b);
      expect(widths[6]).toBeLessThanOrEqual(0.06);
    },
  );

  it("knows the accuracy now if all tasks have gold, and brackets it if a sample has", () => {
    const { data } = oneCoinCrowd({ tasks: 400, workers: 20, labelsPerTask: 5, seed: 4 });
    const now = accuracy(data);
    const [known] = forecast(data, { draws: 4 }).points;
    expect(known).toMatchObject({ labels: 2000, labelsPerTask: 5, gain: 0 });
    for (const value of [known.accuracy, known.low, known.high]) expect(value).toBeCloseTo(now, 9);
    const gold = data.gold.map((k, t) => (t % 4 === 0 ? k : -1));
    const found = forecast(data, { gold, draws: 20 });
    expect(found).toMatchObject({ basis: "gold", goldTasks: 100, tasks: 400 });
    expect(found.points[0].low).toBeLessThan(now);
    expect(found.points[0].high).toBeGreaterThan(now);
    expect(found.points[0].high - found.points[0].low).toBeGreaterThan(0.03);
  });

  it("keeps the tasks with gold when it looks at a sample", () => {
    const { data } = oneCoinCrowd({ tasks: 3000, workers: 20, labelsPerTask: 4, seed: 4 });
    const gold = data.gold.map((k, t) => (t % 100 === 0 ? k : -1));
    const found = forecast(data, { gold, draws: 16, mostLabels: 1000 });
    expect(found).toMatchObject({ basis: "gold", goldTasks: 30, tasks: 3000 });
    // Thirty tasks say little: their share among all tasks counts, not that in the sample.
    expect(found.points[0].high - found.points[0].low).toBeGreaterThan(0.05);
    expect(found.points[3]).toMatchObject({ labels: 24_000, labelsPerTask: 8 });
  });

  it("is anchored on gold, also where all workers share an error", () => {
    const { data: drawn } = oneCoinCrowd({ tasks: 500, workers: 20, labelsPerTask: 6, seed: 5 });
    // Workers agree on the wrong class of every third task.
    const label = drawn.label.map((k, i) => (drawn.task[i] % 3 === 0 ? 1 - k : k));
    const data = { ...drawn, label };
    const gold = data.gold.map((k, t) => (t < 150 ? k : -1));
    const { points } = forecast(data, { gold, draws: 16 });
    expect(accuracy(data)).toBeLessThan(0.7);
    expect(points[0].low).toBeLessThan(accuracy(data));
    expect(points[0].high).toBeGreaterThan(accuracy(data));
    expect(points[5].accuracy).toBeLessThan(0.8);
    const alone = forecast(blind(data), { draws: 16, independent: true });
    expect(alone.points[0].low).toBeGreaterThan(0.8);
  });

  it("without gold allows for errors that labels cannot show, unless told not to", () => {
    const { data } = confusionCrowd({ tasks: 500, workers: 30, labelsPerTask: 5, seed: 6 });
    const [wide, narrow] = [false, true].map(
      (independent) => forecast(blind(data), { independent, draws: 20 }).points[3],
    );
    expect(narrow.high - narrow.low).toBeLessThan(0.5 * (wide.high - wide.low));
    expect(wide.low).toBeLessThan(narrow.low);
  });

  it("says how many labels a goal takes: three classes, thirty workers, .95", () => {
    const truly: boolean[] = [];
    for (let seed = 0; seed < 8; seed++) {
      const { data } = confusionCrowd({
        ...{ tasks: 300, workers: 30, labelsPerTask: 20, classes: 3 },
        ...{ diagonal: 3, offDiagonal: 1, seed: 40 + seed },
      });
      const reached = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20].find(
        (labels) => accuracy(part(data, labels / 20, seed)) >= 0.95,
      );
      const early = blind(part(data, 3 / 20, seed));
      const { goal } = forecast(early, { independent: true, draws: 20, seed });
      const more = 300 * ((reached ?? Infinity) - 3);
      truly.push((goal?.low ?? 0) <= more && more <= (goal?.high ?? Infinity));
    }
    expect(truly.filter((contained) => contained).length).toBeGreaterThanOrEqual(7);
  });

  it("says if a goal is reached or out of reach, and if it is too early", () => {
    const good = oneCoinCrowd({ tasks: 200, workers: 10, labelsPerTask: 8, a: 40, b: 1, seed: 1 });
    expect(forecast(good.data, { goal: 0.9, draws: 8 }).goal).toMatchObject({
      state: "reached",
      more: 0,
    });
    const guessing = oneCoinCrowd({
      ...{ tasks: 200, workers: 10, labelsPerTask: 5, a: 500, b: 480, seed: 1 },
    });
    const { goal } = forecast(guessing.data, { goal: 0.95, draws: 8 });
    expect(goal?.state).toBe("out of reach");
    expect(goal?.ceiling).toBeLessThan(0.9);
    const { data } = oneCoinCrowd({ tasks: 200, workers: 10, labelsPerTask: 1, seed: 1 });
    expect(forecast(data)).toMatchObject({
      points: [],
      tooEarly: expect.stringContaining("only 1.0 labels per task"),
    });
    expect(forecast(selectLabels(data, () => false)).tooEarly).toContain("no labels");
  });

  it("gives the same numbers again, and refuses what means nothing", () => {
    const { data } = oneCoinCrowd({ tasks: 60, workers: 8, labelsPerTask: 4, seed: 2 });
    const options = { draws: 4, seed: 3 };
    expect(forecast(data, options)).toEqual(forecast(data, options));
    expect(() => forecast(data, { goal: 1 })).toThrow("goal must be above 0 and below 1, not 1");
    expect(() => forecast(data, { draws: 1 })).toThrow("draws must be a whole number");
  });

  for (const name of ["rte", "temp", "possent", "weather_amt"]) {
    gate(name, "gold and half of the labels forecast what all of them show", (data) => {
      const runs = [1, 2].map((seed) => halfway(data, seed, { draws: 20 }));
      expect(runs.map(({ contained }) => contained)).toEqual([true, true]);
    });
  }
});
