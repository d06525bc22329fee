/**
 * Tensor augmentation and completion: labels as a table of workers × tasks × classes, with one worker more,
 * who is the truth, and smoothed until it is nearly of low rank.
 *
 *   Y[w, t, ·] = the label of worker w on task t, as shares of classes; missing where there is none
 *   Y[truth, t, ·] = the vote shares of task t
 *
 *   minimise  sum over the three ways to unfold X of |M[i]|* + β/2 · |X[i] - M[i]|²,   X = Y where Y is known
 *
 * with |·|* the sum of singular values. In turns: M[i] is X[i] with its singular values lowered by 1/β, and
 * X, where nothing is known, the mean of the three M. The layer of the truth in that mean is the answer:
 * votes, corrected by what tasks with similar labels have in common.
 *
 * A model of the table and not of people: it learns no skills, and its posterior is no probability.
 *
 * Zhou & He (2016), IJCAI. https://www.ijcai.org/proceedings/2016
 */

import { clampGold } from "../../../belief/known.ts";
import { decide } from "../../../belief/ties.ts";
import { labelShares, normalise, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { CrowdError } from "../../../error.ts";
import { maxOf } from "../../../math/lists.ts";
import { projectToSimplex } from "../../../math/simplex.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { agreementWith } from "../votes/wawa.ts";
import { largestSingular, type Sizes, shrink } from "./low-rank.ts";

/** The largest table, in cells. */
const MOST_CELLS = 2e7;

/** What tensor augmentation and completion finds beyond the answers. */
export interface PgTac extends Fit {
  /** The layer of the truth as it was completed: score[task * K + class]. */
  readonly score: Float64Array;
}

/**
 * Tensor augmentation and completion: smooths the table of workers, tasks and classes, with the
 * votes as one more worker.
 */
export const pgTac = aggregator(
  {
    id: "pg-tac",
    title: "Tensor augmentation and completion",
    summary:
      "Completes the low-rank tensor of workers, tasks and classes, with the votes as an additional worker.",
    paper: {
      authors: "Y. Zhou, J. He",
      year: 2016,
      title: "Crowdsourcing via tensor augmentation and completion",
      url: "https://www.ijcai.org/proceedings/2016",
    },
    family: "spectral",
    probabilistic: false,
    cost: "O(T·W·K · min(T, W·K)) per iteration, 32 T·W·K bytes; at most 20 million cells",
    work: ({ workers, tasks: T, classes: K }) => {
      const W = workers + 1;
      return W * T * K * Math.min(T, W * K);
    },
    options: {
      shrinkage: {
        default: 0.05,
        min: 0,
        max: 1,
        help: "Shrinkage of the singular values, as a share of the largest one of each unfolding.",
      },
      maxIterations: { default: 50, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Relative change of the objective at which to stop.",
      },
    },
  },
  function* (data, options, { known, K }): Steps<PgTac> {
    const W = data.workers.length;
    const T = data.tasks.length;
    checkSize(W, T, K);
    const { table, known: seen } = augment(data, known.gold);
    const { completed, trace, converged } = yield* complete(table, seen, [W + 1, T, K], options);
    const score = completed.slice(W * T * K);
    const posterior = score.slice();
    for (let t = 0; t < T; t++) projectToSimplex(posterior, t * K, (t + 1) * K);
    normalise(posterior, K);
    clampGold(data, known, posterior);
    const prior = labelShares(data);
    return {
      posterior,
      prior,
      skill: agreementWith(data, decide(data, posterior, prior, options).consensus),
      score,
      trace,
      converged,
    };
  },
);

function checkSize(W: number, T: number, K: number): void {
  const cells = (W + 1) * T * K;
  if (cells <= MOST_CELLS) return;
  throw new CrowdError(
    "too-large",
    `pg-tac: a table of ${W + 1} workers × ${T} tasks × ${K} classes has ${cells} cells and would take ` +
      `${Math.ceil((32 * cells) / 1e6)} MB; at most ${MOST_CELLS} cells are allowed. Use dawid-skene or wawa, ` +
      `whose memory grows with the labels.`,
  );
}

/** The labels as table[(worker * T + task) * K + class], the votes (or gold) last, and which cells are known. */
function augment(data: CategoricalData, gold: Int32Array | undefined) {
  const K = data.classes.length;
  const [W, T] = [data.workers.length, data.tasks.length];
  const table = new Float64Array((W + 1) * T * K);
  const known = new Uint8Array(table.length);
  for (let i = 0; i < data.label.length; i++) {
    const from = (data.worker[i] * T + data.task[i]) * K;
    table[from + data.label[i]] += data.weight ? data.weight[i] : 1;
    known.fill(1, from, from + K);
  }
  // Several labels of one worker on a task are shares; what is not known stays 0.
  for (let from = 0; from < W * T * K; from += K) {
    if (known[from] === 1) normalise(table.subarray(from, from + K), K);
  }
  const votes = voteShares(data);
  clampGold(data, { ...(gold && { gold }) }, votes);
  table.set(votes, W * T * K);
  known.fill(1, W * T * K);
  return { table, known };
}

/** Turns of shrinking all three unfoldings and filling in their mean; the mean of the last is the result. */
export function* complete(
  table: Float64Array,
  known: Uint8Array,
  sizes: Sizes,
  options: {
    readonly shrinkage: number;
    readonly maxIterations: number;
    readonly tolerance: number;
  },
): Steps<{ completed: Float64Array; trace: number[]; converged: boolean }> {
  const x = table.slice();
  const sides = [0, 1, 2] as const;
  // One β for all three: by the largest singular value of any.
  const amount = options.shrinkage * maxOf(sides.map((side) => largestSingular(x, sizes, side)));
  const trace: number[] = [];
  let converged = false;
  let mean = x.slice();
  for (let iteration = 1; iteration <= options.maxIterations && !converged; iteration++) {
    mean = new Float64Array(x.length);
    let objective = 0;
    for (const side of sides) {
      const { shrunk, nuclear } = shrink(x, sizes, side, amount);
      let squared = 0;
      for (let at = 0; at < x.length; at++) {
        squared += (x[at] - shrunk[at]) ** 2;
        mean[at] += shrunk[at] / 3;
      }
      objective -= amount * nuclear + 0.5 * squared;
    }
    const last = trace.at(-1);
    trace.push(objective);
    yield { iteration, objective };
    converged =
      last !== undefined && Math.abs(objective - last) <= options.tolerance * Math.abs(objective);
    for (let at = 0; at < x.length; at++) if (known[at] === 0) x[at] = mean[at];
  }
  return { completed: mean, trace, converged };
}
