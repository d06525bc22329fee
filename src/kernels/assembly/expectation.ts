// The inner loops of the expectation kernels, in double precision.

import { addAllHits, addHits, shareVotes } from "./hits";
import { addTotals } from "./scores";
import { countWeighted, expectWeighted } from "./weighted";
import { expectCoinWeighted } from "./weighted-coin";

// A running product of normalisers, so that most tasks need no logarithm.
const SMALL: f64 = 1e-100;
const LARGE: f64 = 1e100;

/**
 * E step and expected counts of the tasks `from`..`to`, any K.
 * scratch: f64[K]; out: f64[3], of which the first two are log-likelihood and largest change.
 * With weights, here and in `expectCoin`, rates (or ratios), prior and base hold base-2 logarithms.
 */
export function expect(
  K: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  rates: usize,
  prior: usize,
  base: usize,
  posterior: usize,
  counts: usize,
  totals: usize,
  scratch: usize,
  out: usize,
  weights: usize,
): void {
  if (weights) {
    return expectWeighted(
      K, from, to, starts, rows, rates, prior, base, posterior, counts, totals, scratch, out, weights,
    );
  }
  if (K == 2) {
    return expectPairs(1, from, to, starts, rows, rates, prior, base, posterior, counts, totals, out);
  }
  if (K == 4) {
    return expectPairs(2, from, to, starts, rows, rates, prior, base, posterior, counts, totals, out);
  }
  const width = <usize>K << 3;
  const paired = <usize>(K & ~1) << 3;
  const odd = (K & 1) != 0;
  open(out);
  for (let t = from; t < to; t++) {
    const first = load<i32>(starts + (<usize>t << 2));
    const last = load<i32>(starts + (<usize>(t + 1) << 2));
    const belief = posterior + <usize>t * width;
    begin(scratch, prior, base, t, width);
    for (let j = first; j < last; j++) {
      const rate = rates + <usize>load<i32>(rows + (<usize>j << 2)) * width;
      for (let at: usize = 0; at < paired; at += 16) {
        v128.store(scratch + at, f64x2.mul(v128.load(scratch + at), v128.load(rate + at)));
      }
      if (odd) store<f64>(scratch + paired, load<f64>(scratch + paired) * load<f64>(rate + paired));
      if (((j - first) & 7) == 7) rescale(scratch, width, out);
    }
    settle(scratch, width, belief, totals, out);
    addCounts(first, last, rows, belief, counts, width);
  }
  close(out);
}

// out: f64[3] = log-likelihood, largest change of a posterior, product of normalisers not yet logged.

@inline
function open(out: usize): void {
  store<f64>(out, 0);
  store<f64>(out, 0, 8);
  store<f64>(out, 1, 16);
}

@inline
function close(out: usize): void {
  store<f64>(out, load<f64>(out) + Math.log(load<f64>(out, 16)));
}

/** The prior of task t, times what multiplies it. */
@inline
function begin(scratch: usize, prior: usize, base: usize, t: i32, width: usize): void {
  if (!base) {
    memory.copy(scratch, prior, width);
    return;
  }
  const own = base + <usize>t * width;
  for (let at: usize = 0; at < width; at += 8) {
    store<f64>(scratch + at, load<f64>(prior + at) * load<f64>(own + at));
  }
}

/** Divides by the largest value once it is extreme. */
@inline
function rescale(scratch: usize, width: usize, out: usize): void {
  let largest: f64 = 0;
  for (let at: usize = 0; at < width; at += 8) largest = max(largest, load<f64>(scratch + at));
  if (largest >= SMALL && largest <= LARGE) return;
  store<f64>(out, load<f64>(out) + Math.log(largest));
  for (let at: usize = 0; at < width; at += 8) {
    store<f64>(scratch + at, load<f64>(scratch + at) / largest);
  }
}

