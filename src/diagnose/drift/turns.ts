/**
 * Whether the answers of workers turn at some time: for kinds whose answers are judged by numbers, not as right or wrong.
 *
 * Each worker has one row of numbers per measure, in the order of time. One turn of its mean is looked for
 * (turning-point.ts), and p-values are corrected for all workers and measures by Holm's method: if nobody turns, the probability of any flag is at
 * most 5 %. Turns that more than 20 % of the workers have at one date are turns of the tasks (task-drift.ts).
 */
import { plural } from "../../error.ts";
import type { Steps } from "../../method.ts";
import { holm } from "../fairness/holm.ts";
import { isDate, moment } from "./drift-words.ts";
import { type CommonChange, commonChanges } from "./task-drift.ts";
import { type TurningPoint, turningPoint } from "./turning-point.ts";
import type {
  CommonTurn,
  Turn,
  TurnEstimate,
  TurnFlag,
  TurnMeasure,
  TurnSpan,
  Turns,
  WorkerTurns,
} from "./turns-result.ts";

/** One measure of a worker's judged answers. */
export interface MeasuredAnswers {
  /** What is tested: its mean turns if the measure does. */
  readonly row: Float64Array;
  /** The measure of the answers from `from` up to but not including `to`. */
  estimate(from: number, to: number): TurnEstimate;
}

/** The answers of one worker, first to last. */
export interface TimedAnswers {
  /** When each answer with a time was given, judged or not. */
  readonly times: Float64Array;
  /** Which of these each judged answer is. */
  readonly place: Int32Array;
  readonly measures: Readonly<Partial<Record<TurnMeasure, MeasuredAnswers>>>;
}

/** What a measure is called, and the least turn of it that matters. */
export interface MeasureWords {
  readonly name: string;
  readonly share: boolean;
  matters(before: number, after: number): boolean;
}

/** Settings of `numericDrift` and `pairwiseDrift`. */
export interface TurnOptions {
  /** Random seed of the shuffles. Default: 0. */
  readonly seed?: number | undefined;
}

/** Judged answers below which a worker is not tested, and on either side of a turn. */
export const FEWEST = 30;
const LEAST = 10;
/** Answers of one entry of a curve. */
const STRETCH = 20;
const LEVEL = 0.05;
/** Shuffles per test, so that the least p survives Holm's correction, and numbers that are shuffled per worker at most. */
const PER_TEST = 100;
const FEWEST_SHUFFLES = 999;
const MOST_SHUFFLED = 2e8;

/** A test of one measure of one worker. */
interface Tested {
  readonly worker: number;
  readonly measure: TurnMeasure;
  readonly point: TurningPoint;
}

/** Looks for turns of all workers, in the order of `names`. */
export function* findTurns(
  names: Iterable<string>,
  crowd: readonly TimedAnswers[],
  words: Readonly<Partial<Record<TurnMeasure, MeasureWords>>>,
  { seed = 0 }: TurnOptions,
  notes: readonly string[],
): Steps<Turns> {
  const measures = Object.keys(words) as TurnMeasure[];
  const enough = crowd.filter(({ place }) => place.length >= FEWEST).length;
  const wanted = Math.max(FEWEST_SHUFFLES, PER_TEST * enough * measures.length);
  const tested: Tested[] = [];
  for (const [worker, own] of crowd.entries()) {
    if (own.place.length < FEWEST) continue;
    yield { iteration: worker + 1, objective: 0, stage: "following each worker over time" };
    const most = Math.max(FEWEST_SHUFFLES, Math.floor(MOST_SHUFFLED / own.place.length));
    const search = { seed, least: LEAST, shuffles: Math.min(wanted, most) };
    for (const measure of measures) {
      const point = turningPoint(own.measures[measure]?.row ?? new Float64Array(0), search);
      if (point) tested.push({ worker, measure, point });
    }
  }
  const corrected = holm(tested.map(({ point }) => point.p));
  const found = tested.flatMap((test, at) => {
    const turn = turnOf(crowd[test.worker], test, corrected[at]);
    const matters = words[test.measure]?.matters(turn.before, turn.after);
    return corrected[at] < LEVEL && matters ? [{ worker: test.worker, turn }] : [];
  });
  const common = measures.flatMap((measure) => commonTurns(crowd, found, measure));
  const list = [...names];
  const workers = crowd.map((own, w) =>
    worded(
      list[w],
      own,
      found.filter(({ worker }) => worker === w).map(({ turn }) => turn),
      common,
      { w, words },
    ),
  );
  const taskDrift = common.map(
    ({ measure, at, fell, workers: members, active }): CommonTurn => ({
      measure,
      at,
      direction: fell ? "fall" : "rise",
      workers: members.map((w) => list[w]),
      active,
    }),
  );
  return { measures, workers, taskDrift, tests: tested.length, notes };
}

