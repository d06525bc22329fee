/**
 * The state of a live model, by numbers: labels, beliefs of tasks, statistics of workers, names.
 *
 * Parameters are never stored: they follow from the statistics when a task is looked at. A task that
 * has never been looked at has a belief of zeros and no share of the statistics.
 */
import type { Known } from "../belief/known.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Attributes } from "../data/crowd-data.ts";
import type { LiveContext, LiveModel } from "../em/live.ts";
import { copiedDoubles, grownDoubles, grownInts } from "./growing.ts";
import { createGrowingNames, type GrowingNames } from "./growing-names.ts";
import {
  createLabelStore,
  type LabelStore,
  labelColumns,
  makeRoomForTask,
  weightOf,
} from "./label-store.ts";
import {
  addKnownTask,
  countsTowardsPrior,
  createLiveKnown,
  historyFor,
  knownNow,
  type LiveKnown,
} from "./live-known.ts";
import {
  countLabel,
  countTask,
  countWord,
  createStatistics,
  makeRoomForWorker,
  type Statistics,
} from "./statistics.ts";
import type { Stochastic } from "./stochastic.ts";
import { createUndoLog, startChain, type UndoLog } from "./undo-log.ts";

export interface LiveState {
  readonly source: CategoricalData;
  readonly tasks: GrowingNames;
  readonly workers: GrowingNames;
  readonly store: LabelStore;
  readonly known: LiveKnown;
  readonly undo: UndoLog;
  /** Number of classes. */
  readonly K: number;
  /** Things that a label can say now. */
  L: number;
  /** Returns the model for L things that a label can say. */
  readonly modelFor: (L: number) => LiveModel;
  /** True if an abstention is something that a label can say. */
  readonly abstains: boolean;
  statistics: Statistics;
  /** Present if statistics move by stochastic steps. */
  readonly stochastic: Stochastic | undefined;
  /** P(class | labels) as posterior[task * K + class]; zeros for a task never looked at. */
  posterior: Float64Array;
  /** Labels of each worker that the model hears. */
  workload: Int32Array;
  readonly scores: Float64Array;
}

export interface StateSettings {
  readonly make: (context: LiveContext) => LiveModel;
  readonly abstains: boolean;
  /** Exponent of the stochastic steps; undefined for the incremental form. */
  readonly exponent: number | undefined;
  /** Whose labels the stochastic steps count. */
  readonly clock: "worker" | "all";
}

/** Returns the state in which these labels have these beliefs. O(labels). */
export function createState(
  source: CategoricalData,
  posterior: Float64Array,
  known: Known,
  { make, abstains, exponent, clock }: StateSettings,
): LiveState {
  const [T, W, K] = [source.tasks.length, source.workers.length, source.classes.length];
  const store = createLabelStore(source);
  const L = abstains && store.abstentions > 0 ? K + 1 : K;
  const liveKnown = createLiveKnown(known, T, L);
  const models = new Map<number, LiveModel>();
  const modelFor = (given: number): LiveModel => {
    const made = models.get(given) ?? makeModel(make, liveKnown, { K, L: given, abstains });
    models.set(given, made);
    return made;
  };
  const statistics = createStatistics(modelFor(L), W, K);
  const state: LiveState = {
    source,
    tasks: createGrowingNames(source.tasks),
    workers: createGrowingNames(source.workers),
    store,
    known: liveKnown,
    undo: createUndoLog(T, K, store.given),
    K,
    L,
    modelFor,
    abstains,
    statistics,
    stochastic:
      exponent === undefined
        ? undefined
        : { statistics, exponent, clock, mass: new Float64Array(W), tasks: 0 },
    posterior: copiedDoubles(posterior),
    workload: new Int32Array(W),
    scores: new Float64Array(K),
  };
  recount(state);
  return state;
}

/** Returns the same state with a prior for each task, which is the class prior so far. O(labels). */
export function withTaskPriors(state: LiveState, settings: StateSettings): LiveState {
  const { statistics, K } = state;
  const T = state.tasks.length();
  statistics.model.learn(statistics.totals);
  const prior = statistics.model.prior;
  const taskPrior = Float64Array.from({ length: T * K }, (_, at) => prior[at % K]);
  const posterior = state.posterior.slice(0, T * K);
  return createState(dataOf(state), posterior, { ...knownOf(state), taskPrior }, settings);
}

