import { describe, expect, it } from "vitest";
import {
  communityCrowd,
  countLabels,
  logDirichletMultinomial,
} from "../../../../test/community-crowd.ts";
import { accuracyGates, splitAccuracy } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { logGamma } from "../../../math/gamma.ts";
import { logSumExp } from "../../../math/log-sum-exp.ts";
import { dawidSkene } from "../em/dawid-skene.ts";
import { load, save } from "../save.ts";
import { nonparametricClusters } from "./nonparametric-clusters.ts";

/** Many short chains, so that the standard errors are good themselves. */
const thorough = { chains: 40, burnIn: 50, samples: 40_000 } as const;

function tiny(labels: string): CategoricalData {
  return fromRows(labels.split(" ").map(([task, worker, label]) => ({ task, worker, label })));
}
const nine = () => tiny("000 010 021 101 111 120 200 210 221");

describe("invariants", () => {
  it("has a table of pairs that is symmetric and certain of each worker with themselves", () => {
    const data = randomCrowd(1);
    const result = nonparametricClusters(data, { samples: 100 });
    const { together, clusters } = result;
    for (let w = 0; w < 8; w++) {
      expect(together[w * 8 + w]).toBe(1);
      for (let v = 0; v < 8; v++) expect(together[w * 8 + v]).toBe(together[v * 8 + w]);
    }
    expect(clusters).toBeGreaterThanOrEqual(1);
    expect(load(save(result))).toEqual(result);
  });

  it("numbers workers in the table as the crowd does", () => {
    const { data, community } = communityCrowd(1, { tasks: 80, workers: 12, labels: 60 });
    const names = [...data.workers].reverse();
    const turned = {
      ...data,
      workers: namesOf(names),
      worker: data.worker.map((w) => data.workers.length - 1 - w),
    };
    for (const each of [data, turned]) {
      const { together } = nonparametricClusters(each, { samples: 100 });
      [...each.workers].forEach((a, w) => {
        [...each.workers].forEach((b, v) => {
          const same = [a, b].map((name) => community[data.workers.indexOf(name)]);
          expect(Math.round(together[w * 12 + v])).toBe(same[0] === same[1] ? 1 : 0);
        });
      });
    }
  });

  it("takes a worker's past as labels", () => {
    const { data, community } = communityCrowd(2, { tasks: 60, workers: 40, labels: 8 });
    const history = new Float64Array(data.workers.length * 9);
    const careful = community.indexOf(2);
    for (let k = 0; k < 3; k++) history[careful * 9 + k * 4] = 1000;
    expect(nonparametricClusters(data, {}, { history }).skill[careful]).toBeGreaterThan(0.9);
  });
});

describe("brute force", () => {
  it("agrees with all truths and partitions to three standard errors", () => {
    const data = nine();
    expectAgreement(nonparametricClusters(data, { ...thorough, concentration: 1 }), exact(data, 1));
  });

  it("agrees with another concentration, and where workers repeat themselves", () => {
    const data = tiny("000 010 021 101 111 120 200 210 221 001 000");
    const options = { ...thorough, concentration: 0.3, seed: 1 };
    expectAgreement(nonparametricClusters(data, options), exact(data, 0.3));
  });

  it("agrees where the concentration is drawn, averaged over its distribution", () => {
    const data = nine();
    // Gamma(1, 1) by the midpoints of a fine grid.
    const parts = Array.from({ length: 400 }, (_, i) => {
      const c = 0.025 * (i + 0.5);
      return { c, of: exact(data, c) };
    });
    const logs = parts.map(({ c, of }) => of.logEvidence - c);
    const total = logSumExp(logs);
    const average = (pick: (of: Exact) => number) =>
      parts.reduce((sum, { of }, i) => sum + Math.exp(logs[i] - total) * pick(of), 0);
    expectAgreement(nonparametricClusters(data, thorough), {
      ...parts[0].of,
      posterior: [...data.tasks].flatMap((_, t) =>
        [0, 1].map((k) => average((of) => of.posterior[2 * t + k])),
      ),
      together: average((of) => of.together),
      clusters: average((of) => of.clusters),
    });
  });
});

describe("published numbers", () => {
  it("has the log evidence and expectations of an independent enumeration", () => {
    const all = exact(nine(), 1);
    expect(all.logEvidence).toBeCloseTo(-7.648002, 6);
    expect(all.posterior.filter((_, at) => at % 2 === 1)).toEqual(
      [0.255029, 0.672691, 0.255029].map((p) => expect.closeTo(p, 6)),
    );
    expect(all.together).toBeCloseTo(0.56118, 6);
    expect(all.clusters).toBeCloseTo(1.858449, 6);
  });

  it("beats dawid-skene by more than .03 where three clusters give five labels each", () => {
    const { data } = communityCrowd(0, { tasks: 188, workers: 300, labels: 5 });
    const [ours, theirs] = [nonparametricClusters(data), dawidSkene(data)].map(({ posterior }) =>
      splitAccuracy(data, posterior),
    );
    expect(ours).toBeGreaterThan(theirs + 0.03);
  });

  // Measured, held so that it stays.
  accuracyGates({ bluebird: 0.8889, rte: 0.9313 }, 0.005, (data) => nonparametricClusters(data));
});

