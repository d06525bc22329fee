/**
 * Ordered classes: labels whose distance counts. All that labels have, with a decision and scores that know the
 * order.
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { type OrdinalResult, onLevels } from "../aggregate/ordinal/levels.ts";
import { methodList, ordinalMethods } from "../auto/index.ts";
import type { Known } from "../belief/known.ts";
import { asLabels, type OrdinalData } from "../data/ordinal.ts";
import type { Scored } from "../evaluate/accuracy.ts";
import { FOLDS, scoredWith } from "../evaluate/gold-folds.ts";
import { matchAnswers } from "../evaluate/match-answers.ts";
import { evaluateLevels, type OrdinalMetrics } from "../evaluate/ordinal.ts";
import type { Answers } from "../io/answers.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { ordinalReading } from "../io/sinks/ordinal.ts";
import { rounded } from "../report/csv-files.ts";
import type { Section } from "../report/model.ts";
import { count, decimal, percent } from "../report/text.ts";
import { maybe } from "./answers.ts";
import { categorical, scoresOfLabels } from "./categorical.ts";
import type { Kind, KindMethod, Scores } from "./kind.ts";

/** The same record for data that differ in nothing but the name of their kind. */
// No learner knows of an order.
const { learning: _, ...labels } = categorical as unknown as Kind<OrdinalData, OrdinalResult>;

type Methods = readonly KindMethod<OrdinalData, OrdinalResult>[];

export const ordinal: Kind<OrdinalData, OrdinalResult> = {
  ...labels,
  id: "ordinal",
  title: "Ordered classes",
  methods: Object.values(ordinalMethods) as unknown as Methods,
  borrowed: methodList
    .filter(({ id }) => !Object.hasOwn(ordinalMethods, id))
    .map((method) => onLevels(method)) as unknown as Methods,
  defaultMethod: "auto",
  reading: ordinalReading,
  counts: (data) => [...labels.counts(data).slice(0, -1), count(data.classes.length, "level")],
  *answers(data, result) {
    const name = (k: number) => (k < 0 ? null : data.classes.at(k));
    for (let t = 0; t < data.tasks.length; t++) {
      yield {
        task: data.tasks.at(t),
        label: name(result.consensus[t]),
        confidence: result.confidence[t],
        low: name(result.low[t]),
        high: name(result.high[t]),
        expectedError: maybe(result.expectedError[t]),
      };
    }
  },
  metrics: [
    { id: "mae", title: "MAE", digits: 4, better: "lower" },
    { id: "rmse", title: "RMSE", digits: 4, better: "lower" },
    { id: "quadratic_kappa", title: "Quadratic kappa", digits: 4, better: "higher" },
    { id: "accuracy", title: "Accuracy", digits: 4, better: "higher", share: true },
    { id: "log_loss", title: "Log-loss", digits: 4, better: "lower", detail: true },
    { id: "ece", title: "ECE", digits: 4, better: "lower", detail: true },
  ],
  async score(data, result, known, refit) {
    const fitWith = refit as unknown as (known: object, part: string) => Promise<Aggregation>;
    const beliefs = result as unknown as Aggregation;
    const scored = await scoredWith(asLabels(data), beliefs, known as Known, fitWith);
    return scoresOf(scored, (known as Known).gold ? { folds: FOLDS } : {});
  },
  credits: (data, { consensus }) => creditsOf({ consensus, gold: data.gold }),
  files(outcome) {
    return new Map([...labels.files(outcome), ["truth.csv", truthOf(outcome.result)]]);
  },
  report(outcome) {
    const report = labels.report(outcome);
    const metrics = (outcome.scores?.details as Details | undefined)?.levels;
    const [first, ...rest] = report.sections;
    return {
      ...report,
      title: `Levels from ${count(outcome.data.label.length, "label")}`,
      facts: metrics
        ? [...report.facts, ["Mean absolute error", decimal(metrics.mae.value)]]
        : report.facts,
      sections: [first, levelsSection(outcome.result, metrics), ...rest],
    };
  },
  truth: truthOf,
  diagnose: (data, result, settings) =>
    labels.diagnose(data, result, { ...settings, scale: settings.scale ?? "ordinal" }),
  scoreAnswers(answers, gold, goldName) {
    const pairs = gold.map(([task, label]) => [task, String(label)] as const);
    const { scored, missing } = matchAnswers(answers as Answers, pairs, goldName);
    const notes =
      missing > 0 ? [`${count(missing, "gold task")} without an answer are left out.`] : [];
    return { scores: scoresOf(scored, {}), notes };
  },
};

