import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { type Links, linksOf } from "../../../belief/links.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { createRandom } from "../../../math/random.ts";
import { dawidSkene } from "./dawid-skene.ts";
import { graphDawidSkene } from "./graph-dawid-skene.ts";

/** Fixture A: task, worker, label. */
const fixture = fromRows(
  "000 010 021 101 111 121 200 211 220 301 311 420"
    .split(" ")
    .map(([task, worker, label]) => ({ task, worker, label })),
  { classes: ["0", "1"] },
);
const three: Links = { from: Int32Array.of(0, 1, 2), to: Int32Array.of(2, 3, 4) };
const fixed = { learnCoupling: false, damping: 0, tolerance: 1e-12 } as const;
const second = ({ posterior }: { posterior: Float64Array }) =>
  [...posterior].filter((_, at) => at % 2 === 1);
const close = (values: Iterable<number>, digits = 6) =>
  [...values].map((p) => expect.closeTo(p, digits));

/** Two blocks of 250 tasks, one label each, and 2,000 links, nine in ten within a block. */
function blocks(seed: number): { data: CategoricalData; links: Links } {
  const random = createRandom(seed).split("gate");
  const truth = (t: number) => (t < 250 ? 0 : 1);
  const tasks = Array.from({ length: 500 }, (_, t) => t);
  const rows = tasks.map((t) => {
    const right = random.next() < 0.65;
    const worker = `w${Math.floor(random.next() * 10)}`;
    return { task: `t${t}`, worker, label: String(right ? truth(t) : 1 - truth(t)) };
  });
  const [from, to]: [number[], number[]] = [[], []];
  while (from.length < 2000) {
    const [a, b] = [0, 1].map(() => Math.floor(random.next() * 500));
    if (random.next() >= (truth(a) === truth(b) ? 0.9 : 0.1) || a === b) continue;
    from.push(a);
    to.push(b);
  }
  const gold = tasks.map((t) => [`t${t}`, String(truth(t))] as const);
  const data = fromRows(rows, { classes: ["0", "1"], gold });
  return { data, links: { from: Int32Array.from(from), to: Int32Array.from(to) } };
}

const accuracy = ({ gold }: CategoricalData, { consensus }: { consensus: Int32Array }) =>
  consensus.filter((k, t) => k === gold[t]).length / gold.length;

describe("worked example", () => {
  it.each([
    [1, [0.219801, 0.956873, 0.184946, 0.916453, 0.219801]],
    [2, [0.084494, 0.989056, 0.064058, 0.968402, 0.127766]],
    [50, [0.058953, 0.991238, 0.041977, 0.973843, 0.108208]],
  ])("after %d E steps", (maxIterations, expected) => {
    const found = graphDawidSkene(fixture, { ...fixed, maxIterations }, { links: three });
    expect(second(found)).toEqual(close(expected));
  });

  it("without coupling, and without links", () => {
    const expected = close([0.126119, 0.979664, 0.150728, 0.938978, 0.220553]);
    const options = { ...fixed, maxIterations: 200 };
    expect(second(graphDawidSkene(fixture, { ...options, coupling: 0 }, { links: three }))).toEqual(
      expected,
    );
    const none = linksOf(fixture, []);
    const alone = graphDawidSkene(fixture, options, { links: none });
    expect(second(alone)).toEqual(expected);
    expect(alone.notes).toContain("There are no links between tasks: each was judged alone.");
  });
});

it("is the posterior and the evidence of the definition on a tree", () => {
  const options = { ...fixed, maxIterations: 30, tolerance: 0, coupling: 1.7 };
  const found = graphDawidSkene(fixture, options, { links: three });
  const scale = 5 / 6;
  const belief = new Float64Array(10);
  let [all, alone] = [0, 0];
  for (let code = 0; code < 32; code++) {
    const z = Array.from({ length: 5 }, (_, t) => (code >> t) & 1);
    let energy = 0;
    for (let e = 0; e < 3; e++) energy += z[three.from[e]] === z[three.to[e]] ? 1.7 * scale : 0;
    let p = Math.exp(energy) / 32;
    alone += p;
    fixture.label.forEach((l, i) => {
      p *= found.confusion[(fixture.worker[i] * 2 + z[fixture.task[i]]) * 2 + l];
    });
    all += p;
    for (let t = 0; t < 5; t++) belief[2 * t + z[t]] += p;
  }
  expect([...found.posterior]).toEqual(
    close(
      belief.map((p) => p / all),
      12,
    ),
  );
  let density = 0;
  found.confusion.forEach((p, at) => {
    density += ((at >> 1) % 2 === at % 2 ? 4 : 1) * Math.log(p);
  });
  expect(found.trace.at(-1)).toBeCloseTo(Math.log(all / alone) + density, 10);
});

