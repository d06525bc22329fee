import { readFileSync } from "node:fs";
import {
  Bool,
  CompressionType,
  compressionRegistry,
  DateDay,
  Dictionary,
  Field,
  Float32,
  Int32,
  Int64,
  LargeUtf8,
  List,
  RecordBatchStreamWriter,
  Table,
  TimestampSecond,
  tableToIPC,
  Utf8,
  Utf8View,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import { arrow } from "./arrow.ts";
import { sniff } from "./index.ts";
import { createLabelReader, type ReaderOptions } from "./read.ts";
import { openTable, plainTable } from "./table.ts";

async function read(bytes: Uint8Array, options: ReaderOptions = {}) {
  const reader = createLabelReader(options);
  const file = reader.open("labels.arrow", arrow);
  file.push(bytes);
  await file.finish();
  return reader.finish();
}

async function texts(vector: Vector) {
  const file = openTable(plainTable, "x.arrow", arrow, {});
  file.push(tableToIPC(new Table({ x: vector }), "file"));
  await file.finish();
  const { columns } = file.result();
  return Array.from(columns[0].code, (code) => columns[0].texts[code]);
}

const words = (list: (string | null)[]) => vectorFromArray(list, new Utf8());
const small = () =>
  new Table({
    task: words(["a", "b", "a"]),
    worker: words(["w", "w", "v"]),
    label: words(["x", "y", "y"]),
  });

describe("arrow", () => {
  it.each<[string, Vector, (string | undefined)[]]>([
    ["text", words(["a", null, "", "é"]), ["a", undefined, undefined, "é"]],
    ["large text", vectorFromArray(["a", null, "bc"], new LargeUtf8()), ["a", undefined, "bc"]],
    [
      "text by views",
      vectorFromArray(["a", "much longer than twelve"], new Utf8View()),
      ["a", "much longer than twelve"],
    ],
    [
      "dictionaries",
      vectorFromArray(["b", "a", null, "b"], new Dictionary(new Utf8(), new Int32())),
      ["b", "a", undefined, "b"],
    ],
    ["numbers", vectorFromArray([1, -2, null], new Int32()), ["1", "-2", undefined]],
    [
      "64-bit numbers",
      vectorFromArray([2n ** 60n, null], new Int64()),
      ["1152921504606846976", undefined],
    ],
    [
      "floats",
      vectorFromArray([1, 0.1, null, Number.NaN], new Float32()),
      ["1", "0.1", undefined, undefined],
    ],
    ["booleans", vectorFromArray([true, false, null], new Bool()), ["true", "false", undefined]],
    [
      "times",
      vectorFromArray([0, null], new TimestampSecond()),
      ["1970-01-01T00:00:00.000Z", undefined],
    ],
    [
      "days",
      vectorFromArray([new Date("2024-05-31")], new DateDay()),
      ["2024-05-31T00:00:00.000Z"],
    ],
  ])("makes names of %s", async (_, vector, expected) => {
    expect(await texts(vector)).toEqual(expected);
  });

  it("reads a stream as well as a file", async () => {
    const stream = tableToIPC(small(), "stream");
    expect(sniff(stream, "labels.arrows").id).toBe("arrow");
    expect(sniff(stream, "labels").id).toBe("arrow");
    const [fromStream, fromFile] = [await read(stream), await read(tableToIPC(small(), "file"))];
    expect(fromStream).toEqual(fromFile);
    expect([...fromStream.task]).toEqual([0, 1, 0]);
  });

  it("reads batch after batch, in order", async () => {
    const writer = new RecordBatchStreamWriter();
    for (let i = 0; i < 3; i++) {
      const table = new Table({
        task: words([`t${i}`]),
        worker: words(["w"]),
        label: words([`${i}`]),
      });
      for (const batch of table.batches) writer.write(batch);
    }
    writer.finish();
    expect([...(await read(writer.toUint8Array(true))).tasks]).toEqual(["t0", "t1", "t2"]);
  });

  it("reads times and weights", async () => {
    const data = await read(
      tableToIPC(
        new Table({
          task: words(["a", "b"]),
          worker: words(["w", "w"]),
          label: words(["x", "y"]),
          timestamp: vectorFromArray([1_700_000_000_000, null], new TimestampSecond()),
          weight: vectorFromArray([2, 1], new Int32()),
        }),
      ),
    );
    expect([...(data.time ?? [])]).toEqual([1.7e12, Number.NaN]);
    expect([...(data.weight ?? [])]).toEqual([2, 1]);
  });

  it("opens what is compressed with LZ4 or zstd", async () => {
    await read(tableToIPC(small()));
    // Frames that hold their blocks as they are: what Arrow asks for, without a compressor.
    const block = (data: Uint8Array, flag: number[]) => [...flag, ...data];
    const bits = (n: number) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, n >>> 24];
    const codecs = {
      [CompressionType.LZ4_FRAME]: (data: Uint8Array) => [
        0x04,
        0x22,
        0x4d,
        0x18,
        0x60,
        0x40,
        0x82,
        ...block(data, bits((data.length | 0x80000000) >>> 0)),
        ...bits(0),
      ],
      [CompressionType.ZSTD]: (data: Uint8Array) => [
        0x28,
        0xb5,
        0x2f,
        0xfd,
        0xa0,
        ...bits(data.length),
        ...block(data, bits((data.length << 3) | 1).slice(0, 3)),
      ],
    };
    for (const [type, encode] of Object.entries(codecs)) {
      const kind = Number(type) as CompressionType;
      const decode = compressionRegistry.get(kind)?.decode;
      if (!decode) expect.fail("there is no decoder");
      compressionRegistry.set(kind, { decode, encode: (data) => Uint8Array.from(encode(data)) });
      const data = await read(tableToIPC(small(), "file", kind));
      expect([...data.tasks]).toEqual(["a", "b"]);
      expect([...data.label]).toEqual([0, 1, 1]);
    }
  });

  it("refuses lists, nulls alone, and a missing column", async () => {
    const lists = vectorFromArray([["x"]], new List(new Field("item", new Utf8())));
    const table = new Table({ task: words(["a"]), worker: words(["w"]), label: lists as Vector });
    await expect(read(tableToIPC(table))).rejects.toThrow(
      'labels.arrow:1: "label" should be text or a number, but is',
    );
    await expect(read(tableToIPC(new Table({ task: words(["a"]) })))).rejects.toThrow(
      "recognised as the worker",
    );
  });

  it("says that a file is cut off", async () => {
    const bytes = tableToIPC(small(), "file");
    await expect(read(bytes.subarray(0, bytes.length - 20))).rejects.toThrow(
      "this Arrow file cannot be read",
    );
  });

  it("reads a Feather file that pyarrow compressed with zstd", async () => {
    const data = await read(readFileSync("test/fixtures/zstd.feather"), { repeats: "all" });
    expect(data.label).toHaveLength(40);
    expect([...data.workers]).toEqual(["0", "1", "2", "3", "4"]);
    expect(data.time?.[39]).toBe(1_700_000_000_039);
    expect(data.weight?.[3]).toBe(2);
  });
});
