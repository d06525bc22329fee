import { describe, expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { online } from "../online/online.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import { plan } from "./plan.ts";
import type { PlanOptions } from "./plan-options.ts";

const live = (data: CategoricalData) =>
  online(data, dawidSkene(data, { shrinkage: 4, prior: "uniform" }));
const { data } = oneCoinCrowd({ tasks: 100, workers: 10, labelsPerTask: 0, seed: 6 });
const said = (task: string, worker: string) => {
  const [t, w] = [data.tasks.indexOf(task), data.workers.indexOf(worker)];
  return data.classes.at(
    data.label[data.task.findIndex((each, i) => each === t && data.worker[i] === w)],
  );
};

/** A campaign on three labels per task until the plan has nothing to ask; fitted again every 50 labels. */
function runOut(options: PlanOptions) {
  const model = live(selectLabels(data, (i) => data.worker[i] < 3));
  const campaign = plan(model, { tasks: data.tasks, workers: data.workers, audit: 0, ...options });
  let asked = 0;
  for (let next = campaign.next(); next && asked < 2000; next = campaign.next()) {
    campaign.apply({ ...next, label: said(next.task, next.worker) });
    if (++asked % 50 > 0) continue;
    model.refit();
    campaign.refresh();
  }
  return { campaign, asked };
}

describe("a campaign stops", () => {
  it("when labels are spent, questions that wait for an answer included", () => {
    const { campaign, asked } = runOut({ budget: 37, confident: 1 });
    expect(asked).toBe(37);
    expect(campaign.stop()).toEqual({
      reason: "labels",
      words: "The budget of 37 labels is spent.",
    });
    const waiting = plan(live(data), { tasks: ["a", "b"], budget: 3 });
    for (let i = 0; i < 3; i++) {
      const next = waiting.next();
      if (next) waiting.reserve(next);
    }
    expect(waiting.next()).toBeUndefined();
    waiting.release({ task: "a", worker: data.workers.at(0) });
    expect(waiting.progress().asked).toBeLessThanOrEqual(3);
  });

  it("when the money is spent, and never spends more", () => {
    const cost = new Map(Array.from(data.workers, (name, w) => [name, 1 + (w % 3)]));
    const { campaign } = runOut({ money: 50, cost, confident: 1 });
    expect(campaign.progress().cost).toBeLessThanOrEqual(50);
    expect(campaign.progress().cost).toBeGreaterThan(46);
    expect(campaign.stop()?.reason).toBe("money");
  });

  it("when all tasks are closed", () => {
    const { campaign } = runOut({ mostPerTask: 6 });
    expect(campaign.stop()?.words).toMatch(
      /^No task is open: \d+ of 100 are sure enough, the others have as many labels as they may get\.$/,
    );
  });

  it("when the next 100 labels are expected to add too little, the sooner the more is asked for", () => {
    const runs = [0.002, 0.008, 0.5].map((minRise) => runOut({ minRise, confident: 1 }));
    expect(runs[0].campaign.stop()?.words).toMatch(
      /raise the accuracy by 0\.00\d+, less than 0.002/,
    );
    for (const { campaign } of runs) expect(campaign.stop()?.reason).toBe("rise");
    expect(runs[0].asked).toBeGreaterThan(runs[1].asked);
    expect(runs[1].asked).toBeGreaterThan(runs[2].asked);
  });

  it("when no label is worth its cost", () => {
    const [cheap, dear] = [30, 5].map((value) => runOut({ value, confident: 1 }));
    for (const { campaign } of [cheap, dear]) expect(campaign.stop()?.reason).toBe("value");
    expect(cheap.asked).toBeGreaterThan(dear.asked);
    expect(runOut({ value: 0.5, confident: 1 }).asked).toBe(0);
  });

  it("never, if nothing says so", () => {
    const { campaign, asked } = runOut({ confident: 1, minGain: 0 });
    expect(asked).toBe(700);
    expect(campaign.stop()?.reason).toBe("all-closed");
  });
});

describe("a task is closed", () => {
  /** Two good workers and one who guesses have labelled enough tasks to be known. */
  const letters = { ann: "ccddccddccddccdd", bob: "ccddccddccddccdd", cy: "cdcdcdcddcdcdcdc" };
  const rows = Object.entries(letters).flatMap(([worker, labels]) =>
    [...labels].map((label, t) => ({ task: `t${t}`, worker, label })),
  );
  const known = fromRows(rows);

  it("only if its answer does not rest on one vote", () => {
    // The word of ann is enough to be sure, and cy's adds nothing.
    const campaign = plan(live(known), { correlation: 0, confident: 0.9, tasks: ["x", "y"] });
    const before = campaign.progress().confident;
    campaign.apply({ task: "x", worker: "ann", label: "c" });
    campaign.apply({ task: "x", worker: "cy", label: "d" });
    expect(campaign.progress().confident).toBe(before);
    campaign.apply({ task: "y", worker: "ann", label: "c" });
    campaign.apply({ task: "y", worker: "bob", label: "c" });
    expect(campaign.progress().confident).toBe(before + 1);
  });

  it("and stays closed unless its answer falls under 1 − 2 (1 − confident)", () => {
    const model = live(known);
    const campaign = plan(model, { correlation: 0, confident: 0.8, tasks: ["x"] });
    campaign.apply({ task: "x", worker: "ann", label: "c" });
    campaign.apply({ task: "x", worker: "bob", label: "c" });
    const closed = campaign.progress().confident;
    // A prior against it, as a refit may bring, lowers the answer a little and then a lot.
    const top = () => Math.max(...model.posterior("x").posterior);
    let [last, opened] = [1, false];
    for (let odds = 1; odds < 1000 && !opened; odds *= 1.1) {
      model.setTaskPrior("x", [1 / (1 + odds), odds / (1 + odds)]);
      campaign.refresh();
      opened = campaign.progress().confident < closed;
      if (!opened) last = top();
    }
    expect(opened).toBe(true);
    expect(last).toBeGreaterThanOrEqual(0.6);
    expect(last).toBeLessThan(0.65);
    expect(top()).toBeLessThan(0.6);
  });
});
