/**
 * The incomplete beta and gamma functions, and the distributions that are made from them.
 *
 * Both are a factor, x^a (1 - x)^b / B(a, b) or x^a exp(-x) / Γ(a), times a continued fraction or a
 * series. The factor is written around the mean, as Loader does for the binomial, so that it keeps
 * its digits for a and b in the millions. Quantiles are Newton steps on the log of the smaller tail,
 * kept in a bracket. Cost: O(√max(a, b)) near the mean, a few dozen steps elsewhere.
 *
 * NIST Digital Library of Mathematical Functions, 8.9, 8.11 and 8.17. https://dlmf.nist.gov/8
 * Loader (2000), Fast and accurate computation of binomial probabilities.
 * Lentz's method and the switch: Press et al. (2007), Numerical Recipes, 6.2 and 6.4.
 */
import { CrowdError } from "../error.ts";
import { stirlingTail } from "./gamma.ts";

const twoPi = 2 * Math.PI;

/** Both sides of a distribution function at a point; the smaller one has all its digits. */
interface Tails {
  readonly lower: number;
  readonly upper: number;
  /** Density in the unknown that quantiles are searched in: log-odds for beta, log for gamma. */
  readonly slope: number;
}

/** I_x(a, b): P(X ≤ x) for X ~ Beta(a, b). */
export function incompleteBeta(x: number, a: number, b: number): number {
  check(!Number.isNaN(x), "incompleteBeta", "x must be a number", x);
  checkShapes("incompleteBeta", a, b);
  return betaTails(x, 1 - x, a, b).lower;
}

/** The x for which I_x(a, b) = p. */
export function betaQuantile(p: number, a: number, b: number): number {
  checkProbability("betaQuantile", p);
  checkShapes("betaQuantile", a, b);
  if (p === 0 || p === 1) return p;
  return 1 / (1 + Math.exp(-betaLogOdds(p, 1 - p, a, b)));
}

/** P(a, x), the lower one, regularised: P(X ≤ x) for X ~ Gamma(a). */
export function incompleteGamma(a: number, x: number): number {
  check(!Number.isNaN(x), "incompleteGamma", "x must be a number", x);
  checkShapes("incompleteGamma", a, 1);
  return gammaTails(x, a).lower;
}

/** P(X ≤ x) for X ~ χ² with `df` degrees of freedom. */
export function chiSquareCdf(x: number, df: number): number {
  check(!Number.isNaN(x), "chiSquareCdf", "x must be a number", x);
  checkShapes("chiSquareCdf", df, 1);
  return gammaTails(x / 2, df / 2).lower;
}

/** The x below which χ² with `df` degrees of freedom falls with probability p; Infinity at p = 1. */
export function chiSquareQuantile(p: number, df: number): number {
  checkProbability("chiSquareQuantile", p);
  checkShapes("chiSquareQuantile", df, 1);
  if (p === 0) return 0;
  if (p === 1) return Infinity;
  const a = df / 2;
  const tails = (t: number) => gammaTails(Math.exp(t), a);
  return 2 * Math.exp(solve(p, 1 - p, tails, -745, 709, Math.log(a)));
}

/** Φ(z): P(Z ≤ z) for a standard normal Z. */
export function normalCdf(z: number): number {
  check(!Number.isNaN(z), "normalCdf", "z must be a number", z);
  const { lower, upper } = gammaTails((z * z) / 2, 0.5);
  return z < 0 ? upper / 2 : 0.5 + lower / 2;
}

