// What the kernels for labels with weights share: scores of a block of tasks, turned into posteriors.
//
// A weight is an exponent, so a task's classes are scored in base-2 logarithms. Tasks are taken in blocks:
// the powers of all scores of a block are computed in one loop, where they do not wait for each other.
//
// scores: f64[tasks of the block][K]; out: f64[2] = log-likelihood (in bits until `close`) and largest change
// of a posterior.

/** Returns how many tasks make a block: an even number, whose scores fit into max(512, 2 K) doubles. */
@inline
export function blockSize(K: i32): i32 {
  return max(2, (512 / K) & ~1);
}

@inline
export function open(out: usize): void {
  store<f64>(out, 0);
  store<f64>(out, 0, 8);
}

@inline
export function close(out: usize): void {
  store<f64>(out, load<f64>(out) * Math.LN2);
}

/** Sets the scores of task t before its labels: the logarithm of its prior. */
@inline
export function begin(scores: usize, prior: usize, base: usize, t: i32, width: usize): void {
  if (!base) {
    for (let at: usize = 0; at < width; at += 8) store<f64>(scores + at, load<f64>(prior + at));
    return;
  }
  const own = base + <usize>t * width;
  for (let at: usize = 0; at < width; at += 8) {
    store<f64>(scores + at, load<f64>(prior + at) + load<f64>(own + at));
  }
}

/** Subtracts from the scores of each of n tasks the largest of them, and adds that to the log-likelihood. */
export function lower(K: i32, n: i32, scores: usize, out: usize): void {
  const width = <usize>K << 3;
  const paired = width & ~15;
  const odd = (K & 1) != 0;
  let logLikelihood = load<f64>(out);
  const end = scores + <usize>n * width;
  for (let own = scores; own < end; own += width) {
    let top = odd ? v128.load_splat<f64>(own + paired) : v128.load(own);
    for (let at: usize = 0; at < paired; at += 16) top = f64x2.pmax(top, v128.load(own + at));
    top = f64x2.pmax(top, v128.shuffle<f64>(top, top, 1, 0));
    for (let at: usize = 0; at < paired; at += 16) {
      v128.store(own + at, f64x2.sub(v128.load(own + at), top));
    }
    const largest = f64x2.extract_lane(top, 0);
    if (odd) store<f64>(own + paired, load<f64>(own + paired) - largest);
    logLikelihood += largest;
  }
  store<f64>(out, logLikelihood);
}

/** Normalises the powers of the tasks `from`..`to` of a block into their posteriors. */
export function settle(
  K: i32,
  from: i32,
  to: i32,
  powers: usize,
  posterior: usize,
  totals: usize,
  out: usize,
): void {
  const width = <usize>K << 3;
  const paired = width & ~15;
  const odd = (K & 1) != 0;
  // Sums lie between 1 and K, so their product over a block stays below 1e82.
  let product: f64 = 1;
  let change = load<f64>(out, 8);
  let changes = f64x2.splat(change);
  for (let t = from; t < to; t++) {
    const own = powers + <usize>(t - from) * width;
    const belief = posterior + <usize>t * width;
    let sums = f64x2.splat(0);
    for (let at: usize = 0; at < paired; at += 16) sums = f64x2.add(sums, v128.load(own + at));
    let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
    if (odd) sum += load<f64>(own + paired);
    product *= sum;
    const inverse = 1.0 / sum;
    for (let at: usize = 0; at < paired; at += 16) {
      const value = f64x2.mul(v128.load(own + at), f64x2.splat(inverse));
      changes = f64x2.pmax(changes, f64x2.abs(f64x2.sub(value, v128.load(belief + at))));
      v128.store(belief + at, value);
      v128.store(totals + at, f64x2.add(v128.load(totals + at), value));
    }
    if (odd) {
      const value = load<f64>(own + paired) * inverse;
      change = max(change, Math.abs(value - load<f64>(belief + paired)));
      store<f64>(belief + paired, value);
      store<f64>(totals + paired, load<f64>(totals + paired) + value);
    }
  }
  change = max(change, max(f64x2.extract_lane(changes, 0), f64x2.extract_lane(changes, 1)));
  store<f64>(out, load<f64>(out) + Math.log2(product));
  store<f64>(out, change, 8);
}

/** Adds the posteriors of the tasks `from`..`to` to `totals`. */
export function addTotals(K: i32, from: i32, to: i32, posterior: usize, totals: usize): void {
  const width = <usize>K << 3;
  const end = posterior + <usize>to * width;
  for (let belief = posterior + <usize>from * width; belief < end; belief += width) {
    for (let at: usize = 0; at < width; at += 8) {
      store<f64>(totals + at, load<f64>(totals + at) + load<f64>(belief + at));
    }
  }
}
