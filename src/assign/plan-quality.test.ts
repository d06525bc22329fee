import { describe, expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { createRandom } from "../math/random.ts";
import { online } from "../online/online.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { createAudits } from "./audits.ts";
import type { Assignment } from "./choose.ts";
import { speakerOf } from "./expected-gain.ts";
import { plan } from "./plan.ts";
import type { PlanOptions } from "./plan-options.ts";

const live = (data: CategoricalData) =>
  online(data, dawidSkene(data, { shrinkage: 4, prior: "uniform" }));
const crowd = hammerSpammerCrowd({
  ...{ tasks: 300, workers: 12, labelsPerTask: 0, seed: 4 },
  ...{ hammers: 0.6, spammers: 0.4, adversaries: 0, hammerErrors: 0 },
});
const { data } = crowd;
const said = new Map(
  Array.from(data.label, (k, i) => [
    `${data.tasks.at(data.task[i])} ${data.workers.at(data.worker[i])}`,
    data.classes.at(k),
  ]),
);
const goldOf = (count: number) =>
  Array.from(
    { length: count },
    (_, t) => [data.tasks.at(t), data.classes.at(data.gold[t])] as const,
  );

/** A campaign in which workers turn up by lot, fitted again every 100 labels; what each was asked. */
function arrive(options: PlanOptions, most: number) {
  const model = live(selectLabels(data, () => false));
  const campaign = plan(model, { tasks: data.tasks, workers: data.workers, seed: 3, ...options });
  const random = createRandom(1).split("arrivals");
  const asked = new Map<string, Assignment[]>();
  for (let i = 0; i < most; i++) {
    const worker = data.workers.at(Math.floor(random.next() * data.workers.length));
    const next = campaign.next(worker);
    if (!next) continue;
    asked.set(worker, [...(asked.get(worker) ?? []), next]);
    campaign.apply({ ...next, label: said.get(`${next.task} ${worker}`) ?? "" });
    if (i % 100 === 99) {
      model.refit();
      campaign.refresh();
    }
  }
  return { campaign, model, asked, all: [...asked.values()].flat() };
}

describe("gold questions", () => {
  const { campaign, model, asked, all } = arrive(
    { gold: goldOf(60), confident: 1, minGain: 0 },
    2400,
  );

  it("come often at first and seldom later, never first and never two in a row", () => {
    const rate = (from: number, to: number) => {
      const some = [...asked.values()].flatMap((list) => list.slice(from, to));
      return some.filter(({ purpose }) => purpose === "gold").length / some.length;
    };
    // After a gold question none may come, so rates are a little lower than drawn: r / (1 + r).
    expect(rate(0, 10)).toBeGreaterThan(0.12);
    expect(rate(0, 10)).toBeLessThan(0.32);
    expect(rate(10, 50)).toBeGreaterThan(0.05);
    expect(rate(10, 50)).toBeLessThan(0.14);
    expect(rate(50, 250)).toBeLessThan(0.05);
    expect(rate(50, 250)).toBeGreaterThan(0.01);
    for (const list of asked.values()) {
      expect(list[0].purpose).not.toBe("gold");
      list.forEach(({ purpose }, i) => {
        if (purpose === "gold") expect(list[i + 1]?.purpose).not.toBe("gold");
      });
    }
  });

  it("are asked for no other purpose, each worker once, and the model knows them", () => {
    const gold = new Set(goldOf(60).map(([task]) => task));
    for (const { task, purpose } of all) expect(gold.has(task)).toBe(purpose === "gold");
    for (const list of asked.values()) {
      expect(new Set(list.map(({ task }) => task)).size).toBe(list.length);
    }
    expect(campaign.progress().tasks).toBe(240);
    expect(Math.max(...model.posterior(data.tasks.at(0)).posterior)).toBe(1);
  });

  it("measure the accuracy of workers, and flag those who guess", () => {
    const { gold } = campaign.measured();
    const questions = all.filter(({ purpose }) => purpose === "gold");
    const right = questions.filter(
      ({ task, worker }) =>
        said.get(`${task} ${worker}`) === data.classes.at(data.gold[data.tasks.indexOf(task)]),
    );
    expect(gold).toMatchObject({
      labels: questions.length,
      value: right.length / questions.length,
    });
    expect(gold.low).toBeLessThan(gold.value);
    const spammers = [...data.workers].filter((_, w) => crowd.roles[w] === "spammer");
    const flagged = campaign.workers().filter((each) => each.flagged);
    // One of the eight was lucky.
    for (const { worker } of flagged) expect(spammers).toContain(worker);
    expect(flagged.length).toBeGreaterThanOrEqual(spammers.length - 1);
    expect(flagged[0].reason).toMatch(/hardly more than guessing among 2 classes/);
    // A flag blocks nobody.
    expect(campaign.next(flagged[0].worker)).toBeDefined();
  });

  it("are the tasks that the model knows, unless told otherwise", () => {
    const model = live(selectLabels(data, (i) => data.task[i] > 100 && data.worker[i] < 4));
    for (const [task, label] of goldOf(20)) model.setGold(task, label);
    const questions = (gold?: []) => {
      const campaign = plan(model, { seed: 2, gold });
      return Array.from({ length: 300 }, () => {
        const next = campaign.next("fresh");
        if (next) campaign.reserve(next);
        return next?.purpose;
      }).filter((purpose) => purpose === "gold").length;
    };
    expect(questions()).toBeGreaterThan(2);
    expect(questions([])).toBe(0);
  });
});

describe("audits", () => {
  it("ask about closed tasks again, and measure how many answers are wrong", () => {
    const { campaign, model, all } = arrive({ audit: 0.3, confident: 0.9, correlation: 0 }, 1500);
    const audits = all.filter(({ purpose }) => purpose === "audit");
    const { disagreement, error } = campaign.measured().audits;
    expect(audits.length).toBeGreaterThan(100);
    expect(disagreement.labels).toBe(audits.length);
    const wrong = [...model.answers()].filter(
      ({ task, label }) => label !== data.classes.at(data.gold[data.tasks.indexOf(task)]),
    );
    // Most workers guess, so audits disagree far more often than answers are wrong.
    expect(disagreement.low).toBeGreaterThan(wrong.length / data.tasks.length);
    expect(error?.low).toBeLessThanOrEqual(wrong.length / data.tasks.length);
    expect(error?.high).toBeGreaterThanOrEqual(wrong.length / data.tasks.length);
    expect(arrive({ audit: 0 }, 1500).all.some(({ purpose }) => purpose === "audit")).toBe(false);
  });

  it("take off what workers get wrong", () => {
    const random = createRandom(8).split("audits");
    const audits = createAudits();
    const speaker = speakerOf(Float64Array.of(0.8, 0.2, 0.3, 0.7), 2);
    for (let i = 0; i < 20_000; i++) {
      const wrong = random.next() < 0.1;
      const says = random.next() < (wrong ? 0.7 : 0.2) ? 1 : 0;
      audits.add(Float64Array.of(0.97, 0.03), 0, says, speaker);
    }
    const { disagreement, error } = audits.measured();
    expect(disagreement.value).toBeCloseTo(0.25, 1);
    expect(error?.value).toBeCloseTo(0.1, 1);
    expect(error?.low).toBeLessThan(0.1);
    expect(error?.high).toBeGreaterThan(0.1);
    expect(createAudits().measured().error).toBeUndefined();
  });
});

it("a worker who can tell nothing useful is asked nothing, and the plan says so", () => {
  const model = live(data);
  const tasks = Array.from({ length: 40 }, (_, i) => `new ${i}`);
  const campaign = plan(model, { tasks, explore: 0, audit: 0 });
  const spammer = data.workers.at(crowd.roles.indexOf("spammer"));
  const hammer = data.workers.at(crowd.roles.indexOf("hammer"));
  // Chance makes a spammer of 300 labels tell a little; at the default the least sure are refused.
  const strict = plan(live(data), { tasks, explore: 0, audit: 0, minGain: 0.02 });
  expect(strict.next(spammer)).toBeUndefined();
  expect(strict.stop(spammer)?.reason).toBe("nothing-useful");
  expect(strict.stop()).toBeUndefined();
  expect(strict.next(hammer)?.purpose).toBe("cover");
  expect(campaign.next("somebody new")?.purpose).toBe("cover");
  for (let i = 0; i < 60; i++) {
    const next = strict.next();
    expect(next && crowd.roles[data.workers.indexOf(next.worker)]).toBe("hammer");
    if (next) strict.reserve(next);
  }
});
