import { describe, expect, it } from "vitest";
import {
  adjustedRand,
  allCommunities,
  communityCrowd,
  expectBetterForFewLabels,
  logDirichletMultinomial,
} from "../../../../test/community-crowd.ts";
import { accuracyGates } from "../../../../test/datasets.ts";
import { largestDifference } from "../../../../test/expect-numbers.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { load, save } from "../save.ts";
import { cbcc } from "./cbcc.ts";
import { workerClusters } from "./worker-clusters.ts";

describe("invariants", () => {
  it.each([1, 10, 1000])("never lowers its bound (kappa %s)", (kappa) => {
    for (let seed = 0; seed < 10; seed++) {
      const options = { kappa, tolerance: 0, maxIterations: 40, communities: 4 };
      const { trace } = cbcc(randomCrowd(seed), options);
      for (let i = 1; i < trace.length; i++) {
        expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9 * Math.abs(trace[i]));
      }
    }
  });

  it("takes a worker's past as labels, and is saved", () => {
    const { data, community } = communityCrowd(2, { tasks: 60, workers: 40, labels: 3 });
    const history = new Float64Array(data.workers.length * 9);
    const careful = community.indexOf(2);
    for (let k = 0; k < 3; k++) history[careful * 9 + k * 4] = 1000;
    const result = cbcc(data, {}, { history });
    expect(result.skill[careful]).toBeGreaterThan(0.95);
    expect(load(save(result))).toEqual(result);
  });
});

describe("brute force", () => {
  it("stays below the log evidence of all truths and communities under its own shares", () => {
    for (let seed = 0; seed < 6; seed++) {
      const data = randomCrowd(seed, { tasks: 4, workers: 3, classes: 2 });
      const options = { communities: 2, concentration: 0.5, kappa: 5 } as const;
      const { trace, communityConfusion } = cbcc(data, {
        ...options,
        tolerance: 0,
        maxIterations: 200,
      });
      const row = (j: number, k: number) =>
        Array.from(communityConfusion.subarray((j * 2 + k) * 2, (j * 2 + k) * 2 + 2));
      const evidence = allCommunities(data, 2, 0.5, (counts, community) => {
        let log = 0;
        for (const k of [0, 1]) {
          counts.forEach((own, w) => {
            const prior = row(community[w], k).map((share) => 5 * share);
            log += logDirichletMultinomial(own[k], prior);
          });
          for (const j of [0, 1]) {
            row(j, k).forEach((share, l) => {
              log += (k === l ? 4 : 1) * Math.log(share);
            });
          }
        }
        return log;
      });
      expect(trace.at(-1) ?? 0).toBeLessThanOrEqual(evidence + 1e-9);
      expect(trace.at(-1) ?? 0).toBeGreaterThan(evidence - 2.5);
    }
  });

  it("ends where the shares of a community cannot be bettered", () => {
    const { data } = communityCrowd(3, { tasks: 60, workers: 40, labels: 12 });
    const end = cbcc(data, { communities: 1, tolerance: 0, maxIterations: 400 });
    // Exact counts: the posterior is certain enough, so that the objective can be written down.
    const K = 3;
    const counts = Array.from(data.workers, () => new Float64Array(9));
    for (let i = 0; i < data.label.length; i++) {
      for (let k = 0; k < K; k++) {
        counts[data.worker[i]][k * K + data.label[i]] += end.posterior[data.task[i] * K + k];
      }
    }
    const objective = (shares: Float64Array) => {
      let log = 0;
      for (let k = 0; k < K; k++) {
        const prior = shares.subarray(k * K, (k + 1) * K);
        prior.forEach((share, l) => {
          log += (k === l ? 4 : 1) * Math.log(share);
        });
        for (const own of counts) {
          log += logDirichletMultinomial(
            own.subarray(k * K, (k + 1) * K),
            prior.map((share) => 10 * share),
          );
        }
      }
      return log;
    };
    const best = objective(end.communityConfusion);
    for (let k = 0; k < K; k++) {
      for (const [l, m] of [
        [0, 1],
        [1, 2],
        [2, 0],
      ]) {
        const moved = end.communityConfusion.slice();
        moved[k * K + l] += 1e-3;
        moved[k * K + m] -= 1e-3;
        expect(objective(moved)).toBeLessThan(best);
      }
    }
  });
});

describe("published numbers", () => {
  it("beats dawid-skene by more than .03 where three communities give five labels each", () =>
    expectBetterForFewLabels(cbcc));

  it("finds three communities with fifty labels per worker", () => {
    for (let seed = 0; seed < 3; seed++) {
      const { data, community } = communityCrowd(seed, { tasks: 1000, workers: 150, labels: 50 });
      expect(adjustedRand(cbcc(data).community, community)).toBeGreaterThan(0.9);
    }
  });

  // Measured, held so that it stays.
  accuracyGates({ bluebird: 0.8981, rte: 0.9287, web: 0.8081 }, 0.003, (data) => cbcc(data));
});

describe("limits", () => {
  it("becomes worker clusters as kappa grows", () => {
    const { data } = communityCrowd(1, { tasks: 200, workers: 60, labels: 30 });
    const far = cbcc(data, { kappa: 1e7 });
    const clusters = workerClusters(data);
    expect(largestDifference(far.posterior, clusters.posterior)).toBeLessThan(0.02);
    const near = cbcc(data, { kappa: 1 });
    expect(largestDifference(near.posterior, clusters.posterior)).toBeGreaterThan(0.05);
    // All members of a community have its confusion, or their own.
    const spread = ({ confusion, community }: typeof far) => {
      const own = Array.from(community.keys()).filter((w) => community[w] === 0);
      const rates = own.map((w) => confusion[w * 9]);
      return Math.max(...rates) - Math.min(...rates);
    };
    expect(spread(far)).toBeLessThan(0.01);
    expect(spread(near)).toBeGreaterThan(0.1);
  });
});
