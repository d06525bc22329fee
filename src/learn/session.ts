/**
 * What a method gets to work with: the crowd, networks to train, and runs of epochs that look after
 * validation, the choice of an epoch, checkpoints and stopping.
 */

import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { type Features, rowSize, rowsOfTasks } from "../data/features.ts";
import type { Names } from "../data/names.ts";
import { type FeatureStatistics, featureStatistics } from "../data/standardise.ts";
import { CrowdError } from "../error.ts";
import { append } from "../math/lists.ts";
import { createRandom, type Random } from "../math/random.ts";
import type { Executor } from "../tensor/executor.ts";
import type { Tensor } from "../tensor/graph.ts";
import { type Model, models, type Network } from "../tensor/models.ts";
import type { Module } from "../tensor/scope.ts";
import type { Objective } from "../tensor/train.ts";
import { type Augment, createAugment } from "./augment.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { KindLearner, Learnt } from "./create-learner.ts";
import type { LearnProgress } from "./epoch-run.ts";
import { createRun, type Run, type RunSettings, type SavedRun } from "./epoch-run.ts";
import { createNet, type Io, type Net } from "./network.ts";
import type { TrainingValues } from "./options.ts";
import { standardiser } from "./predictor.ts";
import type { Subject } from "./subject.ts";
import type { Valid, Validator } from "./validation.ts";

/** Answers parted into those to train on and those to judge by. */
export interface HeldOut<Data> {
  readonly trained: Data;
  readonly heldOut: Data;
  /** What is held out, in words: `the labels of 12 tasks`. */
  readonly words: string;
}

/** How answers of a kind are trained on. */
export interface Schooling<Data extends CrowdData> {
  /** What a row of features describes, and what is learnt from, for messages. */
  readonly noun: "task" | "item";
  readonly answer: string;
  /** Names of what rows of features describe. */
  described(data: Data): Names;
  /** Numbers of the examples to train on: tasks, or comparisons. */
  examples(data: Data): Int32Array;
  subject(data: Data, rows: Int32Array): Subject;
  /** The data without and with only the answers of a seeded share of the examples. */
  holdOut(data: Data, share: number, random: Random): HeldOut<Data>;
  goldValidator(valid: Valid): Validator;
  crowdValidator(trained: Data, heldOut: Data, features: Features, rows: Int32Array): Validator;
  /** True where held-out answers also tell how sure the network may be. */
  readonly calibrates?: true;
}

/** What a learner is given besides labels, features and options. */
export interface LearnContext {
  /** What runs the networks. */
  readonly executor: Executor;
  /** Tasks with known classes to choose the epoch on; never those of a test. */
  readonly valid?: Valid | undefined;
  /** A network of your own, in place of the named ones. */
  readonly model?: Model | undefined;
  readonly signal?: { readonly aborted: boolean; readonly reason?: unknown } | undefined;
  /** Called during an epoch with the share of it that is done. */
  readonly onBatch?: ((share: number) => void) | undefined;
  /** Where to go on from. */
  readonly resume?: Checkpoint | undefined;
  /** Called after every epoch, and when stopped; `make` gives the state after the last whole epoch. */
  readonly onCheckpoint?: ((make: () => Checkpoint, stopped: boolean) => void) | undefined;
}

interface NetworkSettings {
  /** Learning rates and decays of groups other than "network". */
  readonly groups?: Readonly<Record<string, { readonly rate: number; readonly decay?: number }>>;
  readonly decoupled?: boolean;
  /** From raw features to logits, where the classifier is not the network's own head. */
  readonly classifier?: Module;
  /** The examples to train on, where not all of them. */
  readonly trained?: Int32Array;
  /** How many numbers the network gives for a row, where it is not the usual. */
  readonly outputs?: number;
}

/** What a learner of your own gets: data, features, and the loop of training. */
export interface Session<Data extends CrowdData = CategoricalData> {
  /** The answers to train on: none that are held out. */
  readonly data: Data;
  readonly features: Features;
  /** The row of each task or item in the features. */
  readonly rows: Int32Array;
  /** Numbers of the examples to train on: the tasks that have labels, or the comparisons. */
  readonly trained: Int32Array;
  readonly options: TrainingValues;
  readonly executor: Executor;
  readonly random: Random;
  readonly statistics: FeatureStatistics | undefined;
  readonly notes: string[];
  /** Rows with known truth to validate on. */
  readonly valid: Valid | undefined;
  /** The answers that are held out. */
  readonly heldOut: Data | undefined;
  /** From raw features to what the network's trunk makes of them. */
  readonly trunk: Module;
  readonly runs: readonly Run[];
  network(build: (io: Io) => Objective, settings?: NetworkSettings): Promise<Net>;
  /** Arrays in `kept` change with the epochs, in place: they are saved and brought back with them. */
  run(net: Net, kept?: Readonly<Record<string, Float64Array>>, settings?: RunSettings): Run;
  /** Trains another learner on the same answers; its checkpoints become part of this one's. */
  learn<Result extends Learnt>(
    method: KindLearner<Data, Result>,
    options: object,
    stage: string,
  ): AsyncGenerator<LearnProgress, Result, void>;
  /** Throws `cancelled` if a stop was asked for. */
  check(): void;
  dispose(): Promise<void>;
}