function turnOf(own: TimedAnswers, { measure, point }: Tested, corrected: number): Turn {
  const time = (j: number) => own.times[own.place[j]];
  const { at, low, high, p } = point;
  const value = (from: number, to: number) =>
    own.measures[measure]?.estimate(from, to).value ?? Number.NaN;
  return {
    measure,
    at: time(at),
    answer: own.place[at],
    low: own.place[low],
    high: own.place[high],
    earliest: time(low),
    latest: time(high),
    before: value(0, at),
    after: value(at, own.place.length),
    p,
    corrected,
  };
}

/** A change that several workers share, of one measure. */
interface Shared extends CommonChange {
  readonly measure: TurnMeasure;
}

function commonTurns(
  crowd: readonly TimedAnswers[],
  found: readonly { readonly worker: number; readonly turn: Turn }[],
  measure: TurnMeasure,
): Shared[] {
  const changes = found
    .filter(({ turn }) => turn.measure === measure)
    .map(({ worker, turn }) => ({
      worker,
      at: turn.at,
      earliest: turn.earliest,
      latest: turn.latest,
      fell: turn.after < turn.before,
      width: Math.min(1, (turn.high - turn.low + 1) / crowd[worker].times.length),
    }));
  const spans = crowd
    .filter(({ place }) => place.length >= FEWEST)
    .map(({ times }) => ({ first: times[0], last: times[times.length - 1] }));
  return commonChanges(changes, spans).map((change) => ({ ...change, measure }));
}

/** Curve, flags and reasons of one worker. */
function worded(
  worker: string,
  own: TimedAnswers,
  turns: readonly Turn[],
  common: readonly Shared[],
  {
    w,
    words,
  }: {
    readonly w: number;
    readonly words: Readonly<Partial<Record<TurnMeasure, MeasureWords>>>;
  },
): WorkerTurns {
  const judged = own.place.length;
  const shared = (turn: Turn) =>
    common.find(({ measure, workers }) => measure === turn.measure && workers.includes(w));
  const reasons: (readonly [TurnFlag, string])[] = turns.map((turn) => {
    const change = shared(turn);
    const said = words[turn.measure];
    return change
      ? ["task-drift", `${moved(turn, said)}, ${withOthers(change)}`]
      : [turn.measure, `${when(turn, own.times.length)}, ${moved(turn, said)} (${pText(turn)}).`];
  });
  if (judged < FEWEST) {
    const few = `Only ${plural(judged, "answer")} can be judged: too few to see a turn (${FEWEST} are needed).`;
    reasons.push(["few-answers", few]);
  }
  return {
    worker,
    answers: own.times.length,
    judged,
    curve: curveOf(own),
    turns,
    drift: turns.some((turn) => !shared(turn)),
    flags: reasons.map(([flag]) => flag),
    reasons: reasons.map(([, reason]) => capital(reason)),
  };
}

/** About 20 judged answers per stretch, all of nearly the same length. */
function curveOf({ times, place, measures }: TimedAnswers): TurnSpan[] {
  const n = place.length;
  const parts = Math.max(1, Math.round(n / STRETCH));
  return Array.from({ length: n > 0 ? parts : 0 }, (_, at) => {
    const [from, to] = [Math.round((at * n) / parts), Math.round(((at + 1) * n) / parts)];
    return {
      from: times[place[from]],
      to: times[place[to - 1]],
      answers: to - from,
      measures: Object.fromEntries(
        Object.entries(measures).map(([measure, each]) => [measure, each.estimate(from, to)]),
      ),
    };
  });
}

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const pText = ({ corrected }: Turn) =>
  corrected < 0.001 ? "corrected p < 0.001" : `corrected p ${corrected.toFixed(3)}`;

const when = ({ answer, low, high, at }: Turn, answers: number) =>
  `after ${answer} of ${answers} answers (between ${low} and ${high}), ${moment(at)}`;

function moved({ before, after }: Turn, words: MeasureWords | undefined): string {
  const shown = (x: number) =>
    words?.share ? `${Math.round(100 * x)} %` : String(Number(x.toPrecision(3)));
  return `${words?.name} ${after < before ? "fell" : "rose"} from ${shown(before)} to ${shown(after)}`;
}

const withOthers = ({ at, workers, active }: Shared) =>
  `as for ${workers.length} of ${active} workers ${isDate(at) ? moment(at).slice(0, 13) : moment(at)}: probably the tasks changed, not this worker.`;
