import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromRows } from "../data/from-rows.ts";
import { type NpyData, npy, readNpy, readNpyHeader, writeNpy } from "./npy.ts";
import { createLabelReader, type ReaderOptions } from "./read.ts";

/** A .npy file written by hand. */
function file(version: number, header: string, data: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(header);
  const prefix = version === 1 ? 10 : 12;
  const bytes = new Uint8Array(prefix + text.length + data.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0]);
  const view = new DataView(bytes.buffer);
  if (version === 1) view.setUint16(8, text.length, true);
  else view.setUint32(8, text.length, true);
  bytes.set(text, prefix);
  bytes.set(data, prefix + text.length);
  return bytes;
}

async function read(bytes: Uint8Array, options: ReaderOptions = {}) {
  const reader = createLabelReader(options);
  const labels = reader.open("labels.npy", npy);
  labels.push(bytes.subarray(0, 50));
  labels.push(bytes.subarray(50));
  await labels.finish();
  return reader.finish();
}

const header = (dtype: string, shape: string, fortran = "False") =>
  `{'descr': '${dtype}', 'fortran_order': ${fortran}, 'shape': (${shape}), }\n`;

describe("readNpy", () => {
  it.each([
    Int8Array.of(-1, 2),
    Uint8Array.of(1, 255),
    Int16Array.of(-300, 300),
    Uint16Array.of(1, 65_535),
    Int32Array.of(-1, 2 ** 31 - 1),
    Uint32Array.of(1, 2 ** 32 - 1),
    BigInt64Array.of(-1n, 2n ** 62n),
    BigUint64Array.of(1n, 2n ** 63n),
    Float32Array.of(0.5, -1),
    Float64Array.of(0.1, Number.MAX_VALUE),
  ] satisfies NpyData[])("reads back what writeNpy wrote, %#", (data) => {
    const bytes = writeNpy([2, 1], data);
    const array = readNpy(bytes);
    expect(array.data).toEqual(data);
    expect(array.shape).toEqual([2, 1]);
    expect(array.fortran).toBe(false);
    expect(readNpyHeader(bytes).offset % 64).toBe(0);
  });

  it.each([1, 2, 3])("reads version %i, aligned or not", (version) => {
    const bytes = file(
      version,
      header("<i4", "3,"),
      Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0),
    );
    expect(readNpy(bytes).data).toEqual(Int32Array.of(1, 2, 3));
    expect(readNpy(bytes).shape).toEqual([3]);
  });

  it("reads numbers with the high byte first", () => {
    const bytes = file(1, header(">f8", "1,"), Uint8Array.of(0x3f, 0xf8, 0, 0, 0, 0, 0, 0));
    expect([...(readNpy(bytes).data as Float64Array)]).toEqual([1.5]);
    expect(bytes.at(-8)).toBe(0x3f);
  });

  it("widens float16, down to the smallest and up to infinity", () => {
    const bits = Uint16Array.of(
      0x3c00,
      0xc000,
      0x7bff,
      0x0001,
      0x0400,
      0x7c00,
      0x7e00,
      0x8000,
      0x3555,
    );
    const bytes = file(1, header("<f2", "9,"), new Uint8Array(bits.buffer));
    expect([...(readNpy(bytes).data as Float32Array)]).toEqual([
      1,
      -2,
      65_504,
      2 ** -24,
      2 ** -14,
      Number.POSITIVE_INFINITY,
      Number.NaN,
      -0,
      0.333251953125,
    ]);
  });

  it("says what it cannot read", () => {
    expect(() => readNpy(Uint8Array.of(1, 2, 3), "x.npy")).toThrow(
      "x.npy: this is not a NumPy array",
    );
    expect(() => readNpy(file(9, "", new Uint8Array(0)))).toThrow("NPY version 9");
    expect(() => readNpy(file(1, header("|O", "1,"), new Uint8Array(8)))).toThrow(
      'an array of "|O"',
    );
    expect(() => readNpy(file(1, header("<U3", "1,"), new Uint8Array(12)))).toThrow(
      'an array of "<U3"',
    );
    expect(() => readNpy(file(1, "{'descr': [('a', '<i4')]}", new Uint8Array(0)))).toThrow(
      "Records and objects",
    );
    expect(() => readNpy(file(1, header("<f4", "3, 2"), new Uint8Array(8)))).toThrow(
      "the file is cut off: the shape (3, 2) of <f4 takes 24 bytes, but there are 8.",
    );
    expect(() =>
      readNpy(file(1, header("<f4", "99999999999, 99999999"), new Uint8Array(8))),
    ).toThrow("too large");
  });
});

describe("npy as labels", () => {
  it("takes each row for task, worker and label, rows first or columns first", async () => {
    const rows = await read(writeNpy([2, 3], Int32Array.of(7, 1, 0, 8, 1, 1)));
    const columns = file(1, header("|i1", "2, 3", "True"), Uint8Array.of(7, 8, 1, 1, 0, 1));
    for (const data of [rows, await read(columns)]) {
      expect([data.tasks, data.workers, data.classes].map((names) => [...names])).toEqual([
        ["7", "8"],
        ["1"],
        ["0", "1"],
      ]);
      expect([...data.label]).toEqual([0, 1]);
    }
  });

  it("takes its columns by number when told", async () => {
    const data = await read(writeNpy([1, 3], Int32Array.of(0, 9, 5)), {
      columns: { task: "3", worker: "2", label: "1" },
    });
    expect([data.tasks, data.workers, data.classes].map((names) => [...names])).toEqual([
      ["5"],
      ["9"],
      ["0"],
    ]);
  });

  it("keeps numbers of 64 bits exact", async () => {
    const data = await read(writeNpy([1, 3], BigInt64Array.of(2n ** 62n + 1n, -5n, 0n)));
    expect([...data.tasks]).toEqual(["4611686018427387905"]);
  });

  it.each([
    [[6], Int32Array.of(1, 2, 3, 4, 5, 6)],
    [[3, 2], Int32Array.of(1, 2, 3, 4, 5, 6)],
    [[2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)],
  ] as const)("refuses another shape or kind, %#", async (shape, data) => {
    await expect(read(writeNpy(shape, data))).rejects.toThrow(
      "labels should be whole numbers of shape (N, 3)",
    );
  });

  it("writes only what it can hold", () => {
    const data = fromRows([{ task: "007", worker: "1", label: "1" }]);
    expect(() => npy.write(data)).toThrow('"007" is not one');
  });

  it("reads back any whole numbers", async () => {
    const number = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map(String);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(number, number, fc.nat(3)), { minLength: 1, maxLength: 20 }),
        async (list) => {
          const data = fromRows(
            list.map(([task, worker, label]) => ({ task, worker, label: String(label) })),
            { repeats: "all" },
          );
          const [bytes] = npy.write(data) as [Uint8Array];
          expect(await read(bytes, { repeats: "all" })).toEqual(data);
        },
      ),
      { numRuns: 30 },
    );
  });
});
