import { describe, expect, it } from "vitest";
import { normal } from "../../math/distributions.ts";
import { cholesky, solveCholesky } from "../../math/matrix.ts";
import { createRandom, type Random } from "../../math/random.ts";
import { type JudgedAnswers, judgedAnswers, rightness } from "./judged-answers.ts";
import { STEP_VARIANCES, skillPath, smoothedPath } from "./state-space.ts";
import { skillWindows } from "./windows.ts";

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
const evenly = (n: number, size: number) =>
  Int32Array.from({ length: Math.ceil(n / size) + 1 }, (_, t) => Math.min(n, t * size));

function randomAnswers(seed: number, n: number): JudgedAnswers {
  const random = createRandom(seed).split("answers");
  const right = Float64Array.from({ length: n }, () => 0.1 + 0.89 * random.next() ** 0.3);
  return { right, wrong: right.map((g) => (1 - g) / 2) };
}

/** The precision of the walk with the information of the bins, as a full matrix. */
function precision(information: Float64Array, s2: number): Float64Array {
  const T = information.length;
  const A = new Float64Array(T * T);
  for (let t = 0; t < T; t++) {
    A[t * T + t] = information[t] + (t === 0 ? 1 / 4 : 1 / s2) + (t + 1 < T ? 1 / s2 : 0);
    if (t + 1 < T) A[t * T + t + 1] = A[(t + 1) * T + t] = -1 / s2;
  }
  return A;
}

function logDeterminant(A: Float64Array, T: number): number {
  const lower = cholesky(A, T) ?? new Float64Array(T * T);
  let sum = 0;
  for (let t = 0; t < T; t++) sum += 2 * Math.log(lower[t * T + t]);
  return sum;
}

describe("brute force", () => {
  const cases = STEP_VARIANCES.flatMap((s2) =>
    (
      [
        ["known", judgedAnswers(Array.from({ length: 83 }, (_, j) => (j % 7 < 5 ? 1 : 0)))],
        ["uncertain", randomAnswers(2, 83)],
      ] as const
    ).map(([kind, answers]) => [s2, kind, answers] as const),
  );

  it.each(cases)(
    "step variance %f, %s answers: variances are the diagonal of the inverse",
    (s2, _, answers) => {
      const start = evenly(83, 10);
      const { variance, information } = smoothedPath(answers, start, s2);
      const T = variance.length;
      const lower = cholesky(precision(information, s2), T);
      for (let t = 0; t < T; t++) {
        const column = new Float64Array(T);
        column[t] = 1;
        solveCholesky(lower ?? column, column, T);
        expect(Math.abs(variance[t] - column[t])).toBeLessThan(1e-10);
      }
    },
  );

  it.each(cases)(
    "step variance %f, %s answers: the evidence is Laplace's, at the mode",
    (s2, _, answers) => {
      const start = evenly(83, 10);
      const { mean, information, logEvidence } = smoothedPath(answers, start, s2);
      const T = mean.length;
      let logJoint = -(T / 2) * Math.log(2 * Math.PI);
      logJoint += logDeterminant(precision(new Float64Array(T), s2), T) / 2;
      for (let t = 0; t < T; t++) {
        const [step, variance] = t === 0 ? [mean[0] - 1, 4] : [mean[t] - mean[t - 1], s2];
        logJoint -= step ** 2 / (2 * variance);
        const p = logistic(mean[t]);
        let slope = -step / variance + (t + 1 < T ? (mean[t + 1] - mean[t]) / s2 : 0);
        for (let j = start[t]; j < start[t + 1]; j++) {
          logJoint += Math.log(p * answers.right[j] + (1 - p) * answers.wrong[j]);
          slope += rightness(answers, j, p) - p;
        }
        // Steps of a variance of 1e-4 have their rounding multiplied by 1e4.
        expect(Math.abs(slope)).toBeLessThan(1e-4);
      }
      const laplace =
        (T / 2) * Math.log(2 * Math.PI) - logDeterminant(precision(information, s2), T) / 2;
      expect(Math.abs(logEvidence - logJoint - laplace)).toBeLessThan(1e-8);
    },
  );
});

