/**
 * Coupled CPD: confusions and prior that meet the moments of single workers, pairs and triples at once.
 *
 *   sum of n · |mean[u] - confusion[u]ᵀ prior|²
 *     + sum of n · |joint[u, v] - sum over k of prior[k] · c[u, k] ⊗ c[v, k]|²
 *     + sum of n · |joint[u, v, w] - sum over k of prior[k] · c[u, k] ⊗ c[v, k] ⊗ c[w, k]|²
 *
 * where c[u, k] is row k of confusion[u] and n the number of (common) tasks. Third moments settle what
 * pairs leave open: three workers who tell the classes apart are enough, and nobody has to be an expert.
 *
 * One worker after the other, then the prior: each is least squares on simplices given the rest, by
 * accelerated projected gradients that never raise the sum. It starts from MultiSPA.
 *
 * Traganitis, Pagès-Zamora & Giannakis (2018), IEEE Trans. Signal Processing 66(18), 4737–4752.
 * https://arxiv.org/abs/1712.02903
 */
import { singularValues } from "../../../math/matrix.ts";
import { createRandom } from "../../../math/random.ts";
import { simplexLeastSquares } from "../../../math/simplex-least-squares.ts";
import type { Steps } from "../../../method.ts";
import { type Estimate, momentMethod } from "./moment-fit.ts";
import { type PairMoments, pairMoments, pairOptions, priorOf } from "./moments.ts";
import { findCorners } from "./multi-spa.ts";
import { descendRows } from "./simplex-rows.ts";
import { type TripleMoments, tripleMoments } from "./triple-moments.ts";

/**
 * Coupled CPD: confusion matrices and prior that fit the moments of workers, pairs and triples at
 * once; then EM.
 */
export const coupledCpd = momentMethod(
  {
    id: "coupled-cpd",
    title: "Coupled CPD",
    summary:
      "Finds the confusion matrices and prior that fit the moments of workers, pairs and triples together; then EM.",
    paper: {
      authors: "P. A. Traganitis, A. Pagès-Zamora, G. B. Giannakis",
      year: 2018,
      title: "Blind multiclass ensemble classification",
      url: "https://arxiv.org/abs/1712.02903",
    },
    cost: "O(sum of squared labels per task) once, O(pairs·K³ + triples·K⁴) per iteration, 24 K³ bytes per triple; EM O(N·K)",
    total: ({ workers: W, classes: K }) => 30 * (W * Math.min(W, 50) * K ** 3 + 20 * W * K ** 4),
    options: {
      ...pairOptions,
      triples: {
        default: 20,
        min: 1,
        integer: true,
        help: "Maximum number of triples per worker.",
      },
      maxIterations: {
        default: 200,
        min: 1,
        integer: true,
        help: "Maximum number of rounds over all workers.",
      },
      precision: {
        default: 1e-6,
        min: 0,
        help: "Relative change of the sum of squares at which to stop.",
      },
    },
  },
  function* (data, L, options): Steps<Estimate> {
    const pairs = yield* pairMoments("coupled-cpd", data, L, options);
    const random = createRandom(options.seed).split("triples");
    const triples = yield* tripleMoments(data, pairs, options.triples, random);
    const { confusion, found } = findCorners(pairs, { minColumn: 10, align: "reference" });
    if (triples.common.length === 0) {
      return {
        confusion,
        found: found.fill(0),
        notes: ["No three workers labelled the same tasks, which this method needs."],
      };
    }
    const fitted = yield* meetMoments(pairs, triples, confusion, options);
    return { confusion: fitted.confusion, found, notes: rankNotes(fitted.confusion, found, pairs) };
  },
);

const stage = "meeting moments";

/** Workers between two steps: with many classes each takes a while. */
const WORKERS_PER_STEP = 4;

interface Limits {
  readonly maxIterations: number;
  readonly precision: number;
}

export interface Cpd {
  readonly confusion: Float64Array;
  readonly prior: Float64Array;
  /** The sum of squares after each round. */
  readonly misfit: readonly number[];
}

