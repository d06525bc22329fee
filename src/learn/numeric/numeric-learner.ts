/** What a learner of numbers is: from answers and features to a network that predicts a value. */
import { groupRows, type NumericResult, workerErrors } from "../../aggregate/numeric/estimator.ts";
import { labelsPerTask, labelsPerWorker } from "../../data/crowd-data.ts";
import { fingerprintOf } from "../../data/fingerprint.ts";
import { type Names, namesOf } from "../../data/names.ts";
import { type NumericData, outputsOf, selectValues } from "../../data/numeric.ts";
import type { Random } from "../../math/random.ts";
import type { OptionTable, Values } from "../../method.ts";
import { constant, type Tensor } from "../../tensor/graph.ts";
import { add, multiply } from "../../tensor/ops/arithmetic.ts";
import {
  createLearner,
  type LearnerCard,
  type LearnerKind,
  type LearnerOf,
  type LearnProgress,
  type Learnt,
} from "../create-learner.ts";
import type { Net } from "../network.ts";
import { createPredictor } from "../predictor.ts";
import type { HeldOut, Session } from "../session.ts";
import type { Subject } from "../subject.ts";
import type { Valid, Validator } from "../validation.ts";

/** What the method's own code returns. */
export interface NumericLesson {
  readonly net: Net;
  /** What each worker adds to a value, as offset[worker * outputs + output]. */
  readonly offset?: Float64Array;
  /** What each worker's answers are stretched by, laid out the same. */
  readonly stretch?: Float64Array;
  /** Standard deviation of each worker's noise, laid out the same. */
  readonly noise?: Float64Array;
  readonly notes?: readonly string[];
}

/** What every learner of numbers returns. */
export interface NumericLearning
  extends NumericResult,
    Pick<Learnt, "history" | "predictor">,
    Omit<NumericLesson, "net" | "notes"> {}

/** A learner of numbers: call it for the result, or walk its `steps` for progress. */
export type NumericLearner<Options extends OptionTable = OptionTable> = LearnerOf<
  NumericData,
  Options,
  NumericLearning
>;

/** Makes a learner of numbers from a card and a training. */
export function numericLearner<const Options extends OptionTable>(
  card: Omit<LearnerCard<Options>, "forecasts" | "confusion">,
  train: (
    session: Session<NumericData>,
    options: Values<Options>,
  ) => AsyncGenerator<LearnProgress, NumericLesson, void>,
): NumericLearner<Options> {
  return createLearner(numbers, { ...card, forecasts: false, confusion: false }, train);
}

const numbers: LearnerKind<NumericData, NumericLesson, NumericLearning> = {
  kind: "numeric",
  noun: "task",
  answer: "value",
  described: (data) => distinct(data).names,
  examples(data) {
    const { of } = distinct(data);
    return Int32Array.from(new Set(rowsThatCount(data).map((i) => of[data.task[i]]))).sort();
  },
  subject: numericSubject,
  holdOut,
  goldValidator,
  crowdValidator,
  usable: (_, data) => ({ data, notes: [] }),
  fingerprint: ({ tasks, workers, task, worker, value, gold, weight, outputs }) =>
    fingerprintOf(
      [tasks, workers],
      [task, worker, value, gold, ...(weight ? [weight] : []), ...(outputs ? [outputs.of] : [])],
    ),
  async assemble({ method, options, usable: { data, notes }, session, lesson }) {
    const { net, notes: own = [], ...workers } = lesson;
    const { features, executor, statistics, rows } = session;
    const scale = scaleOf(session.data);
    const O = scale.mean.length;
    const predictor = createPredictor(
      executor,
      {
        shape: features.shape,
        module: net.module,
        weights: new Map([...net.trainer.weights].map(([name, own]) => [name, own.slice()])),
        ...(statistics && { statistics }),
      },
      {
        outputs: (numbers) => ({ values: inUnits(numbers, scale) }),
        width: O,
        metadata: { kind: "numeric", outputs: JSON.stringify(outputNames(data)) },
      },
    );
    const said = await predictor.predict(features, rows);
    const { of } = distinct(data);
    const output = outputsOf(
      data,
      Int32Array.from(data.tasks, (_, t) => t),
    );
    const value = Float64Array.from(data.tasks, (_, t) => said[of[t] * O + output[t]]);
    const history = session.runs.map((run) => run.history);
    const trace = history.flatMap((records) => records.map(({ loss }) => -loss));
    const unknown = () => new Float64Array(value.length).fill(Number.NaN);
    return {
      kind: "numeric",
      method,
      options,
      predictor,
      history,
      tasks: data.tasks,
      ...(data.outputs && { outputs: data.outputs }),
      value,
      sd: unknown(),
      low: unknown(),
      high: unknown(),
      support: labelsPerTask(data),
      ...workerErrors(data, value),
      ...workers,
      workers: data.workers,
      workload: labelsPerWorker(data),
      trace: Float64Array.from(trace),
      iterations: trace.length,
      converged: true,
      notes: [...notes, ...session.notes, ...own],
    };
  },
};

/** The tasks by name, each once, and which of them each entry of `tasks` is: with several outputs a task has several entries. */
export function distinct({ tasks, outputs }: NumericData): {
  readonly names: Names;
  readonly of: Int32Array;
} {
  if (!outputs) return { names: tasks, of: Int32Array.from(tasks, (_, t) => t) };
  const place = new Map<string, number>();
  const of = Int32Array.from(tasks, (name) => {
    const at = place.get(name) ?? place.size;
    place.set(name, at);
    return at;
  });
  return { names: namesOf([...place.keys()]), of };
}

/** The names of what is predicted: the outputs, or `value`. */
export const outputNames = ({ outputs }: NumericData): readonly string[] =>
  outputs ? [...outputs.names] : ["value"];

