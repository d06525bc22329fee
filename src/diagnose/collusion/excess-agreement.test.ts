import { describe, expect, it } from "vitest";
import { gate, splitAccuracy } from "../../../test/datasets.ts";
import {
  degenerateCrowds,
  drawCrowd,
  randomCrowd,
  reversedLabels,
} from "../../../test/random-crowd.ts";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../../aggregate/categorical/votes/majority-vote.ts";
import { fromRows } from "../../data/from-rows.ts";
import { createRandom } from "../../math/random.ts";
import { drain } from "../../method.ts";
import { colludersCrowd } from "../../simulate/colluders.ts";
import { mixedCrowd } from "../../simulate/mixed.ts";
import { excessAgreement } from "./excess-agreement.ts";
import { groupEvidence, sitsOnWrongAnswers } from "./group-evidence.ts";
import { expectedAgreement, robustCoin, weightedMedian } from "./robust-coin.ts";
import { treatGroups } from "./treat-groups.ts";

const accuracy = splitAccuracy;

describe("published numbers", () => {
  // Colluders among 60 workers, 5,000 tasks, 3 classes: MV, DS and DS after removal, mean of 3 seeds.
  it.each([
    [0.1, 0.994, 1.0, 1.0],
    [0.3, 0.479, 0.104, 0.9999],
    [0.45, 0.105, 0.104, 0.9995],
  ])("share %f: votes %f, Dawid–Skene %f, after removal %f", (share, votes, before, after) => {
    const sums = [0, 0, 0];
    for (let seed = 1; seed <= 3; seed++) {
      const { data, roles = [] } = colludersCrowd({ share, seed });
      const { groups, flagged } = excessAgreement(data);
      const colluders = roles.flatMap((role, w) => (role === "colluder" ? [w] : []));
      expect([...flagged]).toEqual(colluders);
      expect(groups.map(({ status, workers }) => [status, [...workers]])).toEqual([
        ["suspected", colluders],
      ]);
      const clean = treatGroups(data, [groups[0].workers], "remove");
      for (const [i, result] of [
        majorityVote(data),
        dawidSkene(data),
        dawidSkene(clean),
      ].entries()) {
        sums[i] += accuracy(data, result.posterior) / 3;
      }
    }
    expect(Math.abs(sums[0] - votes)).toBeLessThan(0.02);
    expect(Math.abs(sums[1] - before)).toBeLessThan(0.02);
    expect(Math.abs(sums[2] - after)).toBeLessThan(0.02);
  });

  it("no colluders: nobody is flagged", () => {
    for (let seed = 1; seed <= 3; seed++) {
      const { flagged, groups } = excessAgreement(colludersCrowd({ share: 0, seed }).data);
      expect([flagged.length, groups.length]).toEqual([0, 0]);
    }
  });

  // Flagged workers on public sets, within two; none of them is suspected.
  for (const [name, count] of Object.entries({
    bluebird: 0,
    sp: 0,
    sp_amt: 0,
    rte: 3,
    zencrowd_in: 2,
  })) {
    gate(name, `flags ${count} workers`, (data) => {
      const { flagged, groups } = excessAgreement(data);
      expect(Math.abs(flagged.length - count)).toBeLessThanOrEqual(2);
      expect(groups.filter(({ status }) => status === "suspected")).toEqual([]);
    });
  }

  // The few good workers of web agree on answers that the rest contradicts, and are right.
  gate("web", "good workers in a poor crowd are alike, not suspected", (data) => {
    const right = new Float64Array(data.workers.length);
    const scored = new Float64Array(data.workers.length);
    data.label.forEach((label, i) => {
      const gold = data.gold[data.task[i]];
      if (gold < 0) return;
      scored[data.worker[i]]++;
      if (label === gold) right[data.worker[i]]++;
    });
    for (const [least, labels] of [
      [0.7, 100],
      [0.65, 50],
    ]) {
      const good = Int32Array.from(right.keys()).filter(
        (w) => scored[w] >= labels && right[w] / scored[w] > least,
      );
      const [evidence] = drain(groupEvidence(data, [good], { seed: 0, mostLabels: 200_000 }));
      expect(evidence?.wrongLooking).toBeGreaterThan(0.5);
      expect(evidence && sitsOnWrongAnswers(evidence)).toBe(false);
    }
    const { groups } = excessAgreement(data);
    expect(groups.filter(({ status }) => status === "suspected")).toEqual([]);
  });
});

