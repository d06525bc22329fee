/** From numbers to a report: the values, the least certain of them, the workers. */
import type { NumericResult } from "../aggregate/numeric/estimator.ts";
import { fingerprintOf } from "../data/fingerprint.ts";
import { type NumericData, taskCount, withinTasks } from "../data/numeric.ts";
import { spread } from "../data/summary.ts";
import type { EffectiveAnswerers } from "../diagnose/effective/effective-answerers.ts";
import type { NumericAgreement } from "../diagnose/numeric-agreement.ts";
import { numericWorkers, numericWorstFirst } from "../diagnose/numeric-workers.ts";
import type { NumericMetrics } from "../evaluate/numeric.ts";
import { columnsOf } from "./columns.ts";
import { contentRows, intervalsChart, type KindReportInput } from "./kind-report.ts";
import type { Report, Section, Table } from "./model.ts";
import { checksSection } from "./sections/common/checks.ts";
import { fairnessSections } from "./sections/common/fairness.ts";
import { objectiveSection } from "./sections/common/objective.ts";
import { portfolioSection } from "./sections/common/portfolio.ts";
import { provenanceSection } from "./sections/common/provenance.ts";
import { sinceSection } from "./sections/common/since.ts";
import { standingTables, standingText } from "./sections/common/standing.ts";
import { turnsSection } from "./sections/common/turns.ts";
import { brief, count, decimal, finite, grouped, percent } from "./text.ts";
import { reportVerdict } from "./verdict-text.ts";

export type NumericReportInput = KindReportInput<
  NumericData,
  NumericResult,
  NumericAgreement,
  NumericMetrics
> & {
  /** How many independent workers there are, where that was asked for. */
  readonly effective?: EffectiveAnswerers | undefined;
};

/** Rows of a table, and lines of a chart, at most. */
const TABLED = 200;
const CHARTED = 30;

export function numericReport(input: NumericReportInput): Report {
  const { data, result, card, metrics, agreement } = input;
  const perTask = spread(result.support);
  return {
    title: `Values from ${count(data.value.length, "answer")}`,
    subtitle: `${card.title} on ${count(taskCount(data), "task")} and ${count(data.workers.length, "worker")}`,
    ...(input.verdict && { verdict: reportVerdict(input.verdict) }),
    facts: [
      ["Answers", grouped(data.value.length)],
      ["Tasks", grouped(taskCount(data))],
      ...(data.outputs ? [["Outputs", grouped(data.outputs.names.length)] as const] : []),
      ["Workers", grouped(data.workers.length)],
      ["Answers per task, median", decimal(perTask.median, 1).replace(/\.0$/, "")],
      ...(data.outputs
        ? []
        : [["Spread within a task (s.d.)", decimal(agreement.within)] as const]),
      ...(metrics ? [["Mean absolute error", decimal(metrics.mae.value)] as const] : []),
      ...(Number.isNaN(agreement.alpha)
        ? []
        : [["Krippendorff's alpha (interval)", decimal(agreement.alpha)] as const]),
    ],
    notes: [...data.notes, ...result.notes].map((note) => brief(note, 1000)),
    sections: [
      sinceSection(input.since),
      valuesSection(input),
      ...(metrics ? [goldSection(metrics)] : []),
      workersSection(input),
      effectiveSection(input),
      turnsSection(input.drift),
      ...fairnessSections(input.fairness),
      checksSection(input.checks),
      portfolioSection(result, "answer"),
      objectiveSection(result),
      provenanceSection(result, card, numericFingerprint(data)),
    ].filter((section) => section !== undefined),
  };
}

/** Returns the fingerprint of numeric data. */
export function numericFingerprint(data: NumericData): string {
  const { tasks, workers, outputs } = data;
  return fingerprintOf(
    [tasks, workers, ...(outputs ? [outputs.names] : [])],
    [data.task, data.worker, data.value, data.gold, ...(outputs ? [outputs.of] : [])],
  );
}

/** The tasks whose interval is widest, the least certain first; without intervals none. */
function leastCertain(data: NumericData, { low, high }: NumericResult, most: number): number[] {
  const { outputs } = data;
  // Outputs of unlike units compare in units of their answers' spread.
  const unit = outputs ? withinTasks(data) : undefined;
  const width = high.map((x, t) => (x - low[t]) / (unit && outputs ? unit[outputs.of[t]] : 1));
  return Array.from(width.keys())
    .filter((t) => width[t] > 0)
    .sort((a, b) => width[b] - width[a] || a - b)
    .slice(0, most);
}

function valuesSection(input: NumericReportInput): Section {
  const { data, result } = input;
  const unsure = leastCertain(data, result, TABLED);
  const empty = result.value.filter(Number.isNaN).length;
  const range = rangeText(data, result);
  const chart = intervalsChart(
    { id: "least-certain", title: "The least certain values, with 95 % intervals", xName: "Value" },
    data.tasks,
    result,
    unsure,
    CHARTED,
  );
  return {
    id: "values",
    title: "Values",
    text: [
      range +
        (empty > 0 ? ` ${count(empty, "task")} got no value.` : "") +
        (unsure.length > 0
          ? " The tasks below have the widest intervals: another answer helps most there."
          : ""),
    ],
    // Outputs of unlike units share no axis.
    charts: unsure.length > 0 && !data.outputs ? [chart] : [],
    tables: unsure.length > 0 ? [unsureTable(input, unsure)] : [],
  };
}

