import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { byTask, byWorker, selectLabels } from "./categorical.ts";
import { labelsPerTask, labelsPerWorker } from "./crowd-data.ts";
import { fingerprint } from "./fingerprint.ts";
import { fromRows, type LabelRow } from "./from-rows.ts";
import { namesOf } from "./names.ts";
import { goldFolds } from "./split.ts";
import { summarise } from "./summary.ts";

const row = (task: string, worker: string, label: string, time?: number): LabelRow => ({
  task,
  worker,
  label,
  ...(time !== undefined && { time }),
});

describe("from rows", () => {
  it("numbers tasks and workers as they come, and sorts classes", () => {
    const data = fromRows([row("b", "x", "10"), row("a", "y", "9"), row("b", "y", "-1")]);
    expect([...data.tasks]).toEqual(["b", "a"]);
    expect([...data.workers]).toEqual(["x", "y"]);
    expect([...data.classes]).toEqual(["-1", "9", "10"]);
    expect([...data.label]).toEqual([2, 1, 0]);
    expect([...fromRows([row("a", "x", "9"), row("a", "y", "007x")]).classes]).toEqual([
      "007x",
      "9",
    ]);
  });

  it("keeps a given order of classes, used or not, and refuses others", () => {
    const classes = ["no", "yes", "maybe"];
    expect([...fromRows([row("a", "x", "yes")], { classes }).classes]).toEqual(classes);
    expect(() => fromRows([row("a", "x", "blue")], { classes })).toThrow(
      /not in the list of classes/,
    );
    expect(() => fromRows([], { classes: ["a", "a"] })).toThrow(/names one twice/);
  });

  it("notes classes that look alike", () => {
    const { notes } = fromRows([row("a", "x", "Cat"), row("a", "y", "cat "), row("b", "x", "dog")]);
    expect(notes).toEqual([
      'The classes "Cat", "cat " look alike but are kept apart. If they mean the same, fold their case or map them.',
    ]);
  });

  it("keeps names that mean something to JavaScript", () => {
    const data = fromRows([
      row("__proto__", "constructor", "toString"),
      row("__proto__", "x", "hasOwnProperty"),
    ]);
    expect([...data.tasks]).toEqual(["__proto__"]);
    expect([...data.classes]).toEqual(["hasOwnProperty", "toString"]);
  });

  it("keeps abstentions apart", () => {
    const data = fromRows([row("a", "x", "yes"), row("a", "y", "?")], { abstentions: ["?"] });
    expect([...data.classes]).toEqual(["yes"]);
    expect([...data.label]).toEqual([0, 1]);
  });
});

describe("repeated pairs", () => {
  const rows = [
    row("a", "x", "1"),
    row("a", "y", "1"),
    row("a", "x", "1"),
    row("a", "x", "2"),
    row("b", "x", "1"),
  ];

  it.each([
    ["distinct", ["1", "1", "2", "1"], 1],
    ["first", ["1", "1", "1"], 2],
    ["last", ["1", "2", "1"], 2],
    ["all", ["1", "1", "1", "2", "1"], 0],
  ] as const)("%s", (repeats, labels, dropped) => {
    const data = fromRows(rows, { repeats });
    expect(Array.from(data.label, (l) => data.classes.at(l))).toEqual(labels);
    const note = `2 labels repeat a (task, worker) pair, 1 of them with another answer; repeats: ${repeats}, ${dropped} dropped.`;
    expect(data.notes).toEqual(dropped > 0 ? [note] : []);
  });

  it("error names the pair", () => {
    expect(() => fromRows(rows, { repeats: "error" })).toThrow(
      'Worker "x" labelled task "a" more than once.',
    );
  });

  it("goes by time where there are times", () => {
    const timed = [row("a", "x", "late", 20), row("a", "x", "early", 10), row("a", "y", "late", 5)];
    const pick = (repeats?: "first") => {
      const data = fromRows(timed, { repeats });
      return Array.from(data.label, (l) => data.classes.at(l));
    };
    expect(pick()).toEqual(["late", "late"]);
    expect(pick("first")).toEqual(["early", "late"]);
  });
});

