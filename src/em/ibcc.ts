/**
 * M step of variational Bayes with Dirichlet beliefs (iBCC): counts to exp(E log rate).
 *
 *   belief[w, k] = Dirichlet(prior[w, k, ·] + count[w, k, ·])
 *
 * Tables are laid out as [(worker * L + label) * K + class], the order of the kernels.
 */
import { type Shape, skillOf } from "../belief/confusion-table.ts";
import { digamma } from "../math/gamma.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { createClassBelief } from "./class-belief.ts";
import { expectClasses, openTask } from "./class-prior.ts";
import { copyBelief, expectLabels, packed } from "./confusion.ts";
import { expectLogs, LEAST_LOG } from "./dirichlet.ts";
import type { LiveContext, LiveModel } from "./live.ts";

/** Prior counts of right labels per class, and of each wrong label. */
export interface DirichletSettings {
  readonly diagonal: number;
  readonly offDiagonal: number;
}

/** Returns the prior counts of all workers; a worker's past is added to the crowd's prior. */
export function priorTable(
  { workers: W, classes: K, given: L }: Shape,
  settings: DirichletSettings,
  history: Float64Array | undefined,
): Float64Array {
  const beta = new Float64Array(W * L * K);
  for (let w = 0; w < W; w++) {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) {
        beta[(w * L + l) * K + k] = priorCount(settings, history, (w * K + k) * L, k, l);
      }
    }
  }
  return beta;
}

/** Returns the prior count of one cell; `row` is where its row starts in the history. */
function priorCount(
  { diagonal, offDiagonal }: DirichletSettings,
  history: Float64Array | undefined,
  row: number,
  k: number,
  l: number,
): number {
  // A worker who came after the history was given has none.
  const past = history ? (history[row + l] ?? 0) : 0;
  return (l === k ? diagonal : offDiagonal) + past;
}

/**
 * Writes exp(E log rate) of every worker, class and label, and returns `divergence` plus the
 * divergence of all beliefs from their prior.
 */
export function expectRates(
  counts: Float64Array,
  beta: Float64Array,
  { workers: W, classes: K, given: L }: Shape,
  rates: Float64Array,
  divergence: number,
): number {
  const row = new Float64Array(L);
  const own = new Float64Array(L);
  let sum = divergence;
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      const from = w * L * K + k;
      for (let l = 0; l < L; l++) {
        own[l] = beta[from + l * K];
        row[l] = own[l] + counts[from + l * K];
      }
      sum += expectLogs(row, own, rates.subarray(from), K);
    }
  }
  return sum;
}

/**
 * Writes E log P(label | class) of worker `w`, whose counts start at `from`, for one label and every
 * class to into[class]: the log of one column of what `expectRates` writes for all workers.
 */
export function expectLabelLogs(
  counts: Float64Array,
  from: number,
  settings: DirichletSettings,
  history: Float64Array | undefined,
  w: number,
  label: number,
  { K, L }: { readonly K: number; readonly L: number },
  into: Float64Array,
): void {
  for (let k = 0; k < K; k++) {
    let total = 0;
    let own = 0;
    for (let l = 0; l < L; l++) {
      const prior = priorCount(settings, history, (w * K + k) * L, k, l);
      const count = prior + counts[from + l * K + k];
      total += count;
      if (l === label) own = count;
    }
    into[k] = Math.max(LEAST_LOG, digamma(own) - digamma(total));
  }
}

/** Returns the mean of each worker's beliefs, confusion[(worker * K + class) * L + label]. */
export function meanConfusion(
  beta: Float64Array,
  counts: Float64Array,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const confusion = new Float64Array(W * K * L);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      let total = 0;
      for (let l = 0; l < L; l++) {
        const at = (w * L + l) * K + k;
        confusion[(w * K + k) * L + l] = beta[at] + counts[at];
        total += beta[at] + counts[at];
      }
      for (let l = 0; l < L; l++) confusion[(w * K + k) * L + l] /= total;
    }
  }
  return confusion;
}

/** Returns the model in the form that live inference keeps up to date. */
export function liveIbcc(
  options: DirichletSettings & {
    readonly classCount: number;
    readonly prior: "learn" | "uniform";
  },
  { K, L, room, known }: LiveContext,
): LiveModel {
  const sizes = { K, L };
  const cells = room * K;
  const classCounts = new Float64Array(K).fill(options.classCount);
  const classes = createClassBelief({ classes: { length: K } }, known, options.prior, classCounts);
  const { history } = known;
  const said = new Float64Array(K);
  const shapeOf = (W: number): Shape => ({ workers: W, classes: K, given: L });
  let classDivergence = 0;
  return {
    cells,
    width: K,
    pools: false,
    prior: classes.shares,
    mass: (_label, weight) => weight,
    unit: (label, belief, at, into) => copyBelief(belief, at, into, label * K),
    learn(totals) {
      classDivergence = classes.update(totals.tasks);
    },
    open: (base, at, scores) => openTask(classes.factor, base, at, scores),
    hear(counts, w, label, weight, scores) {
      expectLabelLogs(counts, w * cells, options, history, w, label, sizes, said);
      for (let k = 0; k < K; k++) scores[k] += weight * said[k];
    },
    close: (scores) => {
      normalizeLog(scores, 0, K);
    },
    skills(statistics, W) {
      const shape = shapeOf(W);
      const counts = packed(statistics, W, cells, L * K);
      const beta = priorTable(shape, options, history);
      return skillOf(meanConfusion(beta, counts, shape), classes.shares, shape);
    },
    objective(statistics, W, totals) {
      const shape = shapeOf(W);
      const counts = packed(statistics, W, cells, L * K);
      const rates = new Float64Array(W * L * K);
      const beta = priorTable(shape, options, history);
      const divergence = expectRates(counts, beta, shape, rates, classDivergence);
      return expectLabels(counts, rates) + expectClasses(totals.tasks, classes.factor) - divergence;
    },
  };
}