describe("limits", () => {
  it("separates three clusters, and expects few more than there are", () => {
    const { data, community } = communityCrowd(3, { tasks: 300, workers: 60, labels: 50 });
    const { clusters, together, converged } = nonparametricClusters(data);
    expect(clusters).toBeGreaterThan(2.99);
    expect(clusters).toBeLessThan(4);
    together.forEach((p, at) => {
      const same = community[Math.floor(at / 60)] === community[at % 60];
      expect(p > 0.5).toBe(same);
    });
    expect(converged).toBe(true);
  });

  it("leaves the table of pairs empty for more than a thousand workers, and says so", () => {
    const rows = Array.from({ length: 1001 }, (_, w) => ({
      task: `t${w % 9}`,
      worker: `w${w}`,
      label: `c${w % 2}`,
    }));
    const { together, notes } = nonparametricClusters(fromRows(rows), { samples: 4, burnIn: 0 });
    expect(together.length).toBe(0);
    expect(notes.join(" ")).toMatch(/1001 workers are too many for a table of pairs/);
  });
});

interface Exact {
  readonly logEvidence: number;
  readonly posterior: readonly number[];
  /** P(the first two workers are of one cluster). */
  readonly together: number;
  readonly clusters: number;
}

/** Sums over all truths and all ways to divide the workers, for two classes and prior counts 4 and 1. */
function exact(data: CategoricalData, concentration: number): Exact {
  const [T, W] = [data.tasks.length, data.workers.length];
  const logs: number[] = [];
  const states: { truth: number[]; cluster: number[] }[] = [];
  for (let code = 0; code < 2 ** T; code++) {
    const truth = Array.from(data.tasks, (_, t) => Math.floor(code / 2 ** t) % 2);
    const counts = countLabels(data, truth);
    const ones = truth.filter((k) => k === 1).length;
    for (const cluster of partitions(W)) {
      let log = logDirichletMultinomial([T - ones, ones], [1, 1]);
      log += logGamma(concentration) - logGamma(concentration + W);
      for (let j = 0; j <= Math.max(...cluster); j++) {
        const members = counts.filter((_, w) => cluster[w] === j);
        log += Math.log(concentration) + logGamma(members.length);
        for (const k of [0, 1]) {
          const row = [0, 1].map((l) => members.reduce((sum, own) => sum + own[k][l], 0));
          log += logDirichletMultinomial(row, k === 0 ? [4, 1] : [1, 4]);
        }
      }
      logs.push(log);
      states.push({ truth, cluster });
    }
  }
  const logEvidence = logSumExp(logs);
  const expectation = (pick: (state: (typeof states)[number]) => number) =>
    states.reduce((sum, state, i) => sum + Math.exp(logs[i] - logEvidence) * pick(state), 0);
  return {
    logEvidence,
    posterior: [...data.tasks].flatMap((_, t) =>
      [0, 1].map((k) => expectation(({ truth }) => (truth[t] === k ? 1 : 0))),
    ),
    together: expectation(({ cluster }) => (cluster[0] === cluster[1] ? 1 : 0)),
    clusters: expectation(({ cluster }) => Math.max(...cluster) + 1),
  };
}

/** All ways to divide n, each worker in a cluster up to one above the last. */
function partitions(n: number): number[][] {
  if (n === 0) return [[]];
  return partitions(n - 1).flatMap((rest) =>
    Array.from({ length: Math.max(-1, ...rest) + 2 }, (_, j) => [...rest, j]),
  );
}

function expectAgreement(
  sampled: ReturnType<typeof nonparametricClusters>,
  { posterior, together, clusters }: Exact,
): void {
  sampled.posterior.forEach((p, at) => {
    expect(Math.abs(p - posterior[at])).toBeLessThanOrEqual(3 * sampled.standardError[at]);
    expect(sampled.standardError[at]).toBeLessThan(0.005);
  });
  const error = sampled.togetherError[1];
  expect(Math.abs(sampled.together[1] - together)).toBeLessThanOrEqual(3 * error);
  expect(Math.abs(sampled.clusters - clusters)).toBeLessThanOrEqual(3 * sampled.clustersError);
}
