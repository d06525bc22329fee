/**
 * Fast Dawid–Skene: Dawid–Skene that makes up its mind after every E step.
 *
 *   z[t]     = the most probable class of task t under the current confusions
 *   confusion, prior = counts under these classes, plus `smoothing`
 *
 * Hard (classification) EM on the model of Dawid–Skene: it climbs log P(labels, z) in z and the
 * confusions in turns, and ends when no task changes its class, mostly after a handful of steps.
 * Only tasks that changed touch the counts, which are whole numbers and so never drift. `hybrid`
 * runs soft EM until the class shares move by less than `switchTolerance`, then hardens.
 *
 * For millions of labels and a first look. Its confusions are more extreme than those of
 * dawid-skene, so its posterior, taken from the last E step, is too sure of itself. Without
 * smoothing one empty cell forbids a class for good.
 *
 * Sinha, Rao & Balasubramanian (2018), KDD WISDOM. https://doi.org/10.48550/arXiv.1803.02781
 */
import { normaliseTable, skillOf, tableBytes, transpose } from "../../../belief/confusion-table.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { decide, type Ties } from "../../../belief/ties.ts";
import { labelShares, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { logDensity, smoothingOption } from "../../../em/confusion.ts";
import { createExpectation } from "../../../kernels/expectation.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What fast Dawid–Skene finds beyond the answers. */
export interface FastDawidSkene extends Fit {
  readonly confusion: Float64Array;
  /** How many tasks changed their class in each iteration; none in the last if it converged. */
  readonly changes: Int32Array;
}

/**
 * Fast Dawid–Skene: Dawid–Skene with one class per task instead of probabilities, in a few fast
 * steps.
 */
export const fastDawidSkene = aggregator(
  {
    id: "fast-dawid-skene",
    title: "Fast Dawid–Skene",
    summary:
      "Dawid–Skene with hard assignments instead of probabilities: converges in a few fast steps.",
    paper: {
      authors: "V. B. Sinha, S. Rao, V. N. Balasubramanian",
      year: 2018,
      title: "Fast Dawid-Skene: a fast vote aggregation scheme for sentiment classification",
      url: "https://doi.org/10.48550/arXiv.1803.02781",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N·K + W·K²) per iteration, W·K² memory",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      ...priorOption,
      variant: {
        default: "hard",
        choices: ["hard", "hybrid"],
        help: "Hard assignments from the start, or only after soft EM has nearly converged.",
      },
      switchTolerance: {
        default: 0.005,
        min: 0,
        help: "With hybrid: summed change of the class shares below which assignments become hard.",
      },
      ...smoothingOption,
      maxIterations: { default: 100, min: 1, integer: true, help: "Maximum number of iterations." },
    },
  },
  function* (data, options, { known, engine, K, L }): Steps<FastDawidSkene> {
    const shape = { workers: data.workers.length, classes: K, given: L };
    const model = createExpectation(
      { ...data, tasks: data.tasks.length, ...shape, base: taskBase(data, known) },
      engine,
    );
    const prior = createClassPrior(data, known, options.prior);
    const { smoothing } = options;
    const { history } = known;
    const pseudo = (w: number, k: number, l: number) =>
      smoothing + (history ? history[(w * K + k) * L + l] : 0);
    const hard = createHardCounts(data, options, labelShares(data), known.gold, L);
    model.startFrom(startingPosterior(data, known, voteShares(data)));
    hard.follow(model.posterior);

    let soft = options.variant === "hybrid";
    let shares = sharesOfTasks(model.totals);
    const trace: number[] = [];
    const changes: number[] = [];
    let converged = false;
    for (let iteration = 1; iteration <= options.maxIterations && !converged; iteration++) {
      prior.update(soft ? model.totals : hard.totals);
      normaliseTable(soft ? model.counts : hard.counts, pseudo, shape, model.rates);
      const penalty = logDensity(model.rates, pseudo, shape) + prior.logDensity();
      const marginal = model.infer(prior.factor) + penalty;
      const changed = hard.follow(model.posterior);
      const objective = marginal + hard.logCertainty(model.posterior);
      trace.push(objective);
      changes.push(changed);
      yield { iteration, objective };
      converged = changed === 0 && !soft;
      const before = shares;
      shares = sharesOfTasks(model.totals);
      soft &&=
        shares.reduce((sum, p, k) => sum + Math.abs(p - before[k]), 0) > options.switchTolerance;
    }
    const confusion = transpose(model.rates, shape);
    return {
      posterior: model.posterior.slice(),
      prior: prior.shares,
      confusion,
      skill: skillOf(confusion, prior.shares, shape),
      trace,
      converged,
      changes: Int32Array.from(changes),
    };
  },
);

