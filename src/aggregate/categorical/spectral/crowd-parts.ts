/**
 * The parts a crowd falls into: workers are in one part where common tasks join them, directly or
 * through others. Nothing that is said in one part tells anything about another.
 */
import type { CategoricalData } from "../../../data/categorical.ts";

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
  // Tasks stand after the workers in one forest; each points towards the root of its part.
  const parent = Int32Array.from({ length: W + tasks.length }, (_, node) => node);
  const rootOf = (node: number): number => {
    let root = node;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]];
      root = parent[root];
    }
    return root;
  };
  for (let i = 0; i < task.length; i++) {
    const [a, b] = [rootOf(worker[i]), rootOf(W + task[i])];
    if (a !== b) parent[Math.max(a, b)] = Math.min(a, b);
  }
  const labelled = new Uint8Array(parent.length);
  for (let i = 0; i < task.length; i++) {
    labelled[worker[i]] = 1;
    labelled[W + task[i]] = 1;
  }
  const numbers = new Int32Array(parent.length).fill(-1);
  let count = 0;
  const of = Int32Array.from(parent, (_, node) => {
    if (!labelled[node]) return -1;
    const root = rootOf(node);
    if (numbers[root] < 0) numbers[root] = count++;
    return numbers[root];
  });
  return { ofWorker: of.slice(0, W), ofTask: of.slice(W), count };
}
