/**
 * Who answers later: of two workers who agree too often, the one whose equal answers come second nearly
 * always may see those of the other. Only labels with times are looked at; a tie tells nothing.
 */
import { byTask, type CategoricalData, selectLabels } from "../../data/categorical.ts";
import { incompleteBeta } from "../../math/incomplete.ts";

/** One worker who gives the same answers as another, later. */
export interface Copying {
  /** The worker who answers first, and the one who answers later, by number. */
  readonly first: number;
  readonly later: number;
  /** Equal answers with times, and the share of them that `later` gave second. */
  readonly answers: number;
  readonly share: number;
  /** Chance of so one-sided an order if either came first as often, times the number of pairs. */
  readonly p: number;
}

/** Orders are reported below this p. */
const LEVEL = 0.01;

/** Returns the one-sided orders among the workers, the most significant first; none without times. */
export function copyingIn(data: CategoricalData, workers: Int32Array): readonly Copying[] {
  if (!data.time) return [];
  const inside = new Set(workers);
  const own = selectLabels(data, (i) => inside.has(data.worker[i]));
  const place = new Map(Array.from(workers, (w, at) => [w, at] as const));
  const G = workers.length;
  /** Equal answers that the column's worker gave after the row's. */
  const after = new Int32Array(G * G);
  const { start } = byTask(own);
  const order = inTaskOrder(own.task, start);
  const time = own.time ?? new Float64Array();
  for (let t = 0; t < own.tasks.length; t++) {
    for (let a = start[t]; a < start[t + 1]; a++) {
      for (let b = start[t]; b < start[t + 1]; b++) {
        const [i, j] = [order[a], order[b]];
        if (own.label[i] !== own.label[j] || !(time[i] < time[j])) continue;
        after[(place.get(own.worker[i]) ?? 0) * G + (place.get(own.worker[j]) ?? 0)]++;
      }
    }
  }
  const found: Copying[] = [];
  const tests = (G * (G - 1)) / 2;
  for (let a = 0; a < G; a++) {
    for (let b = 0; b < G; b++) {
      const [later, earlier] = [after[a * G + b], after[b * G + a]];
      if (a === b || later <= earlier) continue;
      const answers = later + earlier;
      const p = Math.min(1, 2 * tests * incompleteBeta(0.5, later, earlier + 1));
      if (p > LEVEL) continue;
      found.push({ first: workers[a], later: workers[b], answers, share: later / answers, p });
    }
  }
  return found.sort((a, b) => a.p - b.p || b.answers - a.answers);
}

/** The numbers of the labels, task by task. */
function inTaskOrder(task: Int32Array, start: Int32Array): Int32Array {
  const next = start.slice();
  const order = new Int32Array(task.length);
  for (let i = 0; i < task.length; i++) order[next[task[i]]++] = i;
  return order;
}
