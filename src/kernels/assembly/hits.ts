// What labels that only speak for their own class add up to. Where `weights` is 0, every label counts
// for one; it is written out at the call, so that the loops have no question to ask.

/** Adds to hits[row] the belief in what each label of a task says. */
@inline
export function addHits(
  K: i32,
  L: i32,
  first: i32,
  last: i32,
  rows: usize,
  belief: usize,
  hits: usize,
  weights: usize,
): void {
  for (let j = first; j < last; j++) {
    const row = load<i32>(rows + (<usize>j << 2));
    const label = row % L;
    if (label < K) {
      const at = hits + (<usize>row << 3);
      let hit = load<f64>(belief + (<usize>label << 3));
      if (weights) hit *= load<f64>(weights + (<usize>j << 3));
      store<f64>(at, load<f64>(at) + hit);
    }
  }
}

/** Does so for the tasks `from`..`to`. */
@inline
export function addAllHits(
  K: i32,
  L: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  posterior: usize,
  hits: usize,
  weights: usize,
): void {
  const width = <usize>K << 3;
  for (let t = from; t < to; t++) {
    const first = load<i32>(starts + (<usize>t << 2));
    const last = load<i32>(starts + (<usize>(t + 1) << 2));
    addHits(K, L, first, last, rows, posterior + <usize>t * width, hits, weights);
  }
}

/** Sets the vote shares of the tasks `from`..`to`; a task without votes gets equal shares. */
@inline
export function shareVotes(
  K: i32,
  L: i32,
  from: i32,
  to: i32,
  starts: usize,
  rows: usize,
  posterior: usize,
  weights: usize,
): void {
  const width = <usize>K << 3;
  for (let t = from; t < to; t++) {
    const belief = posterior + <usize>t * width;
    memory.fill(belief, 0, width);
    let total: f64 = 0;
    const last = load<i32>(starts + (<usize>(t + 1) << 2));
    for (let j = load<i32>(starts + (<usize>t << 2)); j < last; j++) {
      const label = load<i32>(rows + (<usize>j << 2)) % L;
      if (label < K) {
        const at = belief + (<usize>label << 3);
        const vote: f64 = weights ? load<f64>(weights + (<usize>j << 3)) : 1;
        store<f64>(at, load<f64>(at) + vote);
        total += vote;
      }
    }
    for (let at: usize = 0; at < width; at += 8) {
      store<f64>(belief + at, total > 0 ? load<f64>(belief + at) / total : 1.0 / <f64>K);
    }
  }
}
