import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { createMeanField } from "../aggregate/categorical/messages/mean-field.ts";
import { voteShares } from "../belief/votes.ts";
import { evenRows } from "../belief/worker-prior.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { dirichlet } from "../math/distributions.ts";
import { trigamma } from "../math/gamma.ts";
import { createRandom } from "../math/random.ts";
import { countLabels } from "./evidence.ts";
import {
  type Beliefs,
  globalStep,
  localStep,
  lowerBound,
  type Priors,
  startBeliefs,
} from "./variational.ts";

const shape = { tasks: 30, workers: 6, classes: 3 };
const priors: Priors = { a0: 1.1, diagonal: 5, beside: 2, usePi: true };
const everyTask = ({ tasks }: CategoricalData) => Int32Array.from([...tasks].keys());

/** An opinion on every task. */
function opinions({ tasks, classes }: CategoricalData, seed = 1): Float64Array {
  const random = createRandom(seed).split("opinions");
  const K = classes.length;
  const f = new Float64Array(tasks.length * K);
  for (let from = 0; from < f.length; from += K) {
    dirichlet(random, new Float64Array(K).fill(2), f.subarray(from, from + K));
  }
  return f;
}

/** Steps of size rho from the vote shares, until nothing changes or so many are done. */
function climb(data: CategoricalData, f: Float64Array, rho: number, steps: number, own = priors) {
  const beliefs = startBeliefs(data, own);
  const q = voteShares(data);
  const tasks = everyTask(data);
  globalStep(data, beliefs, own, tasks, q, 1, 1);
  for (let step = 0; step < steps; step++) {
    localStep(data, beliefs, own, f, tasks, q);
    globalStep(data, beliefs, own, tasks, q, rho, 1);
  }
  return { beliefs, q };
}

const largestGap = (one: Float64Array, other: Float64Array) =>
  one.reduce((most, x, at) => Math.max(most, Math.abs(x - other[at])), 0);

/** What a full step would add: the natural gradient. */
function naturalGradient(data: CategoricalData, { a, beta }: Beliefs, q: Float64Array) {
  const moved = { a: a.slice(), beta: beta.slice() };
  globalStep(data, moved, priors, everyTask(data), q, 1, 1);
  return { a: moved.a.map((x, k) => x - a[k]), beta: moved.beta.map((x, at) => x - beta[at]) };
}

describe("steps of size 1", () => {
  it("are the coordinate ascent of variational Bayes: prior and expected counts", () => {
    const data = randomCrowd(1, shape);
    const { beliefs, q } = climb(data, opinions(data), 1, 3);
    const counts = new Float64Array(beliefs.beta.length);
    countLabels(data, q, counts);
    const { beta } = startBeliefs(data, priors);
    expect([...beliefs.beta]).toEqual([...counts].map((n, at) => expect.closeTo(n + beta[at], 12)));
    beliefs.a.forEach((count, k) => {
      const mass = q.reduce((sum, p, at) => sum + (at % 3 === k ? p : 0), 0);
      expect(count).toBeCloseTo(1.1 + mass, 12);
    });
  });

  it("are the steps of BayesGC where the network says nothing, bound and all", () => {
    const data = randomCrowd(2, shape);
    const preset = ibcc.presets?.["bayes-gc"]?.options ?? {};
    const reference = ibcc(data, { ...preset, tolerance: 0, maxIterations: 20 });
    const one = new Float64Array(data.tasks.length * 3).fill(1);
    for (const steps of [1, 2, 20]) {
      // The reference ends with tasks that follow from its workers.
      const { beliefs, q } = climb(data, one, 1, steps - 1);
      localStep(data, beliefs, priors, one, everyTask(data), q);
      const bound = lowerBound(data, beliefs, priors, one, everyTask(data), q);
      expect(bound).toBeCloseTo(reference.trace[steps - 1], 9);
      if (steps === 20) expect(largestGap(q, reference.posterior)).toBeLessThan(1e-12);
    }
  });

  it("without class shares are those of mean field with two coins and these task priors", () => {
    const data = randomCrowd(3, shape);
    const f = opinions(data);
    const own = { ...priors, usePi: false };
    const model = createMeanField(data, evenRows({ K: 3, L: 3 }, 5, 2));
    model.startFrom(voteShares(data));
    for (let steps = 1; steps <= 10; steps++) {
      model.update(f);
      const { beliefs, q } = climb(data, f, 1, steps, own);
      expect(largestGap(q, model.posterior)).toBeLessThan(1e-12);
      const bound = lowerBound(data, beliefs, own, f, everyTask(data), q);
      expect(bound).toBeCloseTo(model.bound(f), 9);
    }
  });

  it.each([true, false])(
    "never lower the bound, neither half of them (class shares: %s)",
    (usePi) => {
      const own = { ...priors, usePi };
      for (let seed = 0; seed < 10; seed++) {
        const data = randomCrowd(seed, shape);
        const f = opinions(data, seed);
        const tasks = everyTask(data);
        const beliefs = startBeliefs(data, own);
        const q = voteShares(data);
        let last = -Infinity;
        const expectRise = () => {
          const bound = lowerBound(data, beliefs, own, f, tasks, q);
          expect(bound).toBeGreaterThanOrEqual(last - 1e-9);
          last = bound;
        };
        for (let step = 0; step < 40; step++) {
          globalStep(data, beliefs, own, tasks, q, 1, 1);
          expectRise();
          localStep(data, beliefs, own, f, tasks, q);
          expectRise();
        }
      }
    },
  );
});