/** Prepares everything that does not change during the training. */
export function createSession<Data extends CrowdData>(
  id: string,
  schooling: Schooling<Data>,
  given: Data,
  features: Features,
  chosen: TrainingValues,
  context: LearnContext,
  identity: string,
): Session<Data> {
  const { executor, resume } = context;
  const random = createRandom(chosen.seed).split("learn");
  const material = prepare(id, schooling, given, features, chosen, context, random);
  const options = withEpochs(chosen, material.trained.length);
  if (resume && resume.identity !== identity) {
    throw new CrowdError(
      "bad-data",
      "The checkpoint belongs to another run: method, options, labels and features must be the same.",
    );
  }
  const { data, rows, trained, statistics, notes, heldOut, network, standardise } = material;
  const nets: Net[] = [];
  const runs: SavedRun[] = [];
  const parts: Checkpoint[] = [];
  const { check, checkpoint } = createCheckpoints(id, context, () => ({
    identity,
    runs: runs.map((run) => run.state()),
    trainers: nets.map(({ trainer }) => trainer.save()),
    parts: [...parts],
  }));
  const host = { ...material, id, options, check, checkpoint, onBatch: context.onBatch };
  return {
    data,
    features,
    rows,
    trained,
    options,
    executor,
    random,
    statistics,
    notes,
    valid: context.valid,
    heldOut,
    trunk: (x, scope) => network.trunk(standardise(x), scope.child("trunk")),
    runs,
    check,
    async network(build, settings = {}) {
      const stream = random.split("network").split(nets.length);
      const parts = { executor, features, random: stream, build };
      const net = await createNet({ ...parts, ...netOptions(material, options, settings) });
      const state = resume?.trainers[nets.length];
      if (state) net.trainer.load(state);
      nets.push(net);
      return net;
    },
    run(net, kept = {}, settings = {}) {
      const before = resume?.runs[runs.length];
      const passed = (resume?.runs.length ?? 0) > runs.length + 1;
      runs.push(createRun(host, net, kept, settings, { number: runs.length + 1, before, passed }));
      return runs[runs.length - 1];
    },
    learn: createTeaching(data, features, context, parts, { check, checkpoint }),
    async dispose() {
      for (const net of nets) await net.dispose();
    },
  };
}

/** Trains other learners, one after the other; their checkpoints become `parts`. */
function createTeaching<Data extends CrowdData>(
  data: Data,
  features: Features,
  context: LearnContext,
  parts: Checkpoint[],
  { check, checkpoint }: { readonly check: () => void; readonly checkpoint: () => void },
): Session<Data>["learn"] {
  let taught = 0;
  let told = 0;
  return async function* (method, options, stage) {
    const part = taught++;
    const before = told;
    const passed = context.resume?.parts?.[part];
    if (passed) parts[part] = passed;
    const walk = method.steps(data, features, options, {
      ...context,
      resume: passed,
      onCheckpoint(make) {
        parts[part] = make();
        checkpoint();
      },
    });
    try {
      for (;;) {
        const step = await walk.next();
        if (step.done) return step.value;
        const { run = 1, stage: own } = step.value;
        told = Math.max(told, before + run);
        yield { ...step.value, run: before + run, stage: own ? `${stage}, ${own}` : stage };
      }
    } catch (error) {
      // That it was stopped is said, with a checkpoint, in the name of the whole.
      check();
      throw error;
    }
  };
}

/** What networks are trained on, and how epochs are judged. */
interface Material<Data extends CrowdData> {
  readonly data: Data;
  readonly rows: Int32Array;
  readonly trained: Int32Array;
  readonly subject: Subject;
  readonly heldOut: Data | undefined;
  readonly validator: Validator | undefined;
  readonly statistics: FeatureStatistics | undefined;
  readonly standardise: (x: Tensor) => Tensor;
  readonly augment: Augment | undefined;
  readonly network: Network;
  /** The same network with another number of outputs. */
  readonly networkOf: (outputs: number) => Network;
  readonly notes: string[];
}

