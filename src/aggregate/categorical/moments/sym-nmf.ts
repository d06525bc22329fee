/**
 * SymNMF: the moments of all pairs as one symmetric matrix, completed where pairs are missing, and then
 * turned until nothing is negative.
 *
 *   X = H Hᵀ      H = [confusion[u]ᵀ · diag(prior)^½] for all workers u, one below the other
 *
 * The blocks of X are the moments of pairs. Those on the diagonal, each worker with themself, are never
 * seen, and of the others many are missing. Three steps:
 *
 * 1. Completion: joint[u, v] - mean[u] mean[v]ᵀ ≈ V[u] V[v]ᵀ with L × (K - 1) blocks, a worker at a time
 *    by least squares, pairs weighted by their common tasks and less where they do not fit.
 * 2. U[u] = [mean[u], V[u]] is H[u] up to a rotation Q. It is sought with all entries of U Q at least 0:
 *    those below a threshold that falls to 0 are set to 0, then Q becomes the rotation that comes nearest
 *    to that. From MultiSPA and from random rotations; the least negative part wins.
 * 3. The columns of H[u] sum to √prior[k]; divided by their sums they are the rows of confusion[u].
 *
 * Ibrahim & Fu (2021), ICML, PMLR 139. https://arxiv.org/abs/2106.07193
 */
import { normal } from "../../../math/distributions.ts";
import { multiply, svd } from "../../../math/matrix.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { complete } from "./moment-completion.ts";
import { type Estimate, momentMethod } from "./moment-fit.ts";
import { type PairMoments, pairMoments, pairOptions, priorOf } from "./moments.ts";
import { findCorners } from "./multi-spa.ts";

/**
 * SymNMF: completes the moments of pairs of workers and factorises them without negative numbers;
 * then EM.
 */
export const symNmf = momentMethod(
  {
    id: "sym-nmf",
    title: "SymNMF",
    summary:
      "Completes the moments of pairs of workers and factorises them without negative numbers; then EM.",
    paper: {
      authors: "S. Ibrahim, X. Fu",
      year: 2021,
      title:
        "Crowdsourcing via annotator co-occurrence imputation and provable symmetric nonnegative matrix factorization",
      url: "https://arxiv.org/abs/2106.07193",
    },
    cost: "O(sum of squared labels per task) once, O(pairs·K³) per sweep, 16 K² bytes per pair; EM O(N·K)",
    options: {
      ...pairOptions,
      sweeps: {
        default: 200,
        min: 1,
        integer: true,
        help: "Maximum number of sweeps over the workers to complete the moments.",
      },
      precision: {
        default: 1e-6,
        min: 0,
        help: "Relative change of the misfit at which the completion stops.",
      },
      rotations: {
        default: 20,
        min: 0,
        integer: true,
        help: "Number of random rotations to start from, besides that of MultiSPA.",
      },
    },
  },
  function* (data, L, options): Steps<Estimate> {
    return yield* factoriseSymmetric(yield* pairMoments("sym-nmf", data, L, options), options);
  },
);

export interface SymNmfSettings {
  readonly sweeps: number;
  readonly precision: number;
  readonly rotations: number;
  readonly seed: number;
}

/** The confusions behind the moments of pairs. */
export function* factoriseSymmetric(
  moments: PairMoments,
  { sweeps, precision, rotations, seed }: SymNmfSettings,
): Steps<Estimate> {
  const { workers: W, classes: K, given: L } = moments;
  const random = createRandom(seed).split("sym-nmf");
  const found = Uint8Array.from({ length: W }, (_, w) =>
    moments.start[w + 1] > moments.start[w] ? 1 : 0,
  );
  const centred = { ...moments, classes: K - 1, joint: covariances(moments) };
  const { factor: rest } = yield* complete(centred, random.split("completion"), {
    sweeps,
    precision,
  });
  const factor = withMeans(rest, moments);
  const first = findCorners(moments, { minColumn: 10, align: "reference" }).confusion;
  const starts = [
    nearestRotation(factor, stacked(first, priorOf(moments, first), moments), K),
    ...Array.from({ length: rotations }, (_, r) => randomRotation(K, random.split(r))),
  ];
  let best = { rotation: starts[0], negative: Infinity };
  for (const [r, start] of starts.entries()) {
    const ended = turnPositive(factor, start, K, { iterations: 60, precision: 1e-3 });
    if (ended.negative < best.negative) best = ended;
    yield { iteration: r + 1, objective: -ended.negative, stage: "turning" };
  }
  const { rotation } = turnPositive(factor, best.rotation, K, {
    iterations: 1000,
    precision: 1e-9,
  });
  const turned = multiply(factor, rotation, W * L, K, K);
  const confusion = new Float64Array(W * K * L);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      const column = (l: number) => Math.max(0, turned[(w * L + l) * K + k]);
      let sum = 0;
      for (let l = 0; l < L; l++) sum += column(l);
      for (let l = 0; l < L; l++)
        confusion[(w * K + k) * L + l] = sum > 0 ? column(l) / sum : 1 / L;
    }
  }
  return { confusion, found };
}

