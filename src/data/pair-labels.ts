/** Comparisons as labels: the same pair of items, asked for the same task, is one thing to label. */
import type { CategoricalData } from "./categorical.ts";
import { fromColumns } from "./categorical-from-columns.ts";
import { LEFT, type PairwiseData, TIE } from "./pairwise.ts";

/** Comparisons as labels of pairs: the first item, the second, or neither. */
export interface PairLabels {
  /** One task per pair, with the classes `first`, `second` and, where ties are kept, `tie`. */
  readonly labels: CategoricalData;
  /** The row of the comparisons behind each label. */
  readonly row: Int32Array;
  /** The task and the two items of each pair, the item of the smaller number first. */
  readonly task: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/** Turns comparisons into labels of pairs. */
export function pairLabels(data: PairwiseData, ties: "keep" | "drop"): PairLabels {
  const rows = Int32Array.from(
    Array.from(data.label.keys()).filter((i) => ties === "keep" || data.label[i] !== TIE),
  );
  const places = new Map<string, number>();
  const [task, first, second]: number[][] = [[], [], []];
  const pair = rows.map((i) => {
    const [a, b] = [data.left[i], data.right[i]];
    const key = `${data.task[i]} ${Math.min(a, b)} ${Math.max(a, b)}`;
    let at = places.get(key);
    if (at === undefined) {
      at = task.push(data.task[i]) - 1;
      first.push(Math.min(a, b));
      second.push(Math.max(a, b));
      places.set(key, at);
    }
    return at;
  });
  const label = rows.map((i) => {
    const firstWon = (data.label[i] === LEFT) === data.left[i] < data.right[i];
    return data.label[i] === TIE ? 2 : firstWon ? 0 : 1;
  });
  const { weight, time } = data;
  const classes = ties === "keep" ? ["first", "second", "tie"] : ["first", "second"];
  const labels = fromColumns(
    {
      tasks: [...places.keys()],
      workers: [...data.workers],
      labels: classes,
      task: pair,
      worker: rows.map((i) => data.worker[i]),
      label,
      weight: weight && Float64Array.from(rows, (i) => weight[i]),
      time: time && Float64Array.from(rows, (i) => time[i]),
    },
    { classes, repeats: "all" },
  );
  return { labels, row: rows, task, first, second };
}