/** Holds examples out if an epoch is to be chosen without gold, standardises, and makes the network. */
function prepare<Data extends CrowdData>(
  id: string,
  schooling: Schooling<Data>,
  given: Data,
  features: Features,
  options: TrainingValues,
  { valid, model }: LearnContext,
  random: Random,
): Material<Data> {
  const notes: string[] = [];
  const { noun, answer } = schooling;
  const rows = rowsOfTasks({ tasks: schooling.described(given) }, features, noun);
  const choosing = options.selection === "best" || options.patience > 0;
  const calibrating = schooling.calibrates && options.calibrate;
  const share = choosing
    ? options.validShare
    : calibrating
      ? calibrationShare(schooling.examples(given).length, options.validShare)
      : 0;
  const parted =
    share > 0 && !valid ? schooling.holdOut(given, share, random.split("valid")) : undefined;
  const whole = [parted?.trained, parted?.heldOut].some((part) => part?.worker.length === 0);
  const split = whole ? undefined : parted;
  const data = split?.trained ?? given;
  const trained = schooling.examples(data);
  if (trained.length === 0) {
    throw new CrowdError("no-labels", `${id}: there is no ${answer} to learn from.`);
  }
  const validator = valid
    ? schooling.goldValidator(valid)
    : choosing && split
      ? schooling.crowdValidator(data, split.heldOut, features, rows)
      : undefined;
  if (choosing && whole)
    notes.push("There are too few answers to hold some out: the last epoch is kept.");
  if (choosing && split) {
    notes.push(
      `Without validation gold the epoch was chosen on ${split.words} held out (seed ${options.seed}).`,
    );
  }
  const subject = schooling.subject(data, rows);
  if (options.model === "mlp" && !model) checkLayers(id, features, subject.outputs, options);
  const rowsTrained = subject.drawn(trained).tasks.map((t) => rows[t]);
  const statistics = options.standardise ? featureStatistics(features, rowsTrained) : undefined;
  append(notes, statistics?.notes ?? []);
  const networkOf = (outputs: number) =>
    (model ?? models[options.model])(features.shape, outputs, {
      hidden: options.hidden.split(",").map(Number),
      dropout: options.dropout,
    });
  const network = networkOf(subject.outputs);
  append(notes, network.notes ?? []);
  const standardise = standardiser(features.shape, statistics);
  const augment = createAugment(id, features.shape, options.augment);
  const heldOut = split?.heldOut;
  const parts = { heldOut, validator, statistics, standardise, augment, network, networkOf, notes };
  return { data, rows, trained, subject, ...parts };
}

/** Examples below which none is held out to calibrate by, and how many are at the least and at the most. */
const FEW_EXAMPLES = 200;
const LEAST_HELD_OUT = 30;
const MOST_HELD_OUT = 1000;

/** The share of so many examples that calibration needs; 0 if they are too few. */
function calibrationShare(examples: number, share: number): number {
  if (examples < FEW_EXAMPLES) return 0;
  return Math.min(Math.max(share, LEAST_HELD_OUT / examples), MOST_HELD_OUT / examples);
}

/** Epochs that a number of steps is at the least. */
const LEAST_EPOCHS = 15;

/** The options with a number of epochs, where they leave it open: as many as make the steps. */
function withEpochs(options: TrainingValues, examples: number): TrainingValues {
  if (options.epochs > 0) return options;
  const perEpoch = Math.ceil(examples / options.batch);
  return { ...options, epochs: Math.max(LEAST_EPOCHS, Math.ceil(options.steps / perEpoch)) };
}

/** More weights than this do not fit into an ONNX file. */
const MOST_WEIGHTS = 5e8;
/** Weights, their gradients and two moments, and copies while they change, four bytes each. */
const BYTES_PER_WEIGHT = 24;

/** Refuses layers whose weights would not fit, before memory is taken for them. */
function checkLayers(
  id: string,
  features: Features,
  outputs: number,
  { hidden }: TrainingValues,
): void {
  const sizes = [rowSize(features), ...hidden.split(",").map(Number), outputs];
  const weights = sizes.reduce((sum, size, i) => sum + size * (sizes[i + 1] ?? 0), 0);
  if (weights <= MOST_WEIGHTS) return;
  throw new CrowdError(
    "bad-option",
    `${id}: hidden ${hidden} makes a network of ${(weights / 1e9).toFixed(1)} billion weights, which takes about ` +
      `${((weights * BYTES_PER_WEIGHT) / 1e9).toFixed(0)} GB of memory. At most ${MOST_WEIGHTS / 1e6} million weights are allowed: ` +
      "choose smaller layers.",
  );
}

/** Chooses what a network is trained on and by which optimiser. */
function netOptions<Data extends CrowdData>(
  { subject, trained, network, networkOf, standardise, augment }: Material<Data>,
  options: TrainingValues,
  { groups = {}, decoupled = false, classifier, trained: own = trained, outputs }: NetworkSettings,
) {
  return {
    subject: outputs === undefined ? subject : { ...subject, outputs },
    trained: own,
    network: outputs === undefined ? network : networkOf(outputs),
    standardise,
    augment,
    classifier,
    optimiser: {
      kind: options.optimiser,
      decoupled,
      clip: options.clip || Infinity,
      groups: {
        network: { rate: options.rate, decay: options.decay },
        crowd: { rate: options.crowdRate || options.rate },
        ...groups,
      },
    },
  };
}

/** Saves the state after each epoch, and hands it over when a stop was asked for. */
function createCheckpoints(
  id: string,
  { signal, onCheckpoint }: LearnContext,
  snapshot: () => Checkpoint,
) {
  let latest: Checkpoint | undefined;
  return {
    checkpoint(): void {
      if (!onCheckpoint) return;
      const state = snapshot();
      latest = state;
      onCheckpoint(() => state, false);
    },
    check(): void {
      if (!signal?.aborted) return;
      const state = latest;
      if (state) onCheckpoint?.(() => state, true);
      throw new CrowdError("cancelled", `${id} was cancelled.`, { cause: signal.reason });
    },
  };
}
