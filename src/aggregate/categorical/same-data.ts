/** Whether a result was made from the data that it is shown with. */
import type { CategoricalData } from "../../data/categorical.ts";
import { CrowdError } from "../../error.ts";
import type { Aggregation } from "./aggregator.ts";

type Result = Pick<Aggregation, "tasks" | "workers" | "classes" | "support" | "given">;

/** Pairs that were looked at before: the check reads all labels, and callers come task by task. */
const known = new WeakMap<object, object>();

/** Refuses a result of other data: names and numbers of labels must be the same. */
export function checkSameData(caller: string, data: CategoricalData, result: Result): void {
  if (known.get(result) === data) return;
  for (const field of ["tasks", "workers", "classes"] as const) {
    const [ours, theirs] = [data[field], result[field]];
    if (ours === theirs) continue;
    let same = ours.length === theirs.length;
    for (let i = 0; same && i < ours.length; i++) same = ours.at(i) === theirs.at(i);
    if (!same) {
      throw otherData(
        caller,
        `it has ${theirs.length} ${field}, the data have ${ours.length}, or their names differ`,
      );
    }
  }
  const { task, label } = data;
  const counts = new Int32Array(data.tasks.length);
  for (let i = 0; i < label.length; i++) if (label[i] < result.given) counts[task[i]]++;
  const t = counts.findIndex((count, at) => count !== result.support[at]);
  if (t >= 0) {
    throw otherData(
      caller,
      `task "${data.tasks.at(t)}" has ${counts[t]} labels in the data and ${result.support[t]} in the result`,
    );
  }
  known.set(result, data);
}

function otherData(caller: string, why: string): CrowdError {
  return new CrowdError(
    "bad-data",
    `${caller}: the result was made from other data: ${why}. Use the data that the result was made from.`,
  );
}
