import { describe, expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { createRandom } from "../math/random.ts";
import { online } from "../online/online.ts";
import { spammerCrowd } from "../reproduce/spammer-crowd.ts";
import { createBandit, type Evidence, type WorkerChoice } from "./bandits.ts";
import { simulateCampaign } from "./campaign.ts";
import { expectedInformation, speakerOf } from "./expected-gain.ts";
import { quotasOf } from "./fair-shares.ts";
import { plan } from "./plan.ts";
import type { Speakers } from "./speakers.ts";

const rows = Float64Array.of(0.8, 0.2, 0.3, 0.7);
const speakers = { of: () => speakerOf(rows, 2) } as unknown as Speakers;
const evidence = (n: number): Evidence => ({
  ...{ add: () => {}, of: () => n, labels: () => 100, recount: () => {} },
});
const even = Float64Array.of(0.5, 0.5);
const bandit = (choice: "ucb" | "thompson", n: number) =>
  createBandit(choice, speakers, evidence(n), 2, createRandom(1));

describe("arms of a bandit", () => {
  it("by upper confidence: skill plus the width of what is not known, less chance", () => {
    const skill = 0.75 + Math.sqrt((2 * Math.log(100)) / 400);
    const score = bandit("ucb", 400).score(even, 0, 0);
    expect(score).toBeCloseTo(Math.LN2 * (skill - 0.5), 12);
    expect(bandit("ucb", 1).score(even, 0, 0)).toBeCloseTo(Math.LN2 * 0.5, 12);
    expect(bandit("ucb", 0).score(even, 0, 0)).toBeCloseTo(Math.LN2 * 0.5, 12);
  });

  it("by Thompson: rows that spread as little as is known, the same within one turn", () => {
    const spread = (n: number) => {
      const own = bandit("thompson", n);
      const draws = Array.from({ length: 400 }, () => {
        own.turn();
        const score = own.score(even, 0, 0);
        expect(own.score(even, 0, 0)).toBe(score);
        return score;
      });
      const mean = draws.reduce((sum, x) => sum + x, 0) / 400;
      return Math.sqrt(draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 400);
    };
    expect(spread(10_000)).toBeLessThan(0.02);
    expect(spread(10)).toBeGreaterThan(3 * spread(1000));
    const own = bandit("thompson", 1e9);
    expect(own.score(even, 0, 0)).toBeCloseTo(expectedInformation(even, 0, speakerOf(rows, 2)), 3);
  });
});

const draw = (seed: number) =>
  spammerCrowd({
    ...{ tasks: 150, workers: 20, labelsPerTask: 12, prior: [0.5, 0.5] },
    ...{ spammers: 0.4, kind: "uniform", low: 0.6, high: 0.95, seed },
  });

describe("a plan that compares workers by a bandit", () => {
  it.each(["ucb", "thompson"] as WorkerChoice[])("%s beats random order", (workerChoice) => {
    const crowd = (seed: number) => draw(seed).data;
    const settings = { seeds: 4, checkpoints: [600] };
    const at = (policies: ["cover-gain" | "random"], choice?: WorkerChoice) =>
      simulateCampaign(crowd, { ...settings, policies, workerChoice: choice }).curves[0].points[0];
    const [own, random] = [at(["cover-gain"], workerChoice), at(["random"])];
    expect(own.accuracy.mean).toBeGreaterThan(random.accuracy.mean + 0.01);
  });

  it("refuses a way of comparing that there is not", () => {
    const { data } = draw(1);
    const model = online(data, dawidSkene(data));
    expect(() => plan(model, { workerChoice: "best" as WorkerChoice })).toThrow(
      "workerChoice must be one of gain, ucb, thompson",
    );
  });
});

describe("fairness of assignment", () => {
  const { data } = draw(2);
  const live = (labels: CategoricalData) =>
    online(labels, dawidSkene(labels, { shrinkage: 4, prior: "uniform" }));
  /** Asks until nothing is left to ask, and answers the first class. */
  const askAll = (campaign: ReturnType<typeof plan>, most: number) => {
    const asked = [];
    for (let next = campaign.next(); next && asked.length < most; next = campaign.next()) {
      asked.push(next);
      campaign.apply({ ...next, label: data.classes.at(0) });
    }
    return asked;
  };

  it("keeps the share of each worker", () => {
    const workers = ["a", "b", "c"];
    const quotas = quotasOf([0.5, 0.3, 0.2], 40);
    const perWorker = new Map(workers.map((name, w) => [name, quotas[w]]));
    const empty = fromRows([], { classes: [...data.classes] });
    const campaign = plan(live(empty), { workers, perWorker, tasks: data.tasks, confident: 1 });
    const asked = askAll(campaign, 1000);
    expect(workers.map((name) => asked.filter(({ worker }) => worker === name).length)).toEqual([
      20, 12, 8,
    ]);
    expect(campaign.stop()?.reason).toBe("nothing-left");
  });

  it("gives each group of tasks its minimum of labels", () => {
    const rare = new Set([...data.tasks].slice(0, 10));
    const cover = (task: string) => (rare.has(task) ? 5 : 1);
    const campaign = plan(live(selectLabels(data, () => false)), { cover, confident: 1 });
    const asked = askAll(campaign, 5 * 10 + 140);
    expect(asked.every(({ purpose }) => purpose === "cover")).toBe(true);
    for (const task of data.tasks) {
      const labels = asked.filter((each) => each.task === task).length;
      expect(labels).toBe(cover(task));
    }
  });
});
