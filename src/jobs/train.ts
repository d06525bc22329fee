/** The training part of learning: from answers and features to a model, as plain data that threads can send. */
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import type { Features } from "../data/features.ts";
import { CrowdError } from "../error.ts";
import { kindOf } from "../kinds.ts";
import { loadCheckpoint, saveCheckpoint } from "../learn/checkpoint.ts";
import type { KindLearner, LearnProgress, Learnt } from "../learn/create-learner.ts";
import type { Learning } from "../learn/learner.ts";
import type { LearnContext } from "../learn/session.ts";
import type { Valid } from "../learn/validation.ts";
import type { Executor } from "../tensor/executor.ts";
import type { EpochProgress, Hooks } from "./hooks.ts";

/** What to train, and what runs it. */
export interface TrainRequest<
  Data extends CrowdData = CategoricalData,
  Result extends Learnt = Learning,
> {
  readonly data: Data;
  /** What the tasks or items look like; rows are joined to them by name. */
  readonly features: Features;
  readonly method: KindLearner<Data, Result>;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** What runs the network. */
  readonly executor: Executor;
  /** Rows with known classes by number, or with known values or scores, on which the epoch is chosen. */
  readonly valid?: Valid | undefined;
  /** Rows to predict when all is done. */
  readonly test?: Features | undefined;
  /** A checkpoint to go on from. */
  readonly resume?: Uint8Array | undefined;
  /** Seconds between checkpoints; 0: after every epoch. Absent: none but when stopped. */
  readonly checkpointEvery?: number | undefined;
}

/** What a training tells, and how to stop it. */
export interface TrainHooks extends Omit<Hooks, "signal"> {
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Given the state of the training, to be kept until it is done. */
  readonly checkpoint?: ((bytes: Uint8Array) => void) | undefined;
}

/** What a training made, but for the running network. */
export interface Trained<Result extends Learnt = Learning> {
  readonly learning: Omit<Result, "predictor">;
  /** What the network alone says of the rows of tasks or items with answers, and of those of the test. */
  readonly predicted: Float64Array;
  readonly testPredicted?: Float64Array;
  /** The names of those of the test, in the order of the predictions. */
  readonly testTasks?: readonly string[];
  /** The bytes of the model as an ONNX file. */
  readonly onnx: Uint8Array;
  /** Of a row of features. */
  readonly shape: readonly number[];
  readonly statistics?: { readonly mean: Float64Array; readonly scale: Float64Array };
  /** The name of what ran the network. */
  readonly engine: string;
}

/** Trains a network from the answers. */
export async function trainJob<Data extends CrowdData, Result extends Learnt>(
  request: TrainRequest<Data, Result>,
  hooks: TrainHooks = {},
): Promise<Trained<Result>> {
  const { data, features, method, options, executor, valid, test, resume } = request;
  for (const other of [test, valid?.features]) {
    if (other && String(other.shape) !== String(features.shape)) {
      throw new CrowdError(
        "bad-data",
        `The features of test or validation have shape [${other.shape}], those of training [${features.shape}].`,
      );
    }
  }
  const epochs = Number(options?.["epochs"] ?? method.options["epochs"]?.default) || Number.NaN;
  const tell = progressOf(method.id, epochs, hooks);
  const walk = method.steps(data, features, options, {
    executor,
    valid,
    signal: hooks.signal,
    resume: resume && loadCheckpoint(resume),
    onBatch: (share) => tell(undefined, share),
    ...checkpointing(request, hooks),
  });
  for (;;) {
    const step = await walk.next();
    if (step.done) return finished(step.value, request);
    tell(step.value, 0);
  }
}

/** Predicts what was asked for, and leaves the running network behind. */
async function finished<Data extends CrowdData, Result extends Learnt>(
  { predictor, ...learning }: Result,
  { data, features, test, executor }: TrainRequest<Data, Result>,
): Promise<Trained<Result>> {
  const rows = new Map(Array.from(features.tasks, (name, row) => [name, row]));
  const named = kindOf(data).learning?.predictions?.described(data) ?? data.tasks;
  const predicted = await predictor.predict(
    features,
    Array.from(named, (name) => rows.get(name) ?? 0),
  );
  const { statistics } = predictor;
  return {
    learning,
    predicted,
    onnx: predictor.toOnnx(),
    shape: predictor.shape,
    ...(test && { testPredicted: await predictor.predict(test), testTasks: [...test.tasks] }),
    ...(statistics && { statistics: { mean: statistics.mean, scale: statistics.scale } }),
    engine: executor.name,
  };
}

/** Hands out the state of the training as often as was asked for, and when it is stopped. */
function checkpointing(
  { checkpointEvery = Infinity }: Pick<TrainRequest, "checkpointEvery">,
  { checkpoint }: TrainHooks,
): Pick<LearnContext, "onCheckpoint"> {
  if (!checkpoint) return {};
  let saved = performance.now();
  return {
    onCheckpoint(make, stopped) {
      if (!stopped && performance.now() - saved < 1000 * checkpointEvery) return;
      checkpoint(saveCheckpoint(make()));
      saved = performance.now();
    },
  };
}

/** Tells epoch, loss and how much is left. */
function progressOf(name: string, asked: number, { progress }: TrainHooks) {
  const start = performance.now();
  let latest: LearnProgress = { iteration: 0, objective: Number.NaN };
  let ended = start;
  // Epochs of this run: one that goes on from a checkpoint does not begin with the first.
  let done = 0;
  return (now: LearnProgress | undefined, share: number): void => {
    if (now) done++;
    latest = now ?? latest;
    const { iteration, objective, stage, validation, epochs = asked } = latest;
    const before = ended;
    if (now) ended = performance.now();
    const whole = Number.isFinite(epochs) && stage === undefined;
    const left = Math.max(0, epochs - iteration - share);
    const pace = (performance.now() - start) / 1000 / (done + share);
    const at = `${stage ? `${stage}, ` : ""}epoch ${iteration + (share > 0 ? 1 : 0)}`;
    const of = Number.isFinite(epochs) ? ` of ${epochs}` : "";
    const loss = Number.isFinite(objective) ? `, loss ${(-objective).toPrecision(4)}` : "";
    const valid = validation === undefined ? "" : `, validation ${validation.toPrecision(4)}`;
    progress?.({
      words: `${name}: ${at}${of}${loss}${valid}`,
      ...(whole && { fraction: 1 - left / epochs }),
      ...(whole && Number.isFinite(pace) && { remaining: pace * left }),
      ...(now && { epoch: epochOf(now, (ended - before) / 1000) }),
    });
  };
}

/** What a learner said at the end of an epoch, for those who keep a record. */
function epochOf(
  { run = 1, stage, iteration, epochs, objective, validation, rate }: LearnProgress,
  seconds: number,
): EpochProgress {
  return {
    run,
    ...(stage !== undefined && { stage }),
    epoch: iteration,
    ...(epochs !== undefined && { epochs }),
    loss: -objective,
    ...(validation !== undefined && { validation }),
    ...(rate !== undefined && { rate }),
    seconds,
  };
}
