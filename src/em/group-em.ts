/**
 * EM for workers in groups that err together: a tree of two levels, exact.
 *
 *   z[t]          ~ Categorical(prior)                       true class of task t
 *   opinion[t, j] ~ Categorical(group[j, z[t]])              what group j takes it for
 *   label[i]      ~ Categorical(member[w, opinion[t, j]])    what worker w of group j called it
 *
 * A worker who is alone labels by the truth itself, as in Dawid–Skene. E step, up: the labels of a group give
 * P(labels | opinion), these P(labels | class), and all groups the posterior; down: the opinion of each group
 * given its own labels and the class. M step: expected counts.
 */

import { exposureOf, normaliseTable, type Shape, transpose } from "../belief/confusion-table.ts";
import { type Known, startingPosterior, taskBase } from "../belief/known.ts";
import { groupSizes } from "../belief/worker-groups.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { assign } from "../math/assignment.ts";
import { maxOf } from "../math/lists.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import type { Steps } from "../method.ts";
import { createClassPrior } from "./class-prior.ts";
import { type Climb, climb } from "./climb.ts";
import { createPseudo, estimatePooled, logDensity, sumWorkers } from "./confusion.ts";
import type { EmSettings } from "./confusion-em.ts";

/** What the model finds. */
export interface GroupFit extends Climb {
  readonly posterior: Float64Array;
  readonly prior: Float64Array;
  /** P(opinion | class) of each group, groupConfusion[(group * K + class) * K + opinion]; 1 on the diagonal for a worker alone. */
  readonly groupConfusion: Float64Array;
  /** P(label | opinion) of each worker, memberConfusion[(worker * K + opinion) * L + label]. */
  readonly memberConfusion: Float64Array;
  /** P(label | class) of each worker, by way of the opinion: confusion[(worker * K + class) * L + label]. */
  readonly confusion: Float64Array;
  /** Expected labels of each worker on tasks of each class. */
  readonly exposure: Float64Array;
}

/** Labels sorted by task, and within it by group: all labels of a group on a task make a cell. */
interface Cells {
  /** Cells of task t: first[t]..first[t + 1]. */
  readonly first: Int32Array;
  /** Labels of a cell: start[cell]..start[cell + 1]. */
  readonly start: Int32Array;
  /** Place of the cell's group among the groups of two or more; −1 for a worker alone. */
  readonly group: Int32Array;
  /** worker * L + label. */
  readonly row: Int32Array;
  readonly weight: Float64Array | undefined;
}

/** Tables and sums of the E step, in the order of the kernels: [(worker * L + label) * K + class]. */
interface Tables {
  readonly rates: Float64Array;
  readonly counts: Float64Array;
  /** Of the groups of two or more, as [(group * K + opinion) * K + class]. */
  readonly groupRates: Float64Array;
  readonly groupCounts: Float64Array;
  readonly totals: Float64Array;
  readonly posterior: Float64Array;
}

/** Fits the model with `groups[worker]` given, numbered from 0 without gaps. */
export function* climbGroups(
  data: CategoricalData,
  groups: Int32Array,
  options: EmSettings,
  { known, L }: { readonly known: Known; readonly L: number },
): Steps<GroupFit> {
  const K = data.classes.length;
  const { place, together } = groupPlaces(groups);
  const cells = sortCells(data, groups, place, L);
  const shape: Shape = { workers: data.workers.length, classes: K, given: L };
  const groupShape: Shape = { workers: together, classes: K, given: K };
  const tables: Tables = {
    rates: new Float64Array(shape.workers * L * K),
    counts: new Float64Array(shape.workers * L * K),
    groupRates: new Float64Array(together * K * K),
    groupCounts: new Float64Array(together * K * K),
    totals: new Float64Array(K),
    posterior: startingPosterior(data, known, votesOfGroups(data, cells, L)),
  };
  countStart(cells, tables, K, L);
  const base = taskBase(data, known);
  const prior = createClassPrior(data, known, options.prior);
  const pooled = new Float64Array(K * L);
  const pseudo = createPseudo(options, pooled, known.history, { K, L });
  const groupPseudo = () => options.smoothing;
  let change = 0;
  const climbed = yield* climb(
    {
      maximise() {
        prior.update(tables.totals);
        if (options.shrinkage > 0) {
          const sums = sumWorkers(tables.counts, shape);
          estimatePooled(sums, options.smoothing, { K, L }, pooled);
        }
        normaliseTable(tables.counts, pseudo, shape, tables.rates);
        normaliseTable(tables.groupCounts, groupPseudo, groupShape, tables.groupRates);
      },
      infer() {
        const found = expectGroups(cells, tables, prior.factor, base, K);
        change = found.change;
        const penalty =
          logDensity(tables.rates, pseudo, shape) +
          logDensity(tables.groupRates, groupPseudo, groupShape);
        return found.logLikelihood + penalty + prior.logDensity();
      },
      change: () => change,
    },
    options,
  );
  anchorOpinions(tables, groups, place, shape);
  const { posterior } = tables;
  return {
    ...climbed,
    posterior,
    prior: prior.shares,
    ...describe(data, tables, groups, place, shape),
  };
}

