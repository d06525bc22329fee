/**
 * Smooth functions that are asked for many times, as polynomials through Chebyshev's points.
 *
 * Trefethen (2013), Approximation Theory and Approximation Practice, SIAM, chapters 2–4.
 */

/** Terms at most: a function that needs more is not smooth enough. */
const MOST = 256;

/**
 * Returns a function that is `f` between `low` and `high` to about `tolerance` times its largest value. The number of
 * terms doubles until the last of them are below that; if they never are, `f` itself is returned.
 */
export function chebyshev(
  f: (x: number) => number,
  low: number,
  high: number,
  tolerance = 1e-14,
): (x: number) => number {
  if (!(low < high)) return f;
  for (let n = 16; n <= MOST; n *= 2) {
    const terms = termsOf(f, low, high, n);
    const largest = terms.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    if (terms.subarray(n - 4).every((each) => Math.abs(each) <= tolerance * largest)) {
      return (x) => clenshaw(terms, (2 * x - low - high) / (high - low));
    }
  }
  return f;
}

/** Coefficients of the polynomial that meets f at the n zeros of the n-th Chebyshev polynomial. */
function termsOf(
  f: (x: number) => number,
  low: number,
  high: number,
  n: number,
): Float64Array<ArrayBuffer> {
  const values = Float64Array.from({ length: n }, (_, j) => {
    const x = Math.cos((Math.PI * (j + 0.5)) / n);
    return f((low + high) / 2 + ((high - low) / 2) * x);
  });
  return Float64Array.from({ length: n }, (_, k) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += values[j] * Math.cos((Math.PI * k * (j + 0.5)) / n);
    return ((k === 0 ? 1 : 2) * sum) / n;
  });
}

/** The sum of terms[k] times the k-th Chebyshev polynomial at x. */
function clenshaw(terms: Float64Array, x: number): number {
  let [next, after] = [0, 0];
  for (let k = terms.length - 1; k > 0; k--) {
    const own = terms[k] + 2 * x * next - after;
    after = next;
    next = own;
  }
  return terms[0] + x * next - after;
}
