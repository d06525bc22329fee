/** What a learner of labels is: from labels and features to a classifier, and a belief about the class of each task. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { copyNotes } from "../auto/auto.ts";
import { skillOf } from "../belief/confusion-table.ts";
import { decide, tiedTasks } from "../belief/ties.ts";
import { type CategoricalData, hasAbstentions, selectLabels } from "../data/categorical.ts";
import { labelsPerTask, labelsPerWorker } from "../data/crowd-data.ts";
import type { Features } from "../data/features.ts";
import { fingerprint } from "../data/fingerprint.ts";
import { asSpokenFor, findCopies, oneVoiceEach } from "../diagnose/collusion/exact-copies.ts";
import { CrowdError } from "../error.ts";
import type { OptionTable, Values } from "../method.ts";
import {
  believeLabels,
  countedConfusion,
  temperatureByGold,
  temperatureByLabels,
} from "./calibration.ts";
import { type Classifier, createClassifier } from "./classifier.ts";
import {
  createLearner,
  type KindLearner,
  type LearnerCard,
  type LearnerKind,
  type LearnerOf,
  type LearnProgress,
  type Learnt,
  type Usable,
} from "./create-learner.ts";
import { toEvidence } from "./evidence.ts";
import { forecast } from "./forecast.ts";
import type { Net } from "./network.ts";
import type { TrainingValues } from "./options.ts";
import type { LearnContext, Session } from "./session.ts";
import { categoricalSubject } from "./subject.ts";
import { crowdValidator, goldValidator, holdOut } from "./validation.ts";

/** What a method's own code returns. */
export interface Lesson {
  /** The network whose classifier is the result, or the classifier itself. */
  readonly net: Net | Classifier;
  /** P(class | everything) of the labelled tasks; absent: what the classifier says. */
  readonly posterior?: Float64Array;
  /** P(label | class, worker) as confusion[(worker * K + class) * K + label]. */
  readonly confusion?: Float64Array;
  /** What a worker's label says where it is no probability: the same layout, or the method's own. */
  readonly workerWeights?: Float64Array;
  /** Nats that a label adds to each class, for predictions from features and labels together. */
  readonly evidence?: Float64Array;
  readonly prior?: Float64Array;
  /** How little a task's labels follow its workers' usual ways; the larger the odder. */
  readonly outlierScores?: Float64Array;
  readonly notes?: readonly string[];
  /** The runs of epochs, where they are not the session's own. */
  readonly history?: Learnt["history"];
}

/** What every learner of labels returns. */
export interface Learning extends Aggregation, Pick<Learnt, "history"> {
  readonly predictor: Classifier;
  /** What the classifier's logits were divided by, so that its probabilities are honest; absent: 1. */
  readonly temperature?: number;
  readonly workerWeights?: Float64Array;
  readonly evidence?: Float64Array;
  readonly outlierScores?: Float64Array;
  /** The group of each worker, where some are copies of one another and were merged. */
  readonly copies?: Int32Array;
}

/** A training as steps: one progress report per epoch, then the result. */
export type LearnSteps = AsyncGenerator<LearnProgress, Learning, void>;

/** A learner of labels: call it for the result, or walk its `steps` for progress. */
export type Learner<Options extends OptionTable = OptionTable> = LearnerOf<
  CategoricalData,
  Options,
  Learning
>;

/** Any learner of labels, for lists: its options are checked when it runs. */
export interface AnyLearner extends KindLearner<CategoricalData, Learning> {
  (
    data: CategoricalData,
    features: Features,
    options: object | undefined,
    context: LearnContext,
  ): Promise<Learning>;
}

/** Makes a learner from a card and a training that uses features and labels. */
export function learner<const Options extends OptionTable>(
  card: LearnerCard<Options>,
  train: (
    session: Session,
    options: Values<Options>,
  ) => AsyncGenerator<LearnProgress, Lesson, void>,
): Learner<Options> {
  return createLearner(labels, card, train);
}

