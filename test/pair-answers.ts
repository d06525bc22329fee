/** Six comparisons of four items by three judges, as networks are fed them. */
export const pairAnswers = {
  left: Int32Array.from([0, 1, 2, 3, 0, 2]),
  right: Int32Array.from([1, 2, 3, 0, 2, 1]),
  worker: Int32Array.from([0, 0, 1, 1, 2, 2]),
  outcome: Float64Array.from([1, 0, 1, 0.5, 0, 1]),
  weight: Float64Array.from([1, 1, 2, 1, 0.5, 1]),
};

export const pairCrowd = { outputs: 1, workers: 3, rows: 4, answers: pairAnswers };

/** The weighted mean over the comparisons of what `each` says of the left item's lead, the outcome and the judge. */
export function overPairs(
  score: readonly number[],
  each: (lead: number, outcome: number, judge: number) => number,
  counts: (outcome: number, judge: number) => number = () => 1,
): number {
  const { left, right, worker, outcome, weight } = pairAnswers;
  let [sum, total] = [0, 0];
  outcome.forEach((y, i) => {
    const w = weight[i] * counts(y, worker[i]);
    sum += w === 0 ? 0 : w * each(score[left[i]] - score[right[i]], y, worker[i]);
    total += w;
  });
  return sum / total;
}

export const logistic = (x: number) => 1 / (1 + Math.exp(-x));
