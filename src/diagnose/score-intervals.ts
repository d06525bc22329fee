/**
 * How sure we are of each worker's informativeness, capacity and information: a group jackknife over tasks.
 *
 * Rates are counted from the posterior of a Dawid–Skene model that starts from the result and is shrunk towards the crowd: its posterior fits
 * less noise than that of maximum likelihood, whose scores are too high where classes are rare or labels few. The
 * counts themselves are not shrunk, but for half a label at the crowd's rates in each row. Scores are those of the rates, less
 * what chance alone would give (chance-scores.ts). Tasks fall into twenty groups by a hash of their name; leaving one out at a
 * time, the model is fitted again from where it ended. Square roots of scores are nearly linear in the rates:
 *
 *   root = √(max(0, score − chance) / highest)      p = (1 + root) / 2, for two classes the mean of both rates
 *
 * and p has an interval as the skills have (skill-intervals.ts): Beta quantiles for the variance of the jackknife, joined with the
 * crowd's, and never below the one that the same number of labels would leave if the classes were known, by the delta method: refits of rates
 * at 0 or 1 do not vary, although the labels are few. The ends are turned back into scores; below p = ½ a score is 0.
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { informativeness } from "../belief/informativeness.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import { byWorker, type CategoricalData, selectLabels } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { createEngine } from "../kernels/engine.ts";
import { maxOf, minOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { pearson } from "../math/statistics.ts";
import { drain, type Steps } from "../method.ts";
import { betaEnds, MOST_WORTH, pooledVariance } from "./beta-ends.ts";
import { chanceScores, ownBelief } from "./chance-scores.ts";
import { capacity, capacityRoom, information } from "./channel.ts";
import { asSpokenFor, mergedIn, oneVoiceEach } from "./collusion/exact-copies.ts";
import { MANY_LABELS, standIn, standInForAll, withoutSilent } from "./refit.ts";
import type { IntervalOptions } from "./skill-intervals.ts";

/** An interval per worker, by worker index. */
export interface ScoreInterval {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** 95 % intervals of the scores of each worker: informativeness, capacity in bits, information in nats. */
export interface ScoreIntervals {
  readonly informativeness: ScoreInterval;
  readonly capacityBits: ScoreInterval;
  readonly information: ScoreInterval;
}

/** Numbers of workers for each of the three scores. */
type Table = readonly [Float64Array, Float64Array, Float64Array];

/** Iterations of each refit. */
const AGAIN = 10;
/** Labels of one worker on which chance's part is judged. */
const MOST_TESTED = 1000;
/** Labels added to a row, at the crowd's rates; for the variance to every cell, Jeffreys' prior. */
const HALF = 0.5;

/** Returns intervals for the scores, or undefined where the refits disagree too much. */
export function scoreIntervals(
  data: CategoricalData,
  result: Aggregation,
  options?: IntervalOptions,
): ScoreIntervals | undefined {
  return drain(scoreIntervalSteps(data, result, options));
}

/** The same in steps, with progress. Where copies count for one worker in a result, they do here. */
export function* scoreIntervalSteps(
  data: CategoricalData,
  result: Aggregation,
  options?: IntervalOptions,
): Steps<ScoreIntervals | undefined> {
  const copies = mergedIn(result);
  const found = yield* jackknifeSteps(oneVoiceEach(data, copies), result, options);
  if (!found || !copies) return found;
  const spoken = ({ low, high }: ScoreInterval): ScoreInterval => ({
    low: asSpokenFor(low, copies),
    high: asSpokenFor(high, copies),
  });
  return {
    informativeness: spoken(found.informativeness),
    capacityBits: spoken(found.capacityBits),
    information: spoken(found.information),
  };
}

function* jackknifeSteps(
  data: CategoricalData,
  result: Aggregation,
  {
    groups = 20,
    level = 0.95,
    seed = 0,
    mostLabels = MANY_LABELS,
    ...options
  }: IntervalOptions = {},
): Steps<ScoreIntervals | undefined> {
  const W = data.workers.length;
  const { data: sampled, known } = sampleTasks(data, { start: result.posterior }, mostLabels, seed);
  const { data: sample, all } = withoutSilent(sampled);
  const random = createRandom(seed).split("jackknife");
  const group = Int32Array.from(sample.tasks, (name) =>
    Math.floor(random.split(name).next() * groups),
  );
  const engine = createEngine();
  const whole = standIn(result, sample, known, engine);
  const start = { start: whole.posterior };
  const chance = chanceTable(sample, whole);
  const spread = jackknife(W, groups);
  // Chance's part falls as one over the number of labels.
  const grown = groups / Math.max(1, groups - 1);
  const more = eachOf(chance, (part) => part.map((x) => grown * x));
  let unstable = 0;
  for (let g = 0; g < groups; g++) {
    const rest = selectLabels(sample, (i) => group[sample.task[i]] !== g);
    const fit = standIn(result, rest, start, engine, AGAIN);
    if (W > 2 && pearson(fit.skill, whole.skill) < 0.5) unstable++;
    spread.add(eachOf(rootTable(rest, fit, more), all));
    yield { iteration: g + 1, objective: 0, stage: "judging how sure the scores are" };
  }
  if (unstable > groups / 20 && maxOf(whole.skill) - minOf(whole.skill) > 1e-3) return undefined;
  const fitted = options.fitted ?? standInForAll(data, result, engine, mostLabels);
  const share = fitted ? sample.label.length / Math.max(1, data.label.length) : 1;
  const part = eachOf(chance, (values) => all(values).map((x) => share * x));
  const centre = fitted
    ? rootTable(data, fitted, part)
    : eachOf(rootTable(sample, whole, chance), all);
  const floor = fitted ? knownTable(data, fitted) : eachOf(knownTable(sample, whole), all);
  const deviation = spread.deviation(share);
  const labels = labelsPerWorker(data);
  const shares = (fitted ?? whole).prior;
  const highest = [1, Math.log2(shares.length), entropyOf(shares)];
  const [score, bits, nats] = ([0, 1, 2] as const).map((m) => {
    const known = floor[m].map((sd) => sd ** 2);
    const variance = pooledVariance(deviation[m], known, labels, { level, groups });
    const root = Math.sqrt(Math.max(0, highest[m]));
    return endsOf(centre[m], variance, root, labels, { classes: shares.length, level });
  });
  return { informativeness: score, capacityBits: bits, information: nats };
}

/** Intervals of scores from their roots, the variances of these, and the highest root that there is. */
function endsOf(
  roots: Float64Array,
  variance: Float64Array,
  highest: number,
  labels: Int32Array,
  { classes, level }: { readonly classes: number; readonly level: number },
): ScoreInterval {
  const [low, high] = [new Float64Array(roots.length), new Float64Array(roots.length)];
  for (let w = 0; w < roots.length && highest > 0; w++) {
    const probability = (1 + roots[w] / highest) / 2;
    // A score of K classes is a mean of K rows, each of which varies less than a rate of two classes.
    const most = (MOST_WORTH * labels[w] * classes) / 2;
    const score = (p: number) => (highest * Math.max(0, 2 * p - 1)) ** 2;
    [low[w], high[w]] = betaEnds(probability, variance[w] / (2 * highest) ** 2, most, level).map(
      score,
    );
  }
  return { low, high };
}

function entropyOf(shares: Float64Array): number {
  return shares.reduce((sum, x) => sum - (x > 0 ? x * Math.log(x) : 0), 0);
}

function eachOf(table: Table, change: (values: Float64Array) => Float64Array): Table {
  return [change(table[0]), change(table[1]), change(table[2])];
}

function emptyTable(W: number): Table {
  return [new Float64Array(W), new Float64Array(W), new Float64Array(W)];
}

/** Adds up refits; the deviation of a score is √((G − 1)/G · Σ (x − mean)²). */
function jackknife(W: number, groups: number) {
  const [sums, squares] = [emptyTable(W), emptyTable(W)];
  return {
    add(roots: Table): void {
      for (const m of [0, 1, 2] as const) {
        for (let w = 0; w < W; w++) {
          sums[m][w] += roots[m][w] / groups;
          squares[m][w] += roots[m][w] ** 2 / groups;
        }
      }
    },
    deviation: (share: number): Table => {
      const of = (m: 0 | 1 | 2) =>
        sums[m].map((mean, w) =>
          Math.sqrt((groups - 1) * Math.max(0, squares[m][w] - mean ** 2) * share),
        );
      return [of(0), of(1), of(2)];
    },
  };
}

/** What chance alone gives each worker: informativeness, bits, nats. */
function chanceTable(data: CategoricalData, { posterior, classes, given: L }: Aggregation): Table {
  const K = classes.length;
  const table = emptyTable(data.workers.length);
  const { start, other, label } = byWorker(data);
  const scratch = new Float64Array((MOST_TESTED + 1) * K);
  for (let w = 0; w < data.workers.length; w++) {
    const [from, to] = [start[w], start[w + 1]];
    const own = ownBelief(posterior, other, label, from, to, K, L, MOST_TESTED, scratch);
    const chance = chanceScores(own, Math.max(1, to - from), K, L);
    table[0][w] = chance.informativeness;
    table[1][w] = chance.information / Math.LN2;
    table[2][w] = chance.information;
  }
  return table;
}

/** Labels of each worker on tasks of each class, counted from the posterior: [(worker * K + class) * L + label]. */
function countLabels(data: CategoricalData, { posterior, prior, given: L }: Aggregation) {
  const K = prior.length;
  const counts = new Float64Array(data.workers.length * K * L);
  for (let i = 0; i < data.label.length; i++) {
    if (data.label[i] >= L) continue;
    const weight = data.weight ? data.weight[i] : 1;
    for (let k = 0; k < K; k++) {
      const belief = posterior[data.task[i] * K + k];
      counts[(data.worker[i] * K + k) * L + data.label[i]] += weight * belief;
    }
  }
  return counts;
}

/** The crowd's rates, for each class those of all labels together. */
function crowdRates(counts: Float64Array, K: number, L: number): Float64Array {
  const rates = new Float64Array(K * L).fill(1e-3);
  for (let at = 0; at < counts.length; at++) rates[at % (K * L)] += counts[at];
  for (let k = 0; k < K; k++) {
    const row = rates.subarray(k * L, (k + 1) * L);
    const total = row.reduce((sum, x) => sum + x, 0);
    for (let l = 0; l < L; l++) row[l] /= total;
  }
  return rates;
}

/** Calls `visit` with the rates of each worker, with what is added, and the labels behind each row. */
function visitRates(
  data: CategoricalData,
  fit: Aggregation,
  add: "crowd" | "every cell",
  visit: (w: number, rows: Float64Array, exposure: Float64Array) => void,
): void {
  const [K, L] = [fit.classes.length, fit.given];
  const counts = countLabels(data, fit);
  const crowd = crowdRates(counts, K, L);
  const added = add === "crowd" ? crowd.map((x) => HALF * x) : crowd.fill(HALF);
  const rows = new Float64Array(K * L);
  const labels = new Float64Array(K);
  for (let w = 0; w < data.workers.length; w++) {
    labels.fill(0);
    for (let at = 0; at < K * L; at++) labels[Math.floor(at / L)] += counts[w * K * L + at];
    for (let at = 0; at < K * L; at++) {
      const n = labels[Math.floor(at / L)] + (add === "crowd" ? HALF : HALF * L);
      rows[at] = (counts[w * K * L + at] + added[at]) / n;
    }
    visit(w, rows, labels);
  }
}

/** Square roots of the scores less chance's part. */
function rootTable(data: CategoricalData, result: Aggregation, chance: Table): Table {
  const [K, L] = [result.classes.length, result.given];
  const table = emptyTable(data.workers.length);
  const room = capacityRoom(K);
  visitRates(data, result, "crowd", (w, rows) => {
    const scores = [
      informativeness(rows, K, L),
      capacity(rows, K, L, { tolerance: 1e-5, maxIterations: 300, room }).bits,
      information(rows, result.prior, K, L),
    ];
    for (const m of [0, 1, 2] as const) {
      table[m][w] = Math.sqrt(Math.max(0, scores[m] - chance[m][w]));
    }
  });
  return table;
}

/**
 * Standard deviations of the roots if the classes were known: Σ over rows of the variance of the score's gradient
 * under the row, over the labels behind it; for a root, over (2 root)².
 */
function knownTable(data: CategoricalData, result: Aggregation): Table {
  const [K, L] = [result.classes.length, result.given];
  const table = emptyTable(data.workers.length);
  const room = capacityRoom(K);
  visitRates(data, result, "every cell", (w, rows, labels) => {
    const best = capacity(rows, K, L, { tolerance: 1e-6, maxIterations: 300, room });
    const told = information(rows, result.prior, K, L);
    const scores = [informativeness(rows, K, L), best.nats, told];
    const shares = [undefined, best.shares, result.prior];
    for (const m of [0, 1, 2] as const) {
      const variance = gradientVariance(rows, labels, shares[m], K, L);
      const unit = m === 1 ? Math.sqrt(Math.LN2) : 1;
      table[m][w] = scores[m] > 1e-9 ? Math.sqrt(variance / scores[m]) / 2 / unit : 0;
    }
  });
  return table;
}

/** Variance of a score under sampling of labels: of the information at `shares`, or without them the informativeness. */
function gradientVariance(
  rows: Float64Array,
  labels: Float64Array,
  shares: ArrayLike<number> | undefined,
  K: number,
  L: number,
): number {
  let variance = 0;
  for (let k = 0; k < K; k++) {
    let [mean, square] = [0, 0];
    for (let l = 0; l < L; l++) {
      const rate = rows[k * L + l];
      let mixed = 0;
      for (let j = 0; j < K; j++) mixed += (shares ? shares[j] : 1 / K) * rows[j * L + l];
      const slope = shares
        ? shares[k] * Math.log(rate / Math.max(1e-300, mixed))
        : (2 * (rate - mixed)) / Math.max(1, K - 1);
      mean += rate * slope;
      square += rate * slope ** 2;
    }
    variance += Math.max(0, square - mean ** 2) / (labels[k] + HALF * L);
  }
  return variance;
}
