/** Answers from a file, such as truth.csv or the predictions of a classifier, to be judged like those of a method. */

import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { agreement } from "../belief/votes.ts";
import { type CategoricalData, hasAbstentions, selectLabels } from "../data/categorical.ts";
import { labelsPerTask, labelsPerWorker } from "../data/crowd-data.ts";
import { quoteName } from "../data/look-alike.ts";
import { namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import type { Answers } from "../io/answers.ts";
import type { GoldPair } from "../io/sink.ts";

/** What a report calls answers that no method of ours made. */
export const GIVEN = { id: "given-answers", title: "Given answers" } as const;

/** Said of files with labels alone. */
const CERTAIN =
  "The answers have no probabilities, so that log-loss, Brier score and calibration are those of certain answers.";

type Gold = readonly GoldPair[];

/** Makes data of the tasks that have an answer, with their gold and without labels. */
export function unlabelled(answers: Answers, gold: Gold): CategoricalData {
  const known = new Map(gold.map(([task, label]) => [task, String(label)]));
  const named = answers.classes ?? [...new Set(answers.labels)];
  const tasks = answers.tasks;
  const found = tasks.filter((task) => known.has(task));
  if (gold.length > 0 && found.length === 0) {
    throw new CrowdError(
      "bad-data",
      `No task with gold has an answer. Gold names ${quoteName(gold[0][0])}, the answers ${quoteName(tasks[0])}. Do both name tasks the same way?`,
    );
  }
  const classes = namesOf([...new Set([...named, ...known.values()])].sort());
  const none = new Int32Array(0);
  return {
    kind: "categorical",
    tasks: namesOf(tasks),
    workers: namesOf([]),
    classes,
    task: none,
    worker: none,
    label: none,
    gold: Int32Array.from(tasks, (task) => classes.indexOf(known.get(task) ?? "")),
    notes: [...answers.notes],
  };
}

/** Makes a result of given answers on the tasks of the data; a task without an answer has none. */
export function resultOfAnswers(data: CategoricalData, answers: Answers): Aggregation {
  const K = data.classes.length;
  const T = data.tasks.length;
  const posterior = new Float64Array(T * K).fill(1 / K);
  const consensus = new Int32Array(T).fill(-1);
  const confidence = new Float64Array(T).fill(1 / K);
  let answered = 0;
  answers.tasks.forEach((name, row) => {
    const t = data.tasks.indexOf(name);
    if (t < 0) return;
    answered++;
    consensus[t] = classOf(data, answers.labels[row]);
    fillRow(posterior.subarray(t * K, (t + 1) * K), data, answers, row);
    confidence[t] = posterior[t * K + consensus[t]];
  });
  if (answered === 0) {
    throw new CrowdError(
      "bad-data",
      `No answer is about a task of the labels: the answers name ${quoteName(answers.tasks[0])}, the labels ${quoteName(data.tasks.at(0))}. Do both name tasks the same way?`,
    );
  }
  const prior = new Float64Array(K);
  posterior.forEach((p, at) => {
    prior[at % K] += p / T;
  });
  const empty = T - answered;
  return {
    kind: "categorical",
    method: GIVEN.id,
    options: {},
    tasks: data.tasks,
    workers: data.workers,
    classes: data.classes,
    given: K,
    posterior,
    prior,
    skill: agreement(
      hasAbstentions(data) ? selectLabels(data, (i) => data.label[i] < K) : data,
      posterior,
    ),
    consensus,
    confidence,
    support: labelsPerTask(data),
    workload: labelsPerWorker(data),
    trace: new Float64Array(0),
    iterations: 0,
    converged: true,
    notes: [
      ...(empty > 0 ? [`Tasks without an answer: ${empty} of ${T}.`] : []),
      ...(answers.posterior || answers.confidence ? [] : [CERTAIN]),
    ],
  };
}

/** P(class) of one answer: as the file has it, else its confidence with the rest shared by the other classes. */
function fillRow(into: Float64Array, data: CategoricalData, answers: Answers, row: number): void {
  const { classes, posterior, confidence, labels } = answers;
  if (classes && posterior) {
    into.fill(0);
    classes.forEach((name, c) => {
      const p = posterior[row * classes.length + c];
      if (p > 0) into[classOf(data, name)] = p;
    });
    return;
  }
  const given = confidence?.[row] ?? 1;
  const sure = into.length === 1 || !Number.isFinite(given) ? 1 : Math.min(1, Math.max(0, given));
  into.fill((1 - sure) / Math.max(1, into.length - 1));
  into[classOf(data, labels[row])] = sure;
}

function classOf({ classes }: CategoricalData, name: string): number {
  const k = classes.indexOf(name);
  if (k >= 0) return k;
  throw new CrowdError(
    "bad-data",
    `The answers have a class ${quoteName(name)} that the labels do not have. Their classes are: ${[...classes].slice(0, 12).map(quoteName).join(", ")}.`,
  );
}
