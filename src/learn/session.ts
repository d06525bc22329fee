/**
 * What a method gets to work with: the crowd, networks to train, and runs of epochs that look after
 * validation, the choice of an epoch, checkpoints and stopping.
 */

import { labelsPerTask } from "../data/crowd-data.ts";
import type { CrowdDataset } from "../data/dataset.ts";
import { type Features, rowsOfTasks } from "../data/features.ts";
import { type FeatureStatistics, featureStatistics } from "../data/standardise.ts";
import { CrowdError } from "../error.ts";
import { append } from "../math/lists.ts";
import { createRandom, type Random } from "../math/random.ts";
import type { Progress } from "../method.ts";
import type { Executor } from "../tensor/executor.ts";
import { type Model, models } from "../tensor/models.ts";
import { schedules } from "../tensor/optim/schedule.ts";
import type { Module } from "../tensor/scope.ts";
import type { Objective, Step } from "../tensor/train.ts";
import type { Checkpoint, EpochRecord, RunState } from "./checkpoint.ts";
import { standardiser } from "./classifier.ts";
import { type Batch, createNet, type Feeding, type Io, type Net } from "./network.ts";
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

export interface NetworkSettings {
  /** Learning rates and decays of groups other than "network". */
  readonly groups?: Readonly<Record<string, { readonly rate: number; readonly decay?: number }>>;
  readonly decoupled?: boolean;
  /** From raw features to logits, where the classifier is not the network's own head. */
  readonly classifier?: Module;
  /** The tasks to train on, where not all that have labels. */
  readonly trained?: Int32Array;
}

/** A run of epochs. `while (run.more()) { …; yield await run.done(loss) }`, then `await run.finish()`. */
export interface Run {
  /** The epoch at work, from 0. */
  readonly epoch: number;
  readonly epochs: number;
  readonly history: readonly EpochRecord[];
  more(): boolean;
  /** Every batch once; returns the mean loss. */
  train(feeds?: Feeding, settings?: PassSettings): Promise<number>;
  done(loss: number): Promise<Progress>;
  /** Weights and kept arrays become those of the chosen epoch. */
  finish(): Promise<void>;
}

export interface PassSettings {
  readonly batch?: number;
  readonly dropLast?: boolean;
  /** Shares of the learning rate by group, besides the schedule. */
  readonly shares?: Readonly<Record<string, number>>;
  /** Called after each step with the share of the rates that the schedule gives, for what moves itself. */
  readonly after?: (batch: Batch, step: Step, share: number) => void;
}

export interface RunSettings {
  readonly epochs?: number;
  /** False where the run is only a warm-up, whose epochs are not to choose from. */
  readonly choose?: boolean;
  readonly stage?: string;
}

export interface Session {
  /** The labels to train on: none of tasks held out. */
  readonly data: CrowdDataset;
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
  /** Throws `cancelled` where a stop was asked for. */
  check(): void;
  dispose(): Promise<void>;
}