describe("gold", () => {
  it("is -1 where unknown, and may name classes no label does", () => {
    const data = fromRows([row("a", "x", "1"), row("b", "x", "1")], { gold: [["b", "0"]] });
    expect([...data.classes]).toEqual(["0", "1"]);
    expect([...data.gold]).toEqual([-1, 0]);
  });

  it("without labels is counted, and an error if all of it is", () => {
    const rows = [row("a", "x", "1")];
    expect(
      fromRows(rows, {
        gold: [
          ["a", "1"],
          ["z", "1"],
        ],
      }).notes,
    ).toEqual(["1 of 2 gold tasks have no labels and are left out."]);
    expect(() => fromRows(rows, { gold: [["z", "1"]] })).toThrow(
      /None of the 1 gold tasks has labels/,
    );
  });

  it("that contradicts itself is an error", () => {
    const gold = [
      ["a", "1"],
      ["a", "0"],
    ] as const;
    expect(() => fromRows([row("a", "x", "1")], { gold })).toThrow(
      /two classes for task "a": 1 and 0/,
    );
  });
});

describe("indexes", () => {
  it("list each label once, under its task and its worker", () => {
    const data = randomCrowd(1);
    const seen = (index: ReturnType<typeof byTask>, turn: boolean) => {
      const list: string[] = [];
      for (let a = 0; a + 1 < index.start.length; a++) {
        for (let i = index.start[a]; i < index.start[a + 1]; i++) {
          const pair = turn ? [index.other[i], a] : [a, index.other[i]];
          list.push([...pair, index.label[i]].join());
        }
      }
      return list.sort();
    };
    const rows = Array.from(data.task, (t, i) => [t, data.worker[i], data.label[i]].join()).sort();
    expect(seen(byTask(data), false)).toEqual(rows);
    expect(seen(byWorker(data), true)).toEqual(rows);
    expect(byTask(data)).toBe(byTask(data));
    expect(labelsPerTask(data).reduce((a, b) => a + b)).toBe(rows.length);
    expect(labelsPerWorker(data).reduce((a, b) => a + b)).toBe(rows.length);
  });

  it("takes at most 16 bytes per label", () => {
    const { label } = randomCrowd(1);
    const data = randomCrowd(1);
    const bytes = [byTask(data), byWorker(data)].reduce(
      (sum, { other, label: l }) => sum + other.byteLength + l.byteLength,
      0,
    );
    expect(bytes).toBeLessThanOrEqual(16 * label.length);
  });
});

it("selects labels with all that belongs to them", () => {
  const data = { ...randomCrowd(1), weight: new Float64Array(200).map((_, i) => i) };
  const some = selectLabels(data, (i) => i % 2 === 0);
  expect([...(some.weight ?? []).slice(0, 3)]).toEqual([0, 2, 4]);
  expect(some.label[1]).toBe(data.label[2]);
  expect(some.tasks).toBe(data.tasks);
});

it("has a fingerprint that any change changes", () => {
  const data = randomCrowd(1);
  const print = fingerprint(data);
  expect(print).toMatch(/^[0-9a-f]{16}$/);
  expect(fingerprint(randomCrowd(1))).toBe(print);
  const changed = { ...data, label: data.label.map((l, i) => (i === 7 ? (l + 1) % 3 : l)) };
  const renamed = {
    ...data,
    workers: namesOf(Array.from(data.workers, (name, w) => (w === 3 ? `${name}!` : name))),
  };
  expect(new Set([print, fingerprint(changed), fingerprint(renamed)]).size).toBe(3);
});

it("is summarised", () => {
  const data = fromRows(
    [row("a", "x", "1"), row("a", "y", "1"), row("b", "x", "2"), row("c", "x", "?")],
    {
      abstentions: ["?"],
      gold: [["a", "1"]],
    },
  );
  expect(summarise(data)).toMatchObject({
    labels: 4,
    tasks: 3,
    workers: 2,
    classes: 2,
    gold: 1,
    abstentions: 1,
    unanimous: 1,
  });
  expect(summarise(data).workload).toMatchObject({ min: 1, max: 3, median: 2 });
  expect([...summarise(data).classShares]).toEqual([2 / 3, 1 / 3]);
  expect(summarise(fromRows([])).redundancy.max).toBe(0);
});

it("splits gold evenly in every class, whatever the order", () => {
  const data = randomCrowd(1, { tasks: 100 });
  const folds = goldFolds(data, 5, 0);
  for (let f = 0; f < 5; f++) {
    expect(folds.filter((x) => x === f).length).toBe(20);
    for (let k = 0; k < 3; k++) {
      const inClass = data.gold.filter((g) => g === k).length;
      const inFold = data.gold.filter((g, t) => g === k && folds[t] === f).length;
      expect(Math.abs(inFold - inClass / 5)).toBeLessThan(1);
    }
  }
  expect(goldFolds(data, 5, 1)).not.toEqual(folds);
});
