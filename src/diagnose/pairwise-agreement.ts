/** Agreement of comparisons: the same pair, asked for the same task, is one thing to agree on. */
import type { CategoricalData } from "../data/categorical.ts";
import { fromColumns } from "../data/categorical-from-columns.ts";
import { LEFT, type PairwiseData, TIE } from "../data/pairwise.ts";
import { type Agreement, type AgreementOptions, agreement } from "./agreement.ts";

/** Measures how much workers agree on which of two items is better. */
export function pairwiseAgreement(data: PairwiseData, options: AgreementOptions = {}): Agreement {
  return agreement(asLabels(data), options);
}

/** Comparisons as labels of pairs: the first item, the second, or neither. */
function asLabels(data: PairwiseData): CategoricalData {
  const places = new Map<string, number>();
  const pairs: string[] = [];
  const task = new Int32Array(data.label.length);
  const label = new Int32Array(data.label.length);
  for (let i = 0; i < label.length; i++) {
    const [a, b] = [data.left[i], data.right[i]];
    const key = `${data.task[i]} ${Math.min(a, b)} ${Math.max(a, b)}`;
    let at = places.get(key);
    if (at === undefined) {
      at = pairs.push(key) - 1;
      places.set(key, at);
    }
    task[i] = at;
    const first = (data.label[i] === LEFT) === a < b;
    label[i] = data.label[i] === TIE ? 2 : first ? 0 : 1;
  }
  const { weight, time } = data;
  return fromColumns(
    {
      tasks: pairs,
      workers: [...data.workers],
      labels: ["first", "second", "tie"],
      task,
      worker: data.worker,
      label,
      weight,
      time,
    },
    { classes: ["first", "second", "tie"], repeats: "all" },
  );
}