/** joint[u, v] - mean[u] mean[v]ᵀ of all pairs, which has one dimension less. */
function covariances({ given: L, workers: W, start, partner, means, joint }: PairMoments) {
  const centred = joint.slice();
  for (let u = 0; u < W; u++) {
    for (let p = start[u]; p < start[u + 1]; p++) {
      for (let cell = 0; cell < L * L; cell++) {
        centred[p * L * L + cell] -=
          means[u * L + Math.floor(cell / L)] * means[partner[p] * L + (cell % L)];
      }
    }
  }
  return centred;
}

/** The means as the first of K columns, the factor of the covariances as the rest. */
function withMeans(rest: Float64Array, { classes: K, means }: PairMoments): Float64Array {
  return new Float64Array(means.length * K).map((_, at) => {
    const row = Math.floor(at / K);
    return at % K === 0 ? means[row] : rest[row * (K - 1) + (at % K) - 1];
  });
}

/** H[(worker * L + label) * K + class] of confusions and a prior. */
function stacked(
  confusion: Float64Array,
  prior: Float64Array,
  { classes: K, given: L }: PairMoments,
): Float64Array {
  return new Float64Array(confusion.length).map((_, at) => {
    const k = at % K;
    const [w, l] = [Math.floor(at / (K * L)), Math.floor(at / K) % L];
    return Math.sqrt(prior[k]) * confusion[(w * K + k) * L + l];
  });
}

/**
 * Turns until nothing is negative: H is U Q without what is below a threshold, which falls from a tenth
 * of the largest entry to 0, and Q the rotation that brings U nearest to H.
 */
export function turnPositive(
  factor: Float64Array,
  start: Float64Array,
  K: number,
  { iterations, precision }: { readonly iterations: number; readonly precision: number },
): { rotation: Float64Array; negative: number } {
  const rows = factor.length / K;
  const largest = factor.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const target = new Float64Array(factor.length);
  let rotation = start;
  let negative = Infinity;
  for (let iteration = 0; iteration < iterations; iteration++) {
    const threshold = 0.1 * largest * Math.max(0, 1 - iteration / 20);
    const last = negative;
    negative = 0;
    for (let row = 0; row < rows * K; row += K) {
      for (let k = 0; k < K; k++) {
        let x = 0;
        for (let j = 0; j < K; j++) x += factor[row + j] * rotation[j * K + k];
        if (x < 0) negative += x * x;
        target[row + k] = x > threshold ? x : 0;
      }
    }
    if (iteration > 20 && last - negative <= precision * negative) break;
    rotation = nearestRotation(factor, target, K);
  }
  return { rotation, negative };
}

/** The rotation Q of least |U Q - H|: P Vᵀ where Uᵀ H = P S Vᵀ. */
function nearestRotation(factor: Float64Array, target: Float64Array, K: number): Float64Array {
  const cross = new Float64Array(K * K);
  for (let row = 0; row < factor.length; row += K) {
    for (let i = 0; i < K; i++) {
      for (let j = 0; j < K; j++) cross[i * K + j] += factor[row + i] * target[row + j];
    }
  }
  const { u, v } = svd(cross, K, K);
  return new Float64Array(K * K).map((_, at) => {
    let sum = 0;
    for (let s = 0; s < K; s++) sum += u[Math.floor(at / K) * K + s] * v[(at % K) * K + s];
    return sum;
  });
}

/** Uniform over all rotations and reflections. */
function randomRotation(K: number, random: Random): Float64Array {
  const { u, v } = svd(
    Float64Array.from({ length: K * K }, () => normal(random)),
    K,
    K,
  );
  const turned = new Float64Array(K * K);
  for (let i = 0; i < K; i++) for (let j = 0; j < K; j++) turned[j * K + i] = v[i * K + j];
  return multiply(u, turned, K, K, K);
}