/** The z for which Φ(z) = p; -Infinity at 0 and Infinity at 1. */
export function normalQuantile(p: number): number {
  checkProbability("normalQuantile", p);
  const tail = Math.min(p, 1 - p);
  if (tail === 0) return p === 0 ? -Infinity : Infinity;
  // Abramowitz & Stegun 26.2.23 is off by at most 4.5e-4; two of Halley's steps cube that twice.
  const t = Math.sqrt(-2 * Math.log(tail));
  let z =
    (2.515517 + t * (0.802853 + t * 0.010328)) /
      (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
    t;
  for (let i = 0; i < 2; i++) {
    const error = (normalCdf(z) - tail) * Math.sqrt(twoPi) * Math.exp((z * z) / 2);
    z -= error / (1 + (z * error) / 2);
  }
  return p < 0.5 ? z : -z;
}

/** P(T ≤ t) for Student's t with `df` degrees of freedom; the normal's when `df` is Infinity. */
export function studentCdf(t: number, df: number): number {
  check(!Number.isNaN(t), "studentCdf", "t must be a number", t);
  if (df > 1e10) return normalCdf(t);
  checkShapes("studentCdf", df, 1);
  const square = t * t;
  const { lower } = betaTails(1 / (1 + square / df), 1 / (1 + df / square), df / 2, 0.5);
  return t < 0 ? lower / 2 : 1 - lower / 2;
}

/** The t below which Student's t with `df` degrees of freedom falls with probability p. */
export function studentQuantile(p: number, df: number): number {
  checkProbability("studentQuantile", p);
  if (df > 1e10) return normalQuantile(p);
  checkShapes("studentQuantile", df, 1);
  const tail = Math.min(p, 1 - p);
  if (tail === 0) return p === 0 ? -Infinity : Infinity;
  if (tail === 0.5) return 0;
  const logOdds = betaLogOdds(2 * tail, 1 - 2 * tail, df / 2, 0.5);
  const t = Math.sqrt(df) * Math.exp(-logOdds / 2);
  return p < 0.5 ? -t : t;
}

/**
 * An interval for a rate seen as `successes` out of `n`; 0 to 1 when n is 0.
 * Wilson (1927), JASA 22(158), 209–212. https://doi.org/10.1080/01621459.1927.10502953
 */
export function wilsonInterval(
  successes: number,
  n: number,
  level = 0.95,
): { low: number; high: number } {
  check(n >= 0 && n < Infinity, "wilsonInterval", "n must be at least 0", n);
  check(successes >= 0 && successes <= n, "wilsonInterval", "successes must be 0 to n", successes);
  check(level > 0 && level < 1, "wilsonInterval", "level must be between 0 and 1", level);
  if (n === 0) return { low: 0, high: 1 };
  const z = normalQuantile((1 + level) / 2);
  const middle = successes + (z * z) / 2;
  const spread = z * Math.sqrt((successes * (n - successes)) / n + (z * z) / 4);
  const total = n + z * z;
  // At the ends the difference is zero but for rounding.
  return {
    low: successes === 0 ? 0 : Math.max(0, (middle - spread) / total),
    high: successes === n ? 1 : Math.min(1, (middle + spread) / total),
  };
}

/** Both tails of Beta(a, b) at x, given with y = 1 - x so that neither end loses digits. */
function betaTails(x: number, y: number, a: number, b: number): Tails {
  if (x <= 0) return { lower: 0, upper: 1, slope: 0 };
  if (y <= 0) return { lower: 1, upper: 0, slope: 0 };
  const n = a + b;
  const distance = x * b - y * a; // n x - a
  const slope =
    Math.exp(
      a * logMinusLinear(distance / a, (x / a) * n) +
        b * logMinusLinear(-distance / b, (y / b) * n) +
        (stirlingTail(n) - stirlingTail(a) - stirlingTail(b)),
    ) * Math.sqrt((a / n) * (b / twoPi));
  if (x * (n + 2) < a + 1) {
    const lower = Math.min(1, slope * betaFraction(x, a, b, -distance));
    return { lower, upper: 1 - lower, slope };
  }
  const upper = Math.min(1, slope * betaFraction(y, b, a, distance));
  return { lower: 1 - upper, upper, slope };
}

/**
 * The continued fraction of I_x(a, b), by Lentz's method. It is the even part of DLMF 8.17.22, which
 * needs half the steps; `gap` is a - (a + b) x, small where it matters and so handed in.
 * Didonato & Morris (1992), ACM TOMS 18(3), 360–373, eq. 9. https://doi.org/10.1145/131766.131776
 */
function betaFraction(x: number, a: number, b: number, gap: number): number {
  let value = (a * (gap + 1)) / (a + 1);
  let c = value;
  let d = 0;
  for (let m = 1; m <= 1_000_000; m++) {
    const s = a + 2 * m - 1;
    const share = (m * (b - m) * x) / s;
    const numerator = (((a + m - 1) * (a + b + m - 1) * x) / s) * share;
    const denominator = m + share + ((a + m) * (gap + 1 + m * (2 - x))) / (s + 2);
    d = 1 / (denominator + numerator * d);
    c = denominator + numerator / c;
    value *= c * d;
    if (Math.abs(c * d - 1) < 3e-16) break;
  }
  return 1 / value;
}

/** Both tails of Gamma(a) at x: the series DLMF 8.11.4 below the mean, the fraction 8.9.2 above. */
function gammaTails(x: number, a: number): Tails {
  if (x <= 0) return { lower: 0, upper: 1, slope: 0 };
  if (x === Infinity) return { lower: 1, upper: 0, slope: 0 };
  const slope =
    Math.exp(a * logMinusLinear((x - a) / a, x / a) - stirlingTail(a)) * Math.sqrt(a / twoPi);
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = a + 1; term > sum * 1e-17; n++) {
      term *= x / n;
      sum += term;
    }
    const lower = Math.min(1, slope * sum);
    return { lower, upper: 1 - lower, slope };
  }
  let b = x + 1 - a;
  let c = Infinity;
  let d = 1 / b;
  let product = d;
  for (let n = 1; n <= 1_000_000; n++) {
    const numerator = n * (a - n);
    b += 2;
    d = 1 / (b + numerator * d);
    c = b + numerator / c;
    product *= c * d;
    if (Math.abs(c * d - 1) < 3e-16) break;
  }
  const upper = Math.min(1, slope * product);
  return { lower: 1 - upper, upper, slope };
}

