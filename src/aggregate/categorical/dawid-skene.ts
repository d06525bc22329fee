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
import type { CrowdDataset } from "../../dataset/dataset.ts";
import { createExpectation, type Expectation } from "../../kernels/expectation.ts";
import type { Steps } from "../../method.ts";
import { aggregator, type Context, type Fit, probabilisticOptions } from "./aggregator.ts";
import { createClassPrior, priorOption } from "./class-prior.ts";
import { type Climb, climb, climbOptions } from "./climb.ts";
import { exposureOf, normaliseTable, type Shape, skillOf, transpose } from "./confusion-table.ts";
import { taskBase } from "./known.ts";
import { goldSupport, startingPoints, startNote } from "./starts.ts";

export interface DawidSkene extends Fit {
  readonly confusion: Float64Array;
  /** The final objective of each start, best or not, in the order tried. */
  readonly objectives: Float64Array;
}

export const dawidSkene = aggregator(
  {
    id: "dawid-skene",
    title: "Dawid–Skene",
    summary: "Each worker has a confusion matrix; classes and matrices are learnt together by EM.",
    paper: {
      authors: "A. P. Dawid, A. M. Skene",
      year: 1979,
      title: "Maximum likelihood estimation of observer error-rates using the EM algorithm",
      url: "https://doi.org/10.2307/2346806",
    },
    probabilistic: true,
    cost: "O(N·K + W·K²) an iteration, W·K² memory",
    options: {
      ...probabilisticOptions,
      ...climbOptions,
      ...priorOption,
      smoothing: { default: 0.01, min: 0, unit: "labels", help: "Added to every confusion cell." },
      shrinkage: {
        default: 0,
        min: 0,
        unit: "labels",
        help: "Pseudo-labels a row, spread like the crowd's pooled confusion.",
      },
      start: {
        default: "votes",
        choices: ["votes", "hard-votes", "random"],
        help: "Where EM starts: vote shares, the voted class, or shares drawn around the votes.",
      },
      starts: {
        default: 1,
        min: 1,
        integer: true,
        help: "How many starts to try (votes, hard votes, then random); the best objective wins.",
      },
    },
  },
  function* (data, options, context): Steps<DawidSkene> {
    const { known, engine, K, L } = context;
    const shape = { workers: data.workers.length, classes: K, given: L };
    const model = createExpectation(
      { ...data, tasks: data.tasks.length, ...shape, base: taskBase(data, known) },
      engine,
    );
    const fits: (Climb & Snapshot)[] = [];
    for (const posterior of startingPoints(data, options, context)) {
      fits.push(yield* fitFrom(posterior, data, options, context, model, shape));
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
      notes: second ? [startNote(best, second, K)] : [],
    };
  },
);

interface Settings {
  readonly start: "votes" | "hard-votes" | "random";
  readonly starts: number;
  readonly seed: number;
  readonly smoothing: number;
  readonly shrinkage: number;
  readonly prior: "learn" | "uniform";
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** What a finished run leaves behind, copied out of the kernels' memory. */
interface Snapshot {
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
  readonly rates: Float64Array;
  readonly counts: Float64Array;
}

/** EM from one posterior to its end. */
function* fitFrom(
  start: Float64Array,
  data: CrowdDataset,
  options: Settings,
  { known, L }: Context,
  model: Expectation,
  shape: Shape,
): Steps<Climb & Snapshot> {
  const prior = createClassPrior(data, known, options.prior);
  const { smoothing, shrinkage } = options;
  const { history } = known;
  const K = shape.classes;
  let pooled: Float64Array = new Float64Array(K * L);
  const pseudo = (w: number, k: number, l: number) =>
    smoothing + shrinkage * pooled[k * L + l] + (history ? history[(w * K + k) * L + l] : 0);
  model.startFrom(start);
  const climbed = yield* climb(
    {
      maximise() {
        prior.update(model.totals);
        if (shrinkage > 0) pooled = pooledConfusion(model.counts, smoothing, shape);
        normaliseTable(model.counts, pseudo, shape, model.rates);
      },
      infer() {
        const penalty = logDensity(model.rates, pseudo, shape) + prior.logDensity();
        return model.infer(prior.factor) + penalty;
      },
      change: model.change,
    },
    options,
  );
  return {
    ...climbed,
    posterior: model.posterior.slice(),
    prior: prior.shares,
    rates: model.rates.slice(),
    counts: model.counts.slice(),
  };
}

/** The crowd's confusion, pooled[class * L + label]: all workers' counts together. */
function pooledConfusion(
  counts: Float64Array,
  smoothing: number,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const pooled = new Float64Array(K * L);
  for (let w = 0; w < W; w++) {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) pooled[k * L + l] += counts[(w * L + l) * K + k];
    }
  }
  for (let k = 0; k < K; k++) {
    let total = 0;
    for (let l = 0; l < L; l++) total += pooled[k * L + l] + smoothing;
    for (let l = 0; l < L; l++) {
      pooled[k * L + l] = total > 0 ? (pooled[k * L + l] + smoothing) / total : 1 / L;
    }
  }
  return pooled;
}

/** Log density of the Dirichlet that the pseudo-labels stand for, without its constant. */
export function logDensity(
  rates: Float64Array,
  pseudo: (w: number, k: number, l: number) => number,
  { workers: W, classes: K, given: L }: Shape,
): number {
  let sum = 0;
  for (let w = 0; w < W; w++) {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) {
        const count = pseudo(w, k, l);
        if (count > 0) sum += count * Math.log(rates[(w * L + l) * K + k]);
      }
    }
  }
  return sum;
}
