import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { categorical, dirichlet } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { type SpammerCrowd, spammerCrowd, spammerKinds } from "../reproduce/spammer-crowd.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import type { Drawn } from "../simulate/simulation.ts";
import { crossFit } from "./cross-fit.ts";
import { dependence, MARGIN } from "./dependence.ts";
import { judge, type Tested } from "./judgement.ts";
import { scoreWorkers } from "./worker-scores.ts";

/** The beliefs that each worker of the crowd is held against. */
function beliefs(data: CategoricalData): Float64Array[] {
  const found: Float64Array[] = [];
  const meaning = Int32Array.from(data.classes, (_, k) => k);
  crossFit(data, data.classes.length, { seed: 0, most: 1000, meaning }, (w, others) => {
    found[w] = others.belief.slice();
  });
  return found;
}

describe("the beliefs of the others", () => {
  it("do not change with the worker's own labels", () => {
    const data = randomCrowd(3);
    const turned = {
      ...data,
      label: data.label.map((l, i) => (data.worker[i] === 2 ? (l + 1) % 3 : l)),
    };
    const [before, after] = [beliefs(data), beliefs(turned)];
    expect(after[2]).toEqual(before[2]);
    expect(after[1]).not.toEqual(before[1]);
  });

  it("are about as often right as they say, with spammers of any kind", () => {
    for (const kind of spammerKinds) {
      let [claimed, right] = [0, 0];
      for (let seed = 0; seed < 5; seed++) {
        const prior = [0.5, 0.5];
        const size = { tasks: 400, workers: 25, labelsPerTask: 5, prior, low: 0.65, high: 0.95 };
        const { data } = spammerCrowd({ ...size, spammers: 0.3, kind, seed });
        const gold: number[][] = Array.from(data.workers, () => []);
        data.worker.forEach((w, i) => {
          gold[w].push(data.gold[data.task[i]]);
        });
        beliefs(data).forEach((belief, w) => {
          if (belief.length !== 2 * gold[w].length) return;
          gold[w].forEach((k, i) => {
            claimed += belief[2 * i] ** 2 + belief[2 * i + 1] ** 2 - 0.5;
            right += belief[2 * i + k] - 0.5;
          });
        });
      }
      expect(right / claimed).toBeGreaterThan(0.9);
      expect(right / claimed).toBeLessThan(1.1);
    }
  });
});

describe("a worker 15 points above guessing", () => {
  it("has the excess and the deviation that drawn labels have", () => {
    const random = createRandom(5).split("knowing");
    const [n, K, draws] = [60, 3, 4000];
    const belief = new Float64Array(n * K);
    for (let i = 0; i < n; i++) {
      dirichlet(random, Float64Array.of(0.9, 0.5, 0.3), belief.subarray(i * K, (i + 1) * K));
    }
    // A first draw settles the label shares; the others are drawn with the same.
    const guess = Int32Array.from({ length: n }, (_, i) => i % K);
    const { knowing } = dependence({ label: guess, belief }, K, K, random, 0);
    const mean = [0, 1, 2].map(
      (k) => belief.filter((_, at) => at % K === k).reduce((a, b) => a + b) / n,
    );
    const s = MARGIN / (1 - mean.reduce((sum, m) => sum + m ** 2, 0));
    let [sum, squares] = [0, 0];
    for (let draw = 0; draw < draws; draw++) {
      let excess = 0;
      for (let i = 0; i < n; i++) {
        const own = belief.subarray(i * K, (i + 1) * K);
        const l = random.next() < s ? categorical(random, own) : categorical(random, [1, 1, 1]);
        excess += own[l] - mean[l];
      }
      sum += excess / draws;
      squares += excess ** 2 / draws;
    }
    const spread = Math.sqrt(squares - sum ** 2);
    expect(Math.abs(knowing.excess - sum)).toBeLessThan((4 * spread) / Math.sqrt(draws));
    expect(knowing.deviation / spread).toBeCloseTo(1, 1);
  });
});

