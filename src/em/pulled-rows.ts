/**
 * M step of a confusion whose rows are pulled together: the rates of one worker that maximise
 *
 *   Σ counts[k][l] log rate[k][l] − (pull / 2) Σ_k Σ_l (rate[k][l] − mean_k rate[k][l])²
 *
 * with every row on the simplex. Concave, so that it has one maximum.
 */

/**
 * Two classes and two labels, where it is a function of sensitivity a and specificity b with the pull
 * strength · (a + b − 1)² / 2: Newton's steps, halved while they do not climb. Writes rows of 2 · 2 rates.
 */
export function pulledCoins(counts: Float64Array, strength: number, rows: Float64Array): void {
  const [n00, n01, n10, n11] = counts;
  // b = P(0 | 0) and a = P(1 | 1).
  let [b, a] = [n00 / (n00 + n01), n11 / (n10 + n11)];
  const value = (x: number, y: number) =>
    n11 * Math.log(x) +
    n10 * Math.log(1 - x) +
    n00 * Math.log(y) +
    n01 * Math.log(1 - y) -
    (strength * (x + y - 1) ** 2) / 2;
  let best = value(a, b);
  for (let i = 0; i < 100; i++) {
    const pull = strength * (a + b - 1);
    const [da, db] = [n11 / a - n10 / (1 - a) - pull, n00 / b - n01 / (1 - b) - pull];
    const haa = n11 / a ** 2 + n10 / (1 - a) ** 2 + strength;
    const hbb = n00 / b ** 2 + n01 / (1 - b) ** 2 + strength;
    const det = haa * hbb - strength ** 2;
    const [sa, sb] = [(hbb * da - strength * db) / det, (haa * db - strength * da) / det];
    let step = 1;
    let next = Number.NEGATIVE_INFINITY;
    while (step > 1e-9) {
      const [x, y] = [a + step * sa, b + step * sb];
      next = x > 0 && x < 1 && y > 0 && y < 1 ? value(x, y) : Number.NEGATIVE_INFINITY;
      if (next >= best) break;
      step /= 2;
    }
    if (!(next >= best) || step <= 1e-9) break;
    a += step * sa;
    b += step * sb;
    best = next;
    if (Math.abs(sa) + Math.abs(sb) < 1e-12) break;
  }
  rows[0] = b;
  rows[1] = 1 - b;
  rows[2] = 1 - a;
  rows[3] = a;
}

/** Sweeps over rows and their mean; few suffice, as each starts from the rates before and EM sweeps again. */
const SWEEPS = 20;

/**
 * Any number of classes and labels: each row to its maximum given the mean row, then the mean row, again and
 * again; both steps climb. `rows[k * L + l]` holds rates to start from and is overwritten.
 */
export function pulledRows(
  counts: Float64Array,
  pull: number,
  K: number,
  L: number,
  rows: Float64Array,
): void {
  const mean = new Float64Array(L);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    mean.fill(0);
    for (let at = 0; at < rows.length; at++) mean[at % L] += rows[at] / K;
    let moved = 0;
    for (let k = 0; k < K; k++) moved = Math.max(moved, pulledRow(counts, k * L, pull, mean, rows));
    if (moved < 1e-12) break;
  }
}

/**
 * Writes the row that maximises Σ c log θ − (pull / 2) Σ (θ − mean)², and returns its largest change. With ν the
 * multiplier of Σ θ = 1, θ = (a + √(a² + 4 pull c)) / (2 pull), a = pull · mean − ν: convex and falling in ν, so that
 * Newton's steps for ν come from one side and cannot miss.
 */
function pulledRow(
  counts: Float64Array,
  from: number,
  pull: number,
  mean: Float64Array,
  rows: Float64Array,
): number {
  const L = mean.length;
  let total = 0;
  for (let l = 0; l < L; l++) total += counts[from + l];
  let nu = total;
  for (let i = 0; i < 100; i++) {
    let [sum, slope] = [-1, 0];
    for (let l = 0; l < L; l++) {
      const [theta, change] = rate(counts[from + l], mean[l], pull, nu);
      sum += theta;
      slope += change;
    }
    const step = sum / slope;
    nu -= step;
    if (Math.abs(step) <= 1e-13 * Math.max(1, Math.abs(nu))) break;
  }
  let moved = 0;
  let sum = 0;
  for (let l = 0; l < L; l++) sum += rate(counts[from + l], mean[l], pull, nu)[0];
  for (let l = 0; l < L; l++) {
    const theta = rate(counts[from + l], mean[l], pull, nu)[0] / sum;
    moved = Math.max(moved, Math.abs(theta - rows[from + l]));
    rows[from + l] = theta;
  }
  return moved;
}

/** The rate at a multiplier, and its derivative there. */
function rate(c: number, mean: number, pull: number, nu: number): readonly [number, number] {
  const a = pull * mean - nu;
  const root = Math.sqrt(a * a + 4 * pull * c);
  // The same without cancellation where a is below 0; also right without any pull, where it is c / ν.
  const theta = a > 0 ? (a + root) / (2 * pull) : (2 * c) / (root - a);
  return [theta, root > 0 ? -theta / root : -1e-300];
}
