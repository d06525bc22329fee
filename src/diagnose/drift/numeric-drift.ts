/**
 * Whether the errors of workers who give numbers turn at some time: their size (noise) or their mean (bias).
 *
 * The error of an answer is what it lies above the value that the other workers give its task: their mean by precision, each
 * less an offset of their own. It is divided by its standard deviation for a worker of ordinary noise,
 * √(s² + variance of that value), s the standard deviation within tasks of all workers. Tested are
 * ranks (turns.ts): of the error for bias, of its distance from the worker's median error for noise. Several outputs of one answer count as one.
 */
import { inCommonUnits, type NumericData, withinTasks } from "../../data/numeric.ts";
import { studentQuantile } from "../../math/incomplete.ts";
import { mean, quantile, ranks, variance } from "../../math/statistics.ts";
import { drain, type Steps } from "../../method.ts";
import { checkTimes, rowsInTime } from "./rows-in-time.ts";
import { findTurns, type MeasuredAnswers, type TimedAnswers, type TurnOptions } from "./turns.ts";
import type { TurnEstimate, Turns } from "./turns-result.ts";

/** Rounds of offsets and variances, answers that the pooled variance counts for, and the least share of it. */
const [ROUNDS, PRIOR, LEAST] = [3, 5, 0.1];
/** The least turns that matter: of the size of errors as a ratio, of their mean in standard deviations within tasks. */
const [RATIO, SHIFT] = [1.2, 0.2];

/** Follows the errors of each worker over time. */
export function numericDrift(data: NumericData, options: TurnOptions = {}): Turns {
  return drain(numericDriftSteps(data, options));
}

/** The same in steps, with one progress report per worker. */
export function* numericDriftSteps(given: NumericData, options: TurnOptions = {}): Steps<Turns> {
  checkTimes(given, "answer");
  const data = inCommonUnits(given);
  const unit = data.outputs ? 1 : withinTasks(data)[0];
  const errors = leaveOneOutErrors(data, unit);
  const { rows, time, notes } = rowsInTime(data, "answer");
  const crowd = rows.map((own): TimedAnswers => {
    const answers = wholeAnswers(data, own);
    const judged = answers.map((list) => list.filter((i) => !Number.isNaN(errors[i])));
    const place = [...answers.keys()].filter((at) => judged[at].length > 0);
    const error = Float64Array.from(place, (at) => mean(judged[at].map((i) => errors[i])));
    const middle = medianOf(error);
    // Of several outputs the size is that of all of them together.
    const size = Float64Array.from(place, (at) =>
      Math.sqrt(mean(judged[at].map((i) => (errors[i] - middle) ** 2))),
    );
    return {
      times: Float64Array.from(answers, ([first]) => time[first]),
      place: Int32Array.from(place),
      measures: { noise: noiseOf(size, unit), bias: biasOf(error, unit) },
    };
  });
  return yield* findTurns(
    data.workers,
    crowd,
    {
      noise: {
        name: "the size of the error",
        share: false,
        matters: (before, after) => Math.max(before, after) >= RATIO * Math.min(before, after),
      },
      bias: {
        name: "the mean error",
        share: false,
        matters: (before, after) => Math.abs(after - before) >= SHIFT * unit,
      },
    },
    options,
    notes,
  );
}

/** Rows of one worker in order, those of one task and time together. */
function wholeAnswers({ tasks, task, outputs, time }: NumericData, rows: readonly number[]) {
  if (!outputs) return rows.map((i) => [i]);
  const answers = new Map<string, number[]>();
  for (const i of rows) {
    const key = `${time?.[i]} ${tasks.at(task[i])}`;
    const list = answers.get(key);
    if (list) list.push(i);
    else answers.set(key, [i]);
  }
  return [...answers.values()];
}

const medianOf = (values: Float64Array) =>
  values.length > 0 ? quantile(values.toSorted(), 0.5) : 0;

/** Root mean square of sizes; the interval is that of the mean square, on the log scale. */
function noiseOf(size: Float64Array, unit: number): MeasuredAnswers {
  return {
    row: ranks(size),
    estimate(from, to): TurnEstimate {
      const squares = size.subarray(from, to).map((x) => x * x);
      const [n, all] = [to - from, mean(squares)];
      const reach =
        n > 1 && all > 0
          ? (studentQuantile(0.975, n - 1) * Math.sqrt(variance(squares) / n)) / all
          : 0;
      const value = unit * Math.sqrt(all);
      return { value, low: value * Math.exp(-reach / 2), high: value * Math.exp(reach / 2) };
    },
  };
}

function biasOf(error: Float64Array, unit: number): MeasuredAnswers {
  return {
    row: ranks(error),
    estimate(from, to): TurnEstimate {
      const own = error.subarray(from, to);
      const [n, value] = [to - from, unit * mean(own)];
      const reach = n > 1 ? studentQuantile(0.975, n - 1) * unit * Math.sqrt(variance(own) / n) : 0;
      return { value, low: value - reach, high: value + reach };
    },
  };
}

/** The error of each answer beside the other workers, in standard deviations; NaN if nobody else answered the task. */
function leaveOneOutErrors(data: NumericData, unit: number): Float64Array {
  const { workers, task, worker, value } = data;
  const W = workers.length;
  let spread = new Float64Array(W).fill(unit ** 2);
  let offset = new Float64Array(W);
  let others = othersOf(data, offset, spread);
  for (let round = 0; round < ROUNDS; round++) {
    const [n, sum, squares] = [0, 0, 0].map(() => new Float64Array(W));
    for (let i = 0; i < task.length; i++) {
      if (Number.isNaN(others.value[i])) continue;
      const error = value[i] - others.value[i];
      n[worker[i]]++;
      sum[worker[i]] += error;
      squares[worker[i]] += error * error - others.variance[i];
    }
    offset = sum.map((each, w) => each / (n[w] + 1));
    spread = squares.map((each, w) => {
      const own = Math.max(0, each - n[w] * offset[w] ** 2);
      return Math.max(LEAST * unit ** 2, (own + PRIOR * unit ** 2) / (n[w] + PRIOR));
    });
    others = othersOf(data, offset, spread);
  }
  return value.map((x, i) => (x - others.value[i]) / Math.sqrt(unit ** 2 + others.variance[i]));
}

/** What the others say of the task of each answer, and its variance. */
function othersOf(
  { tasks, workers, task, worker, value, weight }: NumericData,
  offset: Float64Array,
  spread: Float64Array,
): { readonly value: Float64Array; readonly variance: Float64Array } {
  const W = workers.length;
  const [all, sum] = [new Float64Array(tasks.length), new Float64Array(tasks.length)];
  const own = new Map<number, [weight: number, sum: number]>();
  for (let i = 0; i < task.length; i++) {
    const [t, w] = [task[i], worker[i]];
    const precision = (weight ? weight[i] : 1) / spread[w];
    all[t] += precision;
    sum[t] += precision * (value[i] - offset[w]);
    const mine = own.get(t * W + w) ?? [0, 0];
    own.set(t * W + w, [mine[0] + precision, mine[1] + precision * (value[i] - offset[w])]);
  }
  const found = { value: new Float64Array(task.length), variance: new Float64Array(task.length) };
  for (let i = 0; i < task.length; i++) {
    const [weighed, mine] = own.get(task[i] * W + worker[i]) ?? [0, 0];
    const left = all[task[i]] - weighed;
    const known = left > 1e-9 * all[task[i]];
    found.value[i] = known ? (sum[task[i]] - mine) / left : Number.NaN;
    found.variance[i] = known ? 1 / left : Number.NaN;
  }
  return found;
}
