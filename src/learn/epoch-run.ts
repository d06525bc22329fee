/** Runs of epochs: batches, validation, the choice of an epoch, early stopping. */
import { CrowdError, hint } from "../error.ts";
import type { Progress } from "../method.ts";
import type { Buffers } from "../tensor/executor.ts";
import { schedules } from "../tensor/optim/schedule.ts";
import { rowsThatFit, shortageOf } from "../tensor/out-of-memory.ts";
import type { Step } from "../tensor/train.ts";
import type { EpochRecord, RunState } from "./checkpoint.ts";
import type { Batch, Feeding, Net } from "./network.ts";
import type { TrainingValues } from "./options.ts";
import type { Validator } from "./validation.ts";

/** What a running learner says after each epoch. */
export interface LearnProgress extends Progress {
  /** The score on validation, where there is one. */
  readonly validation?: number;
  /** Number of epochs of this run. */
  readonly epochs?: number;
  /** Which run this is, from 1: some methods train several times. */
  readonly run?: number;
  /** Learning rate of the network at the end of the epoch, where it has one. */
  readonly rate?: number;
}

/** A run of epochs. `while (run.more()) { …; yield await run.done(loss) }`, then `await run.finish()`. */
export interface Run {
  /** The epoch at work, from 0. */
  readonly epoch: number;
  readonly epochs: number;
  readonly history: readonly EpochRecord[];
  more(): boolean;
  /** Trains on every batch once; returns the mean loss. */
  train(feeds?: Feeding, settings?: PassSettings): Promise<number>;
  done(loss: number): Promise<LearnProgress>;
  /** Sets weights and kept arrays to those of the chosen epoch. */
  finish(): Promise<void>;
}

interface PassSettings {
  readonly batch?: number;
  readonly dropLast?: boolean;
  /** Shares of the learning rate by group, besides the schedule. */
  readonly shares?: Readonly<Record<string, number>>;
  /** Called after each step with the share of the rates that the schedule gives, for what moves itself. */
  readonly after?: (batch: Batch, step: Step, share: number) => void;
  /** True if what is fed depends on the weights of the moment: then no two steps share a run. */
  readonly stepwise?: boolean;
}

export interface RunSettings {
  readonly epochs?: number;
  /** False if the run is only a warm-up, whose epochs are not to choose from. */
  readonly choose?: boolean;
  readonly stage?: string;
}

/** What a run needs of its session. */
export interface RunHost {
  readonly id: string;
  readonly options: TrainingValues;
  readonly notes: string[];
  readonly validator: Validator | undefined;
  /** Throws `cancelled` if a stop was asked for. */
  check(): void;
  /** Saves the state of all runs, after an epoch. */
  checkpoint(): void;
  readonly onBatch: ((share: number) => void) | undefined;
}

/** Where a run goes on from. */
export interface RunStart {
  /** Which run of the training it is, from 1. */
  readonly number: number;
  readonly before: RunState | undefined;
  /** True if a later run has gone on from the chosen epoch already. */
  readonly passed: boolean;
}

export interface SavedRun extends Run {
  state(): RunState;
}

/** A run of epochs, and where it is. */
interface State {
  readonly host: RunHost;
  readonly net: Net;
  readonly number: number;
  /** Arrays of the method that change with the epochs, in place. */
  readonly kept: Readonly<Record<string, Float64Array>>;
  readonly epochs: number;
  /** Whether epochs are validated, and whether the best of them is chosen. */
  readonly validator: Validator | undefined;
  readonly choose: boolean;
  readonly stage: string | undefined;
  readonly history: EpochRecord[];
  best: RunState["best"];
  /** Learning rate of the network in the last step. */
  rate: number | undefined;
}

/** Starts a run of epochs, or goes on with one. */
export function createRun(
  host: RunHost,
  net: Net,
  kept: Readonly<Record<string, Float64Array>>,
  { epochs = host.options.epochs, choose = true, stage }: RunSettings,
  { number, before, passed }: RunStart,
): SavedRun {
  const validator = choose ? host.validator : undefined;
  const state: State = {
    host,
    net,
    number,
    kept,
    epochs,
    validator,
    choose: validator !== undefined && host.options.selection !== "last",
    stage,
    history: [...(before?.history ?? [])],
    best: before?.best,
    rate: undefined,
  };
  const { history } = state;
  restore(kept, before?.kept ?? {});
  return {
    epochs,
    history,
    get epoch() {
      return history.length;
    },
    more() {
      // Asked here and not in `done`, so that an epoch that was finished is told before the training stops.
      host.check();
      return history.length < epochs && !isStale(state);
    },
    train: (feeds = () => ({}), settings = {}) => train(state, feeds, settings),
    done: (loss) => endEpoch(state, loss),
    async finish() {
      if (!passed) chooseBest(state);
    },
    state: () => ({ history: [...history], kept: copies(kept), best: state.best }),
  };
}

