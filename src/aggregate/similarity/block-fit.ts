/** Clusters, workers and their rates by mean field: what crowd-clusters is, and what others start from. */
import { digamma, logBeta, logMultivariateBeta } from "../../math/gamma.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import type { Progress } from "../../method.ts";
import { certain, countAnswers, crowdRates, type Frame, type Rates } from "./frame.ts";

/** How a fit goes. */
export interface BlockSettings {
  /** Answers that the rates of the crowd count for in those of a worker. */
  readonly strength: number;
  readonly maxIterations: number;
  readonly tolerance: number;
}

export const usual: BlockSettings = { strength: 10, maxIterations: 300, tolerance: 1e-7 };

export interface BlockFit extends Rates {
  /** q[item * K + cluster]. */
  readonly q: Float64Array;
  readonly trace: number[];
  readonly converged: boolean;
  /** The rates of the crowd. */
  readonly crowd: { readonly alike: number; readonly apart: number };
}

/** Iterations in which the rates of the crowd are learnt, and the first that may be the last. */
const [LEARNT, LEAST] = [20, 23];

/** Share of the first belief that is on the cluster an item begins in. */
export const START = 0.8;

/** Fits K clusters from a first partition. */
export function* fitBlocks(
  frame: Frame,
  K: number,
  labels: Int32Array,
  { strength, maxIterations, tolerance }: BlockSettings,
): Generator<Progress, BlockFit, void> {
  const q = certain(labels, K, START);
  const S = new Float64Array(frame.left.length);
  const trace: number[] = [];
  let crowd = { alike: 0.5, apart: 0.5 };
  let table: Float64Array = new Float64Array(0);
  let converged = false;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const sums = countAnswers(frame, q, K, S);
    if (iteration <= LEARNT) crowd = crowdRates(sums);
    const prior = [crowd.alike, 1 - crowd.alike, crowd.apart, 1 - crowd.apart].map(
      (rate) => strength * rate,
    );
    table = sums.map((n, at) => n + prior[at % 4]);
    const sizes = sizesOf(q, K);
    const objective = evidence(table, prior, sizes, q);
    const before = trace.at(-1);
    trace.push(objective);
    step(frame, q, K, table, sizes);
    yield { iteration, objective };
    converged =
      iteration >= LEAST &&
      before !== undefined &&
      Math.abs(objective - before) <= tolerance * Math.abs(objective);
  }
  const rate = (from: number) =>
    Float64Array.from(
      { length: frame.W },
      (_, w) => table[w * 4 + from] / (table[w * 4 + from] + table[w * 4 + from + 1]),
    );
  return { q, trace, converged, crowd, alike: rate(0), apart: rate(2) };
}

/** Parameters of the Dirichlet of cluster sizes. */
function sizesOf(q: Float64Array, K: number): Float64Array {
  const sizes = new Float64Array(K).fill(1);
  for (let at = 0; at < q.length; at++) sizes[at % K] += q[at];
  return sizes;
}

/** The bound on the log evidence, at the best rates and sizes for these memberships. */
function evidence(
  table: Float64Array,
  prior: readonly number[],
  sizes: Float64Array,
  q: Float64Array,
): number {
  let sum =
    logMultivariateBeta(sizes) - logMultivariateBeta(new Float64Array(sizes.length).fill(1));
  for (let at = 0; at < table.length; at += 2) {
    sum += logBeta(table[at], table[at + 1]) - logBeta(prior[at % 4], prior[(at % 4) + 1]);
  }
  for (const share of q) if (share > 0) sum -= share * Math.log(share);
  return sum;
}

/** Moves all items at once half of the way to what the others say of them. */
function step(
  frame: Frame,
  q: Float64Array,
  K: number,
  table: Float64Array,
  sizes: Float64Array,
): void {
  const gain = gains(table);
  const wanted = new Float64Array(q.length);
  const size = sizes.map(digamma);
  for (let at = 0; at < wanted.length; at++) wanted[at] = size[at % K];
  const { left, right, worker, same, weight } = frame;
  for (let i = 0; i < left.length; i++) {
    const e = weight[i] * gain[worker[i] * 2 + (same[i] ? 0 : 1)];
    const [l, r] = [left[i] * K, right[i] * K];
    for (let c = 0; c < K; c++) {
      wanted[l + c] += e * q[r + c];
      wanted[r + c] += e * q[l + c];
    }
  }
  for (let i = 0; i < frame.N; i++) normalizeLog(wanted, i * K, (i + 1) * K);
  for (let at = 0; at < q.length; at++) q[at] = (q[at] + wanted[at]) / 2;
}

/** What "same" and "different" of each worker add to the belief that two items are alike: gains[w * 2..]. */
function gains(table: Float64Array): Float64Array {
  return Float64Array.from({ length: table.length / 2 }, (_, at) => {
    const from = Math.floor(at / 2) * 4;
    const psi = (cell: number) => digamma(table[from + cell]);
    const total = (cell: number) => digamma(table[from + cell] + table[from + cell + 1]);
    return psi(at % 2) - total(0) - psi(2 + (at % 2)) + total(2);
  });
}