/** Where values lie, output by output. */
function rangeText({ outputs }: NumericData, { value }: NumericResult): string {
  const between = (values: Float64Array) => {
    const { min, max, median } = spread(values.filter((x) => !Number.isNaN(x)));
    return `lie between ${decimal(min)} and ${decimal(max)}, with a median of ${decimal(median)}.`;
  };
  if (!outputs) return `Values ${between(value)}`;
  return Array.from(
    outputs.names,
    (name, o) => `Values of ${brief(name)} ${between(value.filter((_, t) => outputs.of[t] === o))}`,
  ).join(" ");
}

function unsureTable(
  { data, result, content }: NumericReportInput,
  unsure: readonly number[],
): Table {
  return {
    id: "least-certain",
    caption: "Tasks with the widest intervals",
    columns: columnsOf({
      Task: "text",
      ...(data.outputs && { Output: "text" as const }),
      Value: "number",
      From: "number",
      To: "number",
      Answers: "integer",
    }),
    rows: unsure.map((t) => [
      brief(data.tasks.at(t)),
      ...(data.outputs ? [brief(data.outputs.names.at(data.outputs.of[t]))] : []),
      finite(result.value[t]),
      finite(result.low[t]),
      finite(result.high[t]),
      result.support[t],
    ]),
    ...contentRows(
      content,
      unsure.map((t) => data.tasks.at(t)),
    ),
    ...(data.tasks.length > unsure.length && { more: "truth.csv has every task." }),
  };
}

function goldSection(metrics: NumericMetrics): Section {
  const { tasks, mae, rmse, bias, spearman, coverage, outputs } = metrics;
  return {
    id: "gold",
    title: "Against gold",
    text: [
      `On ${count(tasks, outputs ? "output" : "task")} with a known value the mean absolute error is ${decimal(mae.value)} ` +
        `(95 % interval ${decimal(mae.low)} to ${decimal(mae.high)}).` +
        (outputs ? " Errors of all outputs together are in units of the s.d. of their gold." : "") +
        (coverage === undefined
          ? ""
          : ` ${percent(coverage)} of the 95 % intervals hold the known value; fewer than about 95 % means that they are too narrow.`),
    ],
    charts: [],
    tables: [
      {
        id: "gold",
        caption: "Scores",
        columns: columnsOf({ Score: "text", Value: "number" }),
        rows: [
          ["Mean absolute error", mae.value],
          ["Root mean square error", rmse],
          ["Mean error (value less gold)", bias],
          ["Spearman's rank correlation", finite(spearman)],
          ...(coverage === undefined ? [] : [["Share of intervals that hold the gold", coverage]]),
          ...Object.entries(outputs ?? {}).map(([name, each]) => [
            `Mean absolute error of ${brief(name)}`,
            each.mae.value,
          ]),
        ],
      },
    ],
  };
}

/** How many independent workers there are, and who goes together. */
function effectiveSection({ effective, workers }: NumericReportInput): Section | undefined {
  if (!effective || effective.workers < 2) return undefined;
  const pairs = effective.correlations.filter(({ dependent }) => dependent).slice(0, TABLED);
  const table: Table = {
    id: "errs-together",
    caption: "Workers who err together",
    columns: columnsOf({
      Worker: "text",
      Other: "text",
      "Correlation of errors": "number",
      "Common tasks": "integer",
    }),
    rows: pairs.map(({ workers: [u, v], correlation, common }) => [
      brief(workers.at(u)),
      brief(workers.at(v)),
      correlation,
      common,
    ]),
  };
  return {
    id: "independent-workers",
    title: "Independent workers",
    text: [
      `${count(effective.workers, "worker")} with 20 answers or more are worth ${decimal(effective.crowd, 1)} independent ones. ` +
        (pairs.length > 0
          ? "Errors of the pairs below go together more than chance would have it: copies of one worker count as one."
          : "No two of them err together more than chance would have it."),
    ],
    charts: [],
    tables: pairs.length > 0 ? [table] : [],
  };
}

function workersSection({ data, result, workers }: NumericReportInput): Section {
  const judged = numericWorkers(data, result);
  const order = numericWorstFirst(judged).filter((w) => result.workload[w] > 0);
  return {
    id: "workers",
    title: "Workers",
    text: [
      "How far each worker's answers lie from the values: the mean difference (bias) and the typical one (root mean square). " +
        (data.outputs
          ? "Outputs count together, each in units of its spread within a task. "
          : "") +
        "Worst first: workers whose answers run against those of the others, then those who cannot be told from guessing, " +
        "then all others by the smallest error that their answers leave possible.",
    ],
    charts: [],
    tables: standingTables(judged, order, TABLED, {
      columns: columnsOf({
        Worker: "text",
        Answers: "integer",
        Bias: "number",
        "Typical error": "number",
        "Against guessing": "text",
      }),
      row: (w) => [
        brief(workers.at(w)),
        result.workload[w],
        finite(result.bias[w]),
        finite(result.error[w]),
        standingText(judged[w], "answers"),
      ],
    }),
  };
}
