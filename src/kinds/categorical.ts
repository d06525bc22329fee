/** Labels: each answer names one of several classes. */
import type { Aggregation, AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { type Forecast, forecastSteps } from "../assign/forecast.ts";
import { heldOutScore, sameAnswers } from "../auto/compare.ts";
import { methodList } from "../auto/index.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { sizeOf } from "../data/crowd-data.ts";
import { fingerprint } from "../data/fingerprint.ts";
import { agreement } from "../diagnose/agreement.ts";
import type { Check } from "../diagnose/checks.ts";
import { copiesOf, oneVoiceEach } from "../diagnose/collusion/exact-copies.ts";
import { identifiability } from "../diagnose/identifiability.ts";
import { type Dependence, dependenceSteps, foundGroups, verdictSteps } from "../diagnose/index.ts";
import { type ScoreIntervals, scoreIntervalSteps } from "../diagnose/score-intervals.ts";
import type { SharedErrors } from "../diagnose/shared-errors.ts";
import {
  type SkillIntervals,
  skillIntervalSteps,
  skillIntervals,
} from "../diagnose/skill-intervals.ts";
import { pruneSpammerSteps } from "../diagnose/spammers/prune.ts";
import type { GoldCheck } from "../diagnose/verdict.ts";
import { scoreWorkers } from "../diagnose/worker-scores.ts";
import { accuracy, credits, type Scored } from "../evaluate/accuracy.ts";
import { FOLDS, scoredWith } from "../evaluate/gold-folds.ts";
import { evaluate, type Metrics } from "../evaluate/index.ts";
import { matchAnswers } from "../evaluate/match-answers.ts";
import { type Answers, answersTable } from "../io/answers.ts";
import { labelHeader, labelRows } from "../io/label-rows.ts";
import { categoricalReading } from "../io/sinks/categorical.ts";
import { learnerList } from "../learn/index.ts";
import { answerFiles, worthALook } from "../report/answer-files.ts";
import { accuracyLine, answersText, metricsText } from "../report/categorical-text.ts";
import { rounded, truthCsv, truthRows } from "../report/csv-files.ts";
import { groupLines } from "../report/dependence-text.ts";
import { pruningDocument, pruningLines, pruningNote } from "../report/pruning-text.ts";
import { aggregationReport } from "../report/report.ts";
import { type MetricsDocument, metricsDocument } from "../report/result-json.ts";
import { count } from "../report/text.ts";
import { corruptions } from "../simulate/corruptions.ts";
import { diagnoseLabels } from "./categorical-diagnosis.ts";
import { resultOfAnswers, unlabelled } from "./given-answers.ts";
import type { Kind, Outcome, Scores } from "./kind.ts";
import { knownOfLabels } from "./known.ts";
import { goldTable } from "./tables.ts";

/** What scores hold for the report. */
interface Details {
  readonly metrics: Metrics;
  readonly document: MetricsDocument;
}

/** Labels from which on agreement is measured on a sample: its digits do not change any more. */
const AGREEMENT_SAMPLE = 200_000;

/** The forecast of a report: fewer draws of a smaller sample than that of the command. */
const ROUGH_FORECAST = { draws: 16, mostLabels: 3000 };
/** With more classes than this a report leaves it out: drawing crowds takes the square of their number. */
const MOST_FORECAST_CLASSES = 30;

/** More labels than this are checked by `diagnose` only: it takes seconds. */
const MOST_CHECKED = 500_000;

export const categorical: Kind<CategoricalData, Aggregation> = {
  id: "categorical",
  title: "Labels",
  methods: methodList,
  aliases: {
    ds: "dawid-skene",
    em: "dawid-skene",
    mv: "majority-vote",
    majority: "majority-vote",
    vote: "majority-vote",
  },
  known: knownOfLabels,
  tables: (data) => ({
    answers: { header: labelHeader(data), rows: labelRows(data, String) },
    gold: goldTable(["task", "label"], data.tasks.length, (t) =>
      data.gold[t] < 0 ? undefined : [data.tasks.at(t), data.classes.at(data.gold[t])],
    ),
  }),
  corruptions: Object.values(corruptions),
  defaultMethod: "auto",
  baseline: "majority-vote",
  judgeMethod: "dawid-skene",
  groupMethod: "group-dawid-skene",
  reading: categoricalReading,
  size: (data) => sizeOf(data, data.classes.length),
  counts: (data) => [
    count(data.label.length, "label"),
    count(data.tasks.length, "task"),
    count(data.workers.length, "worker"),
    count(data.classes.length, "class", "classes"),
  ],
  goldCount: (data) => data.gold.reduce((sum, k) => sum + (k >= 0 ? 1 : 0), 0),
  fingerprint,
  describe: (data) => ({ classes: [...data.classes] }),
  document: documentOf,
  *answers(_, result) {
    for (const [task, label, confidence] of truthRows(result)) {
      yield { task, label: label === "" ? null : label, confidence };
    }
  },
  *workers(data, result) {
    const intervals = skillIntervals(data, result, { seed: 0 });
    for (const [w, score] of scoreWorkers(data, result, { seed: 0 }).entries()) {
      yield {
        worker: score.worker,
        labels: score.labels,
        skill: score.skill,
        low: intervals ? intervals.low[w] : null,
        high: intervals ? intervals.high[w] : null,
        standing: score.standing,
        flags: score.flags,
      };
    }
  },
  compared: { name: "task", answer: "label" },
  metrics: [
    { id: "accuracy", title: "Accuracy", digits: 4, better: "higher", share: true },
    { id: "log_loss", title: "Log-loss", digits: 4, better: "lower" },
    { id: "brier", title: "Brier", digits: 4, better: "lower", detail: true },
    { id: "ece", title: "ECE", digits: 4, better: "lower" },
  ],
  async score(data, result, known, refit) {
    const scored = await scoredWith(data, result, known as Known, refit);
    const folds = (known as Known).gold ? FOLDS : undefined;
    // Answers may come without the labels behind them.
    const voted = data.label.length > 0 ? majorityVote(data) : undefined;
    return scoresOfLabels(scored, {
      ...(voted && { majorityVote: accuracy({ ...voted, gold: data.gold }).split }),
      ...(folds && { folds }),
    });
  },
  *prune(data, method, settings) {
    // A vote cannot turn the labels of adversaries round, a model of workers can.
    const worse = !(method as AnyAggregator).probabilistic;
    const pruning = yield* pruneSpammerSteps(data, { ...settings, worse });
    const note = pruningNote(pruning);
    return {
      data: { ...pruning.data, notes: [...data.notes, note] },
      lines: pruningLines(pruning),
      document: pruningDocument(pruning),
    };
  },
  groupLines: (data, result) => groupLines(data, foundGroups(result)),
  verdict: (data, result, scores, { seed, known, engine }) =>
    verdictSteps(data, result, { seed, engine, known: known as Known, gold: goldCheck(scores) }),
  credits: (data, result) => credits({ ...result, gold: data.gold }),
  heldOut: (method, options, data, known, settings) =>
    heldOutScore(data, method as AnyAggregator, options, known as Known, settings),
  alike: sameAnswers,
  judge: (data, result, { seed }) => judgeSteps(data, result, seed),
  files: (outcome) => shown(outcome).files,
  attention: (outcome) => worthALook(shown(outcome)),
  report: reportOf,
  summary: answersText,
  truth: truthCsv,
  drifts: true,
  groups: "tasks and workers",
  given: {
    data: (answers, gold) => unlabelled(answers as Answers, gold),
    result: (data, answers) => resultOfAnswers(data, answers as Answers),
  },
  learning: {
    learners: learnerList,
    defaultLearner: "auto-learner",
    aliases: { auto: "auto-learner" },
  },
  diagnose(data, result, settings) {
    const details = settings.scores?.details as Details | undefined;
    const check = goldCheck(settings.scores);
    const { metrics, document } = details ?? {};
    return diagnoseLabels(data, result, settings, {
      check,
      metrics,
      majorityVote: document?.majorityVote,
    });
  },
  answersTable,
  recogniseAnswers: () => undefined,
  scoreAnswers(answers, gold, goldName) {
    const pairs = gold.map(([task, label]) => [task, String(label)] as const);
    const { scored, missing, certain } = matchAnswers(answers as Answers, pairs, goldName);
    const notes = [
      ...(missing > 0 ? [`${count(missing, "gold task")} without an answer are left out.`] : []),
      ...(certain
        ? [
            "the file has no probabilities, so log-loss, Brier score and ECE are of certain answers.",
          ]
        : []),
    ];
    return { scores: scoresOfLabels(scored, {}), notes };
  },
};

/** Returns the metrics of labels by id. */
export function metricValues({ accuracy, logLoss, brier, calibration }: Metrics) {
  return {
    accuracy: accuracy.split,
    log_loss: logLoss,
    brier,
    ece: calibration.ece.value,
  };
}

/** Scores beliefs about classes. */
export function scoresOfLabels(
  scored: Scored,
  more: { readonly majorityVote?: number; readonly folds?: number },
): Scores {
  const metrics = evaluate(scored);
  const document = metricsDocument(metrics, more);
  return {
    line: accuracyLine(document),
    values: metricValues(metrics),
    document,
    table: metricsText(document),
    credits: credits(scored),
    details: { metrics, document } satisfies Details,
  };
}

/** What a verdict looks at of the scores. */
function goldCheck(scores: Scores | undefined): GoldCheck | undefined {
  if (!scores) return undefined;
  const { accuracy, calibration } = (scores.details as Details).metrics;
  const sure = calibration.bins.reduce((sum, { tasks, confidence }) => sum + tasks * confidence, 0);
  return { tasks: accuracy.tasks, accuracy: accuracy.chosen, confidence: sure / accuracy.tasks };
}

/** What judging finds: intervals of the skills, and whether the labels determine the answers. */
interface Judged {
  readonly intervals: SkillIntervals | undefined;
  /** Undefined for more labels than are checked along with every result. */
  readonly checks: readonly Check[] | undefined;
  readonly scoreIntervals: ScoreIntervals | undefined;
  readonly dependence: Dependence | undefined;
  readonly forecast: Forecast | undefined;
  readonly seed: number;
}

function* judgeSteps(data: CategoricalData, result: Aggregation, seed: number) {
  const intervals = yield* skillIntervalSteps(data, result, { seed: 0 });
  if (data.label.length > MOST_CHECKED) {
    const unknown = { checks: undefined, scoreIntervals: undefined, dependence: undefined };
    const forecast = undefined;
    return { intervals, ...unknown, forecast, seed } satisfies Judged;
  }
  yield { iteration: 1, objective: 0, stage: "checking identifiability" };
  const voices = oneVoiceEach(data, copiesOf(data, result));
  const { checks } = identifiability(voices, result, { seed });
  const scoreIntervals = yield* scoreIntervalSteps(data, result, { seed });
  const dependence = yield* dependenceSteps(data, result, { seed }, false);
  const forecast =
    data.classes.length <= MOST_FORECAST_CLASSES
      ? yield* forecastSteps(voices, { ...ROUGH_FORECAST, seed })
      : undefined;
  return { intervals, checks, scoreIntervals, dependence, forecast, seed } satisfies Judged;
}

const prepared = new WeakMap<object, ReturnType<typeof answerFiles<Aggregation>>>();

/** The outcome with the names that may be shown, its tables and scores; made once. */
function shown({ data, result, judged, anonymous }: Outcome<CategoricalData, Aggregation>) {
  const { intervals, seed } = judged as Judged;
  const known = prepared.get(judged as object);
  if (known) return known;
  const made = answerFiles(data, result, { anonymous, seed, intervals });
  prepared.set(judged as object, made);
  return made;
}

function reportOf(outcome: Outcome<CategoricalData, Aggregation>) {
  const details = outcome.scores?.details as Details | undefined;
  const judged = outcome.judged as Judged;
  const { data: sample } = sampleTasks(outcome.data, {}, AGREEMENT_SAMPLE, 0);
  return aggregationReport({
    ...shown(outcome),
    metrics: details?.metrics,
    majorityVote: details?.document.majorityVote,
    folds: details?.document.folds,
    agreement: agreement(sample),
    checks: judged.checks,
    scoreIntervals: judged.scoreIntervals,
    dependence: judged.dependence,
    forecast: judged.forecast,
    verdict: outcome.verdict,
    since: outcome.since,
    content: outcome.content,
    fingerprint: fingerprint(outcome.data),
  });
}

function documentOf(result: Aggregation): object {
  const { sharedErrors } = result as { readonly sharedErrors?: SharedErrors };
  return {
    prior: Array.from(result.prior, rounded),
    ...(sharedErrors && {
      sharedErrors: Object.fromEntries(
        Object.entries(sharedErrors).map(([name, value]) => [name, rounded(value)]),
      ),
    }),
  };
}
