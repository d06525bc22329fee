/**
 * Which of many tests to believe, so that of those believed only a given share is expected to be wrong.
 *
 * With the p-values in order, all up to the last with p(i) ≤ level · i / tests are believed.
 *
 * Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57(1), 289–300.
 * https://doi.org/10.1111/j.2517-6161.1995.tb02031.x
 */
export function benjaminiHochberg(p: ArrayLike<number>, level: number): readonly boolean[] {
  const sorted = Array.from(p).sort((a, b) => a - b);
  let limit = -1;
  sorted.forEach((each, i) => {
    if (each <= (level * (i + 1)) / sorted.length) limit = each;
  });
  return Array.from(p, (each) => each <= limit);
}
