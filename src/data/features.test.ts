import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromMatrix, rowSize, rowsOfTasks } from "./features.ts";
import { fromRows } from "./from-rows.ts";

const read = (features: ReturnType<typeof fromMatrix>, rows: readonly number[]) => {
  const into = new Float32Array(rows.length * rowSize(features));
  features.read(rows, into);
  return [...into];
};

describe("fromMatrix", () => {
  it.each([
    Float32Array.of(1, 2, 3, 4, 5, 6),
    Float64Array.of(1, 2, 3, 4, 5, 6),
    Uint8Array.of(1, 2, 3, 4, 5, 6),
  ])("reads rows in any order, and again, %#", (matrix) => {
    const features = fromMatrix(["a", "b", "c"], [2], matrix);
    expect(read(features, [2, 0, 2])).toEqual([5, 6, 1, 2, 5, 6]);
    expect(read(features, [])).toEqual([]);
    expect(features.scale).toBeUndefined();
  });

  it("reads any rows of any matrix", () => {
    const numbers = fc.float32Array({ minLength: 12, maxLength: 12, noNaN: true });
    fc.assert(
      fc.property(numbers, fc.array(fc.nat(3)), (matrix, rows) => {
        const features = fromMatrix(["a", "b", "c", "d"], [3], matrix);
        expect(read(features, rows)).toEqual(
          rows.flatMap((row) => [...matrix.subarray(row * 3, row * 3 + 3)]),
        );
      }),
    );
  });

  it("scales bytes to 0 to 1, each to the nearest float", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const features = fromMatrix(["a"], [1, 16, 16], bytes, 1 / 255);
    expect(features.scale).toBe(1 / 255);
    expect(read(features, [0])).toEqual(Array.from(bytes, (byte) => Math.fround(byte / 255)));
  });

  it("refuses a matrix of another size", () => {
    expect(() => fromMatrix(["a", "b"], [3], new Float32Array(5))).toThrow(
      "Features of 2 tasks with 3 numbers each are 6 numbers, not 5.",
    );
  });

  it.each([-1, 3, 0.5, Number.NaN])("refuses row %s", (row) => {
    const features = fromMatrix(["a", "b", "c"], [1], Float32Array.of(1, 2, 3));
    expect(() => features.read([row], new Float32Array(1))).toThrow(`there is no row ${row}`);
  });

  it("refuses to write past the end", () => {
    const features = fromMatrix(["a"], [2], Float32Array.of(1, 2));
    expect(() => features.read([0, 0], new Float32Array(3))).toThrow(
      "2 rows of 2 numbers do not fit into an array of 3.",
    );
  });
});

describe("rowsOfTasks", () => {
  const data = (count: number) =>
    fromRows(Array.from({ length: count }, (_, i) => ({ task: `t${i}`, worker: "w", label: "x" })));

  it("finds the row of each task by its name", () => {
    const features = fromMatrix(["z", "t1", "t0"], [1], Float32Array.of(0, 1, 2));
    expect([...rowsOfTasks(data(2), features)]).toEqual([2, 1]);
  });

  it("names the first ten tasks that have none", () => {
    const features = fromMatrix(["t1"], [1], Float32Array.of(0));
    expect(() => rowsOfTasks(data(13), features)).toThrow(
      "12 of 13 labelled tasks have no features: t0, t2, t3, t4, t5, t6, t7, t8, t9, t10, …. Give",
    );
  });
});
