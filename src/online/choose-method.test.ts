import { expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import type { AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { aggregators } from "../aggregate/categorical/index.ts";
import { wawa } from "../aggregate/categorical/votes/wawa.ts";
import { auto } from "../auto/auto.ts";
import { CrowdError } from "../error.ts";
import { online } from "./online.ts";

const data = randomCrowd(1, { tasks: 60 });

it("stands for the method that made the result, with its options", () => {
  const live = online(data, ibcc(data, { diagonal: 6 }));
  expect(live.method).toBe("ibcc");
  expect(live.options).toEqual(ibcc(data, { diagonal: 6 }).options);
});

it("can keep the four count-based methods live, and no other", () => {
  const live = aggregators.filter((method) => method.live).map(({ id }) => id);
  expect(live).toEqual(["majority-vote", "dawid-skene", "one-coin", "ibcc"]);
});

it("takes the heaviest candidate of a blend that can be live", () => {
  const result = auto(data);
  const live = online(data, result);
  const names = new Set(aggregators.filter((method) => method.live).map(({ id }) => id));
  const candidates = result.portfolio.filter(({ method }) => names.has(method));
  const [best] = candidates.toSorted((a, b) => b.weight - a.weight);
  expect(live.method).toBe(best.method);
  expect(live.options).toMatchObject(best.options);
  const method = aggregators.find(({ id }) => id === best.method) as AnyAggregator;
  const task = data.tasks.at(3);
  expect(live.posterior(task).posterior).toEqual(
    method(data, best.options).posterior.slice(3 * 3, 4 * 3),
  );
  expect(live.refit().method).toBe(best.method);
});

it("hands the rule for abstentions of a blend on", () => {
  const rows = { ...data, label: data.label.map((l, i) => (i % 5 === 0 ? 3 : l)) };
  const result = auto(rows, { effort: "fast", abstentions: "model" });
  const portfolio = result.portfolio.map((each) => ({
    ...each,
    weight: each.method === "dawid-skene" ? 1 : 0,
  }));
  const live = online(rows, { ...result, portfolio });
  expect(live.options).toMatchObject({ abstentions: "model", shrinkage: 4 });
  live.apply({ task: "t0", worker: "w0", label: null });
  expect(live.refit().given).toBe(4);
});

it("says so if no candidate of the blend can be live", () => {
  const result = auto(data, { effort: "fast" });
  const portfolio = result.portfolio.map((each) => ({ ...each, weight: 0 }));
  expect(() => online(data, { ...result, portfolio })).toThrow(
    "This result of auto cannot be kept live: none of majority-vote, dawid-skene, one-coin, ibcc has " +
      "weight in its blend. Fit one of them and start from its result.",
  );
});

it("says so if the method keeps no counts", () => {
  const start = () => online(data, wawa(data));
  expect(start).toThrow(CrowdError);
  expect(start).toThrow(/A result of wawa cannot be kept live. Fit one of majority-vote/);
});

it("looks methods up in the list that it is given", () => {
  const own = Object.assign(
    (...args: Parameters<AnyAggregator>) => dawidSkene(...args),
    dawidSkene,
    {
      id: "mine",
    },
  ) as AnyAggregator;
  const result = { ...dawidSkene(data), method: "mine" };
  expect(() => online(data, result)).toThrow(/A result of mine cannot be kept live/);
  expect(online(data, result, {}, { methods: [own] }).method).toBe("mine");
});
