/** Crowds in which groups of workers speak with one voice. */
import { byTask, type CategoricalData } from "../../data/categorical.ts";

/** Returns the group of each of W workers, -1 for those in none. */
export function groupNumbers(groups: readonly Int32Array[], W: number): Int32Array {
  const groupOf = new Int32Array(W).fill(-1);
  groups.forEach((workers, g) => {
    for (const w of workers) groupOf[w] = g;
  });
  return groupOf;
}

/** Returns the workers of each group of two or more, from the number of each worker's group. */
export function groupLists(groups: Int32Array): Int32Array[] {
  const members = new Map<number, number[]>();
  groups.forEach((g, w) => {
    const list = members.get(g);
    if (list) list.push(w);
    else members.set(g, [w]);
  });
  return [...members.values()].filter(({ length }) => length > 1).map((w) => Int32Array.from(w));
}

/**
 * Returns the labels with one label per group and task, the most frequent one, by the first worker of the
 * group; none where two are equally frequent. A voice has neither weight nor time, so none is kept.
 */
export function fuseGroups(data: CategoricalData, groupOf: Int32Array): CategoricalData {
  const K = data.classes.length;
  const speaker = new Map<number, number>();
  groupOf.forEach((g, w) => {
    if (g >= 0 && !speaker.has(g)) speaker.set(g, w);
  });
  const { start, other, label } = byTask(data);
  const rows: { task: number; worker: number; label: number }[] = [];
  for (let t = 0; t < data.tasks.length; t++) {
    const votes = new Map<number, Int32Array>();
    for (let i = start[t]; i < start[t + 1]; i++) {
      const g = groupOf[other[i]];
      if (g < 0) rows.push({ task: t, worker: other[i], label: label[i] });
      else {
        const counts = votes.get(g) ?? new Int32Array(K);
        if (label[i] < K) counts[label[i]]++;
        votes.set(g, counts);
      }
    }
    for (const [g, counts] of votes) {
      const said = mostFrequent(counts);
      if (said >= 0) rows.push({ task: t, worker: speaker.get(g) ?? 0, label: said });
    }
  }
  const { weight: _, time: __, ...rest } = data;
  return {
    ...rest,
    task: Int32Array.from(rows, (row) => row.task),
    worker: Int32Array.from(rows, (row) => row.worker),
    label: Int32Array.from(rows, (row) => row.label),
  };
}

/** Returns the class with most votes, or -1 if two have as many. */
function mostFrequent(counts: Int32Array): number {
  let best = 0;
  let tied = false;
  for (let k = 1; k < counts.length; k++) {
    tied = counts[k] === counts[best] || (tied && counts[k] < counts[best]);
    if (counts[k] > counts[best]) best = k;
  }
  return tied ? -1 : best;
}
