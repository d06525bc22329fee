/**
 * The parts a crowd falls into: workers are in one part where common tasks join them, directly or
 * through others. Nothing that is said in one part tells anything about another.
 */
import type { CategoricalData } from "../../../data/categorical.ts";
import { createForest } from "../../../math/forest.ts";

export interface CrowdParts {
  /** Part of each worker; -1 without labels. */
  readonly ofWorker: Int32Array;
  /** Part of each task; -1 without labels. */
  readonly ofTask: Int32Array;
  readonly count: number;
}

/** O(N): tasks and workers joined by their labels, numbered as their first worker is. */
export function crowdParts({ tasks, workers, task, worker }: CategoricalData): CrowdParts {
  const W = workers.length;
  // Tasks stand after the workers in one forest.
  const { root, join } = createForest(W + tasks.length);
  for (let i = 0; i < task.length; i++) join(worker[i], W + task[i]);
  const labelled = new Uint8Array(W + tasks.length);
  for (let i = 0; i < task.length; i++) {
    labelled[worker[i]] = 1;
    labelled[W + task[i]] = 1;
  }
  const numbers = new Int32Array(labelled.length).fill(-1);
  let count = 0;
  const of = Int32Array.from(labelled, (is, node) => {
    if (!is) return -1;
    const part = root(node);
    if (numbers[part] < 0) numbers[part] = count++;
    return numbers[part];
  });
  return { ofWorker: of.slice(0, W), ofTask: of.slice(W), count };
}
