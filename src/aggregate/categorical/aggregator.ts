/**
 * What a categorical aggregator is: from labels to a belief about the class of each task.
 *
 * A method file gives its card and its iterations; everything that all of them share is done once,
 * here: options, abstentions, what is known beforehand, ties, support, skill, provenance.
 */

import { blind } from "../../belief/blind.ts";
import { confidences } from "../../belief/confidence.ts";
import { checkKnown, isKnownTask, type Known, watchKnown } from "../../belief/known.ts";
import { decide, tiedTasks, tieOptions } from "../../belief/ties.ts";
import { type CategoricalData, hasAbstentions, selectLabels } from "../../data/categorical.ts";
import { labelsPerTask, labelsPerWorker } from "../../data/crowd-data.ts";
import type { Names } from "../../data/names.ts";
import { checkWeights } from "../../data/weights.ts";
import type { LiveContext, LiveModel } from "../../em/live.ts";
import { CrowdError, grouped, hint, plural } from "../../error.ts";
import { createEngine, type Engine } from "../../kernels/engine.ts";
import {
  drain,
  type MethodCard,
  type OptionTable,
  type Steps,
  settle,
  type Values,
} from "../../method.ts";

/** What a method's own code returns. */
export interface Fit {
  /** P(class | labels) as posterior[task * K + class]; each task's K numbers sum to 1. */
  readonly posterior: Float64Array;
  /** P(class), as prior[class]; for votes the share of each class among all labels. */
  readonly prior: Float64Array;
  /** P(label | class, worker) as confusion[(worker * K + class) * L + label]. */
  readonly confusion?: Float64Array;
  /** Expected (pseudo-)labels behind each row of `confusion`: exposure[worker * K + class]. */
  readonly exposure?: Float64Array;
  /** How much each worker's vote counted, where the method is a vote; all alike where absent. */
  readonly weights?: Float64Array;
  /** One number per worker: the probability of a right label, where the method knows no better. */
  readonly skill: Float64Array;
  /** 1 for each task whose belief rests on labels of other tasks too, where the method knows how tasks hang together. */
  readonly linked?: Uint8Array;
  /** The objective after each iteration, in nats; empty for methods that do not iterate. */
  readonly trace: readonly number[];
  readonly converged: boolean;
  readonly notes?: readonly string[];
}

/** What every categorical aggregator returns. */
export type Aggregation<Own extends Fit = Fit> = Omit<Own, "trace" | "notes"> & {
  readonly kind: "categorical";
  readonly method: string;
  /** All options, after defaults. */
  readonly options: Readonly<Record<string, number | string | boolean>>;
  readonly tasks: Names;
  readonly workers: Names;
  readonly classes: Names;
  /** What labels could be: the classes, and one more where abstentions were modelled. */
  readonly given: number;
  /** The most probable class of each task by the rule for ties; -1 where that rule abstains. */
  readonly consensus: Int32Array;
  /**
   * How sure the answer of each task may be called: its probability, but of a lone label by a worker of
   * whom little is known not more than the crowd's accuracy, and of votes what the share is worth.
   */
  readonly confidence: Float64Array;
  /** Number of labels each task's belief rests on. */
  readonly support: Int32Array;
  /** Number of labels of each worker. */
  readonly workload: Int32Array;
  readonly trace: Float64Array;
  readonly iterations: number;
  readonly notes: readonly string[];
};

/** What a method's iterations get besides data and options. */
export interface Context {
  readonly known: Known;
  readonly engine: Engine;
  /** K, the number of classes, and L, the number of things a label can say. */
  readonly K: number;
  readonly L: number;
  /** The data with the names of tasks and workers, for messages; methods are given data without. */
  readonly named: CategoricalData;
  /** Gives tasks that no label tells apart the mean of their rows in a table [task * K + class]. */
  averageAlike(table: Float64Array): void;
}

/** All there is to show about a method for labels without running it. */
export interface CategoricalCard<Options extends OptionTable = OptionTable>
  extends MethodCard<Options> {
  readonly kind: "categorical";
  /** True where the posterior is a probability under a model, not a share of votes. */
  readonly probabilistic: boolean;
  /** The method in the form that `online` keeps up to date; absent if it has none. */
  live?(options: Values<Options>, context: LiveContext): LiveModel;
}

export const probabilisticOptions = {
  ...tieOptions,
  abstentions: {
    default: "drop",
    choices: ["drop", "model"],
    help: 'How to treat "I do not know": drop it, or model it as one more possible label.',
  },
} as const;

/** A method for labels: call it for the result, or walk its `steps` for progress. */
export interface Aggregator<Options extends OptionTable = OptionTable, Own extends Fit = Fit>
  extends CategoricalCard<Options> {
  (data: CategoricalData, options?: Partial<Values<Options>>, known?: Known): Aggregation<Own>;
  steps(
    data: CategoricalData,
    options?: Partial<Values<Options>>,
    known?: Known,
    engine?: Engine,
  ): Steps<Aggregation<Own>>;
}