const labels: LearnerKind<CategoricalData, Lesson, Learning> = {
  kind: "categorical",
  noun: "task",
  answer: "label",
  described: ({ tasks }) => tasks,
  examples: tasksWithLabels,
  subject: categoricalSubject,
  holdOut,
  goldValidator,
  crowdValidator,
  calibrates: true,
  usable,
  fingerprint,
  assemble,
};

/** The labels as learners take them: no abstentions, no weights, at least two classes. */
function usable(id: string, given: CategoricalData, options: TrainingValues) {
  const K = given.classes.length;
  if (K < 2) {
    throw new CrowdError(
      "bad-data",
      `${id}: there is only one class (${given.classes.at(0) || "none"}), so there is nothing to tell apart.`,
    );
  }
  if (given.weight) {
    throw new CrowdError(
      "not-supported",
      `${id} does not support label weights. Leave the weights out, or use aggregate.`,
    );
  }
  const from = hasAbstentions(given) ? selectLabels(given, (i) => given.label[i] < K) : given;
  const abstentions = given.label.length - from.label.length;
  const notes = abstentions > 0 ? [`${abstentions} abstentions were left out.`] : [];
  const copies = options.copies === "merge" ? findCopies(from) : undefined;
  if (!copies) return { data: from, notes };
  const data = oneVoiceEach(from, copies);
  return { data, notes: [...notes, ...copyNotes(copies)], merged: { copies, from } };
}

async function assemble({
  method,
  options,
  usable: { data, notes, merged },
  session,
  lesson,
}: Parameters<LearnerKind<CategoricalData, Lesson, Learning>["assemble"]>[0]): Promise<Learning> {
  const { evidence } = lesson;
  const { features, rows } = session;
  const K = data.classes.length;
  const classifier = await calibrated(session, classifierOf(session, lesson));
  const { temperature } = classifier;
  const f = await classifier.predict(features, rows);
  const posterior = lesson.posterior?.slice() ?? f.slice();
  const nats = evidence ?? countedEvidence(session.data, posterior);
  fillHeldOut(data, session.data, { f, temperature }, nats, posterior);
  const prior = lesson.prior ?? meanRow(posterior, K);
  const { consensus, ties } = decide(data, posterior, prior, {
    ties: "prior",
    seed: session.options.seed,
  });
  const history = lesson.history ?? session.runs.map((run) => run.history);
  const trace = history.flatMap((records) => records.map(({ loss }) => -loss));
  return {
    kind: "categorical",
    method,
    options,
    predictor: classifier,
    ...(temperature && { temperature }),
    posterior,
    prior,
    consensus,
    confidence: Float64Array.from(consensus, (k, t) => posterior[t * K + Math.max(0, k)]),
    history,
    tasks: data.tasks,
    workers: data.workers,
    classes: data.classes,
    given: K,
    ...workersOf(data, lesson, { prior, posterior }, merged),
    ...(lesson.outlierScores && { outlierScores: lesson.outlierScores.slice() }),
    support: labelsPerTask(merged?.from ?? data),
    trace: Float64Array.from(trace),
    iterations: trace.length,
    converged: true,
    notes: [
      ...notes,
      ...session.notes,
      ...(lesson.notes ?? []),
      ...(ties > 0 ? [`${tiedTasks(ties)}.`] : []),
    ],
  };
}

/** What a lesson says of each worker: of copies what it says of the one who spoke for them. */
function workersOf(
  data: CategoricalData,
  { confusion, workerWeights, evidence }: Lesson,
  { prior, posterior }: { readonly prior: Float64Array; readonly posterior: Float64Array },
  merged: Usable<CategoricalData>["merged"],
) {
  const [workers, K] = [data.workers.length, data.classes.length];
  const ofEach = (values: Float64Array) =>
    merged ? asSpokenFor(values, merged.copies, values.length / workers) : values.slice();
  const skill = confusion
    ? skillOf(confusion, prior, { workers, classes: K, given: K })
    : agreementWith(data, posterior);
  return {
    ...(confusion && { confusion: ofEach(confusion) }),
    ...(workerWeights && { workerWeights: ofEach(workerWeights) }),
    ...(evidence && { evidence: ofEach(evidence) }),
    skill: ofEach(skill),
    ...(merged && { copies: merged.copies }),
    workload: labelsPerWorker(merged?.from ?? data),
  };
}

