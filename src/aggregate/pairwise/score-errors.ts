/**
 * Standard errors of scores that are centred within each part: the diagonal of C · information⁻¹ · C, C centring.
 *
 * Exact up to a number of items, by the inverse of the Cholesky factor. Beyond, by random vectors z of signs: the mean of
 * z · (A z) is the diagonal of A. What is drawn is only how A differs from D⁻¹ + D⁻¹ W D⁻¹, whose diagonal is known, for an
 * information D - W; where items have many opponents, that is little. Vectors are drawn until the errors are known well.
 *
 * Bekas, Kokiopoulou & Saad (2007), Applied Numerical Mathematics 57(11–12), 1214–1229.
 * https://doi.org/10.1016/j.apnum.2007.01.003
 */
import { mix } from "../../data/content-hash.ts";
import { type EdgeMatrix, timesEdges } from "../../math/laplacian.ts";
import { inverseLower } from "../../math/matrix.ts";
import type { Steps } from "../../method.ts";
import { itemKeys } from "./item-keys.ts";
import { centre } from "./pairs.ts";
import type { Fit } from "./score-fit.ts";
import { type Sparse, type System, solveSparse, takeMean } from "./score-system.ts";

/** Items of a part up to which its errors are exact. */
export const MOST_EXACT = 2000;

/** Relative error of a standard error at which no more vectors are drawn, as a root of the mean square over the items. */
const CLOSE = 0.005;

/** Vectors drawn at least, to know how far they are apart. */
const FEWEST = 8;

/** Work after which no more vectors are drawn: edges seen. */
const MOST_WORK = 1e10;

/** Square roots of the diagonal; NaN for items without comparisons and in parts that are not asked for. */
export function* centredErrors(
  fit: Fit,
  { blocks, sides, corner }: System,
  n: number,
  asked: (part: number) => boolean = () => true,
): Steps<{ sd: Float64Array; notes: string[] }> {
  const { parts } = fit;
  const sd = new Float64Array(n).fill(Number.NaN);
  const notes: string[] = [];
  const shifts = sides.map((side) => side.slice());
  for (const shift of shifts) centre(shift, parts);
  for (const [c, part] of parts.entries()) {
    if (!asked(c)) continue;
    const block = blocks[c];
    let variances: Float64Array;
    if ("lower" in block) variances = exactVariances(block.lower, part.length);
    else {
      const drawn = yield* drawnVariances(block.sparse, itemKeys(fit, c));
      variances = drawn.variances;
      notes.push(
        `Standard errors of ${part.length} items are drawn with ${drawn.vectors} random vectors: ` +
          `off by about ${(100 * drawn.error).toPrecision(2)} %.`,
      );
    }
    part.forEach((item, i) => {
      let variance = variances[i];
      corner.forEach((row, k) => {
        row.forEach((value, l) => {
          variance += shifts[k][item] * value * shifts[l][item];
        });
      });
      sd[item] = Math.sqrt(variance);
    });
  }
  return { sd, notes };
}

/** |L⁻¹ (e - 1/n)|² for each unit vector e. */
function exactVariances(lower: Float64Array, n: number): Float64Array {
  const inverse = inverseLower(lower, n);
  const variances = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const row = inverse.subarray(k * n, (k + 1) * n);
    const mean = row.reduce((sum, x) => sum + x, 0) / n;
    for (let i = 0; i < n; i++) variances[i] += (row[i] - mean) ** 2;
  }
  return variances;
}

/** The same by random vectors: how many, and how far off a standard error is about. */
function* drawnVariances(
  sparse: Sparse,
  keys: Uint32Array,
): Steps<{ variances: Float64Array; vectors: number; error: number }> {
  const { matrix } = sparse;
  const { n, second } = matrix.edges;
  const known = nearDiagonal(matrix);
  const [sum, squares] = [new Float64Array(n), new Float64Array(n)];
  let [work, vectors, error] = [0, 0, Infinity];
  while (vectors < FEWEST || (error > CLOSE && work < MOST_WORK)) {
    const z = Float64Array.from(keys, (key) => (mix(key, vectors) & 1 ? 1 : -1));
    const solution = z.slice();
    takeMean(solution);
    const near = nearTimes(matrix, solution);
    const steps = solveSparse(sparse, solution);
    for (let i = 0; i < n; i++) {
      const rest = z[i] * (solution[i] - near[i]);
      sum[i] += rest;
      squares[i] += rest * rest;
    }
    vectors++;
    work += (steps + 1) * second.length;
    error = relativeError(known, sum, squares, vectors);
    yield { iteration: vectors, objective: 0, stage: `standard errors, vector ${vectors}` };
  }
  const variances = known.map((each, i) => Math.max(0, each + sum[i] / vectors));
  return { variances, vectors, error };
}

/** Root of the mean square over all items of the relative error of a standard error: half that of the variance. */
function relativeError(
  known: Float64Array,
  sum: Float64Array,
  squares: Float64Array,
  vectors: number,
): number {
  let all = 0;
  for (let i = 0; i < known.length; i++) {
    const mean = sum[i] / vectors;
    const spread = Math.max(0, squares[i] / vectors - mean * mean) / Math.max(1, vectors - 1);
    all += spread / (known[i] + mean) ** 2;
  }
  return Math.sqrt(all / known.length) / 2;
}

/** C (D⁻¹ + D⁻¹ W D⁻¹) x for an x of mean 0. */
function nearTimes(matrix: EdgeMatrix, x: Float64Array): Float64Array {
  const near = nearRaw(matrix, x);
  takeMean(near);
  return near;
}

/** (D⁻¹ + D⁻¹ W D⁻¹) x. */
function nearRaw(matrix: EdgeMatrix, x: Float64Array): Float64Array {
  const { diagonal } = matrix;
  const scaled = x.map((y, i) => y / diagonal[i]);
  const product = new Float64Array(x.length);
  timesEdges(matrix, scaled, product);
  return product.map((y, i) => (2 * x[i] - y) / diagonal[i]);
}

/** The diagonal of C (D⁻¹ + D⁻¹ W D⁻¹) C. */
function nearDiagonal(matrix: EdgeMatrix): Float64Array {
  const { diagonal } = matrix;
  const n = diagonal.length;
  const ofOnes = nearRaw(matrix, new Float64Array(n).fill(1));
  const all = ofOnes.reduce((sum, x) => sum + x, 0) / n;
  return diagonal.map((d, i) => 1 / d + (all - 2 * ofOnes[i]) / n);
}