/** Trains on every batch of an epoch; returns the mean loss. */
async function train(
  state: State,
  feeds: Feeding,
  {
    batch = state.host.options.batch,
    dropLast = false,
    shares = {},
    after,
    stepwise,
  }: PassSettings,
): Promise<number> {
  const { host, net, epochs, history } = state;
  const size = Math.min(batch, net.trained);
  const count = Math.ceil(net.trained / size);
  const groups = ["network", "crowd", ...Object.keys(shares)];
  const schedule = schedules[host.options.schedule];
  let total = 0;
  let weight = 0;
  let at = 0;
  const batches = net.batches(history.length, size, dropLast);
  for (const group of grouped(batches, stepwise || after ? 1 : net.atOnce)) {
    host.check();
    const share = group.map((_, i) => schedule(history.length * count + at + i, epochs * count));
    const rates = share.map((own) =>
      Object.fromEntries(groups.map((name) => [name, own * (shares[name] ?? 1)])),
    );
    const fed: Buffers[] = [];
    for (const each of group) fed.push(await feeds(each));
    const steps = await net.steps(group, fed, rates).catch((error) => {
      throw smallerBatch(error, group[0].size);
    });
    for (const [i, step] of steps.entries()) {
      if (!Number.isFinite(step.loss)) throw diverged(step.loss, history.length + 1);
      after?.(group[i], step, share[i]);
      total += step.loss * group[i].size;
      weight += group[i].size;
    }
    state.rate = host.options.rate * rates[rates.length - 1]["network"];
    at += group.length;
    host.onBatch?.(at / count);
  }
  return total / weight;
}

/** Yields lists of at most so many, one after another. */
function* grouped<Item>(items: Iterable<Item>, most: number): Iterable<readonly Item[]> {
  let group: Item[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < most) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Validates the epoch, keeps it if it is the best so far, and saves a checkpoint. */
async function endEpoch(state: State, loss: number): Promise<LearnProgress> {
  const { host, net, number, kept, epochs, validator, stage, history, rate } = state;
  const epoch = history.length;
  const score = await validator?.score(net);
  const shown = score === undefined ? {} : { validation: score };
  history.push({ epoch, loss, ...shown });
  if (state.choose && score !== undefined && !(score <= (state.best?.score ?? -Infinity))) {
    state.best = { epoch, score, trainer: net.trainer.save(), kept: copies(kept) };
  }
  host.checkpoint();
  return {
    iteration: epoch + 1,
    objective: -loss,
    epochs,
    run: number,
    ...(rate !== undefined && { rate }),
    ...(stage ? { stage } : {}),
    ...shown,
  };
}

/** Returns whether the best epoch lies further back than the patience allows. */
function isStale({ host, choose, history, best }: State): boolean {
  const { patience } = host.options;
  return choose && patience > 0 && best ? history.length - 1 - best.epoch >= patience : false;
}

/** Brings back the best epoch. */
function chooseBest({ host, net, kept, history, best }: State): void {
  if (!best) return;
  net.trainer.load(best.trainer);
  restore(kept, best.kept);
  host.notes.push(
    `Epoch ${best.epoch + 1} of ${history.length} is kept, the best by ${host.validator?.measure}: ${best.score.toFixed(4)}.`,
  );
}

function copies(kept: Readonly<Record<string, Float64Array>>): Record<string, Float64Array> {
  return Object.fromEntries(Object.entries(kept).map(([name, array]) => [name, array.slice()]));
}

function restore(
  kept: Readonly<Record<string, Float64Array>>,
  saved: Readonly<Record<string, Float64Array>>,
): void {
  for (const [name, array] of Object.entries(saved)) kept[name]?.set(array);
}

/** Says which batch would fit if there was too little memory for one; else returns the error as it is. */
function smallerBatch(error: unknown, batch: number): unknown {
  const shortage = shortageOf(error);
  // Of a single example nothing can be left out: the error says what else helps.
  if (!shortage || batch === 1) return error;
  const { message } = error as Error;
  return new CrowdError(
    "too-large",
    `${(error instanceof CrowdError ? error.template : message).replace(/\.$/, "")}. A batch of ${batch} did not fit: try ${hint("batch", rowsThatFit(batch, shortage))}.`,
    { cause: error },
  );
}

/** Says that a loss is no number any more, and what to do. */
function diverged(loss: number, epoch: number): CrowdError {
  return new CrowdError(
    "not-supported",
    `Training diverged: the loss is ${loss} at epoch ${epoch}. Lower ${hint("rate")} or set ${hint("clip")}.`,
  );
}
