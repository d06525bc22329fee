/** What can be done about groups that agree too often, on demand: data in, new data out. */
import { type CategoricalData, selectLabels } from "../../data/categorical.ts";
import { CrowdError } from "../../error.ts";
import { groupNumbers } from "./fused-groups.ts";

/** `remove` all of a group, keep `one` label per task and group, or `weight` labels by 1 / number on the task. */
export type GroupTreatment = "remove" | "one" | "weight";

/**
 * Returns the data with the labels of each group removed, reduced to one per task, or weighted so that a
 * group counts for one worker on each task. With `one` the member who labelled most tasks answers first.
 */
export function treatGroups(
  data: CategoricalData,
  groups: readonly Int32Array[],
  treatment: GroupTreatment,
): CategoricalData {
  const groupOf = groupNumbers(groups, data.workers.length);
  const { task, worker } = data;
  if (treatment === "remove") return selectLabels(data, (i) => groupOf[worker[i]] < 0);
  const place = (i: number) => task[i] * groups.length + groupOf[worker[i]];
  if (treatment === "one") {
    const kept = speakers(data, groupOf, place);
    return selectLabels(data, (i) => groupOf[worker[i]] < 0 || kept.get(place(i)) === i);
  }
  if (treatment !== "weight") {
    throw new CrowdError(
      "bad-option",
      `treatGroups: treatment must be one of remove, one, weight, not ${String(treatment)}.`,
    );
  }
  const counts = new Map<number, number>();
  for (let i = 0; i < task.length; i++) {
    if (groupOf[worker[i]] >= 0) counts.set(place(i), (counts.get(place(i)) ?? 0) + 1);
  }
  const weight = Float64Array.from(
    task,
    (_, i) => (data.weight?.[i] ?? 1) / (groupOf[worker[i]] < 0 ? 1 : (counts.get(place(i)) ?? 1)),
  );
  return { ...data, weight };
}

/** The label that stays for each task and group: that of the member with most labels. */
function speakers(
  { task, worker, workers }: CategoricalData,
  groupOf: Int32Array,
  place: (i: number) => number,
): Map<number, number> {
  const load = new Int32Array(workers.length);
  for (const w of worker) load[w]++;
  const kept = new Map<number, number>();
  for (let i = 0; i < task.length; i++) {
    if (groupOf[worker[i]] < 0) continue;
    const other = kept.get(place(i));
    const [a, b] = [worker[i], other === undefined ? -1 : worker[other]];
    if (other === undefined || load[a] > load[b] || (load[a] === load[b] && a < b)) {
      kept.set(place(i), i);
    }
  }
  return kept;
}
