/** Methods and learners of one's own: they join `aggregate`, `compare`, reports and the command. */
import {
  type Aggregator,
  aggregator,
  type Context,
  type Fit,
} from "./aggregate/categorical/aggregator.ts";
import type { tieOptions } from "./belief/ties.ts";
import { agreement } from "./belief/votes.ts";
import type { CategoricalData } from "./data/categorical.ts";
import { CrowdError } from "./error.ts";
import type { LearnProgress } from "./learn/create-learner.ts";
import { type Learner, type Lesson, learner } from "./learn/learner.ts";
import { type TrainingOptions, trainingOptions } from "./learn/options.ts";
import type { Session } from "./learn/session.ts";
import type { OptionTable, Paper, Steps, Values } from "./method.ts";

/** What a method of one's own says of itself; only `id` is needed. */
export interface OwnCard<Options extends OptionTable = OptionTable> {
  /** Its name everywhere: small letters, digits and hyphens. */
  readonly id: string;
  readonly title?: string;
  /** One sentence: what it assumes and what it learns. */
  readonly summary?: string;
  readonly paper?: Paper;
  /** Options as data: defaults, ranges and help. Values are checked before the method sees them. */
  readonly options?: Options;
  readonly family?: string;
  /** True (the default) where the posterior is a probability under a model, not a share of votes. */
  readonly probabilistic?: boolean;
  /** Time and memory, in words. */
  readonly cost?: string;
  /** What it cannot do without, by its name in `known`. */
  readonly needs?: "weights" | "gold" | "confusion" | "predictions";
}

/** What a method of one's own returns; only the posterior is needed. */
export interface OwnFit extends Partial<Omit<Fit, "posterior">> {
  /** P(class | labels) as posterior[task * K + class]; the K numbers of each task sum to 1. */
  readonly posterior: Float64Array;
}

/**
 * Makes a method of a card and a function from data and options to a posterior. The function may be a
 * generator that yields its progress; then the method can be watched and cancelled.
 */
export function defineMethod<const Options extends OptionTable = Record<never, never>>(
  card: OwnCard<Options>,
  iterate: (
    data: CategoricalData,
    options: Values<Options & typeof tieOptions>,
    context: Context,
  ) => OwnFit | Steps<OwnFit>,
): Aggregator<Options & typeof tieOptions, Fit> {
  const { id } = card;
  return aggregator<Options, Fit>(
    {
      ...shown("defineMethod", card),
      options: card.options ?? ({} as Options),
      family: card.family ?? "own",
      probabilistic: card.probabilistic ?? true,
      ...(card.needs && { needs: card.needs }),
    },
    function* (_, options, context) {
      const { named } = context;
      const made = iterate(named, options, context);
      const found = "next" in made ? yield* made : made;
      return completed(id, named, found);
    },
  );
}

/** What a learner of one's own says of itself; only `id` is needed. */
export interface OwnLearnerCard<Options extends OptionTable = OptionTable> {
  /** Its name everywhere: small letters, digits and hyphens. */
  readonly id: string;
  readonly title?: string;
  /** One sentence: what it assumes and what it learns. */
  readonly summary?: string;
  readonly paper?: Paper;
  /** Options besides those of every training (epochs, batch, rate, …), as data. */
  readonly options?: Options;
  /** True where it returns evidence, so that predictions can use labels of new tasks as well. */
  readonly forecasts?: boolean;
  /** True where it returns confusions. */
  readonly confusion?: boolean;
  /** Time and memory, in words. */
  readonly cost?: string;
}

/**
 * Makes a learner of a card and a generator that trains: it builds networks with `session.network`, walks
 * epochs with `session.run`, yields its progress after each, and returns the network.
 */
export function defineLearner<const Options extends OptionTable = Record<never, never>>(
  card: OwnLearnerCard<Options>,
  train: (
    session: Session,
    options: Values<TrainingOptions & Options>,
  ) => AsyncGenerator<LearnProgress, Lesson, void>,
): Learner<TrainingOptions & Options> {
  return learner<TrainingOptions & Options>(
    {
      ...shown("defineLearner", card),
      options: { ...trainingOptions, ...(card.options ?? ({} as Options)) },
      forecasts: card.forecasts ?? false,
      confusion: card.confusion ?? false,
    },
    train,
  );
}

/** The part of a card that is for people, with what was left out filled in. */
function shown(
  caller: string,
  { id, title, summary, paper, cost }: Pick<OwnCard, "id" | "title" | "summary" | "paper" | "cost">,
) {
  if (typeof id !== "string" || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)) {
    throw new CrowdError(
      "bad-option",
      `${caller}: the id should be small letters, digits and hyphens, such as my-method; not "${id}".`,
    );
  }
  return {
    id,
    title: title ?? id,
    summary: summary ?? "A method of your own.",
    paper: paper ?? { authors: "", year: 0, title: "", url: "" },
    cost: cost ?? "",
  };
}

/** Checks a posterior and fills in what was left out. */
function completed(id: string, data: CategoricalData, fit: OwnFit): Fit {
  const { posterior } = fit;
  const K = data.classes.length;
  const T = data.tasks.length;
  if (!(posterior instanceof Float64Array) || posterior.length !== T * K) {
    throw new CrowdError(
      "bad-shape",
      `${id}: the posterior should be a Float64Array of ${T} tasks × ${K} classes = ${T * K} numbers, ` +
        `not ${posterior?.length ?? typeof posterior}.`,
    );
  }
  const prior = new Float64Array(K);
  for (let t = 0; t < T; t++) {
    let sum = 0;
    for (let k = 0; k < K; k++) {
      const p = posterior[t * K + k];
      sum += p >= 0 ? p : Number.NaN;
      prior[k] += p / T;
    }
    if (!(Math.abs(sum - 1) <= 1e-6)) {
      throw new CrowdError(
        "bad-shape",
        `${id}: the posterior of task "${data.tasks.at(t)}" sums to ${sum}, not to 1.`,
      );
    }
  }
  return {
    prior,
    skill: agreement(data, posterior),
    trace: [],
    converged: true,
    ...fit,
  };
}
