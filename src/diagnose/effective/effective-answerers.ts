/**
 * How many independent workers those who gave numbers are worth: copies of one worker err together.
 *
 * A pair errs together where its answers are nearer to each other than those of independent workers. How near those would
 * be is told by how far both are from the others on the same tasks, and the others from each other:
 *
 *   E = mean (u − o)² + mean (v − o)² − mean (o − o')²   is the mean of (u − v)² if u and v err independently
 *
 * on every task, hard or easy, whatever the errors of the others; the precise of them count more (differences.ts). The cube
 * root of D / E, D the mean of (u − v)², is about normal (Wilson & Hilferty, 1931); its error is taken from how D and E vary
 * from task to task. Pairs more than four standard errors below 1 are taken for dependent, those that stand out most first:
 * they judge nobody who goes with them, and all are judged anew. Then the number is that of panel-size.ts.
 *
 * Wilson & Hilferty (1931), PNAS 17(12), 684–688. https://doi.org/10.1073/pnas.17.12.684
 */
import { labelsPerWorker } from "../../data/crowd-data.ts";
import { inCommonUnits, type NumericData } from "../../data/numeric.ts";
import { maxOf } from "../../math/lists.ts";
import { type Differences, differencesOf, workerVariances } from "./differences.ts";
import { crowdSize } from "./panel-size.ts";

/** Workers whose numbers go together. */
export interface AnswererCorrelation {
  readonly workers: readonly [number, number];
  /** Correlation of their errors. */
  readonly correlation: number;
  /** Tasks that both answered. */
  readonly common: number;
  /** True where it is too large for chance. */
  readonly dependent: boolean;
}

/** How many independent workers a crowd that gave numbers is worth. */
export interface EffectiveAnswerers {
  /** Independent workers of the same kind that would be as good. */
  readonly crowd: number;
  /** Workers who are counted: those with 20 answers or more. */
  readonly workers: number;
  /** Pairs of workers with 20 common tasks or more, the most alike first; at most 100, but all that are dependent. */
  readonly correlations: readonly AnswererCorrelation[];
}

const [FEWEST, THRESHOLD, LISTED] = [20, 4, 100];
/** Rounds at most, and the share of the largest excess that a pair needs to be taken in a round. */
const [ROUNDS, NEAR_MOST] = [20, 0.7];
/** Where differences are clipped, in standard deviations: a few blunders must not hide the rest. */
const CLIP = 5;

/** Counts the independent workers among those who gave numbers. */
export function effectiveAnswerers(given: NumericData): EffectiveAnswerers {
  const data = inCommonUnits(given);
  const workload = labelsPerWorker(data);
  const counted = Array.from(workload.keys()).filter((w) => workload[w] >= FEWEST);
  const differences = differencesOf(data);
  const variances = workerVariances(differences, data);
  const counts = (pair: number) =>
    workload[differences.u[pair]] >= FEWEST && workload[differences.v[pair]] >= FEWEST;
  const taken = new Uint8Array(differences.u.length);
  let found: Judged[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    found = judge(differences, variances, taken).filter(
      ({ pair, common }) => common >= FEWEST && counts(pair),
    );
    const fresh = found.filter(({ pair, excess }) => excess > THRESHOLD && !taken[pair]);
    if (fresh.length === 0) break;
    const most = maxOf(fresh.map(({ excess }) => excess));
    for (const { pair, excess } of fresh) if (excess >= NEAR_MOST * most) taken[pair] = 1;
  }
  const correlations = found
    .sort((a, b) => b.excess - a.excess)
    .map(({ excess, pair: _, ...rest }) => ({ ...rest, dependent: excess > THRESHOLD }));
  const partners = Array.from(data.workers, () => new Map<number, number>());
  for (const { dependent, workers, correlation } of correlations) {
    if (!dependent) continue;
    const [a, b] = workers;
    partners[a].set(b, correlation);
    partners[b].set(a, correlation);
  }
  return {
    crowd: crowdSize({ background: 0, partners }, counted),
    workers: counted.length,
    correlations: correlations.filter(({ dependent }, k) => dependent || k < LISTED),
  };
}

/** A pair, and by how many standard errors its differences are smaller than those of independent workers. */
interface Judged extends Omit<AnswererCorrelation, "dependent"> {
  readonly pair: number;
  readonly excess: number;
}

