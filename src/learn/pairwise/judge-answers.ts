/** Decided comparisons as winner and loser, outside of networks. */
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";

/** Comparisons without ties, row by row. */
export interface JudgeAnswers {
  readonly winner: Int32Array;
  readonly loser: Int32Array;
  readonly judge: Int32Array;
  readonly weight: Float64Array;
}

/** Reads who beat whom; ties are left out. */
export function answersOf({ left, right, label, worker, weight }: PairwiseData): JudgeAnswers {
  const rows = Int32Array.from(label.keys()).filter((i) => label[i] !== TIE);
  return {
    winner: rows.map((i) => (label[i] === LEFT ? left[i] : right[i])),
    loser: rows.map((i) => (label[i] === LEFT ? right[i] : left[i])),
    judge: rows.map((i) => worker[i]),
    weight: Float64Array.from(rows, (i) => (weight ? weight[i] : 1)),
  };
}

/** log(1 / (1 + exp(-x))), far out as well. */
export const logSigmoid = (x: number): number =>
  Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));

/** The mean log-probability of answers. */
export function logOfAnswers(
  { winner, loser, judge, weight }: JudgeAnswers,
  chance: (winner: number, loser: number, judge: number) => number,
): number {
  let [total, count] = [0, 0];
  winner.forEach((a, i) => {
    total += weight[i] * Math.log(Math.max(1e-12, chance(a, loser[i], judge[i])));
    count += weight[i];
  });
  return total / count;
}
