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
import { type NumericData, outputsOf } from "../../data/numeric.ts";
import type { MethodCard, OptionTable, Steps, Values } from "../../method.ts";
import { crowdMethod, type Fitted, type Method } from "../result.ts";
import {
  clampGold,
  groupRows,
  type NumericKnown,
  type NumericResult,
  workerErrors,
} from "./estimator.ts";

/**
 * The answers that weigh something, in units of their spread, task after task; tasks and workers without any are left out.
 *
 * If tasks have several outputs (the corners of a box), each output of a task is a task here, and each output has a
 * spread of its own: a worker's noise is one number for all outputs, in units of these spreads. Offsets and stretches are
 * no matter of precision: those are learnt for each output by itself, at the `place` of worker and output.
 */
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
  /** The answers of task t are start[t] to before start[t + 1]. */
  readonly start: Int32Array;
  readonly outputs: number;
  /** The output that each task is. */
  readonly output: Int32Array;
  /** The worker and output of each answer, as one number; with one output it is the worker. */
  readonly place: Int32Array;
  readonly places: Places;
}

/** What methods without offsets need of a frame. */
export type PlainFrame = Pick<
  Frame,
  "tasks" | "workers" | "task" | "worker" | "y" | "count" | "perWorker"
>;

/** Pairs of worker and output that have answers. */
interface Places {
  readonly length: number;
  readonly worker: Int32Array;
  readonly output: Int32Array;
  /** Answers of each, by count. */
  readonly answers: Float64Array;
  /** How many pairs each output has. */
  readonly perOutput: Float64Array;
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
  /** What the answers of each worker and output lie above the values. */
  readonly offset?: Float64Array;
  /** How much the answers of each worker and output stretch the differences of values; 1: not at all. */
  readonly stretch?: Float64Array;
  /** Weight of each worker's answers; only ratios count. */
  readonly weight?: Float64Array;
}