/** From a first guess to the least sum of squares. */
export function* meetMoments(
  pairs: PairMoments,
  triples: TripleMoments,
  start: Float64Array,
  { maxIterations, precision }: Limits,
): Steps<Cpd> {
  const { workers: W, classes: K, given: L } = pairs;
  const confusion = start.slice();
  const inner = new Float64Array(W * K * K);
  for (let w = 0; w < W; w++) setInner(inner, confusion, w, K, L);
  const state: State = { pairs, triples, ofWorker: triplesOf(triples, W), confusion, inner };
  const largest = sumOfSquares(pairs, triples);
  let prior = priorOf(pairs, confusion);
  const misfit: number[] = [];
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    for (let u = 0; u < W; u++) {
      if (pairs.labels[u] === 0) continue;
      const { gram, linear } = workerProblem(state, prior, u);
      descendRows(confusion.subarray(u * K * L, (u + 1) * K * L), gram, linear, K, L);
      setInner(inner, confusion, u, K, L);
      if (u % WORKERS_PER_STEP === 0) {
        yield { iteration, objective: misfit.length > 0 ? -misfit[misfit.length - 1] : 0, stage };
      }
    }
    const { gram, linear } = priorProblem(state);
    prior = simplexLeastSquares(gram, linear, K);
    let sum = largest;
    for (let i = 0; i < K; i++) {
      sum -= 2 * linear[i] * prior[i];
      for (let j = 0; j < K; j++) sum += prior[i] * gram[i * K + j] * prior[j];
    }
    const last = misfit.at(-1) ?? Infinity;
    // What is left of numbers that cancel is rounding.
    misfit.push(Math.max(0, sum));
    yield { iteration, objective: -sum, stage };
    if (last - sum <= precision * Math.max(0, sum) || sum <= 1e-14 * largest) break;
  }
  return { confusion, prior, misfit };
}

interface State {
  readonly pairs: PairMoments;
  readonly triples: TripleMoments;
  readonly ofWorker: readonly (readonly number[])[];
  readonly confusion: Float64Array;
  /** Inner products of the rows of each worker: inner[(worker * K + class) * K + class']. */
  readonly inner: Float64Array;
}

/** The triples of each worker. */
function triplesOf({ members }: TripleMoments, W: number): number[][] {
  const lists = Array.from({ length: W }, (): number[] => []);
  members.forEach((w, at) => {
    lists[w].push(Math.floor(at / 3));
  });
  return lists;
}

function setInner(
  inner: Float64Array,
  confusion: Float64Array,
  w: number,
  K: number,
  L: number,
): void {
  for (let i = 0; i < K; i++) {
    for (let j = 0; j < K; j++) {
      let sum = 0;
      for (let l = 0; l < L; l++) {
        sum += confusion[(w * K + i) * L + l] * confusion[(w * K + j) * L + l];
      }
      inner[(w * K + i) * K + j] = sum;
    }
  }
}

/** What the sum of squares would be if everything were predicted as 0. */
function sumOfSquares(pairs: PairMoments, triples: TripleMoments): number {
  const { given: L, labels, means, common, joint } = pairs;
  let sum = 0;
  means.forEach((share, at) => {
    sum += labels[Math.floor(at / L)] * share * share;
  });
  // Every pair stands twice.
  joint.forEach((share, at) => {
    sum += 0.5 * common[Math.floor(at / (L * L))] * share * share;
  });
  triples.joint.forEach((share, at) => {
    sum += triples.common[Math.floor(at / (L * L * L))] * share * share;
  });
  return sum;
}

interface Problem {
  readonly gram: Float64Array;
  readonly linear: Float64Array;
}

/** The squares as tr(AᵀGA) - 2 tr(BᵀA) in the confusion A of worker u. */
function workerProblem(
  { pairs, triples, ofWorker, confusion, inner }: State,
  prior: Float64Array,
  u: number,
): Problem {
  const { classes: K, given: L, labels, means, start, partner, common, joint } = pairs;
  const gram = new Float64Array(K * K).fill(labels[u]);
  const linear = new Float64Array(K * L).map((_, at) => labels[u] * means[u * L + (at % L)]);
  for (let p = start[u]; p < start[u + 1]; p++) {
    const v = partner[p];
    for (let at = 0; at < K * K; at++) gram[at] += common[p] * inner[v * K * K + at];
    for (let k = 0; k < K; k++) {
      const theirs = confusion.subarray((v * K + k) * L, (v * K + k + 1) * L);
      for (let own = 0; own < L; own++) {
        let seen = 0;
        for (let l = 0; l < L; l++) seen += joint[(p * L + own) * L + l] * theirs[l];
        linear[k * L + own] += common[p] * seen;
      }
    }
  }
  for (const i of ofWorker[u]) {
    const place = triples.members.subarray(3 * i, 3 * i + 3).indexOf(u);
    const [x, y] = [0, 1, 2].filter((other) => other !== place);
    const [v, w] = [triples.members[3 * i + x], triples.members[3 * i + y]];
    const weight = triples.common[i];
    for (let at = 0; at < K * K; at++) {
      gram[at] += weight * inner[v * K * K + at] * inner[w * K * K + at];
    }
    for (let k = 0; k < K; k++) {
      const seen = seenBy(
        triples,
        i,
        [place, x, y],
        confusion,
        (v * K + k) * L,
        (w * K + k) * L,
        L,
      );
      for (let own = 0; own < L; own++) linear[k * L + own] += weight * seen[own];
    }
  }
  for (let at = 0; at < K * K; at++) gram[at] *= prior[Math.floor(at / K)] * prior[at % K];
  for (let at = 0; at < K * L; at++) linear[at] *= prior[Math.floor(at / L)];
  return { gram, linear };
}

