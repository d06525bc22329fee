import { describe, expect, it } from "vitest";
import { gate, splitAccuracy } from "../../../test/datasets.ts";
import { randomCrowd } from "../../../test/random-crowd.ts";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../../aggregate/categorical/votes/majority-vote.ts";
import { labelsPerTask } from "../../data/crowd-data.ts";
import { fromRows } from "../../data/from-rows.ts";
import { drain } from "../../method.ts";
import { spammerCrowd } from "../../reproduce/spammer-crowd.ts";
import { colludersCrowd } from "../../simulate/colluders.ts";
import { covarianceSpammers } from "./covariance.ts";
import { heldOutSteps, pruneSpammers } from "./prune.ts";

const crowd = (spammers: number, seed = 1) =>
  spammerCrowd({
    ...{ tasks: 300, workers: 20, labelsPerTask: 0, prior: [0.5, 0.3, 0.2], spammers },
    ...({ kind: "uniform", low: 0.6, high: 0.9, seed } as const),
  });

describe("pruning", () => {
  it("keeps workers who are worse than guessing for a model, which turns their labels round, but not for a vote", () => {
    const { data } = crowd(0);
    // The first worker always names the next class.
    const turned = {
      ...data,
      label: data.label.map((l, i) =>
        data.worker[i] === 0 ? (data.gold[data.task[i]] + 1) % 3 : l,
      ),
    };
    expect(pruneSpammers(turned).workers).toHaveLength(0);
    const [name] = [...data.workers];
    for (const options of [{ method: majorityVote }, { worse: true }]) {
      expect(pruneSpammers(turned, options).workers.map(({ worker }) => worker)).toEqual([name]);
    }
    expect(pruneSpammers(turned, { method: majorityVote, worse: false }).workers).toHaveLength(0);
  });

  it("does not take honest workers out where a third of the crowd agrees on wrong labels", () => {
    const { data, roles } = colludersCrowd({ share: 0.35, tasks: 800, workers: 40, seed: 3 });
    const { workers } = pruneSpammers(data, { worse: true });
    const honest = [...data.workers].filter((_, w) => roles?.[w] === "honest");
    expect(workers.filter(({ worker }) => honest.includes(worker))).toHaveLength(0);
  });

  it("takes out those in the lower groups, and says who, why and what changed", () => {
    const { data, roles } = crowd(0.5);
    const found = pruneSpammers(data, { method: majorityVote });
    const spammers = [...data.workers].filter((_, w) => roles[w] === "spammer");
    expect(found.workers.length).toBeGreaterThanOrEqual(9);
    for (const { worker, labels, reasons } of found.workers) {
      expect(spammers).toContain(worker);
      expect(labels).toBe(300);
      expect(reasons[0]).toContain("300 labels agree with the other workers");
    }
    expect(found.labels).toBe(300 * found.workers.length);
    expect(found.ofLabels).toBe(6000);
    expect(found.data.label.length).toBe(6000 - found.labels);
    expect(found.data.tasks).toBe(data.tasks);
    expect(found.emptied).toBe(0);
    const differ = found.before.consensus.filter((k, t) => k !== found.after.consensus[t]).length;
    expect(found.changed.length).toBe(differ);
    expect(differ).toBeGreaterThan(0);
    expect(splitAccuracy(data, found.after.posterior)).toBeGreaterThan(
      splitAccuracy(data, found.before.posterior),
    );
    expect(found.heldOut.after).toBeGreaterThan(found.heldOut.before);
    expect(found.heldOut.worse).toBe(false);
  });

  it("changes nothing where nobody is flagged", () => {
    const { data } = crowd(0);
    const found = pruneSpammers(data);
    expect(found).toMatchObject({ workers: [], labels: 0, changed: [] });
    expect(found.heldOut.before).toBe(found.heldOut.after);
  });

  it("refuses more than 60 % of the workers", () => {
    const { data } = crowd(0.5);
    const workers = Array.from({ length: 13 }, (_, w) => w);
    expect(() => pruneSpammers(data, { workers })).toThrow(
      /13 workers of 20 would be taken out.*60 %/,
    );
    expect(pruneSpammers(data, { workers, force: true }).workers.length).toBe(13);
  });

  it("refuses to take the last label of a task", () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({
      ...{ task: `t${i % 10}`, worker: `w${Math.floor(i / 10)}`, label: `${i % 2}` },
    }));
    const data = fromRows([...rows, { task: "lone", worker: "w0", label: "0" }]);
    expect(() => pruneSpammers(data, { workers: ["w0"] })).toThrow(
      /1 task would lose the last label/,
    );
    const forced = pruneSpammers(data, { workers: ["w0"], force: true });
    expect(forced.emptied).toBe(1);
    expect(forced.changed).toContainEqual({ task: "lone", before: "0", after: null });
    expect(() => pruneSpammers(data, { workers: ["nobody"] })).toThrow(/no worker "nobody"/);
  });

  it("refuses to take out the workers who know", () => {
    const { data, roles } = crowd(0.5);
    const honest = [...roles.keys()].filter((w) => roles[w] === "honest");
    expect(() => pruneSpammers(data, { workers: honest.slice(0, 9) })).toThrow(/harder to predict/);
  });

  it("copes with no labels, one worker and abstentions", () => {
    expect(pruneSpammers(fromRows([])).workers).toEqual([]);
    const one = fromRows([{ task: "a", worker: "w", label: "x" }]);
    expect(pruneSpammers(one).changed).toEqual([]);
    const some = randomCrowd(2);
    const silent = { ...some, label: some.label.map((l, i) => (i % 5 === 0 ? 3 : l)) };
    expect(pruneSpammers(silent, { workers: [1] }).workers[0].labels).toBe(
      silent.worker.filter((w) => w === 1).length,
    );
  });
});

describe("published sets", () => {
  gate("web", "both guards refuse what the covariances would prune", (data) => {
    const { candidates } = covarianceSpammers(data, { coding: "scalar" });
    expect(candidates.length).toBeGreaterThanOrEqual(170);
    expect(() => pruneSpammers(data, { workers: candidates })).toThrow(/more than 60 %/);
    const chosen = new Uint8Array(data.workers.length);
    for (const w of candidates) chosen[w] = 1;
    const change = drain(heldOutSteps(data, chosen, dawidSkene, 0));
    expect(change.worse).toBe(true);
    const forced = pruneSpammers(data, { workers: candidates, force: true });
    expect(forced.emptied).toBe(labelsPerTask(forced.data).filter((n) => n === 0).length);
  });

  gate("bluebird", "the covariances' 22 of 39 pass both guards", (data) => {
    const { candidates } = covarianceSpammers(data);
    const found = pruneSpammers(data, { workers: candidates });
    expect(found.workers.length).toBe(22);
  });
});