/** log(1 + u) - u, where `ratio` is 1 + u; no cancellation for small u, no loss near u = -1. */
function logMinusLinear(u: number, ratio: number): number {
  if (Math.abs(u) > 0.1) return Math.log(ratio) - u;
  const r = u / (2 + u);
  const s = r * r;
  const tail =
    1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * (1 / 13 + s / 15)))));
  return 2 * r * s * tail - u * r;
}

/** log(x / (1 - x)) for the x where Beta(a, b) has `below` on its left and `above` on its right. */
function betaLogOdds(below: number, above: number, a: number, b: number): number {
  const tails = (t: number) => betaTails(1 / (1 + Math.exp(-t)), 1 / (1 + Math.exp(t)), a, b);
  return solve(below, above, tails, -745, 745, Math.log(a / b));
}

/** The t between `low` and `high` whose tails are `below` and `above`. */
function solve(
  below: number,
  above: number,
  tails: (t: number) => Tails,
  low: number,
  high: number,
  start: number,
): number {
  let t = start;
  for (let i = 0; i < 200; i++) {
    const { lower, upper, slope } = tails(t);
    const step =
      below < above
        ? (Math.log(lower / below) * lower) / slope
        : (-Math.log(upper / above) * upper) / slope;
    if (Math.abs(step) <= 1e-14 * (1 + Math.abs(t))) return t - step;
    if (below < above ? lower > below : upper < above) high = t;
    else low = t;
    t -= step;
    if (!(t > low && t < high)) t = low + (high - low) / 2;
    if (t === low || t === high) break;
  }
  return t;
}

function checkProbability(where: string, p: number): void {
  check(p >= 0 && p <= 1, where, "p must be between 0 and 1", p);
}

function checkShapes(where: string, a: number, b: number): void {
  check(a >= 1e-10 && a <= 1e10, where, "a shape must be from 1e-10 to 1e10", a);
  check(b >= 1e-10 && b <= 1e10, where, "a shape must be from 1e-10 to 1e10", b);
}

function check(holds: boolean, where: string, rule: string, found: number): void {
  if (!holds) throw new CrowdError("bad-option", `${where}: ${rule}, not ${found}.`);
}
