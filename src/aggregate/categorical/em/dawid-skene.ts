/**
 * Dawid–Skene: every task has a hidden class, every worker a matrix of habits.
 *
 *   z[t]      ~ Categorical(prior)                 true class of task t
 *   label[i]  ~ Categorical(confusion[w, z[t]])    what worker w called task t
 *
 * EM, starting from the vote shares. E step: eq. 2.5; M step: eqs. 2.3 and 2.4, plus `smoothing`
 * pseudo-labels (0 is the paper's maximum likelihood) and `shrinkage` towards the crowd's pooled matrix.
 * Strong when workers mix up particular classes; weak when a worker has fewer than about K²
 * labels, where one-coin, ibcc or a `shrinkage` do better.
 *
 * Dawid & Skene (1979), Applied Statistics 28(1), 20–28. https://doi.org/10.2307/2346806
 */
import { anchorOption } from "../../../belief/class-names.ts";
import { exposureOf, skillOf, tableBytes, transpose } from "../../../belief/confusion-table.ts";
import { taskBase } from "../../../belief/known.ts";
import { priorOption } from "../../../em/class-prior.ts";
import { type Climb, climbOptions } from "../../../em/climb.ts";
import { liveConfusion, smoothingOption } from "../../../em/confusion.ts";
import { climbFrom, type Snapshot } from "../../../em/confusion-em.ts";
import { createExpectation } from "../../../kernels/expectation.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";
import { goldSupport, startChoices, startingPoints, startNote } from "./starts.ts";

/** What Dawid–Skene finds beyond the answers. */
export interface DawidSkene extends Fit {
  readonly confusion: Float64Array;
  /** The final objective of each start, best or not, in the order tried. */
  readonly objectives: Float64Array;
}

/**
 * Dawid–Skene: each worker has a confusion matrix; classes and matrices are learnt together by EM.
 */
export const dawidSkene = aggregator(
  {
    id: "dawid-skene",
    title: "Dawid–Skene",
    summary: "Each worker has a confusion matrix; EM estimates classes and matrices together.",
    paper: {
      authors: "A. P. Dawid, A. M. Skene",
      year: 1979,
      title: "Maximum likelihood estimation of observer error-rates using the EM algorithm",
      url: "https://doi.org/10.2307/2346806",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N·K + W·K²) per iteration, W·K² memory",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      ...climbOptions,
      ...priorOption,
      ...smoothingOption,
      shrinkage: {
        default: 0,
        min: 0,
        unit: "labels",
        help: "Pseudo-labels per row, distributed like the pooled confusion matrix of the crowd.",
      },
      start: {
        default: "votes",
        choices: startChoices,
        help: "Start of EM: vote shares, the majority vote, random draws around the vote shares, or a moment method.",
      },
      anchor: {
        ...anchorOption.anchor,
        help: "Workers who name the classes of a moment start: all, or the most informative ones. Gold overrides both.",
      },
      starts: {
        default: 1,
        min: 1,
        integer: true,
        help: "Number of starts (votes, hard votes, then random); the best objective wins.",
      },
    },
    live: liveConfusion,
  },
  function* (data, options, context): Steps<DawidSkene> {
    const { known, engine, K, L } = context;
    const shape = { workers: data.workers.length, classes: K, given: L };
    const model = createExpectation(
      { ...data, tasks: data.tasks.length, ...shape, base: taskBase(data, known) },
      engine,
    );
    const fits: (Climb & Snapshot)[] = [];
    const { points, notes } = yield* startingPoints(data, options, context);
    for (const posterior of points) {
      fits.push(yield* climbFrom(posterior, data, options, context, model, shape));
    }
    const goldLabels = known.gold?.some((k) => k >= 0) ? known.gold : undefined;
    const score = ({ trace, counts, prior }: Climb & Snapshot) =>
      goldLabels
        ? goldSupport(data, goldLabels, counts, prior, options.smoothing, shape)
        : (trace.at(-1) ?? 0);
    const ranked = fits.toSorted((a, b) => score(b) - score(a));
    const [best, second] = ranked;
    const confusion = transpose(best.rates, shape);
    return {
      posterior: best.posterior,
      prior: best.prior,
      confusion,
      exposure: exposureOf(best.counts, shape),
      skill: skillOf(confusion, best.prior, shape),
      trace: best.trace,
      converged: best.converged,
      objectives: Float64Array.from(fits, ({ trace }) => trace.at(-1) ?? 0),
      notes: second ? [...notes, startNote(best, second, K)] : notes,
    };
  },
);
