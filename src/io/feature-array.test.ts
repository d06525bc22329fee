import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowSize } from "../data/features.ts";
import { type ArrayOptions, featuresFromArray, layoutOf } from "./feature-array.ts";
import type { NpyData } from "./npy.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

function features(
  shape: readonly number[],
  data: NpyData,
  {
    dtype = "<f4",
    fortran = false,
    ...options
  }: ArrayOptions & { dtype?: string; fortran?: boolean } = {},
) {
  const tasks = options.tasks ?? names(shape[0]);
  return featuresFromArray({ shape, dtype, fortran, data }, { ...options, tasks }, "x.npy");
}

function all(given: ReturnType<typeof features>): number[] {
  const into = new Float32Array(given.tasks.length * rowSize(given));
  given.read(Array.from(given.tasks, (_, i) => i).reverse(), into);
  const rows = Array.from({ length: given.tasks.length }, (_, i) => [
    ...into.subarray(i * rowSize(given), (i + 1) * rowSize(given)),
  ]);
  return rows.reverse().flat();
}

describe("featuresFromArray", () => {
  it.each<[string, NpyData]>([
    ["<f4", Float32Array.of(1, -2, 3, 4)],
    ["<f8", Float64Array.of(1, -2, 3, 4)],
    ["|i1", Int8Array.of(1, -2, 3, 4)],
    ["<i2", Int16Array.of(1, -2, 3, 4)],
    ["<i4", Int32Array.of(1, -2, 3, 4)],
    ["<i8", BigInt64Array.of(1n, -2n, 3n, 4n)],
  ])("reads vectors of %s", (dtype, data) => {
    const read = features([2, 2], data, { dtype });
    expect(read.shape).toEqual([2]);
    expect(all(read)).toEqual([1, -2, 3, 4]);
    expect(read.notes).toEqual([]);
  });

  it("reads unsigned numbers, vectors of bytes as they stand", () => {
    expect(all(features([1, 2], Uint8Array.of(0, 255), { dtype: "|u1" }))).toEqual([0, 255]);
    expect(all(features([1, 1], Uint16Array.of(65_535), { dtype: "<u2" }))).toEqual([65_535]);
    expect(all(features([1, 1], Uint32Array.of(2 ** 31), { dtype: "<u4" }))).toEqual([2 ** 31]);
    expect(all(features([1, 1], BigUint64Array.of(2n ** 63n), { dtype: "<u8" }))).toEqual([
      2 ** 63,
    ]);
  });

  it("puts channels before height and width, whichever way the file has them", () => {
    // The number at [n, c, h, w] is nchw in digits.
    const first = (n: number, c: number, h: number, w: number) => 1000 * n + 100 * c + 10 * h + w;
    const shapes = { nchw: [2, 3, 4, 5], nhwc: [2, 4, 5, 3] };
    const expected: number[] = [];
    for (let n = 0; n < 2; n++)
      for (let c = 0; c < 3; c++)
        for (let h = 0; h < 4; h++) for (let w = 0; w < 5; w++) expected.push(first(n, c, h, w));
    const last: number[] = [];
    for (let n = 0; n < 2; n++)
      for (let h = 0; h < 4; h++)
        for (let w = 0; w < 5; w++) for (let c = 0; c < 3; c++) last.push(first(n, c, h, w));
    for (const [layout, data] of [
      ["nchw", expected],
      ["nhwc", last],
    ] as const) {
      const read = features(shapes[layout], Float32Array.from(data));
      expect(read.shape).toEqual([3, 4, 5]);
      expect(all(read)).toEqual(expected);
      expect(features(shapes[layout], Float32Array.from(data), { layout }).shape).toEqual([
        3, 4, 5,
      ]);
    }
  });

  it("reads any array stored column by column as the same array stored by rows", () => {
    const side = fc.integer({ min: 1, max: 4 });
    const shape = fc.oneof(
      fc.tuple(side, side),
      fc.tuple(side, side, side),
      fc.tuple(side, side, side, side),
    );
    fc.assert(
      fc.property(shape, fc.constantFrom("nchw" as const, "nhwc" as const), (shape, layout) => {
        const rows = Float32Array.from({ length: count(shape) }, (_, i) => i);
        const columns = new Float32Array(rows.length);
        for (let i = 0; i < rows.length; i++) {
          let [rest, place, step] = [i, 0, 1];
          const digits = shape.toReversed().map((size) => {
            const digit = rest % size;
            rest = Math.floor(rest / size);
            return digit;
          });
          for (const [axis, digit] of digits.reverse().entries()) {
            place += digit * step;
            step *= shape[axis];
          }
          columns[place] = rows[i];
        }
        const plain = features(shape, rows, { layout });
        expect(all(features(shape, columns, { layout, fortran: true }))).toEqual(all(plain));
      }),
    );
  });

  it("keeps images of bytes as bytes, reads them as 0 to 1, and says so", () => {
    const read = features([2, 2, 2], Uint8Array.of(0, 51, 102, 255, 1, 2, 3, 4), { dtype: "|u1" });
    expect(read.shape).toEqual([1, 2, 2]);
    expect(all(read).slice(0, 4)).toEqual([0, 0.2, 0.4, 1].map(Math.fround));
    expect(read.notes).toEqual([
      "x.npy: images of 1 channel, 2 × 2; their 0 to 255 are scaled to 0 to 1.",
    ]);
    const floats = features([1, 2, 2, 3], new Float32Array(12).fill(200));
    expect(all(floats)[0]).toBe(200);
    expect(floats.notes).toEqual([
      "x.npy: images of 3 channels, 2 × 2, channels last in the file.",
    ]);
  });

  it.each([
    [[5, 3, 8, 3], "both the second and the last axis could be the channels"],
    [[5, 1, 8, 3], "both the second and the last axis"],
    [[5, 4, 8, 2], "neither the second nor the last axis could be the channels"],
  ])("asks for the layout of %j", (shape, message) => {
    const wanted = () => layoutOf({ shape, dtype: "<f4" }, {}, "x.npy");
    expect(wanted).toThrow(message);
    expect(wanted).toThrow('layout: "nchw"');
    expect(layoutOf({ shape, dtype: "<f4" }, { layout: "nchw" }, "x").shape).toEqual(
      shape.slice(1),
    );
  });

  it("refuses a layout it does not know", () => {
    const layout = "chwn" as "nchw";
    expect(() => layoutOf({ shape: [2, 3, 4, 4], dtype: "<f4" }, { layout }, "x")).toThrow(
      'layout must be nchw or nhwc, not "chwn".',
    );
  });

  it.each([[[]], [[5]], [[1, 2, 3, 4, 5]], [[5, 0]], [[0, 5]]])("refuses the shape %j", (shape) => {
    const data = new Float32Array(shape.reduce((a: number, b) => a * b, 1));
    expect(() => features(shape, data, { tasks: [] })).toThrow(
      `x.npy: the shape is (${shape.join(", ")})`,
    );
  });

  it("says that rows have no names, and what to do", () => {
    const array = { shape: [2, 1], dtype: "<f4", data: new Float32Array(2) };
    expect(() => featuresFromArray(array, {}, "x.npy")).toThrow(
      /x\.npy: its rows have no names\..*tasks\.csv beside it.*tasks\./,
    );
  });

  it("names both files and counts where they do not match", () => {
    const wrong = { tasks: names(1000), tasksName: "tasks.csv" };
    expect(() => features([1188, 1], new Float32Array(1188), wrong)).toThrow(
      "x.npy has 1,188 rows, but tasks.csv names 1,000 tasks.",
    );
  });

  it("names the first ten tasks that come twice", () => {
    const tasks = [...names(12), ...names(12), "t3"];
    expect(() => features([25, 1], new Float32Array(25), { tasks, tasksName: "t.csv" })).toThrow(
      't.csv: 12 tasks named more than once: "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9" ' +
        "and 2 more.",
    );
  });

  it("says how many numbers are not finite, and where the first ten are", () => {
    // Several looks are needed for so many rows.
    const rows = 100_000;
    const data = new Float32Array(rows * 3);
    for (let i = 0; i < 12; i++)
      data[(i * 8000 + 1) * 3 + (i % 3)] = [Number.NaN, Infinity, -Infinity][i % 3];
    expect(() => features([rows, 3], data)).toThrow(
      'x.npy: 12 numbers are NaN, infinite, or too large for 32 bits: task "t1" (row 1, column 0), ' +
        'task "t8001" (row 8001, column 1)',
    );
    expect(() => features([rows, 3], data)).toThrow(
      'task "t72001" (row 72001, column 0) and 2 more. Rows and columns are counted from 0.',
    );
  });

  it("takes what overflows 32 bits for infinite", () => {
    const wide = Float64Array.of(1e38, 1e39);
    expect(() => features([2, 1], wide, { dtype: "<f8" })).toThrow(
      'x.npy: 1 number is NaN, infinite, or too large for 32 bits: task "t1" (row 1, column 0).',
    );
  });
});
