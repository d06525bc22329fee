/**
 * What a learner is, whatever the kind of answers: from answers and features to a network that predicts, and to
 * results as methods for answers alone give them.
 *
 * A method file gives its card and its training; what all of them share is done here and in the session.
 */
import type { CrowdResult } from "../aggregate/result.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import type { Features } from "../data/features.ts";
import { type Card, type OptionTable, type Preset, settle, type Values } from "../method.ts";
import type { EpochRecord } from "./checkpoint.ts";
import type { LearnProgress } from "./epoch-run.ts";
import { type TrainingValues, trainingOptions } from "./options.ts";
import type { Predictor } from "./predictor.ts";
import { createSession, type LearnContext, type Schooling, type Session } from "./session.ts";

export type { LearnProgress };

/** All there is to show about a learner without running it. */
export interface LearnerCard<Options extends OptionTable> extends Card<Options> {
  /** Whether predictions can use labels of the new tasks as well. */
  readonly forecasts: boolean;
  /** Whether `confusion` is there, whatever the options. */
  readonly confusion: boolean;
  /** Shared options that the method does not leave open. */
  readonly fixed?: Partial<TrainingValues>;
  /** Option values under a name of their own, which `--method` takes too. */
  readonly presets?: Readonly<Record<string, Preset>>;
  /** Time per step, and memory, in words. */
  readonly cost: string;
}

/** What the results of learners of all kinds have in common. */
export interface Learnt extends CrowdResult {
  /** Each run of epochs: most methods have one. */
  readonly history: readonly (readonly EpochRecord[])[];
  /** The trained network. */
  readonly predictor: Predictor;
}

/** A learner for data of one kind: call it for the result, or walk its `steps` for progress. */
export interface LearnerOf<Data, Options extends OptionTable, Result> extends LearnerCard<Options> {
  (
    data: Data,
    features: Features,
    options: Partial<Values<Options>> | undefined,
    context: LearnContext,
  ): Promise<Result>;
  /** The kind of answers it learns from: `categorical`, `numeric`, … */
  readonly kind: string;
  steps(
    data: Data,
    features: Features,
    options: Partial<Values<Options>> | undefined,
    context: LearnContext,
  ): AsyncGenerator<LearnProgress, Result, void>;
}

/** A learner of any kind as far as jobs run it; its options are checked when it runs. */
export interface KindLearner<Data extends CrowdData = CrowdData, Result extends Learnt = Learnt>
  extends LearnerCard<OptionTable> {
  readonly kind: string;
  steps(
    data: Data,
    features: Features,
    options: object | undefined,
    context: LearnContext,
  ): AsyncGenerator<LearnProgress, Result, void>;
}

/** What learners of one kind of answers share. */
export interface LearnerKind<Data extends CrowdData, Lesson, Result> extends Schooling<Data> {
  readonly kind: string;
  /** The answers as learners of the kind take them, and what was left out; refuses what cannot be learnt from. */
  usable(id: string, data: Data, options: TrainingValues): Usable<Data>;
  fingerprint(data: Data): string;
  /** Makes the result of what the method's own code returned. */
  assemble(finished: {
    readonly method: string;
    readonly options: Readonly<Record<string, number | string | boolean>>;
    /** All answers, also those held out. */
    readonly usable: Usable<Data>;
    readonly session: Session<Data>;
    readonly lesson: Lesson;
  }): Promise<Result>;
}

/** Answers as learners take them. */
export interface Usable<Data> {
  readonly data: Data;
  /** What was left out or changed. */
  readonly notes: readonly string[];
  /** Where copies are merged in the data: the group of each worker, and the answers with those of all copies. */
  readonly merged?: { readonly copies: Int32Array; readonly from: Data };
}

const defaults = settle("learn", trainingOptions);

/** Makes a learner of a kind from a card and a training that uses features and answers. */
export function createLearner<
  Data extends CrowdData,
  const Options extends OptionTable,
  Lesson,
  Result,
>(
  kind: LearnerKind<Data, Lesson, Result>,
  card: LearnerCard<Options>,
  train: (
    session: Session<Data>,
    options: Values<Options>,
  ) => AsyncGenerator<LearnProgress, Lesson, void>,
): LearnerOf<Data, Options, Result> {
  async function* steps(
    given: Data,
    features: Features,
    chosen: Readonly<Record<string, unknown>> = {},
    context: LearnContext,
  ): AsyncGenerator<LearnProgress, Result, void> {
    const options = settle(card.id, card.options, chosen);
    // A method that trains in its own way has few of these options, or others.
    const training = { ...defaults, ...(options as object), ...card.fixed } as TrainingValues;
    const usable = kind.usable(card.id, given, training);
    const { data } = usable;
    const identity = JSON.stringify([card.id, options, kind.fingerprint(data), features.shape]);
    const session = createSession(card.id, kind, data, features, training, context, identity);
    try {
      const lesson = yield* train(session, options);
      const settings = options as Readonly<Record<string, number | string | boolean>>;
      const made = { method: card.id, options: settings, usable, session, lesson };
      return await kind.assemble(made);
    } finally {
      await session.dispose();
    }
  }

  const call = async (
    data: Data,
    features: Features,
    options: Partial<Values<Options>> | undefined,
    context: LearnContext,
  ): Promise<Result> => {
    const walk = steps(data, features, options, context);
    for (;;) {
      const step = await walk.next();
      if (step.done) return step.value;
    }
  };
  return Object.assign(call, card, { kind: kind.kind, steps }) as LearnerOf<Data, Options, Result>;
}
