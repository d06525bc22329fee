/** A network straight from answers that are no classes: trained, tested, and as files and report. */
import type { CrowdData } from "../data/crowd-data.ts";
import type { Features } from "../data/features.ts";
import { namesOf } from "../data/names.ts";
import { writeCsv } from "../io/csv-writer.ts";
import type { GoldPair } from "../io/sink.ts";
import type { Kind, Scores } from "../kinds/kind.ts";
import type { KindPredictions, PredictedRows } from "../kinds/learning.ts";
import { kindOf } from "../kinds.ts";
import type { KindLearner, Learnt } from "../learn/create-learner.ts";
import { answersLearningReport } from "../report/answers-learning-report.ts";
import type { Content } from "../report/content.ts";
import type { Report } from "../report/model.ts";
import { answersModelDocument } from "../report/model-json.ts";
import type { MoreDocument, ResultDocument } from "../report/result-json.ts";
import { run } from "../run.ts";
import { type AggregateOutcome, aggregateDocument, judgeJob } from "./aggregate.ts";
import { kindLearnerNamed, learningOf } from "./choose-learner.ts";
import { methodNamed } from "./choose-method.ts";
import { type Hooks, walking } from "./hooks.ts";
import { type Trained, type TrainHooks, type TrainRequest, trainJob } from "./train.ts";

/** What to train, on which answers and features. */
export interface LearnAnswersRequest
  extends Omit<TrainRequest<CrowdData, Learnt>, "method" | "valid" | "test"> {
  /** Id of a learner of the data's kind, or a learner; default: that of the kind. */
  readonly method?: string | KindLearner | undefined;
  /** Rows with known truth, on which the epoch is chosen; never those of the test. */
  readonly valid?: { readonly features: Features; readonly gold: readonly GoldPair[] } | undefined;
  /** Rows that the training does not see, with their truth, to score with. */
  readonly test?:
    | { readonly features: Features; readonly gold?: readonly GoldPair[] | undefined }
    | undefined;
}

/** What a network says of test rows, scored where their truth is known. */
export interface TestedAnswers extends PredictedRows {
  readonly scores?: Scores | undefined;
}

/** A training with its scores. */
export interface LearnAnswersOutcome extends AggregateOutcome {
  readonly method: KindLearner;
  readonly trained: Trained<Learnt>;
  /** Scores of the kind's baseline on the same gold, without features. */
  readonly baseline?: { readonly id: string; readonly scores: Scores } | undefined;
  readonly tested?: TestedAnswers | undefined;
}

/** Trains a network from numbers, comparisons or similarities, and scores what gold there is. */
export async function learnAnswersJob(
  { method: named, valid, test, ...request }: LearnAnswersRequest,
  hooks: TrainHooks = {},
): Promise<LearnAnswersOutcome> {
  const { data } = request;
  const kind = kindOf(data);
  const { defaultLearner } = learningOf(kind);
  const method =
    typeof named === "object" || typeof named === "function"
      ? named
      : kindLearnerNamed(named ?? defaultLearner, kind);
  const predictions = predictionsOf(kind);
  const outputs = predictions.outputs(data);
  const trained = await trainJob(
    {
      ...request,
      method,
      valid: valid && {
        features: valid.features,
        gold: predictions.goldOf(valid.features.tasks, valid.gold, outputs),
      },
      test: test?.features,
    },
    hooks,
  );
  for (const note of trained.learning.notes) hooks.note?.(note);
  return scoreAnswersLearning(data, method, trained, test?.gold);
}

/** How a kind's networks predict; refuses labels, which have a job of their own. */
export function predictionsOf(kind: Kind): KindPredictions {
  const { predictions } = learningOf(kind);
  if (predictions) return predictions;
  throw new TypeError(`learnAnswersJob is for kinds other than ${kind.id}: use learnJob.`);
}