/** Numbers the groups of two or more; a worker alone has −1. */
function groupPlaces(groups: Int32Array): { place: Int32Array; together: number } {
  let together = 0;
  const place = groupSizes(groups).map((size) => (size > 1 ? together++ : -1));
  return { place, together };
}

/** Sorts the labels by task and group, O(N). */
function sortCells(
  { tasks, task, worker, label, weight }: CategoricalData,
  groups: Int32Array,
  place: Int32Array,
  L: number,
): Cells {
  const N = label.length;
  const byGroup = countingSort(
    Int32Array.from({ length: N }, (_, i) => i),
    (i) => groups[worker[i]],
    place.length,
  );
  const order = countingSort(byGroup, (i) => task[i], tasks.length);
  const first = new Int32Array(tasks.length + 1);
  const start: number[] = [];
  const group: number[] = [];
  let before = -1;
  order.forEach((i, at) => {
    const g = groups[worker[i]];
    if (before < 0 || task[before] !== task[i] || groups[worker[before]] !== g) {
      first[task[i] + 1]++;
      start.push(at);
      group.push(place[g]);
    }
    before = i;
  });
  start.push(N);
  for (let t = 0; t < tasks.length; t++) first[t + 1] += first[t];
  return {
    first,
    start: Int32Array.from(start),
    group: Int32Array.from(group),
    row: order.map((i) => worker[i] * L + label[i]),
    weight: weight && Float64Array.from(order, (i) => weight[i]),
  };
}

/** Sorts by a key below `keys`, those with equal keys in the order given. */
function countingSort(list: Int32Array, key: (i: number) => number, keys: number): Int32Array {
  const next = new Int32Array(keys + 1);
  for (const i of list) next[key(i) + 1]++;
  for (let k = 0; k < keys; k++) next[k + 1] += next[k];
  const sorted = new Int32Array(list.length);
  for (const i of list) sorted[next[key(i)]++] = i;
  return sorted;
}

/** Writes the share of each class among the labels of a cell; equal shares without any. Returns their weight. */
function cellShares(cells: Cells, cell: number, K: number, L: number, into: Float64Array): number {
  into.fill(0);
  let total = 0;
  for (let at = cells.start[cell]; at < cells.start[cell + 1]; at++) {
    const label = cells.row[at] % L;
    const weight = cells.weight ? cells.weight[at] : 1;
    if (label < K) {
      into[label] += weight;
      total += weight;
    }
  }
  for (let k = 0; k < K; k++) into[k] = total > 0 ? into[k] / total : 1 / K;
  return total;
}

/** Shares of votes in which each group has one vote, divided like its members' labels; a worker alone has the vote of each label. */
function votesOfGroups(data: CategoricalData, cells: Cells, L: number): Float64Array {
  const K = data.classes.length;
  const votes = new Float64Array(data.tasks.length * K);
  const shares = new Float64Array(K);
  for (let t = 0; t < data.tasks.length; t++) {
    let sum = 0;
    for (let cell = cells.first[t]; cell < cells.first[t + 1]; cell++) {
      const total = cellShares(cells, cell, K, L, shares);
      const voice = cells.group[cell] < 0 ? total : Math.min(1, total);
      sum += voice;
      for (let k = 0; k < K; k++) votes[t * K + k] += voice * shares[k];
    }
    for (let k = t * K; k < (t + 1) * K; k++) votes[k] = sum > 0 ? votes[k] / sum : 1 / K;
  }
  return votes;
}

