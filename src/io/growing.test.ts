import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGrowingCodes, createGrowingNumbers, createGrowingRows } from "./growing.ts";

describe("createGrowingCodes", () => {
  it("gives back what was pushed, across blocks and widths", () => {
    const codes = createGrowingCodes();
    const expected: number[] = [];
    for (let i = 0; i < 200_000; i++) {
      const code = i < 70_000 ? i % 256 : i < 140_000 ? i % 65_536 : i * 1000;
      expected.push(code);
      codes.push(code);
    }
    expect(codes.join()).toEqual(Int32Array.from(expected));
    expect(codes.join()).toHaveLength(0);
  });

  it("widens in the middle of a block", () => {
    const list = fc.array(fc.oneof(fc.nat(255), fc.nat(65_535), fc.nat(2 ** 31 - 1)));
    fc.assert(
      fc.property(list, (list) => {
        const codes = createGrowingCodes();
        for (const code of list) codes.push(code);
        expect([...codes.join()]).toEqual(list);
      }),
    );
  });
});

describe("createGrowingNumbers", () => {
  it("knows the rows that were set, and no others", () => {
    const numbers = createGrowingNumbers(1);
    expect(numbers.used).toBe(false);
    numbers.set(150_000, 2.5);
    numbers.set(3, 7);
    const column = numbers.join(200_000);
    expect(column.reduce((a, b) => a + b)).toBe(200_000 - 2 + 9.5);
    expect([column[3], column[150_000]]).toEqual([7, 2.5]);
  });
});

describe("createGrowingRows", () => {
  it.each([1, 7, 65_536, 100_000])("gives back rows of %i numbers, across blocks", (width) => {
    const rows = createGrowingRows(width);
    expect(rows.join()).toHaveLength(0);
    const count = Math.ceil(200_000 / width) + 1;
    const row = new Float32Array(width);
    for (let i = 0; i < count; i++) rows.push(row.fill(i));
    const all = rows.join();
    expect(all).toHaveLength(count * width);
    expect(all.every((value, at) => value === Math.floor(at / width))).toBe(true);
    expect(rows.byteLength()).toBe(0);
  });
});
