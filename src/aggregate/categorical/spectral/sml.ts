/**
 * SML, the spectral meta-learner: how the labels of pairs of workers vary together gives how well each
 * tells two classes apart, and triples of workers give how common the classes are.
 *
 *   x[t, w]     = +1 where worker w says the class of task t, -1 where they say another
 *   b           = P(class) - P(rest)
 *   Q[w, v]     = covariance of the two workers over common tasks = v[w] · v[v]
 *   v[w]        = √(1 - b²) · (sensitivity[w] + specificity[w] - 1)
 *   T[w, v, u]  = third central moment = a · v[w] · v[v] · v[u],   a = -2b / √(1 - b²)
 *   score[t]    = sum of x[t, w] · v[w], or log-odds by sensitivity and specificity (`vote: odds`)
 *
 * Workers may favour a class: means drop out of covariances, which is what `ghosh-svd`, `dalvi` and
 * `kos` lack. The sign of v is the one that sides with more labels, or with gold. With more than two
 * classes each is asked against the rest. Needs workers who share tasks, three on some tasks.
 *
 * Sums over triples need no list of them: on one task they are the third elementary symmetric
 * polynomial of v[w] · (x[t, w] - mean[w]), O(1) per label.
 *
 * The posterior is a softmax, an order of belief and not a calibrated probability, but for `vote: odds`
 * and two classes, where it is the one under the estimated model.
 *
 * Parisi, Strino, Nadler & Kluger (2014), PNAS 111(4), 1253–1258. https://doi.org/10.1073/pnas.1219097111
 * b, sensitivity, specificity: Jaffe, Nadler & Kluger (2015), AISTATS, PMLR 38, 407–415.
 * https://proceedings.mlr.press/v38/jaffe15.html
 */
import type { CategoricalData } from "../../../data/categorical.ts";
import { append } from "../../../math/lists.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { type WorkerPairs, workerPairs } from "./agreement-moments.ts";
import { type CrowdParts, crowdParts } from "./crowd-parts.ts";
import { leadingVectors } from "./leading-vectors.ts";
import { createScores, orient, questions, signsOf } from "./one-against-rest.ts";
import { fitRankOne } from "./rank-one.ts";
import { type Asked, imbalanceByMoments, imbalanceByScan, ratesOf } from "./two-class-rates.ts";

/** What SML finds beyond the answers. */
export interface Sml extends Fit {
  /** For a class if above 0, against it if below: score[task * K + class]; comparable within a task. */
  readonly score: Float64Array;
  /** How much a worker's word about a class counts, strength[worker * K + class]; 0 if `vote` is odds. */
  readonly strength: Float64Array;
  /** P(says the class | it is the class), sensitivity[worker * K + class]. */
  readonly sensitivity: Float64Array;
  /** P(says another | it is another), specificity[worker * K + class]. */
  readonly specificity: Float64Array;
  /** P(class) - P(rest), imbalance[class]; each from a question of its own. */
  readonly imbalance: Float64Array;
}

