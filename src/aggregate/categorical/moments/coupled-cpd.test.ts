import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import {
  exactMoments,
  exactTriples,
  randomConfusions,
  result,
} from "../../../../test/moment-crowds.ts";
import { findsTruthByExperts, recoversConfusions } from "../../../../test/moment-recovery.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { createRandom } from "../../../math/random.ts";
import { recoveryError } from "../../../reproduce/misled-crowd.ts";
import { coupledCpd, meetMoments } from "./coupled-cpd.ts";
import { pairMoments } from "./moments.ts";
import { findCorners } from "./multi-spa.ts";
import { tripleMoments } from "./triple-moments.ts";

const prior = Float64Array.of(0.5, 0.3, 0.2);
const settings = { minCommon: 1, partners: 0, memory: 100 };

describe("invariants", () => {
  it("never raises the sum of squares", () => {
    for (let seed = 0; seed < 3; seed++) {
      const data = randomCrowd(seed, { tasks: 100 });
      const pairs = result(pairMoments("m", data, 3, settings));
      const triples = result(tripleMoments(data, pairs, 100, createRandom(1)));
      const start = randomConfusions(seed, 8, 3, false);
      const { misfit } = result(
        meetMoments(pairs, triples, start, { maxIterations: 60, precision: 0 }),
      );
      for (let i = 1; i < misfit.length; i++) {
        expect(misfit[i]).toBeLessThanOrEqual(misfit[i - 1] * (1 + 1e-12));
      }
      expect(misfit.at(-1)).toBeLessThan(0.9 * misfit[0]);
    }
  });

  it("draws triples once each, of workers who are pairs", () => {
    const data = randomCrowd(1, { tasks: 300, workers: 30, rate: 0.2 });
    const pairs = result(pairMoments("m", data, 3, { ...settings, minCommon: 10 }));
    const { members } = result(tripleMoments(data, pairs, 5, createRandom(1)));
    const names = new Set<string>();
    for (let i = 0; i < members.length; i += 3) {
      const [u, v, w] = members.subarray(i, i + 3);
      expect(u < v && v < w).toBe(true);
      names.add(`${u} ${v} ${w}`);
      const partners = pairs.partner.subarray(pairs.start[u], pairs.start[u + 1]);
      expect(partners).toContain(v);
      expect(partners).toContain(w);
    }
    expect(names.size).toBe(members.length / 3);
    expect(names.size).toBeGreaterThan(30);
    expect(names.size).toBeLessThanOrEqual(150);
  });
});

describe("brute force", () => {
  it("counts what a walk over all triples of labels counts", () => {
    const data = randomCrowd(2, { tasks: 20, workers: 5, classes: 2, rate: 0.6 });
    const pairs = result(pairMoments("m", data, 2, settings));
    const { members, common, joint } = result(tripleMoments(data, pairs, 100, createRandom(1)));
    expect(members.length).toBe(30);
    for (let i = 0; i < members.length / 3; i++) {
      const said = [0, 1, 2].map((m) => {
        const labels = new Int32Array(20).fill(-1);
        data.label.forEach((l, at) => {
          if (data.worker[at] === members[3 * i + m]) labels[data.task[at]] = l;
        });
        return labels;
      });
      const tasks = [...said[0].keys()].filter((t) => said.every((labels) => labels[t] >= 0));
      expect(common[i]).toBe(tasks.length);
      for (let at = 0; at < 8; at++) {
        const cell = [at >> 2, (at >> 1) & 1, at & 1];
        const count = tasks.filter((t) => cell.every((l, m) => said[m][t] === l)).length;
        expect(joint[i * 8 + at]).toBeCloseTo(count / tasks.length, 12);
      }
    }
  });

  it("has the sum of squares of its definition", () => {
    const confusion = randomConfusions(1, 4, 3, false);
    const [pairs, triples] = [exactMoments(confusion, prior), exactTriples(confusion, prior)];
    const start = randomConfusions(2, 4, 3, false);
    const fit = result(meetMoments(pairs, triples, start, { maxIterations: 1, precision: 0 }));
    const model = exactMoments(fit.confusion, fit.prior);
    const triple = exactTriples(fit.confusion, fit.prior);
    let sum = 0;
    pairs.means.forEach((x, at) => {
      sum += 1e6 * (x - model.means[at]) ** 2;
    });
    pairs.joint.forEach((x, at) => {
      sum += 0.5e6 * (x - model.joint[at]) ** 2;
    });
    triples.joint.forEach((x, at) => {
      sum += 1e6 * (x - triple.joint[at]) ** 2;
    });
    expect(fit.misfit[0] / sum).toBeCloseTo(1, 8);
  });

  it("finds what is behind exact moments of three workers and of six, without experts", () => {
    for (const [W, seeds] of [
      [3, [0, 1, 3]],
      [6, [0, 1, 2, 3]],
    ] as const) {
      for (const seed of seeds) {
        const confusion = randomConfusions(seed, W, 3, false);
        const pairs = exactMoments(confusion, prior);
        const start = findCorners(pairs, { minColumn: 0, align: "reference" }).confusion;
        expect(recoveryError(start, confusion, 3)).toBeGreaterThan(0.04);
        const far = { maxIterations: 3000, precision: 0 };
        const fit = result(meetMoments(pairs, exactTriples(confusion, prior), start, far));
        expect(recoveryError(fit.confusion, confusion, 3)).toBeLessThan(1e-5);
      }
    }
  });

  recoversConfusions(coupledCpd, 1.6);
});

describe("published numbers", () => {
  findsTruthByExperts(coupledCpd, [2000]);

  // No published numbers: the ends of EM from this start, beside .8981 and .9275 from the votes.
  accuracyGates({ bluebird: 0.8981, rte: 0.93 }, 0.003, (data) => coupledCpd(data));
});

describe("limits", () => {
  it("starts from the votes where no three workers labelled the same tasks, and says so", () => {
    const rows = Array.from({ length: 40 }, (_, t) =>
      [`w${t % 2}`, "w2"].map((worker) => ({ task: `t${t}`, worker, label: `c${t % 3}` })),
    ).flat();
    const fit = coupledCpd(fromRows(rows));
    expect(fit.notes.join()).toMatch(/No three workers labelled the same tasks/);
    expect([...fit.consensus]).toEqual(Array.from({ length: 40 }, (_, t) => t % 3));
  });

  it("says when too few workers tell all classes apart", () => {
    // Two honest workers and three who always say the same.
    const rows = Array.from({ length: 60 }, (_, t) =>
      [0, 1, 2, 3, 4].map((w) => ({
        task: `t${t}`,
        worker: `w${w}`,
        label: w < 2 ? (t % 7 === w ? "b" : t % 2 ? "a" : "b") : "a",
      })),
    ).flat();
    expect(coupledCpd(fromRows(rows)).notes.join()).toMatch(
      /Only \d workers tell all classes apart/,
    );
  });
});