/** Normalises a task's products into its posterior. */
@inline
function settle(scratch: usize, width: usize, belief: usize, totals: usize, out: usize): void {
  let sum: f64 = 0;
  for (let at: usize = 0; at < width; at += 8) sum += load<f64>(scratch + at);
  if (sum < SMALL || sum > LARGE) {
    store<f64>(out, load<f64>(out) + Math.log(sum));
  } else {
    let product = load<f64>(out, 16) * sum;
    if (product < SMALL || product > LARGE) {
      store<f64>(out, load<f64>(out) + Math.log(product));
      product = 1;
    }
    store<f64>(out, product, 16);
  }
  const inverse = 1.0 / sum;
  let change = load<f64>(out, 8);
  for (let at: usize = 0; at < width; at += 8) {
    const value = load<f64>(scratch + at) * inverse;
    change = max(change, Math.abs(value - load<f64>(belief + at)));
    store<f64>(belief + at, value);
    store<f64>(totals + at, load<f64>(totals + at) + value);
  }
  store<f64>(out, change, 8);
}

/** Does what `expect` does for K = 2 · pairs, pairs = 1 or 2, in registers. */
@inline
function expectPairs(
  pairs: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  rates: usize,
  prior: usize,
  base: usize,
  posterior: usize,
  counts: usize,
  totals: usize,
  out: usize,
): void {
  const shift: usize = pairs == 1 ? 4 : 5;
  let logLikelihood: f64 = 0;
  let product: f64 = 1;
  let change = f64x2.splat(0);
  let total01 = f64x2.splat(0);
  let total23 = f64x2.splat(0);
  const shares01 = v128.load(prior);
  const shares23 = pairs == 2 ? v128.load(prior, 16) : shares01;
  let last = load<i32>(starts + (<usize>from << 2));
  for (let t = from; t < to; t++) {
    const first = last;
    last = load<i32>(starts + (<usize>(t + 1) << 2));
    const belief = posterior + (<usize>t << shift);
    let value01 = shares01;
    let value23 = shares23;
    if (base) {
      const own = base + (<usize>t << shift);
      value01 = f64x2.mul(value01, v128.load(own));
      if (pairs == 2) value23 = f64x2.mul(value23, v128.load(own, 16));
    }
    for (let j = first; j < last; j++) {
      const rate = rates + (<usize>load<i32>(rows + (<usize>j << 2)) << shift);
      value01 = f64x2.mul(value01, v128.load(rate));
      if (pairs == 2) value23 = f64x2.mul(value23, v128.load(rate, 16));
      if (((j - first) & 7) == 7) {
        const pair = pairs == 2 ? f64x2.max(value01, value23) : value01;
        const largest = max(f64x2.extract_lane(pair, 0), f64x2.extract_lane(pair, 1));
        if (largest < SMALL || largest > LARGE) {
          logLikelihood += Math.log(largest);
          value01 = f64x2.div(value01, f64x2.splat(largest));
          if (pairs == 2) value23 = f64x2.div(value23, f64x2.splat(largest));
        }
      }
    }
    const pair = pairs == 2 ? f64x2.add(value01, value23) : value01;
    const sum = f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
    if (sum < SMALL || sum > LARGE) {
      logLikelihood += Math.log(sum);
    } else {
      product *= sum;
      if (product < SMALL || product > LARGE) {
        logLikelihood += Math.log(product);
        product = 1;
      }
    }
    const inverse = f64x2.splat(1.0 / sum);
    value01 = f64x2.mul(value01, inverse);
    change = f64x2.max(change, f64x2.abs(f64x2.sub(value01, v128.load(belief))));
    v128.store(belief, value01);
    total01 = f64x2.add(total01, value01);
    if (pairs == 2) {
      value23 = f64x2.mul(value23, inverse);
      change = f64x2.max(change, f64x2.abs(f64x2.sub(value23, v128.load(belief, 16))));
      v128.store(belief, value23, 16);
      total23 = f64x2.add(total23, value23);
    }
    for (let j = first; j < last; j++) {
      const count = counts + (<usize>load<i32>(rows + (<usize>j << 2)) << shift);
      v128.store(count, f64x2.add(v128.load(count), value01));
      if (pairs == 2) v128.store(count, f64x2.add(v128.load(count, 16), value23), 16);
    }
  }
  v128.store(totals, f64x2.add(v128.load(totals), total01));
  if (pairs == 2) v128.store(totals, f64x2.add(v128.load(totals, 16), total23), 16);
  store<f64>(out, logLikelihood + Math.log(product));
  store<f64>(out + 8, max(f64x2.extract_lane(change, 0), f64x2.extract_lane(change, 1)));
}

