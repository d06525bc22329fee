/**
 * Holm's correction of p-values for many comparisons: with p₁ ≤ … ≤ pₘ, the i-th becomes the largest of (m − j + 1) pⱼ
 * over j ≤ i, at most 1. The probability of any false rejection is then at most the level, however the tests depend on
 * each other.
 *
 * Holm (1979), Scandinavian Journal of Statistics 6(2), 65–70. https://www.jstor.org/stable/4615733
 */
export function holm(p: readonly number[]): number[] {
  const order = p.map((_, at) => at).sort((a, b) => p[a] - p[b]);
  const corrected = new Array<number>(p.length).fill(1);
  let most = 0;
  order.forEach((at, rank) => {
    most = Math.max(most, Math.min(1, (p.length - rank) * p[at]));
    corrected[at] = most;
  });
  return corrected;
}
