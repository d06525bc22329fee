/**
 * A symmetric matrix of blocks, one for each pair of workers, from those that were seen:
 * joint[u, v] ≈ U[u] U[v]ᵀ, with a block of L × K numbers per worker.
 *
 * Sweeps over the workers: each block is the weighted least-squares solution given the others, with
 * weights n / √(1 + n |joint - U[u] U[v]ᵀ|²), n being the common tasks of the pair: iteratively
 * reweighted least squares for the sum of √(1 + n |…|²) - 1 over pairs, plus ½ |U|². Starts from the
 * leading eigenvectors of the matrix of all pairs, with 0 where a pair is missing.
 */
import { normal } from "../../../math/distributions.ts";
import {
  cholesky,
  multiply,
  pseudoInverse,
  solveCholesky,
  symmetricEigen,
} from "../../../math/matrix.ts";
import type { Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import type { PairMoments } from "./moments.ts";

export interface Completion {
  /** As factor[(worker * L + label) * K + column]; unique up to a rotation of the columns. */
  readonly factor: Float64Array;
  /** The sum over pairs after each sweep. */
  readonly misfit: readonly number[];
}

export function* complete(
  moments: PairMoments,
  random: Random,
  { sweeps, precision }: { readonly sweeps: number; readonly precision: number },
): Steps<Completion> {
  const factor = leadingFactor(moments, random);
  const misfit: number[] = [];
  const weights = new Float64Array(moments.partner.length);
  for (let sweep = 1; sweep <= sweeps; sweep++) {
    const loss = reweigh(moments, factor, weights);
    const last = misfit.at(-1) ?? Infinity;
    misfit.push(loss);
    yield { iteration: sweep, objective: -loss, stage: "completing" };
    if (last - loss <= precision * loss) break;
    for (let u = 0; u < moments.workers; u++) solveWorker(moments, factor, weights, u);
  }
  return { factor, misfit };
}

/** Weights of all pairs under the current misfits; returns their sum of √(1 + n |…|²) - 1. */
function reweigh(
  { classes: K, given: L, workers: W, start, partner, common, joint }: PairMoments,
  factor: Float64Array,
  weights: Float64Array,
): number {
  let loss = 0;
  for (let u = 0; u < W; u++) {
    for (let p = start[u]; p < start[u + 1]; p++) {
      const v = partner[p];
      let squared = 0;
      for (let own = 0; own < L; own++) {
        for (let theirs = 0; theirs < L; theirs++) {
          let gap = joint[(p * L + own) * L + theirs];
          for (let k = 0; k < K; k++) {
            gap -= factor[(u * L + own) * K + k] * factor[(v * L + theirs) * K + k];
          }
          squared += gap * gap;
        }
      }
      const root = Math.sqrt(1 + common[p] * squared);
      weights[p] = common[p] / root;
      // √(1 + x) - 1 without loss of digits where x is small; each pair stands twice.
      loss += (0.5 * common[p] * squared) / (root + 1);
    }
  }
  return loss;
}

/** Added to the diagonal, as one task would: a worker with little to say is taken to tell nothing. */
const RIDGE = 1;

/** U[u] = (sum of w · joint · U[v]) (sum of w · U[v]ᵀ U[v])⁻¹ */
function solveWorker(
  { classes: K, given: L, start, partner, joint }: PairMoments,
  factor: Float64Array,
  weights: Float64Array,
  u: number,
): void {
  if (start[u] === start[u + 1]) return;
  const gram = new Float64Array(K * K).map((_, at) => (at % (K + 1) === 0 ? RIDGE : 0));
  const right = new Float64Array(L * K);
  for (let p = start[u]; p < start[u + 1]; p++) {
    const from = partner[p] * L * K;
    for (let theirs = 0; theirs < L; theirs++) {
      const row = from + theirs * K;
      for (let k = 0; k < K; k++) {
        const weighted = weights[p] * factor[row + k];
        for (let j = 0; j < K; j++) gram[k * K + j] += weighted * factor[row + j];
        for (let own = 0; own < L; own++) {
          right[own * K + k] += weighted * joint[(p * L + own) * L + theirs];
        }
      }
    }
  }
  factor.set(multiply(right, inverse(gram, K), L, K, K), u * L * K);
}

/** The inverse of a symmetric matrix; the pseudo-inverse where it has none. */
function inverse(gram: Float64Array, K: number): Float64Array {
  const lower = cholesky(gram, K);
  if (!lower) return pseudoInverse(gram, K, K);
  const result = new Float64Array(K * K);
  const x = new Float64Array(K);
  for (let column = 0; column < K; column++) {
    x.fill(0);
    x[column] = 1;
    solveCholesky(lower, x, K);
    for (let i = 0; i < K; i++) result[i * K + column] = x[i];
  }
  return result;
}

/** The leading eigenvectors of the matrix of all pairs times the roots of their eigenvalues. */
function leadingFactor(moments: PairMoments, random: Random): Float64Array {
  const { workers: W, classes: K, given: L } = moments;
  const rows = W * L;
  let basis: Float64Array = Float64Array.from({ length: rows * K }, () => normal(random));
  for (let step = 0; step < 50; step++) {
    const moved = timesPairs(moments, basis);
    // Half of the identity keeps negative eigenvalues, which the missing diagonal makes, below the others.
    for (let at = 0; at < moved.length; at++) moved[at] += 0.5 * basis[at];
    basis = orthonormal(moved, rows, K);
  }
  const moved = timesPairs(moments, basis);
  const small = new Float64Array(K * K);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < K; i++) {
      for (let j = 0; j < K; j++) small[i * K + j] += basis[row * K + i] * moved[row * K + j];
    }
  }
  const { values, vectors } = symmetricEigen(small, K);
  const scaled = vectors.map((x, at) => x * Math.sqrt(Math.max(1e-6, values[at % K])));
  return multiply(basis, scaled, rows, K, K);
}

/** The block matrix of all pairs, 0 where one is missing, times a matrix of K columns. */
function timesPairs(
  { classes: K, given: L, workers: W, start, partner, joint }: PairMoments,
  basis: Float64Array,
): Float64Array {
  const product = new Float64Array(basis.length);
  for (let u = 0; u < W; u++) {
    for (let p = start[u]; p < start[u + 1]; p++) {
      for (let own = 0; own < L; own++) {
        const to = (u * L + own) * K;
        for (let theirs = 0; theirs < L; theirs++) {
          const share = joint[(p * L + own) * L + theirs];
          const from = (partner[p] * L + theirs) * K;
          for (let k = 0; k < K; k++) product[to + k] += share * basis[from + k];
        }
      }
    }
  }
  return product;
}

/** The nearest matrix with orthonormal columns, through the K × K inner products. */
function orthonormal(a: Float64Array, rows: number, K: number): Float64Array {
  const gram = new Float64Array(K * K);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < K; i++) {
      for (let j = 0; j < K; j++) gram[i * K + j] += a[row * K + i] * a[row * K + j];
    }
  }
  const { values, vectors } = symmetricEigen(gram, K);
  const scale = vectors.map((x, at) => x / Math.sqrt(Math.max(1e-300, values[at % K])));
  return multiply(a, scale, rows, K, K);
}
