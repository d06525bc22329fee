/** Standard errors of scores whose judges were maximised over: from an information matrix that allows for them. */
import { cholesky, solveCholesky } from "../../math/matrix.ts";
import { centre, type Part } from "./pairs.ts";

/** Items up to which such errors are computed. */
export const MOST_ERRORS = 2000;

/** Square roots of the diagonal of C S⁻¹ C; stays NaN where S has no inverse. */
export function centredDiagonal(S: Float64Array, n: number, parts: readonly Part[]): Float64Array {
  const sd = new Float64Array(n).fill(Number.NaN);
  const lower = cholesky(S, n);
  if (!lower) return sd;
  const column = new Float64Array(n);
  for (const part of parts) {
    for (const item of part) {
      column.fill(0);
      for (const other of part) column[other] = -1 / part.length;
      column[item] += 1;
      solveCholesky(lower, column, n);
      centre(column, [part]);
      sd[item] = Math.sqrt(Math.max(0, column[item]));
    }
  }
  return sd;
}
