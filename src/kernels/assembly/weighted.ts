// The expectation kernels for labels with weights: tables of rates. `logs`, `prior` and `base` hold
// base-2 logarithms.

import { raise } from "./powers";
import { addTotals, begin, blockSize, close, lower, open, settle } from "./scores";

/**
 * Runs the E step of the tasks `from`..`to` and adds up expected counts, any K.
 * scratch: f64[max(512, 2 K)]; the rest as in `expect`.
 */
export function expectWeighted(
  K: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  logs: usize,
  prior: usize,
  base: usize,
  posterior: usize,
  counts: usize,
  totals: usize,
  scratch: usize,
  out: usize,
  weights: usize,
): void {
  const block = blockSize(K);
  open(out);
  for (let first = from; first < to; first += block) {
    const last = min(first + block, to);
    const size = K * (last - first);
    if (K == 2) {
      scorePairs(1, first, last, starts, rows, logs, prior, base, scratch, out, weights);
      raise(scratch, size);
      settlePairs(1, first, last, starts, rows, posterior, counts, totals, scratch, out, weights);
    } else if (K == 4) {
      scorePairs(2, first, last, starts, rows, logs, prior, base, scratch, out, weights);
      raise(scratch, size);
      settlePairs(2, first, last, starts, rows, posterior, counts, totals, scratch, out, weights);
    } else {
      score(K, first, last, starts, rows, logs, prior, base, scratch, weights);
      lower(K, last - first, scratch, out);
      raise(scratch, size);
      settle(K, first, last, scratch, posterior, totals, out);
      addCounts(K, first, last, starts, rows, posterior, counts, weights);
    }
  }
  close(out);
}

/** Scores the tasks `from`..`to`: prior plus weight · logs of each label. */
function score(
  K: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  logs: usize,
  prior: usize,
  base: usize,
  scores: usize,
  weights: usize,
): void {
  const width = <usize>K << 3;
  for (let t = from; t < to; t++) {
    const own = scores + <usize>(t - from) * width;
    begin(own, prior, base, t, width);
    const last = load<i32>(starts + (<usize>(t + 1) << 2));
    for (let j = load<i32>(starts + (<usize>t << 2)); j < last; j++) {
      const row = logs + <usize>load<i32>(rows + (<usize>j << 2)) * width;
      const weight = v128.load_splat<f64>(weights + (<usize>j << 3));
      addTimes(own, row, weight, width);
    }
  }
}

/** Adds weight · from to `into`, `width` bytes of each. */
@inline
function addTimes(into: usize, from: usize, weight: v128, width: usize): void {
  const paired = width & ~15;
  for (let at: usize = 0; at < paired; at += 16) {
    const added = f64x2.mul(weight, v128.load(from + at));
    v128.store(into + at, f64x2.add(v128.load(into + at), added));
  }
  if (width & 8) {
    const added = f64x2.extract_lane(weight, 0) * load<f64>(from + paired);
    store<f64>(into + paired, load<f64>(into + paired) + added);
  }
}

/** Adds weight · posterior to the counts of each label of the tasks `from`..`to`. */
function addCounts(
  K: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  posterior: usize,
  counts: usize,
  weights: usize,
): void {
  const width = <usize>K << 3;
  for (let t = from; t < to; t++) {
    const belief = posterior + <usize>t * width;
    const last = load<i32>(starts + (<usize>(t + 1) << 2));
    for (let j = load<i32>(starts + (<usize>t << 2)); j < last; j++) {
      const count = counts + <usize>load<i32>(rows + (<usize>j << 2)) * width;
      const weight = v128.load_splat<f64>(weights + (<usize>j << 3));
      addTimes(count, belief, weight, width);
    }
  }
}

