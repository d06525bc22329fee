/** The chains of `nonparametric-clusters`: classes of tasks and clusters of workers, the rest integrated out. */

import { transpose } from "../../../belief/confusion-table.ts";
import { countsInPrior, entriesOf, logRising } from "../../../belief/gibbs.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { voteShares } from "../../../belief/votes.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import { createClassPrior } from "../../../em/class-prior.ts";
import { beta as betaDraw, categorical, gamma } from "../../../math/distributions.ts";
import { logMultivariateBeta } from "../../../math/gamma.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import type { Random } from "../../../math/random.ts";
import type { Context } from "../aggregator.ts";
import { priorTable } from "./ibcc.ts";

/** So many labels of a kind are multiplied one by one, more by gamma functions. */
const FEW = 16;

export interface RestaurantOptions {
  readonly diagonal: number;
  readonly offDiagonal: number;
  readonly classCount: number;
  readonly prior: "learn" | "uniform";
  readonly concentration: number;
}

/** What all chains share. */
export function createRestaurant(
  data: CrowdDataset,
  options: RestaurantOptions,
  { known, K, L }: Omit<Context, "engine">,
) {
  const [T, W] = [data.tasks.length, data.workers.length];
  const cells = L * K;
  const { start, worker, label, count } = entriesOf(data);
  const beta = priorTable({ workers: 1, classes: K, given: L }, options, undefined);
  const betaTotals = new Float64Array(K);
  for (let c = 0; c < cells; c++) betaTotals[c % K] += beta[c];
  const past = known.history && transpose(known.history, { workers: W, classes: L, given: K });
  const base = taskBase(data, known);
  const learnt = options.prior === "learn" && !known.prior && !known.taskPrior;
  const fixed = createClassPrior(data, known, options.prior).factor;
  const alpha = new Float64Array(K).map(
    (_, k) => options.classCount + (known.priorCounts?.[k] ?? 0),
  );
  const starts = startingPosterior(data, known, voteShares(data));
  const counted = Array.from(data.tasks, (_, t) => countsInPrior(known, t));

  /** One chain: classes drawn from the vote shares, all workers in one cluster. */
  function begin(random: Random) {
    const z = new Int32Array(T);
    const g = new Int32Array(W);
    const tasksOf = alpha.slice();
    const own = past ? past.slice() : new Float64Array(W * cells); // each worker's labels by class
    // Clusters live in slots 0..W; size 0 is a free slot. Counts hold the prior's.
    const size = new Int32Array(W + 1);
    const counts = new Float64Array((W + 1) * cells);
    const totals = new Float64Array((W + 1) * K);
    const alive: number[] = [];
    const conditional = new Float64Array(T * K);
    const logs = new Float64Array(K);
    let concentration = options.concentration > 0 ? options.concentration : 1;

    const addTo = (j: number, w: number, sign: number): void => {
      for (let c = 0; c < cells; c++) {
        const change = sign * own[w * cells + c];
        counts[j * cells + c] += change;
        totals[j * K + (c % K)] += change;
      }
    };
    const clear = (j: number): void => {
      counts.set(beta, j * cells);
      totals.set(betaTotals, j * K);
    };
    /** Adds the labels of a task to class k everywhere, or takes them away. */
    const move = (t: number, k: number, sign: number): void => {
      if (counted[t]) tasksOf[k] += sign;
      for (let e = start[t]; e < start[t + 1]; e++) {
        const change = sign * count[e];
        own[worker[e] * cells + label[e] * K + k] += change;
        counts[g[worker[e]] * cells + label[e] * K + k] += change;
        totals[g[worker[e]] * K + k] += change;
      }
    };
    /** Each label under every class, counted before the next; the counts are as before in the end. */
    const weigh = (t: number): void => {
      for (let k = 0; k < K; k++) {
        const shares = learnt ? (counted[t] ? tasksOf[k] : 1) : fixed[k];
        logs[k] = Math.log(base ? shares * base[t * K + k] : shares);
      }
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
    };
    /** log of the probability of a worker's labels given those of a cluster. */
    const fits = (w: number, j: number): number => {
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
    };
    const drawTasks = (): void => {
      for (let t = 0; t < T; t++) {
        move(t, z[t], -1);
        weigh(t);
        const row = conditional.subarray(t * K, (t + 1) * K);
        row.set(logs);
        normalizeLog(row, 0, K);
        z[t] = categorical(random, row);
        move(t, z[t], 1);
      }
    };
    const drawClusters = (): void => {
      for (let w = 0; w < W; w++) {
        const last = g[w];
        addTo(last, w, -1);
        size[last]--;
        if (size[last] === 0) alive.splice(alive.indexOf(last), 1);
        const free = size.indexOf(0);
        clear(free);
        const scores = new Float64Array(alive.length + 1);
        alive.forEach((j, i) => {
          scores[i] = Math.log(size[j]) + fits(w, j);
        });
        scores[alive.length] = Math.log(concentration) + fits(w, free);
        normalizeLog(scores, 0, scores.length);
        const i = categorical(random, scores);
        const j = i < alive.length ? alive[i] : free;
        if (i === alive.length) alive.push(free);
        g[w] = j;
        size[j]++;
        addTo(j, w, 1);
      }
    };
    /** Escobar & West (1995), Journal of the American Statistical Association 90, 577–588. */
    const drawConcentration = (): void => {
      if (options.concentration > 0 || W === 0) return;
      const C = alive.length;
      const eta = Math.max(Number.MIN_VALUE, betaDraw(random, concentration + 1, W));
      const rate = 1 - Math.log(eta);
      const odds = C / (W * rate);
      const shape = random.next() < odds / (1 + odds) ? 1 + C : C;
      concentration = Math.max(1e-12, gamma(random, shape) / rate);
    };
    /** log p(labels, classes, clusters), the rest integrated out. */
    const logJoint = (): number => {
      let log = learnt ? logMultivariateBeta(tasksOf) - logMultivariateBeta(alpha) : 0;
      for (let t = 0; t < T; t++) {
        if (base) log += Math.log(base[t * K + z[t]]);
        if (!learnt) log += Math.log(fixed[z[t]]);
      }
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
    };

    clear(0);
    if (W > 0) {
      alive.push(0);
      size[0] = W;
    }
    for (let w = 0; past && w < W; w++) addTo(0, w, 1);
    for (let t = 0; t < T; t++) {
      z[t] = categorical(random, starts.subarray(t * K, (t + 1) * K));
      move(t, z[t], 1);
    }
    return {
      /** P(class | all else) of each task when it was last drawn. */
      conditional,
      sweep(): number {
        drawTasks();
        drawClusters();
        drawConcentration();
        return logJoint();
      },
      clusters: () => alive.length,
      /** Mean of each worker's confusion given classes and clusters, in the kernels' order. */
      rates(): Float64Array {
        const rates = new Float64Array(W * cells);
        for (let at = 0; at < rates.length; at++) {
          const j = g[Math.floor(at / cells)];
          rates[at] = counts[j * cells + (at % cells)] / totals[j * K + (at % K)];
        }
        return rates;
      },
      /** 1 for two workers of one cluster, as pairs[worker * W + other]. */
      pairs(): Float64Array {
        const pairs = new Float64Array(W * W);
        for (let w = 0; w < W; w++) {
          for (let v = 0; v < W; v++) if (g[w] === g[v]) pairs[w * W + v] = 1;
        }
        return pairs;
      },
    };
  }
  return { start: begin };
}
