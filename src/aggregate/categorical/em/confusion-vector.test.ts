import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { enumerate } from "../../../../test/enumerate.ts";
import { expectRising } from "../../../../test/expect-numbers.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { namesOf } from "../../../data/names.ts";
import { confusionVector } from "./confusion-vector.ts";
import { dawidSkene } from "./dawid-skene.ts";

describe("invariants", () => {
  it.each([0, 0.01, 1])("never lowers its objective (smoothing %s)", (smoothing) => {
    for (let seed = 0; seed < 20; seed++) {
      expectRising(
        confusionVector.steps(randomCrowd(seed), {
          smoothing,
          tolerance: 0,
        }),
      );
    }
  });

  it("spreads the errors of a class evenly", () => {
    const { confusion, accuracy } = confusionVector(randomCrowd(1));
    for (let row = 0; row < confusion.length / 3; row++) {
      const k = row % 3;
      for (let l = 0; l < 3; l++) {
        const rate = l === k ? accuracy[row] : (1 - accuracy[row]) / 2;
        expect(confusion[row * 3 + l]).toBeCloseTo(rate, 12);
      }
    }
  });
});

describe("brute force", () => {
  it("matches a sum over every possible truth", () => {
    const data = randomCrowd(3, { tasks: 6, workers: 3, classes: 3 });
    const { prior, confusion, posterior, trace } = confusionVector(data, { smoothing: 0 });
    const exact = enumerate(data, prior, confusion);
    expect(trace.at(-1)).toBeCloseTo(exact.logLikelihood, 9);
    expect([...posterior]).toEqual(exact.posterior.map((p) => expect.closeTo(p, 9)));
  });

  it("is Dawid–Skene where there are two classes", () => {
    for (let seed = 0; seed < 5; seed++) {
      const data = randomCrowd(seed, { classes: 2 });
      const [vector, full] = [
        confusionVector(data, { tolerance: 0 }),
        dawidSkene(data, { tolerance: 0 }),
      ];
      vector.posterior.forEach((p, at) => {
        expect(p).toBeCloseTo(full.posterior[at], 7);
      });
    }
  });
});

describe("published numbers", () => {
  accuracyGates(
    {
      bluebird: 0.8981,
      rte: 0.9275,
      web: 0.8451,
      product: 0.9396,
      possent: 0.96,
      weather: 0.8667,
      weather_amt: 0.8133,
      sp: 0.9148,
      sp_amt: 0.944,
      zencrowd_in: 0.7598,
      zencrowd_us: 0.8211,
    },
    0.003,
    (data) => confusionVector(data, { smoothing: 0 }),
  );
});

describe("limits", () => {
  it("calls a class nobody met a guess", () => {
    const data = randomCrowd(1);
    const wider = { ...data, classes: namesOf([...data.classes, "unused"]) };
    const { accuracy } = confusionVector(wider, { smoothing: 0 });
    expect(accuracy[3]).toBeGreaterThanOrEqual(0);
    expect(accuracy.every(Number.isFinite)).toBe(true);
  });
});