describe("brute force", () => {
  it("skills are a minimum of the weighted absolute errors along each worker", () => {
    const { data } = drawCrowd(3, {
      tasks: 300,
      workers: 7,
      classes: 3,
      rate: 0.9,
      skill: [0.6, 0.9],
    });
    const { pairs, agreement, reliability } = robustCoin(data);
    const loss = (w: number, s: number) => {
      let sum = 0;
      for (let at = pairs.start[w]; at < pairs.start[w + 1]; at++) {
        const beyond = (3 * agreement[at] - 1) / 2;
        sum += Math.sqrt(pairs.common[at]) * Math.abs(beyond - s * reliability[pairs.other[at]]);
      }
      return sum;
    };
    for (let w = 0; w < 7; w++) {
      for (let s = -0.5; s <= 1; s += 0.01) {
        expect(loss(w, reliability[w])).toBeLessThanOrEqual(loss(w, s) + 1e-3);
      }
    }
  });

  it("finds weighted medians as sorting does", () => {
    const random = createRandom(1).split("medians");
    for (let draw = 0; draw < 2000; draw++) {
      const n = 1 + Math.floor(random.next() * 9);
      const values = Float64Array.from({ length: n }, () => Math.floor(random.next() * 5));
      const weights = Float64Array.from({ length: n }, () => 1 + Math.floor(random.next() * 3));
      const half = weights.reduce((a, b) => a + b, 0) / 2;
      let sum = 0;
      const sorted = [...values.keys()].sort((i, j) => values[i] - values[j]);
      const expected = sorted.find((i) => {
        sum += weights[i];
        return sum >= half;
      });
      expect(weightedMedian(values.slice(), weights.slice())).toBe(values[expected ?? 0]);
    }
    expect(weightedMedian(new Float64Array(), new Float64Array())).toBe(0);
  });

  it("flags the pairs of the definition", () => {
    const { data } = colludersCrowd({ tasks: 400, workers: 12, share: 0.34, seed: 5 });
    const { pairs, reliability, compared } = excessAgreement(data);
    const expected: string[] = [];
    const W = data.workers.length;
    for (let u = 0; u < W; u++) {
      for (let v = u + 1; v < W; v++) {
        let [n, same] = [0, 0];
        for (let t = 0; t < data.tasks.length; t++, n++) {
          if (data.label[t * W + u] === data.label[t * W + v]) same++;
        }
        const P = expectedAgreement(reliability, u, v, 3);
        const z = (same / n - P) / Math.sqrt((P * (1 - P)) / n);
        if (same / n - P > 0.1 && z > 6) expected.push(`${u} ${v}`);
      }
    }
    expect(compared).toBe(66);
    expect(pairs.map(({ workers }) => workers.join(" ")).sort()).toEqual(expected.sort());
    expect(expected).toHaveLength(6);
  });
});

describe("invariants", () => {
  it("leaves the data alone, and does not depend on the order of the rows", () => {
    const { data } = colludersCrowd({ tasks: 500, workers: 20, share: 0.2, seed: 2 });
    const before = [data.task, data.worker, data.label].map((column) => column.slice());
    const found = excessAgreement(data);
    expect([data.task, data.worker, data.label]).toEqual(before);
    const reversed = excessAgreement(reversedLabels(data));
    expect(reversed.groups.map(({ workers }) => workers)).toEqual(
      found.groups.map(({ workers }) => workers),
    );
    expect(reversed.reliability).toEqual(found.reliability);
  });

  it("shared habits are no shared errors", () => {
    // Three workers who nearly always say one class agree, and their confusions predict it.
    const { data } = drawCrowd(9, {
      tasks: 1000,
      workers: 15,
      classes: 2,
      rate: 1,
      skill: [0.7, 0.9],
    });
    const random = createRandom(4).split("habit");
    const label = data.label.map((l, i) =>
      data.worker[i] < 3 ? (random.next() < 0.95 ? 0 : 1) : l,
    );
    const { groups } = excessAgreement({ ...data, label });
    expect(groups.map(({ status, workers }) => [status, [...workers]])).toEqual([
      ["alike", [0, 1, 2]],
    ]);
    expect(groups[0].reason).toMatch(/confusion matrices predict/);
  });

  it("skills of few labels are not taken for certain", () => {
    // Ten labels per worker: many pairs are above the thresholds, none is beyond chance.
    const { flagged, groups } = excessAgreement(mixedCrowd({ seed: 1 }).data);
    expect(flagged.length).toBeGreaterThan(100);
    expect(groups).toEqual([]);
  });

  it("with times it says who answers later", () => {
    const { data } = colludersCrowd({ tasks: 400, workers: 15, share: 0.2, seed: 2 });
    const random = createRandom(3).split("times");
    // The label of worker 14 comes after those of 12 and 13, whose order is random.
    const time = Float64Array.from(data.worker, (w) => (w === 14 ? 3.6e6 : 1e6 * random.next()));
    const [{ copying, reason }] = excessAgreement({ ...data, time }).groups;
    expect(copying.map(({ first, later, share }) => [first, later, share]).sort()).toEqual([
      [12, 14, 1],
      [13, 14, 1],
    ]);
    expect(reason).toMatch(/gave the same label on 100 % of their common tasks/);
    expect(excessAgreement(data).groups[0].copying).toEqual([]);
  });

  it("treats groups by removal, one voice or weights", () => {
    const { data } = colludersCrowd({ tasks: 50, workers: 10, share: 0.3, seed: 1 });
    const groups = [Int32Array.of(7, 8, 9)];
    expect(treatGroups(data, groups, "remove").label).toHaveLength(350);
    const one = treatGroups(data, groups, "one");
    expect(one.label).toHaveLength(400);
    expect(one.worker.filter((w) => w >= 7).every((w) => w === 7)).toBe(true);
    const { weight = [] } = treatGroups(data, groups, "weight");
    expect([...weight].reduce((a, b) => a + b, 0)).toBeCloseTo(400, 9);
    expect(data.weight).toBeUndefined();
  });
});

describe("limits", () => {
  it("copes with no labels, one worker, one class, abstentions", () => {
    const single = fromRows([{ task: "t", worker: "w", label: "x" }]);
    const abstained = randomCrowd(2, { tasks: 50 });
    const label = abstained.label.map((l, i) => (i % 5 === 0 ? 3 : l));
    for (const data of [
      fromRows([]),
      single,
      randomCrowd(1, { classes: 1 }),
      { ...abstained, label },
      ...degenerateCrowds(2),
      ...degenerateCrowds(3),
    ]) {
      expect(excessAgreement(data).groups).toEqual([]);
    }
  });

  it("compares many pairs on a sample, and finds the same group", () => {
    const { data } = colludersCrowd({ tasks: 2000, workers: 40, share: 0.3, seed: 4 });
    const found = excessAgreement(data, { mostPairs: 200_000, mostLabels: 5000 });
    expect(found.sampled).toBe(true);
    expect(found.groups.map(({ status, workers }) => [status, workers.length])).toEqual([
      ["suspected", 12],
    ]);
  });
});