/** One class per task, and the counts under these classes, kept up to date by what changes. */
interface HardCounts {
  /** Labels by class, as counts[(worker * L + label) * K + class]. */
  readonly counts: Float64Array;
  /** Tasks by class. */
  readonly totals: Float64Array;
  /** Takes the most probable classes over, and returns how many tasks changed. */
  follow(posterior: Float64Array): number;
  /** log P(classes | labels): what the marginal likelihood lacks to that of labels and classes. */
  logCertainty(posterior: Float64Array): number;
}

/** Tasks without labels or gold, and ties where the rule abstains, have no class and count nowhere. */
function createHardCounts(
  data: CategoricalData,
  options: { readonly ties: Ties; readonly seed: number },
  vote: Float64Array,
  gold: Int32Array | undefined,
  L: number,
): HardCounts {
  const K = data.classes.length;
  const { task, worker, label, weight } = data;
  const counts = new Float64Array(data.workers.length * L * K);
  const totals = new Float64Array(K);
  const { starts, order } = orderByTask(task, data.tasks.length);
  const classes = new Int32Array(data.tasks.length).fill(-1);

  /** Adds a task and its labels to a class, or takes them away. */
  const move = (t: number, k: number, sign: 1 | -1) => {
    if (k < 0) return;
    totals[k] += sign;
    for (let j = starts[t]; j < starts[t + 1]; j++) {
      const i = order[j];
      counts[(worker[i] * L + label[i]) * K + k] += sign * (weight ? weight[i] : 1);
    }
  };
  const follow = (posterior: Float64Array): number => {
    let ties: Int32Array | undefined;
    let changed = 0;
    for (let t = 0; t < classes.length; t++) {
      if (starts[t] === starts[t + 1] && !(gold && gold[t] >= 0)) continue;
      const was = classes[t];
      const best = largest(posterior, t * K, K);
      // As probable as any other: no reason to change.
      if (was >= 0 && posterior[t * K + was] >= posterior[t * K + best] - 1e-12) continue;
      if (isTied(posterior, t * K, K, best)) {
        ties ??= decide(data, posterior, vote, options).consensus;
        classes[t] = ties[t];
      } else classes[t] = best;
      if (classes[t] === was) continue;
      changed++;
      move(t, was, -1);
      move(t, classes[t], 1);
    }
    return changed;
  };
  const logCertainty = (posterior: Float64Array): number => {
    let sum = 0;
    // A running product, so that most tasks need no logarithm.
    let product = 1;
    for (let t = 0; t < classes.length; t++) {
      if (classes[t] >= 0) product *= posterior[t * K + classes[t]];
      if (product > 1e-200) continue;
      sum += Math.log(product);
      product = 1;
    }
    return sum + Math.log(product);
  };
  return { counts, totals, follow, logCertainty };
}

/** The labels of task t are order[starts[t]..starts[t + 1]]. */
function orderByTask(task: Int32Array, T: number): { starts: Int32Array; order: Int32Array } {
  const starts = new Int32Array(T + 1);
  for (let i = 0; i < task.length; i++) starts[task[i] + 1]++;
  for (let t = 0; t < T; t++) starts[t + 1] += starts[t];
  const next = starts.slice();
  const order = new Int32Array(task.length);
  for (let i = 0; i < task.length; i++) order[next[task[i]]++] = i;
  return { starts, order };
}

function largest(posterior: Float64Array, from: number, K: number): number {
  let best = 0;
  for (let k = 1; k < K; k++) if (posterior[from + k] > posterior[from + best]) best = k;
  return best;
}

function isTied(posterior: Float64Array, from: number, K: number, best: number): boolean {
  for (let k = 0; k < K; k++) {
    if (k !== best && posterior[from + k] >= posterior[from + best] - 1e-12) return true;
  }
  return false;
}

function sharesOfTasks(totals: Float64Array): Float64Array {
  const total = totals.reduce((sum, count) => sum + count, 0);
  return totals.map((count) => (total > 0 ? count / total : 0));
}
