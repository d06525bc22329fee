/** What a numeric aggregator is: from numbers that workers gave to one number per task. */
import { labelsPerTask } from "../../data/crowd-data.ts";
import type { Names } from "../../data/names.ts";
import { type NumericData, type Outputs, withinTasks } from "../../data/numeric.ts";
import type { MethodCard, OptionTable, Values } from "../../method.ts";
import { type CrowdResult, crowdMethod, type Method } from "../result.ts";

/** What may be known beyond the answers. */
export interface NumericKnown {
  /** Known value of each task, or NaN: kept as it is. Not `data.gold`, which only scores. */
  readonly gold?: Float64Array | undefined;
}

/** What every numeric aggregator returns. */
export interface NumericResult extends CrowdResult {
  readonly kind: "numeric";
  readonly tasks: Names;
  /** Where tasks have several numbers: their names, and which of them each entry of `tasks` is. */
  readonly outputs?: Outputs;
  /** The value of each task; NaN where it has no answer. */
  readonly value: Float64Array;
  /** Standard error of each value; NaN where it cannot be told. */
  readonly sd: Float64Array;
  /** 95 % interval of each value; NaN where it cannot be told. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Number of answers that each value rests on. */
  readonly support: Int32Array;
  /**
   * Mean of each worker's answers less the values; NaN without answers. With several outputs the answers to each are
   * divided by their standard deviation within tasks, so that they can be put together.
   */
  readonly bias: Float64Array;
  /** Root mean square of each worker's answers less the values, in the same units; NaN without answers. */
  readonly error: Float64Array;
}

/** One task's estimate. */
export interface Estimate {
  readonly value: number;
  readonly sd: number;
  readonly low: number;
  readonly high: number;
}

/** An estimate without an interval. */
export const pointAt = (value: number): Estimate => ({
  value,
  sd: Number.NaN,
  low: Number.NaN,
  high: Number.NaN,
});

/** A method for numbers: call it for the result, or walk its `steps` for progress. */
export type NumericAggregator<Options extends OptionTable = OptionTable> = Method<
  NumericData,
  Options,
  NumericKnown,
  NumericResult
>;

/** Answers of one task, sorted by value, with their weights. */
export interface Answers {
  readonly values: Float64Array;
  readonly weights: Float64Array;
  /** Sum of the weights: how many answers they count for. */
  readonly count: number;
}

/** Makes an aggregator of a rule that looks at one task after another. */
export function perTask<const Options extends OptionTable>(
  card: Omit<MethodCard<Options>, "kind">,
  estimate: (answers: Answers, options: Values<Options>) => Estimate,
): NumericAggregator<Options> {
  return crowdMethod(
    { ...card, kind: "numeric" },
    function* (data: NumericData, options: Values<Options>, known: NumericKnown) {
      const T = data.tasks.length;
      const [value, sd, low, high] = Array.from({ length: 4 }, () =>
        new Float64Array(T).fill(Number.NaN),
      );
      for (const [t, answers] of answersByTask(data)) {
        if (answers.values.length === 0) continue;
        const found = alike(answers) ? pointAt(answers.values[0]) : estimate(answers, options);
        value[t] = found.value;
        sd[t] = found.sd;
        low[t] = found.low;
        high[t] = found.high;
      }
      clampGold(known.gold, value, [sd, low, high]);
      return {
        tasks: data.tasks,
        ...(data.outputs && { outputs: data.outputs }),
        value,
        sd,
        low,
        high,
        support: labelsPerTask(data),
        ...workerErrors(data, value),
        trace: [],
        converged: true,
      };
    },
  ) as NumericAggregator<Options>;
}

/** Whether all answers are the same: then they are the value, to the last digit, and show no spread. */
const alike = ({ values }: Answers) => values[0] === values[values.length - 1];

/** Puts known values in place of estimated ones, as certain. */
export function clampGold(
  gold: Float64Array | undefined,
  value: Float64Array,
  [sd, low, high]: readonly Float64Array[],
): void {
  for (let t = 0; gold && t < gold.length; t++) {
    if (Number.isNaN(gold[t])) continue;
    value[t] = gold[t];
    sd[t] = 0;
    low[t] = gold[t];
    high[t] = gold[t];
  }
}

/** Walks the tasks with their answers that weigh something, by value; ties by weight, so that row order is no matter. */
function* answersByTask(data: NumericData): Iterable<[task: number, answers: Answers]> {
  const T = data.tasks.length;
  const { rows, start } = groupRows(data.task, T);
  const { value, weight } = data;
  const weightOf = (i: number) => (weight ? weight[i] : 1);
  for (let t = 0; t < T; t++) {
    const own = rows
      .subarray(start[t], start[t + 1])
      .filter((i) => weightOf(i) > 0)
      .sort((i, j) => value[i] - value[j] || weightOf(i) - weightOf(j));
    const weights = Float64Array.from(own, weightOf);
    yield [
      t,
      {
        values: Float64Array.from(own, (i) => value[i]),
        weights,
        count: weights.reduce((sum, w) => sum + w, 0),
      },
    ];
  }
}

/** Rows by group: those of group g are `rows[start[g]]` to before `rows[start[g + 1]]`, in their order. */
export function groupRows(
  group: Int32Array,
  groups: number,
): { readonly rows: Int32Array; readonly start: Int32Array } {
  const start = new Int32Array(groups + 1);
  for (let row = 0; row < group.length; row++) start[group[row] + 1]++;
  for (let g = 0; g < groups; g++) start[g + 1] += start[g];
  const rows = new Int32Array(group.length);
  const next = start.slice();
  for (let row = 0; row < group.length; row++) rows[next[group[row]]++] = row;
  return { rows, start };
}

/** How far each worker's answers lie from the values: on average, and in root mean square. */
export function workerErrors(
  data: NumericData,
  estimate: Float64Array,
): { bias: Float64Array; error: Float64Array } {
  const { workers, task, worker, value, weight, outputs } = data;
  const W = workers.length;
  const unit = outputs ? withinTasks(data) : undefined;
  const [sum, squares, counts] = Array.from({ length: 3 }, () => new Float64Array(W));
  for (let i = 0; i < task.length; i++) {
    const count = weight ? weight[i] : 1;
    const scale = unit && outputs ? unit[outputs.of[task[i]]] : 1;
    const miss = (value[i] - estimate[task[i]]) / scale;
    sum[worker[i]] += count * miss;
    squares[worker[i]] += count * miss * miss;
    counts[worker[i]] += count;
  }
  return {
    bias: sum.map((total, w) => total / counts[w]),
    error: squares.map((total, w) => Math.sqrt(total / counts[w])),
  };
}