/** Counts under the starting posterior, with the votes of its members for the opinion of a group. */
function countStart(cells: Cells, tables: Tables, K: number, L: number): void {
  const shares = new Float64Array(K);
  for (let t = 0; t + 1 < cells.first.length; t++) {
    const belief = tables.posterior.subarray(t * K, (t + 1) * K);
    for (let k = 0; k < K; k++) tables.totals[k] += belief[k];
    for (let cell = cells.first[t]; cell < cells.first[t + 1]; cell++) {
      const group = cells.group[cell];
      if (group < 0) {
        addLabels(cells, cell, belief, K, tables.counts);
        continue;
      }
      cellShares(cells, cell, K, L, shares);
      addLabels(cells, cell, shares, K, tables.counts);
      for (let g = 0; g < K; g++) {
        for (let k = 0; k < K; k++) {
          tables.groupCounts[(group * K + g) * K + k] += belief[k] * shares[g];
        }
      }
    }
  }
}

/** Adds a belief to the counts of every label of a cell. */
function addLabels(
  { start, row, weight }: Cells,
  cell: number,
  belief: Float64Array,
  K: number,
  counts: Float64Array,
): void {
  for (let at = start[cell]; at < start[cell + 1]; at++) {
    const count = weight ? weight[at] : 1;
    const from = row[at] * K;
    for (let k = 0; k < K; k++) counts[from + k] += count * belief[k];
  }
}

/** Writes the log-likelihood of a cell's labels for each opinion, or each class of a worker alone. */
function cellLogs(
  { start, row, weight }: Cells,
  cell: number,
  logs: Float64Array,
  K: number,
  into: Float64Array,
): void {
  into.fill(0);
  for (let at = start[cell]; at < start[cell + 1]; at++) {
    const count = weight ? weight[at] : 1;
    const from = row[at] * K;
    for (let k = 0; k < K; k++) into[k] += count * logs[from + k];
  }
}

/** E step: writes posterior and counts; returns the log-likelihood and the largest change of a posterior. */
function expectGroups(
  cells: Cells,
  tables: Tables,
  factor: Float64Array,
  base: Float64Array | undefined,
  K: number,
): { logLikelihood: number; change: number } {
  const { posterior, totals, groupRates } = tables;
  const logs = tables.rates.map(Math.log);
  const mostCells = cells.first.reduce(
    (most, at, t) => Math.max(most, at - (cells.first[t - 1] ?? 0)),
    0,
  );
  // P(labels | opinion) and P(labels | class) of each cell of a task, both divided by the same number.
  const up = Array.from({ length: mostCells }, () => new Float64Array(K));
  const through = Array.from({ length: mostCells }, () => new Float64Array(K));
  const scores = new Float64Array(K);
  let [logLikelihood, change] = [0, 0];
  for (const sums of [tables.counts, tables.groupCounts, totals]) sums.fill(0);
  for (let t = 0; t + 1 < cells.first.length; t++) {
    for (let k = 0; k < K; k++) scores[k] = Math.log(factor[k] * (base ? base[t * K + k] : 1));
    const from = cells.first[t];
    for (let cell = from; cell < cells.first[t + 1]; cell++) {
      const own = up[cell - from];
      cellLogs(cells, cell, logs, K, own);
      if (cells.group[cell] >= 0)
        raise(own, groupRates, cells.group[cell], through[cell - from], scores);
      else for (let k = 0; k < K; k++) scores[k] += own[k];
    }
    logLikelihood += normalizeLog(scores, 0, K);
    for (let k = 0; k < K; k++) {
      change = Math.max(change, Math.abs(scores[k] - posterior[t * K + k]));
      posterior[t * K + k] = scores[k];
      totals[k] += scores[k];
    }
    for (let cell = from; cell < cells.first[t + 1]; cell++) {
      const group = cells.group[cell];
      const own = up[cell - from];
      if (group >= 0) lower(own, through[cell - from], scores, tables, group);
      addLabels(cells, cell, group >= 0 ? own : scores, K, tables.counts);
    }
  }
  return { logLikelihood, change };
}

/** From the logs of P(labels | opinion) to P(labels | class): makes `own` shares of the largest, and adds to the scores. */
function raise(
  own: Float64Array,
  groupRates: Float64Array,
  group: number,
  through: Float64Array,
  scores: Float64Array,
): void {
  const K = own.length;
  const largest = maxOf(own);
  for (let g = 0; g < K; g++) own[g] = Math.exp(own[g] - largest);
  for (let k = 0; k < K; k++) {
    let sum = 0;
    for (let g = 0; g < K; g++) sum += groupRates[(group * K + g) * K + k] * own[g];
    through[k] = sum;
    scores[k] += largest + Math.log(sum);
  }
}

