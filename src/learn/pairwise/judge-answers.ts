/** Decided comparisons as winner and loser, outside of networks. */
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";

/** Comparisons, row by row. */
export interface JudgeAnswers {
  readonly winner: Int32Array;
  readonly loser: Int32Array;
  readonly judge: Int32Array;
  readonly weight: Float64Array;
}

/** Reads who beat whom; ties are left out, or count half for either side. */
export function answersOf(
  { left, right, label, worker, weight }: PairwiseData,
  ties: "out" | "half" = "out",
): JudgeAnswers {
  const all = Int32Array.from(label.keys());
  const tied = ties === "half" ? all.filter((i) => label[i] === TIE) : new Int32Array(0);
  const decided = all.filter((i) => label[i] !== TIE);
  const rows = Int32Array.from([...decided, ...tied, ...tied]);
  const leftWon = rows.map((i, at) =>
    Number(label[i] === LEFT || (label[i] === TIE && at < decided.length + tied.length)),
  );
  return {
    winner: rows.map((i, at) => (leftWon[at] ? left[i] : right[i])),
    loser: rows.map((i, at) => (leftWon[at] ? right[i] : left[i])),
    judge: rows.map((i) => worker[i]),
    weight: Float64Array.from(rows, (i) => (weight ? weight[i] : 1) * (label[i] === TIE ? 0.5 : 1)),
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
