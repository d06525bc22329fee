/**
 * How many independent workers a crowd is worth: copies, teams and models of one family err together, and
 * ten of them may tell no more than one.
 *
 *   n = max over w ≥ 0 of (Σ w)² / (wᵀ R w),   R the correlation of errors given the truth
 *
 * for the whole crowd and for the panel of each task (panel-size.ts). R comes from tasks of known truth
 * (known-truth.ts) or, as an upper estimate, from the labels alone (from-labels.ts). The interval is a
 * jackknife over 20 groups of tasks on log n, capped at the number of workers.
 */
import { byTask, type CategoricalData, selectLabels } from "../../data/categorical.ts";
import { labelsPerWorker } from "../../data/crowd-data.ts";
import { CrowdError } from "../../error.ts";
import { studentQuantile } from "../../math/incomplete.ts";
import { createRandom } from "../../math/random.ts";
import { drain, type Steps } from "../../method.ts";
import { coLabelledTasks } from "../co-labelling.ts";
import { labelCorrelations } from "./from-labels.ts";
import { knownCorrelations, shrink, shrunkCorrelations } from "./known-truth.ts";
import { crowdSize, type ErrorCorrelations, panelSize, partsOf } from "./panel-size.ts";

/** Settings of `effectiveWorkers`. */
export interface EffectiveOptions {
  /** The group of each worker (site, team, model family), by number; undefined for those in none. */
  readonly groups?: readonly (string | number | undefined)[] | undefined;
  /** P(class) of each task from a source independent of the labels: truth[task * K + class]. */
  readonly truth?: Float64Array | undefined;
  /** `known-truth` or `labels`; by default known truth if `truth` is given or 50 tasks have gold. */
  readonly route?: "known-truth" | "labels" | undefined;
  /** False for no interval. Default: true. */
  readonly interval?: boolean | undefined;
  /** Random seed of samples and of the groups of tasks. Default: 0. */
  readonly seed?: number | undefined;
  /** Pairs of labels that are compared; more are compared on a sample of whole tasks. Default: 2 million. */
  readonly mostPairs?: number | undefined;
}

/** How many independent workers a crowd is worth. */
export interface EffectiveWorkers {
  /** Independent workers of the same kind that would be as good as all who are counted, optimally weighted. */
  readonly crowd: number;
  /** Workers who are counted: those with 20 labels or more. */
  readonly workers: number;
  /** 95 % interval of `crowd`; undefined if it is refused, see `notes`. */
  readonly interval: readonly [low: number, high: number] | undefined;
  /** The effective number of the workers of each task; 0 without labels. */
  readonly perTask: Float64Array;
  /** Σ perTask / Σ labels: 1 if all are independent. */
  readonly redundancy: number;
  readonly route: "known-truth" | "labels";
  /** True without known truth: dependence that the labels do not show is missed. */
  readonly upperEstimate: boolean;
  /** Workers who err together, and what they are worth. */
  readonly groups: readonly { readonly workers: Int32Array; readonly effective: number }[];
  /** Correlation of errors of all other pairs: tasks that are hard for everybody. */
  readonly background: number;
  /** True if pairs were compared on a sample of tasks. */
  readonly sampled: boolean;
  readonly notes: readonly string[];
}

/** Workers with fewer labels are not counted. */
const FEWEST_LABELS = 20;
/** With as many tasks of known truth, that is used. */
const ENOUGH_GOLD = 50;
const TASK_GROUPS = 20;

/** Estimates how many independent workers a crowd, and the panel of each task, is worth. */
export function effectiveWorkers(
  data: CategoricalData,
  options?: EffectiveOptions,
): EffectiveWorkers {
  return drain(effectiveWorkersSteps(data, options));
}

/** The same in steps, with progress. */
export function* effectiveWorkersSteps(
  given: CategoricalData,
  options: EffectiveOptions = {},
): Steps<EffectiveWorkers> {
  const { seed = 0, interval = true } = options;
  const belief = truthOf(given, options);
  const W = given.workers.length;
  const labels = labelsPerWorker(given);
  const counted = [...labels.keys()].filter((w) => labels[w] >= FEWEST_LABELS);
  const taskGroups = interval ? TASK_GROUPS : 0;
  const random = createRandom(seed).split("jackknife");
  const taskGroup = Int32Array.from(given.tasks, (name) =>
    Math.floor(random.split(name).next() * Math.max(1, taskGroups)),
  );
  const bound = { mostPairs: options.mostPairs ?? 2_000_000, seed };
  const { data, sampled } = coLabelledTasks(belief ? onlyKnown(given, belief) : given, bound);
  const notes: string[] = [];
  const found: FoundCorrelations = belief
    ? knownTruth(data, belief, taskGroup, taskGroups)
    : yield* labelCorrelations(data, givenGroups(given, options.groups), taskGroup, taskGroups);
  const groups = found.groups ?? partsOf({ ...found.all, background: 0 }, counted);
  const crowd = crowdSize(found.all, counted);
  const refused = belief ? undefined : refusal(groups, labels, given.label.length);
  const sizes = refused ? [] : found.leftOut.map((R) => crowdSize(R, counted));
  if (refused && interval) notes.push(refused);
  if (!belief) notes.push("Without known truth the number is an upper estimate.");
  yield { iteration: W, objective: 0, stage: "measuring the panels of tasks" };
  const perTask = panels(given, found.all);
  const total = perTask.reduce((sum, n) => sum + n, 0);
  return {
    crowd,
    workers: counted.length,
    interval: sizes.length > 0 ? jackknife(crowd, sizes, counted.length) : undefined,
    perTask,
    redundancy: given.label.length > 0 ? total / given.label.length : 1,
    route: belief ? "known-truth" : "labels",
    upperEstimate: !belief,
    groups: groups
      .filter(({ length }) => length > 1)
      .map((workers) => ({
        workers: Int32Array.from(workers).sort(),
        effective: panelSize(found.all, workers),
      })),
    background: found.all.background,
    sampled,
    notes,
  };
}