/** What the report wants of the scores besides those of labels. */
interface Details {
  readonly levels: OrdinalMetrics;
}

/** The absolute error of each task with gold and an answer, larger is better. */
function creditsOf({
  consensus,
  gold,
}: Pick<Scored, "gold"> & { consensus: Int32Array }): Float64Array {
  const known = Array.from(gold.keys()).filter((t) => gold[t] >= 0 && consensus[t] >= 0);
  return Float64Array.from(known, (t) => -Math.abs(consensus[t] - gold[t]));
}

/** Scores levels, and beliefs as those of labels. */
function scoresOf(scored: Scored, more: { readonly folds?: number }): Scores {
  const base = scoresOfLabels(scored, more);
  const consensus = scored.consensus ?? new Int32Array(0);
  const levels = evaluateLevels({ consensus, gold: scored.gold, levels: scored.classes.length });
  const { tasks, mae, rmse, quadraticKappa, accuracy } = levels;
  const interval = `[${decimal(mae.low)}, ${decimal(mae.high)}]`;
  const held = more.folds ? ` (gold not used to fit, ${more.folds} folds)` : "";
  return {
    ...base,
    line:
      `Mean absolute error ${decimal(mae.value)} ${interval} levels on ${count(tasks, "gold task")}${held}; ` +
      `${percent(accuracy)} exactly right, quadratic kappa ${decimal(quadraticKappa)}.`,
    values: { ...base.values, mae: mae.value, rmse, quadratic_kappa: quadraticKappa, accuracy },
    credits: creditsOf({ consensus, gold: scored.gold }),
    document: {
      ...base.document,
      levels: {
        mae: { value: rounded(mae.value), low: rounded(mae.low), high: rounded(mae.high) },
        rmse: rounded(rmse),
        quadraticKappa: Number.isNaN(quadraticKappa) ? null : rounded(quadraticKappa),
      },
    },
    table: [
      `MAE in levels       ${mae.value.toFixed(4)}  [${mae.low.toFixed(4)}, ${mae.high.toFixed(4)}]`,
      `RMSE in levels      ${rmse.toFixed(4)}`,
      `quadratic kappa     ${quadraticKappa.toFixed(4)}`,
      base.table,
    ].join("\n"),
    details: { ...(base.details as object), levels } satisfies Details,
  };
}

/** task,label,confidence,low,high,expected_error: one level per task with its 95 % interval. */
function truthOf(result: OrdinalResult): Iterable<string> {
  const name = (k: number) => (k < 0 ? "" : result.classes.at(k));
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (let t = 0; t < result.tasks.length; t++) {
      const error = result.expectedError[t];
      yield [
        result.tasks.at(t),
        name(result.consensus[t]),
        rounded(result.confidence[t]),
        name(result.low[t]),
        name(result.high[t]),
        Number.isNaN(error) ? undefined : rounded(error),
      ];
    }
  }
  return writeCsv(["task", "label", "confidence", "low", "high", "expected_error"], rows());
}

/** How far answers may be off, in levels. */
function levelsSection(result: OrdinalResult, metrics: OrdinalMetrics | undefined): Section {
  const known = result.expectedError.filter((error) => !Number.isNaN(error));
  const expected = known.reduce((sum, error) => sum + error, 0) / Math.max(1, known.length);
  const wide = result.low.filter((low, t) => low >= 0 && result.high[t] - low >= 2).length;
  return {
    id: "levels",
    title: "How far off in levels?",
    text: [
      `Answers are ${DECISIONS[String(result.options["decision"])]}. The method expects them to be ${decimal(expected)} levels off on average, ` +
        "if its model is right; models tend to be overconfident.",
      ...(metrics
        ? [
            `Against gold they are ${decimal(metrics.mae.value)} levels off [${decimal(metrics.mae.low)}, ${decimal(metrics.mae.high)}] on ` +
              `${count(metrics.tasks, "task")}: root mean square ${decimal(metrics.rmse)}, quadratic kappa ${decimal(metrics.quadraticKappa)}.`,
          ]
        : []),
      ...(wide > 0
        ? [`The 95 % interval of ${count(wide, "task")} spans three levels or more.`]
        : []),
    ],
    tables: [],
    charts: [],
  };
}

const DECISIONS: Readonly<Record<string, string>> = {
  median: "medians, which have the least expected absolute error",
  mode: "the most probable levels",
  mean: "rounded means",
};
