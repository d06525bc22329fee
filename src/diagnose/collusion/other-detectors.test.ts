import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../../test/random-crowd.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { fromRows } from "../../data/from-rows.ts";
import { namesOf } from "../../data/names.ts";
import { createRandom } from "../../math/random.ts";
import { colludersCrowd } from "../../simulate/colluders.ts";
import { hammerSpammerCrowd } from "../../simulate/hammer-spammer.ts";
import { conflictPenalties, semiMatching } from "./conflicts.ts";
import { agreementSubspace } from "./subspace.ts";
import { agreementTriples } from "./triples.ts";

/** One-coin workers, the last of them colluders who are wrong together with probability .9. */
function coinCrowd(seed: number, W: number, colluders: number, T = 5000, K = 2) {
  const random = createRandom(seed).split("coins");
  const right = Float64Array.from({ length: W }, () => 0.6 + 0.3 * random.next());
  const label = new Int32Array(T * W);
  for (let t = 0; t < T; t++) {
    const truth = Math.floor(random.next() * K);
    const wrong = () => (truth + 1 + Math.floor(random.next() * (K - 1))) % K;
    const together = random.next() < 0.9 ? wrong() : truth;
    for (let w = 0; w < W; w++) {
      label[t * W + w] = w >= W - colluders ? together : random.next() < right[w] ? truth : wrong();
    }
  }
  const names = (letter: string, n: number) =>
    namesOf(Array.from({ length: n }, (_, i) => `${letter}${i}`));
  const data: CategoricalData = {
    kind: "categorical",
    tasks: names("t", T),
    workers: names("w", W),
    classes: names("c", K),
    task: Int32Array.from(label, (_, i) => Math.floor(i / W)),
    worker: Int32Array.from(label, (_, i) => i % W),
    label,
    gold: new Int32Array(T).fill(-1),
    notes: [],
  };
  return { data, skill: right.map((p) => (K * p - 1) / (K - 1)) };
}

const last = (W: number, n: number) => Array.from({ length: n }, (_, i) => W - n + i);

describe("triples", () => {
  // Mean error of honest skills, 5 seeds: .0091 without colluders to .0105 with 45 %.
  it.each([0, 0.2, 0.3, 0.4, 0.45])(
    "skills are right, and colluders flagged (share %f)",
    (share) => {
      const [W, colluders] = [40, Math.round(share * 40)];
      let sum = 0;
      for (let seed = 0; seed < 5; seed++) {
        const { data, skill } = coinCrowd(seed, W, colluders);
        const { reliability, flagged, score } = agreementTriples(data, { mostPairs: 1e7 });
        for (let w = 0; w < W - colluders; w++) sum += Math.abs(reliability[w] - skill[w]);
        expect([...flagged]).toEqual(last(W, colluders));
        expect(score.slice(0, W - colluders).every((x) => x === 0)).toBe(true);
      }
      expect(sum / 5 / (W - colluders)).toBeLessThan(0.0125);
    },
  );

  it("holds with more classes, too", () => {
    const { data, skill } = coinCrowd(1, 30, 9, 5000, 4);
    const { reliability, flagged } = agreementTriples(data);
    for (let w = 0; w < 21; w++) expect(Math.abs(reliability[w] - skill[w])).toBeLessThan(0.05);
    expect([...flagged]).toEqual(last(30, 9));
  });

  it("copes with little", () => {
    for (const data of [
      fromRows([]),
      randomCrowd(1, { classes: 1 }),
      randomCrowd(2, { workers: 2 }),
    ]) {
      expect(agreementTriples(data).flagged).toHaveLength(0);
    }
  });
});

