import fc from "fast-check";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { readDamaged } from "../../test/damage.ts";
import { rowSize } from "../data/features.ts";
import { CrowdError } from "../error.ts";
import { type FeatureOptions, featuresFromBytes } from "./features.ts";
import { writeNpy } from "./npy.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);

async function read(name: string, bytes: Uint8Array, options: FeatureOptions = {}) {
  const features = await featuresFromBytes({ name, bytes }, options);
  const numbers = new Float32Array(features.tasks.length * rowSize(features));
  features.read(Array.from([...features.tasks].keys()), numbers);
  return { ...features, tasks: [...features.tasks], numbers: [...numbers] };
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

const idx = Uint8Array.of(0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 255, 51, 0);
const text = (content: string) => new TextEncoder().encode(content);

describe("featuresFromBytes", () => {
  it("knows arrays and tables by their bytes, packed or not", async () => {
    const array = writeNpy([2, 1], Float32Array.of(1, 2));
    for (const bytes of [array, await gzip(array)]) {
      expect(await read("x", bytes, { tasks: ["a", "b"] })).toMatchObject({
        tasks: ["a", "b"],
        shape: [1],
        numbers: [1, 2],
      });
    }
    expect((await read("x.csv.gz", await gzip(text("task,a\nx,5\n")))).numbers).toEqual([5]);
    expect((await read("x.tsv", text("task\ta\nx\t5\n"))).numbers).toEqual([5]);
    // It has the looks of a matrix of labels, with a worker per column.
    expect((await read("x.csv", text("task,ana,bob\nx,1,0\ny,0,1\n"))).numbers).toEqual([
      1, 0, 0, 1,
    ]);
  });

  it("numbers the tasks of IDX files, unless they have names", async () => {
    const { tasks, shape, numbers, notes } = await read("i.idx", idx);
    expect([tasks, shape, numbers]).toEqual([
      ["0", "1"],
      [1, 1, 2],
      [0, 1, 0.2, 0].map(Math.fround),
    ]);
    expect(notes).toEqual([
      "i.idx: images of 1 channel, 1 × 2; their 0 to 255 are scaled to 0 to 1.",
      "i.idx: tasks are numbered from 0.",
    ]);
    expect([...(await read("i.idx", idx, { tasks: ["a", "b"] })).tasks]).toEqual(["a", "b"]);
    await expect(read("i.idx", idx, { tasks: ["a"] })).rejects.toThrow("i.idx has 2 rows");
  });

  it("says what it understood", async () => {
    const said: string[] = [];
    const onUnderstood = (line: string) => said.push(line);
    await read("x.npy", writeNpy([1, 2], Float32Array.of(1, 2)), { tasks: ["a"], onUnderstood });
    await read("i.idx", idx, { onUnderstood });
    expect(said).toEqual([
      "x.npy: NumPy array of f4, shape (1, 2); 1 row",
      "i.idx: IDX of u1, shape (2, 1, 2); 2 rows",
    ]);
  });

  it.each([
    ["x.npy", new Uint8Array(0), "x.npy is empty."],
    ["x.gz", Uint8Array.of(0x1f, 0x8b, 8, 0, 1), "x.gz: the gzip file is cut off or damaged."],
    ["x.json", text("[[1,2]]"), "JSON list"],
    ["x.npy", writeNpy([2, 1], Float32Array.of(1, Number.NaN)), 'task "b" (row 1, column 0)'],
    // Four billion rows of nothing.
    ["x.idx", Uint8Array.of(0, 0, 8, 2, 255, 255, 255, 255, 0, 0, 0, 0), "there is nothing in it"],
  ])("says what is wrong with %s, %#", async (name, bytes, message) => {
    await expect(read(name, bytes, { tasks: ["a", "b"] })).rejects.toMatchObject({
      code: "bad-data",
      message: expect.stringContaining(message),
    });
    if (name === "x.idx") await expect(read(name, bytes)).rejects.toThrow(message);
  });

  it("either reads or refuses arrays that were damaged or cut", async () => {
    const valid = writeNpy(
      [4, 3],
      Float32Array.from({ length: 12 }, (_, i) => i),
    );
    const header = 80;
    const change = fc.tuple(fc.nat(header), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 3 }),
        fc.nat(valid.length),
        async (changes, cut) => {
          const bytes = valid.slice();
          for (const [at, byte] of changes) bytes[at] = byte;
          for (const some of [bytes, bytes.subarray(0, cut)]) {
            try {
              const { tasks, shape, numbers } = await read("x.npy", some, { tasks: names(4) });
              expect(numbers).toHaveLength(tasks.length * rowSize({ shape }));
            } catch (error) {
              if (!(error instanceof CrowdError)) throw error;
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("features in Parquet", () => {
  const task = (count: number): ColumnSource => ({
    name: "task",
    data: names(count),
    type: "STRING",
  });
  const bytesOf = (columnData: ColumnSource[], options = {}) =>
    new Uint8Array(parquetWriteBuffer({ columnData, ...options }));

  it("reads a column a feature, of several kinds", async () => {
    const { tasks, numbers } = await read(
      "x.parquet",
      bytesOf([
        { name: "a", data: [0.1, -2], type: "FLOAT" },
        task(2),
        { name: "b", data: [1e-3, 7], type: "DOUBLE" },
        { name: "c", data: [5, 6], type: "INT32" },
        { name: "d", data: [8n, 9n], type: "INT64" },
      ]),
    );
    expect([...tasks]).toEqual(["t0", "t1"]);
    expect(numbers).toEqual([0.1, 1e-3, 5, 8, -2, 7, 6, 9].map(Math.fround));
  });

  it.each([Number.NaN, null])("refuses %s", async (value) => {
    const bytes = bytesOf([
      task(2),
      { name: "a", data: [1, value], type: "DOUBLE", nullable: true },
    ]);
    await expect(read("x.parquet", bytes)).rejects.toThrow(
      'x.parquet:2: "a" is empty or NaN, not a number.',
    );
  });

  it("refuses infinity and text", async () => {
    const endless = bytesOf([task(1), { name: "a", data: [-Infinity], type: "DOUBLE" }]);
    await expect(read("x.parquet", endless)).rejects.toThrow('x.parquet:1: "a" is -Infinity');
    const words = bytesOf([task(1), { name: "a", data: ["no"], type: "STRING" }]);
    await expect(read("x.parquet", words)).rejects.toThrow(
      'x.parquet:1: "a" is "no", not a number.',
    );
  });

  /** A column of lists, as pandas and DuckDB write it. */
  function lists(
    data: (readonly (number | bigint | null)[] | null)[],
    type: "FLOAT" | "DOUBLE" | "INT64" = "FLOAT",
    options = {},
  ): Uint8Array {
    return bytesOf(
      [
        { name: "task", data: names(data.length) },
        { name: "v", data },
      ],
      {
        ...options,
        schema: [
          { name: "root", num_children: 2 },
          { name: "task", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
          { name: "v", converted_type: "LIST", num_children: 1, repetition_type: "OPTIONAL" },
          { name: "list", repetition_type: "REPEATED", num_children: 1 },
          { name: "element", type, repetition_type: "OPTIONAL" },
        ],
      },
    );
  }

  it("reads a column of lists", async () => {
    const floats = await read(
      "x.parquet",
      lists([
        [0.5, 1],
        [2, 3],
        [4, 5],
      ]),
    );
    expect([floats.shape, floats.numbers]).toEqual([[2], [0.5, 1, 2, 3, 4, 5]]);
    const whole = await read("x.parquet", lists([[1n], [2n]], "INT64"));
    expect(whole.numbers).toEqual([1, 2]);
  });

  it("reads lists over many pages and row groups", async () => {
    const rows = Array.from({ length: 500 }, (_, t) =>
      Array.from({ length: 40 }, (_, j) => t + j / 64),
    );
    for (const options of [{ codec: "UNCOMPRESSED" }, { rowGroupSize: 70, pageSize: 900 }]) {
      const { shape, numbers } = await read("x.parquet", lists(rows, "DOUBLE", options));
      expect(shape).toEqual([40]);
      expect(numbers).toEqual(rows.flat());
    }
  });

  it.each<[Parameters<typeof lists>[0], string]>([
    [[[1, 2], [3]], "x.parquet:2: the row has 1 numbers, but the first row has 2."],
    [
      [
        [1, 2],
        [3, null],
      ],
      'x.parquet:2: "v", number 1, is empty or NaN',
    ],
    [
      [
        [1, 2],
        [3, Number.NaN],
      ],
      'x.parquet:2: "v", number 1, is NaN',
    ],
    [[[1, 2], null], "x.parquet:2:"],
    [[[1, 2], []], "x.parquet:2: the row has no numbers."],
    [[[], [1, 2]], "x.parquet:1: the row has no numbers."],
    [[null, [1, 2]], 'x.parquet:1: "v" is empty or NaN, not a number.'],
  ])("refuses the lists %j", async (data, message) => {
    await expect(read("x.parquet", lists(data))).rejects.toThrow(message);
  });

  it("survives any damage to a column of lists", async () => {
    const rows = Array.from({ length: 60 }, (_, t) => [t, t % 3, (t % 4) / 4]);
    for (const codec of ["UNCOMPRESSED", "SNAPPY"] as const) {
      const valid = lists(rows, "FLOAT", { codec, pageSize: 300 });
      expect((await read("x.parquet", valid)).numbers).toEqual(rows.flat());
      await readDamaged(valid, (bytes) => read("x.parquet", bytes), { changes: 3, numRuns: 300 });
    }
  });

  it("comes to an end whichever byte is damaged, counts below zero among them", async () => {
    const valid = lists([[1], [2]]);
    for (let at = 0; at < valid.length; at++) {
      for (const byte of [1, 2]) {
        const bytes = valid.slice();
        bytes[at] = byte;
        await read("x.parquet", bytes).catch((error) => expect(error).toBeInstanceOf(CrowdError));
      }
    }
  });
});
