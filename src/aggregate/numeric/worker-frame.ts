/**
 * Methods that learn about workers: answers in units of their own spread, and the way back.
 *
 *   y = (answer - centre) / scale,   scale² = sum (answer - mean of its task)² / (answers - tasks)
 *
 * In these units the pooled variance is 1, so priors and tolerances need no unit, and whatever a method
 * does follows answers that are shifted or stretched. If no two answers of a task differ, half the
 * variance of all answers takes the place of the pooled one.
 */
import { labelsPerTask } from "../../data/crowd-data.ts";
import type { NumericData } from "../../data/numeric.ts";
import { maxOf } from "../../math/lists.ts";
import type { MethodCard, OptionTable, Steps, Values } from "../../method.ts";
import { crowdMethod, type Fitted, type Method } from "../result.ts";
import { clampGold, type NumericKnown, type NumericResult, workerErrors } from "./estimator.ts";

/** The answers that weigh something, in units of their spread; tasks and workers without any are left out. */
export interface Frame {
  readonly tasks: number;
  readonly workers: number;
  readonly task: Int32Array;
  readonly worker: Int32Array;
  readonly y: Float64Array;
  /** How many answers each answer counts for. */
  readonly count: Float64Array;
  /** Answers of each worker, by count. */
  readonly perWorker: Float64Array;
}

/** What a method finds, in the units of the frame. */
export interface FrameFit extends Fitted {
  readonly value: Float64Array;
  /** Standard error of each value, and its 95 % interval; absent if the method has none. */
  readonly sd?: Float64Array;
  readonly low?: Float64Array;
  readonly high?: Float64Array;
  /** Standard deviation of each worker's errors. */
  readonly noise?: Float64Array;
  /** What each worker's answers lie above the values. */
  readonly offset?: Float64Array;
  /** Weight of each worker's answers; only ratios count. */
  readonly weight?: Float64Array;
}

/** What a method that learns about workers returns. */
export interface WorkerAwareResult extends NumericResult {
  /** Standard deviation of each worker's errors, as learnt; NaN without answers or if not learnt. */
  readonly noise: Float64Array;
  /** What each worker's answers lie above the values, as learnt; NaN without answers or if not learnt. */
  readonly offset: Float64Array;
  /** Weight of each worker's answers, only ratios count; NaN without answers or if not learnt. */
  readonly weight: Float64Array;
}

/** A method for numbers that learns about workers. */
export type WorkerAware<Options extends OptionTable = OptionTable> = Method<
  NumericData,
  Options,
  NumericKnown,
  WorkerAwareResult
>;

/** Makes an aggregator of a fit in the units of a frame. */
export function workerAware<const Options extends OptionTable>(
  card: Omit<MethodCard<Options>, "kind">,
  iterate: (frame: Frame, options: Values<Options>) => Steps<FrameFit>,
): WorkerAware<Options> {
  return crowdMethod(
    { ...card, kind: "numeric" },
    function* (data: NumericData, options: Values<Options>, known: NumericKnown) {
      const view = frameOf(data);
      const fit = view.scale > 0 ? yield* iterate(view.frame, options) : sameAnswer(view.frame);
      const { trace, converged, notes = [] } = fit;
      const values = onTasks(view, fit, data.tasks.length);
      clampGold(known.gold, values.value, [values.sd, values.low, values.high]);
      return {
        tasks: data.tasks,
        ...values,
        support: labelsPerTask(data),
        ...workerErrors(data, values.value),
        ...onWorkers(view, fit, data.workers.length),
        trace,
        converged,
        notes: [...notes, ...view.notes],
      };
    },
  ) as WorkerAware<Options>;
}

/** A frame with the way back to the data. */
interface View {
  readonly frame: Frame;
  readonly taskOf: Int32Array;
  readonly workerOf: Int32Array;
  readonly center: number;
  /** 0 if all answers are the same. */
  readonly scale: number;
  /** Least and largest answer of each task of the frame. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Whether some task has answers that differ, which is what shows the noise of workers. */
  readonly differ: boolean;
  readonly notes: readonly string[];
}

