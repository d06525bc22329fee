/**
 * How often pairs of workers said what of the same tasks: all that the moment methods look at.
 *
 *   mean[u, l]         share of label l among the labels of worker u
 *   joint[u, v, l, m]  share of (u said l, v said m) among the tasks that both labelled
 *
 * Where workers err independently, given the class,
 *
 *   mean[u] = confusion[u]ᵀ · prior      joint[u, v] = confusion[u]ᵀ · diag(prior) · confusion[v]
 *
 * A share from n tasks has a variance of about p (1 - p) / n, so fits weigh a pair by its common tasks.
 * Nobody labels a task twice, so the moments of a worker with themself are missing.
 */

import type { Shape } from "../../../belief/confusion-table.ts";
import { byTask, byWorker, type CategoricalData, type Index } from "../../../data/categorical.ts";
import { CrowdError } from "../../../error.ts";
import { createRandom } from "../../../math/random.ts";
import { simplexLeastSquares } from "../../../math/simplex-least-squares.ts";
import type { Progress, Steps } from "../../../method.ts";

export interface PairMoments extends Shape {
  /** Labels of each worker; a label counts by its weight. */
  readonly labels: Float64Array;
  /** Share of each label among a worker's labels: means[worker * L + label]. */
  readonly means: Float64Array;
  /** The pairs of worker u stand at start[u]..start[u + 1], by partner; each pair stands at both. */
  readonly start: Int32Array;
  readonly partner: Int32Array;
  /** Tasks that both labelled. */
  readonly common: Float64Array;
  /** joint[(pair * L + own label) * L + label of the partner]; each pair's L² sum to 1. */
  readonly joint: Float64Array;
}

export const pairOptions = {
  minCommon: {
    default: 5,
    min: 1,
    unit: "tasks",
    help: "Minimum number of common tasks of a pair of workers.",
  },
  partners: {
    default: 50,
    min: 0,
    integer: true,
    help: "Number of partners per worker, those with the most common tasks; 0 keeps all.",
  },
  memory: {
    default: 1000,
    min: 0,
    unit: "MB",
    help: "Maximum memory for the moments of pairs.",
  },
} as const;

/** Progress is told, and cancelling heard, after so many workers. */
const PAUSE = 500;

function progress(worker: number): Progress {
  return { iteration: worker, objective: 0, stage: "pairs of workers" };
}

export interface PairSettings {
  readonly minCommon: number;
  readonly partners: number;
  readonly memory: number;
}

/** O(sum over tasks of squared labels) time, 8 L² bytes for each pair, twice. */
export function* pairMoments(
  id: string,
  data: CategoricalData,
  L: number,
  settings: PairSettings,
): Steps<PairMoments> {
  const W = data.workers.length;
  const visit = createVisitor(data);
  const { start, partner, common } = yield* choosePairs(data, visit, settings);
  checkMemory(id, data, partner.length, L, settings.memory);
  const joint = new Float64Array(partner.length * L * L);
  const slot = new Int32Array(W).fill(-1);
  for (let u = 0; u < W; u++) {
    if (u % PAUSE === 0) yield progress(u);
    for (let p = start[u]; p < start[u + 1]; p++) slot[partner[p]] = p;
    visit(u, (v, own, theirs, weight) => {
      if (slot[v] >= 0) joint[(slot[v] * L + own) * L + theirs] += weight;
    });
    for (let p = start[u]; p < start[u + 1]; p++) slot[partner[p]] = -1;
  }
  for (let at = 0; at < joint.length; at++) joint[at] /= common[Math.floor(at / (L * L))];
  const shape = { workers: W, classes: data.classes.length, given: L };
  return { ...shape, ...labelMeans(data, L), start, partner, common, joint };
}

type Visitor = (
  u: number,
  pair: (v: number, own: number, theirs: number, weight: number) => void,
) => void;

/** Calls back for every label of another worker on every task of worker u. */
function createVisitor(data: CategoricalData): Visitor {
  const tasks = byTask(data);
  const workers = byWorker(data);
  const taskWeight = sortedWeights(data, data.task, tasks);
  const workerWeight = sortedWeights(data, data.worker, workers);
  return (u, pair) => {
    for (let i = workers.start[u]; i < workers.start[u + 1]; i++) {
      const t = workers.other[i];
      const own = workers.label[i];
      const weight = workerWeight ? workerWeight[i] : 1;
      for (let j = tasks.start[t]; j < tasks.start[t + 1]; j++) {
        const v = tasks.other[j];
        if (v !== u) pair(v, own, tasks.label[j], weight * (taskWeight ? taskWeight[j] : 1));
      }
    }
  };
}

