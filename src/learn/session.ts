/**
 * What a method gets to work with: the crowd, networks to train, and runs of epochs that look after
 * validation, the choice of an epoch, checkpoints and stopping.
 */

import type { CategoricalData } from "../data/categorical.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import { type Features, rowsOfTasks } from "../data/features.ts";
import { type FeatureStatistics, featureStatistics } from "../data/standardise.ts";
import { CrowdError } from "../error.ts";
import { append } from "../math/lists.ts";
import { createRandom, type Random } from "../math/random.ts";
import type { Executor } from "../tensor/executor.ts";
import type { Tensor } from "../tensor/graph.ts";
import { type Model, models, type Network } from "../tensor/models.ts";
import type { Module } from "../tensor/scope.ts";
import type { Objective } from "../tensor/train.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { standardiser } from "./classifier.ts";
import { createRun, type Run, type RunSettings, type SavedRun } from "./epoch-run.ts";
import { createNet, type Io, type Net } from "./network.ts";
import type { TrainingValues } from "./options.ts";
import {
  crowdValidator,
  goldValidator,
  holdOut,
  type Valid,
  type Validator,
} from "./validation.ts";

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
  /** The tasks to train on, where not all that have labels. */
  readonly trained?: Int32Array;
}

/** What a learner of your own gets: data, features, and the loop of training. */
export interface Session {
  /** The labels to train on: none of tasks held out. */
  readonly data: CategoricalData;
  readonly features: Features;
  /** The row of each task in the features. */
  readonly rows: Int32Array;
  /** Numbers of the tasks that have labels to train on. */
  readonly trained: Int32Array;
  readonly options: TrainingValues;
  readonly executor: Executor;
  readonly random: Random;
  readonly statistics: FeatureStatistics | undefined;
  readonly notes: string[];
  /** From raw features to what the network's trunk makes of them. */
  readonly trunk: Module;
  readonly runs: readonly Run[];
  network(build: (io: Io) => Objective, settings?: NetworkSettings): Promise<Net>;
  /** Arrays in `kept` change with the epochs, in place: they are saved and brought back with them. */
  run(net: Net, kept?: Readonly<Record<string, Float64Array>>, settings?: RunSettings): Run;
  /** Throws `cancelled` if a stop was asked for. */
  check(): void;
  dispose(): Promise<void>;
}

/** Prepares everything that does not change during the training. */
export function createSession(
  id: string,
  given: CategoricalData,
  features: Features,
  options: TrainingValues,
  context: LearnContext,
  identity: string,
): Session {
  const { executor, resume } = context;
  const random = createRandom(options.seed).split("learn");
  const material = prepare(id, given, features, options, context, random);
  if (resume && resume.identity !== identity) {
    throw new CrowdError(
      "bad-data",
      "The checkpoint belongs to another run: method, options, labels and features must be the same.",
    );
  }
  const { data, rows, trained, statistics, notes, network, standardise } = material;
  const nets: Net[] = [];
  const runs: SavedRun[] = [];
  const { check, checkpoint } = createCheckpoints(id, context, () => ({
    identity,
    runs: runs.map((run) => run.state()),
    trainers: nets.map(({ trainer }) => trainer.save()),
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
      const run = createRun(host, net, kept, settings, { before, passed });
      runs.push(run);
      return run;
    },
    async dispose() {
      for (const net of nets) await net.dispose();
    },
  };
}

/** What networks are trained on, and how epochs are judged. */
interface Material {
  readonly data: CategoricalData;
  readonly rows: Int32Array;
  readonly trained: Int32Array;
  readonly validator: Validator | undefined;
  readonly statistics: FeatureStatistics | undefined;
  readonly standardise: (x: Tensor) => Tensor;
  readonly network: Network;
  readonly notes: string[];
}

/** Holds tasks out if an epoch is to be chosen without gold, standardises, and makes the network. */
function prepare(
  id: string,
  given: CategoricalData,
  features: Features,
  options: TrainingValues,
  { valid, model }: LearnContext,
  random: Random,
): Material {
  const notes: string[] = [];
  const rows = rowsOfTasks(given, features);
  const choosing = options.selection === "best" || options.patience > 0;
  const split =
    choosing && !valid ? holdOut(given, options.validShare, random.split("valid")) : undefined;
  const data = split?.trained ?? given;
  const trained = Int32Array.from(
    [...labelsPerTask(data).entries()].flatMap(([t, n]) => (n > 0 ? [t] : [])),
  );
  if (trained.length === 0) {
    throw new CrowdError("no-labels", `${id}: there is no label to learn from.`);
  }
  const validator = valid
    ? goldValidator(valid)
    : split && crowdValidator(data, split.heldOut, features, rows);
  if (split) {
    const held = new Set(split.heldOut.task).size;
    notes.push(
      `Without validation gold the epoch was chosen on the labels of ${held} tasks held out (seed ${options.seed}).`,
    );
  }
  const rowsTrained = trained.map((t) => rows[t]);
  const statistics = options.standardise ? featureStatistics(features, rowsTrained) : undefined;
  append(notes, statistics?.notes ?? []);
  const network = (model ?? models[options.model])(features.shape, data.classes.length, {
    hidden: options.hidden.split(",").map(Number),
    dropout: options.dropout,
  });
  append(notes, network.notes ?? []);
  const standardise = standardiser(features.shape, statistics);
  return { data, rows, trained, validator, statistics, standardise, network, notes };
}

/** Chooses what a network is trained on and by which optimiser. */
function netOptions(
  { data, rows, trained, network, standardise }: Material,
  options: TrainingValues,
  { groups = {}, decoupled = false, classifier, trained: own = trained }: NetworkSettings,
) {
  return {
    data,
    rows,
    trained: own,
    network,
    standardise,
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
