/**
 * Confusions as matrices, one per worker, in either of the two ways they are written.
 *
 *   rows "true"     matrix[class][label] = P(label | class): rows sum to one, as everywhere here
 *   rows "given"    matrix[label][class]: columns sum to one, as in Crowd-Kit and many papers
 *
 * A matrix with equal rows, or columns in the other way, is that of a worker whose labels tell nothing.
 */
import { CrowdError } from "../../error.ts";

/** Size of confusion matrices and what their rows stand for: the true class or the given label. */
export interface MatrixShape {
  readonly classes: number;
  /** What workers may say; the classes, and one more where abstentions are modelled. */
  readonly given?: number;
  readonly rows: "true" | "given";
}

/** Turns the flat confusions of a result into one matrix per worker. */
export function toMatrices(
  confusion: Float64Array,
  { classes: K, given: L = K, rows }: MatrixShape,
): number[][][] {
  if (K * L === 0 || confusion.length % (K * L) !== 0) {
    throw new CrowdError(
      "bad-option",
      `${confusion.length} numbers are no matrices of ${K} classes and ${L} labels.`,
    );
  }
  const [across, down] = rows === "true" ? [K, L] : [L, K];
  return Array.from({ length: confusion.length / (K * L) }, (_, w) =>
    Array.from({ length: across }, (__, i) =>
      Array.from({ length: down }, (___, j) => {
        const [k, l] = rows === "true" ? [i, j] : [j, i];
        return confusion[(w * K + k) * L + l];
      }),
    ),
  );
}

/** The other way round: confusion[(worker * K + class) * L + label]. */
export function fromMatrices(
  matrices: readonly (readonly (readonly number[])[])[],
  { classes: K, given: L = K, rows }: MatrixShape,
): Float64Array {
  const [across, down] = rows === "true" ? [K, L] : [L, K];
  const confusion = new Float64Array(matrices.length * K * L);
  for (const [w, matrix] of matrices.entries()) {
    const jagged = matrix.findIndex((row) => row.length !== down);
    if (matrix.length !== across || jagged >= 0) {
      const found =
        jagged >= 0 ? `row ${jagged} has ${matrix[jagged].length}` : `it has ${matrix.length} rows`;
      throw new CrowdError(
        "bad-option",
        `Matrix ${w} must have ${across} rows of ${down} numbers; ${found}.`,
      );
    }
    for (const [i, row] of matrix.entries()) {
      for (const [j, rate] of row.entries()) {
        const [k, l] = rows === "true" ? [i, j] : [j, i];
        confusion[(w * K + k) * L + l] = rate;
      }
    }
  }
  return confusion;
}
