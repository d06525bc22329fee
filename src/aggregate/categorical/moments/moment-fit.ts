/**
 * From confusions found in moments to an answer: classes get their names, the prior is read off, workers
 * without moments are filled in, one E step gives the posterior, and EM goes on from there.
 */

import { anchorOption, nameClasses, renamed } from "../../../belief/class-names.ts";
import {
  exposureOf,
  normaliseTable,
  type Shape,
  skillOf,
  tableBytes,
  transpose,
} from "../../../belief/confusion-table.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { nameOrder } from "../../../belief/name-order.ts";
import { normalise, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { type ClassPrior, createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { climbFrom, type Snapshot } from "../../../em/confusion-em.ts";
import { plural } from "../../../error.ts";
import { createExpectation, type Expectation } from "../../../kernels/expectation.ts";
import type { MethodCard, OptionTable, Steps, Values } from "../../../method.ts";
import { aggregator, type Context, type Fit, probabilisticOptions } from "../aggregator.ts";
import { labelMeans, priorOf } from "./moments.ts";

/** What methods of moments find beyond the answers. */
export interface MomentFit extends Fit {
  readonly confusion: Float64Array;
  /** P(label | class, worker) by the moments alone, before EM, laid out like `confusion`. */
  readonly byMoments: Float64Array;
}

/** What a moment method finds, with workers and classes in the order of their names. */
export interface Estimate {
  /** As confusion[(worker * K + class) * L + label], the classes in any order. */
  readonly confusion: Float64Array;
  /** 0 for each worker of whom the moments say nothing. */
  readonly found: Uint8Array;
  readonly notes?: readonly string[];
}

export const momentOptions = {
  ...probabilisticOptions,
  ...priorOption,
  ...anchorOption,
  em: {
    default: 100,
    min: 0,
    integer: true,
    help: "Maximum number of EM iterations afterwards; 0 runs the method alone.",
  },
  tolerance: {
    default: 1e-6,
    min: 0,
    help: "Relative change of the objective at which EM stops.",
  },
  smoothing: {
    default: 0.01,
    min: 0,
    unit: "labels",
    help: "Pseudo-count added to every cell of the confusion matrices in EM.",
  },
} as const;

/**
 * Makes a method of what estimates the confusions from moments, with workers and classes in the order
 * of their names.
 */
export function momentMethod<const Options extends OptionTable>(
  card: Pick<
    MethodCard<Options>,
    "id" | "title" | "summary" | "paper" | "cost" | "options" | "total"
  >,
  estimate: (
    named: CategoricalData,
    L: number,
    options: Values<typeof momentOptions & Options>,
  ) => Steps<Estimate>,
) {
  return aggregator(
    {
      ...card,
      family: "moments",
      probabilistic: true,
      memory: tableBytes,
      options: { ...momentOptions, ...card.options } as typeof momentOptions & Options,
    },
    (data, options, context): Steps<MomentFit> =>
      fitMoments(data, options, context, (named) => estimate(named, context.L, options)),
  );
}

interface MomentSettings {
  readonly prior: "learn" | "uniform";
  readonly anchor: "crowd" | "experts";
  readonly em: number;
  readonly tolerance: number;
  readonly smoothing: number;
}

/** No rate and no class share found by moments is below this: one cell cannot forbid a class. */
const LEAST_RATE = 1e-3;

/** Runs `estimate` on the labels in the order of names, and makes its confusions per answer. */
function* fitMoments(
  data: CategoricalData,
  options: MomentSettings,
  context: Context,
  estimate: (named: CategoricalData) => Steps<Estimate>,
): Steps<MomentFit> {
  const { known, engine, K, L } = context;
  const shape = { workers: data.workers.length, classes: K, given: L };
  const named = nameOrder(data, {}, { K, L });
  const estimated = yield* estimate(named.data);
  const isFound = Uint8Array.from(named.restore.workers(Int32Array.from(estimated.found)));
  const { confusion, shares } = identify(
    named.restore.confusion(floored(estimated.confusion, L)),
    isFound,
    data,
    { ...options, gold: known.gold },
    shape,
  );
  const prior = createClassPrior(data, known, options.prior);
  if (options.prior === "learn" && !known.prior) prior.shares.set(shares);
  const model = createExpectation(
    { ...data, tasks: data.tasks.length, ...shape, base: taskBase(data, known) },
    engine,
  );
  model.rates.set(transpose(confusion, { ...shape, classes: L, given: K }));
  const notes = [
    ...(estimated.notes ?? []),
    ...fillIn(model, isFound, prior, data, context, shape),
  ];
  const byMoments = transpose(model.rates, shape);
  const objective = model.infer(prior.factor);
  yield { iteration: 1, objective, stage: "first E step" };
  let [fitted, trace, converged]: [Snapshot, readonly number[], boolean] = [
    { ...model, prior: prior.shares },
    [objective],
    true,
  ];
  if (options.em > 0) {
    const em = { ...options, shrinkage: 0, maxIterations: options.em };
    const climbed = yield* climbFrom(model.posterior.slice(), data, em, context, model, shape);
    [fitted, trace, converged] = [climbed, climbed.trace, climbed.converged];
  }
  const rates = transpose(fitted.rates, shape);
  return {
    posterior: fitted.posterior.slice(),
    prior: fitted.prior,
    confusion: rates,
    byMoments,
    exposure: exposureOf(fitted.counts, shape),
    skill: skillOf(rates, fitted.prior, shape),
    trace,
    converged,
    notes,
  };
}

/** The confusions with their classes named, and the prior that goes with them; by the found workers. */
function identify(
  confusion: Float64Array,
  found: Uint8Array,
  data: CategoricalData,
  options: Pick<MomentSettings, "anchor"> & { readonly gold: Int32Array | undefined },
  shape: Shape,
): { confusion: Float64Array; shares: Float64Array } {
  const { labels, means } = labelMeans(data, shape.given);
  for (let w = 0; w < labels.length; w++) labels[w] *= found[w];
  const shares = floored(priorOf({ labels, means, ...shape }, confusion), shape.classes);
  const place = nameClasses(confusion, { ...options, data, labels, prior: shares }, shape);
  return {
    confusion: renamed(confusion, place, shape),
    shares: shares.map((_, k) => shares[place[k]]),
  };
}

/** Rows of probabilities, none of them below the least rate. */
function floored(rows: Float64Array, length: number): Float64Array {
  const result = rows.map((rate) => Math.max(LEAST_RATE, rate));
  return normalise(result, length);
}

/** Gives the workers of whom the moments said nothing what they said of tasks by the others' belief. */
function fillIn(
  model: Expectation,
  found: Uint8Array,
  prior: ClassPrior,
  data: CategoricalData,
  { known }: Context,
  shape: Shape,
): string[] {
  const missing = found.filter((is) => is === 0).length;
  if (missing === 0) return [];
  const { classes: K, given: L } = shape;
  const cells = (w: number) => [w * K * L, (w + 1) * K * L] as const;
  const none = missing === found.length;
  if (none) {
    model.startFrom(startingPosterior(data, known, voteShares(data)));
    prior.update(model.totals);
  } else {
    found.forEach((is, w) => {
      if (!is) model.rates.fill(1 / L, ...cells(w));
    });
    model.infer(prior.factor);
  }
  const counted = new Float64Array(model.rates.length);
  const past = (w: number, k: number, l: number) =>
    0.5 + (known.history ? known.history[(w * K + k) * L + l] : 0);
  normaliseTable(model.counts, past, shape, counted);
  found.forEach((is, w) => {
    if (!is) model.rates.set(counted.subarray(...cells(w)), w * K * L);
  });
  return none
    ? ["No two workers share enough tasks for moments; the answer starts from the votes."]
    : [
        `${plural(missing, "worker shares", "workers share")} too few tasks with others; their confusion matrices were counted against the answers of the other workers.`,
      ];
}