describe("natural gradients", () => {
  it("are 0 where full steps end, and steps of any size end there", () => {
    const data = randomCrowd(4, { ...shape, skill: [0.6, 0.9] });
    const f = opinions(data);
    const end = climb(data, f, 1, 2000);
    const slope = naturalGradient(data, end.beliefs, end.q);
    for (const part of [slope.a, slope.beta]) {
      for (const value of part) expect(Math.abs(value)).toBeLessThan(1e-9);
    }
    for (const rho of [0.7, 0.3, 0.05]) {
      const { beliefs } = climb(data, f, rho, 3000);
      expect(largestGap(beliefs.a, end.beliefs.a), `a, rho ${rho}`).toBeLessThan(1e-8);
      expect(largestGap(beliefs.beta, end.beliefs.beta), `beta, rho ${rho}`).toBeLessThan(1e-8);
    }
  });

  it("are the inverse Fisher matrix times the slope of the bound, on two classes", () => {
    const data = randomCrowd(5, { tasks: 6, workers: 3, classes: 2 });
    const f = opinions(data);
    const tasks = everyTask(data);
    const { beliefs } = climb(data, f, 0.4, 2);
    const q = opinions(data, 9);
    const slope = naturalGradient(data, beliefs, q);
    for (const name of ["a", "beta"] as const) {
      const counts = beliefs[name];
      const numeric = Float64Array.from(counts, (count, at) => {
        const h = 1e-4 * count;
        const bound = (step: number) =>
          lowerBound(
            data,
            { ...beliefs, [name]: counts.with(at, count + step) },
            priors,
            f,
            tasks,
            q,
          );
        return (bound(h) - bound(-h)) / (2 * h);
      });
      for (let row = 0; row < counts.length; row += 2) {
        // Dirichlet(x, y): [[ψ′(x) - c, -c], [-c, ψ′(y) - c]] with c = ψ′(x + y).
        const [x, y] = [counts[row], counts[row + 1]];
        const [u, v, c] = [trigamma(x), trigamma(y), trigamma(x + y)];
        const [g, h] = [numeric[row], numeric[row + 1]];
        const determinant = u * v - c * (u + v);
        expect(slope[name][row]).toBeCloseTo(((v - c) * g + c * h) / determinant, 5);
        expect(slope[name][row + 1]).toBeCloseTo((c * g + (u - c) * h) / determinant, 5);
      }
    }
  });

  it("of batches are on average that of all tasks", () => {
    const data = randomCrowd(6, shape);
    const { beliefs } = climb(data, opinions(data), 0.5, 2);
    const q = opinions(data, 3);
    const whole = naturalGradient(data, beliefs, q);
    const mean = new Float64Array(beliefs.beta.length);
    const [batches, rho] = [5, 0.2];
    for (let batch = 0; batch < batches; batch++) {
      const tasks = everyTask(data).filter((t) => t % batches === batch);
      const moved = { a: beliefs.a.slice(), beta: beliefs.beta.slice() };
      globalStep(data, moved, priors, tasks, q, rho, data.tasks.length / tasks.length);
      moved.beta.forEach((x, at) => {
        mean[at] += (x - beliefs.beta[at]) / rho / batches;
      });
    }
    expect(largestGap(mean, whole.beta)).toBeLessThan(1e-10);
  });
});

it("an opinion of 0 counts as next to nothing, and as no more", () => {
  const data = randomCrowd(7, shape);
  const sure = new Float64Array(data.tasks.length * 3).map((_, at) => (at % 3 === 0 ? 1 : 0));
  const { q } = climb(data, sure, 1, 5);
  expect(q.every(Number.isFinite)).toBe(true);
  expect(q.every((p) => p > 0)).toBe(true);
});