/** What a method that learns about workers returns. */
export interface WorkerAwareResult extends NumericResult {
  /**
   * Standard deviation of each worker's errors, as learnt; NaN without answers or if not learnt. With several outputs in
   * units of the pooled standard deviation of each.
   */
  readonly noise: Float64Array;
  /**
   * What each worker's answers lie above the values, as learnt; NaN without answers or if not learnt. With several
   * outputs at `worker * outputs + output`.
   */
  readonly offset: Float64Array;
  /** How much each worker stretches the differences of values, in the order of `offset`; absent if not learnt. */
  readonly stretch?: Float64Array;
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
      const fit = view.frame.tasks > 0 ? yield* iterate(view.frame, options) : nothing;
      const { trace, converged, notes = [] } = fit;
      const values = onTasks(view, fit, data);
      clampGold(known.gold, values.value, [values.sd, values.low, values.high]);
      return {
        tasks: data.tasks,
        ...(data.outputs && { outputs: data.outputs }),
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
  /** Centre and scale of each output. */
  readonly center: Float64Array;
  readonly scale: Float64Array;
  /** The one answer of outputs that have no other, which the frame leaves out; else NaN. */
  readonly same: Float64Array;
  /** Least and largest answer of each task of the frame. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Whether some task of an output has answers that differ, which is what shows the noise of workers. */
  readonly differ: Uint8Array;
  readonly notes: readonly string[];
}

/** Takes the answers that weigh something, task after task, and counts tasks and workers anew. */
function frameOf(data: NumericData): View {
  const same = sameAnswers(data);
  const rows = rowsInOrder(data, same);
  const [task, taskOf] = compact(rows, data.task, data.tasks.length);
  const [worker, workerOf] = compact(rows, data.worker, data.workers.length);
  const count = new Float64Array(rows.length).fill(1);
  const answers = new Float64Array(rows.length);
  const start = new Int32Array(taskOf.length + 1);
  const least = new Float64Array(taskOf.length).fill(Infinity);
  const most = new Float64Array(taskOf.length).fill(-Infinity);
  for (let row = 0; row < rows.length; row++) {
    const x = data.value[rows[row]];
    const t = task[row];
    if (data.weight) count[row] = data.weight[rows[row]];
    answers[row] = x;
    start[t + 1] = row + 1;
    if (x < least[t]) least[t] = x;
    if (x > most[t]) most[t] = x;
  }
  const output = outputsOf(data, taskOf);
  const outputs = data.outputs?.names.length ?? 1;
  const shape = { tasks: taskOf.length, workers: workerOf.length, task, worker, count, start };
  const { center, scale, y } = standardise(answers, { ...shape, output, outputs });
  const differ = new Uint8Array(outputs);
  for (let t = 0; t < taskOf.length; t++) if (least[t] < most[t]) differ[output[t]] = 1;
  const perWorker = sumBy(worker, workerOf.length, (row) => count[row]);
  return {
    frame: { ...shape, y, perWorker, outputs, output, ...placesOf(shape, output, outputs) },
    taskOf,
    workerOf,
    center,
    scale,
    same,
    least,
    most,
    differ,
    notes: spreadNotes(scale, same, differ, data),
  };
}

/** The rows that weigh something, those of a task together; not of outputs whose answers are all the same. */
function rowsInOrder({ task, tasks, weight, outputs }: NumericData, same: Float64Array) {
  const { rows } = groupRows(task, tasks.length);
  if (!weight && same.every(Number.isNaN)) return rows;
  return rows.filter(
    (i) => !(weight && weight[i] === 0) && Number.isNaN(same[outputs ? outputs.of[task[i]] : 0]),
  );
}

/** The one answer of each output; NaN if answers differ, or none weighs anything. */
function sameAnswers({ task, value, weight, outputs }: NumericData): Float64Array {
  const same = new Float64Array(outputs?.names.length ?? 1).fill(Number.NaN);
  const mixed = new Uint8Array(same.length);
  for (let i = 0; i < value.length; i++) {
    const o = outputs ? outputs.of[task[i]] : 0;
    if (weight && weight[i] === 0) continue;
    if (Number.isNaN(same[o])) same[o] = value[i];
    else if (same[o] !== value[i]) mixed[o] = 1;
  }
  return same.map((each, o) => (mixed[o] ? Number.NaN : each));
}

/** Counts the names that occur in the rows (absent: all) anew: the new number of each row, and the old number of each. */
function compact(
  rows: Int32Array | undefined,
  ids: Int32Array,
  length: number,
): [Int32Array, Int32Array] {
  const mine = new Int32Array(rows ? rows.length : ids.length);
  const at = new Int32Array(length);
  for (let row = 0; row < mine.length; row++) {
    mine[row] = ids[rows ? rows[row] : row];
    at[mine[row]] = 1;
  }
  let met = 0;
  const old = new Int32Array(length);
  for (let id = 0; id < length; id++) {
    if (at[id] === 0) continue;
    at[id] = met;
    old[met++] = id;
  }
  for (let row = 0; row < mine.length; row++) mine[row] = at[mine[row]];
  return [mine, old.slice(0, met)];
}

/** Numbers the pairs of worker and output that have answers, by worker. */
function placesOf(
  { workers, task, worker, count }: Pick<Frame, "workers" | "task" | "worker" | "count">,
  output: Int32Array,
  outputs: number,
): Pick<Frame, "place" | "places"> {
  const pair = outputs === 1 ? worker : worker.map((w, row) => w * outputs + output[task[row]]);
  const [place, old] = compact(undefined, pair, workers * outputs);
  const ofOutput = old.map((each) => each % outputs);
  return {
    place,
    places: {
      length: old.length,
      worker: old.map((each) => Math.floor(each / outputs)),
      output: ofOutput,
      answers: sumBy(place, old.length, (row) => count[row]),
      perOutput: sumBy(ofOutput, outputs, () => 1),
    },
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

type Shape = Pick<Frame, "tasks" | "task" | "count" | "start" | "output" | "outputs">;

/** Centres the answers of each output and divides them by their pooled standard deviation. */
function standardise(
  answers: Float64Array,
  { tasks, task, count, start, output, outputs }: Shape,
): { center: Float64Array; scale: Float64Array; y: Float64Array } {
  const zeros = () => new Float64Array(outputs);
  const [all, center, reach, within, total, units, spread] = Array.from({ length: 7 }, zeros);
  const y = new Float64Array(answers.length);
  for (let i = 0; i < y.length; i++) all[output[task[i]]] += count[i];
  for (let i = 0; i < y.length; i++) {
    const o = output[task[i]];
    center[o] += (count[i] / all[o]) * answers[i];
  }
  for (let i = 0; i < y.length; i++) {
    const o = output[task[i]];
    reach[o] = Math.max(reach[o], Math.abs(answers[i] - center[o]));
  }
  // First by the largest, so that no square overflows or vanishes.
  for (let i = 0; i < y.length; i++) {
    const o = output[task[i]];
    y[i] = (answers[i] - center[o]) / reach[o];
    total[o] += count[i] * y[i] * y[i];
  }
  for (let t = 0; t < tasks; t++) {
    let [sum, n] = [0, 0];
    for (let i = start[t]; i < start[t + 1]; i++) {
      sum += count[i] * y[i];
      n += count[i];
    }
    for (let i = start[t]; i < start[t + 1]; i++)
      within[output[t]] += count[i] * (y[i] - sum / n) ** 2;
    units[output[t]]++;
  }
  for (let o = 0; o < outputs; o++) {
    const pooled = within[o] > 1e-24 && all[o] > units[o];
    spread[o] = Math.sqrt(pooled ? within[o] / (all[o] - units[o]) : total[o] / all[o] / 2);
  }
  for (let i = 0; i < y.length; i++) y[i] /= spread[output[task[i]]];
  return { center, scale: reach.map((each, o) => (each > 0 ? each * spread[o] : 0)), y };
}

function spreadNotes(
  scale: Float64Array,
  same: Float64Array,
  differ: Uint8Array,
  { outputs }: NumericData,
): string[] {
  return Array.from(differ.keys()).flatMap((o) => {
    const of = outputs ? ` of output "${outputs.names.at(o)}"` : "";
    if (!Number.isNaN(same[o]))
      return [`All answers${of} are the same: there is nothing to learn about workers.`];
    return differ[o] || scale[o] === 0
      ? []
      : [`No task has two answers${of} that differ: there is nothing to learn about workers.`];
  });
}

/** The fit where there is nothing to learn from. */
const nothing: FrameFit = { value: new Float64Array(0), trace: [], converged: true };

/** Puts values and intervals back on the tasks of the data; without differing answers there is no interval. */
function onTasks(view: View, fit: FrameFit, data: NumericData) {
  const { frame, taskOf, center, scale, differ, least, most } = view;
  const tasks = data.tasks.length;
  const { output } = frame;
  const spread = (of: Float64Array | undefined, back: (x: number, at: number) => number) => {
    const whole = new Float64Array(tasks).fill(Number.NaN);
    for (let at = 0; of && at < of.length; at++) whole[taskOf[at]] = back(of[at], at);
    return whole;
  };
  const place = (x: number, at: number) => center[output[at]] + scale[output[at]] * x;
  const sure = (back: (x: number, at: number) => number) => (x: number, at: number) =>
    differ[output[at]] ? back(x, at) : Number.NaN;
  const found = {
    // Without differing answers the values are the answers, whatever the prior; else a value that is the one answer of
    // its task but for rounding is that answer.
    value: spread(fit.value, (x, at) => {
      const value = place(x, at);
      const near = Math.abs(value - least[at]) <= 1e-12 * scale[output[at]];
      return (least[at] === most[at] && near) || !differ[output[at]] ? least[at] : value;
    }),
    sd: spread(
      fit.sd,
      sure((x, at) => scale[output[at]] * x),
    ),
    low: spread(fit.low, sure(place)),
    high: spread(fit.high, sure(place)),
  };
  const { task, weight, outputs } = data;
  for (let i = 0; i < task.length; i++) {
    const same = view.same[outputs ? outputs.of[task[i]] : 0];
    if (!Number.isNaN(same) && !(weight && weight[i] === 0)) found.value[task[i]] = same;
  }
  return found;
}

/** Puts what was learnt about workers back on the workers of the data. */
function onWorkers({ frame, workerOf, scale }: View, fit: FrameFit, workers: number) {
  const { outputs, places } = frame;
  const spread = (of: Float64Array | undefined, factor: number) => {
    const whole = new Float64Array(workers).fill(Number.NaN);
    for (let at = 0; of && at < of.length; at++) whole[workerOf[at]] = factor * of[at];
    return whole;
  };
  const perOutput = (of: Float64Array | undefined, factor: (output: number) => number) => {
    const whole = new Float64Array(workers * outputs).fill(Number.NaN);
    for (let p = 0; of && p < of.length; p++) {
      const at = workerOf[places.worker[p]] * outputs + places.output[p];
      whole[at] = factor(places.output[p]) * of[p];
    }
    return whole;
  };
  return {
    noise: spread(fit.noise, outputs > 1 ? 1 : scale[0]),
    offset: perOutput(fit.offset, (o) => scale[o]),
    ...(fit.stretch && { stretch: perOutput(fit.stretch, () => 1) }),
    weight: spread(fit.weight, 1),
  };
}
