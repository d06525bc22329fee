/**
 * New labels onto a fitted result, without fitting all over again: incremental EM.
 *
 * Only tasks with new labels get a new posterior, and only workers who labelled them a new
 * confusion, each from its expected counts; every step of this kind raises the same objective as
 * full EM (Neal & Hinton 1998, https://doi.org/10.1007/978-94-011-5014-9_12). Tasks without new
 * labels keep theirs until the next full fit, which can start here: known.start = result.posterior.
 */

import { skillOf } from "../../belief/confusion-table.ts";
import { FLOOR } from "../../belief/shares.ts";
import { decide, type Ties } from "../../belief/ties.ts";
import type { CrowdDataset } from "../../data/dataset.ts";
import { namesOf } from "../../data/names.ts";
import { CrowdError } from "../../error.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import type { Aggregation } from "./aggregator.ts";
import { classesOf, pooled } from "./predict.ts";

/** Pseudo-labels a row by which a new worker starts out like the crowd. */
const NEWCOMER = 4;

export interface Updated {
  /** All labels, old and new; tasks and workers met for the first time stand at the end. */
  readonly data: CrowdDataset;
  readonly result: Aggregation;
}

export function update(
  result: Aggregation,
  data: CrowdDataset,
  added: CrowdDataset,
  { maxIterations = 10, tolerance = 1e-6 } = {},
): Updated {
  const { confusion, exposure } = result;
  if (!confusion || !exposure) {
    throw new CrowdError(
      "not-supported",
      `A result of ${result.method} cannot be updated. Fit again with all labels, from known.start.`,
    );
  }
  const K = result.classes.length;
  const L = result.given;
  const merged = merge(data, added, classesOf(result, added), L);
  const W = merged.workers.length;
  const old = result.workers.length;
  const table = new Float64Array(W * K * L);
  const seen = new Float64Array(W * K);
  table.set(confusion);
  seen.set(exposure);
  const crowd = pooled(confusion, result.workload, K, L);
  for (let w = old; w < W; w++) table.set(crowd, w * K * L);
  seen.fill(NEWCOMER, old * K);
  const posterior = new Float64Array(merged.tasks.length * K);
  posterior.set(result.posterior);
  for (let t = result.tasks.length; t < merged.tasks.length; t++)
    posterior.set(result.prior, t * K);

  const { rows, starts, tasks } = touched(merged, data.label.length);
  // Counts of the touched workers: what was expected so far, and from now on these tasks' share.
  const counts = table.map((rate, cell) => rate * seen[Math.floor(cell / L)]);
  const workers = new Set(Array.from(rows, (i) => merged.worker[i]));
  const logPrior = result.prior.map((p) => Math.log(Math.max(FLOOR, p)));
  const belief = new Float64Array(K);
  for (
    let iteration = 0, change = Infinity;
    iteration < maxIterations && change > tolerance;
    iteration++
  ) {
    change = 0;
    tasks.forEach((t, j) => {
      belief.set(logPrior);
      for (let at = starts[j]; at < starts[j + 1]; at++) {
        const i = rows[at];
        for (let k = 0; k < K; k++) {
          const rate = table[(merged.worker[i] * K + k) * L + merged.label[i]];
          belief[k] += Math.log(Math.max(FLOOR, rate));
        }
      }
      normalizeLog(belief, 0, K);
      for (let at = starts[j]; at < starts[j + 1]; at++) {
        const i = rows[at];
        const known = i < data.label.length || iteration > 0;
        for (let k = 0; k < K; k++) {
          const cell = (merged.worker[i] * K + k) * L + merged.label[i];
          counts[cell] = Math.max(0, counts[cell] + belief[k] - (known ? posterior[t * K + k] : 0));
        }
      }
      for (let k = 0; k < K; k++) {
        change = Math.max(change, Math.abs(belief[k] - posterior[t * K + k]));
        posterior[t * K + k] = belief[k];
      }
    });
    for (const w of workers) renew(table, seen, counts, w, K, L);
  }
  const shape = { workers: W, classes: K, given: L };
  const { ties = "prior", seed = 0 } = result.options;
  const rule = { ties: ties as Ties, seed: seed as number };
  const consensus = extended(result.consensus, merged.tasks.length);
  const part = { ...merged, tasks: namesOf(tasks.map((t) => merged.tasks.at(t))) };
  const beliefs = Float64Array.from(
    { length: tasks.length * K },
    (_, at) => posterior[tasks[Math.floor(at / K)] * K + (at % K)],
  );
  decide(part, beliefs, result.prior, rule).consensus.forEach((k, j) => {
    consensus[tasks[j]] = k;
  });
  const support = extended(result.support, merged.tasks.length);
  const workload = extended(result.workload, W);
  for (let i = data.label.length; i < merged.label.length; i++) {
    support[merged.task[i]]++;
    workload[merged.worker[i]]++;
  }
  return {
    data: merged,
    result: {
      ...result,
      tasks: merged.tasks,
      workers: merged.workers,
      posterior,
      confusion: table,
      exposure: seen,
      consensus,
      skill: skillOf(table, result.prior, shape),
      support,
      workload,
      notes: [
        ...result.notes,
        `Updated with ${added.label.length} labels on ${tasks.length} tasks.`,
      ],
    },
  };
}

