import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { fromRows } from "../data/from-rows.ts";
import { dirichlet } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { dependence } from "./dependence.ts";
import { countConfusion, leaveOneOut } from "./leave-one-out.ts";

/** A worker's labels with random beliefs of the others. */
function sample(seed: number, n: number, K: number) {
  const random = createRandom(seed).split("sample");
  const belief = new Float64Array(n * K);
  for (let i = 0; i < n; i++) {
    dirichlet(random, new Float64Array(K).fill(0.4), belief.subarray(i * K, (i + 1) * K));
  }
  return { label: Int32Array.from({ length: n }, () => Math.floor(random.next() * K)), belief };
}

function* orders(label: readonly number[]): Generator<number[]> {
  if (label.length === 0) yield [];
  for (let i = 0; i < label.length; i++) {
    for (const rest of orders(label.toSpliced(i, 1))) yield [label[i], ...rest];
  }
}

const stream = createRandom(0).split("draws");
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

describe("brute force", () => {
  it("mean and p over all 720 orders of six labels", () => {
    for (let seed = 0; seed < 4; seed++) {
      const own = sample(seed, 6, 3);
      const found = dependence(own, 3, 3, stream, 4000);
      const all = [...orders([...own.label])].map((label) => {
        const at = dependence({ ...own, label: Int32Array.from(label) }, 3, 3, stream, 0);
        const diagonal = [0, 1, 2].reduce((sum, k) => sum + at.counts[k * 3 + k], 0);
        return { statistic: at.statistic, diagonal };
      });
      expect(found.nullMean).toBeCloseTo(mean(all.map(({ statistic }) => statistic)), 10);
      const above = all.filter(({ statistic }) => statistic >= found.statistic - 1e-9).length / 720;
      // 4000 draws know a share to .008.
      expect(Math.abs(found.p - above)).toBeLessThan(0.03);
      const centre = mean(all.map(({ diagonal }) => diagonal));
      const spread = Math.sqrt(mean(all.map(({ diagonal }) => (diagonal - centre) ** 2)));
      const own3 = [0, 1, 2].reduce((sum, k) => sum + found.counts[k * 3 + k], 0);
      expect(found.diagonal).toBeCloseTo((own3 - centre) / spread, 9);
    }
  });

  it("with certain beliefs it is Pearson's statistic of the table", () => {
    const truth = [0, 0, 0, 1, 1, 1, 1, 0];
    const belief = Float64Array.from(truth.flatMap((k) => (k === 0 ? [1, 0] : [0, 1])));
    const found = dependence(
      { label: Int32Array.of(0, 0, 1, 1, 1, 1, 0, 0), belief },
      2,
      2,
      stream,
      0,
    );
    // [[3, 1], [1, 3]]: 8 (9 − 1)² / 4⁴; the mean over tables with these margins is n / (n − 1).
    expect(found.statistic).toBeCloseTo(2, 12);
    expect(found.nullMean).toBeCloseTo(8 / 7, 12);
  });

  it("the others' beliefs are Bayes' rule without one's own label", () => {
    const data = randomCrowd(5, { tasks: 20, workers: 4 });
    const shares = new Float64Array(20 * 3);
    for (let i = 0; i < data.label.length; i++) shares[data.task[i] * 3 + data.label[i]]++;
    const prior = [0, 0, 0];
    for (const l of data.label) prior[l] += 1 / data.label.length;
    for (let t = 0; t < 20; t++) {
      const n = shares[t * 3] + shares[t * 3 + 1] + shares[t * 3 + 2];
      for (let k = 0; k < 3; k++) shares[t * 3 + k] /= n;
    }
    const confusion = countConfusion(data, shares, 3);
    const others = leaveOneOut(data, 3);
    for (let w = 0; w < 4; w++) {
      const own = [...data.label.keys()].filter((i) => data.worker[i] === w);
      const expected = own.flatMap((i) => {
        const rest = [...data.label.keys()].filter(
          (j) => data.task[j] === data.task[i] && data.worker[j] !== w,
        );
        if (rest.length === 0) return [];
        const joint = prior.map((p, k) =>
          rest.reduce(
            (product, j) => product * confusion[(data.worker[j] * 3 + k) * 3 + data.label[j]],
            p,
          ),
        );
        return joint.map((x) => x / (joint[0] + joint[1] + joint[2]));
      });
      expect([...others(w).belief]).toEqual(expected.map((x) => expect.closeTo(x, 9)));
    }
  });
});

