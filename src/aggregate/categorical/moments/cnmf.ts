/**
 * CNMF: the confusions and the prior under which the labels of all pairs of workers are likeliest.
 *
 *   F = sum over pairs u < v of common[u, v] · KL(joint[u, v] || confusion[u]ᵀ D confusion[v])
 *
 * with D = diag(prior): coupled nonnegative matrix factorisation, which is a composite likelihood. It
 * needs no class experts, only classes that are scattered enough over the labels of the crowd, and can do
 * with pairs that are missing. Minimised by EM for a latent class of each pair of labels,
 *
 *   P(k | u says l, v says m) ∝ prior[k] · confusion[u, k, l] · confusion[v, k, m]
 *   confusion[u, k, l] ∝ sum over v, m of common · joint[u, v, l, m] · P(k | l, m)
 *   prior[k]           ∝ the same, summed over l and over pairs
 *
 * which keeps rows on the simplex and never raises F. It starts from MultiSPA.
 *
 * Ibrahim, Fu, Kargas & Huang (2019), NeurIPS. https://arxiv.org/abs/1909.12325
 */
import { FLOOR, sharesOf } from "../../../belief/shares.ts";
import type { Steps } from "../../../method.ts";
import { type Estimate, momentMethod } from "./moment-fit.ts";
import { type PairMoments, pairMoments, pairOptions, priorOf } from "./moments.ts";
import { findCorners, multiSpa } from "./multi-spa.ts";

/**
 * CNMF: confusion matrices and prior that make the labels of all pairs of workers most likely; then
 * EM.
 */
export const cnmf = momentMethod(
  {
    id: "cnmf",
    title: "CNMF",
    summary:
      "Finds the confusion matrices and prior that maximise the likelihood of all pairs of workers; then EM.",
    paper: multiSpa.paper,
    cost: "O(sum of squared labels per task) once, O(pairs·K³) per iteration, 16 K² bytes per pair; EM O(N·K)",
    options: {
      ...pairOptions,
      maxIterations: {
        default: 500,
        min: 1,
        integer: true,
        help: "Maximum number of iterations of the factorisation.",
      },
      precision: {
        default: 1e-7,
        min: 0,
        help: "Relative change of the objective at which the factorisation stops.",
      },
    },
  },
  function* (data, L, options): Steps<Estimate> {
    const moments = yield* pairMoments("cnmf", data, L, options);
    const start = findCorners(moments, { minColumn: 10, align: "reference" });
    const confusion = start.confusion.map((rate) => Math.max(1e-3, rate));
    const { found } = start;
    return { ...(yield* factorise(moments, confusion, options)), found };
  },
);

interface Limits {
  readonly maxIterations: number;
  readonly precision: number;
}

export interface Factors {
  readonly confusion: Float64Array;
  readonly prior: Float64Array;
  /** F after each iteration, in nats; 0 where the moments are met exactly. */
  readonly divergence: readonly number[];
}

/** From a first guess to the least F; rows need not sum to 1 at the start. */
export function* factorise(
  moments: PairMoments,
  start: Float64Array,
  { maxIterations, precision }: Limits,
): Steps<Factors> {
  const { workers: W, classes: K, given: L } = moments;
  const confusion = start.slice();
  for (let row = 0; row < confusion.length; row += L) normaliseRow(confusion, row, L);
  const prior = priorOf(moments, confusion).map((share) => Math.max(1e-3, share));
  sharesOf(prior.slice(), prior);
  const divergence: number[] = [];
  const counts = new Float64Array(confusion.length);
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    const F = expect(moments, confusion, prior, counts);
    const last = divergence.at(-1) ?? Infinity;
    divergence.push(F);
    yield { iteration, objective: -F, stage: "factorising" };
    if (Math.abs(last - F) <= precision * Math.abs(F)) break;
    const totals = new Float64Array(K);
    for (let at = 0; at < counts.length; at++) totals[Math.floor(at / L) % K] += counts[at];
    sharesOf(totals, prior);
    for (let w = 0; w < W; w++) {
      if (moments.start[w] === moments.start[w + 1]) continue;
      for (let k = 0; k < K; k++) {
        const row = (w * K + k) * L;
        for (let l = 0; l < L; l++) confusion[row + l] = Math.max(FLOOR, counts[row + l]);
        normaliseRow(confusion, row, L);
      }
    }
  }
  return { confusion, prior, divergence };
}

/** Expected labels of each class under the pairs, counts[(worker * K + class) * L + label]; returns F. */
function expect(
  { classes: K, given: L, workers: W, start, partner, common, joint }: PairMoments,
  confusion: Float64Array,
  prior: Float64Array,
  counts: Float64Array,
): number {
  counts.fill(0);
  const share = new Float64Array(K);
  let F = 0;
  for (let u = 0; u < W; u++) {
    for (let p = start[u]; p < start[u + 1]; p++) {
      const v = partner[p];
      if (v < u) continue;
      for (let own = 0; own < L; own++) {
        for (let theirs = 0; theirs < L; theirs++) {
          const observed = joint[(p * L + own) * L + theirs];
          if (observed === 0) continue;
          let total = 0;
          for (let k = 0; k < K; k++) {
            share[k] =
              prior[k] * confusion[(u * K + k) * L + own] * confusion[(v * K + k) * L + theirs];
            total += share[k];
          }
          const weight = common[p] * observed;
          F += weight * Math.log(observed / total);
          for (let k = 0; k < K; k++) {
            const expected = (weight * share[k]) / total;
            counts[(u * K + k) * L + own] += expected;
            counts[(v * K + k) * L + theirs] += expected;
          }
        }
      }
    }
  }
  return F;
}

function normaliseRow(rows: Float64Array, from: number, L: number): void {
  let total = 0;
  for (let l = from; l < from + L; l++) total += rows[l];
  for (let l = from; l < from + L; l++) rows[l] /= total;
}
