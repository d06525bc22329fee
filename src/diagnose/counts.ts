/**
 * How the labels of each task spread over the classes, which is all that agreement depends on.
 *
 * Tasks whose labels spread alike add alike to every coefficient, so equal tasks are kept once, as a
 * pattern with a number of tasks. A million labels of four classes, five per task, are 56 patterns;
 * at worst there are as many patterns as tasks. Abstentions are left out, weights are not used, and
 * two answers of one worker to one task are two labels.
 *
 * O(N) time and memory, whatever the number of classes.
 */
import { byTask, type CategoricalData } from "../data/categorical.ts";

/** Pattern `p` has the classes and counts at start[p]..start[p + 1], classes ascending. */
export interface CountTable {
  /** K, used or not. */
  readonly classes: number;
  readonly start: Int32Array;
  readonly class: Int32Array;
  readonly count: Int32Array;
  /** Labels of one task of each pattern. */
  readonly labels: Int32Array;
  /** Number of tasks of each pattern. */
  readonly tasks: Int32Array;
  /** The pattern of each task, or -1 for a task without labels. */
  readonly pattern: Int32Array;
}

export function countTable(data: CategoricalData): CountTable {
  const K = data.classes.length;
  const T = data.tasks.length;
  const index = byTask(data);
  const found = createPatterns(Math.min(T, index.label.length));
  const pattern = new Int32Array(T).fill(-1);
  const tally = new Int32Array(K);
  const met: number[] = [];
  for (let t = 0; t < T; t++) {
    met.length = 0;
    for (let i = index.start[t]; i < index.start[t + 1]; i++) {
      const l = index.label[i];
      if (l < K && tally[l]++ === 0) met.push(l);
    }
    if (met.length > 1) met.sort((a, b) => a - b);
    if (met.length > 0) pattern[t] = found.add(met, tally);
    for (const l of met) tally[l] = 0;
  }
  return { classes: K, ...found.finish(), pattern };
}

/** Distinct patterns, found again by a hash of their classes and counts. */
function createPatterns(most: number) {
  // Open addressing, at most half full; holds pattern + 1, and 0 where free.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2)));
  const start = [0];
  const classes: number[] = [];
  const counts: number[] = [];
  const tasks: number[] = [];
  const same = (p: number, met: readonly number[], tally: Int32Array): boolean => {
    if (start[p + 1] - start[p] !== met.length) return false;
    for (let j = 0; j < met.length; j++) {
      const at = start[p] + j;
      if (classes[at] !== met[j] || counts[at] !== tally[met[j]]) return false;
    }
    return true;
  };
  return {
    /** The number of the pattern, new or met before; counts one more task of it. */
    add(met: readonly number[], tally: Int32Array): number {
      let hash = 0;
      for (const l of met) {
        hash = Math.imul(hash ^ l, 0x9e3779b1) ^ Math.imul(tally[l], 0x85ebca6b);
        hash ^= hash >>> 15;
      }
      let slot = hash & (slots.length - 1);
      while (slots[slot] > 0 && !same(slots[slot] - 1, met, tally)) {
        slot = (slot + 1) & (slots.length - 1);
      }
      if (slots[slot] === 0) {
        for (const l of met) {
          classes.push(l);
          counts.push(tally[l]);
        }
        start.push(classes.length);
        slots[slot] = tasks.push(0);
      }
      tasks[slots[slot] - 1]++;
      return slots[slot] - 1;
    },
    finish() {
      const labels = new Int32Array(tasks.length);
      for (let p = 0; p < tasks.length; p++) {
        for (let at = start[p]; at < start[p + 1]; at++) labels[p] += counts[at];
      }
      return {
        start: Int32Array.from(start),
        class: Int32Array.from(classes),
        count: Int32Array.from(counts),
        labels,
        tasks: Int32Array.from(tasks),
      };
    },
  };
}

/** Labels of each class over the tasks that have at least `fewest`, each pattern `weight` times. */
export function classTotals(
  table: CountTable,
  weight: ArrayLike<number>,
  fewest: number,
): Float64Array {
  const totals = new Float64Array(table.classes);
  for (let p = 0; p < table.labels.length; p++) {
    if (table.labels[p] < fewest) continue;
    for (let at = table.start[p]; at < table.start[p + 1]; at++) {
      totals[table.class[at]] += weight[p] * table.count[at];
    }
  }
  return totals;
}