const weightOf = ({ weight }: NumericData, i: number) => (weight ? weight[i] : 1);

/** Numbers of the answers that weigh something. */
function rowsThatCount(data: NumericData): Int32Array {
  return Int32Array.from(data.task.keys()).filter((i) => weightOf(data, i) > 0);
}

/** Mean and standard deviation of the answers to each output: networks learn in these units. */
export interface Scale {
  readonly mean: Float64Array;
  readonly sd: Float64Array;
}

/** Finds the units that a network learns in; a deviation of 0 counts as 1. */
export function scaleOf(data: NumericData): Scale {
  const O = data.outputs?.names.length ?? 1;
  const output = outputsOf(data, data.task);
  const [count, mean, squares] = [0, 0, 0].map(() => new Float64Array(O));
  for (const i of rowsThatCount(data)) {
    const o = output[i];
    const w = weightOf(data, i);
    count[o] += w;
    const before = data.value[i] - mean[o];
    mean[o] += (before * w) / count[o];
    squares[o] += w * before * (data.value[i] - mean[o]);
  }
  return { mean, sd: squares.map((sum, o) => Math.sqrt(sum / count[o]) || 1) };
}

const inUnits = (numbers: Tensor, { mean, sd }: Scale): Tensor =>
  add(multiply(numbers, constant(sd, [sd.length])), constant(mean, [mean.length]));

function numericSubject(data: NumericData, rows: Int32Array): Subject {
  const { names, of } = distinct(data);
  const O = data.outputs?.names.length ?? 1;
  const scale = scaleOf(data);
  const output = outputsOf(data, data.task);
  const task = data.task.map((t) => of[t]);
  const { rows: order, start } = groupRows(task, names.length);
  const place = new Int32Array(names.length);
  return {
    outputs: O,
    workers: data.workers.length,
    rows,
    says: (numbers) => inUnits(numbers, scale),
    drawn(tasks) {
      const labels = tasks.reduce((sum, t) => sum + start[t + 1] - start[t], 0);
      const own = new Int32Array(labels);
      let at = 0;
      for (const t of tasks) for (let j = start[t]; j < start[t + 1]; j++) own[at++] = order[j];
      return { tasks, labels: own };
    },
    feeds({ tasks, labels }) {
      tasks.forEach((t, row) => {
        place[t] = row;
      });
      return {
        task: labels.map((i) => place[task[i]]),
        output: labels.map((i) => output[i]),
        cell: labels.map((i) => data.worker[i] * O + output[i]),
        value: Float32Array.from(
          labels,
          (i) => (data.value[i] - scale.mean[output[i]]) / scale.sd[output[i]],
        ),
        weight: Float32Array.from(labels, (i) => weightOf(data, i)),
      };
    },
  };
}

function holdOut(data: NumericData, share: number, random: Random): HeldOut<NumericData> {
  const { names, of } = distinct(data);
  const out = Array.from(names, (name) => random.split(name).next() < share);
  const rows = Int32Array.from(data.task.keys());
  const heldOut = selectValues(
    data,
    rows.filter((i) => out[of[data.task[i]]]),
  );
  return {
    trained: selectValues(
      data,
      rows.filter((i) => !out[of[data.task[i]]]),
    ),
    heldOut,
    words: `the values of ${new Set(heldOut.task.map((t) => of[t])).size} tasks`,
  };
}

/** The root mean square error, with its sign turned so that larger is better. */
function goldValidator({ features, gold }: Valid): Validator {
  return {
    measure: "root mean square error on the validation gold (negative)",
    async score(net) {
      const said = await net.predictRows(features);
      let [sum, count] = [0, 0];
      for (let i = 0; i < gold.length; i++) {
        if (Number.isNaN(gold[i])) continue;
        sum += (said[i] - gold[i]) ** 2;
        count++;
      }
      return -Math.sqrt(sum / count);
    },
  };
}

/** Answers that the crowd's ways count for in those of a worker. */
const STRENGTH = 5;

/**
 * How well the network, read through each worker's offset and noise, predicts answers of tasks held out: their mean
 * log-density. Offsets and noise are counted from the network on the tasks it was trained on.
 */
function crowdValidator(trained: NumericData, heldOut: NumericData): Validator {
  const { of } = distinct(trained);
  const scale = scaleOf(trained);
  const O = scale.mean.length;
  const misses = (data: NumericData, said: Float64Array) => {
    const output = outputsOf(data, data.task);
    return data.value.map(
      (value, i) => (value - said[of[data.task[i]] * O + output[i]]) / scale.sd[output[i]],
    );
  };
  return {
    measure: "log-density of held-out values",
    async score(net) {
      const said = await net.predict();
      const seen = misses(trained, said);
      const W = trained.workers.length;
      const [sum, squares, count] = [0, 0, 0].map(() => new Float64Array(W));
      seen.forEach((miss, i) => {
        sum[trained.worker[i]] += miss;
        count[trained.worker[i]]++;
      });
      const offset = sum.map((total, w) => total / (count[w] + STRENGTH));
      seen.forEach((miss, i) => {
        squares[trained.worker[i]] += (miss - offset[trained.worker[i]]) ** 2;
      });
      const pooled = squares.reduce((a, b) => a + b, 0) / Math.max(1, seen.length) || 1e-12;
      const variance = squares.map((s, w) => (s + STRENGTH * pooled) / (count[w] + STRENGTH));
      let total = 0;
      misses(heldOut, said).forEach((miss, i) => {
        const w = heldOut.worker[i];
        total -=
          0.5 * (Math.log(2 * Math.PI * variance[w]) + (miss - offset[w]) ** 2 / variance[w]);
      });
      return total / heldOut.value.length;
    },
  };
}
