/** Answers of one worker on one task: which of them count when there is more than one. */
import { CrowdError, hint } from "../error.ts";
import type { CrowdData } from "./crowd-data.ts";

/**
 * What to do when a worker answered a task more than once. `distinct` drops exact copies and keeps
 * answers that differ; `first` and `last` go by time where there are times, else by row.
 */
export type Repeats = "error" | "first" | "last" | "all" | "distinct";

type Rows = Pick<CrowdData, "tasks" | "workers" | "task" | "worker"> & {
  readonly time?: Float64Array | undefined;
};

/**
 * Applies the policy to repeated (task, worker) pairs and says what it did. Returns the rows that
 * stay, or undefined where all do. Cost: the number of answers plus that of repeats within a pair.
 */
export function keptRows(
  data: Rows,
  same: (i: number, j: number) => boolean,
  policy: Repeats,
  notes: string[],
  what = "a (task, worker) pair",
): Int32Array | undefined {
  if (policy === "all") return undefined;
  const { task, worker, time } = data;
  const N = task.length;
  const { start, order } = rowsByTask(data);
  // The answers of a worker on the task at hand: first[w], then next[i] until -1.
  const seen = new Int32Array(data.workers.length).fill(-1);
  const first = new Int32Array(data.workers.length);
  const last = new Int32Array(data.workers.length);
  const next = new Int32Array(N).fill(-1);
  const dropped = new Uint8Array(N);
  let [repeated, conflicts, drops] = [0, 0, 0];
  for (let t = 0; t < data.tasks.length; t++) {
    for (let at = start[t]; at < start[t + 1]; at++) {
      const i = order[at];
      const w = worker[i];
      if (seen[w] !== t) {
        seen[w] = t;
        first[w] = i;
        last[w] = i;
        continue;
      }
      repeated++;
      if (policy === "error") throw repeatError(data, i);
      for (let j = first[w]; j >= 0; j = next[j]) {
        if (dropped[j]) continue;
        const alike = same(i, j);
        if (!alike) conflicts++;
        const drop = loser(policy, alike, i, j, time);
        if (drop < 0) continue;
        dropped[drop] = 1;
        drops++;
        if (drop === i) break;
      }
      next[last[w]] = i;
      last[w] = i;
    }
  }
  if (repeated > 0) {
    notes.push(
      `${repeated} labels repeat ${what}, ${conflicts} of them with another answer; ` +
        `repeats: ${policy}, ${drops} dropped.`,
    );
  }
  return drops === 0 ? undefined : standing(dropped, drops);
}

/** Which of two answers goes, or -1 where both stay. */
function loser(
  policy: Repeats,
  alike: boolean,
  i: number,
  j: number,
  time: Float64Array | undefined,
): number {
  if (policy === "distinct") return alike ? i : -1;
  const later = time ? !(time[i] < time[j]) : true;
  return (policy === "last") === later ? j : i;
}

/** Sorts the rows by task, each task's in the order given. */
function rowsByTask({ task, tasks }: Rows): { start: Int32Array; order: Int32Array } {
  const start = new Int32Array(tasks.length + 1);
  for (let i = 0; i < task.length; i++) start[task[i] + 1]++;
  for (let t = 0; t < tasks.length; t++) start[t + 1] += start[t];
  const next = start.slice();
  const order = new Int32Array(task.length);
  for (let i = 0; i < task.length; i++) order[next[task[i]]++] = i;
  return { start, order };
}

function standing(dropped: Uint8Array, drops: number): Int32Array {
  const kept = new Int32Array(dropped.length - drops);
  for (let i = 0, at = 0; i < dropped.length; i++) if (!dropped[i]) kept[at++] = i;
  return kept;
}

function repeatError({ tasks, workers, task, worker }: Rows, i: number): CrowdError {
  return new CrowdError(
    "bad-data",
    `Worker "${workers.at(worker[i])}" labelled task "${tasks.at(task[i])}" more than once. ` +
      `Choose what to keep with ${hint("repeats")}: first, last, distinct or all.`,
  );
}
