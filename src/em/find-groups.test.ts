import { describe, expect, it } from "vitest";
import { adjustedRand } from "../../test/community-crowd.ts";
import { gate } from "../../test/datasets.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import { selectLabels } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { classDependentCrowd } from "../simulate/class-dependent.ts";
import { colludersCrowd } from "../simulate/colluders.ts";
import { groupsCrowd } from "../simulate/groups.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { hospitalsCrowd } from "../simulate/hospitals.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import { twoCoinCrowd } from "../simulate/two-coin.ts";
import { findGroups } from "./find-groups.ts";

const independent = {
  "one-coin": oneCoinCrowd,
  "class-dependent": classDependentCrowd,
  "two-coin": twoCoinCrowd,
  "hammer-spammer": hammerSpammerCrowd,
} as const;

describe.each(Object.entries(independent))("independent workers: %s", (_, crowd) => {
  it("have no groups, whether all label all tasks or half of them", () => {
    for (let seed = 0; seed < 10; seed++) {
      for (const labelsPerTask of [0, 6]) {
        const { data } = crowd({ tasks: 300, workers: 12, labelsPerTask, seed });
        const { found, groups, gain, tried } = findGroups(data);
        expect(tried.length).toBeGreaterThan(4);
        expect({ seed, found, gain }).toEqual({ seed, found: 0, gain: 0 });
        expect([...groups]).toEqual([...groups.keys()]);
      }
    }
  });
});

describe("colluders", () => {
  it("are found with five tasks in common per pair, in both halves of the tasks", () => {
    const { data, roles = [] } = colludersCrowd({ share: 0.3, tasks: 1000, seed: 5 });
    const random = createRandom(5).split("thin");
    const kept = Uint8Array.from(data.label, () => (random.next() < 0.1 ? 1 : 0));
    const { groups, found } = findGroups(selectLabels(data, (i) => kept[i] === 1));
    expect(found).toBe(1);
    const together = groups.reduce((list, g, w) => {
      list[g] = [...(list[g] ?? []), roles[w]];
      return list;
    }, [] as string[][]);
    const [members] = together.filter((list) => list.length > 1);
    expect(members.every((role) => role === "colluder")).toBe(true);
    expect(members.length).toBe(18);
  });

  it("are the group and not all others, although both explain the labels alike", () => {
    for (const seed of [1, 2, 3]) {
      const { data, roles = [] } = colludersCrowd({ share: 0.4, tasks: 1000, seed });
      const { groups } = findGroups(data);
      const of = (role: string) => new Set(groups.filter((_, w) => roles[w] === role)).size;
      expect(of("colluder")).toBe(1);
      expect(of("honest")).toBe(36);
    }
  });
});

gate("ducks", "schools of thought that shade into each other are no groups", (data) => {
  // Other workers are together in each half of the tasks.
  const { groups, found } = findGroups(data);
  expect(found).toBe(0);
  expect([...groups]).toEqual([...groups.keys()]);
});

describe("planted groups", () => {
  const truthOf = (roles: readonly string[] = []) =>
    Int32Array.from(roles, (role) => Number(role.slice(-1)));

  it.each([
    ["of equal size", 0],
    ["of 20, 5, 5, 5 and 5", 0.5],
  ])("%s are found, and their number", (_, first) => {
    for (let seed = 0; seed < 3; seed++) {
      const { data, roles } = groupsCrowd({ tasks: 2000, first, seed });
      const { groups, found } = findGroups(data);
      expect(found).toBe(5);
      expect(adjustedRand(groups, truthOf(roles))).toBeGreaterThanOrEqual(0.9);
    }
  });

  it("are found with two classes and with half of the labels missing", () => {
    const { data, roles } = groupsCrowd({
      tasks: 1500,
      classes: 2,
      groups: 4,
      workers: 24,
      seed: 1,
    });
    const random = createRandom(1);
    const kept = [...data.label.keys()].filter(() => random.next() < 0.5);
    const pick = (column: Int32Array) => Int32Array.from(kept, (i) => column[i]);
    const half = {
      ...data,
      task: pick(data.task),
      worker: pick(data.worker),
      label: pick(data.label),
    };
    expect(adjustedRand(findGroups(half).groups, truthOf(roles))).toBeGreaterThanOrEqual(0.9);
  });

  it("of colluders leave everybody else alone", () => {
    const { data, roles = [] } = colludersCrowd({ tasks: 1000, workers: 30, seed: 2 });
    const { groups, found } = findGroups(data);
    expect(found).toBe(1);
    const [first] = roles.flatMap((role, w) => (role === "colluder" ? [w] : []));
    roles.forEach((role, w) => {
      expect(groups[w] === groups[first]).toBe(role === "colluder");
    });
  });

  it("of three hospitals are found although one has most of the doctors", () => {
    const { data } = hospitalsCrowd({ seed: 3 });
    const { groups } = findGroups(data);
    const expected = Int32Array.from(groups, (_, w) => (w < 5 ? 0 : w < 55 ? 1 : 2));
    expect(adjustedRand(groups, expected)).toBe(1);
  });
});

describe("groups", () => {
  const { data } = groupsCrowd({ tasks: 400, workers: 16, groups: 4, seed: 5 });

  it("do not depend on names, or on the order of labels, tasks, workers and classes", () => {
    const { groups } = findGroups(data);
    const back = (n: number) => (i: number) => n - 1 - i;
    const [T, W, K] = [data.tasks.length, data.workers.length, data.classes.length];
    const turned = findGroups({
      ...data,
      tasks: namesOf(Array.from(data.tasks, (_, t) => `x${t}`)),
      workers: namesOf(Array.from(data.workers, (_, w) => `y${(5 * w) % 16}`)),
      classes: namesOf([...data.classes].reverse()),
      task: data.task.map(back(T)).reverse(),
      worker: data.worker.map(back(W)).reverse(),
      label: data.label.map(back(K)).reverse(),
      gold: data.gold.map(back(K)).reverse(),
    }).groups;
    expect(adjustedRand(groups, turned.toReversed())).toBe(1);
  });

  it("are as many as asked for; with as many as workers everybody is alone", () => {
    for (const clusters of [1, 2, 4]) {
      expect(new Set(findGroups(data, { clusters }).groups).size).toBe(clusters);
    }
    expect(findGroups(data, { clusters: 16 }).found).toBe(0);
    expect(new Set(findGroups(data, { clusters: 99 }).groups).size).toBe(16);
  });

  it("leave out abstentions", () => {
    const K = data.classes.length;
    const rows = { ...data, label: data.label.map((l, i) => (i % 9 === 0 ? K : l)) };
    expect(findGroups(rows).found).toBe(4);
  });

  it("are none where there is nothing to compare", () => {
    const rows = [{ task: "a", worker: "w", label: "yes" }];
    for (const small of [fromRows([]), fromRows(rows), randomCrowd(1, { tasks: 15 })]) {
      expect(findGroups(small)).toMatchObject({ found: 0, gain: 0, tried: [] });
    }
  });
});
