/**
 * Why a task was answered as it was: what each label contributed, how clear the answer is, and how
 * little would have changed it.
 *
 * Under a model with confusions the log-odds of the answer against the runner-up are a sum: the
 * prior's part and log P(label | answer) − log P(label | runner-up) of each label. For votes the
 * sum is of the votes' weights. The cheapest flip is the fewest workers who, had they said
 * something else, would have changed the answer; since parts add up, taking the largest first is best.
 */

import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { checkSameData } from "../aggregate/categorical/same-data.ts";
import { byTask, type CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import { maxOf } from "../math/lists.ts";

/** How much one label speaks for the answer of a task. */
export interface Evidence {
  readonly worker: string;
  readonly label: string;
  /** For the answer where positive, for the runner-up where negative: nats, or votes. */
  readonly weight: number;
}

/** Why a task has its answer, label by label. */
export interface Explanation {
  readonly task: string;
  readonly answer: string;
  readonly confidence: number;
  /** The second most probable class; empty where there is only one class. */
  readonly runnerUp: string;
  /** P(answer) − P(runner-up). */
  readonly margin: number;
  /** Log-odds of the answer from the prior alone; 0 for votes. */
  readonly prior: number;
  /** Each label, strongest first. */
  readonly evidence: readonly Evidence[];
  /** Workers who would have had to answer otherwise, fewest possible; undefined if even all would not do. */
  readonly flip: readonly string[] | undefined;
  /**
   * True where the parts add up to the result's own log-odds; false for blends and difficulties,
   * where they are those of the reported confusions.
   */
  readonly exact: boolean;
}

/** The explanation of one task, by its number. */
export function explain(
  data: CategoricalData,
  result: Aggregation,
  which: number | string,
): Explanation {
  const task = typeof which === "string" ? data.tasks.indexOf(which) : which;
  if (!(task >= 0 && task < data.tasks.length)) {
    throw new CrowdError("bad-option", `There is no task ${JSON.stringify(which)} in the data.`);
  }
  checkSameData("explain", data, result);
  const K = result.classes.length;
  const belief = result.posterior.subarray(task * K, (task + 1) * K);
  const [answer, second] = ranking(belief, result.consensus[task]);
  const { start, other, label } = byTask(data);
  const at = Array.from(
    { length: start[task + 1] - start[task] },
    (_, j) => start[task] + j,
  ).filter((i) => label[i] < result.given);
  const part = (w: number, l: number, against: number) =>
    contribution(result, w, l, answer, against);
  const prior =
    second >= 0 && result.confusion ? Math.log(result.prior[answer] / result.prior[second]) : 0;
  const evidence = at
    .map((i) => ({
      worker: data.workers.at(other[i]),
      label: label[i] < data.classes.length ? data.classes.at(label[i]) : "(abstained)",
      weight: second < 0 ? 0 : part(other[i], label[i], second),
    }))
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const sum = evidence.reduce((total, { weight }) => total + weight, prior);
  const odds =
    second < 0 ? 0 : Math.log(Math.max(1e-300, belief[answer]) / Math.max(1e-300, belief[second]));
  return {
    task: result.tasks.at(task),
    answer: result.classes.at(answer),
    confidence: result.confidence[task],
    runnerUp: result.classes.at(second),
    margin: (belief[answer] ?? 0) - (belief[second] ?? 0),
    prior,
    evidence,
    flip: cheapestFlip(
      result,
      data,
      answer,
      at.map((i) => [other[i], label[i]] as const),
    ),
    exact: !result.confusion || Math.abs(sum - odds) < 1e-6 * Math.max(1, Math.abs(odds)),
  };
}

/** The answer and the most probable other class, -1 where there is none. */
function ranking(belief: Float64Array, consensus: number): [answer: number, second: number] {
  const answer = consensus >= 0 ? consensus : belief.indexOf(maxOf(belief));
  let second = -1;
  for (let k = 0; k < belief.length; k++) {
    if (k !== answer && (second < 0 || belief[k] > belief[second])) second = k;
  }
  return [answer, second];
}

/** What a label adds to the log-odds of `answer` against another class. */
function contribution(
  result: Aggregation,
  w: number,
  l: number,
  answer: number,
  against: number,
): number {
  const { confusion, weights, given: L } = result;
  const K = result.classes.length;
  if (!confusion)
    return ((l === answer ? 1 : 0) - (l === against ? 1 : 0)) * (weights ? weights[w] : 1);
  const row = (k: number) => Math.log(Math.max(1e-10, confusion[(w * K + k) * L + l]));
  return row(answer) - row(against);
}

/** The fewest workers whose other answers would make some other class win, over all other classes. */
function cheapestFlip(
  result: Aggregation,
  data: CategoricalData,
  answer: number,
  labels: readonly (readonly [worker: number, label: number])[],
): string[] | undefined {
  const K = result.classes.length;
  let best: string[] | undefined;
  for (let against = 0; against < K; against++) {
    if (against === answer) continue;
    const prior = result.confusion ? Math.log(result.prior[answer] / result.prior[against]) : 0;
    let odds = labels.reduce(
      (sum, [w, l]) => sum + contribution(result, w, l, answer, against),
      prior,
    );
    const gains = labels
      .map(([w, l]) => {
        const now = contribution(result, w, l, answer, against);
        let lowest = now;
        for (let other = 0; other < K; other++) {
          lowest = Math.min(lowest, contribution(result, w, other, answer, against));
        }
        return { worker: data.workers.at(w), gain: now - lowest };
      })
      .sort((a, b) => b.gain - a.gain);
    const flipped: string[] = [];
    for (const { worker, gain } of gains) {
      if (odds < 0) break;
      odds -= gain;
      flipped.push(worker);
    }
    // None at all where the reported confusions favour another class than the blend they stand for.
    const enough = odds < 0 && flipped.length > 0;
    if (enough && (!best || flipped.length < best.length)) best = flipped;
  }
  return best;
}
