import { describe, expect, it } from "vitest";
import {
  fixtureData,
  judgeContract,
  judgeKinds,
  logLoss,
  publicComparisons,
  shuffled,
  simulatedJudges,
  slopes,
  splitRows,
} from "../../../test/comparisons.ts";
import { withSet } from "../../../test/datasets.ts";
import { randomComparisons } from "../../../test/random-answers.ts";
import { fromRows } from "../../data/from-rows.ts";
import { componentsOf, LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { evaluateClusters } from "../../evaluate/similarity.ts";
import { minimise } from "../../math/lbfgs.ts";
import { pearson } from "../../math/statistics.ts";
import { type AnnotatorTypes, annotatorTypes } from "./annotator-types.ts";
import { answerChances } from "./answering.ts";
import { bradleyTerry } from "./bradley-terry.ts";

const { honest, adversary } = judgeKinds;
const times = <T>(n: number, what: T): T[] => Array.from({ length: n }, () => what);

/** Two opposed groups of twenty judges, 40 comparisons of 8 items each. */
const opposed = (seed: number) =>
  simulatedJudges(seed, [...times(20, honest), ...times(20, adversary)], {
    items: 8,
    answers: 40,
    sd: 1.5,
  });

const rand = (found: Int32Array, truth: Int32Array) =>
  evaluateClusters({ cluster: found, gold: truth }).adjustedRand.value;

/** Minus the objective of the definition at the scores of two types and the logit of the first share. */
function defined(data: PairwiseData, x: Float64Array, penalty: number): number {
  const n = data.items.length;
  const first = 1 / (1 + Math.exp(-x[2 * n]));
  const share = [first, 1 - first];
  const logs = Array.from(data.workers, () => share.map(Math.log));
  data.label.forEach((label, i) => {
    if (label === TIE) return;
    for (const j of [0, 1]) {
      const score = x.subarray(j * n, (j + 1) * n);
      const lead = (score[data.left[i]] - score[data.right[i]]) * (label === LEFT ? 1 : -1);
      logs[data.worker[i]][j] -= (data.weight?.[i] ?? 1) * Math.log(1 + Math.exp(-lead));
    }
  });
  let sum = Math.log(share[0]) + Math.log(share[1]);
  for (const [a, b] of logs) sum += Math.log(Math.exp(a) + Math.exp(b));
  for (const s of x.subarray(0, 2 * n)) sum -= (penalty / 2) * s * s;
  return -sum;
}

describe("brute force", () => {
  it("is a maximum of the definition", () => {
    for (let seed = 0; seed < 3; seed++) {
      const drawn = simulatedJudges(seed, [...times(4, honest), ...times(3, adversary)], {
        items: 4,
        answers: 12,
      });
      const data = { ...drawn, weight: Float64Array.from(drawn.label, (_, i) => 0.5 + (i % 3)) };
      const found = annotatorTypes(data, { types: 2, tolerance: 1e-11, maxIterations: 5000 });
      const [one, other] = found.types;
      const start = Float64Array.of(
        ...one.score,
        ...other.score,
        Math.log(one.share / other.share),
      );
      const value = defined(data, start, 0.5);
      expect(found.trace.at(-1)).toBeCloseTo(-value, 8);
      for (const slope of slopes((x) => defined(data, x, 0.5), start)) {
        expect(slope).toBeCloseTo(0, 5);
      }
      const shaken = start.map((x, i) => x + 0.1 * Math.sin(i + seed));
      const best = minimise(
        (x, gradient) => {
          gradient.set(slopes((y) => defined(data, y, 0.5), x));
          return defined(data, x, 0.5);
        },
        shaken,
        { tolerance: 1e-10 },
      );
      expect(best.value).toBeCloseTo(value, 6);
    }
  });

  it("is Bradley–Terry without ties where there is one type", () => {
    const data = randomComparisons(4, { ties: 0 });
    const found = annotatorTypes(data, { types: 1, tolerance: 1e-10 });
    const plain = bradleyTerry(data, { penalty: 0.5, errors: "wald" });
    expect([...found.score]).toEqual([...plain.score].map((s) => expect.closeTo(s, 7)));
    expect([...found.sd]).toEqual([...plain.sd].map((s) => expect.closeTo(s, 6)));
    expect([...found.skill]).toEqual([...plain.skill]);
  });
});

describe("two opposed groups", () => {
  const truth = Int32Array.from({ length: 40 }, (_, u) => (u < 20 ? 0 : 1));

  it("are found in 10 of 10 crowds, without an error", () => {
    for (let seed = 0; seed < 10; seed++) {
      const data = opposed(seed);
      const { types, type, score, typeProbability, tried } = annotatorTypes(data);
      expect(types.length).toBe(2);
      expect(tried.map(({ types: count }) => count)).toEqual([1, 2, 3, 4]);
      expect(rand(type, truth)).toBe(1);
      expect(pearson(types[0].score, types[1].score)).toBeLessThan(-0.8);
      expect(Math.max(...score.map(Math.abs))).toBeLessThan(1);
      expect(Math.min(...typeProbability)).toBeGreaterThan(0.8);
      expect(types[0].share).toBeGreaterThanOrEqual(types[1].share);
      const members = types.flatMap((each) => [...each.members]);
      expect(members.sort((a, b) => a - b)).toEqual(Array.from(truth.keys()));
    }
  });

  it("are judged by the scores of their own type, and hidden answers predicted by them", () => {
    const { shown, hidden } = splitRows(shuffled(opposed(3), 5));
    const [typed, plain] = [annotatorTypes(shown), bradleyTerry(shown)];
    expect(Math.min(...typed.skill)).toBeGreaterThan(0.5);
    for (const { satisfaction } of typed.types) {
      expect(satisfaction).toBeGreaterThan(0.25);
      expect(satisfaction).toBeLessThan(0.75);
    }
    const loss = (fit: AnnotatorTypes | ReturnType<typeof bradleyTerry>) =>
      logLoss(
        hidden,
        (i) =>
          answerChances(fit, hidden.left[i], hidden.right[i], hidden.worker[i])[hidden.label[i]],
      );
    expect(loss(typed)).toBeLessThan(loss(plain) - 0.1);
    const chances = answerChances(typed, 0, 1, 0);
    expect(chances[0] + chances[1] + chances[2]).toBeCloseTo(1, 12);
  });

  it("the larger group comes first, and weighs more in the common scores", () => {
    const judges = [...times(10, adversary), ...times(30, honest)];
    const data = simulatedJudges(1, judges, { items: 8, answers: 40, sd: 1.5 });
    const { types, score } = annotatorTypes(data);
    expect(types.map(({ members }) => members.length)).toEqual([30, 10]);
    expect(pearson(score, types[0].score)).toBeGreaterThan(0.95);
    expect(types[0].satisfaction).toBeGreaterThan(0.6);
    expect(types[1].satisfaction).toBeLessThan(0.4);
    const mean = score.reduce((a, b) => a + b, 0);
    expect(mean).toBeCloseTo(0, 8);
  });
});

it("finds one type where all judges think alike", () => {
  for (let seed = 0; seed < 5; seed++) {
    const data = simulatedJudges(seed, times(30, honest), { items: 8, answers: 40 });
    expect(annotatorTypes(data).types.length).toBe(1);
  }
});

it("says where a given number of types is too large", () => {
  const judges = times(30, honest);
  const data = simulatedJudges(2, judges, { items: 4, answers: 200, sd: 2 });
  const { types, notes } = annotatorTypes(data, { types: 2 });
  expect(types.length).toBe(2);
  expect(notes[0]).toBe("Two of the 2 types rank items alike: fewer would do.");
});

describe("published numbers", () => {
  // The reference counts all items but one as free and all judges; here scores are free up to a shift of each part,
  // and a judge who only ties does not count.
  const bics = (name: string, expected: readonly number[], count: number) =>
    withSet(name, `BIC ${expected.join(", ")}: ${count} types`, () => {
      const data = publicComparisons(name);
      const [n, judges] = [data.items.length, data.workers.length];
      const active = new Set(data.worker.filter((_, i) => data.label[i] !== TIE)).size;
      const { tried, types } = annotatorTypes(data, { maxTypes: 3 });
      const parameters = (J: number, parts: number) => J * (n - parts) + J - 1;
      tried.forEach(({ types: J, bic }, at) => {
        const fit = bic - parameters(J, componentsOf(data).count) * Math.log(active);
        const counted = fit + parameters(J, 1) * Math.log(judges);
        expect(Math.abs(counted - expected[at]), `${J} types`).toBeLessThan(5);
      });
      expect(types.length).toBe(count);
    });
  bics("pair_llmfao", [6435, 6040, 6092], 2);
  bics("pair_music", [1834, 2120, 2584], 1);
});

describe("invariants", () => {
  judgeContract((data) => annotatorTypes(data, { types: 2, tolerance: 1e-10, starts: 4 }));

  it("gives the same answer twice", () => {
    const data = opposed(1);
    expect(annotatorTypes(data)).toEqual(annotatorTypes(data));
  });

  it("copes with nothing, one judge, and judges who only tie", () => {
    expect(annotatorTypes(fromRows([], { kind: "pairwise" })).types.length).toBe(1);
    const one = fromRows([{ worker: "u", left: "a", right: "b", label: "a" }], {
      kind: "pairwise",
    });
    expect(annotatorTypes(one, { types: 3 }).types.length).toBe(1);
    const tie = { worker: "z", left: "a", right: "b", label: "tie" };
    const rows = [tie, { worker: "u", left: "a", right: "b", label: "a" }];
    const found = annotatorTypes(fromRows(rows, { kind: "pairwise" }));
    expect(found.typeProbability[0]).toBeCloseTo(1, 12);
    expect(found.skill[0]).toBeNaN();
    expect(annotatorTypes(fixtureData()).types.length).toBe(1);
  });
});
