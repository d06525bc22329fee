import { describe, expect, it } from "vitest";
import { fixtureA, randomCrowd, reversedLabels } from "../../test/random-crowd.ts";
import { fromRows } from "../data/from-rows.ts";
import { type CountTable, classTotals, countTable } from "./counts.ts";

/** The counts of each task as plain rows, read back through its pattern. */
function rowsOf(table: CountTable): number[][] {
  return [...table.pattern].map((p) => {
    const row = new Array<number>(table.classes).fill(0);
    for (let at = table.start[p]; p >= 0 && at < table.start[p + 1]; at++) {
      row[table.class[at]] = table.count[at];
    }
    return row;
  });
}

describe("invariants", () => {
  it("keeps equal tasks once, and counts them", () => {
    for (let seed = 0; seed < 10; seed++) {
      const table = countTable(randomCrowd(seed, { tasks: 100, workers: 4 }));
      const rows = rowsOf(table).map(String);
      const met = new Set(rows);
      expect(table.tasks.length).toBe(met.size);
      for (let p = 0; p < table.tasks.length; p++) {
        const mine = [...table.pattern.keys()].filter((t) => table.pattern[t] === p);
        expect(table.tasks[p]).toBe(mine.length);
        expect(new Set(mine.map((t) => rows[t])).size).toBe(1);
      }
    }
  });

  it("does not care about the order of the labels", () => {
    const data = randomCrowd(2);
    const reversed = reversedLabels(data);
    expect(countTable(reversed)).toEqual(countTable(data));
  });
});

describe("brute force", () => {
  it("counts the labels of each class of each task", () => {
    for (let seed = 0; seed < 10; seed++) {
      const data = randomCrowd(seed, { tasks: 60, classes: 5 });
      const expected = Array.from(data.tasks, (_, t) =>
        Array.from(
          data.classes,
          (_, k) =>
            [...data.label.keys()].filter((i) => data.task[i] === t && data.label[i] === k).length,
        ),
      );
      const table = countTable(data);
      expect(rowsOf(table)).toEqual(expected);
      const several = expected.filter((row) => row.reduce((a, b) => a + b) >= 2);
      expect([...classTotals(table, table.tasks, 2)]).toEqual(
        Array.from(data.classes, (_, k) => several.reduce((sum, row) => sum + row[k], 0)),
      );
    }
  });
});

describe("published numbers", () => {
  it("counts fixture A", () => {
    expect(rowsOf(countTable(fixtureA()))).toEqual([
      [2, 1],
      [0, 3],
      [2, 1],
      [0, 2],
      [1, 0],
    ]);
  });
});

describe("limits", () => {
  it("leaves out abstentions, and gives a task without labels no pattern", () => {
    const data = fromRows(
      [
        { task: "a", worker: "v", label: "x" },
        { task: "a", worker: "w", label: "?" },
        { task: "b", worker: "w", label: "?" },
      ],
      { abstentions: ["?"] },
    );
    const table = countTable(data);
    expect([...table.pattern]).toEqual([0, -1]);
    expect([...table.labels]).toEqual([1]);
  });

  it("takes no labels, and ten thousand classes", () => {
    expect(countTable(fromRows([])).tasks.length).toBe(0);
    const rows = Array.from({ length: 10_000 }, (_, i) => ({
      task: `t${i >> 1}`,
      worker: `w${i & 1}`,
      label: `${i}`,
    }));
    const table = countTable(fromRows(rows));
    expect(table.tasks.length).toBe(5000);
    expect(table.count.length).toBe(10_000);
  });
});
