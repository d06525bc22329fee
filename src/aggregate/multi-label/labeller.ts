/** What an aggregator of several labels per task is: from the sets that workers chose to one set per task. */
import { jaccard, type MultiLabelData } from "../../data/multi-label.ts";
import type { Names } from "../../data/names.ts";
import type { MethodCard, OptionTable, Steps, Values } from "../../method.ts";
import { type CrowdResult, crowdMethod, type Fitted, type Method } from "../result.ts";
import { countsOf, type Rates, ratesOf } from "./rates.ts";

/** What may be known beyond the answers. */
export interface MultiLabelKnown {
  /** What is known of each label of each task, as in the data: 1, 0 or -1; kept as it is. Not `data.gold`, which only scores. */
  readonly gold?: Int8Array | undefined;
}

/** What every aggregator of several labels per task returns. */
export interface MultiLabelResult extends CrowdResult {
  readonly kind: "multi-label";
  readonly tasks: Names;
  readonly classes: Names;
  /** Probability that each label belongs to each task, T × L. */
  readonly posterior: Float64Array;
  /** 1 for the labels of the set of each task, T × L. */
  readonly chosen: Uint8Array;
  /** Probability that the set of each task is exactly the right one. */
  readonly setProbability: Float64Array;
  /** The label that excludes all others, or -1. */
  readonly exclusive: number;
  /** Share of tasks that each label belongs to. */
  readonly prior: Float64Array;
  /** Probability that each worker chooses a label that belongs to the task, over all labels. */
  readonly sensitivity: Float64Array;
  /** Probability that each worker leaves out a label that does not, over all labels. */
  readonly specificity: Float64Array;
  /** Sensitivity + specificity - 1 of each worker: 0 for guessing, 1 for a perfect worker. */
  readonly informativeness: Float64Array;
  /** The same two rates by worker and label, W × L. */
  readonly labelSensitivity: Float64Array;
  readonly labelSpecificity: Float64Array;
  /** Mean overlap of each worker's sets with those of the result: labels of both over labels of either; NaN without answers. */
  readonly overlap: Float64Array;
}

/** What the code of an aggregator of several labels per task returns. */
export interface Labelling extends Fitted {
  readonly posterior: Float64Array;
  readonly chosen: Uint8Array;
  readonly setProbability: Float64Array;
  readonly exclusive?: number;
  /** Rates of workers, where the method learns them. */
  readonly rates?: Rates;
  readonly prior?: Float64Array;
}

/** A method for several labels per task: call it for the result, or walk its `steps` for progress. */
export type Labeller<Options extends OptionTable = OptionTable> = Method<
  MultiLabelData,
  Options,
  MultiLabelKnown,
  MultiLabelResult
>;

/** Answers by task, then by worker. */
export interface Frame {
  readonly T: number;
  readonly W: number;
  readonly L: number;
  /** Where the answers of each task begin, and the end. */
  readonly from: Int32Array;
  readonly worker: Int32Array;
  readonly weight: Float64Array;
  /** Where the labels of each answer begin, and the end. */
  readonly start: Int32Array;
  readonly label: Int32Array;
  readonly classes: Names;
  readonly gold: Int8Array | undefined;
}

/** Makes an aggregator of several labels per task: worker quality follows from the posterior. */
export function labeller<const Options extends OptionTable>(
  card: Omit<MethodCard<Options>, "kind">,
  iterate: (frame: Frame, options: Values<Options>) => Steps<Labelling>,
): Labeller<Options> {
  return crowdMethod(
    { ...card, kind: "multi-label" },
    function* (data: MultiLabelData, options: Values<Options>, known: MultiLabelKnown) {
      const frame = frameOf(data, known.gold);
      const { exclusive = -1, rates, prior, ...fit } = yield* iterate(frame, options);
      const { posterior, chosen } = fit;
      const { worker, label } = rates ?? ratesOf(countsOf(frame, posterior), frame);
      const { tasks, classes } = data;
      return {
        ...fit,
        tasks,
        classes,
        exclusive,
        prior: prior ?? meanOver(posterior, frame),
        sensitivity: worker.sensitivity,
        specificity: worker.specificity,
        informativeness: worker.sensitivity.map((s, w) => s + worker.specificity[w] - 1),
        labelSensitivity: label.sensitivity,
        labelSpecificity: label.specificity,
        overlap: overlaps(frame, chosen),
      };
    },
  ) as Labeller<Options>;
}

