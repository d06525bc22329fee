/**
 * The answers of each worker in the order of time, each with what the other workers or gold say of it.
 *
 * What the others say comes from a model that never saw the worker's labels (cross-fit.ts). Tasks of which the
 * others are less than 60 % sure are left out: whether an answer to them is right cannot be told.
 */
import type { Aggregation } from "../../aggregate/categorical/aggregator.ts";
import { type CategoricalData, hasAbstentions, selectLabels } from "../../data/categorical.ts";
import { maxOf } from "../../math/lists.ts";
import { crossFit } from "../cross-fit.ts";
import { meaningOf } from "../worker-scores.ts";
import type { JudgedAnswers } from "./judged-answers.ts";
import { checkTimes, rowsInTime } from "./rows-in-time.ts";

/** The answers of one worker, first to last. */
export interface WorkerAnswers extends JudgedAnswers {
  /** When each label with a time was given, judged or not. */
  readonly times: Float64Array;
  /** Which of these labels each judged answer is. */
  readonly place: Int32Array;
}

/** The answers of all workers, by worker index. */
export interface CrowdAnswers {
  readonly workers: readonly WorkerAnswers[];
  /** True if some answers were judged by what the other workers say, not by gold. */
  readonly approximate: boolean;
  readonly notes: readonly string[];
}

/** How answers are judged. */
export interface JudgeOptions {
  /** Judge labels on tasks with gold by `data.gold`; else gold is not looked at. Default: false. */
  readonly gold?: boolean | undefined;
  readonly seed?: number | undefined;
}

/** Probability that the others must give to some class. */
const SURE = 0.6;

/** Puts the labels of each worker in order and judges them; refuses data without times. */
export function crowdAnswers(
  given: CategoricalData,
  result: Aggregation,
  { gold = false, seed = 0 }: JudgeOptions,
): CrowdAnswers {
  const K = given.classes.length;
  checkTimes(given, "label");
  const data = hasAbstentions(given) ? selectLabels(given, (i) => given.label[i] < K) : given;
  const known = gold ? data.gold : new Int32Array(data.tasks.length).fill(-1);
  const beliefs = K > 1 ? judge(data, result, known, seed) : unjudged(data);
  const order = rowsInTime(data, "label");
  const approximate = data.label.some((_, i) => beliefs.sure[i] === 1 && known[data.task[i]] < 0);
  const workers = order.rows.map((rows) => {
    const times = Float64Array.from(rows, (i) => order.time[i]);
    const places = [...rows.keys()].filter((at) => beliefs.sure[rows[at]] === 1);
    const right = Float64Array.from(places, (at) => beliefs.right[rows[at]]);
    const wrong = right.map((g) => (1 - g) / Math.max(1, K - 1));
    return { times, place: Int32Array.from(places), right, wrong };
  });
  return { workers, approximate, notes: [...order.notes, ...goldNotes(gold, data.gold)] };
}

function goldNotes(gold: boolean, known: Int32Array): readonly string[] {
  return gold && !known.some((k) => k >= 0)
    ? ["No task has gold: labels were judged by what the other workers say."]
    : [];
}

interface Beliefs {
  /** P(label is the class) of each row. */
  readonly right: Float64Array;
  /** 1 for each row that can be judged. */
  readonly sure: Uint8Array;
}

function unjudged({ label }: CategoricalData): Beliefs {
  return { right: new Float64Array(label.length), sure: new Uint8Array(label.length) };
}

/** Judges each row by gold, or by the labels of the other workers. */
function judge(
  data: CategoricalData,
  result: Aggregation,
  known: Int32Array,
  seed: number,
): Beliefs {
  const K = data.classes.length;
  const { right, sure } = unjudged(data);
  data.label.forEach((l, i) => {
    const k = known[data.task[i]];
    if (k < 0) return;
    right[i] = l === k ? 1 : 0;
    sure[i] = 1;
  });
  if (sure.every((each) => each === 1)) return { right, sure };
  const { groups: dependent } = result as { readonly groups?: Int32Array };
  const options = { seed, most: Infinity, meaning: meaningOf(result, data), dependent };
  const rows = rowsByWorker(data);
  crossFit(data, K, options, (_, { label, belief }, places) => {
    places.forEach((place, at) => {
      const i = rows[place];
      const own = belief.subarray(at * K, (at + 1) * K);
      if (sure[i] === 1 || maxOf(own) < SURE) return;
      right[i] = own[label[at]];
      sure[i] = 1;
    });
  });
  return { right, sure };
}

/** The row of each place of `byWorker`. */
function rowsByWorker({ worker }: CategoricalData): Int32Array {
  return Int32Array.from(worker.keys()).sort((a, b) => worker[a] - worker[b] || a - b);
}