/** Adds a task's belief to the counts of each of its labels. */
@inline
function addCounts(first: i32, last: i32, rows: usize, belief: usize, counts: usize, width: usize): void {
  const paired = width & ~15;
  const odd = (width & 8) != 0;
  for (let j = first; j < last; j++) {
    const count = counts + <usize>load<i32>(rows + (<usize>j << 2)) * width;
    for (let at: usize = 0; at < paired; at += 16) {
      v128.store(count + at, f64x2.add(v128.load(count + at), v128.load(belief + at)));
    }
    if (odd) store<f64>(count + paired, load<f64>(count + paired) + load<f64>(belief + paired));
  }
}

/** Expected counts of the tasks `from`..`to` under the posterior as it stands. */
export function count(
  K: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  posterior: usize,
  counts: usize,
  totals: usize,
  weights: usize,
): void {
  if (weights) return countWeighted(K, from, to, starts, rows, posterior, counts, totals, weights);
  const width = <usize>K << 3;
  addTotals(K, from, to, posterior, totals);
  for (let t = from; t < to; t++) {
    const first = load<i32>(starts + (<usize>t << 2));
    const last = load<i32>(starts + (<usize>(t + 1) << 2));
    addCounts(first, last, rows, posterior + <usize>t * width, counts, width);
  }
}

/**
 * E step of models whose label only speaks for its own class: a label of class l multiplies
 * the odds of l by ratios[row]; hits[row] gathers how often it was right. Row = worker * L + label.
 */
export function expectCoin(
  K: i32,
  L: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  ratios: usize,
  prior: usize,
  base: usize,
  posterior: usize,
  hits: usize,
  totals: usize,
  scratch: usize,
  out: usize,
  weights: usize,
): void {
  if (weights) {
    return expectCoinWeighted(
      K, L, from, to, starts, rows, ratios, prior, base, posterior, hits, totals, scratch, out, weights,
    );
  }
  const width = <usize>K << 3;
  open(out);
  for (let t = from; t < to; t++) {
    const first = load<i32>(starts + (<usize>t << 2));
    const last = load<i32>(starts + (<usize>(t + 1) << 2));
    const belief = posterior + <usize>t * width;
    begin(scratch, prior, base, t, width);
    for (let j = first; j < last; j++) {
      const row = load<i32>(rows + (<usize>j << 2));
      const label = row % L;
      if (label < K) {
        const at = scratch + (<usize>label << 3);
        store<f64>(at, load<f64>(at) * load<f64>(ratios + (<usize>row << 3)));
      }
      if (((j - first) & 7) == 7) rescale(scratch, width, out);
    }
    settle(scratch, width, belief, totals, out);
    addHits(K, L, first, last, rows, belief, hits, 0);
  }
  close(out);
}

/** hits[row] of the tasks `from`..`to` under the posterior as it stands. */
export function countCoin(
  K: i32,
  L: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  posterior: usize,
  hits: usize,
  totals: usize,
  weights: usize,
): void {
  addTotals(K, from, to, posterior, totals);
  if (weights) return addAllHits(K, L, from, to, starts, rows, posterior, hits, weights);
  addAllHits(K, L, from, to, starts, rows, posterior, hits, 0);
}

/** Vote shares of the tasks `from`..`to`; a task without votes gets equal shares. */
export function votes(
  K: i32,
  L: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  posterior: usize,
  weights: usize,
): void {
  if (weights) return shareVotes(K, L, from, to, starts, rows, posterior, weights);
  shareVotes(K, L, from, to, starts, rows, posterior, 0);
}
