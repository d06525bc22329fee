import { describe, expect, it } from "vitest";
import { normal } from "../../../math/distributions.ts";
import { singularValues, svd } from "../../../math/matrix.ts";
import { createRandom } from "../../../math/random.ts";
import { largestSingular, type Sizes, shrink } from "./low-rank.ts";

const sizes: Sizes = [4, 5, 3];
const random = createRandom(1);
const table = Float64Array.from({ length: 60 }, () => normal(random));

/** The unfolding by its definition, and where each of its cells stands in the table. */
function unfolded(side: 0 | 1 | 2) {
  const rows = sizes[side];
  const places: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let at = 0; at < 60; at++) {
      const index = [Math.floor(at / 15), Math.floor(at / 3) % 5, at % 3];
      if (index[side] === row) places.push(at);
    }
  }
  return { rows, places, matrix: Float64Array.from(places, (at) => table[at]) };
}

describe.each([0, 1, 2] as const)("side %i", (side) => {
  const { rows, places, matrix } = unfolded(side);
  const columns = 60 / rows;

  it("lowers the singular values of the unfolding and keeps its vectors", () => {
    const { u, values, v } = svd(matrix, rows, columns);
    // Between the last two, so that one singular value vanishes.
    const amount = ((values.at(-1) ?? 0) + (values.at(-2) ?? 0)) / 2;
    const left = values.map((value) => Math.max(0, value - amount));
    const { shrunk, nuclear } = shrink(table, sizes, side, amount);
    expect(nuclear).toBeCloseTo(
      left.reduce((sum, value) => sum + value, 0),
      9,
    );
    places.forEach((at, cell) => {
      const [i, j] = [Math.floor(cell / columns), cell % columns];
      let expected = 0;
      for (let s = 0; s < left.length; s++) {
        expected += left[s] * u[i * left.length + s] * v[j * left.length + s];
      }
      expect(shrunk[at]).toBeCloseTo(expected, 9);
    });
  });

  it("knows the largest singular value", () => {
    const positive = matrix.map(Math.abs);
    const whole = new Float64Array(60);
    places.forEach((at, cell) => {
      whole[at] = positive[cell];
    });
    const [largest] = singularValues(positive, rows, columns);
    expect(largestSingular(whole, sizes, side)).toBeCloseTo(largest, 6);
  });
});
