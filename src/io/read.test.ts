import { describe, expect, it } from "vitest";
import { fromRows } from "../data/from-rows.ts";
import { csv } from "./csv.ts";
import { jsonl } from "./jsonl.ts";
import { isoTime } from "./label-rows.ts";
import { parseTime } from "./number.ts";
import { parquet } from "./parquet.ts";
import { createLabelReader, type ReaderOptions } from "./read.ts";

function read(files: Record<string, string>, options: ReaderOptions = {}) {
  const reader = createLabelReader(options);
  for (const [name, text] of Object.entries(files)) {
    const file = reader.open(name, csv);
    file.push(new TextEncoder().encode(text));
    void file.finish();
  }
  return reader.finish();
}

describe("several files", () => {
  it("make one dataset, with the same names the same", () => {
    const data = read({
      "a.csv": "task,worker,label\n1,ana,cat\n2,bob,dog\n",
      "b.csv": "label;item;rater\ncat;2;ana\nowl;3;cyd\n",
    });
    expect([...data.tasks]).toEqual(["1", "2", "3"]);
    expect([...data.workers]).toEqual(["ana", "bob", "cyd"]);
    expect([...data.task]).toEqual([0, 1, 1, 2]);
  });

  it("have their problems named by file and line", () => {
    expect(() =>
      read({
        "a.csv": "task,worker,label\n1,ana\n",
        "b.csv": "task,worker,label\n1,ana,x\n,bob,x\n",
      }),
    ).toThrow(
      "2 rows have problems:\n  a.csv:2: the row has 2 cells, but the header has 3.\n  b.csv:3: the task is empty.",
    );
  });

  it("keep times where only one has them, and unknown ones elsewhere", () => {
    const data = read({
      "a.csv": "task,worker,label\n1,ana,cat\n",
      "b.csv": "task,worker,label,time,weight\n1,bob,cat,2024-01-01,3\n",
    });
    expect([...(data.time ?? [])]).toEqual([Number.NaN, Date.UTC(2024, 0, 1)]);
    expect([...(data.weight ?? [])]).toEqual([1, 3]);
  });

  it("may be empty as long as one is not", () => {
    const data = read({
      "a.csv": "",
      "b.csv": "task,worker,label\n1,ana,cat\n",
      "c.csv": "task,worker,label\n",
    });
    expect(data.notes).toEqual(["a.csv is empty.", "c.csv holds no labels."]);
    expect(() => read({ "a.csv": "", "c.csv": "task,worker,label\n" })).toThrow(
      "2 files: there are no labels. a.csv is empty. c.csv holds no labels.",
    );
  });

  it("pass gold and other options on to the dataset", () => {
    const data = read(
      { "a.csv": "task,worker,label\n1,ana,cat\n1,ana,cat\n" },
      { gold: [["1", "dog"]], notes: ["from outside"], repeats: "all" },
    );
    expect([...data.classes]).toEqual(["cat", "dog"]);
    expect([...data.gold]).toEqual([1]);
    expect(data.notes).toContain("from outside");
    expect(data.label).toHaveLength(2);
  });
});

describe("isoTime", () => {
  it.each([0, 1.7e12, 1_700_000_000_000.25, -1, 1_700_000_000_123.456])(
    "writes %d so that it is read back",
    (ms) => {
      const bytes = new TextEncoder().encode(isoTime(ms));
      expect(parseTime(bytes, 0, bytes.length)).toBeCloseTo(ms, 3);
    },
  );

  it("writes nothing for an unknown time", () => {
    expect(isoTime(Number.NaN)).toBe("");
  });
});

describe("pieces in one Buffer of Node, used again for each", () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({
    task: `t${i % 90}`,
    worker: `w${i % 7}`,
    label: `C${i % 3}`,
  }));
  it.each([csv, jsonl, parquet])("are read as those of their own: $title", async (format) => {
    const written = await format.write(fromRows(rows));
    const whole = Buffer.concat([...written].map((piece) => Buffer.from(piece as string)));
    const labels = async (again: boolean) => {
      const reader = createLabelReader({ foldCase: true });
      const file = reader.open("a", format);
      const shared = Buffer.alloc(64);
      for (let at = 0; at < whole.length; at += 64) {
        const piece = shared.subarray(0, whole.copy(shared, 0, at, at + 64));
        file.push(again ? piece : new Uint8Array(piece));
      }
      await file.finish();
      const { tasks, workers, classes, label } = reader.finish();
      return [[...tasks], [...workers], [...classes], [...label]];
    };
    const apart = await labels(false);
    expect(apart[2]).toEqual(["c0", "c1", "c2"]);
    expect(await labels(true)).toEqual(apart);
  });
});