describe("uncertain answers", () => {
  it("the information is the curvature of the log-likelihood", () => {
    const answers = randomAnswers(4, 40);
    const start = evenly(40, 10);
    const { mean, information } = smoothedPath(answers, start, 0.1);
    mean.forEach((x, t) => {
      const logLikelihood = (at: number) => {
        let sum = 0;
        for (let j = start[t]; j < start[t + 1]; j++) {
          sum += Math.log(logistic(at) * answers.right[j] + (1 - logistic(at)) * answers.wrong[j]);
        }
        return sum;
      };
      const [before, here, after] = [-1e-3, 0, 1e-3].map((step) => logLikelihood(x + step));
      expect(information[t]).toBeCloseTo((2 * here - before - after) / 1e-6, 4);
    });
  });

  it("have wider bands that still cover, 100 runs of a constant skill", () => {
    let [covered, bins, wide, narrow] = [0, 0, 0, 0];
    for (let run = 0; run < 100; run++) {
      const random = createRandom(run).split("uncertain");
      const hits = Float64Array.from({ length: 150 }, () => (random.next() < 0.8 ? 1 : 0));
      const right = hits.map((hit) => (random.next() < 0.85 ? hit : 1 - hit) * 0.7 + 0.15);
      const soft = skillPath({ right, wrong: right.map((g) => 1 - g) }, evenly(150, 10));
      for (const { low, high } of soft.curve) {
        bins++;
        if (low <= 0.8 && 0.8 <= high) covered++;
        wide += high - low;
      }
      for (const { low, high } of skillPath(judgedAnswers(hits), evenly(150, 10)).curve) {
        narrow += high - low;
      }
    }
    expect(covered / bins).toBeGreaterThan(0.93);
    expect(wide / narrow).toBeGreaterThan(1.2);
  });
});

describe("limits", () => {
  it.each([
    ["one right answer", [1]],
    ["one wrong answer", [0]],
    ["all right", new Array<number>(500).fill(1)],
    ["all wrong", new Array<number>(500).fill(0)],
  ])("%s", (_, right) => {
    const { curve, logBayes } = skillPath(judgedAnswers(right), evenly(right.length, 10));
    expect(logBayes).toBeLessThan(3);
    for (const { skill, low, high } of curve) {
      expect(low).toBeLessThanOrEqual(skill);
      expect(skill).toBeLessThanOrEqual(high);
      expect(low).toBeGreaterThan(0);
      expect(high).toBeLessThanOrEqual(1);
    }
    if (right.length > 1) expect(curve[25].skill).toBeCloseTo(right[0], 1);
  });

  it("no answers give no curve, and empty bins pass the skill on", () => {
    expect(skillPath(judgedAnswers([]), Int32Array.of(0)).curve).toEqual([]);
    const answers = judgedAnswers([1, 1, 0, 1, 1, 1, 1, 1]);
    const { curve } = skillPath(answers, Int32Array.of(0, 4, 4, 4, 8));
    expect(curve[1].high - curve[1].low).toBeGreaterThan(curve[0].high - curve[0].low);
    expect(curve[1].skill).toBeGreaterThan(curve[0].skill);
    expect(curve[1].skill).toBeLessThan(curve[3].skill);
  });
});

describe("error rates, 200 runs of 30 bins of 10 answers", () => {
  const paths: Record<string, (random: Random) => number[]> = {
    constant: () => Array.from({ length: 30 }, () => Math.log(0.85 / 0.15)),
    walk: (random) => {
      let x = 1.5;
      return Array.from({ length: 30 }, (_, t) => (x += t > 0 ? 0.15 * normal(random) : 0));
    },
    step: () => Array.from({ length: 30 }, (_, t) => (t < 15 ? 2 : 0.3)),
  };

  function measure(name: string) {
    let [band, bins, inside, windows, flagged] = [0, 0, 0, 0, 0];
    for (let run = 0; run < 200; run++) {
      const random = createRandom(run).split(name);
      const path = paths[name](random);
      const skill = Array.from({ length: 300 }, (_, j) => logistic(path[Math.floor(j / 10)]));
      const answers = judgedAnswers(skill.map((p) => (random.next() < p ? 1 : 0)));
      const { curve, logBayes } = skillPath(answers, evenly(300, 10));
      if (logBayes > 3) flagged++;
      curve.forEach(({ low, high }, t) => {
        bins++;
        if (low <= logistic(path[t]) && logistic(path[t]) <= high) band++;
      });
      for (const { from, to, low, high } of skillWindows(answers)) {
        const mean = skill.slice(from, to).reduce((sum, p) => sum + p, 0) / (to - from);
        windows++;
        if (low <= mean && mean <= high) inside++;
      }
    }
    return { band: band / bins, window: inside / windows, flagged: flagged / 200 };
  }

  it.each([
    ["constant", { band: 0.986, window: 0.957, flagged: 0.01 }],
    ["walk", { band: 0.932, window: 0.953, flagged: 0.14 }],
    ["step", { band: 0.941, window: 0.959, flagged: 0.99 }],
  ])("%s", (name, expected) => {
    const { band, window, flagged } = measure(name);
    // Bins of one run go together: about 3 independent ones each, so three standard errors are .03 to .07.
    expect(Math.abs(band - expected.band)).toBeLessThan(0.025);
    expect(Math.abs(window - expected.window)).toBeLessThan(0.025);
    const error = Math.sqrt((expected.flagged * (1 - expected.flagged)) / 200);
    expect(Math.abs(flagged - expected.flagged)).toBeLessThan(3 * error + 0.01);
  });
});
