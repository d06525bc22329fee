/** Labels that are all the same level: that level is the answer, and there is nothing to learn about workers. */
import type { Known } from "../../belief/known.ts";
import type { CategoricalData } from "../../data/categorical.ts";

/** Returns the fit where all labels and all gold name one level; undefined where they name more. */
export function oneLevel({ tasks, workers, classes, label }: CategoricalData, { gold }: Known) {
  const levels = new Set([...label, ...(gold ?? []).filter((k) => k >= 0)]);
  if (levels.size !== 1) return undefined;
  const K = classes.length;
  const row = new Float64Array(K);
  for (const level of levels) row[level] = 1;
  return {
    posterior: Float64Array.from({ length: tasks.length * K }, (_, at) => row[at % K]),
    prior: row,
    confusion: Float64Array.from({ length: workers.length * K * K }, (_, at) => row[at % K]),
    skill: new Float64Array(workers.length).fill(1),
    trace: [],
    converged: true,
    notes: ["All labels are the same level: there is nothing to learn about workers."],
  };
}