/** The weights in the order of an index, or undefined where all labels count for one. */
function sortedWeights(
  { weight }: CategoricalData,
  key: Int32Array,
  { start }: Index,
): Float64Array | undefined {
  if (!weight) return undefined;
  const sorted = new Float64Array(weight.length);
  const next = start.slice();
  for (let i = 0; i < key.length; i++) sorted[next[key[i]]++] = weight[i];
  return sorted;
}

/** The pairs with enough common tasks that are among the best of either worker. */
function* choosePairs(
  data: CategoricalData,
  visit: Visitor,
  { minCommon, partners }: PairSettings,
): Steps<Pick<PairMoments, "start" | "partner" | "common">> {
  const W = data.workers.length;
  const random = createRandom(0).split("pairs");
  // Equally many common tasks are told apart by the names of both.
  const lot = Float64Array.from(data.workers, (name) => random.split(name).next());
  const score = (u: number, v: number, tasks: number) => tasks + 0.5 * ((lot[u] + lot[v]) % 1);
  const together = new Float64Array(W);
  const countOf = (u: number) => {
    together.fill(0);
    visit(u, (v, _own, _theirs, weight) => {
      together[v] += weight;
    });
  };
  const cut = new Float64Array(W);
  for (let u = 0; partners > 0 && u < W; u++) {
    if (u % PAUSE === 0) yield progress(u);
    countOf(u);
    const scores = together.map((tasks, v) => (tasks >= minCommon ? score(u, v, tasks) : 0));
    scores.sort();
    cut[u] = scores[Math.max(0, W - partners)];
  }
  const start = new Int32Array(W + 1);
  const partner: number[] = [];
  const common: number[] = [];
  for (let u = 0; u < W; u++) {
    if (u % PAUSE === 0) yield progress(u);
    countOf(u);
    for (let v = 0; v < W; v++) {
      if (!(together[v] >= minCommon && together[v] > 0)) continue;
      if (score(u, v, together[v]) < Math.min(cut[u], cut[v])) continue;
      partner.push(v);
      common.push(together[v]);
    }
    start[u + 1] = partner.length;
  }
  return { start, partner: Int32Array.from(partner), common: Float64Array.from(common) };
}

function checkMemory(id: string, data: CategoricalData, places: number, L: number, most: number) {
  const megabytes = (places * (8 * L * L + 12)) / 1e6;
  if (megabytes <= most) return;
  throw new CrowdError(
    "too-large",
    `${id}: the moments of ${places / 2} pairs among ${data.workers.length} workers with ${L} ` +
      `different labels would take ${Math.ceil(megabytes)} MB, more than ${most}. Raise minCommon, ` +
      `lower partners, or allow more memory; dawid-skene needs no pairs.`,
  );
}

/** How many labels each worker gave, and the share of each label among them. */
export function labelMeans(
  data: CategoricalData,
  L: number,
): Pick<PairMoments, "labels" | "means"> {
  const labels = new Float64Array(data.workers.length);
  const means = new Float64Array(labels.length * L);
  for (let i = 0; i < data.label.length; i++) {
    const weight = data.weight ? data.weight[i] : 1;
    labels[data.worker[i]] += weight;
    means[data.worker[i] * L + data.label[i]] += weight;
  }
  for (let at = 0; at < means.length; at++) means[at] /= labels[Math.floor(at / L)] || 1;
  return { labels, means };
}

/**
 * The prior under which the confusions explain best how often workers gave each label: least squares
 * on means[u] = confusion[u]ᵀ · prior over the simplex, workers weighted by their labels.
 */
export function priorOf(
  {
    labels,
    means,
    workers: W,
    classes: K,
    given: L,
  }: Pick<PairMoments, "labels" | "means"> & Shape,
  confusion: Float64Array,
): Float64Array {
  const gram = new Float64Array(K * K);
  const b = new Float64Array(K);
  for (let w = 0; w < W; w++) {
    for (let i = 0; i < K; i++) {
      const row = (w * K + i) * L;
      for (let l = 0; l < L; l++) {
        const weighted = labels[w] * confusion[row + l];
        b[i] += weighted * means[w * L + l];
        for (let j = 0; j < K; j++) gram[i * K + j] += weighted * confusion[(w * K + j) * L + l];
      }
    }
  }
  return simplexLeastSquares(gram, b, K);
}