function makeModel(
  make: (context: LiveContext) => LiveModel,
  known: LiveKnown,
  { K, L, abstains }: { K: number; L: number; abstains: boolean },
): LiveModel {
  const { prior, priorCounts } = known.fixed;
  const { taskPrior } = known;
  const history = historyFor(known, L);
  return make({
    K,
    L,
    room: abstains ? K + 1 : K,
    known: {
      ...(prior && { prior }),
      ...(priorCounts && { priorCounts }),
      ...(taskPrior && { taskPrior }),
      ...(history && { history }),
    },
  });
}

/** Makes the statistics from the labels and beliefs. O(labels). */
export function recount(state: LiveState): void {
  const { store, posterior, K, stochastic } = state;
  const T = state.tasks.length();
  const statistics = createStatistics(state.modelFor(state.L), state.workers.length(), K);
  state.workload.fill(0);
  let tasks = 0;
  const mass = new Float64Array(state.workers.length());
  for (let t = 0; t < T; t++) {
    for (let i = store.latest[t]; i >= 0; i = store.earlier[i]) {
      const [w, label, weight] = [store.worker[i], store.label[i], weightOf(store, i)];
      if (label >= state.L) continue;
      countLabel(statistics, w, label, weight, posterior, t * K, 1);
      countWord(statistics, label, weight, 1);
      mass[w] += statistics.model.mass(label, weight);
      state.workload[w]++;
    }
    if (!countsTowardsPrior(state.known, t) || !isPresent(state, t)) continue;
    countTask(statistics, posterior, t * K, 1);
    tasks++;
  }
  state.statistics = statistics;
  if (stochastic) Object.assign(stochastic, { statistics, mass, tasks });
}

/** Returns whether a task has a share of the statistics. */
export function isPresent({ posterior, K }: LiveState, t: number): boolean {
  for (let k = t * K; k < (t + 1) * K; k++) if (posterior[k] > 0) return true;
  return false;
}

/** Returns the number of a task, which is added if it is new. */
export function taskNumber(state: LiveState, name: string): number {
  const T = state.tasks.length();
  const t = state.tasks.add(name);
  if (t < T) return t;
  const { model, totals } = state.statistics;
  model.learn(totals);
  addKnownTask(state.known, t, model.prior);
  makeRoomForTask(state.store, t);
  startChain(state.undo, t);
  state.posterior = grownDoubles(state.posterior, (t + 1) * state.K);
  return t;
}

/** Returns the number of a worker, who is added if new. */
export function workerNumber(state: LiveState, name: string): number {
  const W = state.workers.length();
  const w = state.workers.add(name);
  if (w < W) return w;
  makeRoomForWorker(state.statistics, w);
  state.workload = grownInts(state.workload, w + 1);
  return w;
}

/** Returns the labels that remain as a dataset: tasks and workers in order of first appearance. */
export function dataOf(state: LiveState): CategoricalData {
  const { source } = state;
  const { taskAttributes, workerAttributes } = source;
  const [tasks, workers] = [state.tasks.list(), state.workers.list()];
  const gold = new Int32Array(tasks.length).fill(-1);
  gold.set(source.gold);
  return {
    kind: "categorical",
    tasks,
    workers,
    classes: source.classes,
    ...labelColumns(state.store, source),
    gold,
    ...(taskAttributes && { taskAttributes: lengthened(taskAttributes, tasks.length) }),
    ...(workerAttributes && { workerAttributes: lengthened(workerAttributes, workers.length) }),
    notes: source.notes,
  };
}

/** Returns what is known now, as the method takes it for the labels that remain. */
export function knownOf({ known, tasks, workers, K, L }: LiveState): Known {
  return knownNow(known, { T: tasks.length(), W: workers.length(), K, L });
}

/** Gives new tasks or workers an empty text for every attribute. */
function lengthened(attributes: Attributes, length: number): Attributes {
  return new Map(
    Array.from(attributes, ([name, values]) => [
      name,
      Array.from({ length }, (_, i) => values[i] ?? ""),
    ]),
  );
}
