/**
 * Labels that a crowd would give next. Workers share errors: given d labels of a task whose errors have the correlation ρ, the
 * next label repeats one of them with probability d ρ / (1 + (d − 1) ρ), and otherwise comes from the worker's own row. The labels
 * of a task are then exchangeable and have that correlation (a Pólya urn).
 */
import type { CategoricalData } from "../data/categorical.ts";
import type { Random } from "../math/random.ts";
import { grownInts } from "../online/growing.ts";

/** Labels that grow, those of the data first. */
export interface FutureLabels {
  /** Adds labels until each task has `times` as many as in the data, on average. */
  grow(times: number): void;
  /** Returns all labels so far. */
  data(): CategoricalData;
}

export interface FutureCrowd {
  /** The class of each task; -1 if it has no label. */
  readonly truth: Int32Array;
  /** P(label | class) as rows[(worker * K + class) * K + label]. */
  readonly rows: Float64Array;
  readonly correlation: number;
}

export function createFutureLabels(
  data: CategoricalData,
  { truth, rows, correlation }: FutureCrowd,
  random: Random,
): FutureLabels {
  const [N, K] = [data.label.length, data.classes.length];
  let columns: readonly Int32Array[] = [data.task, data.worker, data.label];
  let length = N;
  const lists: number[][] = Array.from(data.tasks, () => []);
  for (let i = 0; i < N; i++) lists[data.task[i]].push(data.label[i]);
  const first = lists.map((list) => list.length);
  const draw = (t: number, w: number): number => {
    const [list, d] = [lists[t], lists[t].length];
    if (random.next() < (d * correlation) / (1 + (d - 1) * correlation)) {
      return list[Math.floor(random.next() * d)];
    }
    const from = (w * K + truth[t]) * K;
    let left = random.next();
    let l = 0;
    while (l < K - 1 && left >= rows[from + l]) left -= rows[from + l++];
    return l;
  };
  const add = (t: number) => {
    // Workers stay as busy as they were.
    const w = data.worker[Math.floor(random.next() * N)];
    const l = draw(t, w);
    lists[t].push(l);
    columns = columns.map((column) => grownInts(column, length + 1));
    [columns[0][length], columns[1][length], columns[2][length]] = [t, w, l];
    length++;
  };
  const { weight: _, time: __, ...rest } = data;
  return {
    grow(times) {
      for (let t = 0; t < lists.length; t++) {
        const wanted = Math.floor(first[t] * times + random.next());
        while (first[t] > 0 && lists[t].length < wanted) add(t);
      }
    },
    data() {
      const [task, worker, label] = columns.map((column) => column.slice(0, length));
      return { ...rest, task, worker, label };
    },
  };
}
