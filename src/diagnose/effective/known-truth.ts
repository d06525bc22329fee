/**
 * Correlation of errors where the truth is known, for each pair of workers.
 *
 *   r[i, u] = onehot(label) − θ_u[truth]            residual of an answer
 *   ρ[u, v] = Σ <r_u, r_v> / √(Σ |r_u|² Σ |r_v|²)   over common tasks, θ counted on the same tasks
 *
 * With a belief in place of the truth each class counts with its probability. Pairs with 20 common tasks or
 * more whose z = (ρ − b) √common survives Benjamini and Hochberg's control at 5 % keep their value; the
 * others get the background b, the mean of the pairs that did not survive, 0 unless it is two standard
 * errors above. Five rounds of this.
 */
import { byTask, byWorker, type CategoricalData } from "../../data/categorical.ts";
import { normalCdf } from "../../math/incomplete.ts";
import type { ErrorCorrelations } from "./panel-size.ts";

/** One correlation per pair of workers, from all tasks or all but some. */
export interface PairCorrelations {
  readonly rho: Float32Array;
  readonly common: Float32Array;
}

/** The pairs of workers who share tasks of known truth, and their correlations. */
export interface KnownCorrelations {
  readonly pairs: readonly (readonly [number, number])[];
  readonly all: PairCorrelations;
  /** The same without each group of tasks. */
  readonly leftOut: readonly PairCorrelations[];
}

/** Fewer common tasks than this say nothing about a pair. */
export const FEWEST_COMMON = 20;

/**
 * `belief[task * K + class]` is the truth of all tasks with labels; `group` is the group of each task, for
 * the jackknife (all 0 for none). Pairs with fewer than 20 common tasks are left out. O(pairs of labels · K),
 * memory for one worker's tables at a time.
 */
export function knownCorrelations(
  data: CategoricalData,
  belief: Float64Array,
  group: Int32Array,
  groups: number,
): KnownCorrelations {
  const W = data.workers.length;
  const K = data.classes.length;
  const size = K * (2 + 2 * K);
  const pairs: [number, number][] = [];
  const found: number[][] = Array.from({ length: 2 * (groups + 1) }, () => []);
  for (let u = 0; u < W; u++) {
    for (const [v, parts] of tablesOf(data, belief, group, Math.max(1, groups), u)) {
      pairs.push([u, v]);
      const whole = new Float64Array(size);
      for (let at = 0; at < parts.length; at++) whole[at % size] += parts[at];
      for (let g = -1; g < groups; g++) {
        const from = g * size;
        const table = g < 0 ? whole : whole.map((x, at) => x - parts[from + at]);
        const { rho, common } = correlationOf(table, K);
        found[2 * (g + 1)].push(rho);
        found[2 * (g + 1) + 1].push(common);
      }
    }
  }
  const [all, ...leftOut] = Array.from({ length: groups + 1 }, (_, g) => ({
    rho: Float32Array.from(found[2 * g]),
    common: Float32Array.from(found[2 * g + 1]),
  }));
  return { pairs, all, leftOut };
}

/**
 * Counts of worker u with each later worker who shares tasks enough, one table per group of tasks. A table
 * holds for each class the number of tasks, of equal labels, and the labels of either worker: 2 + 2 K numbers.
 */
function tablesOf(
  data: CategoricalData,
  belief: Float64Array,
  group: Int32Array,
  groups: number,
  u: number,
): [number, Float64Array][] {
  const K = data.classes.length;
  const size = 2 + 2 * K;
  const tasks = byTask(data);
  const workers = byWorker(data);
  const common = new Map<number, number>();
  const visit = (each: (t: number, v: number, own: number, label: number) => void) => {
    for (let i = workers.start[u]; i < workers.start[u + 1]; i++) {
      const t = workers.other[i];
      for (let j = tasks.start[t]; j < tasks.start[t + 1]; j++) {
        if (tasks.other[j] > u) each(t, tasks.other[j], workers.label[i], tasks.label[j]);
      }
    }
  };
  visit((_t, v) => common.set(v, (common.get(v) ?? 0) + 1));
  const tables = new Map<number, Float64Array>();
  for (const [v, n] of common) {
    if (n >= FEWEST_COMMON) tables.set(v, new Float64Array(groups * K * size));
  }
  if (tables.size === 0) return [];
  visit((t, v, own, label) => {
    const table = tables.get(v);
    if (!table) return;
    for (let c = 0; c < K; c++) {
      const q = belief[t * K + c];
      const from = (group[t] * K + c) * size;
      table[from] += q;
      if (own === label) table[from + 1] += q;
      table[from + 2 + own] += q;
      table[from + 2 + K + label] += q;
    }
  });
  return [...tables].sort((a, b) => a[0] - b[0]);
}