/** Judges all pairs by the workers who go with neither. */
function judge(differences: Differences, variances: Float64Array, taken: Uint8Array): Judged[] {
  const { u, v, start } = differences;
  const [n, near, near2, far, far2] = Array.from({ length: 5 }, () => new Float64Array(u.length));
  for (let t = 0; t + 1 < start.length; t++) {
    const board = boardOf(differences, variances, taken, t);
    for (const { pair, i, j, square } of board.pairs) {
      const expected = independent(board, i, j);
      if (expected === undefined) continue;
      n[pair]++;
      near[pair] += square;
      near2[pair] += square ** 2;
      far[pair] += expected;
      far2[pair] += expected ** 2;
    }
  }
  return Array.from(u, (first, pair) => {
    const common = n[pair];
    const [D, E] = [near[pair] / common, far[pair] / common];
    // That of squared normal errors is the least.
    const own = Math.max(2 / common, relativeVariance(near2[pair], D, common));
    // D and E vary together; to add their variances is on the safe side.
    const error = Math.sqrt((own + relativeVariance(far2[pair], E, common)) / 9);
    return {
      pair,
      workers: [first, v[pair]] as const,
      correlation: E > 0 ? Math.max(-1, 1 - D / E) : 0,
      common,
      excess: E > 0 ? (1 - own / 9 - Math.cbrt(D / E)) / error : 0,
    };
  });
}

/** The variance of a mean beside its square, from the sum of the squares of n numbers. */
function relativeVariance(squares: number, mean: number, n: number): number {
  return mean === 0 ? 0 : Math.max(0, squares / n / mean ** 2 - 1) / n;
}

/** The answers of one task, as their differences. */
interface Board {
  /** How much the worker at each place counts: one over the variance of the errors. */
  readonly weight: Float64Array;
  /** Squares of the differences, clipped: square[i * k + j]. */
  readonly square: Float64Array;
  /** 1 where the workers of two places go together, or are one. */
  readonly together: Uint8Array;
  readonly pairs: readonly {
    readonly pair: number;
    readonly i: number;
    readonly j: number;
    readonly square: number;
  }[];
  /** Σ over the places that do not go with one: of their weights, and of weight · weight · square. */
  readonly reach: Float64Array;
  readonly apart: Float64Array;
}

function boardOf(
  { u, v, outputs, start, difference, cell, middle }: Differences,
  variances: Float64Array,
  taken: Uint8Array,
  t: number,
): Board {
  const place = new Map<number, number>();
  const placeOf = (w: number) => {
    const at = place.get(w) ?? place.size;
    place.set(w, at);
    return at;
  };
  const pairs = [];
  for (let d = start[t]; d < start[t + 1]; d++) {
    const pair = Math.floor(cell[d] / outputs);
    const most = CLIP ** 2 * (variances[u[pair]] + variances[v[pair]]);
    const square = Math.min(most, (difference[d] - middle[cell[d]]) ** 2);
    pairs.push({ pair, i: placeOf(u[pair]), j: placeOf(v[pair]), square });
  }
  const k = place.size;
  const [square, together] = [new Float64Array(k * k), new Uint8Array(k * k)];
  for (let i = 0; i < k; i++) together[i * k + i] = 1;
  for (const { pair, i, j, square: each } of pairs) {
    square[i * k + j] = square[j * k + i] = each;
    together[i * k + j] = together[j * k + i] = taken[pair];
  }
  const weight = Float64Array.from(place.keys(), (w) => 1 / variances[w]);
  const [reach, apart] = [new Float64Array(k), new Float64Array(k)];
  for (let at = 0; at < k * k; at++) {
    if (together[at]) continue;
    const [i, j] = [Math.floor(at / k), at % k];
    reach[i] += weight[j];
    apart[i] += weight[i] * weight[j] * square[at];
  }
  return { weight, square, together, pairs, reach, apart };
}

/**
 * Returns the square that the difference of two places would have on average, by all who go with neither; undefined if these
 * are too few. Each counts by his weight times those of the others whom he does not go with.
 */
function independent(
  { weight, square, together, reach, apart }: Board,
  i: number,
  j: number,
): number | undefined {
  const k = weight.length;
  const out: number[] = [];
  for (let x = 0; x < k; x++) if (together[i * k + x] || together[j * k + x]) out.push(x);
  let [total, sum] = [0, 0];
  for (let o = 0; o < k; o++) {
    if (together[i * k + o] || together[j * k + o]) continue;
    let own = reach[o];
    for (const x of out) if (!together[x * k + o]) own -= weight[x];
    own *= weight[o];
    total += own;
    sum += own * (square[i * k + o] + square[j * k + o]);
    sum -= apart[o];
    for (const x of out) {
      if (!together[x * k + o]) sum += weight[o] * weight[x] * square[x * k + o];
    }
  }
  return total > 0 && k - out.length > 1 ? sum / total : undefined;
}
