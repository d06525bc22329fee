/**
 * Whether the mean of a row of numbers changes at one place, and where: by shuffles of the row itself.
 *
 *   T[k] = |S[k] − k/n S[n]| / (s √(k (n − k) / n))      S running sums, s the standard deviation, k from `least` to n − `least`
 *   p    = share of shuffled rows whose largest T is as large as that of the row
 *
 * Under no change all orders of the row are alike, whatever numbers are in it, so that p holds exactly and pays for the search
 * over places. Shuffles stop once 20 of them were as large: p is then above what anybody would call a finding.
 * P(change after k numbers) ∝ exp(T[k]² / 2), as for normal numbers with a flat prior of the place.
 *
 * Besag & Clifford (1991), Biometrika 78(2), 301–304, on shuffles that stop. https://doi.org/10.1093/biomet/78.2.301
 */
import { integer } from "../../math/distributions.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import { createRandom } from "../../math/random.ts";
import { quantilePlace } from "./change-point.ts";

/** One change of the mean, as far as the numbers tell. */
export interface TurningPoint {
  /** The largest T. */
  readonly statistic: number;
  readonly p: number;
  /** Numbers before the change: the median of its places, and the ends of a 95 % interval. */
  readonly at: number;
  readonly low: number;
  readonly high: number;
}

/** How a change is looked for. */
export interface TurnSearch {
  readonly seed: number;
  /** Numbers at least on either side of a change. */
  readonly least: number;
  /** Shuffles at most. */
  readonly shuffles: number;
}

const ENOUGH = 20;

/** Looks for one change; undefined if there is no room for one, or all numbers are the same. */
export function turningPoint(
  row: Float64Array,
  { seed, least, shuffles }: TurnSearch,
): TurningPoint | undefined {
  const n = row.length;
  const mean = row.reduce((sum, x) => sum + x, 0) / n;
  const centred = row.map((x) => x - mean);
  const variance = centred.reduce((sum, x) => sum + x * x, 0) / n;
  if (n < 2 * least || !(variance > 1e-20)) return undefined;
  // The place k has index k − least.
  const scale = Float64Array.from({ length: n - 2 * least + 1 }, (_, at) => {
    const k = at + least;
    return 1 / Math.sqrt((variance * k * (n - k)) / n);
  });
  const places = new Float64Array(scale.length);
  const statistic = largest(centred, scale, least, places);
  const p = shareAsLarge(centred, scale, least, statistic, shuffles, seed);
  for (let at = 0; at < places.length; at++) places[at] = places[at] ** 2 / 2;
  normalizeLog(places, 0, places.length);
  const end = (share: number) => least + quantilePlace(places, share);
  return { statistic, p, at: end(0.5), low: end(0.025), high: end(0.975) };
}

/** The largest T; all of them go into `into`, where that is given. */
function largest(
  centred: Float64Array,
  scale: Float64Array,
  least: number,
  into?: Float64Array,
): number {
  let [sum, most] = [0, 0];
  for (let k = 1; k < least; k++) sum += centred[k - 1];
  for (let at = 0; at < scale.length; at++) {
    sum += centred[at + least - 1];
    const T = Math.abs(sum) * scale[at];
    if (into) into[at] = T;
    if (T > most) most = T;
  }
  return most;
}

function shareAsLarge(
  centred: Float64Array,
  scale: Float64Array,
  least: number,
  statistic: number,
  shuffles: number,
  seed: number,
): number {
  const random = createRandom(seed).split("turning point");
  const drawn = centred.slice();
  // Sums of the same numbers in another order may differ in their last digits.
  const enough = statistic * (1 - 1e-9);
  let as = 0;
  for (let draw = 1; draw <= shuffles; draw++) {
    for (let i = drawn.length - 1; i > 0; i--) {
      const j = integer(random, i + 1);
      [drawn[i], drawn[j]] = [drawn[j], drawn[i]];
    }
    if (largest(drawn, scale, least) >= enough && ++as === ENOUGH) return as / draw;
  }
  return (as + 1) / (shuffles + 1);
}
