import { expect, it } from "vitest";
import {
  createClassPrior,
  estimateShares,
  expectClasses,
  openTask,
  sharesLogDensity,
  uncounted,
} from "./class-prior.ts";

const three = { classes: { length: 3 } };
const totals = Float64Array.of(6, 3, 1);

it("shares tasks and pseudo-tasks out, and counts no gold that was chosen by class", () => {
  const shares = new Float64Array(3);
  estimateShares(totals, Float64Array.of(2, 0, 0), Float64Array.of(1, 1, 0), shares);
  expect([...shares]).toEqual([5 / 10, 4 / 10, 1 / 10].map((p) => expect.closeTo(p, 12)));
  const gold = Int32Array.of(0, -1, 0, 2);
  expect([...uncounted({ gold, goldInPrior: false }, 3)]).toEqual([2, 0, 1]);
  expect([...uncounted({ gold }, 3)]).toEqual([0, 0, 0]);
});

it("maximises the expected log-likelihood of classes and the log density", () => {
  const pseudo = Float64Array.of(0.5, 2, 1);
  const prior = createClassPrior(three, { priorCounts: pseudo }, "learn");
  prior.update(totals);
  const value = (shares: Float64Array) =>
    expectClasses(totals, shares) + sharesLogDensity(pseudo, shares);
  expect(prior.logDensity()).toBe(sharesLogDensity(pseudo, prior.shares));
  const [a, b, c] = prior.shares;
  for (const step of [-0.01, 0.01]) {
    expect(value(Float64Array.of(a + step, b - step, c))).toBeLessThan(value(prior.shares));
    expect(value(Float64Array.of(a, b + step, c - step))).toBeLessThan(value(prior.shares));
  }
});

it("leaves a given or uniform prior alone, and only reports it if tasks have priors of their own", () => {
  const given = createClassPrior(three, { prior: Float64Array.of(2, 1, 1) }, "learn");
  const uniform = createClassPrior(three, {}, "uniform");
  const own = createClassPrior(three, { taskPrior: new Float64Array(3) }, "learn");
  for (const prior of [given, uniform, own]) prior.update(totals);
  expect([...given.factor]).toEqual([0.5, 0.25, 0.25].map((p) => expect.closeTo(p, 12)));
  expect(uniform.factor[0]).toBeCloseTo(1 / 3, 12);
  expect([...own.factor]).toEqual([1, 1, 1]);
  expect(own.shares[0]).toBeCloseTo(0.6, 12);
  expect(own.logDensity()).toBe(0);
});

it("opens a task with the log of prior times base", () => {
  const scores = new Float64Array(2);
  openTask(Float64Array.of(0.25, 0.75), Float64Array.of(9, 9, 0.5, 2), 2, scores);
  expect([...scores]).toEqual([Math.log(0.125), Math.log(1.5)]);
  openTask(Float64Array.of(0.25, 0.75), undefined, 2, scores);
  expect([...scores]).toEqual([Math.log(0.25), Math.log(0.75)]);
});
