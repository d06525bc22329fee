/**
 * Dawid–Skene for workers who label groups of tasks differently: one confusion matrix per worker and group of tasks.
 *
 *   z[t]      ~ Categorical(prior[a])               a: the group of task t
 *   label[i]  ~ Categorical(confusion[w, a, z[t]])
 *
 *   pooled[w, k, l]        ∝ Σ_a count[w, a, k, l] + smoothing
 *   confusion[w, a, k, l]  ∝ count[w, a, k, l] + smoothing + s · pooled[w, k, l]
 *
 * EM from the vote shares. Each matrix is shrunk to the worker's own over all groups, with s = 1 label per row. The class
 * prior is one per group: with a shared one, groups in which a class is common would look like biased workers. A larger s
 * moves the bias from the matrices into the priors, where it stays in the answers: with s = 10 and 100 labels per worker
 * the parity difference is that of Dawid–Skene.
 *
 * Without gold, a bias that most workers share in one group looks like a different prior of that group: such results are
 * flagged `unsupervised`. A biased half of the crowd is found.
 *
 * Dawid & Skene (1979), Applied Statistics 28(1), 20–28. https://doi.org/10.2307/2346806
 */
import { type Known, startingPosterior, taskBase } from "../../belief/known.ts";
import { FLOOR, sharesOf } from "../../belief/shares.ts";
import { decide } from "../../belief/ties.ts";
import { labelShares, voteShares } from "../../belief/votes.ts";
import { byTask, type CategoricalData } from "../../data/categorical.ts";
import { sortedWeights } from "../../data/sorted-weights.ts";
import { climb } from "../../em/climb.ts";
import { CrowdError } from "../../error.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import { drain, type Steps } from "../../method.ts";
import { groupingOf } from "./attributes.ts";

/** Settings of `fairDawidSkene`. */
export interface FairDawidSkeneOptions {
  /** Labels per row by which a matrix is shrunk to the worker's own over all groups. Default: 1. */
  readonly shrinkage?: number | undefined;
  /** Pseudo-count added to every cell. Default: .01. */
  readonly smoothing?: number | undefined;
  /** Maximum number of iterations. Default: 100. */
  readonly maxIterations?: number | undefined;
  /** Relative change of the objective at which to stop. Default: 1e-6. */
  readonly tolerance?: number | undefined;
  /** Gold is clamped, and makes the result supervised. */
  readonly known?: Pick<Known, "gold"> | undefined;
}

/** Answers, and what each worker does in each group of tasks. */
export interface FairDawidSkene {
  /** Names of the groups; tasks without an attribute are a group of their own, named "". */
  readonly groups: readonly string[];
  /** P(class | labels) as posterior[task * K + class]. */
  readonly posterior: Float64Array;
  /** The most probable class of each task. */
  readonly consensus: Int32Array;
  /** P(class) of each group: prior[group * K + class]. */
  readonly prior: Float64Array;
  /** P(label | class, worker, group): confusion[((worker * G + group) * K + class) * K + label]. */
  readonly confusion: Float64Array;
  /** P(label | class, worker) over all groups: pooled[(worker * K + class) * K + label]. */
  readonly pooled: Float64Array;
  /** The objective after each iteration, in nats. */
  readonly trace: Float64Array;
  readonly converged: boolean;
  /** True without gold: biases that most workers share are then taken for differences between groups. */
  readonly unsupervised: boolean;
  readonly notes: readonly string[];
}

/** Fits one confusion matrix per worker and group of tasks: `groups[task]` by name. O(N K) per iteration. */
export function fairDawidSkene(
  data: CategoricalData,
  groups: readonly string[],
  options: FairDawidSkeneOptions = {},
): FairDawidSkene {
  return drain(fairDawidSkeneSteps(data, groups, options));
}

/** The same, step by step. */
export function* fairDawidSkeneSteps(
  data: CategoricalData,
  groups: readonly string[],
  options: FairDawidSkeneOptions = {},
): Steps<FairDawidSkene> {
  const { shrinkage = 1, smoothing = 0.01, maxIterations = 100, tolerance = 1e-6 } = options;
  for (const [name, value] of Object.entries({ shrinkage, smoothing, tolerance })) {
    if (value >= 0 && value < Infinity) continue;
    throw new CrowdError("bad-option", `fairDawidSkene: ${name} must be at least 0, not ${value}.`);
  }
  const known = options.known ?? {};
  const { names, of } = groupingOf("task", groups, data.tasks.length);
  const unknown = of.includes(-1);
  const group = unknown ? of.map((g) => (g < 0 ? names.length : g)) : of;
  const G = names.length + Number(unknown);
  const state = createState(data, group, G, known);
  const { trace, converged } = yield* climb(
    {
      maximise: () => maximise(state, smoothing, shrinkage),
      infer: () => infer(state) + penalty(state, smoothing, shrinkage),
      change: () => state.change,
    },
    { maxIterations, tolerance },
  );
  const unsupervised = !known.gold?.some((k) => k >= 0);
  const { posterior } = state;
  const { consensus } = decide(data, posterior, labelShares(data), { ties: "prior", seed: 0 });
  return {
    groups: unknown ? [...names, ""] : names,
    posterior,
    consensus,
    prior: state.prior,
    confusion: state.confusion,
    pooled: state.pooled,
    trace: Float64Array.from(trace),
    converged,
    unsupervised,
    notes: [
      ...(unsupervised
        ? ["No gold: a bias that most workers share cannot be told from a difference of groups."]
        : []),
      ...(converged ? [] : [`Stopped after ${trace.length} iterations, before it converged.`]),
    ],
  };
}

