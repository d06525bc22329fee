/**
 * Spectral Dawid–Skene: third moments of three groups of workers give the confusions without a start.
 *
 *   Z[g, t] = how often group g gave each label on task t;   E[Z[g] | class k] = m[g, k]
 *   E[Z[a] Z[b]ᵀ] = sum of prior[k] · m[a, k] m[b, k]ᵀ
 *   E[Z[a] ⊗ Z[b] ⊗ Z[c]] = sum of prior[k] · m[a, k] ⊗ m[b, k] ⊗ m[c, k]
 *
 * 1. Second moments carry groups a and b over to group c, so that both are of m[c, k] alone.
 * 2. Whitened by the second moment, the third is an orthogonal tensor; the power method from many random
 *    directions finds its largest eigenvector, which is taken out, K times. Eigenvectors are the m[c, k].
 * 3. The groups' classes are brought into one order through their second moments.
 * 4. With the m of the two other groups a worker's confusion is linear in E[Z[w] Z[others]ᵀ].
 *
 * Needs three groups of overlapping workers whose moments have rank K; otherwise it falls back to votes.
 *
 * Zhang, Chen, Zhou & Jordan (2016), JMLR 17(102), 1–44. https://jmlr.org/papers/v17/14-511.html
 */
import { multiply } from "../../../math/matrix.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { agreeOnClasses, sortByDiagonal } from "./class-order.ts";
import { type GroupMoments, groupMoments } from "./group-moments.ts";
import { type Estimate, momentMethod } from "./moment-fit.ts";
import { priorOf } from "./moments.ts";
import { invertRank, tensorComponents, whiten } from "./tensor-power.ts";

/**
 * Spectral Dawid–Skene: third moments of three groups of workers give every confusion matrix; then
 * EM.
 */
export const spectralDawidSkene = momentMethod(
  {
    id: "spectral-dawid-skene",
    title: "Spectral Dawid–Skene",
    summary:
      "Third moments of three groups of workers give all confusion matrices without initialisation; then EM.",
    paper: {
      authors: "Y. Zhang, X. Chen, D. Zhou, M. I. Jordan",
      year: 2016,
      title: "Spectral methods meet EM: a provably optimal algorithm for crowdsourcing",
      url: "https://jmlr.org/papers/v17/14-511.html",
    },
    cost: "O(N·K + T·K³) for the moments, O(starts·K⁵) for the tensor, W·K² memory; EM O(N·K) per iteration",
    options: {
      groups: {
        default: "order",
        choices: ["order", "balanced"],
        help: "Three groups of workers: every third worker in order, or dealt out by number of labels.",
      },
      starts: {
        default: 100,
        min: 1,
        integer: true,
        help: "Number of random directions per eigenvector.",
      },
      powerIterations: {
        default: 100,
        min: 1,
        integer: true,
        help: "Maximum number of power iterations per direction.",
      },
    },
  },
  function* (data, L, options): Steps<Estimate> {
    const random = createRandom(options.seed).split("tensor");
    return yield* decompose(groupMoments(data, L, options.groups), options, random);
  },
);

export interface SpectralSettings {
  readonly groups: "order" | "balanced";
  readonly starts: number;
  readonly powerIterations: number;
  readonly seed: number;
}

/** The confusions of all workers from the moments of three groups. */
export function* decompose(
  moments: GroupMoments,
  options: Pick<SpectralSettings, "starts" | "powerIterations">,
  random: Random,
): Steps<Estimate> {
  const { between, workers: W } = moments;
  const { classes: K, given: L } = between;
  const centres = new Float64Array(3 * K * L);
  for (let c = 0; c < 3; c++) {
    const whitened = whiten(moments, c);
    if (!whitened) return { ...nothing(W, K, L), notes: [RANK_NOTE] };
    const found = tensorComponents(whitened, K, L, options, random.split(c));
    centres.set(found, c * K * L);
    yield { iteration: c + 1, objective: 0, stage: "third moments" };
  }
  sortByDiagonal(centres, between);
  agreeOnClasses(centres, new Uint8Array(3).fill(1), between);
  const prior = priorOf(between, centres);
  const confusion = new Float64Array(W * K * L);
  for (let w = 0; w < W; w++) {
    confusion.set(workerTable(moments, w, centres, prior), w * K * L);
  }
  return { confusion, found: Uint8Array.from(moments.labels, (n) => (n > 0 ? 1 : 0)) };
}

const RANK_NOTE =
  "The second moments of three groups of workers do not tell the classes apart, so this starts from the votes.";

function nothing(W: number, K: number, L: number): Estimate {
  return { confusion: new Float64Array(W * K * L).fill(1 / L), found: new Uint8Array(W) };
}

/** confusion[w]ᵀ = E[Z[w] Z[others]ᵀ] (D m[others]ᵀ)⁺ up to scale, none below 1e-6. */
function workerTable(
  { between, groupOf, cross }: GroupMoments,
  w: number,
  centres: Float64Array,
  prior: Float64Array,
): Float64Array {
  const { classes: K, given: L } = between;
  const others = new Float64Array(K * L);
  for (let g = 0; g < 3; g++) {
    if (g === groupOf[w]) continue;
    for (let at = 0; at < K * L; at++) {
      others[at] += prior[Math.floor(at / L)] * centres[g * K * L + at];
    }
  }
  const inverse = invertRank(others, K, L, K);
  const table = multiply(cross.subarray(w * L * L, (w + 1) * L * L), inverse, L, L, K);
  const rows = new Float64Array(K * L);
  for (let k = 0; k < K; k++) {
    let total = 0;
    for (let l = 0; l < L; l++) total += rows[k * L + l] = Math.max(1e-6, table[l * K + k]);
    for (let l = 0; l < L; l++) rows[k * L + l] /= total;
  }
  return rows;
}