/** Does what `score` and `lower` do for K = 2 · pairs, pairs = 1 or 2, in registers. */
@inline
function scorePairs(
  pairs: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  logs: usize,
  prior: usize,
  base: usize,
  scores: usize,
  out: usize,
  weights: usize,
): void {
  const shift: usize = pairs == 1 ? 4 : 5;
  let logLikelihood = load<f64>(out);
  let last = load<i32>(starts + (<usize>from << 2));
  for (let t = from; t < to; t++) {
    const first = last;
    last = load<i32>(starts + (<usize>(t + 1) << 2));
    let score01 = v128.load(prior);
    let score23 = pairs == 2 ? v128.load(prior, 16) : score01;
    if (base) {
      const factor = base + (<usize>t << shift);
      score01 = f64x2.add(score01, v128.load(factor));
      if (pairs == 2) score23 = f64x2.add(score23, v128.load(factor, 16));
    }
    for (let j = first; j < last; j++) {
      const row = logs + (<usize>load<i32>(rows + (<usize>j << 2)) << shift);
      const weight = v128.load_splat<f64>(weights + (<usize>j << 3));
      score01 = f64x2.add(score01, f64x2.mul(weight, v128.load(row)));
      if (pairs == 2) score23 = f64x2.add(score23, f64x2.mul(weight, v128.load(row, 16)));
    }
    const pair = pairs == 2 ? f64x2.pmax(score01, score23) : score01;
    const top = f64x2.pmax(pair, v128.shuffle<f64>(pair, pair, 1, 0));
    const own = scores + (<usize>(t - from) << shift);
    v128.store(own, f64x2.sub(score01, top));
    if (pairs == 2) v128.store(own, f64x2.sub(score23, top), 16);
    logLikelihood += f64x2.extract_lane(top, 0);
  }
  store<f64>(out, logLikelihood);
}

/** Does what `settle` and `addCounts` do for K = 2 · pairs, pairs = 1 or 2, in registers. */
@inline
function settlePairs(
  pairs: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  posterior: usize,
  counts: usize,
  totals: usize,
  powers: usize,
  out: usize,
  weights: usize,
): void {
  const shift: usize = pairs == 1 ? 4 : 5;
  let product: f64 = 1;
  let change = v128.load_splat<f64>(out, 8);
  let total01 = v128.load(totals);
  let total23 = pairs == 2 ? v128.load(totals, 16) : total01;
  let last = load<i32>(starts + (<usize>from << 2));
  for (let t = from; t < to; t++) {
    const first = last;
    last = load<i32>(starts + (<usize>(t + 1) << 2));
    const own = powers + (<usize>(t - from) << shift);
    const belief = posterior + (<usize>t << shift);
    let value01 = v128.load(own);
    let value23 = pairs == 2 ? v128.load(own, 16) : value01;
    const pair = pairs == 2 ? f64x2.add(value01, value23) : value01;
    const sum = f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
    product *= sum;
    const inverse = f64x2.splat(1.0 / sum);
    value01 = f64x2.mul(value01, inverse);
    change = f64x2.pmax(change, f64x2.abs(f64x2.sub(value01, v128.load(belief))));
    v128.store(belief, value01);
    total01 = f64x2.add(total01, value01);
    if (pairs == 2) {
      value23 = f64x2.mul(value23, inverse);
      change = f64x2.pmax(change, f64x2.abs(f64x2.sub(value23, v128.load(belief, 16))));
      v128.store(belief, value23, 16);
      total23 = f64x2.add(total23, value23);
    }
    for (let j = first; j < last; j++) {
      const count = counts + (<usize>load<i32>(rows + (<usize>j << 2)) << shift);
      const weight = v128.load_splat<f64>(weights + (<usize>j << 3));
      v128.store(count, f64x2.add(v128.load(count), f64x2.mul(weight, value01)));
      if (pairs == 2) v128.store(count, f64x2.add(v128.load(count, 16), f64x2.mul(weight, value23)), 16);
    }
  }
  v128.store(totals, total01);
  if (pairs == 2) v128.store(totals, total23, 16);
  store<f64>(out, load<f64>(out) + Math.log2(product));
  store<f64>(out, max(f64x2.extract_lane(change, 0), f64x2.extract_lane(change, 1)), 8);
}

/** Adds up expected counts of the tasks `from`..`to` under the posterior as it stands. */
export function countWeighted(
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
  addTotals(K, from, to, posterior, totals);
  addCounts(K, from, to, starts, rows, posterior, counts, weights);
}
