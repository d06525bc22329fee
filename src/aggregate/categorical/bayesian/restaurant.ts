/**
 * The chains of `nonparametric-clusters`, which has the equations: classes of tasks and clusters of workers
 * are drawn in turn, the rest integrated out.
 */

import { transpose } from "../../../belief/confusion-table.ts";
import { type Entries, entriesOf, logRising } from "../../../belief/gibbs.ts";
import { voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { priorTable } from "../../../em/ibcc.ts";
import { beta as betaDraw, categorical, gamma } from "../../../math/distributions.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import type { Random } from "../../../math/random.ts";
import type { Context } from "../aggregator.ts";
import { drawClass, drawFirst, logClassDensity, logPriors } from "./chain-draws.ts";
import { type ChainClasses, type ChainTasks, createClasses, createTasks } from "./chain-tasks.ts";
import type { CountSettings } from "./count-settings.ts";

/** So many labels of a kind are multiplied one by one, more by gamma functions. */
const FEW = 16;

export interface RestaurantOptions extends CountSettings {
  readonly concentration: number;
}

/** What all chains share. Tables of labels are table[label * K + class], `cells` numbers each. */
export interface Restaurant {
  readonly W: number;
  readonly K: number;
  readonly L: number;
  readonly cells: number;
  readonly entries: Entries;
  readonly tasks: ChainTasks;
  /** Prior counts of a cluster's labels, and their sums over labels. */
  readonly beta: Float64Array;
  readonly betaTotals: Float64Array;
  /** Pseudo-labels of each worker from the past, as past[worker * cells + cell]. */
  readonly past: Float64Array | undefined;
  /** How readily workers open clusters; 0 if it is drawn with the rest. */
  readonly concentration: number;
}

/** Where a chain is. Clusters live in slots 0..W; a slot of size 0 is free. */
export interface Seating extends ChainClasses {
  readonly model: Restaurant;
  readonly random: Random;
  /** The cluster of each worker. */
  readonly g: Int32Array;
  /** Each worker's labels by class, as own[worker * cells + cell]. */
  readonly own: Float64Array;
  /** Workers of each cluster. */
  readonly size: Int32Array;
  /** Labels of each cluster with the prior's, as counts[cluster * cells + cell]. */
  readonly counts: Float64Array;
  /** Their sums over labels, as totals[cluster * K + class]. */
  readonly totals: Float64Array;
  /** Slots that are not free. */
  readonly alive: number[];
  concentration: number;
}

/** Collects what all chains share. */
export function createRestaurant(
  data: CategoricalData,
  options: RestaurantOptions,
  { known, K, L }: Pick<Context, "known" | "K" | "L">,
): Restaurant {
  const W = data.workers.length;
  const cells = L * K;
  const beta = priorTable({ workers: 1, classes: K, given: L }, options, undefined);
  const betaTotals = new Float64Array(K);
  for (let c = 0; c < cells; c++) betaTotals[c % K] += beta[c];
  const past = known.history && transpose(known.history, { workers: W, classes: L, given: K });
  const tasks = createTasks(data, known, options, voteShares(data));
  const { concentration } = options;
  return { W, K, L, cells, entries: entriesOf(data), tasks, beta, betaTotals, past, concentration };
}

/** Starts a chain: classes drawn from the vote shares, all workers in one cluster. */
export function startSeating(model: Restaurant, random: Random): Seating {
  const { W, K, cells, tasks, past } = model;
  const chain: Seating = {
    ...createClasses(tasks),
    model,
    random,
    g: new Int32Array(W),
    own: past ? past.slice() : new Float64Array(W * cells),
    size: new Int32Array(W + 1),
    counts: new Float64Array((W + 1) * cells),
    totals: new Float64Array((W + 1) * K),
    alive: [],
    concentration: model.concentration > 0 ? model.concentration : 1,
  };
  clear(chain, 0);
  if (W > 0) {
    chain.alive.push(0);
    chain.size[0] = W;
  }
  for (let w = 0; past && w < W; w++) addWorker(chain, 0, w, 1);
  drawFirst(tasks, chain.z, random);
  for (let t = 0; t < tasks.T; t++) moveTask(chain, t, chain.z[t], 1);
  return chain;
}

/** Draws classes, clusters and concentration once; returns log p(labels, classes, clusters). */
export function sweepSeating(chain: Seating): number {
  drawTasks(chain);
  for (let w = 0; w < chain.model.W; w++) drawCluster(chain, w);
  drawConcentration(chain);
  return logJoint(chain);
}

/** Returns the mean of each worker's confusion given classes and clusters, in the kernels' order. */
export function ratesOf({ model: { W, K, cells }, g, counts, totals }: Seating): Float64Array {
  const rates = new Float64Array(W * cells);
  for (let at = 0; at < rates.length; at++) {
    const j = g[Math.floor(at / cells)];
    rates[at] = counts[j * cells + (at % cells)] / totals[j * K + (at % K)];
  }
  return rates;
}

/** Returns 1 for two workers of one cluster, as pairs[worker * W + other]. */
export function pairsOf({ model: { W }, g }: Seating): Float64Array {
  const pairs = new Float64Array(W * W);
  for (let w = 0; w < W; w++) {
    for (let v = 0; v < W; v++) if (g[w] === g[v]) pairs[w * W + v] = 1;
  }
  return pairs;
}

/** Empties cluster j: only the prior's counts stay. */
function clear({ model, counts, totals }: Seating, j: number): void {
  counts.set(model.beta, j * model.cells);
  totals.set(model.betaTotals, j * model.K);
}

/** Adds the labels of worker w to cluster j, or takes them away. */
function addWorker(
  { model: { K, cells }, own, counts, totals }: Seating,
  j: number,
  w: number,
  sign: number,
): void {
  for (let c = 0; c < cells; c++) {
    const change = sign * own[w * cells + c];
    counts[j * cells + c] += change;
    totals[j * K + (c % K)] += change;
  }
}

/** Adds the labels of task t to class k everywhere, or takes them away. */
function moveTask(chain: Seating, t: number, k: number, sign: number): void {
  const { model, tasksOf, g, own, counts, totals } = chain;
  const { K, cells, tasks } = model;
  const { start, worker, label, count } = model.entries;
  if (tasks.counted[t]) tasksOf[k] += sign;
  for (let e = start[t]; e < start[t + 1]; e++) {
    const change = sign * count[e];
    own[worker[e] * cells + label[e] * K + k] += change;
    counts[g[worker[e]] * cells + label[e] * K + k] += change;
    totals[g[worker[e]] * K + k] += change;
  }
}

/** Draws the class of each task given all else. */
function drawTasks(chain: Seating): void {
  const { model, random, z } = chain;
  for (let t = 0; t < model.tasks.T; t++) {
    moveTask(chain, t, z[t], -1);
    weighTask(chain, t);
    drawClass(chain, t, random);
    moveTask(chain, t, z[t], 1);
  }
}

/**
 * Writes the log of P(class | all else) of task t to `logs`, but for a constant. Each label is counted
 * under every class before the next; in the end the counts are as before.
 */
function weighTask(chain: Seating, t: number): void {
  const { model, logs, g, counts, totals } = chain;
  const { K, cells } = model;
  const { start, worker, label, count } = model.entries;
  logPriors(model.tasks, chain, t);
  for (let e = start[t]; e < start[t + 1]; e++) {
    const cell = g[worker[e]] * cells + label[e] * K;
    const row = g[worker[e]] * K;
    for (let k = 0; k < K; k++) {
      logs[k] +=
        count[e] === 1
          ? Math.log(counts[cell + k] / totals[row + k])
          : logRising(counts[cell + k], count[e]) - logRising(totals[row + k], count[e]);
      counts[cell + k] += count[e];
      totals[row + k] += count[e];
    }
  }
  for (let e = start[t]; e < start[t + 1]; e++) {
    const cell = g[worker[e]] * cells + label[e] * K;
    for (let k = 0; k < K; k++) {
      counts[cell + k] -= count[e];
      totals[g[worker[e]] * K + k] -= count[e];
    }
  }
}

/** Draws the cluster of worker w given all else: one that others are in, or a new one. */
function drawCluster(chain: Seating, w: number): void {
  const { random, g, size, alive } = chain;
  const last = g[w];
  addWorker(chain, last, w, -1);
  size[last]--;
  if (size[last] === 0) alive.splice(alive.indexOf(last), 1);
  const free = size.indexOf(0);
  clear(chain, free);
  const scores = new Float64Array(alive.length + 1);
  alive.forEach((j, i) => {
    scores[i] = Math.log(size[j]) + logFit(chain, w, j);
  });
  scores[alive.length] = Math.log(chain.concentration) + logFit(chain, w, free);
  normalizeLog(scores, 0, scores.length);
  const i = categorical(random, scores);
  const j = i < alive.length ? alive[i] : free;
  if (i === alive.length) alive.push(free);
  g[w] = j;
  size[j]++;
  addWorker(chain, j, w, 1);
}

/** Returns the log of the probability of the labels of worker w given those of cluster j. */
function logFit(chain: Seating, w: number, j: number): number {
  const { own, counts, totals } = chain;
  const { K, L, cells } = chain.model;
  let log = 0;
  let product = 1;
  for (let k = 0; k < K; k++) {
    let seen = totals[j * K + k];
    for (let l = 0; l < L; l++) {
      const n = own[w * cells + l * K + k];
      const before = counts[j * cells + l * K + k];
      if (n > FEW || !Number.isInteger(n)) {
        log += logRising(before, n) - logRising(seen, n);
      } else {
        for (let i = 0; i < n; i++) product *= (before + i) / (seen + i);
      }
      seen += n;
      if (product > 1e-150) continue;
      log += Math.log(product);
      product = 1;
    }
  }
  return log + Math.log(product);
}

/**
 * Draws the concentration, unless it is given.
 *
 * Escobar & West (1995), Journal of the American Statistical Association 90, 577–588.
 */
function drawConcentration(chain: Seating): void {
  const { model, random } = chain;
  const { W } = model;
  if (model.concentration > 0 || W === 0) return;
  const C = chain.alive.length;
  const eta = Math.max(Number.MIN_VALUE, betaDraw(random, chain.concentration + 1, W));
  const rate = 1 - Math.log(eta);
  const odds = C / (W * rate);
  const shape = random.next() < odds / (1 + odds) ? 1 + C : C;
  chain.concentration = Math.max(1e-12, gamma(random, shape) / rate);
}

/** Returns log p(labels, classes, clusters), the rest integrated out. */
function logJoint(chain: Seating): number {
  const { model, size, counts, alive, concentration } = chain;
  const { W, K, L, cells, beta, betaTotals } = model;
  let log = logClassDensity(model.tasks, chain);
  log += alive.length * Math.log(concentration) - logRising(concentration, Math.max(1, W));
  for (const j of alive) {
    log += size[j] > 1 ? logRising(1, size[j] - 1) : 0;
    for (let k = 0; k < K; k++) {
      let labels = 0;
      for (let l = 0; l < L; l++) {
        const n = counts[j * cells + l * K + k] - beta[l * K + k];
        if (n > 1e-9) log += logRising(beta[l * K + k], n);
        labels += n;
      }
      if (labels > 1e-9) log -= logRising(betaTotals[k], labels);
    }
  }
  return log;
}