function classifierOf(
  { features, executor, statistics, data }: Session,
  { net }: Lesson,
): Classifier {
  if ("predict" in net && "toOnnx" in net) return net;
  return createClassifier(executor, {
    classes: data.classes,
    shape: features.shape,
    module: net.module,
    weights: new Map([...net.trainer.weights].map(([name, values]) => [name, values.slice()])),
    ...(statistics && { statistics }),
  });
}

/** Divides the logits by a temperature, where there are known classes or held-out labels to choose it on. */
async function calibrated(
  { options, valid, heldOut, data, features, rows, executor, notes }: Session,
  plain: Classifier,
): Promise<Classifier> {
  if (!options.calibrate || (!valid && !heldOut)) return plain;
  let temperature = 1;
  if (valid) {
    temperature = temperatureByGold(await plain.predict(valid.features), valid.gold);
  } else if (heldOut) {
    const tasks = tasksWithLabels(heldOut);
    const f = await plain.predict(
      features,
      tasks.map((t) => rows[t]),
    );
    temperature = temperatureByLabels(f, heldOut, tasks, believeLabels(data, options.seed));
  }
  if (temperature === 1) return plain;
  notes.push(
    `Probabilities of the classifier are tempered by ${temperature.toFixed(2)}, chosen on ${valid ? "the validation gold" : "held-out labels"}.`,
  );
  return createClassifier(executor, { ...plain, temperature });
}

/** Tasks that were held out, or have no labels, get what classifier and labels say together. */
function fillHeldOut(
  all: CategoricalData,
  trained: CategoricalData,
  { f, temperature }: { readonly f: Float64Array; readonly temperature: number | undefined },
  evidence: Float64Array,
  posterior: Float64Array,
): void {
  const { workers, classes } = all;
  const K = classes.length;
  const counts = labelsPerTask(trained);
  const both = forecast({ workers, classes, evidence, temperature }, f, all).posterior;
  for (let t = 0; t < counts.length; t++) {
    if (counts[t] === 0) posterior.set(both.subarray(t * K, (t + 1) * K), t * K);
  }
}

/** What labels say of the classes, by workers' confusions counted from beliefs. */
const countedEvidence = (data: CategoricalData, belief: Float64Array): Float64Array =>
  toEvidence(countedConfusion(data, belief));

/** Numbers of the tasks that have labels. */
export function tasksWithLabels(data: CategoricalData): Int32Array {
  const counts = labelsPerTask(data);
  return Int32Array.from(counts.keys()).filter((t) => counts[t] > 0);
}

function meanRow(table: Float64Array, K: number): Float64Array {
  const mean = new Float64Array(K);
  for (let at = 0; at < table.length; at++) mean[at % K] += (table[at] * K) / table.length;
  return mean;
}

/** The mean belief in what a worker said; that of all workers for one who said nothing. */
function agreementWith(data: CategoricalData, posterior: Float64Array): Float64Array {
  const K = data.classes.length;
  const sums = new Float64Array(data.workers.length);
  const counts = labelsPerWorker(data);
  for (let i = 0; i < data.label.length; i++) {
    sums[data.worker[i]] += posterior[data.task[i] * K + data.label[i]];
  }
  const mean = sums.reduce((a, b) => a + b, 0) / Math.max(1, data.label.length);
  return sums.map((sum, w) => (counts[w] > 0 ? sum / counts[w] : mean));
}
