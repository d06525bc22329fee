import { describe, expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { online } from "../online/online.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import type { AssignPolicy } from "./choose.ts";
import { plan } from "./plan.ts";
import type { PlanOptions } from "./plan-options.ts";

const live = (data: CategoricalData) =>
  online(data, dawidSkene(data, { shrinkage: 4, prior: "uniform" }));
const crowd = oneCoinCrowd({ tasks: 30, workers: 8, labelsPerTask: 0, seed: 1 });
const none = selectLabels(crowd.data, () => false);
const truth = (task: string) =>
  crowd.data.classes.at(crowd.data.gold[crowd.data.tasks.indexOf(task)]);
const fresh = (options: PlanOptions = {}) =>
  plan(live(none), { tasks: crowd.data.tasks, workers: crowd.data.workers, ...options });

/** Asks and answers rightly, at most so often. */
function ask(campaign: ReturnType<typeof plan>, most: number, worker?: string) {
  const asked = [];
  for (let i = 0; i < most; i++) {
    const next = campaign.next(worker);
    if (!next) break;
    asked.push(next);
    campaign.apply({ task: next.task, worker: next.worker, label: truth(next.task) });
  }
  return asked;
}

describe("a plan", () => {
  it("covers every task twice, fewest labels first, and then asks where it gains", () => {
    const asked = ask(fresh({ explore: 0, confident: 1 }), 70);
    expect(new Set(asked.slice(0, 30).map(({ task }) => task)).size).toBe(30);
    expect(new Set(asked.slice(30, 60).map(({ task }) => task)).size).toBe(30);
    expect(asked.slice(0, 60).every(({ purpose }) => purpose === "cover")).toBe(true);
    expect(asked.slice(60).every(({ purpose }) => purpose === "gain")).toBe(true);
  });

  it.each(["cover-gain", "gain", "entropy", "round-robin", "random"] as AssignPolicy[])(
    "by %s asks every pair once, and the same again with the same seed",
    (policy) => {
      const run = () => ask(fresh({ policy, confident: 1, seed: 4 }), 1000);
      const asked = run();
      expect(asked).toHaveLength(30 * 8);
      expect(new Set(asked.map(({ task, worker }) => `${task} ${worker}`)).size).toBe(240);
      expect(run()).toEqual(asked);
    },
  );

  it("asks only what is offered, and a worker only what is left for them", () => {
    const offers = [
      { task: "t0", worker: "w1" },
      { task: "t3", worker: "w2" },
      { task: "t3", worker: "w1" },
    ];
    const campaign = fresh({ offers, confident: 1 });
    expect(ask(campaign, 10, "w1").map(({ task }) => task)).toHaveLength(2);
    expect(campaign.next("w1")).toBeUndefined();
    expect(campaign.next()).toMatchObject({ task: "t3", worker: "w2" });
  });

  it("closes tasks that are sure or have enough labels, and says how far it is", () => {
    const limited = fresh({ mostPerTask: 3, confident: 1 });
    expect(ask(limited, 1000)).toHaveLength(90);
    expect(limited.progress()).toMatchObject({ tasks: 30, open: 0, confident: 0, labels: 90 });
    // A model that began without labels learns what they mean when it is fitted again.
    const model = live(none);
    const sure = plan(model, { tasks: none.tasks, confident: 0.9, correlation: 0 });
    while (ask(sure, 20).length > 0) {
      model.refit();
      sure.refresh();
    }
    expect(sure.progress()).toMatchObject({ tasks: 30, open: 0, confident: 30 });
    expect(sure.progress().labels).toBeLessThan(120);
  });

  it("does not ask a spammer once it knows, nor an expensive worker who tells as much as others", () => {
    const { data, roles } = hammerSpammerCrowd({
      tasks: 200,
      workers: 20,
      labelsPerTask: 8,
      seed: 2,
    });
    const spammers = [...data.workers].filter((_, w) => roles[w] === "spammer");
    const hammers = [...data.workers].filter((_, w) => roles[w] === "hammer");
    const tasks = Array.from({ length: 50 }, (_, i) => `new ${i}`);
    const cost = new Map([[hammers[0], 20]]);
    const campaign = plan(live(data), { cover: 0, explore: 0, tasks, cost, confident: 1 });
    for (let i = 0; i < 50; i++) {
      const next = campaign.next();
      if (!next) break;
      expect(spammers).not.toContain(next.worker);
      expect(next.worker).not.toBe(hammers[0]);
      campaign.apply({ ...next, label: data.classes.at(0) });
    }
  });

  it("follows tasks and workers that appear with a label, and a model that was fitted again", () => {
    const model = live(none);
    const campaign = plan(model, { tasks: ["a"], workers: ["x"], confident: 1 });
    campaign.apply({ task: "b", worker: "y", label: crowd.data.classes.at(0) });
    expect(campaign.progress()).toMatchObject({ labels: 1, open: 32 });
    model.refit();
    campaign.refresh();
    expect(ask(campaign, 3)).toHaveLength(3);
    for (let i = 0; i < 200; i++) {
      campaign.apply({ task: `later ${i}`, worker: "y", label: crowd.data.classes.at(1) });
    }
    expect(campaign.progress()).toMatchObject({ tasks: 232, labels: 204 });
  });

  it("counts questions that wait for an answer, and leaves out whom it dismissed", () => {
    const campaign = fresh({ cover: 1, explore: 0, confident: 1, policy: "round-robin" });
    const asked = Array.from({ length: 60 }, () => {
      const next = campaign.next();
      if (next) campaign.reserve(next);
      return next;
    });
    expect(new Set(asked.slice(0, 30).map((next) => next?.task)).size).toBe(30);
    expect(new Set(asked.map((next) => `${next?.task} ${next?.worker}`)).size).toBe(60);
    expect(campaign.progress().labels).toBe(0);
    for (const name of [...crowd.data.workers].slice(1)) campaign.dismiss(name);
    const [left] = [...crowd.data.workers];
    for (let next = campaign.next(); next; next = campaign.next()) {
      expect(next.worker).toBe(left);
      campaign.reserve(next);
    }
  });

  it("refuses settings that mean nothing", () => {
    expect(() => fresh({ confident: 2 })).toThrow("confident must be between 0 and 1, not 2");
    expect(() => fresh({ policy: "best" as AssignPolicy })).toThrow(
      "policy must be one of cover-gain",
    );
  });
});
