import { expect } from "vitest";
import { readAll } from "../src/simulate/rows.ts";
import type { LabelledTasks, Simulation } from "../src/simulate/simulation.ts";

/** Tasks with their features as numbers, which can be compared. */
export function asNumbers<Tasks extends LabelledTasks>(tasks: Tasks) {
  return { ...tasks, features: tasks.features && readAll(tasks.features) };
}

/**
 * Frequencies of each worker's labels within so many standard errors of the confusion, outliers left
 * out. Among thousands of cells some are more than three away, so five is the default; 6 / n stands for
 * cells with few labels, which are not normal.
 */
export function expectConfusions(
  { data, confusion = new Float64Array(), outliers }: Simulation,
  { errors = 5, few = 6 }: { readonly errors?: number; readonly few?: number } = {},
): void {
  const K = data.classes.length;
  const counts = new Float64Array(confusion.length);
  for (let i = 0; i < data.label.length; i++) {
    if (outliers?.[data.task[i]]) continue;
    counts[(data.worker[i] * K + data.gold[data.task[i]]) * K + data.label[i]]++;
  }
  for (let row = 0; row < counts.length; row += K) {
    const n = counts.subarray(row, row + K).reduce((sum, c) => sum + c, 0);
    for (let l = 0; n > 0 && l < K; l++) {
      const p = confusion[row + l];
      const error = Math.sqrt((p * (1 - p)) / n);
      expect(Math.abs(counts[row + l] / n - p)).toBeLessThanOrEqual(errors * error + few / n);
    }
  }
}
