/**
 * Whether judges who compare turn at some time: how often they follow the others (agreement), or which side they choose (side).
 *
 * The others are a fit that never saw the judge's comparisons. Beside its scores the judge has one way of answering for all comparisons,
 * p = logistic(slope · lead of the left item + side). With X = 1, ½ or 0 as the left item won, and B the probability that it is the
 * better one by the others, Φ(lead / standard error), the tested rows (turns.ts) are
 *
 *   agreement   (X − p) (2B − 1)      pairs whose order the others leave open tell nothing
 *   side        X − p
 */
import type { PairwiseResult } from "../../aggregate/pairwise/ranker.ts";
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { normalCdf, wilsonInterval } from "../../math/incomplete.ts";
import { drain, type Steps } from "../../method.ts";
import { leadOf, withoutEach } from "../fit-of-others.ts";
import { chance, wayOf } from "../judge-way.ts";
import { checkTimes, rowsInTime } from "./rows-in-time.ts";
import {
  FEWEST,
  findTurns,
  type MeasuredAnswers,
  type TimedAnswers,
  type TurnOptions,
} from "./turns.ts";
import type { Turns } from "./turns-result.ts";

/** The least turn of a share that matters. */
const LEAST_MOVE = 0.05;

/** Follows the answers of each judge over time. */
export function pairwiseDrift(data: PairwiseData, options: TurnOptions = {}): Turns {
  return drain(pairwiseDriftSteps(data, options));
}

/** The same in steps, with one progress report per judge. */
export function* pairwiseDriftSteps(data: PairwiseData, options: TurnOptions = {}): Steps<Turns> {
  checkTimes(data, "answer");
  const { rows, time, notes } = rowsInTime(data, "answer");
  yield { iteration: 0, objective: 0, stage: "learning what the other workers say" };
  const crowd = rows.map((own) => unjudged(Float64Array.from(own, (i) => time[i])));
  const enough = [...rows.keys()].filter((w) => rows[w].length >= FEWEST);
  withoutEach(data, enough, (judge, fit) => {
    crowd[judge] = { ...crowd[judge], ...judgedBy(data, fit, rows[judge]) };
  });
  const matters = (before: number, after: number) => Math.abs(after - before) >= LEAST_MOVE;
  return yield* findTurns(
    data.workers,
    crowd,
    {
      agreement: {
        name: "the share of answers that follow the order of the others",
        share: true,
        matters,
      },
      side: { name: "the share of the left side", share: true, matters },
    },
    options,
    notes,
  );
}

const unjudged = (times: Float64Array): TimedAnswers => ({
  times,
  place: new Int32Array(0),
  measures: {},
});

/** The comparisons of one judge whose items the others compare too. */
function judgedBy(data: PairwiseData, fit: PairwiseResult, rows: readonly number[]) {
  const place = [...rows.keys()].filter((at) => !Number.isNaN(leadOf(data, fit, rows[at])));
  const judged = place.map((at) => rows[at]);
  const way = wayOf(data, fit, judged);
  const lead = Float64Array.from(judged, (i) => leadOf(data, fit, i));
  const rest = Float64Array.from(
    judged,
    (i, at) => [1, 0, 0.5][data.label[i]] - chance(way, lead[at]),
  );
  const decided = rest.map((_, at) => Number(data.label[judged[at]] !== TIE));
  const left = rest.map((_, at) => Number(data.label[judged[at]] === LEFT));
  const follows = left.map((chosen, at) => Number((chosen === 1) === lead[at] > 0));
  const sided = decided.map((each, at) => (lead[at] === 0 ? 0 : each));
  const measures = {
    agreement: shareOf(
      rest.map((each, at) => each * (2 * belief(data, fit, lead[at], judged[at]) - 1)),
      follows,
      sided,
    ),
    side: shareOf(rest, left, decided),
  };
  return { place: Int32Array.from(place), measures };
}

/** The probability that the left item is the better one, by the others. */
function belief({ left, right }: PairwiseData, { sd }: PairwiseResult, lead: number, i: number) {
  return normalCdf(lead / Math.hypot(sd[left[i]], sd[right[i]]));
}

/** A share of the answers that count. */
function shareOf(row: Float64Array, yes: Float64Array, counts: Float64Array): MeasuredAnswers {
  return {
    row,
    estimate(from, to) {
      let [sum, n] = [0, 0];
      for (let at = from; at < to; at++) {
        sum += counts[at] * yes[at];
        n += counts[at];
      }
      return { value: n > 0 ? sum / n : 0.5, ...wilsonInterval(sum, n) };
    },
  };
}
