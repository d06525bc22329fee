import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CrowdError } from "../error.ts";
import { goldFromIdx, isIdx, readIdx } from "./idx.ts";

/** An IDX file of this kind and shape, with these bytes. */
function file(kind: number, shape: readonly number[], data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4 + shape.length * 4 + data.length);
  bytes.set([0, 0, kind, shape.length]);
  const view = new DataView(bytes.buffer);
  for (const [i, size] of shape.entries()) view.setUint32(4 + i * 4, size);
  bytes.set(data, 4 + shape.length * 4);
  return bytes;
}

describe("readIdx", () => {
  it.each<[number, string, number, (view: DataView, at: number, value: number) => void, number[]]>([
    [0x08, "|u1", 1, (view, at, value) => view.setUint8(at, value), [0, 255]],
    [0x09, "|i1", 1, (view, at, value) => view.setInt8(at, value), [-128, 127]],
    [0x0b, ">i2", 2, (view, at, value) => view.setInt16(at, value), [-300, 300]],
    [0x0c, ">i4", 4, (view, at, value) => view.setInt32(at, value), [-(2 ** 31), 7]],
    [0x0d, ">f4", 4, (view, at, value) => view.setFloat32(at, value), [0.5, -1e30]],
    [0x0e, ">f8", 8, (view, at, value) => view.setFloat64(at, value), [0.1, 1e300]],
  ])("reads numbers of kind %i", (kind, dtype, width, set, values) => {
    const data = new Uint8Array(2 * width);
    for (const [i, value] of values.entries()) set(new DataView(data.buffer), i * width, value);
    const array = readIdx(file(kind, [2, 1], data));
    expect(array.dtype).toBe(dtype);
    expect(array.shape).toEqual([2, 1]);
    const narrow = kind === 0x0d ? Math.fround : (value: number) => value;
    expect(Array.from(array.data as Float64Array)).toEqual(values.map(narrow));
  });

  it("reads back bytes of any shape", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
        (shape) => {
          const data = Uint8Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => i * 37);
          const array = readIdx(file(8, shape, data));
          expect([array.shape, array.data]).toEqual([shape, data]);
        },
      ),
    );
  });

  it("says what is wrong", () => {
    expect(() => readIdx(Uint8Array.of(1, 2, 3, 4), "x.idx")).toThrow(
      "x.idx: this is not an IDX file.",
    );
    expect(() => readIdx(Uint8Array.of(0, 0, 8, 3, 0))).toThrow("the header is cut off");
    expect(() => readIdx(file(8, [2, 3], new Uint8Array(5)), "x.idx")).toThrow(
      "x.idx: the shape (2, 3) takes 6 bytes, but there are 5.",
    );
    expect(() => readIdx(file(8, [2, 3], new Uint8Array(7)))).toThrow("but there are 7");
    // Sizes that no memory could hold are refused before any is taken.
    expect(() =>
      readIdx(file(14, [2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1], new Uint8Array(9))),
    ).toThrow("but there are 9");
  });

  it("either reads or refuses what was damaged or cut", () => {
    const valid = file(12, [3, 2], new Uint8Array(24));
    fc.assert(
      fc.property(fc.nat(valid.length), fc.nat(15), fc.nat(255), (length, at, byte) => {
        const bytes = valid.slice(0, length);
        bytes[at] = byte;
        expect(isIdx(bytes)).toBeTypeOf("boolean");
        try {
          const { shape, data } = readIdx(bytes);
          expect(data).toHaveLength(shape.reduce((a, b) => a * b));
        } catch (error) {
          if (!(error instanceof CrowdError)) throw error;
        }
      }),
    );
  });
});

describe("goldFromIdx", () => {
  const labels = file(8, [3], Uint8Array.of(7, 0, 9));

  it("names tasks by their place, or as given", () => {
    expect(goldFromIdx(labels).gold).toEqual([
      ["0", "7"],
      ["1", "0"],
      ["2", "9"],
    ]);
    expect(goldFromIdx(labels, "l", ["a", "b", "c"]).gold[2]).toEqual(["c", "9"]);
  });

  it("refuses images, and another number of tasks", () => {
    expect(() => goldFromIdx(file(8, [1, 2], new Uint8Array(2)), "x")).toThrow(
      "x: labels are one number per task, but the shape is (1, 2).",
    );
    expect(() => goldFromIdx(labels, "x", ["a"])).toThrow(
      "x has 3 labels, but the data has 1 task.",
    );
  });
});
