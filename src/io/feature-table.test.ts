import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTable } from "../../test/read-table.ts";
import { rowSize } from "../data/features.ts";
import { csv } from "./csv.ts";
import { featureTable, tasksTable } from "./feature-table.ts";
import type { Format } from "./format.ts";
import { jsonl } from "./jsonl.ts";
import type { TableOptions } from "./table.ts";

async function read(text: string, options: TableOptions = {}, format: Format = csv) {
  const features = await readTable(featureTable(), text, options, format);
  const numbers = new Float32Array(features.tasks.length * rowSize(features));
  features.read(Array.from([...features.tasks].keys()), numbers);
  return { ...features, tasks: [...features.tasks], numbers: [...numbers] };
}

describe("featureTable", () => {
  it.each([
    "task,a,b\nx,1,-2.5\ny,3e2,.5\n",
    "a;item_id;b\n1;x;-2,5\n3e2;y;0,5\n",
    "a\tb\tTask ID\n1\t-2.5\tx\n+300\t0.5\ty\n",
    '"task","a","b"\r\n"x","1","-2.5"\r\n"y"," 300 ","5e-1"\r\n',
    // As pandas writes an index without a name.
    ",a,b\nx,1,-2.5\ny,300,0.5\n",
  ])("reads %j", async (text) => {
    const { tasks, shape, numbers, notes } = await read(text);
    expect([tasks, shape, notes]).toEqual([["x", "y"], [2], []]);
    expect(numbers).toEqual([1, -2.5, 300, 0.5]);
  });

  it("reads files without a header, other columns for the task, and some columns only", async () => {
    expect((await read("x,1,2\n", { header: false })).numbers).toEqual([1, 2]);
    const named = { columns: { task: "b" } };
    expect(await read("task,b\n1,x\n", named)).toMatchObject({ tasks: ["x"], numbers: [1] });
    const elsewhere = { columns: { task: "Input.id" } };
    expect([...(await read("task,b\nx,1\n", elsewhere)).tasks]).toEqual(["x"]);
    await expect(read("name,b\nx,1\n", elsewhere)).rejects.toThrow('no column "Input.id"');
    const some = await read("task,a,text,c\nx,1,hm,3\n", { only: ["c", "a"] });
    expect(some.numbers).toEqual([1, 3]);
    await expect(read("task,a\nx,1\n", { only: ["z"] })).rejects.toThrow('there is no column "z"');
  });

  it("reads lists of numbers where the format has them", async () => {
    const lines = '{"task":"x","v":[1,2],"w":3}\n{"task":"y","v":[4,5],"w":6}\n';
    const { shape, numbers } = await read(lines, {}, jsonl);
    expect([shape, numbers]).toEqual([[3], [1, 2, 3, 4, 5, 6]]);
    const ragged = '{"task":"x","v":[1,2]}\n{"task":"y","v":[4]}\n';
    await expect(read(ragged, {}, jsonl)).rejects.toThrow(
      "x.csv:2: the row has 1 numbers, but the first row has 2.",
    );
    const wrong = '{"task":"x","v":[1,null,"2"]}\n';
    await expect(read(wrong, {}, jsonl)).rejects.toThrow(
      'x.csv:1: "v", number 1, is empty or NaN, not a number, and 1 more in this row.',
    );
  });

  it.each([
    ["abc", 'is "abc"'],
    ["", "is empty or NaN"],
    ["  ", "is empty or NaN"],
    ["nan", 'is "nan"'],
    ["NaN", 'is "NaN"'],
    ["inf", 'is "inf"'],
    ["-Infinity", 'is "-Infinity"'],
    ["1e999", 'is "1e999"'],
    ["1e39", "is 1e+39, too large for 32 bits"],
    ["0x10", 'is "0x10"'],
  ])("refuses the cell %j", async (cell, found) => {
    await expect(read(`task,f1,f2\nx,1,2\ny,3,${cell}\n`)).rejects.toMatchObject({
      code: "bad-data",
      message: expect.stringContaining(`x.csv:3: "f2" ${found}, not a number.`),
    });
  });

  it("collects problems: the first twenty with their lines, and how many more", async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `t${i},${i % 2 ? "bad" : i},x`);
    const error = await read(`task,a,b\n${rows.join("\n")}\n`).catch((cause) => cause);
    expect(error.code).toBe("bad-data");
    const lines = error.message.split("\n");
    expect(lines[0]).toBe("60 rows have problems:");
    expect(lines[1]).toBe('  x.csv:2: "b" is "x", not a number.');
    expect(lines[2]).toBe('  x.csv:3: "a" is "bad", not a number, and 1 more in this row.');
    expect(lines[20]).toContain("x.csv:21:");
    expect(lines[21]).toBe("  and 40 more");
  });

  it("leaves rows with problems out when told to, and says so", async () => {
    const text = "task,a\nx,1\ny,\n,3\nz,4\n";
    const { tasks, numbers, notes } = await read(text, { badRows: "drop" });
    expect([tasks, numbers]).toEqual([
      ["x", "z"],
      [1, 4],
    ]);
    expect(notes[0]).toContain("2 rows with problems dropped; the first: x.csv:3:");
  });

  it("names the first ten tasks that have more than one row", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => `t${i % 15},1`);
    await expect(read(`task,a\n${rows.join("\n")}\n`)).rejects.toThrow(
      'x.csv: 15 tasks named more than once: "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9" ' +
        "and 5 more. Each task has one row of features.",
    );
  });

  it.each([
    ["", "there are no features"],
    ["task,a\n", "there are no features"],
    ["task\nx\n", "there is no column of numbers beside the task"],
    ["f1,f2\n1,2\n", "no column is recognised as the task"],
    ["task,a\n,1\n", "x.csv:2: the task is empty."],
    ["task,a,b\nx,1\n", "x.csv:2: the row has 2 cells, but the header has 3."],
  ])("refuses %j", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it("warns of columns that look like the answer", async () => {
    expect((await read("task,a,label\nx,1,0\n")).notes[0]).toContain(
      'x.csv: "label" is taken for features',
    );
    expect((await read("task,a,label\nx,1,0\n", { only: ["a", "label"] })).notes).toEqual([]);
  });

  it("says what it understood", async () => {
    const said: string[] = [];
    await read("item,a,b\nx,1,2\n", { onUnderstood: (line) => said.push(line) });
    expect(said).toEqual([
      'x.csv: CSV or TSV, separated by commas, task = "item", 2 columns of features; 1 row',
    ]);
  });

  it("stops before memory runs out", async () => {
    const text = `task,a,b\n${Array.from({ length: 9000 }, (_, i) => `${i},1,2\n`).join("")}`;
    await expect(readTable(featureTable(100_000), text)).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringContaining("Save the features as .npy, which is read from disk"),
    });
  });

  it("reads back any numbers that fit 32 bits", async () => {
    const value = fc.float({ noNaN: true, noDefaultInfinity: true });
    const table = fc
      .integer({ min: 1, max: 6 })
      .chain((width) =>
        fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: 1 }),
      );
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(String, (x: number) => x.toExponential(18)),
        async (rows, write) => {
          const header = rows[0].map((_, j) => `f${j}`);
          const lines = rows.map((row, i) => [`t${i}`, ...row.map((x) => write(x))].join(","));
          const { numbers } = await read(`${["task", ...header].join(",")}\n${lines.join("\n")}\n`);
          // String gives -0 as 0.
          expect(numbers.map((x) => x + 0)).toEqual(rows.flat().map((x) => x + 0));
        },
      ),
      { numRuns: 50 },
    );
  });

  it("reads wide rows, longer than the pieces they come in", async () => {
    const width = 20_000;
    const header = Array.from({ length: width }, (_, j) => `f${j}`).join(",");
    const row = (t: number) => Array.from({ length: width }, (_, j) => t * width + j);
    const text = `task,${header}\n${[0, 1, 2].map((t) => `t${t},${row(t)}`).join("\n")}\n`;
    const { shape, numbers } = await read(text);
    expect(shape).toEqual([width]);
    expect(numbers).toEqual([...row(0), ...row(1), ...row(2)]);
  });
});

describe("tasksTable", () => {
  it("reads the task column in its order, beside others or alone", async () => {
    expect(await readTable(tasksTable, "task\nb\na\n007\n")).toEqual(["b", "a", "007"]);
    expect(await readTable(tasksTable, "task,label\nb,\na,cat\n")).toEqual(["b", "a"]);
    expect(await readTable(tasksTable, "b\na\n", { header: false })).toEqual(["b", "a"]);
  });

  it("refuses a task without a name, and one named twice", async () => {
    await expect(readTable(tasksTable, "task,x\nb,1\n,2\n")).rejects.toThrow(
      "x.csv:3: the task is empty.",
    );
    await expect(readTable(tasksTable, "task\nb\nb\n")).rejects.toThrow(
      'x.csv: 1 task named more than once: "b".',
    );
    await expect(readTable(tasksTable, "img-1\nimg-2\n")).rejects.toThrow("header: false");
  });
});