describe("invariants", () => {
  it("guesses have uniform p-values, by draws and by the gamma distribution", () => {
    for (const draws of [200, 0]) {
      const p = Array.from(
        { length: 400 },
        (_, seed) => dependence(sample(seed, 60, 3), 3, 3, stream.split(seed), draws).p,
      ).sort((a, b) => a - b);
      // Kolmogorov and Smirnov: .001 of 400 uniform values stray by .0975.
      const stray = p.map((x, i) => Math.max(Math.abs(x - i / 400), Math.abs(x - (i + 1) / 400)));
      expect(Math.max(...stray)).toBeLessThan(0.0975);
    }
  });

  it("a crowd of guessers is not told from guessers, however it was fitted", () => {
    let [small, all] = [0, 0];
    for (let seed = 0; seed < 6; seed++) {
      const crowd = {
        tasks: 500,
        workers: 20,
        classes: 4,
        hammers: 0,
        adversaries: 0,
        spammers: 1,
      };
      const { data } = hammerSpammerCrowd({ ...crowd, seed });
      const others = leaveOneOut(data, 4);
      [...data.workers].forEach((name, w) => {
        if (dependence(others(w), 4, 4, stream.split(name), 200).p <= 0.05) small++;
        all++;
      });
    }
    // One in twenty, and three standard errors of 120; beliefs from the votes still leak a little.
    expect(small / all).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / all) + 0.02);
  });

  it("one who knows half is above chance as often as the power says", () => {
    const random = createRandom(3).split("half");
    for (const n of [15, 40]) {
      let [shown, power] = [0, 0];
      for (let seed = 0; seed < 400; seed++) {
        const { belief } = sample(seed, n, 3);
        const label = Int32Array.from({ length: n }, (_, i) => {
          const u = random.next();
          const draw = () => {
            const v = random.next();
            return v < belief[i * 3] ? 0 : v < belief[i * 3] + belief[i * 3 + 1] ? 1 : 2;
          };
          return u < 0.5 ? draw() : Math.floor(random.next() * 3);
        });
        const found = dependence({ label, belief }, 3, 3, stream, 0);
        if (found.diagonal > 1.6449) shown += 1 / 400;
        power += found.power / 400;
      }
      // A normal approximation at 15 labels, and 400 tries.
      expect(Math.abs(shown - power)).toBeLessThan(0.08);
    }
  });
});

describe("limits", () => {
  it("says nothing of no labels, one label, one class, or a constant label", () => {
    const none = { label: new Int32Array(0), belief: new Float64Array(0) };
    expect(dependence(none, 3, 3, stream, 10)).toMatchObject({ p: 1, diagonal: 0, power: 0 });
    expect(dependence(sample(1, 1, 3), 3, 3, stream, 10)).toMatchObject({ p: 1, power: 0 });
    expect(dependence(sample(1, 9, 1), 1, 1, stream, 10)).toMatchObject({ p: 1, diagonal: 0 });
    const constant = { ...sample(1, 9, 3), label: new Int32Array(9) };
    for (const draws of [10, 0]) {
      expect(dependence(constant, 3, 3, stream, draws)).toMatchObject({ p: 1, diagonal: 0 });
    }
  });

  it("leaves out tasks that nobody else labelled", () => {
    const rows = [
      { task: "a", worker: "v", label: "x" },
      { task: "a", worker: "w", label: "y" },
      { task: "b", worker: "v", label: "y" },
    ];
    expect([...leaveOneOut(fromRows(rows), 2)(0).label]).toEqual([0]);
  });

  it("takes every other label of a worker with too many", () => {
    const data = randomCrowd(1, { tasks: 100, rate: 1 });
    expect(leaveOneOut(data, 3, 50)(0).label.length).toBe(50);
    expect(leaveOneOut(data, 3, 99)(0).label.length).toBe(50);
  });
});
