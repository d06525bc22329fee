/** Comparisons that tests of rankers share: the worked example, and the split of the public sets. */
import { type ComparisonRow, fromRows } from "../src/data/from-rows.ts";
import { LEFT, type PairwiseData, TIE } from "../src/data/pairwise.ts";
import { createRandom } from "../src/math/random.ts";

/** Fixture P1 of the pairwise spec: judge, left, right, winner. */
export const fixture: ComparisonRow[] = [
  ["u", "a", "b", "a"],
  ["u", "b", "c", "b"],
  ["u", "a", "c", "a"],
  ["u", "c", "b", "c"],
  ["v", "a", "b", "a"],
  ["v", "c", "a", "a"],
  ["v", "b", "a", "b"],
  ["v", "b", "c", "tie"],
].map(([worker, left, right, label]) => ({ worker, left, right, label }));

export const fixtureData = () => fromRows(fixture, { kind: "pairwise" });

/** The rows of some numbers, in that order. */
function takeRows(data: PairwiseData, rows: readonly number[]): PairwiseData {
  const ints = (column: Int32Array) => Int32Array.from(rows, (i) => column[i]);
  const { weight } = data;
  return {
    ...data,
    task: ints(data.task),
    worker: ints(data.worker),
    left: ints(data.left),
    right: ints(data.right),
    label: ints(data.label),
    ...(weight && { weight: Float64Array.from(rows, (i) => weight[i]) }),
  };
}

/** Every fifth row is hidden. */
export function splitRows(data: PairwiseData): { shown: PairwiseData; hidden: PairwiseData } {
  const rows = Array.from(data.label.keys());
  return {
    shown: takeRows(
      data,
      rows.filter((i) => i % 5 !== 4),
    ),
    hidden: takeRows(
      data,
      rows.filter((i) => i % 5 === 4),
    ),
  };
}

/** The same comparisons with rows in another order. */
export function shuffled(data: PairwiseData, seed: number): PairwiseData {
  const random = createRandom(seed);
  const keys = Array.from(data.label, () => random.next());
  const order = Array.from(data.label.keys()).sort((a, b) => keys[a] - keys[b]);
  return takeRows(data, order);
}

/** The same comparisons with every left item on the right. */
export function turned(data: PairwiseData): PairwiseData {
  return {
    ...data,
    left: data.right,
    right: data.left,
    label: data.label.map((l) => (l === TIE ? TIE : 1 - l)),
  };
}

/** Share of decided comparisons that the better score won; equal scores count half. */
export function accuracyOf({ left, right, label }: PairwiseData, score: Float64Array): number {
  let [followed, all] = [0, 0];
  label.forEach((l, i) => {
    if (l === TIE) return;
    const lead = (score[left[i]] - score[right[i]]) * (l === LEFT ? 1 : -1);
    followed += Math.abs(lead) <= 1e-9 ? 0.5 : lead > 0 ? 1 : 0;
    all++;
  });
  return followed / all;
}

/** Mean of -log of the probability of each comparison; ties are left out unless asked for. */
export function logLoss(
  data: PairwiseData,
  probability: (i: number) => number,
  { ties = false } = {},
): number {
  const rows = Array.from(data.label.keys()).filter((i) => ties || data.label[i] !== TIE);
  return rows.reduce((sum, i) => sum - Math.log(probability(i)), 0) / rows.length;
}
