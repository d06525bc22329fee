/**
 * Expectation maximisation for judges of unlike quality: what each answer says of the scores depends on the judge,
 * and the judges' parameters depend on the scores. The E step turns answers into soft counts of the pairs, the
 * M step updates the judges, then takes at most three Newton steps of the scores on those counts.
 */

import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { plural } from "../../error.ts";
import { drain, type Steps, staged } from "../../method.ts";
import type { Pairs } from "./pairs.ts";
import { climb, type Fit, type Point, priorAt } from "./score-fit.ts";

/** What an answer says of its pair. */
export const [FIRST, SECOND, EQUAL] = [0, 1, 2];

/** The answers that are used, with the pair and the judge of each. */
export interface Answers {
  readonly judge: Int32Array;
  readonly pair: Int32Array;
  /** `FIRST`, `SECOND` or `EQUAL`. */
  readonly outcome: Uint8Array;
  readonly weight: Float64Array;
}

/** The answers to all pairs that were kept, but those of some judges. */
export function answersOf(
  data: PairwiseData,
  pairs: Pairs,
  without: ReadonlySet<number> = new Set(),
): Answers {
  const { worker, left, right, label, weight } = data;
  const rows = Array.from(label.keys()).filter(
    (i) => pairs.ofRow[i] >= 0 && !without.has(worker[i]),
  );
  const outcome = (i: number) => {
    if (label[i] === TIE) return EQUAL;
    const winner = label[i] === LEFT ? left[i] : right[i];
    return winner === pairs.first[pairs.ofRow[i]] ? FIRST : SECOND;
  };
  return {
    judge: Int32Array.from(rows, (i) => worker[i]),
    pair: Int32Array.from(rows, (i) => pairs.ofRow[i]),
    outcome: Uint8Array.from(rows, outcome),
    weight: Float64Array.from(rows, (i) => (weight ? weight[i] : 1)),
  };
}

/** A model of judges. */
export interface JudgeModel {
  /** Writes the soft counts of the pairs at a point; returns the log-likelihood and the log prior of the judges. */
  expect(at: Point): number;
  /** Updates the judges from the last expectations. */
  maximise(): void;
}

/** Where an EM run ended. */
export interface Alternated {
  readonly at: Point;
  readonly trace: readonly number[];
  readonly converged: boolean;
}

/** Runs EM from a point until no score moves by the tolerance. */
export function* alternate(
  fit: Fit,
  judges: JudgeModel,
  start: Point,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
): Steps<Alternated> {
  let at = start;
  let converged = fit.parts.length === 0;
  const trace: number[] = [];
  judges.expect(at);
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    judges.maximise();
    const next = drain(climb(fit, at, { maxIterations: 3, tolerance: 1e-12 })).at;
    const before = at.score;
    converged = next.score.every((s, i) => Math.abs(s - before[i]) < tolerance);
    at = next;
    const objective = judges.expect(at) + priorAt(fit, at);
    trace.push(objective);
    yield { iteration, objective };
  }
  return { at, trace, converged };
}

/** The pairs with the counts of these answers alone, which E steps then write anew. */
export function countsOf(pairs: Pairs, { pair, outcome, weight }: Answers): Pairs {
  const [won, lost, tied] = [FIRST, SECOND, EQUAL].map((result) => {
    const counts = new Float64Array(pairs.first.length);
    for (let i = 0; i < pair.length; i++) if (outcome[i] === result) counts[pair[i]] += weight[i];
    return counts;
  });
  return { ...pairs, won, lost, tied };
}

/** The (weighted) number of answers of each judge. */
export function answersPerJudge({ judge, weight }: Answers, judges: number): Float64Array {
  const count = new Float64Array(judges);
  for (let i = 0; i < judge.length; i++) count[judge[i]] += weight[i];
  return count;
}

/** Share of all answers above which a judge is part of the consensus that would judge him. */
const HEAVY = 0.05;

/** Share of all answers that the other judges need to stand for a crowd of their own. */
const CROWD = 0.1;

/**
 * Replaces the value of each judge with more than 5 % of the answers by one from a fit without him: without all such
 * judges, who may think alike, or without him alone where the others gave less than a tenth of the answers.
 */
export function* withoutHeavy<Fitted>(
  data: PairwiseData,
  count: Float64Array,
  values: Float64Array,
  refit: (without: ReadonlySet<number>) => Steps<Fitted>,
  judged: (fitted: Fitted, judge: number) => number,
): Steps<Float64Array> {
  const all = count.reduce((sum, n) => sum + n, 0);
  const heavy = Array.from(count.keys()).filter((u) => count[u] > HEAVY * all);
  const rest = heavy.reduce((sum, u) => sum - count[u], all);
  const together = rest >= CROWD * all;
  const reported = values.slice();
  let fitted: Fitted | undefined;
  for (const u of heavy) {
    if (fitted === undefined || !together) {
      const stage = together ? "without heavy judges" : `without ${data.workers.at(u)}`;
      fitted = yield* staged(refit(new Set(together ? heavy : [u])), stage);
    }
    reported[u] = judged(fitted, u);
  }
  return reported;
}

/** The zero of a falling function between 0 and 1. */
export function zeroOf(falling: (x: number) => number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (falling(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The note that counts ties, for methods without them. */
export function tiesNote({ label }: PairwiseData): string[] {
  const ties = label.filter((l) => l === TIE).length;
  return ties > 0 ? [`${plural(ties, "tie was", "ties were")} left out: this model has none.`] : [];
}
