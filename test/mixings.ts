/**
 * Other explanations of the same labels, for tests of what tells the true one: predictions f and
 * confusions theta give f theta, and so do f Q and Q⁻¹ theta.
 */
import { Matrix } from "ml-matrix";
import type { Random } from "../src/math/random.ts";

/** Rows of probabilities, none below `floor` / K. */
export function randomRows(count: number, K: number, random: Random, floor: number): number[][] {
  return Array.from({ length: count }, () => {
    const drawn = Array.from({ length: K }, () => -Math.log(1 - random.next()));
    const total = drawn.reduce((a, b) => a + b);
    return drawn.map((x) => floor / K + ((1 - floor) * x) / total);
  });
}

/** Matrices near the identity whose rows are probabilities. */
export function* mixings(count: number, K: number, random: Random): Iterable<Matrix> {
  for (let i = 0; i < count; i++) {
    const size = 0.5 * random.next();
    const rows = Array.from({ length: K }, (_, k) => {
      const row = Array.from({ length: K }, (_, l) => (k === l ? 1 : 0) + size * random.next());
      const total = row.reduce((a, b) => a + b);
      return row.map((x) => x / total);
    });
    yield new Matrix(rows);
  }
}