/** Scores a training against gold, where there is some. */
export async function scoreAnswersLearning(
  data: CrowdData,
  method: KindLearner,
  trained: Trained<Learnt>,
  testGold: readonly GoldPair[] = [],
  hooks: Hooks = {},
): Promise<LearnAnswersOutcome> {
  const kind = kindOf(data);
  const predictions = predictionsOf(kind);
  const { learning: result, testTasks, testPredicted } = trained;
  const noRefit = () => Promise.resolve(result);
  const known = kind.goldCount(data) > 0;
  const scores = known ? await kind.score(data, result, {}, noRefit) : undefined;
  const outcome = { kind, data, method, trained, result, scores };
  const tested =
    testTasks && testPredicted
      ? tests(kind, { testTasks, testPredicted }, predictions.outputs(data), testGold)
      : undefined;
  if (!known) return { ...outcome, tested };
  const { method: plain, options } = methodNamed(kind.baseline, kind);
  const fit = await run(data, plain, options, walking(hooks, plain.id));
  const baseline = await kind.score(data, fit, {}, () => Promise.resolve(fit));
  return { ...outcome, tested, baseline: { id: plain.id, scores: baseline } };
}

function tests(
  kind: Kind,
  { testTasks, testPredicted }: { testTasks: readonly string[]; testPredicted: Float64Array },
  outputs: readonly string[],
  gold: readonly GoldPair[],
): TestedAnswers {
  const predicted = { rows: namesOf(testTasks), numbers: testPredicted, outputs };
  if (gold.length === 0) return predicted;
  const answers = predictionsOf(kind).answers(predicted);
  return { ...predicted, scores: kind.scoreAnswers(answers, gold, "the test gold").scores };
}

/** Predictions as the text of a CSV file. */
export const predictionsCsv = (kind: Kind, predicted: PredictedRows): Iterable<string> => {
  const { header, rows } = predictionsOf(kind).table(predicted);
  return writeCsv(header, rows);
};

/** Makes the document that result.json holds. */
export function learnAnswersDocument(
  outcome: LearnAnswersOutcome,
  more: Pick<MoreDocument, "files" | "command" | "timings"> & { readonly answers: boolean },
): ResultDocument {
  const { trained, tested, baseline } = outcome;
  return aggregateDocument(outcome, {
    ...more,
    learning: {
      engine: trained.engine,
      history: trained.learning.history,
      ...(tested?.scores && { test: tested.scores.document }),
      ...(baseline && { baseline: { method: baseline.id, ...baseline.scores.document } }),
    },
  });
}

/** Makes the files of a training but for result.json and the page, the report, and what deserves attention. */
export async function learnAnswersFiles(
  outcome: LearnAnswersOutcome,
  { anonymous = false, seed = 0 }: { readonly anonymous?: boolean; readonly seed?: number } = {},
  hooks: Hooks = {},
): Promise<{
  readonly files: ReadonlyMap<string, Content>;
  readonly report: Report;
  readonly attention: readonly string[];
}> {
  const { kind, data, trained, tested, baseline } = outcome;
  const judged = await judgeJob(outcome, { seed, anonymous }, hooks);
  const { labels, tasks } = kind.size(data);
  const model = answersModelDocument(trained, {
    kind: kind.id,
    outputs: predictionsOf(kind).outputs(data),
    labels,
    tasks,
  });
  return {
    files: new Map<string, Content>([
      ["model.onnx", trained.onnx],
      ["model.json", `${JSON.stringify(model, null, 2)}\n`],
      ...(tested ? ([["test-predictions.csv", predictionsCsv(kind, tested)]] as const) : []),
      ...kind.files(judged),
    ]),
    report: answersLearningReport(kind.report(judged), {
      history: trained.learning.history,
      engine: trained.engine,
      test: tested?.scores,
      baseline: baseline && { id: baseline.id, line: baseline.scores.line },
    }),
    attention: kind.attention(judged),
  };
}
