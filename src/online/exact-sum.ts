/**
 * Sums from which parts are taken away again. A sum in one double would drift with every label that
 * comes and goes. Here each sum is the pair high + low, about 106 bits, and its parts are rounded to
 * multiples of 2^-60 first: so no addition rounds, up to sums of 2^44, and `high` is the exact sum,
 * rounded once. The order of the parts, and what came and went in between, leave no trace.
 *
 * Dekker (1971), Numerische Mathematik 18, 224–242. https://doi.org/10.1007/BF01397083
 */

/** Numbers from here on are multiples of 2^-60 as they are. */
const COARSE = 2 ** -8;

/** Adding this and taking it away rounds smaller numbers to multiples of 2^-60. */
const SHIFT = 1.5 * COARSE;

/** Returns the nearest multiple of 2^-60 to x ≥ 0. */
export function onGrid(x: number): number {
  return x < COARSE ? x + SHIFT - SHIFT : x;
}

/** Adds x, a multiple of 2^-60, to the sum high[at] + low[at]. */
export function addExactly(high: Float64Array, low: Float64Array, at: number, x: number): void {
  const before = high[at];
  const sum = before + x;
  const added = sum - before;
  const error = before - (sum - added) + (x - added) + low[at];
  const rounded = sum + error;
  high[at] = rounded;
  low[at] = error - (rounded - sum);
}
