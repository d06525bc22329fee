/**
 * Groups of workers who err together, from how pairs of workers agree.
 *
 *   q[u, v]  = share of common tasks with the same label, less the share that the two would agree on
 *              if neither looked at the task: a centred agreement (with two classes twice the covariance)
 *   s[u, v]  = mean over workers w, x of |q[u, v] q[w, x] − q[u, x] q[w, v]|
 *
 * If workers err independently and q is a product of two skills, every term is 0. Within a group q is too large
 * for that, so s is large for pairs of one group. Normalised spectral clustering of s gives groups, for any
 * number of them; which number the labels support is decided elsewhere, by likelihood (`em/find-groups.ts`).
 *
 * With three classes or more q is no product of two numbers even for independent workers. Groups then stand
 * out less clearly, and may be proposed where there are none.
 *
 * Jaffe, Fetaya, Nadler, Jiang & Kluger (2016), AISTATS, PMLR 51, 351–360. https://proceedings.mlr.press/v51/jaffe16.html
 * Ng, Jordan & Weiss (2001), NIPS 14, 849–856.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { tightestClusters } from "../math/k-means.ts";
import { symmetricEigen } from "../math/matrix.ts";
import { createRandom, type Random } from "../math/random.ts";

/** Common tasks that a pair of workers needs, so that its agreement says something. */
const LEAST_COMMON = 20;

/** Workers who are compared at most: those with most labels. */
const MOST_WORKERS = 1500;

/** Pairs w, x that each pair of workers is compared with. */
const MOST_QUARTETS = 200;

/** Workers up to whom all eigenvectors are computed. */
const FEW_WORKERS = 200;

/** Rounds of orthogonal iteration if there are more. */
const ROUNDS = 100;

/** Starts of k-means, of which the tightest clusters are kept. */
const STARTS = 20;

/** Workers in the space of the leading eigenvectors, from which clusters are made for any number of groups. */
export interface WorkerAffinity {
  /** The workers who can be compared with others, in an order that does not depend on their numbers. */
  readonly workers: Int32Array;
  /** Leading eigenvalues of the normalised scores, largest first. */
  readonly eigenvalues: Float64Array;
  /** Their eigenvectors as rows: vectors[j][i] for worker workers[i]. */
  readonly vectors: readonly Float64Array[];
  /** True if some workers had to be left out because there are too many. */
  readonly cut: boolean;
}

/** Compares all pairs of workers who share enough tasks, for up to `most` clusters. */
export function workerAffinity(data: CategoricalData, most: number, seed: number): WorkerAffinity {
  const { order, cut } = comparable(data);
  const agreement = centredAgreement(data, order);
  const n = order.length;
  const used = [...order.keys()].filter((i) =>
    agreement.subarray(i * n, (i + 1) * n).some((q) => !Number.isNaN(q)),
  );
  const random = createRandom(seed);
  const scores = quartetScores(
    submatrix(agreement, n, used),
    used.length,
    random.split("quartets"),
  );
  const { eigenvalues, vectors } = leadingVectors(
    normalised(scores, used.length),
    used.length,
    Math.min(used.length, most + 1),
    random.split("vectors"),
  );
  return { workers: Int32Array.from(used, (i) => order[i]), eigenvalues, vectors, cut };
}

/** Returns the cluster of each of `affinity.workers`, in the order of that list. */
export function clusterWorkers(affinity: WorkerAffinity, count: number, seed: number): Int32Array {
  const n = affinity.workers.length;
  const size = Math.min(count, affinity.vectors.length);
  const points = new Float64Array(n * size);
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (let j = 0; j < size; j++) square += affinity.vectors[j][i] ** 2;
    const length = Math.sqrt(square) || 1;
    for (let j = 0; j < size; j++) points[i * size + j] = affinity.vectors[j][i] / length;
  }
  const random = createRandom(seed).split("clusters").split(count);
  return n > 0
    ? tightestClusters(points, size, size, { starts: STARTS, random })
    : new Int32Array();
}

/** Numbers groups from 0 by their first worker; workers without a group (−1) get a number of their own. */
export function numberGroups(groups: ArrayLike<number>): Int32Array {
  const numbers = new Map<number, number>();
  let count = 0;
  return Int32Array.from(groups, (group) => {
    if (group < 0) return count++;
    const known = numbers.get(group);
    if (known !== undefined) return known;
    numbers.set(group, count);
    return count++;
  });
}

/** Returns the number of workers in each group. */
export function groupSizes(groups: Int32Array): Int32Array {
  const sizes = new Int32Array(groups.reduce((most, group) => Math.max(most, group + 1), 0));
  for (const group of groups) sizes[group]++;
  return sizes;
}