interface State {
  readonly data: CategoricalData;
  readonly group: Int32Array;
  readonly K: number;
  readonly G: number;
  readonly base: Float64Array | undefined;
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
  readonly confusion: Float64Array;
  readonly pooled: Float64Array;
  /** Largest change of a posterior in the last E step. */
  change: number;
}

function createState(
  data: CategoricalData,
  group: Int32Array,
  G: number,
  known: Pick<Known, "gold">,
): State {
  const K = data.classes.length;
  const [W, T, given] = [data.workers.length, data.tasks.length, known.gold?.length];
  if (given !== undefined && given !== T) {
    const rule = `known.gold must hold ${T} classes, not ${given}.`;
    throw new CrowdError("bad-option", `fairDawidSkene: ${rule}`);
  }
  return {
    data,
    group,
    K,
    G,
    change: 1,
    base: taskBase(data, known),
    posterior: startingPosterior(data, known, voteShares(data)),
    prior: new Float64Array(G * K),
    confusion: new Float64Array(W * G * K * K),
    pooled: new Float64Array(W * K * K),
  };
}

/** M step: expected counts to matrices and priors. */
function maximise(state: State, smoothing: number, shrinkage: number): void {
  const { data, group, K, G, posterior, prior, confusion, pooled } = state;
  const totals = new Float64Array(G * K);
  for (let t = 0; t < group.length; t++) {
    for (let k = 0; k < K; k++) totals[group[t] * K + k] += posterior[t * K + k];
  }
  for (let g = 0; g < G; g++) {
    sharesOf(totals.subarray(g * K, (g + 1) * K), prior.subarray(g * K, (g + 1) * K));
  }
  confusion.fill(0);
  pooled.fill(0);
  for (let i = 0; i < data.label.length; i++) {
    const [t, w, l] = [data.task[i], data.worker[i], data.label[i]];
    if (l >= K) continue;
    const count = data.weight ? data.weight[i] : 1;
    for (let k = 0; k < K; k++) {
      const expected = count * posterior[t * K + k];
      confusion[((w * G + group[t]) * K + k) * K + l] += expected;
      pooled[(w * K + k) * K + l] += expected;
    }
  }
  normaliseRows(pooled, K, () => smoothing);
  normaliseRows(
    confusion,
    K,
    (row, l) => smoothing + shrinkage * pooled[pooledRow(row, G, K) * K + l],
  );
}

/** The row of the worker's own matrix that a row of a group belongs to. */
function pooledRow(row: number, G: number, K: number): number {
  return Math.floor(row / (G * K)) * K + (row % K);
}

function normaliseRows(
  table: Float64Array,
  K: number,
  pseudo: (row: number, label: number) => number,
): void {
  for (let row = 0; row * K < table.length; row++) {
    let total = 0;
    for (let l = 0; l < K; l++) {
      table[row * K + l] = Math.max(FLOOR, table[row * K + l] + pseudo(row, l));
      total += table[row * K + l];
    }
    for (let l = 0; l < K; l++) table[row * K + l] /= total;
  }
}

/** E step; returns the log-likelihood. */
function infer(state: State): number {
  const { data, group, K, G, base, posterior, prior, confusion } = state;
  const { start, other, label } = byTask(data);
  const weight = sortedWeights(data, data.task, start);
  const logs = confusion.map(Math.log);
  const scores = new Float64Array(K);
  let sum = 0;
  state.change = 0;
  for (let t = 0; t < group.length; t++) {
    for (let k = 0; k < K; k++) {
      scores[k] = Math.log(prior[group[t] * K + k] * (base ? base[t * K + k] : 1));
    }
    for (let i = start[t]; i < start[t + 1]; i++) {
      if (label[i] >= K) continue;
      const from = (other[i] * G + group[t]) * K * K + label[i];
      const count = weight ? weight[i] : 1;
      for (let k = 0; k < K; k++) scores[k] += count * logs[from + k * K];
    }
    sum += normalizeLog(scores, 0, K);
    for (let k = 0; k < K; k++) {
      state.change = Math.max(state.change, Math.abs(scores[k] - posterior[t * K + k]));
      posterior[t * K + k] = scores[k];
    }
  }
  return sum;
}

/** Returns the log density of the pseudo-labels, without its constant. */
function penalty({ K, G, confusion, pooled }: State, smoothing: number, shrinkage: number): number {
  let sum = 0;
  for (let at = 0; at < confusion.length; at++) {
    const row = pooledRow(Math.floor(at / K), G, K);
    sum += (smoothing + shrinkage * pooled[row * K + (at % K)]) * Math.log(confusion[at]);
  }
  return sum;
}
