import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { fixtureA, randomCrowd } from "../../../../test/random-crowd.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { majorityVote } from "./majority-vote.ts";
import { wawa } from "./wawa.ts";

describe("invariants", () => {
  it("changes nothing where all workers agree equally often", () => {
    const data = randomCrowd(0, { skill: [1, 1] });
    expect([...wawa(data).posterior]).toEqual([...majorityVote(data).posterior]);
  });

  it("counts a label of weight two like two labels", () => {
    const data = randomCrowd(1);
    const twice = (column: Int32Array) => Int32Array.of(...column, ...column.subarray(0, 30));
    const doubled = {
      ...data,
      task: twice(data.task),
      worker: twice(data.worker),
      label: twice(data.label),
    };
    const weighted = { ...data, weight: Float64Array.from(data.label, (_, i) => (i < 30 ? 2 : 1)) };
    expect([...wawa(weighted).skill]).toEqual(
      [...wawa(doubled).skill].map((s) => expect.closeTo(s, 12)),
    );
  });

  it("judges workers by gold where there is gold", () => {
    const data = randomCrowd(2, { skill: [0.1, 0.3] });
    const { skill } = wawa(data, {}, { gold: data.gold });
    for (let w = 0; w < skill.length; w++) {
      const own = [...data.label.keys()].filter((i) => data.worker[i] === w);
      const right = own.filter((i) => data.label[i] === data.gold[data.task[i]]).length;
      expect(skill[w]).toBeCloseTo(right / own.length, 12);
    }
  });
});

describe("brute force", () => {
  it("votes, counts agreement, votes by it", () => {
    const data = randomCrowd(5);
    const K = data.classes.length;
    const on = (t: number) => [...data.label.keys()].filter((i) => data.task[i] === t);
    const winner = Array.from(data.tasks, (_, t) => {
      const votes = Array.from(
        data.classes,
        (_, k) => on(t).filter((i) => data.label[i] === k).length,
      );
      return votes.indexOf(Math.max(...votes));
    });
    const skill = Array.from(data.workers, (_, w) => {
      const own = [...data.label.keys()].filter((i) => data.worker[i] === w);
      return own.filter((i) => data.label[i] === winner[data.task[i]]).length / own.length;
    });
    const result = wawa(data, { ties: "first" });
    expect([...result.skill]).toEqual(skill.map((s) => expect.closeTo(s, 12)));
    for (let t = 0; t < data.tasks.length; t++) {
      const total = on(t).reduce((sum, i) => sum + skill[data.worker[i]], 0);
      for (let k = 0; k < K; k++) {
        const votes = on(t).filter((i) => data.label[i] === k);
        const weight = votes.reduce((sum, i) => sum + skill[data.worker[i]], 0);
        expect(result.posterior[t * K + k]).toBeCloseTo(weight / total, 12);
      }
    }
  });
});

describe("published numbers", () => {
  it("repeats the skills of fixture A", () => {
    expect([...wawa(fixtureA()).skill]).toEqual([1, 0.75, 0.75]);
  });

  // With inner ties to the lowest class, as the reference has them.
  accuracyGates(
    {
      bluebird: 0.7593,
      rte: 0.9213,
      web: 0.8168,
      product: 0.8966,
      possent: 0.951,
      weather: 0.8933,
      weather_amt: 0.8567,
      sp: 0.895,
      sp_amt: 0.944,
      zencrowd_in: 0.7451,
      zencrowd_us: 0.8657,
    },
    1e-4,
    (data) => wawa(data, { ties: "first" }),
  );
});

describe("limits", () => {
  it("falls back on votes where nobody who labelled a task ever agrees", () => {
    const data = fromRows(
      [
        ["a", "v", "x"],
        ["a", "w", "y"],
        ["a", "u", "y"],
        ["b", "v", "x"],
        ["b", "w", "y"],
        ["b", "u", "y"],
        ["c", "v", "x"],
        ["c", "z", "z"],
      ].map(([task, worker, label]) => ({ task, worker, label })),
    );
    const { skill, posterior } = wawa(data, { ties: "abstain" });
    expect(skill[0]).toBe(0);
    expect([...posterior.subarray(6)]).toEqual([0.5, 0, 0.5]);
  });

  it("calls a worker without labels a guesser", () => {
    const data = randomCrowd(1);
    const { skill } = wawa({ ...data, workers: namesOf([...data.workers, "silent"]) });
    expect(skill.at(-1)).toBeCloseTo(1 / 3, 12);
  });
});
