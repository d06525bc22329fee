import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { accuracy, credits, type Scored } from "./accuracy.ts";
import { calibration } from "./calibration.ts";
import { confusionRecovery } from "./confusion-recovery.ts";
import { evaluate } from "./index.ts";
import { brier, logLoss } from "./log-loss.ts";
import { pairedDifference } from "./paired-difference.ts";
import { auc, perClass } from "./per-class.ts";

const small: Scored = {
  classes: namesOf(["a", "b"]),
  posterior: Float64Array.of(0.9, 0.1, 0.5, 0.5, 0.2, 0.8, 0.6, 0.4, 0.3, 0.7),
  gold: Int32Array.of(0, 1, 1, 1, -1),
};

describe("accuracy", () => {
  it("follows each rule for ties, by hand", () => {
    const result = accuracy(small);
    expect(result).toMatchObject({ split: 0.625, first: 0.5, last: 0.75, tasks: 4, ties: 1 });
    expect(result.decided).toBeCloseTo(2 / 3, 12);
    expect(result.chosen.value).toBe(0.5);
    expect(result.chosen.low).toBeLessThan(0.5);
    expect([...credits(small)]).toEqual([1, 0.5, 1, 0]);
  });

  it("takes the choices it is given, and none as wrong", () => {
    const consensus = Int32Array.of(0, 1, -1, 1, 0);
    expect(accuracy({ ...small, consensus }).chosen.value).toBe(0.75);
  });

  it("says when there is no gold", () => {
    const none = { ...small, gold: new Int32Array(5).fill(-1) };
    expect(() => accuracy(none)).toThrow("No task has gold");
    expect(() => evaluate(none)).toThrow("No task has gold");
  });
});

describe("log-loss and Brier score", () => {
  it("are what the definition says", () => {
    const loss = -(Math.log(0.9) + Math.log(0.5) + Math.log(0.8) + Math.log(0.4)) / 4;
    expect(logLoss(small)).toBeCloseTo(loss, 12);
    expect(brier(small)).toBeCloseTo((0.02 + 0.5 + 0.08 + 0.72) / 4, 12);
  });

  it("stay finite on a certain error", () => {
    const wrong = { ...small, posterior: Float64Array.of(0, 1), gold: Int32Array.of(0) };
    expect(logLoss(wrong)).toBeCloseTo(-Math.log(1e-10), 9);
    expect(brier(wrong)).toBe(2);
  });
});