/** Σ_c (equal − a·b / n) over √ of the same of either worker with themselves; 0 for workers without errors. */
function correlationOf(table: Float64Array, K: number): { rho: number; common: number } {
  const size = 2 + 2 * K;
  let [common, cross, left, right] = [0, 0, 0, 0];
  for (let from = 0; from < table.length; from += size) {
    const n = table[from];
    if (n < 1e-9) continue;
    let [ab, aa, bb] = [0, 0, 0];
    for (let k = from + 2; k < from + 2 + K; k++) {
      ab += table[k] * table[k + K];
      aa += table[k] ** 2;
      bb += table[k + K] ** 2;
    }
    common += n;
    cross += table[from + 1] - ab / n;
    left += n - aa / n;
    right += n - bb / n;
  }
  const scale = Math.sqrt(Math.max(0, left) * Math.max(0, right));
  return { rho: scale > 1e-9 ? Math.min(1, Math.max(-1, cross / scale)) : 0, common };
}

/** Which pairs keep their correlation, and what the others get. */
export interface Shrunk {
  readonly background: number;
  readonly kept: Uint8Array;
}

const ROUNDS = 5;
const FALSE_DISCOVERIES = 0.05;

/** Decides which correlations differ from the background. */
export function shrink({ rho, common }: PairCorrelations): Shrunk {
  let usable = 0;
  for (const n of common) if (n >= FEWEST_COMMON) usable++;
  let background = 0;
  let kept: Uint8Array = new Uint8Array(rho.length);
  for (let round = 0; round < ROUNDS; round++) {
    kept = discoveries({ rho, common }, background, usable);
    let [sum, total] = [0, 0];
    for (let at = 0; at < rho.length; at++) {
      if (kept[at] || common[at] < FEWEST_COMMON) continue;
      sum += common[at] * rho[at];
      total += common[at];
    }
    const mean = total > 0 ? sum / total : 0;
    background = mean > 2 / Math.sqrt(Math.max(1, total)) ? Math.min(1, mean) : 0;
  }
  return { background, kept };
}

/** Benjamini and Hochberg's step-up rule; only tails below the level can be discoveries. */
function discoveries(
  { rho, common }: PairCorrelations,
  background: number,
  tests: number,
): Uint8Array {
  const tails: { readonly at: number; readonly p: number }[] = [];
  for (let at = 0; at < rho.length; at++) {
    const z = (rho[at] - background) * Math.sqrt(common[at]);
    if (common[at] < FEWEST_COMMON || z < 1.6) continue;
    tails.push({ at, p: normalCdf(-z) });
  }
  tails.sort((a, b) => a.p - b.p);
  let last = -1;
  tails.forEach(({ p }, i) => {
    if (p <= (FALSE_DISCOVERIES * (i + 1)) / tests) last = i;
  });
  const kept = new Uint8Array(rho.length);
  for (let i = 0; i <= last; i++) kept[tails[i].at] = 1;
  return kept;
}

/** Returns the correlations of all pairs after shrinking. */
export function shrunkCorrelations(
  pairs: KnownCorrelations["pairs"],
  { rho }: PairCorrelations,
  { background, kept }: Shrunk,
  W: number,
): ErrorCorrelations {
  const partners = Array.from({ length: W }, () => new Map<number, number>());
  pairs.forEach(([u, v], at) => {
    if (!kept[at]) return;
    const value = Math.min(1, Math.max(0, rho[at]));
    partners[u].set(v, value);
    partners[v].set(u, value);
  });
  return { background, partners };
}