/** Sorts answers by task and worker. */
function frameOf(data: MultiLabelData, gold: Int8Array | undefined): Frame {
  const { task, worker, weight, classes } = data;
  const [T, W, L] = [data.tasks.length, data.workers.length, classes.length];
  const order = Int32Array.from(task.keys()).sort(
    (i, j) => task[i] - task[j] || worker[i] - worker[j] || i - j,
  );
  const from = new Int32Array(T + 1);
  for (const t of task) from[t + 1]++;
  for (let t = 0; t < T; t++) from[t + 1] += from[t];
  const start = new Int32Array(order.length + 1);
  const label = new Int32Array(data.label.length);
  order.forEach((i, at) => {
    start[at + 1] = start[at] + data.start[i + 1] - data.start[i];
    label.set(data.label.subarray(data.start[i], data.start[i + 1]), start[at]);
  });
  return {
    T,
    W,
    L,
    from,
    worker: order.map((i) => worker[i]),
    weight: Float64Array.from(order, (i) => (weight ? weight[i] : 1)),
    start,
    label,
    classes,
    gold: gold?.some((known) => known >= 0) ? gold : undefined,
  };
}

/** Probabilities closer to a half than this are a tie, and ties are in. */
export const EQUAL = 1e-12;

/** Shares of answers that chose each label of each task; known ones are certain, tasks without answers have the shares of all. */
export function voteShares({ T, L, from, weight, start, label, gold }: Frame): Float64Array {
  const shares = new Float64Array(T * L);
  const all = new Float64Array(L);
  const totals = new Float64Array(T);
  let total = 0;
  for (let t = 0; t < T; t++) {
    for (let i = from[t]; i < from[t + 1]; i++) {
      totals[t] += weight[i];
      for (let at = start[i]; at < start[i + 1]; at++) shares[t * L + label[at]] += weight[i];
    }
    total += totals[t];
    for (let l = 0; l < L; l++) all[l] += shares[t * L + l];
  }
  for (let at = 0; at < shares.length; at++) {
    const t = Math.floor(at / L);
    if (gold && gold[at] >= 0) shares[at] = gold[at];
    else if (totals[t] > 0) shares[at] /= totals[t];
    else shares[at] = total > 0 ? all[at % L] / total : 0.5;
  }
  return shares;
}

/** The mean over tasks of what is said of each label. */
export function meanOver(posterior: Float64Array, { T, L }: Pick<Frame, "T" | "L">): Float64Array {
  const means = new Float64Array(L);
  for (let at = 0; at < posterior.length; at++) means[at % L] += posterior[at] / T;
  return means;
}

/** The labels of a task that are chosen, ascending. */
export function chosenLabels(chosen: Uint8Array, L: number, task: number): Int32Array {
  const set: number[] = [];
  for (let l = 0; l < L; l++) if (chosen[task * L + l]) set.push(l);
  return Int32Array.from(set);
}

/** The mean overlap of each worker's sets with those chosen. */
function overlaps(frame: Frame, chosen: Uint8Array): Float64Array {
  const { T, W, L, from, worker, weight, start, label } = frame;
  const [sum, count] = [new Float64Array(W), new Float64Array(W)];
  for (let t = 0; t < T; t++) {
    const set = chosenLabels(chosen, L, t);
    for (let i = from[t]; i < from[t + 1]; i++) {
      const own = label.subarray(start[i], start[i + 1]);
      sum[worker[i]] += weight[i] * jaccard(own, set);
      count[worker[i]] += weight[i];
    }
  }
  return sum.map((total, w) => total / count[w]);
}