it("never lowers its objective on a tree while the coupling is fixed", () => {
  for (let seed = 0; seed < 5; seed++) {
    const data = randomCrowd(seed, { tasks: 30, classes: 3 });
    const to = Int32Array.from({ length: 29 }, (_, t) => t + 1);
    const links = { from: to.map((t) => t >> 1), to };
    const options = { learnCoupling: false, damping: 0, sweeps: 200 };
    const { trace } = graphDawidSkene(data, options, { links });
    trace.forEach((value, i) => {
      expect(value).toBeGreaterThanOrEqual((trace[i - 1] ?? -Infinity) - 1e-4);
    });
  }
});

describe("two blocks with one label per task", () => {
  const crowds = [0, 1, 2, 3, 4].map(blocks);
  const gains = (options: object) =>
    crowds.map(({ data, links }) => {
      const found = graphDawidSkene(data, options, { links });
      return { found, gain: accuracy(data, found) - accuracy(data, dawidSkene(data)) };
    });
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

  it("gains .10 on average with a learnt coupling, which it warns about near 3", () => {
    const found = gains({});
    expect(mean(found.map(({ gain }) => gain))).toBeGreaterThan(0.1);
    for (const { found: each } of found) {
      expect(each.coupling).toBeGreaterThan(2.4);
      expect(each.coupling).toBeLessThanOrEqual(3);
      expect(each.notes.some((note) => note.includes("by chance"))).toBe(each.coupling >= 2.9);
    }
  });

  it("gains nothing with weak links, and most with those that are as strong as the graph", () => {
    expect(mean(gains({ learnCoupling: false, coupling: 0.5 }).map((each) => each.gain))).toBe(0);
    const strong = gains({ learnCoupling: false, coupling: 5 });
    expect(mean(strong.map(({ gain }) => gain))).toBeGreaterThan(0.3);
    for (const { found } of strong) expect(found.notes.join()).toContain("by chance");
  });
});