/** Correlations from all tasks and without each group of tasks, and groups if the labels showed them. */
interface FoundCorrelations {
  readonly groups?: readonly ArrayLike<number>[];
  readonly all: ErrorCorrelations;
  readonly leftOut: readonly ErrorCorrelations[];
}

/** The truth to go by, zeros where it is unknown; undefined if labels have to do. */
function truthOf(
  data: CategoricalData,
  { truth, route }: EffectiveOptions,
): Float64Array | undefined {
  const K = data.classes.length;
  if (truth && truth.length !== data.tasks.length * K) {
    throw new CrowdError(
      "bad-option",
      `effectiveWorkers: truth must hold ${data.tasks.length * K} numbers, not ${truth.length}.`,
    );
  }
  if (route === "labels") return undefined;
  if (truth) return truth;
  const gold = data.gold.reduce((sum, k) => sum + (k >= 0 ? 1 : 0), 0);
  if (route === "known-truth" && gold === 0) {
    throw new CrowdError(
      "bad-option",
      "effectiveWorkers: known-truth needs gold or truth, and there is neither.",
    );
  }
  if (route !== "known-truth" && gold < ENOUGH_GOLD) return undefined;
  const belief = new Float64Array(data.tasks.length * K);
  data.gold.forEach((k, t) => {
    if (k >= 0) belief[t * K + k] = 1;
  });
  return belief;
}

/** Labels of tasks whose truth is known. */
function onlyKnown(data: CategoricalData, belief: Float64Array): CategoricalData {
  const K = data.classes.length;
  const isKnown = (t: number) => belief.subarray(t * K, (t + 1) * K).some((q) => q > 0);
  const known = Uint8Array.from(data.gold, (_, t) => (isKnown(t) ? 1 : 0));
  return selectLabels(data, (i) => known[data.task[i]] > 0);
}

function knownTruth(
  data: CategoricalData,
  belief: Float64Array,
  taskGroup: Int32Array,
  taskGroups: number,
): FoundCorrelations {
  const { pairs, all, leftOut } = knownCorrelations(data, belief, taskGroup, taskGroups);
  const of = (values: typeof all) =>
    shrunkCorrelations(pairs, values, shrink(values), data.workers.length);
  return { all: of(all), leftOut: leftOut.map(of) };
}

/** Numbers of the workers of each given group of two or more. */
function givenGroups(
  { workers }: CategoricalData,
  groups: EffectiveOptions["groups"],
): Int32Array[] | undefined {
  if (!groups) return undefined;
  if (groups.length !== workers.length) {
    throw new CrowdError(
      "bad-option",
      `effectiveWorkers: groups must name a group for each of ${workers.length} workers, not ${groups.length}.`,
    );
  }
  const members = new Map<string | number, number[]>();
  groups.forEach((name, w) => {
    if (name !== undefined) members.set(name, [...(members.get(name) ?? []), w]);
  });
  return [...members.values()]
    .filter(({ length }) => length > 1)
    .map((list) => Int32Array.from(list));
}

/** Says why there is no interval, if groups hold over half of the labels. */
function refusal(
  groups: readonly ArrayLike<number>[],
  labels: Int32Array,
  total: number,
): string | undefined {
  let held = 0;
  for (const group of groups) {
    for (let i = 0; group.length > 1 && i < group.length; i++) held += labels[group[i]];
  }
  if (held <= total / 2) return undefined;
  return `Groups hold ${Math.round((100 * held) / total)} % of the labels. Without known truth there is no interval then: add gold for 50 tasks or more.`;
}

/** exp(log n ± t · se) with se² = (G − 1)/G Σ (x − mean)², capped at the number of workers. */
function jackknife(n: number, sizes: readonly number[], workers: number): [number, number] {
  const G = sizes.length;
  const logs = sizes.map((size) => Math.log(Math.max(1, size)));
  const mean = logs.reduce((sum, x) => sum + x, 0) / G;
  const error = Math.sqrt(((G - 1) / G) * logs.reduce((sum, x) => sum + (x - mean) ** 2, 0));
  const half = studentQuantile(0.975, G - 1) * error;
  return [
    Math.min(n, Math.max(1, n * Math.exp(-half))),
    Math.max(n, Math.min(workers, n * Math.exp(half))),
  ];
}

/** The effective number of each task's workers; the same set is computed once. */
function panels(data: CategoricalData, R: ErrorCorrelations): Float64Array {
  const { start, other, label } = byTask(data);
  const K = data.classes.length;
  const known = new Map<string, number>();
  const sizes = new Float64Array(data.tasks.length);
  for (let t = 0; t < sizes.length; t++) {
    const members = new Set<number>();
    for (let i = start[t]; i < start[t + 1]; i++) if (label[i] < K) members.add(other[i]);
    const panel = Int32Array.from(members).sort();
    const key = panel.join();
    const size = known.get(key) ?? panelSize(R, panel);
    known.set(key, size);
    sizes[t] = size;
  }
  return sizes;
}