/** The moments of a triple, with two of its workers replaced by a row of each: one number per label. */
function seenBy(
  { joint }: TripleMoments,
  i: number,
  [place, x, y]: readonly number[],
  confusion: Float64Array,
  rowX: number,
  rowY: number,
  L: number,
): Float64Array {
  const stride = [L * L, L, 1];
  const seen = new Float64Array(L);
  for (let own = 0; own < L; own++) {
    const from = i * L * L * L + own * stride[place];
    for (let a = 0; a < L; a++) {
      let sum = 0;
      for (let b = 0; b < L; b++)
        sum += joint[from + a * stride[x] + b * stride[y]] * confusion[rowY + b];
      seen[own] += sum * confusion[rowX + a];
    }
  }
  return seen;
}

/** The squares as dᵀGd - 2 bᵀd in the prior d. */
function priorProblem({ pairs, triples, confusion, inner }: State): Problem {
  const { workers: W, classes: K, given: L, labels, means, start, partner, common, joint } = pairs;
  const gram = new Float64Array(K * K);
  const linear = new Float64Array(K);
  const row = (w: number, k: number) => confusion.subarray((w * K + k) * L, (w * K + k + 1) * L);
  for (let u = 0; u < W; u++) {
    for (let at = 0; at < K * K; at++) gram[at] += labels[u] * inner[u * K * K + at];
    for (let k = 0; k < K; k++) {
      row(u, k).forEach((rate, l) => {
        linear[k] += labels[u] * rate * means[u * L + l];
      });
    }
    for (let p = start[u]; p < start[u + 1]; p++) {
      const v = partner[p];
      if (v < u) continue;
      for (let at = 0; at < K * K; at++) {
        gram[at] += common[p] * inner[u * K * K + at] * inner[v * K * K + at];
      }
      for (let k = 0; k < K; k++) {
        const [own, theirs] = [row(u, k), row(v, k)];
        for (let cell = 0; cell < L * L; cell++) {
          linear[k] +=
            common[p] * joint[p * L * L + cell] * own[Math.floor(cell / L)] * theirs[cell % L];
        }
      }
    }
  }
  for (let i = 0; i < triples.common.length; i++) {
    const [u, v, w] = triples.members.subarray(3 * i, 3 * i + 3);
    for (let at = 0; at < K * K; at++) {
      gram[at] +=
        triples.common[i] * inner[u * K * K + at] * inner[v * K * K + at] * inner[w * K * K + at];
    }
    for (let k = 0; k < K; k++) {
      const seen = seenBy(triples, i, [0, 1, 2], confusion, (v * K + k) * L, (w * K + k) * L, L);
      row(u, k).forEach((rate, l) => {
        linear[k] += triples.common[i] * rate * seen[l];
      });
    }
  }
  return { gram, linear };
}

/** A warning where fewer than three workers tell all classes apart. */
function rankNotes(
  confusion: Float64Array,
  found: Uint8Array,
  { classes: K, given: L }: PairMoments,
): string[] {
  let full = 0;
  found.forEach((is, w) => {
    const values = singularValues(confusion.subarray(w * K * L, (w + 1) * K * L), K, L);
    if (is && values[K - 1] > 0.01 * values[0]) full++;
  });
  if (full >= 3) return [];
  return [
    `Only ${full} workers tell all classes apart; with fewer than 3 the answer is not unique.`,
  ];
}