describe("reasons", () => {
  const test: Tested = {
    n: 82,
    p: 0.7,
    diagonal: 0.2,
    chance: 41,
    excess: 0.8,
    deviation: 4,
    knowing: { excess: 10.7, deviation: 4 },
  };
  const facts = {
    labels: 82,
    said: Int32Array.of(40, 42),
    shares: Float64Array.of(0.5, 0.5),
    copies: 0,
    knows: 0.1,
  };

  it("come with each flag, with the numbers behind it", () => {
    expect(judge(test, facts)).toEqual({
      standing: "guessing",
      flags: ["spammer"],
      reasons: [
        "82 labels agree with the other workers no more often than guessing would (51 % against 50 %; a worker 15 points above guessing would reach 63 %).",
      ],
    });
    const worse = judge({ ...test, excess: -16, diagonal: -4, p: 0.005 }, facts);
    expect(worse).toMatchObject({ standing: "worse", flags: ["adversary"] });
    expect(worse.reasons[0]).toContain("30 % against 50 %");
    const same = judge(
      { ...test, excess: 0, diagonal: 0, p: 1 },
      { ...facts, said: Int32Array.of(82, 0) },
    );
    expect(same.flags).toEqual(["spammer", "one-class"]);
    expect(same.reasons[1]).toBe(
      "82 of 82 labels are the same class, which 50 % of these tasks have.",
    );
    expect(judge(test, { ...facts, labels: 1 }).reasons).toEqual([
      "Only 1 label: too few to judge.",
    ]);
  });

  it("are not needed for those who are better, or of whom too little is known", () => {
    const better = judge({ ...test, excess: 12, diagonal: 3, p: 0.005 }, facts);
    expect(better).toEqual({ standing: "better", flags: [], reasons: [] });
    const weak = judge(test, { ...facts, knows: 0.4 });
    expect(weak).toEqual({ standing: "unknown", flags: [], reasons: [] });
  });
});

/** How many spammers, and how many honest workers 15 points or more above guessing, are in the lower groups. */
function lowerGroups(crowds: readonly Drawn[]) {
  const found = { spammers: 0, foundSpammers: 0, honest: 0, wronged: 0 };
  for (const { data, roles, confusion, prior } of crowds) {
    const K = data.classes.length;
    scoreWorkers(data, dawidSkene(data)).forEach(({ labels, standing }, w) => {
      if (labels < 60 || !confusion || !prior) return;
      const lower = standing === "guessing" || standing === "worse" ? 1 : 0;
      let above = 0;
      prior.forEach((share, k) => {
        above += share * (confusion[(w * K + k) * K + k] - share);
      });
      if (roles[w] === "spammer") {
        found.spammers++;
        found.foundSpammers += lower;
      } else if (above >= MARGIN) {
        found.honest++;
        found.wronged += lower;
      }
    });
  }
  return found;
}

const even = (K: number) => Array.from({ length: K }, () => 1 / K);
// Seeds that nothing was chosen by.
const seeds = Array.from({ length: 10 }, (_, i) => 1000 + i);

function pooled(settings: readonly Omit<SpammerCrowd, "seed">[]) {
  return lowerGroups(
    settings.flatMap((each) => seeds.map((seed) => spammerCrowd({ ...each, seed }))),
  );
}

describe("error rates with 60 or more labels per worker", () => {
  it("hammers and spammers, 25 workers on 400 tasks", () => {
    const crowds = Array.from({ length: 30 }, (_, i) =>
      hammerSpammerCrowd({ seed: 1000 + i, workers: 25, tasks: 400 }),
    );
    const found = lowerGroups(crowds);
    expect(found.foundSpammers / found.spammers).toBeGreaterThanOrEqual(0.9);
    expect(found.wronged).toBe(0);
  });

  it("at least 90 % of spammers are found, at most 1 % of honest workers accused", () => {
    const dense = [2, 3, 4].flatMap((K) =>
      spammerKinds.flatMap((kind) =>
        [0, 0.3, 0.7].map((spammers) => ({
          ...{ tasks: 100, workers: 20, labelsPerTask: 16, prior: even(K), spammers, kind },
          ...{ low: 1 / K + MARGIN, high: 0.95 },
        })),
      ),
    );
    const sparse = [3, 5].flatMap((labelsPerTask) =>
      [even(2), even(4), [0.8, 0.2]].flatMap((prior, at) =>
        [0, 0.2].map((spammers) => ({
          ...{
            tasks: Math.round(3200 / labelsPerTask),
            workers: 40,
            labelsPerTask,
            prior,
            spammers,
          },
          kind: spammerKinds[at],
          low: prior.reduce((sum, share) => sum + share ** 2, 0) + MARGIN,
          high: 0.97,
        })),
      ),
    );
    const found = pooled([...dense, ...sparse]);
    expect(found.honest).toBeGreaterThan(5000);
    expect(found.foundSpammers / found.spammers).toBeGreaterThanOrEqual(0.9);
    expect(found.wronged / found.honest).toBeLessThanOrEqual(0.01);
  }, 60_000);

  it("10,000 tasks labelled by all of 20 workers: none is missed, none accused", () => {
    for (const spammers of [0, 0.3, 0.7]) {
      const size = { tasks: 10_000, workers: 20, labelsPerTask: 0, prior: even(4) };
      const found = lowerGroups([
        spammerCrowd({ ...size, spammers, kind: "uniform", low: 0.5, high: 0.9, seed: 1000 }),
      ]);
      expect(found.wronged).toBe(0);
      expect(found.honest).toBe(20 - 20 * spammers);
      expect(found.spammers - found.foundSpammers).toBeLessThanOrEqual(1);
    }
  });
});