describe("links", () => {
  const { data, links } = blocks(7);

  it("count the same in either direction, any order, and twice as two of one half", () => {
    const plain = graphDawidSkene(data, {}, { links }).posterior;
    const turned = { from: links.to.slice().reverse(), to: links.from.slice().reverse() };
    expect([...graphDawidSkene(data, {}, { links: turned }).posterior]).toEqual(close(plain, 9));
    const twice = {
      from: Int32Array.of(...links.from, ...links.from),
      to: Int32Array.of(...links.to, ...links.to),
      weight: new Float64Array(4000).fill(0.5),
    };
    expect([...graphDawidSkene(data, {}, { links: twice }).posterior]).toEqual(close(plain, 9));
  });

  it("follow tasks under other numbers", () => {
    const place = Int32Array.from({ length: 500 }, (_, t) => (t * 7 + 3) % 500);
    const tasks: string[] = [];
    place.forEach((to, t) => {
      tasks[to] = data.tasks.at(t);
    });
    const moved = {
      ...data,
      tasks: namesOf(tasks),
      task: data.task.map((t) => place[t]),
    };
    const there = { from: links.from.map((t) => place[t]), to: links.to.map((t) => place[t]) };
    const [one, other] = [
      graphDawidSkene(data, {}, { links }).posterior,
      graphDawidSkene(moved, {}, { links: there }).posterior,
    ];
    place.forEach((to, t) => {
      expect(other[2 * to]).toBeCloseTo(one[2 * t], 7);
    });
  });

  it("give tasks without labels the belief of their neighbours", () => {
    const more = {
      ...fixture,
      tasks: namesOf([...fixture.tasks, "near", "far", "alone", "other"]),
      gold: new Int32Array(9).fill(-1),
    };
    const pairs = [
      ["near", "1"],
      ["far", "near"],
      ["alone", "other"],
    ] as const;
    const found = graphDawidSkene(more, {}, { links: linksOf(more, pairs) });
    const [near, far, alone] = [5, 6, 7].map((t) => found.posterior[2 * t + 1]);
    expect(found.posterior[3]).toBeGreaterThan(near);
    expect(near).toBeGreaterThan(far);
    expect(far).toBeGreaterThan(0.5);
    expect(alone).toBeCloseTo(0.5, 12);
    expect([...found.consensus.subarray(5)]).toEqual([1, 1, -1, -1]);
    expect([...found.linked]).toEqual([0, 0, 0, 0, 0, 1, 1, 0, 0]);
    expect(found.notes.join()).toMatch(/2 tasks have no label/);
  });

  it("carry gold to their other end", () => {
    const gold = Int32Array.of(1, -1, -1, -1, -1);
    const found = graphDawidSkene(fixture, { ...fixed, coupling: 3 }, { links: three, gold });
    const free = graphDawidSkene(fixture, { ...fixed, coupling: 3 }, { links: three });
    expect(found.posterior[1]).toBe(1);
    expect(found.posterior[5]).toBeGreaterThan(free.posterior[5]);
  });

  it("of names that are no tasks are left out and counted", () => {
    const named = linksOf(fixture, [
      ["0", "2"],
      ["0", "nowhere"],
      ["there", "1", 2],
    ]);
    expect(named).toEqual({ from: Int32Array.of(0), to: Int32Array.of(2), leftOut: 2 });
    const { notes } = graphDawidSkene(fixture, {}, { links: named });
    expect(notes).toContain(
      "2 links name something that is no task of the labels, and were left out.",
    );
  });

  it("are refused where they are wrong, and asked for where there are none", () => {
    const refused = (wrong: Links) => () => graphDawidSkene(fixture, {}, { links: wrong });
    const one = Int32Array.of(1);
    expect(refused({ from: one, to: one })).toThrow(/known.links connects task 1 with itself/);
    expect(refused({ from: one, to: Int32Array.of(5) })).toThrow(/task 5; there are 5 tasks/);
    expect(refused({ from: one, to: new Int32Array(0) })).toThrow(/as many ends/);
    expect(refused({ ...three, weight: Float64Array.of(1, -1, 1) })).toThrow(/the weight -1/);
    expect(() => graphDawidSkene(fixture)).toThrow(/graph-dawid-skene needs known.links/);
  });

  it("are ignored by other methods, which say so", () => {
    expect(dawidSkene(fixture, {}, { links: three }).notes.join()).toContain(
      "dawid-skene ignores links between tasks.",
    );
  });
});

it("holds the coupling where nearly all tasks are in one class", () => {
  const rows = Array.from({ length: 200 }, (_, i) => ({
    task: `${i % 40}`,
    worker: `w${Math.floor(i / 40)}`,
    label: "0",
  }));
  const data = fromRows(rows, { classes: ["0", "1"] });
  const from = Int32Array.from({ length: 39 }, (_, t) => t);
  const found = graphDawidSkene(data, {}, { links: { from, to: from.map((t) => t + 1) } });
  expect(found.notes.join()).toContain("Nearly all tasks are in one class");
  expect(found.coupling).toBeLessThan(2);
});

it("learns that links at random mean nothing", () => {
  const random = createRandom(1);
  const T = 1000;
  const data = randomCrowd(3, { tasks: T, workers: 20, classes: 3, rate: 0.25 });
  const ends = [0, 1].map(() => Int32Array.from({ length: 3000 }, () => random.next() * T));
  const to = ends[1].map((t, e) => (t === ends[0][e] ? (t + 1) % T : t));
  const found = graphDawidSkene(data, {}, { links: { from: ends[0], to } });
  expect(found.coupling).toBeLessThan(0.2);
});