/** Says that there is nothing to infer an answer from. */
function nobodyAnswered(labels: number): CrowdError {
  return new CrowdError(
    "bad-data",
    `Nobody answered: ${labels === 1 ? "the only label is an abstention" : `all ${grouped(labels)} labels are abstentions`}. Check ${hint("missing")}, or collect labels.`,
  );
}

/** Says what a reader of the result should know about how it came about. */
function notesOn(
  { trace, converged }: Fit,
  about: {
    /** Abstentions that were left out. */
    readonly left: number;
    /** True if the kernels had to run without WASM. */
    readonly plain: boolean;
    readonly unanswered: number;
    readonly ties: number;
    readonly rule: unknown;
  },
): string[] {
  const { left, plain, unanswered, ties, rule } = about;
  const notes: string[] = [];
  if (left > 0) notes.push(`${plural(left, "abstention was", "abstentions were")} left out.`);
  if (plain && trace.length > 0) {
    notes.push(
      "WASM with SIMD is missing or refused here, so the kernels ran in plain TypeScript.",
    );
  }
  if (unanswered > 0) {
    notes.push(
      `${plural(unanswered, "task has", "tasks have")} no label; such a task has no answer, and its probabilities are the prior's.`,
    );
  }
  if (ties > 0) notes.push(`${tiedTasks(ties)}; ties were resolved by the rule "${rule}".`);
  if (!converged) notes.push(`Stopped after ${trace.length} iterations without converging.`);
  return notes;
}

/** Any aggregator, for lists: its options are checked when it runs. */
export interface AnyAggregator extends CategoricalCard<OptionTable> {
  (data: CategoricalData, options?: object, known?: Known): Aggregation;
  steps(
    data: CategoricalData,
    options?: object,
    known?: Known,
    engine?: Engine,
  ): Steps<Aggregation>;
}

export function aggregator<const Options extends OptionTable, Own extends Fit>(
  card: Omit<CategoricalCard<Options>, "kind">,
  iterate: (
    data: CategoricalData,
    options: Values<Options & typeof tieOptions>,
    context: Context,
  ) => Steps<Own>,
): Aggregator<Options & typeof tieOptions, Own> {
  const options = { ...tieOptions, ...card.options };
  const full = { ...card, kind: "categorical" as const, options };

  function* steps(
    given: CategoricalData,
    chosen: Readonly<Record<string, unknown>> = {},
    known: Known = {},
    chosenEngine?: Engine,
  ): Steps<Aggregation<Own>> {
    const engine = chosenEngine ?? createEngine();
    const values = settle(card.id, options, chosen) as Values<Options & typeof tieOptions>;
    const settings = values as Readonly<Record<string, number | string | boolean>>;
    const K = given.classes.length;
    if (K === 0 && given.label.length > 0) throw nobodyAnswered(given.label.length);
    const abstained = hasAbstentions(given);
    const model = abstained && settings["abstentions"] === "model";
    const data = abstained && !model ? selectLabels(given, (i) => given.label[i] < K) : given;
    const L = model ? K + 1 : K;
    checkWeights(data.weight);
    checkKnown(card.id, data, L, known);
    const { watched, unread } = watchKnown(known);
    const mark = engine.mark();
    try {
      const { data: nameless, averageAlike } = blind(data, known);
      const context = { known: watched, engine, K, L, named: data, averageAlike };
      const fit = K > 0 ? yield* iterate(nameless, values, context) : nothing(data);
      const support = labelsPerTask(data);
      const { consensus, ties, unanswered } = decide(
        data,
        fit.posterior,
        fit.prior,
        values,
        (t) => support[t] > 0 || fit.linked?.[t] === 1 || isKnownTask(known, t, K),
      );
      const confidence = confidences(
        data,
        { ...fit, consensus, K, W: data.workers.length, probabilistic: card.probabilistic },
        known,
      );
      const left = abstained && !model ? given.label.length - data.label.length : 0;
      const plain = !chosenEngine && engine.name === "typescript";
      const notes = [
        ...(fit.notes ?? []),
        ...(K > 0 ? unread().map((what) => `${card.id} ignores ${what}.`) : []),
        ...notesOn(fit, { left, plain, unanswered, ties, rule: settings["ties"] }),
      ];
      return {
        ...fit,
        kind: "categorical",
        method: card.id,
        options: settings,
        tasks: data.tasks,
        workers: data.workers,
        classes: data.classes,
        given: L,
        consensus,
        confidence,
        support,
        workload: labelsPerWorker(data),
        trace: Float64Array.from(fit.trace),
        iterations: fit.trace.length,
        notes,
      };
    } finally {
      engine.release(mark);
    }
  }

  /** The trivial answer to no labels at all. */
  const nothing = ({ workers }: CategoricalData): Own => {
    const empty = new Float64Array(0);
    const skill = new Float64Array(workers.length);
    return { posterior: empty, prior: empty, skill, trace: [], converged: true } as Fit as Own;
  };

  const call = (
    data: CategoricalData,
    chosen?: Partial<Values<Options & typeof tieOptions>>,
    known?: Known,
  ): Aggregation<Own> => drain(steps(data, chosen, known));
  return Object.assign(call, full, { steps }) as Aggregator<Options & typeof tieOptions, Own>;
}
