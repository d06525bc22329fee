/**
 * Draws from the usual distributions. Each takes its numbers from the stream it is given and keeps
 * nothing between calls, so a draw depends on that stream alone.
 *
 * Gamma draws are made as logs: with a shape of 0.01 one draw in 1700 is below the smallest
 * double, and a Dirichlet that divides such draws by their sum would divide 0 by 0.
 */
import { CrowdError } from "../error.ts";
import { logGamma } from "./gamma.ts";
import { normalizeLog } from "./log-sum-exp.ts";
import type { Random } from "./random.ts";

/** Normal with mean 0 and variance 1, by the polar method: Marsaglia & Bray (1964). */
export function normal(random: Random): number {
  for (;;) {
    const x = 2 * random.next() - 1;
    const y = 2 * random.next() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

/** exp of a normal with mean `mu` and standard deviation `sigma`. */
export function logNormal(random: Random, mu: number, sigma: number): number {
  check(Number.isFinite(mu), "logNormal: mu must be finite", mu);
  check(sigma >= 0 && sigma < Infinity, "logNormal: sigma must be at least 0", sigma);
  return Math.exp(mu + sigma * normal(random));
}

/** Exponential with mean 1. */
export function exponential(random: Random): number {
  return -Math.log1p(-random.next());
}

/** Gamma with the given shape and scale 1; never 0, though it may be the smallest double. */
export function gamma(random: Random, shape: number): number {
  return Math.max(Number.MIN_VALUE, Math.exp(logGammaDraw(random, shape)));
}

/** Beta(a, b). It may be 0 or 1 when a or b is small: that is what doubles can tell apart. */
export function beta(random: Random, a: number, b: number): number {
  const logOdds = logGammaDraw(random, a) - logGammaDraw(random, b);
  return 1 / (1 + Math.exp(-logOdds));
}

/**
 * Inverse Gaussian (Wald) with the given mean and shape; its variance is mean³ / shape. The root of
 * Michael, Schucany & Haas (1976), The American Statistician 30(2), 88–90, is written as a quotient, which
 * keeps its digits where the mean is far above the shape. https://doi.org/10.1080/00031305.1976.10479147
 */
export function inverseGaussian(random: Random, mean: number, shape: number): number {
  check(mean > 0 && mean < Infinity, "inverseGaussian: mean must be above 0 and finite", mean);
  check(shape > 0 && shape < Infinity, "inverseGaussian: shape must be above 0 and finite", shape);
  const z = normal(random);
  const r = (mean / shape / 2) * z * z;
  const root = 1 + r + Math.sqrt(r * (2 + r)); // mean / the smaller of the two that z may stand for
  return random.next() * (1 + root) < root ? mean / root : mean * root;
}

/**
 * Dirichlet(alpha), written to `out`, which is returned and sums to 1. An alpha of 0 gives 0, as in
 * the limit; at least one must be above 0.
 */
export function dirichlet(
  random: Random,
  alpha: ArrayLike<number>,
  out: Float64Array = new Float64Array(alpha.length),
): Float64Array {
  let some = false;
  for (let k = 0; k < alpha.length; k++) {
    out[k] = alpha[k] === 0 ? -Infinity : logGammaDraw(random, alpha[k]);
    if (alpha[k] > 0) some = true;
  }
  if (!some) throw new CrowdError("bad-option", "dirichlet: no alpha is above 0.");
  normalizeLog(out, 0, alpha.length);
  return out;
}

/** Index k with probability proportional to probabilities[k]; they need not sum to 1. */
export function categorical(random: Random, probabilities: ArrayLike<number>): number {
  let total = 0;
  for (let k = 0; k < probabilities.length; k++) {
    check(probabilities[k] >= 0, "categorical: a weight must be at least 0", probabilities[k]);
    total += probabilities[k];
  }
  check(total > 0 && total < Infinity, "categorical: weights must sum to more than 0", total);
  let left = random.next() * total;
  let last = 0;
  for (let k = 0; k < probabilities.length; k++) {
    if (probabilities[k] === 0) continue;
    left -= probabilities[k];
    if (left < 0) return k;
    last = k; // rounding can leave a little over; it belongs to the last possible one
  }
  return last;
}

/** A whole number from 0 to n - 1, each exactly as likely as the others. */
export function integer(random: Random, n: number): number {
  const valid = Number.isInteger(n) && n >= 1 && n <= 2 ** 53;
  check(valid, "integer: n must be a whole number from 1 to 2^53", n);
  // The last, incomplete round of n among the 2^53 draws would favour small numbers.
  const limit = 2 ** 53 - (2 ** 53 % n);
  for (;;) {
    const draw = random.next() * 2 ** 53;
    if (draw < limit) return draw % n;
  }
}

/** Puts the array in a random order, in place: Fisher & Yates, as Durstenfeld (1964) wrote it. */
export function shuffle(random: Random, array: Int32Array | unknown[]): void {
  for (let i = array.length - 1; i > 0; i--) {
    const j = integer(random, i + 1);
    const other = array[j];
    array[j] = array[i];
    array[i] = other;
  }
}

/** How many of n trials succeed, each with probability p. */
export function binomial(random: Random, n: number, p: number): number {
  // Beyond, the logs in rejectBinomial have fewer than four digits after the point.
  const valid = Number.isInteger(n) && n >= 0 && n <= 1e10;
  check(valid, "binomial: n must be a whole number from 0 to 1e10", n);
  check(p >= 0 && p <= 1, "binomial: p must be between 0 and 1", p);
  if (p > 0.5) return n - binomial(random, n, 1 - p);
  return n * p < 10 ? countSuccesses(random, n, p) : rejectBinomial(random, n, p);
}

/** Jumps from success to success by geometric waits; np + 1 draws on average. */
function countSuccesses(random: Random, n: number, p: number): number {
  if (p === 0) return 0;
  const scale = -Math.log1p(-p);
  let successes = -1;
  for (let trial = 0; trial <= n; successes++) {
    trial += 1 + Math.floor(exponential(random) / scale);
  }
  return successes;
}

/** Algorithm BTRS of Hörmann (1993), J. Stat. Comput. Simul. 46, 101–110, for np ≥ 10, p ≤ ½. */
function rejectBinomial(random: Random, n: number, p: number): number {
  const deviation = Math.sqrt(n * p * (1 - p));
  const b = 1.15 + 2.53 * deviation;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const alpha = (2.83 + 5.1 / b) * deviation;
  const odds = Math.log(p / (1 - p));
  const mode = Math.floor((n + 1) * p);
  const atMode = logGamma(mode + 1) + logGamma(n - mode + 1);
  for (;;) {
    const u = random.next() - 0.5;
    const v = random.next();
    const edge = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / edge + b) * u + n * p + 0.5);
    if (k < 0 || k > n) continue;
    if (edge >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    const height = atMode - logGamma(k + 1) - logGamma(n - k + 1) + (k - mode) * odds;
    if (Math.log((v * alpha) / (a / (edge * edge) + b)) <= height) return k;
  }
}

/**
 * The log of a gamma draw: Marsaglia & Tsang (2000), ACM TOMS 26(3), 363–372, and for shapes below 1
 * their gamma(shape + 1) · U^(1 / shape). https://doi.org/10.1145/358407.358414
 */
function logGammaDraw(random: Random, shape: number): number {
  check(shape > 0 && shape < Infinity, "gamma: a shape must be above 0 and finite", shape);
  const boost = shape < 1 ? Math.max(-1e300, -exponential(random) / shape) : 0;
  const d = (shape < 1 ? shape + 1 : shape) - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const root = 1 + c * x;
    if (root <= 0) continue;
    const cube = root * root * root;
    // 1 - U rather than U, so that the log is finite.
    if (Math.log(1 - random.next()) < 0.5 * x * x + d * (1 - cube + Math.log(cube))) {
      return Math.log(d * cube) + boost;
    }
  }
}

function check(holds: boolean, rule: string, found: number): void {
  if (!holds) throw new CrowdError("bad-option", `${rule}, not ${found}.`);
}