/** Counts opinions by class, and makes `own` the belief in each opinion. */
function lower(
  own: Float64Array,
  through: Float64Array,
  belief: Float64Array,
  { groupRates, groupCounts }: Tables,
  group: number,
): void {
  const K = own.length;
  for (let g = 0; g < K; g++) {
    let sum = 0;
    for (let k = 0; k < K; k++) {
      const at = (group * K + g) * K + k;
      const both = (belief[k] * groupRates[at] * own[g]) / through[k];
      groupCounts[at] += both;
      sum += both;
    }
    own[g] = sum;
  }
}

/**
 * Names the opinions of each group: those that make its members' labels right most often. Any other naming has the
 * same likelihood and the same posterior.
 */
export function anchorOpinions(
  { rates, counts, groupRates }: Pick<Tables, "rates" | "counts" | "groupRates">,
  groups: Int32Array,
  place: Int32Array,
  { classes: K, given: L }: Shape,
): void {
  const costs = Array.from(
    { length: groupRates.length / (K * K || 1) },
    () => new Float64Array(K * K),
  );
  groups.forEach((group, w) => {
    if (place[group] < 0) return;
    for (let g = 0; g < K; g++) {
      for (let l = 0; l < K; l++) costs[place[group]][g * K + l] -= counts[(w * L + l) * K + g];
    }
  });
  const names = costs.map((cost) => assign(cost, K));
  groups.forEach((group, w) => {
    if (place[group] < 0) return;
    for (let l = 0; l < L; l++) {
      const from = (w * L + l) * K;
      rename(rates.subarray(from, from + K), names[place[group]], 1);
    }
  });
  names.forEach((name, group) => {
    rename(groupRates.subarray(group * K * K, (group + 1) * K * K), name, K);
  });
}

/** Moves row g of `width` numbers to row name[g], in place. */
function rename(rows: Float64Array, name: Int32Array, width: number): void {
  const before = rows.slice();
  name.forEach((to, g) => {
    rows.set(before.subarray(g * width, (g + 1) * width), to * width);
  });
}

/** The tables in the order of the results, with every worker's confusion by way of the opinion. */
function describe(
  data: CategoricalData,
  { rates, groupRates, posterior }: Tables,
  groups: Int32Array,
  place: Int32Array,
  shape: Shape,
) {
  const { classes: K, given: L } = shape;
  const memberConfusion = transpose(rates, shape);
  const together = transpose(groupRates, {
    workers: groupRates.length / (K * K || 1),
    classes: K,
    given: K,
  });
  const groupConfusion = new Float64Array(place.length * K * K);
  place.forEach((at, group) => {
    const from = group * K * K;
    if (at >= 0) groupConfusion.set(together.subarray(at * K * K, (at + 1) * K * K), from);
    else for (let k = 0; k < K; k++) groupConfusion[from + k * K + k] = 1;
  });
  const confusion = new Float64Array(memberConfusion.length);
  for (let w = 0; w < groups.length; w++) {
    for (let k = 0; k < K; k++) {
      for (let g = 0; g < K; g++) {
        const share = groupConfusion[(groups[w] * K + k) * K + g];
        if (share === 0) continue;
        for (let l = 0; l < L; l++) {
          confusion[(w * K + k) * L + l] += share * memberConfusion[(w * K + g) * L + l];
        }
      }
    }
  }
  return {
    groupConfusion,
    memberConfusion,
    confusion,
    exposure: countExposure(data, posterior, shape),
  };
}

/** Expected labels of each worker on tasks of each class. */
function countExposure(
  { task, worker, label, weight }: CategoricalData,
  posterior: Float64Array,
  shape: Shape,
): Float64Array {
  const { classes: K, given: L } = shape;
  const counts = new Float64Array(shape.workers * L * K);
  for (let i = 0; i < label.length; i++) {
    const from = (worker[i] * L + label[i]) * K;
    const count = weight ? weight[i] : 1;
    for (let k = 0; k < K; k++) counts[from + k] += count * posterior[task[i] * K + k];
  }
  return exposureOf(counts, shape);
}