/** Takes the answers that weigh something and counts tasks and workers anew. */
function frameOf({ task, worker, value, weight }: NumericData): View {
  const rows = Array.from(task.keys()).filter((i) => !weight || weight[i] > 0);
  const [taskOf, workerOf] = [task, worker].map((ids) =>
    Int32Array.from(new Set(rows.map((i) => ids[i]))).sort(),
  );
  const [taskAt, workerAt] = [taskOf, workerOf].map(
    (ids) => new Map(Array.from(ids, (id, at) => [id, at])),
  );
  const count = Float64Array.from(rows, (i) => weight?.[i] ?? 1);
  const frame = {
    tasks: taskOf.length,
    workers: workerOf.length,
    task: Int32Array.from(rows, (i) => taskAt.get(task[i]) ?? 0),
    worker: Int32Array.from(rows, (i) => workerAt.get(worker[i]) ?? 0),
    count,
  };
  const least = new Float64Array(frame.tasks).fill(Infinity);
  const most = new Float64Array(frame.tasks).fill(-Infinity);
  rows.forEach((i, row) => {
    least[frame.task[row]] = Math.min(least[frame.task[row]], value[i]);
    most[frame.task[row]] = Math.max(most[frame.task[row]], value[i]);
  });
  const answers = Float64Array.from(rows, (i) => value[i]);
  const { center, scale, y } = standardise(answers, frame);
  const differ = least.some((low, t) => low < most[t]);
  const perWorker = sumBy(frame.worker, frame.workers, (row) => count[row]);
  return {
    frame: { ...frame, y, perWorker },
    taskOf,
    workerOf,
    center,
    scale,
    least,
    most,
    differ,
    notes: spreadNotes(rows.length, scale, differ),
  };
}

/** Sums what `of` says of each row by the group of the row. */
export function sumBy(
  group: Int32Array,
  groups: number,
  of: (row: number) => number,
): Float64Array {
  const sums = new Float64Array(groups);
  for (let row = 0; row < group.length; row++) sums[group[row]] += of(row);
  return sums;
}

/** Centres the answers and divides them by their pooled standard deviation. */
function standardise(
  answers: Float64Array,
  { tasks, task, count }: Pick<Frame, "tasks" | "task" | "count">,
): { center: number; scale: number; y: Float64Array } {
  const all = count.reduce((sum, each) => sum + each, 0);
  const center = answers.reduce((sum, answer, i) => sum + (count[i] / all) * answer, 0);
  const reach = maxOf(answers.map((answer) => Math.abs(answer - center)));
  const same = answers.every((answer) => answer === answers[0]);
  if (same) return { center: answers[0] ?? 0, scale: 0, y: answers.map(() => 0) };
  // First by the largest, so that no square overflows or vanishes.
  const y = answers.map((answer) => (answer - center) / reach);
  const answered = sumBy(task, tasks, (row) => count[row]);
  const means = sumBy(task, tasks, (row) => (count[row] * y[row]) / answered[task[row]]);
  const within = y.reduce((sum, each, i) => sum + count[i] * (each - means[task[i]]) ** 2, 0);
  const total = y.reduce((sum, each, i) => sum + count[i] * each * each, 0);
  const variance = within > 1e-24 && all > tasks ? within / (all - tasks) : total / all / 2;
  const spread = Math.sqrt(variance);
  return { center, scale: reach * spread, y: y.map((each) => each / spread) };
}

function spreadNotes(rows: number, scale: number, differ: boolean): string[] {
  if (rows === 0 || differ) return [];
  return scale === 0
    ? ["All answers are the same: there is nothing to learn about workers."]
    : ["No task has two answers that differ: there is nothing to learn about workers."];
}

/** The fit where all answers are the same. */
function sameAnswer({ tasks }: Frame): FrameFit {
  return { value: new Float64Array(tasks), trace: [], converged: true };
}

/** Puts values and intervals back on the tasks of the data; without differing answers there is no interval. */
function onTasks(view: View, fit: FrameFit, tasks: number) {
  const { taskOf, center, scale, differ, least, most } = view;
  const spread = (of: Float64Array | undefined, back: (x: number, at: number) => number) => {
    const whole = new Float64Array(tasks).fill(Number.NaN);
    for (let at = 0; of && at < of.length; at++) whole[taskOf[at]] = back(of[at], at);
    return whole;
  };
  const place = (x: number) => center + scale * x;
  const sure = differ && scale > 0 ? fit : undefined;
  return {
    // Without differing answers the values are the answers, whatever the prior; else a value that is the one answer of
    // its task but for rounding is that answer.
    value: spread(fit.value, (x, at) => {
      const value = place(x);
      const same = least[at] === most[at] && Math.abs(value - least[at]) <= 1e-12 * scale;
      return same || !differ ? least[at] : value;
    }),
    sd: spread(sure?.sd, (x) => scale * x),
    low: spread(sure?.low, place),
    high: spread(sure?.high, place),
  };
}

/** Puts what was learnt about workers back on the workers of the data. */
function onWorkers({ workerOf, scale }: View, fit: FrameFit, workers: number) {
  const spread = (of: Float64Array | undefined, factor: number) => {
    const whole = new Float64Array(workers).fill(Number.NaN);
    for (let at = 0; of && at < of.length; at++) whole[workerOf[at]] = factor * of[at];
    return whole;
  };
  return {
    noise: spread(fit.noise, scale),
    offset: spread(fit.offset, scale),
    weight: spread(fit.weight, 1),
  };
}