describe("calibration", () => {
  /** Answers of a random confidence, right with `honesty` times that probability. */
  const claims = (n: number, honesty: number, seed: number): Scored => {
    const random = createRandom(seed);
    const confidence = Float64Array.from({ length: n }, () => 0.5 + 0.5 * random.next());
    return {
      classes: namesOf(["a", "b"]),
      posterior: Float64Array.from({ length: 2 * n }, (_, i) => {
        const p = confidence[Math.floor(i / 2)];
        return i % 2 === 0 ? p : 1 - p;
      }),
      gold: Int32Array.from(confidence, (p) => (random.next() < honesty * p ? 0 : 1)),
    };
  };

  it("is near 0 for honest beliefs, and the gap for others", () => {
    expect(calibration(claims(20_000, 1, 1)).ece.value).toBeLessThan(0.015);
    const { ece, bins } = calibration(claims(20_000, 0.8, 2));
    expect(ece.value).toBeCloseTo(0.15, 1);
    expect(ece.low).toBeLessThanOrEqual(ece.value);
    expect(ece.high).toBeLessThan(0.2);
    expect(bins.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(20_000);
    for (const { accuracy: share, confidence } of bins) expect(share.high).toBeLessThan(confidence);
  });

  it("is the mean gap of the bins, by hand", () => {
    const { ece, bins } = calibration(
      { ...small, gold: Int32Array.of(0, -1, 1, 1, -1) },
      { bins: 2 },
    );
    expect(bins).toHaveLength(1);
    expect(ece.value).toBeCloseTo(Math.abs(0.9 + 0.8 + 0.6 - 2) / 3, 12);
  });
});

describe("scores of classes", () => {
  it("are what the definition says", () => {
    const { classes, balancedAccuracy, macroF1, counts } = perClass({
      ...small,
      consensus: Int32Array.of(0, 0, 1, 1, 0),
    });
    expect([...counts]).toEqual([1, 0, 1, 2]);
    expect(classes[0]).toEqual({
      class: "a",
      gold: 1,
      answered: 2,
      precision: 0.5,
      recall: 1,
      f1: 2 / 3,
    });
    expect(classes[1].f1).toBeCloseTo(0.8, 12);
    expect(balancedAccuracy).toBeCloseTo((1 + 2 / 3) / 2, 12);
    expect(macroF1).toBeCloseTo((2 / 3 + 0.8) / 2, 12);
  });

  it("AUC is the share of pairs in the right order, ties half", () => {
    const random = createRandom(3);
    const n = 60;
    const score = Float64Array.from({ length: n }, () => Math.round(10 * random.next()) / 10);
    const gold = Int32Array.from(score, (s) => (random.next() < s ? 1 : 0));
    const posterior = Float64Array.from({ length: 2 * n }, (_, i) => {
      const p = score[Math.floor(i / 2)];
      return i % 2 === 1 ? p : 1 - p;
    });
    let [pairs, right] = [0, 0];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        if (gold[i] !== 1 || gold[j] !== 0) continue;
        pairs++;
        right += score[i] > score[j] ? 1 : score[i] === score[j] ? 0.5 : 0;
      }
    }
    expect(auc({ classes: namesOf(["a", "b"]), posterior, gold })).toBeCloseTo(right / pairs, 12);
    expect(auc({ classes: namesOf(["a", "b", "c"]), posterior, gold })).toBeUndefined();
    expect(
      auc({ classes: namesOf(["a", "b"]), posterior, gold: gold.map(() => 1) }),
    ).toBeUndefined();
  });
});

describe("confusion recovery", () => {
  it("sees through a renaming of the classes", () => {
    const truth = Float64Array.of(0.9, 0.1, 0.2, 0.8, 0.7, 0.3, 0.4, 0.6);
    const swapped = Float64Array.of(0.2, 0.8, 0.9, 0.1, 0.4, 0.6, 0.7, 0.3);
    const { meanError, permutation } = confusionRecovery(swapped, truth, { classes: 2, given: 2 });
    expect(meanError).toBeCloseTo(0, 12);
    expect([...permutation]).toEqual([1, 0]);
    const off = truth.map((p, i) => (i % 2 === 0 ? p + 0.05 : p - 0.05));
    expect(confusionRecovery(off, truth, { classes: 2, given: 2 }).meanError).toBeCloseTo(0.05, 12);
  });
});

describe("paired difference", () => {
  it("covers the true difference nineteen times in twenty", () => {
    let covered = 0;
    for (let seed = 0; seed < 200; seed++) {
      const random = createRandom(seed).split("coverage");
      const n = 200;
      const a = Float64Array.from({ length: n }, () => (random.next() < 0.8 ? 1 : 0));
      const b = Float64Array.from({ length: n }, () => (random.next() < 0.7 ? 1 : 0));
      const { low, high } = pairedDifference(a, b, { draws: 300 });
      if (low <= 0.1 && high >= 0.1) covered++;
    }
    // 95 %, give or take three standard errors of 200 runs.
    expect(covered).toBeGreaterThan(180);
    expect(covered).toBeLessThan(200);
  });

  it("finds no difference between a method and itself", () => {
    const a = Float64Array.of(1, 0, 1, 1);
    expect(pairedDifference(a, a)).toEqual({ value: 0, low: 0, high: 0, p: 1, tasks: 4 });
    expect(() => pairedDifference(a, Float64Array.of(1))).toThrow(/not on 4 and 1/);
  });
});

it("scores a fitted result in one call", () => {
  const data = randomCrowd(1, { classes: 2 });
  const metrics = evaluate({ ...dawidSkene(data), gold: data.gold });
  expect(metrics.auc).toBeGreaterThan(0.8);
  expect(metrics.accuracy.tasks).toBe(40);
});
