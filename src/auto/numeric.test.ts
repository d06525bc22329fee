import { describe, expect, it } from "vitest";
import { loadNumeric, withSet } from "../../test/datasets.ts";
import { numericLaws } from "../../test/numeric-checks.ts";
import { randomNumbers } from "../../test/random-answers.ts";
import { mean } from "../aggregate/numeric/mean.ts";
import type { NumericData } from "../data/numeric.ts";
import { evaluateValues } from "../evaluate/numeric.ts";
import { normal } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { drain } from "../method.ts";
import { meanOfKnown } from "./hidden-answers.ts";
import { mergeCopies } from "./merge-copies.ts";
import { hiddenValues, numericAuto } from "./numeric.ts";

numericLaws(numericAuto);

const errorOf = (data: NumericData, value: Float64Array) =>
  evaluateValues({ value, gold: data.gold }).rmse;

/** RMSE of the blend over that of the mean, pooled over seeds. */
function ratio(make: (seed: number) => NumericData): number {
  let [own, plain] = [0, 0];
  for (let seed = 0; seed < 5; seed++) {
    const data = make(seed);
    own += errorOf(data, numericAuto(data).value) ** 2;
    plain += errorOf(data, mean(data).value) ** 2;
  }
  return Math.sqrt(own / plain);
}

const design = { tasks: 80, workers: 16, answers: 5 } as const;

describe("against the mean", () => {
  it("loses nothing on workers who are alike", () => {
    expect(ratio((seed) => randomNumbers(seed, { ...design, noise: [0.8, 0.8] }))).toBeLessThan(
      1.01,
    );
  });

  it("gains much on workers with unlike noise", () => {
    expect(ratio((seed) => randomNumbers(seed, { ...design, noise: [0.1, 2] }))).toBeLessThan(0.7);
  });

  it("gains much on workers with offsets", () => {
    const shifted = (seed: number) => {
      const data = randomNumbers(seed, { ...design, noise: [0.3, 0.3] });
      const random = createRandom(seed).split("offsets");
      const shift = Array.from(data.workers, () => 0.8 * normal(random));
      return { ...data, value: data.value.map((y, i) => y + shift[data.worker[i]]) };
    };
    expect(ratio(shifted)).toBeLessThan(0.75);
  });
});

describe("copies", () => {
  /** Workers 0 to 2 give the same wrong number but for a trace. */
  const copied = (seed: number) => {
    const data = randomNumbers(seed, { tasks: 100, workers: 9, answers: 6, noise: [0.4, 0.8] });
    const random = createRandom(seed).split("copies");
    const slip = Array.from(data.tasks, () => normal(random));
    const value = data.value.map((y, i) => {
      if (data.worker[i] > 2) return y;
      return data.gold[data.task[i]] + slip[data.task[i]] + 0.05 * normal(random);
    });
    return { ...data, value };
  };

  it("count for one worker", () => {
    const { notes } = numericAuto(copied(1));
    expect(notes[1]).toContain("3 workers err together in 1 group");
    expect(ratio(copied)).toBeLessThan(0.9);
  });

  it("are not found among independent workers", () => {
    for (let seed = 0; seed < 5; seed++) {
      const { data, groups } = mergeCopies(randomNumbers(seed, { tasks: 100, workers: 9 }));
      expect(groups).toEqual([]);
      expect(data.value.length).toBe(400);
    }
  });

  it("answer once per task, by the mean of their answers", () => {
    const { data, groups } = mergeCopies(copied(2));
    expect(groups).toEqual([[0, 1, 2]]);
    const before = copied(2);
    const of = (t: number, d: typeof data) =>
      Array.from(d.task.keys()).filter((i) => d.task[i] === t && d.worker[i] <= 2);
    for (const t of [0, 5, 50]) {
      const rows = of(t, before);
      const sum = rows.reduce((total, i) => total + before.value[i], 0);
      expect(of(t, data).map((i) => data.value[i])).toEqual(
        rows.length > 0 ? [expect.closeTo(sum / rows.length, 12)] : [],
      );
    }
  });
});

describe("what it says", () => {
  const data = randomNumbers(3, { ...design, noise: [0.1, 2] });
  const { portfolio, notes, method } = numericAuto(data);

  it("names what was tried, with weights that sum to 1", () => {
    expect(method).toBe("auto");
    expect(portfolio[0]).toMatchObject({ method: "mean", gain: 0, error: 0 });
    expect(portfolio.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(notes[0]).toMatch(/^Blend: .*Gaussian workers \d+ %.*mean \d %/);
  });

  it("weighs by the answers of five tasks", () => {
    const [first, second] = portfolio.filter(({ weight }) => weight > 0.01);
    const gap = 5 * 5 * (first.gain - second.gain);
    expect(Math.log(first.weight / second.weight)).toBeCloseTo(gap, 9);
  });
});

it("reads misses out by the offset and the scatter of other parts", () => {
  const data = randomNumbers(2, { tasks: 40, workers: 4, answers: 3 });
  const logs = drain(hiddenValues(mean, {}, data, {}, { folds: 5, seed: 0 }));
  expect(logs.filter((x) => !Number.isNaN(x)).length).toBeGreaterThan(100);
  const worse = {
    id: "shuffled",
    *steps(shown: NumericData) {
      const found = yield* mean.steps(shown);
      return { ...found, value: found.value.map((_, t) => found.value[(t + 1) % 40]) };
    },
  };
  const wrong = drain(hiddenValues(worse, {}, data, {}, { folds: 5, seed: 0 }));
  expect(meanOfKnown(wrong)).toBeLessThan(meanOfKnown(logs) - 0.3);
});

it("holds the truth in about 95 % of its intervals", () => {
  let [held, all] = [0, 0];
  for (let seed = 0; seed < 40; seed++) {
    const data = randomNumbers(500 + seed, {
      tasks: 40,
      workers: 10,
      answers: 5,
      noise: [0.2, 1.5],
    });
    const { low, high } = numericAuto(data);
    data.gold.forEach((truth, t) => {
      held += Number(low[t] <= truth && truth <= high[t]);
      all++;
    });
  }
  expect(held / all).toBeGreaterThan(0.93);
  expect(held / all).toBeLessThan(0.99);
});

describe("public sets", () => {
  for (const name of ["emotion", "num_video", "num_truth100"]) {
    withSet(name, "MAE at most the mean's, RMSE within 2 %", () => {
      const data = loadNumeric(name);
      const [own, plain] = [numericAuto(data), mean(data)].map(({ value }) =>
        evaluateValues({ value, gold: data.gold }),
      );
      expect(own.mae.value).toBeLessThan(plain.mae.value);
      expect(own.rmse).toBeLessThan(1.02 * plain.rmse);
    });
  }
});