/** SML: covariances of pairs of workers show how well each worker separates the classes. */
export const sml = aggregator(
  {
    id: "sml",
    title: "SML",
    summary:
      "Estimates the balanced accuracy of each worker from the covariances of pairs of workers.",
    paper: {
      authors: "F. Parisi, F. Strino, B. Nadler, Y. Kluger",
      year: 2014,
      title: "Ranking and combining multiple predictors without labeled data",
      url: "https://doi.org/10.1073/pnas.1219097111",
    },
    family: "spectral",
    probabilistic: false,
    cost: "O(Σ d²) for tasks with d labels, then O(pairs) per iteration; times K if more than two",
    options: {
      vote: {
        default: "vector",
        choices: ["vector", "odds"],
        help: "Weight of a label: the worker's entry of v, or log-odds from sensitivity and specificity.",
      },
      pairs: {
        default: "weighted",
        choices: ["weighted", "zero"],
        help: "Weight of a pair: its number of common tasks, or equal weights with covariance 0 for pairs without common tasks.",
      },
      imbalance: {
        default: "moments",
        choices: ["moments", "scan"],
        help: "Estimate of the class imbalance: from triples of workers, or by the likelihood on a grid of 99 values.",
      },
      maxIterations: {
        default: 500,
        min: 1,
        integer: true,
        help: "Maximum number of steps of the fit of v.",
      },
      tolerance: {
        default: 1e-11,
        min: 0,
        help: "Largest change of an entry of v at which to stop.",
      },
    },
  },
  function* (data, options, { known, K }): Steps<Sml> {
    const W = data.workers.length;
    const parts = crowdParts(data);
    const pairs = workerPairs("sml", data);
    const scores = createScores(data);
    const random = createRandom(options.seed).split("start");
    const rates = { sensitivity: new Float64Array(W * K), specificity: new Float64Array(W * K) };
    const imbalance = new Float64Array(K);
    const trace: number[] = [];
    let converged = true;
    let scanned = options.imbalance === "scan";
    for (const k of questions(K)) {
      const sign = signsOf(data, k);
      const problem = covariances(data, sign, pairs, parts, options.pairs === "zero");
      // The leading eigenvector has the signs of the solution; the fit finds its size.
      const product = weightedProduct(pairs, problem);
      const start = yield* leadingVectors(product, data.workers, parts, EIGEN, random);
      const fitted = yield* fitRankOne(problem, start.vector, options);
      append(trace, fitted.trace);
      converged &&= fitted.converged;
      const v = fitted.vector;
      orient(data, parts, { k, sign, gold: known.gold }, v);
      const asked: Asked = { data, sign, v };
      const byTriples = options.imbalance === "moments" ? imbalanceByMoments(asked) : undefined;
      scanned ||= byTriples === undefined;
      imbalance[k] = byTriples ?? imbalanceByScan(asked);
      const found = ratesOf(asked, imbalance[k]);
      for (let w = 0; w < W; w++) {
        rates.sensitivity[w * K + k] = found.sensitivity[w];
        rates.specificity[w * K + k] = found.specificity[w];
      }
      if (options.vote === "odds") scores.addOdds(k, sign, found, imbalance[k]);
      else scores.addWorkers(k, sign, withoutZeros(v, parts), parts);
    }
    if (K === 2) mirror(rates, imbalance);
    const notes =
      scanned && options.imbalance === "moments"
        ? ["No task has three workers who vary, so the class shares come from the likelihood."]
        : [];
    return { ...scores.finish(known, options), ...rates, imbalance, trace, converged, notes };
  },
);

/** A rough start is enough. */
const EIGEN = { maxIterations: 2, tolerance: 1e-3 };

/** Unbiased covariances over common tasks; a single common task has none. */
function covariances(
  { workers }: CategoricalData,
  sign: Float64Array,
  pairs: WorkerPairs,
  parts: CrowdParts,
  zero: boolean,
) {
  const x = sign.map(Math.sign);
  const both = pairs.products(x, x);
  const own = pairs.products(x, x.map(Math.abs));
  const others = pairs.mirrored(own);
  const enough = (n: number) => n > 1 + 1e-9;
  const values = both.map((sum, p) => {
    const n = pairs.common[p];
    return enough(n) ? (sum - (own[p] * others[p]) / n) / (n - 1) : 0;
  });
  const weights = pairs.common.map((n) => (zero ? 1 : enough(n) ? n : 0));
  const high = zero ? workers.length : 1;
  return { pairs, parts, values, weights, background: zero ? 1 : 0, low: -high, high };
}

function weightedProduct(
  { start, other }: WorkerPairs,
  { values, weights }: { readonly values: Float64Array; readonly weights: Float64Array },
) {
  return (v: Float64Array, into: Float64Array, workers: Int32Array): void => {
    for (const w of workers) {
      let sum = 0;
      for (let at = start[w]; at < start[w + 1]; at++)
        sum += weights[at] * values[at] * v[other[at]];
      into[w] = sum;
    }
  };
}

/** Where nobody's labels vary with anybody's, all count alike: a plain vote. */
function withoutZeros(v: Float64Array, { ofWorker, count }: CrowdParts): Float64Array {
  const largest = new Float64Array(count);
  for (let w = 0; w < v.length; w++) {
    if (ofWorker[w] >= 0) largest[ofWorker[w]] = Math.max(largest[ofWorker[w]], Math.abs(v[w]));
  }
  return v.map((x, w) => (ofWorker[w] >= 0 && largest[ofWorker[w]] < 1e-8 ? 1 : x));
}

/** Of two classes, to be sensitive to one is to be specific about the other. */
function mirror(
  { sensitivity, specificity }: { sensitivity: Float64Array; specificity: Float64Array },
  imbalance: Float64Array,
): void {
  imbalance[1] = -imbalance[0];
  for (let at = 0; at < sensitivity.length; at += 2) {
    sensitivity[at + 1] = specificity[at];
    specificity[at + 1] = sensitivity[at];
  }
}
