import { readFileSync } from "node:fs";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { readDamaged } from "../../test/damage.ts";
import { fromRows } from "../data/from-rows.ts";
import { CrowdError } from "../error.ts";
import { parquet } from "./parquet.ts";
import { createLabelReader, type ReaderOptions } from "./read.ts";
import { openTable, plainTable } from "./table.ts";

async function read(bytes: Uint8Array, options: ReaderOptions = {}) {
  const reader = createLabelReader(options);
  const file = reader.open("labels.parquet", parquet);
  file.push(bytes);
  await file.finish();
  return reader.finish();
}

const bytesOf = (columnData: ColumnSource[], options = {}) =>
  new Uint8Array(parquetWriteBuffer({ columnData, ...options }));

const base = (length: number): ColumnSource[] => [
  { name: "worker", data: Array.from({ length }, (_, i) => `w${i % 7}`), type: "STRING" },
];

async function texts(column: ColumnSource) {
  const file = openTable(plainTable, "x.parquet", parquet, {});
  file.push(bytesOf([column]));
  await file.finish();
  const { columns } = file.result();
  return Array.from(columns[0].code, (code) => columns[0].texts[code]);
}

describe("parquet", () => {
  it.each<[string, ColumnSource, (string | undefined)[]]>([
    [
      "text with nulls",
      { name: "x", data: ["a", null, "", "é"], type: "STRING" },
      ["a", undefined, undefined, "é"],
    ],
    ["32-bit numbers", { name: "x", data: [1, -2], type: "INT32" }, ["1", "-2"]],
    [
      "64-bit numbers",
      { name: "x", data: [2n ** 60n, null], type: "INT64" },
      ["1152921504606846976", undefined],
    ],
    [
      "doubles",
      { name: "x", data: [1, 0.1, Number.NaN, null], type: "DOUBLE" },
      ["1", "0.1", undefined, undefined],
    ],
    ["floats", { name: "x", data: [1, 0.1, 16_777_216], type: "FLOAT" }, ["1", "0.1", "16777216"]],
    [
      "booleans",
      { name: "x", data: [true, false, null], type: "BOOLEAN" },
      ["true", "false", undefined],
    ],
    [
      "times",
      { name: "x", data: [new Date(0), null], type: "TIMESTAMP" },
      ["1970-01-01T00:00:00.000Z", undefined],
    ],
  ])("makes names of %s", async (_, column, expected) => {
    expect(await texts({ nullable: true, ...column })).toEqual(expected);
  });

  it("keeps the order of first appearance, whatever the order of the dictionary", async () => {
    const length = 5000;
    const task = Array.from({ length }, (_, i) => `t${(i * 37) % 500}`);
    const label = Array.from({ length }, (_, i) => (i % 11 === 3 ? null : "ba"[i % 2]));
    for (const options of [{}, { codec: "UNCOMPRESSED" }, { rowGroupSize: 700, pageSize: 900 }]) {
      const data = await read(
        bytesOf(
          [
            { name: "task", data: task, type: "STRING" },
            ...base(length),
            { name: "label", data: label, type: "STRING", nullable: true },
          ],
          options,
        ),
        { repeats: "all" },
      );
      const kept = task.filter((_, i) => label[i] !== null);
      expect([...data.tasks]).toEqual([...new Set(task)].filter((name) => kept.includes(name)));
      expect(Array.from(data.task, (t) => data.tasks.at(t))).toEqual(kept);
      expect(data.notes).toEqual([`${length - kept.length} rows dropped: the label is empty.`]);
    }
  });

  it("reads times and weights", async () => {
    const data = await read(
      bytesOf([
        { name: "item", data: ["a", "b"], type: "STRING" },
        { name: "rater", data: [1n, 2n], type: "INT64" },
        { name: "answer", data: [3, 4], type: "INT32" },
        { name: "timestamp", data: [new Date(1.7e12), null], type: "TIMESTAMP", nullable: true },
        { name: "weight", data: [1.5, 1], type: "DOUBLE" },
      ]),
    );
    expect([data.tasks, data.workers, data.classes].map((names) => [...names])).toEqual([
      ["a", "b"],
      ["1", "2"],
      ["3", "4"],
    ]);
    expect([...(data.time ?? [])]).toEqual([1.7e12, Number.NaN]);
    expect([...(data.weight ?? [])]).toEqual([1.5, 1]);
  });

  it("names the row of a problem", async () => {
    const bytes = bytesOf([
      { name: "task", data: ["a", null], type: "STRING", nullable: true },
      { name: "worker", data: ["w", "w"], type: "STRING" },
      { name: "label", data: ["x", "x"], type: "STRING" },
    ]);
    await expect(read(bytes)).rejects.toThrow("labels.parquet:2: the task is empty.");
  });

  it("refuses a column of lists, and one that is missing", async () => {
    const json = bytesOf([
      ...["task", "worker"].map((name): ColumnSource => ({ name, data: ["a"], type: "STRING" })),
      { name: "label", data: [{ a: 1 }], type: "JSON" },
    ]);
    await expect(read(json)).rejects.toThrow(
      'labels.parquet:1: "label" should be text or a number, but is an object.',
    );
    await expect(read(bytesOf(base(1)))).rejects.toThrow("no column is recognised as the task");
  });

  it("calls a file with a header and no rows what it is", async () => {
    const empty = bytesOf(
      ["task", "worker", "label"].map((name) => ({ name, data: [], type: "STRING" })),
    );
    await expect(read(empty)).rejects.toMatchObject({ code: "no-labels" });
  });

  it("reads only the pages it needs from a file on disk", async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      task: `t${i}`,
      worker: "w",
      label: "x",
    }));
    const [bytes] = (await parquet.write(fromRows(rows))) as [Uint8Array];
    const reader = createLabelReader();
    const file = reader.open("labels.parquet", parquet);
    let most = 0;
    await file.readFrom?.({
      byteLength: bytes.length,
      slice: async (start, end = bytes.length) => {
        most = Math.max(most, end - start);
        return bytes.slice(start, end).buffer;
      },
    });
    expect([...reader.finish().tasks]).toHaveLength(1000);
    expect(most).toBeLessThanOrEqual(bytes.length);
  });

  it("lets no number in the head of differences fill memory or take long", async () => {
    const valid = new Uint8Array(readFileSync("test/fixtures/pages-v1.parquet"));
    expect((await read(valid, { repeats: "all" })).label).toHaveLength(51);
    const numbers = [7, 15].flatMap((last) => [254, 255].map((low) => [low, 255, 255, 255, last]));
    for (let at = 0; at + 12 < valid.length; at++) {
      // Blocks of 128 in four parts.
      if (!(valid[at] === 128 && valid[at + 1] === 1 && valid[at + 2] === 4)) continue;
      for (let place = at; place < at + 8; place++) {
        for (const number of numbers) {
          const bytes = valid.slice();
          bytes.set(number, place);
          const start = performance.now();
          await read(bytes, { repeats: "all" }).catch((error) => {
            if (!(error instanceof CrowdError)) throw error;
          });
          expect(performance.now() - start).toBeLessThan(2000);
        }
      }
    }
  });

  it("survives any damage to the pages of a larger file, in every encoding it meets", async () => {
    const length = 400;
    const columns: ColumnSource[] = [
      { name: "task", data: Array.from({ length }, (_, i) => `t${i >> 2}`), type: "STRING" },
      ...base(length),
      {
        name: "label",
        data: Array.from({ length }, (_, i) => (i % 5 ? "ab"[i % 2] : null)),
        type: "STRING",
        nullable: true,
      },
      {
        name: "weight",
        data: Array.from({ length }, (_, i) => i % 4),
        type: "INT32",
        encoding: "DELTA_BINARY_PACKED",
      },
    ];
    for (const codec of ["UNCOMPRESSED", "SNAPPY"] as const) {
      const valid = bytesOf(columns, { codec, pageSize: 300 });
      expect((await read(valid, { repeats: "all" })).label).toHaveLength(320);
      const readAll = (bytes: Uint8Array) => read(bytes, { repeats: "all" });
      await readDamaged(valid, readAll, { changes: 3, numRuns: 200 });
    }
  });
});