/** A worker's rows from the counts. */
function renew(
  table: Float64Array,
  seen: Float64Array,
  counts: Float64Array,
  w: number,
  K: number,
  L: number,
): void {
  for (let k = 0; k < K; k++) {
    const from = (w * K + k) * L;
    let total = 0;
    for (let l = 0; l < L; l++) total += Math.max(FLOOR, counts[from + l]);
    for (let l = 0; l < L; l++) table[from + l] = Math.max(FLOOR, counts[from + l]) / total;
    seen[w * K + k] = total;
  }
}

/** The labels of both, new names at the end of each list. */
function merge(
  data: CrowdDataset,
  added: CrowdDataset,
  labelOf: Int32Array,
  L: number,
): CrowdDataset {
  if (data.weight || added.weight) {
    throw new CrowdError(
      "not-supported",
      "Labels with weights cannot be added to a result; fit again.",
    );
  }
  const tasks = places([...data.tasks], [...added.tasks]);
  const workers = places([...data.workers], [...added.workers]);
  const N = data.label.length;
  const join = (column: Int32Array, more: Int32Array, to: Int32Array) => {
    const joined = new Int32Array(N + more.length);
    joined.set(column);
    for (let i = 0; i < more.length; i++) joined[N + i] = to[more[i]];
    return joined;
  };
  const gold = new Int32Array(tasks.names.length).fill(-1);
  gold.set(data.gold);
  added.gold.forEach((k, t) => {
    if (k >= 0) gold[tasks.to[t]] = labelOf[k];
  });
  const { time: _, taskAttributes: __, workerAttributes: ___, ...rest } = data;
  const merged = {
    ...rest,
    tasks: namesOf(tasks.names),
    workers: namesOf(workers.names),
    task: join(data.task, added.task, tasks.to),
    worker: join(data.worker, added.worker, workers.to),
    label: join(data.label, added.label, labelOf),
    gold,
  };
  if (merged.label.subarray(N).some((l) => l >= L)) {
    throw new CrowdError("not-supported", "The result does not model abstentions; leave them out.");
  }
  return merged;
}

function places(known: readonly string[], added: readonly string[]) {
  const names = known.slice();
  const wanted = new Set(added);
  const place = new Map<string, number>();
  for (let i = 0; i < known.length && place.size < wanted.size; i++) {
    if (wanted.has(known[i])) place.set(known[i], i);
  }
  const to = Int32Array.from(added, (name) => {
    const at = place.get(name);
    return at ?? names.push(name) - 1;
  });
  return { names, to };
}

/** The tasks with new labels, and all their labels: those of tasks[j] at rows[starts[j]..starts[j+1]]. */
function touched(data: CrowdDataset, from: number) {
  const place = new Int32Array(data.tasks.length).fill(-1);
  const tasks: number[] = [];
  for (let i = from; i < data.task.length; i++) {
    if (place[data.task[i]] < 0) place[data.task[i]] = tasks.push(data.task[i]) - 1;
  }
  const starts = new Int32Array(tasks.length + 1);
  for (let i = 0; i < data.task.length; i++) {
    const j = place[data.task[i]];
    if (j >= 0) starts[j + 1]++;
  }
  for (let j = 0; j < tasks.length; j++) starts[j + 1] += starts[j];
  const rows = new Int32Array(starts[tasks.length]);
  const next = starts.slice();
  for (let i = 0; i < data.task.length; i++) {
    const j = place[data.task[i]];
    if (j >= 0) rows[next[j]++] = i;
  }
  return { rows, starts, tasks };
}

function extended(counts: Int32Array, length: number): Int32Array {
  const longer = new Int32Array(length);
  longer.set(counts);
  return longer;
}
