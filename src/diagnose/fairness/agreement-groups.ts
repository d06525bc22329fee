/**
 * Whether groups of workers agree with the others to different degrees, for answers of any kind: each answer has a number, how far
 * it agrees with what others said, and groups are compared on the same tasks (within-tasks.ts). Groups of fewer than 10 workers
 * are not estimated. A group that is the larger part of a crowd agrees more because it agrees with itself.
 */
import { groupRows } from "../../aggregate/numeric/estimator.ts";
import type { CrowdData } from "../../data/crowd-data.ts";
import { jaccard, type MultiLabelData } from "../../data/multi-label.ts";
import type { SequenceData } from "../../data/sequence.ts";
import { SAME, type SimilarityData } from "../../data/similarity.ts";
import { type Grouping, groupingOf, workerAttribute } from "./attributes.ts";
import {
  type Fairness,
  groupedAttributes,
  type WorkerGroupFairness,
  withCorrection,
} from "./fairness.ts";
import { differenceWithinTasks } from "./within-tasks.ts";
import type { WorkerGroup, WorkerGroupGap } from "./worker-group-gaps.ts";

export const [LEAST_WORKERS, LEVEL] = [10, 0.95];

/** Sets of others that a set is compared with, at most. */
const MOST_OTHERS = 200;

/** How far answers agree with the others'. */
export interface AgreeingAnswers {
  /** What each answer is about, so that groups are compared on the same things. */
  readonly task: Int32Array;
  readonly tasks: number;
  readonly worker: Int32Array;
  /** NaN if the others do not tell. */
  readonly value: Float64Array;
}

type Crowd = Pick<CrowdData, "workers" | "workerAttributes">;

/** Compares groups of workers by each attribute. */
export function agreementGroups(
  data: Crowd,
  answers: AgreeingAnswers,
  notes: string[],
): (WorkerGroupFairness & { readonly measure: "agreement" })[] {
  const rows = Int32Array.from(answers.value.keys()).filter((i) => !Number.isNaN(answers.value[i]));
  const known: AgreeingAnswers = {
    tasks: answers.tasks,
    task: rows.map((i) => answers.task[i]),
    worker: rows.map((i) => answers.worker[i]),
    value: Float64Array.from(rows, (i) => answers.value[i]),
  };
  return groupedAttributes(data.workerAttributes, notes).map(([attribute]) => {
    const grouping = groupingOf("worker", workerAttribute(data, attribute), data.workers.length);
    return {
      attribute,
      measure: "agreement",
      groups: described(known, grouping, attribute),
      gaps: sidesOf(grouping).flatMap((g) => agreementGap(known, grouping, attribute, g)),
      notes: [],
    };
  });
}

/** The groups to compare with all others: one of two is enough. */
export const sidesOf = ({ names }: Grouping): readonly number[] =>
  Array.from(names.keys()).slice(0, names.length === 2 ? 1 : undefined);

/** The other group of two, else all others. */
export const againstOf = ({ names }: Grouping) => (names.length === 2 ? names[1] : "others");

export const sideOf = ({ of }: Grouping, g: number) =>
  Int8Array.from(of, (group) => (group < 0 ? -1 : Number(group === g)));

function described(
  { worker, value }: AgreeingAnswers,
  { names, of }: Grouping,
  attribute: string,
): WorkerGroup[] {
  return names.map((name, g) => {
    const rows = Array.from(value.keys()).filter((i) => of[worker[i]] === g);
    const sum = rows.reduce((total, i) => total + value[i], 0);
    return {
      attribute,
      name,
      workers: new Set(rows.map((i) => worker[i])).size,
      labels: rows.length,
      residual: rows.length > 0 ? sum / rows.length : 0,
    };
  });
}

function agreementGap(
  answers: AgreeingAnswers,
  grouping: Grouping,
  attribute: string,
  g: number,
): WorkerGroupGap[] {
  const sided = { ...answers, side: sideOf(grouping, g) };
  const found = differenceWithinTasks(sided, LEAST_WORKERS, LEVEL);
  if (!found) return [];
  const names = { group: grouping.names[g], against: againstOf(grouping) };
  return [{ attribute, ...names, ...found, corrected: found.p }];
}

/** Compares groups by how far answers agree, with p-values corrected; undefined without attributes of workers. */
function fairnessOf(data: Crowd, answers: () => AgreeingAnswers): Fairness | undefined {
  if ((data.workerAttributes?.size ?? 0) === 0) return undefined;
  const notes: string[] = [];
  return withCorrection([], agreementGroups(data, answers(), notes), notes);
}

/** Several labels per task: the mean overlap (Jaccard) of a set with those of the other workers of the task. */
export function setGroups(data: MultiLabelData): Fairness | undefined {
  return fairnessOf(data, () => {
    const value = new Float64Array(data.task.length).fill(Number.NaN);
    const { rows, start } = groupRows(data.task, data.tasks.length);
    const chosen = (i: number) => data.label.subarray(data.start[i], data.start[i + 1]);
    for (let t = 0; t < data.tasks.length; t++) {
      const own = rows.subarray(start[t], start[t + 1]);
      // Of a crowd on one task some will do.
      const step = Math.ceil(own.length / MOST_OTHERS);
      const others = own.filter((_, at) => at % step === 0);
      for (const i of own) {
        const sets = others.filter((j) => j !== i);
        if (sets.length === 0) continue;
        value[i] = sets.reduce((sum, j) => sum + jaccard(chosen(i), chosen(j)), 0) / sets.length;
      }
    }
    return { task: data.task, tasks: data.tasks.length, worker: data.worker, value };
  });
}

/** Sequences: the share of the other workers of a token who gave it the same tag. */
export function tagGroups(data: SequenceData): Fairness | undefined {
  return fairnessOf(data, () => {
    const K = data.classes.length;
    const counts = new Int32Array(data.tokens.length * K);
    const all = new Int32Array(data.tokens.length);
    data.label.forEach((k, i) => {
      counts[data.token[i] * K + k]++;
      all[data.token[i]]++;
    });
    const value = Float64Array.from(data.label, (k, i) => {
      const others = all[data.token[i]] - 1;
      return others > 0 ? (counts[data.token[i] * K + k] - 1) / others : Number.NaN;
    });
    return { task: data.token, tasks: data.tokens.length, worker: data.worker, value };
  });
}

/** Similarities: the probability of an answer under the clusters, pairs being asked too seldom to compare answers. */
export function pairGroups(data: SimilarityData, membership: Float64Array): Fairness | undefined {
  return fairnessOf(data, () => {
    const K = membership.length / Math.max(1, data.items.length);
    const value = Float64Array.from(data.label, (said, i) => {
      let same = 0;
      for (let c = 0; c < K; c++) {
        same += membership[data.left[i] * K + c] * membership[data.right[i] * K + c];
      }
      return said === SAME ? same : 1 - same;
    });
    return { task: new Int32Array(value.length), tasks: 1, worker: data.worker, value };
  });
}