describe("conflicts", () => {
  it("soft penalties are those of the definition", () => {
    const labels = "000 010 021 100 110 120 201 210 221 222".split(" ");
    const data = fromRows(
      labels.map(([task, worker, label]) => ({ task, worker, label })),
      {
        repeats: "all",
      },
    );
    // Task 0: {0, 1} against {2}; task 1 is agreed; task 2: {0, 2} said 1, {1} said 0, {2} said 2.
    const { soft, tasks } = conflictPenalties(data);
    expect([...soft]).toEqual([(1 / 2 + 1 / 2) / 2, (1 / 2 + 1) / 2, (1 + 1 / 2 + 1) / 3]);
    expect(tasks).toBe(2);
  });

  it("hard penalties have the least sum of squares over all assignments", () => {
    const random = createRandom(1).split("sides");
    for (let draw = 0; draw < 200; draw++) {
      const W = 4;
      const sides = Array.from({ length: 7 }, () => {
        const members = [0, 1, 2, 3].filter(() => random.next() < 0.5);
        return Int32Array.from(members.length > 0 ? members : [Math.floor(random.next() * W)]);
      });
      const square = (load: ArrayLike<number>) =>
        Array.from(load).reduce((sum, n) => sum + n * n, 0);
      let best = Infinity;
      const load = new Int32Array(W);
      const assign = (side: number): void => {
        if (side === sides.length) best = Math.min(best, square(load));
        else {
          for (const w of sides[side]) {
            load[w]++;
            assign(side + 1);
            load[w]--;
          }
        }
      };
      assign(0);
      expect(square(semiMatching(sides, W))).toBe(best);
    }
  });

  it("punishes adversaries and spammers among good workers", () => {
    const { data, roles = [] } = hammerSpammerCrowd({
      tasks: 400,
      workers: 40,
      labelsPerTask: 8,
      seed: 2,
    });
    const { soft, hard } = conflictPenalties(data);
    const mean = (values: ArrayLike<number>, good: boolean) => {
      const own = Array.from(values).filter((_, w) => (roles[w] === "hammer") === good);
      return own.reduce((sum, x) => sum + x, 0) / own.length;
    };
    expect(mean(soft, false)).toBeGreaterThan(mean(soft, true));
    expect(mean(hard, false)).toBeGreaterThan(mean(hard, true));
  });

  it("a few colluders have the largest soft penalties, many do not", () => {
    const few = colludersCrowd({ share: 0.1, seed: 1, tasks: 500 });
    const { soft } = conflictPenalties(few.data);
    const ranked = [...soft.keys()].sort((a, b) => soft[b] - soft[a]).slice(0, 6);
    expect(ranked.sort((a, b) => a - b)).toEqual(last(60, 6));
    const many = conflictPenalties(colludersCrowd({ share: 0.45, seed: 1, tasks: 500 }).data).soft;
    const mean = (values: Float64Array) => values.reduce((sum, x) => sum + x, 0) / values.length;
    expect(mean(many.slice(33))).toBeLessThan(mean(many.slice(0, 33)));
  });

  it("copes with nothing", () => {
    expect(conflictPenalties(fromRows([]))).toMatchObject({ tasks: 0, sampled: false });
  });
});

describe("subspace", () => {
  it.each([0, 0.1, 0.3, 0.45])(
    "colluders do not lie in the space of the others (share %f)",
    (share) => {
      for (const trusted of [undefined, 0]) {
        const { data } = colludersCrowd({ share, tasks: 1000, workers: 40, seed: 1 });
        const { flagged, basis } = agreementSubspace(data, { trusted });
        const colluders = last(40, Math.round(share * 40));
        expect([...flagged]).toEqual(colluders);
        expect([...basis].filter((w) => colluders.includes(w))).toEqual([]);
      }
    },
  );

  it("copes with little, and refuses too much", () => {
    for (const data of [
      fromRows([]),
      randomCrowd(1, { classes: 1 }),
      randomCrowd(2, { workers: 3 }),
    ]) {
      expect(agreementSubspace(data).flagged).toHaveLength(0);
    }
    const many = randomCrowd(1, { workers: 500, tasks: 3, rate: 1 });
    expect(() => agreementSubspace(many)).toThrow(/at most 400 workers, not 500/);
  });
});
