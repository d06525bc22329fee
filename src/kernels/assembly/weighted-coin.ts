// The expectation kernels for labels with weights: models whose label only speaks for its own
// class. `logs`, `prior` and `base` hold base-2 logarithms.

import { addAllHits } from "./hits";
import { raise } from "./powers";
import { begin, blockSize, close, lower, open, settle } from "./scores";

/**
 * Runs the E step of the tasks `from`..`to` and adds up hits[row].
 * scratch: f64[max(512, 2 K)]; the rest as in `expectCoin`.
 */
export function expectCoinWeighted(
  K: i32,
  L: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  logs: usize,
  prior: usize,
  base: usize,
  posterior: usize,
  hits: usize,
  totals: usize,
  scratch: usize,
  out: usize,
  weights: usize,
): void {
  const block = blockSize(K);
  open(out);
  for (let first = from; first < to; first += block) {
    const last = min(first + block, to);
    score(K, L, first, last, starts, rows, logs, prior, base, scratch, weights);
    lower(K, last - first, scratch, out);
    raise(scratch, K * (last - first));
    settle(K, first, last, scratch, posterior, totals, out);
    addAllHits(K, L, first, last, starts, rows, posterior, hits, weights);
  }
  close(out);
}

/** Scores the tasks `from`..`to`: prior plus weight · logs of each label, for its own class. */
@inline
function score(
  K: i32,
  L: i32,
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
      const row = load<i32>(rows + (<usize>j << 2));
      const label = row % L;
      if (label >= K) continue;
      const at = own + (<usize>label << 3);
      const weight = load<f64>(weights + (<usize>j << 3));
      store<f64>(at, load<f64>(at) + weight * load<f64>(logs + (<usize>row << 3)));
    }
  }
}
