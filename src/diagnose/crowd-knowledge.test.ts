import { describe, expect, it } from "vitest";
import { normal } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { knowledge, type Test } from "./crowd-knowledge.ts";

/** A worker whose excess is u times that of one 15 points above guessing, plus noise. */
const worker = (u: number, noise = 0, knowing = 1): Test => ({
  excess: u * knowing + noise,
  deviation: 1,
  knowing: { excess: knowing, deviation: 1 },
});

function crowd(spammers: number, workers: number, seed: number): Test[] {
  const random = createRandom(seed).split("knowledge");
  return Array.from({ length: workers }, (_, w) =>
    worker(w < spammers ? 0 : 2 + random.next(), normal(random)),
  );
}

describe("what the crowd says of a worker", () => {
  it("makes the same labels those of a guesser among guessers, and not among others", () => {
    const doubtful = worker(0.5);
    const among = (spammers: number) => knowledge([doubtful, ...crowd(spammers, 60, 1)])[0];
    expect(among(40)).toBeLessThan(0.2);
    expect(among(0)).toBeGreaterThan(0.5);
  });

  it("counts little against many labels", () => {
    const sure = (u: number, others: number) =>
      knowledge([worker(u, 0, 20), ...crowd(others, 60, 2)])[0];
    expect(sure(2, 50)).toBeGreaterThan(0.999);
    expect(sure(0, 0)).toBeLessThan(1e-3);
  });

  it("is about as often right as it says, in crowds with guessers", () => {
    const bins = [0, 0, 0].map(() => ({ said: 0, true: 0, all: 0 }));
    for (let seed = 0; seed < 20; seed++) {
      const tests = crowd(80, 200, seed + 10);
      knowledge(tests).forEach((p, w) => {
        const bin = bins[p < 0.2 ? 0 : p < 0.8 ? 1 : 2];
        bin.said += p;
        bin.true += w < 80 ? 0 : 1;
        bin.all++;
      });
    }
    for (const { said, true: right, all } of bins) {
      expect(Math.abs(said - right) / all).toBeLessThan(0.06);
    }
  });

  it("says nothing of a worker whose tasks nobody else labelled, nor of a crowd without labels", () => {
    const silent: Test = { excess: 0, deviation: 0, knowing: { excess: 0, deviation: 0 } };
    expect(knowledge([silent])[0]).toBe(1);
    expect(knowledge([])).toHaveLength(0);
  });
});
