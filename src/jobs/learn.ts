/** A classifier straight from the labels of a crowd: trained, tested, and as files and report. */
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { decide } from "../belief/ties.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Features } from "../data/features.ts";
import { type Names, namesOf } from "../data/names.ts";
import { CrowdError, hint } from "../error.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { evaluate, type Metrics } from "../evaluate/index.ts";
import { kindOf } from "../kinds.ts";
import { forecast, labelsOn } from "../learn/forecast.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { answerFiles, worthALook } from "../report/answer-files.ts";
import type { Content } from "../report/content.ts";
import { truthCsv } from "../report/csv-files.ts";
import { learningReport, type Predicted, type Tested } from "../report/learning-report.ts";
import type { Report } from "../report/model.ts";
import { modelDocument } from "../report/model-json.ts";
import { type MoreDocument, metricsDocument, type ResultDocument } from "../report/result-json.ts";
import { aggregateDocument } from "./aggregate.ts";
import { DEFAULT_LEARNER, learnerNamed } from "./choose-learner.ts";
import { type Trained, type TrainHooks, type TrainRequest, trainJob } from "./train.ts";

/** Known classes by name of the task. */
export type TaskGold = readonly (readonly [task: string, label: string])[];

/** Tasks that the training does not see. */
export interface TestSet {
  readonly features: Features;
  /** Classes of its tasks, to score with. */
  readonly gold?: TaskGold | undefined;
  /** Labels of its tasks, for predictions from features and labels together. */
  readonly labels?: CategoricalData | undefined;
}

/** What to train, on which labels and features. */
export interface LearnRequest extends Omit<TrainRequest, "method" | "valid" | "test"> {
  /** Id of a learner, or a learner; default: `auto-learner`. */
  readonly method?: string | AnyLearner | undefined;
  /** Tasks with known classes, on which the epoch is chosen; never those of the test. */
  readonly valid?: { readonly features: Features; readonly gold: TaskGold } | undefined;
  readonly test?: TestSet | undefined;
}

/** A training with its scores. */
export interface LearnOutcome {
  readonly data: CategoricalData;
  readonly method: AnyLearner;
  readonly trained: Trained;
  /** Scores of the answers against the data's gold, where there is some, and of the vote on the same. */
  readonly metrics: Metrics | undefined;
  readonly majorityVote: number | undefined;
  readonly tested: Tested | undefined;
}

/** Trains, and scores what gold there is. */
export async function learnJob(
  { method: named = DEFAULT_LEARNER, valid, test, ...request }: LearnRequest,
  hooks: TrainHooks = {},
): Promise<LearnOutcome> {
  const { data } = request;
  const method = typeof named === "string" ? learnerNamed(named) : named;
  const gold = valid && goldOfRows(valid.features.tasks, valid.gold, data.classes);
  const trained = await trainJob(
    {
      ...request,
      method,
      valid: valid && gold && { features: valid.features, gold },
      test: test?.features,
    },
    hooks,
  );
  for (const note of trained.learning.notes) hooks.note?.(note);
  return scoreLearning(data, method, trained, test);
}

/** Scores a training against gold, where there is some. */
export function scoreLearning(
  data: CategoricalData,
  method: AnyLearner,
  trained: Trained,
  test?: Pick<TestSet, "gold" | "labels">,
): LearnOutcome {
  const { learning } = trained;
  const { gold } = data;
  const known = gold.some((k) => k >= 0);
  return {
    data,
    method,
    trained,
    metrics: known ? evaluate({ ...learning, gold }) : undefined,
    majorityVote: known ? accuracy({ ...majorityVote(data), gold }).split : undefined,
    tested: test && scoreTest(data, trained, test),
  };
}

/** What the model says of the test tasks, scored where their classes are known. */
function scoreTest(
  data: CategoricalData,
  { learning, testTasks = [], testPredicted = new Float64Array(0) }: Trained,
  { gold: pairs = [], labels }: Pick<TestSet, "gold" | "labels">,
): Tested {
  const { classes, prior, workers, evidence, temperature, copies } = learning;
  const tasks = namesOf(testTasks);
  const gold = goldOfRows(tasks, pairs, classes);
  const scored = (posterior: Float64Array): Predicted => {
    const { consensus } = decide({ ...data, tasks }, posterior, prior, { ties: "prior", seed: 0 });
    const metrics = gold.some((k) => k >= 0)
      ? evaluate({ classes, posterior, consensus, gold })
      : undefined;
    return { tasks, classes, posterior, consensus, ...(metrics && { metrics }) };
  };
  const alone = scored(testPredicted);
  if (!labels) return alone;
  if (!evidence) {
    throw new CrowdError(
      "bad-option",
      `${learning.method} does not estimate what labels are worth, so ${hint("test.labels")} cannot be used with it.`,
    );
  }
  const known = { workers, classes, evidence, temperature, copies };
  const joined = forecast(known, testPredicted, labelsOn(tasks, labels));
  return { ...alone, withLabels: scored(joined.posterior) };
}

/** The class of each row by number, from known classes by name; -1 where it is not known. */
export function goldOfRows(tasks: Names, gold: TaskGold, classes: Names): Int32Array {
  const classOf = new Map(Array.from(classes, (label, k) => [label, k]));
  const known = new Map(gold);
  return Int32Array.from(tasks, (task) => classOf.get(known.get(task) ?? "") ?? -1);
}

/** Makes the document that result.json holds. */
export function learnDocument(
  { data, trained, metrics, majorityVote: vote, tested }: LearnOutcome,
  more: Pick<MoreDocument, "files" | "command" | "timings"> & { readonly answers: boolean },
): ResultDocument {
  const { learning, engine } = trained;
  const joined = tested?.withLabels?.metrics;
  return aggregateDocument(
    { kind: kindOf(data), data, result: learning, scores: undefined },
    {
      ...more,
      metrics:
        metrics && metricsDocument(metrics, vote === undefined ? {} : { majorityVote: vote }),
      learning: {
        engine,
        history: learning.history,
        ...(tested?.metrics && { test: metricsDocument(tested.metrics) }),
        ...(joined && { testWithLabels: metricsDocument(joined) }),
      },
    },
  );
}

/** Makes the files of a training but for result.json and the page, the report, and what deserves attention. */
export function learnFiles(
  { data, method, trained, metrics, majorityVote: vote, tested }: LearnOutcome,
  { anonymous = false, seed = 0 }: { readonly anonymous?: boolean; readonly seed?: number } = {},
): {
  readonly files: ReadonlyMap<string, Content>;
  readonly report: Report;
  readonly attention: readonly string[];
} {
  const { learning, predicted, onnx, engine } = trained;
  const answers = answerFiles(data, learning, { anonymous, seed, intervals: undefined });
  const model = modelDocument(trained, {
    anonymous,
    labels: data.label.length,
    tasks: data.tasks.length,
  });
  return {
    files: new Map<string, Content>([
      ["model.onnx", onnx],
      ["model.json", `${JSON.stringify(model, null, 2)}\n`],
      ...(tested ? ([["test-predictions.csv", truthCsv(tested)]] as const) : []),
      ...answers.files,
    ]),
    report: learningReport({
      ...answers,
      metrics,
      majorityVote: vote,
      tested,
      predicted,
      history: learning.history,
      engine,
      card: method,
    }),
    attention: worthALook(answers),
  };
}
