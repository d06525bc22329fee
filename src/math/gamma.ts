/**
 * The logarithm of the gamma function, its derivatives, and the beta functions made from it, for
 * positive numbers.
 *
 * Arguments below 7 are moved up by 7 with the recurrence Γ(x + 1) = x Γ(x), whose seven steps are
 * one polynomial, x(x + 1)…(x + 6); from 7 on the asymptotic series in 1/x, cut at its eighth term,
 * is good to a few units in the fifteenth digit.
 *
 * NIST Digital Library of Mathematical Functions, 5.5(i) and 5.11(i). https://dlmf.nist.gov/5
 */
import { CrowdError } from "../error.ts";

const halfLogTwoPi = 0.9189385332046728;

/** log Γ(x) for x ≥ 0; +Infinity at 0. */
export function logGamma(x: number): number {
  if (!(x > 0)) return atEdge(x, Infinity, "logGamma");
  if (x >= 7) return stirling(x) + series(x);
  const product = x * (720 + x * (1764 + x * (1624 + x * (735 + x * (175 + x * (21 + x))))));
  return stirling(x + 7) + series(x + 7) - Math.log(product);
}

/** ψ(x), the derivative of log Γ, for x ≥ 0; -Infinity at 0. */
export function digamma(x: number): number {
  if (!(x > 0)) return atEdge(x, -Infinity, "digamma");
  let shift = 0;
  if (x < 7) {
    const product = x * (720 + x * (1764 + x * (1624 + x * (735 + x * (175 + x * (21 + x))))));
    const slope = 720 + x * (3528 + x * (4872 + x * (2940 + x * (875 + x * (126 + x * 7)))));
    shift = slope / product;
    x += 7;
  }
  const r = 1 / x;
  const s = r * r;
  const tail =
    1 / 12 -
    s *
      (1 / 120 -
        s *
          (1 / 252 -
            s * (1 / 240 - s * (1 / 132 - s * (691 / 32760 - s * (1 / 12 - (s * 3617) / 8160))))));
  return Math.log(x) - 0.5 * r - s * tail - shift;
}

/** ψ′(x), the derivative of digamma, for x ≥ 0; +Infinity at 0. */
export function trigamma(x: number): number {
  if (!(x > 0)) return atEdge(x, Infinity, "trigamma");
  let shift = 0;
  for (; x < 7; x++) shift += 1 / (x * x);
  const r = 1 / x;
  const s = r * r;
  const tail =
    1 / 6 -
    s *
      (1 / 30 -
        s *
          (1 / 42 -
            s * (1 / 30 - s * (5 / 66 - s * (691 / 2730 - s * (7 / 6 - (s * 3617) / 510))))));
  return r * (1 + 0.5 * r + s * tail) + shift;
}

/** log B(a, b) = log Γ(a) + log Γ(b) - log Γ(a + b), without cancellation when one is large. */
export function logBeta(a: number, b: number): number {
  const small = Math.min(a, b);
  const large = Math.max(a, b);
  if (!(small > 0)) return atEdge(small, Infinity, "logBeta");
  if (large === Infinity) return -Infinity;
  const sum = small + large;
  return (
    halfLogTwoPi -
    0.5 * Math.log(large) +
    (small - 0.5) * Math.log(small / sum) +
    large * Math.log1p(-small / sum) +
    (stirlingTail(small) + stirlingTail(large) - stirlingTail(sum))
  );
}

/** log of Π Γ(alpha[i]) / Γ(Σ alpha[i]) for `from` ≤ i < `to`: the normaliser of a Dirichlet. */
export function logMultivariateBeta(alpha: ArrayLike<number>, from = 0, to = alpha.length): number {
  if (!(to > from)) throw new CrowdError("bad-data", "logMultivariateBeta: alpha is empty.");
  let total = 0;
  let sum = alpha[from];
  if (!(sum > 0)) return atEdge(sum, Infinity, "logMultivariateBeta");
  for (let i = from + 1; i < to; i++) {
    total += logBeta(sum, alpha[i]);
    sum += alpha[i];
  }
  if (sum === Infinity) throw new CrowdError("bad-data", "logMultivariateBeta: alpha is infinite.");
  return total;
}

/** log Γ(x) minus Stirling's (x - ½) log x - x + ½ log 2π, for x > 0; it falls as 1 / 12x. */
export function stirlingTail(x: number): number {
  return x >= 7 ? series(x) : logGamma(x) - stirling(x);
}

function stirling(x: number): number {
  return (x - 0.5) * (Math.log(x) - 1) - 0.5 + halfLogTwoPi;
}

/** The eight terms B₂ₖ / (2k (2k - 1) x²ᵏ⁻¹) that follow Stirling's, for x ≥ 7. */
function series(x: number): number {
  const r = 1 / x;
  const s = r * r;
  return (
    r *
    (1 / 12 -
      s *
        (1 / 360 -
          s *
            (1 / 1260 -
              s *
                (1 / 1680 -
                  s * (1 / 1188 - s * (691 / 360360 - s * (1 / 156 - (s * 3617) / 122400)))))))
  );
}

function atEdge(x: number, limit: number, where: string): number {
  if (x === 0) return limit;
  throw new CrowdError("bad-data", `${where}: the argument must be at least 0, not ${x}.`);
}