export function createSession(
  id: string,
  given: CrowdDataset,
  features: Features,
  options: TrainingValues,
  context: LearnContext,
  identity: string,
): Session {
  const { executor, valid, resume } = context;
  const random = createRandom(options.seed).split("learn");
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
  const validator: Validator | undefined = valid
    ? goldValidator(valid)
    : split && crowdValidator(data, split.heldOut, features, rows);
  if (split) {
    const held = new Set(split.heldOut.task).size;
    notes.push(
      `Without validation gold the epoch was chosen on the labels of ${held} tasks held out (seed ${options.seed}).`,
    );
  }
  const statistics = options.standardise
    ? featureStatistics(
        features,
        trained.map((t) => rows[t]),
      )
    : undefined;
  append(notes, statistics?.notes ?? []);
  const standardise = standardiser(features.shape, statistics);
  const make = context.model ?? models[options.model];
  const network = make(features.shape, data.classes.length, {
    hidden: options.hidden.split(",").map(Number),
    dropout: options.dropout,
  });
  append(notes, network.notes ?? []);
  if (resume && resume.identity !== identity) {
    throw new CrowdError(
      "bad-data",
      "The checkpoint belongs to another run: method, options, labels and features must be the same.",
    );
  }
  const choose = validator !== undefined && options.selection !== "last";

  const trunk: Module = (x, scope) => network.trunk(standardise(x), scope.child("trunk"));
  const nets: Net[] = [];
  const runs: (Run & { state(): RunState })[] = [];
  let latest: Checkpoint | undefined;
  const snapshot = (): Checkpoint => ({
    identity,
    runs: runs.map((run) => run.state()),
    trainers: nets.map(({ trainer }) => trainer.save()),
  });
  const check = () => {
    if (!context.signal?.aborted) return;
    const state = latest;
    if (state) context.onCheckpoint?.(() => state, true);
    throw new CrowdError("cancelled", `${id} was cancelled.`, { cause: context.signal.reason });
  };

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
    trunk,
    runs,
    check,
    async network(
      build,
      { groups = {}, decoupled = false, classifier, trained: own = trained } = {},
    ) {
      const net = await createNet({
        executor,
        data,
        features,
        rows,
        trained: own,
        network,
        standardise,
        build,
        random: random.split("network").split(nets.length),
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
      });
      const state = resume?.trainers[nets.length];
      if (state) net.trainer.load(state);
      nets.push(net);
      return net;
    },
    run(net, kept = {}, { epochs = options.epochs, choose: wanted = true, stage } = {}) {
      const before = resume?.runs[runs.length];
      // A later run has gone on from the chosen epoch already.
      const passed = (resume?.runs.length ?? 0) > runs.length + 1;
      const history: EpochRecord[] = [...(before?.history ?? [])];
      for (const [name, array] of Object.entries(before?.kept ?? {})) kept[name]?.set(array);
      let best = before?.best;
      const copies = () =>
        Object.fromEntries(Object.entries(kept).map(([name, array]) => [name, array.slice()]));
      const stale = () =>
        choose && wanted && options.patience > 0 && best
          ? history.length - 1 - best.epoch >= options.patience
          : false;
      const run: Run & { state(): RunState } = {
        epochs,
        history,
        get epoch() {
          return history.length;
        },
        more: () => history.length < epochs && !stale(),
        async train(
          feeds = () => ({}),
          { batch = options.batch, dropLast = false, shares = {}, after } = {},
        ) {
          const size = Math.min(batch, net.trained);
          const count = Math.ceil(net.trained / size);
          let total = 0;
          let weight = 0;
          let at = 0;
          for (const each of net.batches(history.length, size, dropLast)) {
            check();
            const share = schedules[options.schedule](history.length * count + at, epochs * count);
            const groups = ["network", "crowd", ...Object.keys(shares)];
            const step = await net.step(
              each,
              await feeds(each),
              Object.fromEntries(groups.map((name) => [name, share * (shares[name] ?? 1)])),
            );
            if (!Number.isFinite(step.loss)) throw diverged(id, step.loss, history.length + 1);
            after?.(each, step, share);
            total += step.loss * each.tasks.length;
            weight += each.tasks.length;
            context.onBatch?.(++at / count);
          }
          return total / weight;
        },
        async done(loss) {
          const epoch = history.length;
          const validation = validator && wanted ? await validator.score(net) : undefined;
          history.push({ epoch, loss, ...(validation === undefined ? {} : { validation }) });
          if (choose && validation !== undefined && !(validation <= (best?.score ?? -Infinity))) {
            best = { epoch, score: validation, trainer: net.trainer.save(), kept: copies() };
          }
          if (context.onCheckpoint) {
            const state = snapshot();
            latest = state;
            context.onCheckpoint(() => state, false);
          }
          check();
          const shown = validation === undefined ? {} : { validation };
          return { iteration: epoch + 1, objective: -loss, ...(stage ? { stage } : {}), ...shown };
        },
        async finish() {
          if (!best || passed) return;
          net.trainer.load(best.trainer);
          for (const [name, array] of Object.entries(best.kept)) kept[name]?.set(array);
          notes.push(
            `Epoch ${best.epoch + 1} of ${history.length} is kept, the best by ${validator?.measure}: ${best.score.toFixed(4)}.`,
          );
        },
        state: () => ({ history: [...history], kept: copies(), best }),
      };
      runs.push(run);
      return run;
    },
    async dispose() {
      for (const net of nets) await net.dispose();
    },
  };
}

function diverged(id: string, loss: number, epoch: number): CrowdError {
  return new CrowdError(
    "not-supported",
    `${id}: the loss became ${loss} in epoch ${epoch}. Use a smaller rate, or clip.`,
  );
}
