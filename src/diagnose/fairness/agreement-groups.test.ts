import { describe, expect, it } from "vitest";
import { fromRows, type LabelSetRow, type TagRow } from "../../data/from-rows.ts";
import { createRandom, type Random } from "../../math/random.ts";
import { pairGroups, setGroups, tagGroups } from "./agreement-groups.ts";
import type { Fairness } from "./fairness.ts";

const W = 30;
/** Half of the workers are in either group; those of `a` are right with `skill`, the others with .85. */
const groups = new Map([["site", Array.from({ length: W }, (_, w) => (w % 2 === 0 ? "a" : "b"))]]);
const skillOf = (w: number, skill: number) => (w % 2 === 0 ? skill : 0.85);

const workersOf = (random: Random) =>
  new Set(Array.from({ length: 6 }, () => Math.floor(random.next() * W)));

/** Attributes in the order in which the data have the workers. */
function withGroups<Data extends { readonly workers: Iterable<string> }>(data: Data): Data {
  const site = Array.from(
    data.workers,
    (name) => groups.get("site")?.[Number(name.slice(1))] ?? "",
  );
  return { ...data, workerAttributes: new Map([["site", site]]) };
}

const sets = (random: Random, skill: number) => {
  const rows: LabelSetRow[] = [];
  for (let t = 0; t < 60; t++) {
    const truth = [0, 1, 2].filter(() => random.next() < 0.5);
    for (const w of workersOf(random)) {
      const said = [0, 1, 2].filter((l) => truth.includes(l) === random.next() < skillOf(w, skill));
      const base = { task: `t${t}`, worker: `w${w}` };
      rows.push({ ...base, label: said.map((l) => `l${l}`) });
    }
  }
  return withGroups(fromRows(rows, { kind: "multi-label" }));
};

const tags = (random: Random, skill: number) => {
  const rows: TagRow[] = [];
  for (let t = 0; t < 30; t++) {
    const truth = Array.from({ length: 5 }, () => (random.next() < 0.5 ? "A" : "B"));
    for (const w of workersOf(random)) {
      truth.forEach((tag, position) => {
        const right = random.next() < skillOf(w, skill);
        const label = right ? tag : tag === "A" ? "B" : "A";
        rows.push({ task: `t${t}`, worker: `w${w}`, position, label });
      });
    }
  }
  return withGroups(fromRows(rows, { kind: "sequence" }));
};

const pairs = (random: Random, skill: number) => {
  const rows = [];
  for (let k = 0; k < 600; k++) {
    const [i, j, w] = [20, 20, W].map((n) => Math.floor(random.next() * n));
    if (i === j) continue;
    const right = random.next() < skillOf(w, skill);
    const same = (i % 2 === j % 2) === right;
    const base = { worker: `w${w}`, left: `i${i}`, right: `i${j}` };
    rows.push({ ...base, label: same ? "same" : "different" });
  }
  const data = withGroups(fromRows(rows, { kind: "similarity" }));
  const membership = Float64Array.from(data.items, (name) => Number(name.slice(1)) % 2).reduce(
    (all, c, i) => all.fill(c, 2 * i, 2 * i + 1).fill(1 - c, 2 * i + 1, 2 * i + 2),
    new Float64Array(2 * data.items.length),
  );
  return { data, membership };
};

const cases: readonly [string, (random: Random, skill: number) => Fairness | undefined][] = [
  ["several labels per task", (random, skill) => setGroups(sets(random, skill))],
  ["sequences", (random, skill) => tagGroups(tags(random, skill))],
  [
    "similarities",
    (random, skill) => {
      const { data, membership } = pairs(random, skill);
      return pairGroups(data, membership);
    },
  ],
];

const gapOf = (found: Fairness | undefined) => {
  const gap = found?.workers[0].gaps[0];
  if (!gap) throw new Error("There is no gap.");
  return gap;
};

describe.each(cases)("groups of workers: %s", (_, compare) => {
  it("a group that is right less often agrees less", () => {
    for (const seed of [1, 2, 3]) {
      const gap = gapOf(compare(createRandom(seed).split("groups"), 0.6));
      const sign = gap.group === "a" ? 1 : -1;
      expect(sign * gap.value).toBeLessThan(0);
      expect(gap.corrected).toBeLessThan(0.05);
    }
  });

  it("groups alike: the interval holds 0 in about 95 of 100 crowds", () => {
    let held = 0;
    for (let seed = 0; seed < 100; seed++) {
      const { low, high } = gapOf(compare(createRandom(seed).split("alike"), 0.85));
      held += Number(low <= 0 && 0 <= high);
    }
    expect(held).toBeGreaterThanOrEqual(88);
    expect(held).toBeLessThan(100);
  });
});

it("says nothing without attributes of workers", () => {
  const { workerAttributes: _, ...data } = sets(createRandom(1).split("none"), 0.8);
  expect(setGroups(data)).toBeUndefined();
});