/** The workers with most labels, sorted by their names, which stand for what they said and not for how they are numbered. */
export function comparable(data: CategoricalData): { order: Int32Array; cut: boolean } {
  const labels = labelsPerWorker(data);
  const enough = [...labels.keys()].filter((w) => labels[w] >= LEAST_COMMON);
  const names = new Map(enough.map((w) => [w, data.workers.at(w)]));
  const byName = (a: number, b: number) => {
    const [x = "", y = ""] = [names.get(a), names.get(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };
  const cut = enough.length > MOST_WORKERS;
  const kept = cut
    ? enough.sort((a, b) => labels[b] - labels[a] || byName(a, b)).slice(0, MOST_WORKERS)
    : enough;
  return { order: Int32Array.from(kept.sort(byName)), cut };
}

/** Centred agreement of pairs of the given workers, n × n; NaN where they share too few tasks. */
export function centredAgreement(data: CategoricalData, order: Int32Array): Float64Array {
  const n = order.length;
  const table = new Float64Array(n * n).fill(Number.NaN);
  visitPairs(data, order, (i, j, { common, agreed, chance }) => {
    // Sums of shares are whole but for rounding.
    if (common < LEAST_COMMON - 1e-6) return;
    table[i * n + j] = (agreed - chance) / common;
    table[j * n + i] = table[i * n + j];
  });
  return table;
}

/** How two workers agree on the tasks that both labelled. */
export interface PairCounts {
  /** Number of common tasks. */
  readonly common: number;
  /** On how many of them the labels are the same. */
  readonly agreed: number;
  /** On how many they would be, if neither looked at the task. */
  readonly chance: number;
}

/**
 * Calls `visit` for each pair i < j of the given workers who have a task in common. Labels that one worker gave to one task
 * count as one together, each by its share of their weight.
 */
export function visitPairs(
  data: CategoricalData,
  order: Int32Array,
  visit: (i: number, j: number, counts: PairCounts) => void,
): void {
  const K = data.classes.length;
  const n = order.length;
  const place = new Int32Array(data.workers.length).fill(-1);
  order.forEach((w, i) => {
    place[w] = i;
  });
  const tasks = sortShares(data, data.task, data.tasks.length);
  const workers = sortShares(data, data.worker, data.workers.length);
  const common = new Float64Array(n);
  const agreed = new Float64Array(n);
  // What worker i and each other said on their common tasks, [other * K + label].
  const own = new Float64Array(n * K);
  const others = new Float64Array(n * K);
  for (let i = 0; i < n; i++) {
    for (const sums of [common, agreed, own, others]) sums.fill(0);
    for (let mine = workers.start[order[i]]; mine < workers.start[order[i] + 1]; mine++) {
      const label = data.label[workers.row[mine]];
      const t = data.task[workers.row[mine]];
      for (let at = tasks.start[t]; at < tasks.start[t + 1]; at++) {
        const row = tasks.row[at];
        const j = place[data.worker[row]];
        if (j <= i) continue;
        const share = workers.share[mine] * tasks.share[at];
        common[j] += share;
        if (data.label[row] === label) agreed[j] += share;
        own[j * K + label] += share;
        others[j * K + data.label[row]] += share;
      }
    }
    for (let j = i + 1; j < n; j++) {
      if (common[j] < 1e-6) continue;
      let chance = 0;
      for (let k = 0; k < K; k++) chance += own[j * K + k] * others[j * K + k];
      visit(i, j, { common: common[j], agreed: agreed[j], chance: chance / common[j] });
    }
  }
}

/** Numbers of the labels that name a class, sorted by a key, with each label's share of what its worker said of its task. */
function sortShares(
  data: CategoricalData,
  key: Int32Array,
  keys: number,
): { start: Int32Array; row: Int32Array; share: Float64Array } {
  const K = data.classes.length;
  const counts = (i: number) => data.label[i] < K && data.weight?.[i] !== 0;
  const start = new Int32Array(keys + 1);
  for (let i = 0; i < key.length; i++) if (counts(i)) start[key[i] + 1]++;
  for (let k = 0; k < keys; k++) start[k + 1] += start[k];
  const next = start.slice();
  const row = new Int32Array(start[keys]);
  for (let i = 0; i < key.length; i++) if (counts(i)) row[next[key[i]]++] = i;
  // The totals of one key at a time, by the other side of the label.
  const other = key === data.task ? data.worker : data.task;
  const total = new Float64Array(key === data.task ? data.workers.length : data.tasks.length);
  const share = new Float64Array(row.length);
  for (let k = 0; k < keys; k++) {
    for (let at = start[k]; at < start[k + 1]; at++) {
      total[other[row[at]]] += data.weight ? data.weight[row[at]] : 1;
    }
    for (let at = start[k]; at < start[k + 1]; at++) {
      share[at] = (data.weight ? data.weight[row[at]] : 1) / total[other[row[at]]];
    }
    for (let at = start[k]; at < start[k + 1]; at++) total[other[row[at]]] = 0;
  }
  return { start, row, share };
}

/** The rows and columns of an n × n matrix that are used. */
function submatrix(a: Float64Array, n: number, used: readonly number[]): Float64Array {
  const part = new Float64Array(used.length ** 2);
  used.forEach((i, row) => {
    used.forEach((j, column) => {
      part[row * used.length + column] = a[i * n + j];
    });
  });
  return part;
}

/** Jaffe's score of each pair: the mean over the quartets that can be compared. */
export function quartetScores(q: Float64Array, n: number, random: Random): Float64Array {
  const quartets = chooseQuartets(n, random);
  const scores = new Float64Array(n * n);
  for (let u = 0; u < n; u++) {
    for (let v = u + 1; v < n; v++) {
      const own = q[u * n + v];
      if (Number.isNaN(own)) continue;
      let [sum, count] = [0, 0];
      for (const at of quartets) {
        const w = Math.floor(at / n);
        const x = at % n;
        if (w === u || w === v || x === u || x === v) continue;
        // Either way round, so that the score of u and v is that of v and u.
        const there = own * q[w * n + x] - q[u * n + x] * q[w * n + v];
        const back = own * q[w * n + x] - q[u * n + w] * q[x * n + v];
        if (Number.isNaN(there + back)) continue;
        sum += Math.abs(there) + Math.abs(back);
        count += 2;
      }
      if (count > 0) scores[u * n + v] = scores[v * n + u] = sum / count;
    }
  }
  return scores;
}

/** Pairs of workers w < x as w * n + x: all of them, or a sample if they are many. */
function chooseQuartets(n: number, random: Random): Int32Array {
  const all: number[] = [];
  const chance = MOST_QUARTETS / Math.max(1, (n * (n - 1)) / 2);
  for (let w = 0; w < n; w++) {
    for (let x = w + 1; x < n; x++) if (n <= 60 || random.next() < chance) all.push(w * n + x);
  }
  return Int32Array.from(all);
}

/** Scores divided by the roots of both row sums. */
function normalised(scores: Float64Array, n: number): Float64Array {
  const sums = new Float64Array(n);
  for (let at = 0; at < scores.length; at++) sums[Math.floor(at / n)] += scores[at];
  return scores.map((score, at) =>
    score > 0 ? score / Math.sqrt(sums[Math.floor(at / n)] * sums[at % n]) : 0,
  );
}

/** The eigenvectors of the largest eigenvalues of a symmetric matrix whose eigenvalues are at most 1 in size. */
export function leadingVectors(
  a: Float64Array,
  n: number,
  count: number,
  random: Random,
): { eigenvalues: Float64Array; vectors: Float64Array[] } {
  if (n <= FEW_WORKERS) {
    const { values, vectors } = symmetricEigen(a, n);
    const column = (j: number) => Float64Array.from({ length: n }, (_, i) => vectors[i * n + j]);
    return {
      eigenvalues: values.slice(0, count),
      vectors: Array.from({ length: count }, (_, j) => column(j)),
    };
  }
  // Orthogonal iteration. With half the identity added, the largest eigenvalues are the largest in size.
  let vectors = Array.from({ length: count }, () =>
    Float64Array.from({ length: n }, () => random.next() - 0.5),
  );
  let lengths = new Float64Array(count);
  for (let round = 0; round < ROUNDS; round++) {
    orthogonalise(vectors);
    vectors = vectors.map((v) => v.map((x, i) => 0.5 * x + dot(a, i * n, v)));
    lengths = Float64Array.from(vectors, (v) => Math.sqrt(dot(v, 0, v)));
  }
  orthogonalise(vectors);
  return { eigenvalues: lengths.map((length) => length - 0.5), vectors };
}

/** Makes each vector orthogonal to those before it, and of length 1. */
function orthogonalise(vectors: readonly Float64Array[]): void {
  vectors.forEach((v, j) => {
    for (let before = 0; before < j; before++) {
      const along = dot(v, 0, vectors[before]);
      for (let i = 0; i < v.length; i++) v[i] -= along * vectors[before][i];
    }
    const length = Math.sqrt(dot(v, 0, v)) || 1;
    for (let i = 0; i < v.length; i++) v[i] /= length;
  });
}

/** Product of a row of a matrix, which starts at `from`, and a vector. */
function dot(row: Float64Array, from: number, v: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < v.length; i++) sum += row[from + i] * v[i];
  return sum;
}
