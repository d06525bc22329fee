/** From sets of labels to a report: the sets that are least certain, the labels, the workers. */
import { chosenLabels, type MultiLabelResult } from "../aggregate/multi-label/labeller.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import { fingerprintOf } from "../data/fingerprint.ts";
import type { MultiLabelData } from "../data/multi-label.ts";
import type { MultiLabelAgreement } from "../diagnose/multi-label-agreement.ts";
import { multiLabelWorkers } from "../diagnose/multi-label-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import type { MultiLabelMetrics } from "../evaluate/multi-label.ts";
import type { ClassBalanceChart } from "./charts/chart.ts";
import { columnsOf } from "./columns.ts";
import { contentRows, type KindReportInput } from "./kind-report.ts";
import type { Report, Section, Table } from "./model.ts";
import { calibrationChart } from "./sections/common/calibration.ts";
import { checksSection } from "./sections/common/checks.ts";
import { fairnessSections } from "./sections/common/fairness.ts";
import { objectiveSection } from "./sections/common/objective.ts";
import { portfolioSection } from "./sections/common/portfolio.ts";
import { provenanceSection } from "./sections/common/provenance.ts";
import { sinceSection } from "./sections/common/since.ts";
import { standingTables, standingText } from "./sections/common/standing.ts";
import { brief, count, decimal, finite, grouped, percent } from "./text.ts";
import { reportVerdict } from "./verdict-text.ts";

export type MultiLabelReportInput = KindReportInput<
  MultiLabelData,
  MultiLabelResult,
  MultiLabelAgreement,
  MultiLabelMetrics
>;

/** Rows of a table, and of a chart, at most. */
const TABLED = 200;
const CHARTED = 30;

export function multiLabelReport(input: MultiLabelReportInput): Report {
  const { data, result, card, metrics, agreement } = input;
  const found = result.chosen.reduce((sum, each) => sum + each, 0);
  return {
    title: `Sets of labels from ${count(data.task.length, "answer")}`,
    subtitle: `${card.title} on ${count(data.tasks.length, "task")} and ${count(data.workers.length, "worker")}`,
    ...(input.verdict && { verdict: reportVerdict(input.verdict) }),
    facts: [
      ["Answers", grouped(data.task.length)],
      ["Tasks", grouped(data.tasks.length)],
      ["Workers", grouped(data.workers.length)],
      ["Labels", grouped(data.classes.length)],
      ["Labels per answer", decimal(data.label.length / Math.max(1, data.task.length), 2)],
      ["Labels per task in the result", decimal(found / Math.max(1, data.tasks.length), 2)],
      ...(metrics
        ? ([
            ["Micro F1", percent(metrics.microF1.value)],
            ["Whole sets right", percent(metrics.setAccuracy.value)],
          ] as const)
        : []),
      ...(agreement.alpha.defined
        ? [["Krippendorff's alpha of sets", decimal(agreement.alpha.value)] as const]
        : []),
    ],
    notes: [...data.notes, ...result.notes].map((note) => brief(note, 1000)),
    sections: [
      sinceSection(input.since),
      setsSection(input),
      labelsSection(input),
      metrics ? goldSection(metrics) : undefined,
      workersSection(input),
      checksSection(input.checks),
      agreementSection(agreement),
      portfolioSection(result, "answer"),
      objectiveSection(result),
      ...fairnessSections(input.fairness),
      provenanceSection(result, card, multiLabelFingerprint(data)),
    ].filter((section) => section !== undefined),
  };
}

/** Returns the fingerprint of sets of labels. */
export function multiLabelFingerprint(data: MultiLabelData): string {
  return fingerprintOf(
    [data.tasks, data.workers, data.classes],
    [data.task, data.worker, data.start, data.label, Int32Array.from(data.gold)],
  );
}

/** The sets that are least certain, those first. */
function setsSection({ data, result, content }: MultiLabelReportInput): Section {
  const { setProbability, chosen, posterior, classes } = result;
  const [T, L] = [data.tasks.length, classes.length];
  const answers = labelsPerTask(data);
  const order = Array.from(setProbability.keys()).sort(
    (a, b) => setProbability[a] - setProbability[b] || a - b,
  );
  const unsure = order.slice(0, TABLED);
  const named = (labels: Int32Array) => Array.from(labels, (l) => classes.at(l)).join(", ");
  const table: Table = {
    id: "sets",
    caption: "The least certain sets",
    columns: columnsOf({
      Task: "text",
      Labels: "text",
      "Least certain label": "text",
      "Its probability": "number",
      Answers: "integer",
      "Probability of the set": "number",
    }),
    rows: unsure.map((t) => {
      const doubt = nearestHalf(posterior.subarray(t * L, (t + 1) * L));
      return [
        brief(data.tasks.at(t)),
        brief(named(chosenLabels(chosen, L, t)), 200) || "none",
        brief(classes.at(doubt)),
        finite(posterior[t * L + doubt]),
        answers[t],
        finite(setProbability[t]),
      ];
    }),
    ...contentRows(
      content,
      unsure.map((t) => data.tasks.at(t)),
    ),
    ...(T > unsure.length && { more: "sets.csv has every set." }),
  };
  const empty = order.filter((t) => !chosen.subarray(t * L, (t + 1) * L).includes(1)).length;
  const below = setProbability.filter((p) => p < 0.5).length;
  return {
    id: "sets",
    title: "Sets",
    text: [
      `${count(T, "task")}, ${grouped(empty)} of them without a label. The set of ${count(below, "task")} has a probability below one half. ` +
        "The probability of a set is that of exactly these labels and no other, under the method; models are too sure of " +
        "themselves, so take it as an order. Those listed first deserve a look.",
    ],
    charts: [],
    tables: T > 0 ? [table] : [],
  };
}

/** The label whose probability is nearest to a half. */
function nearestHalf(posterior: Float64Array): number {
  let best = 0;
  posterior.forEach((p, l) => {
    if (Math.abs(p - 0.5) < Math.abs(posterior[best] - 0.5)) best = l;
  });
  return best;
}

function labelsSection({ data, result, agreement, metrics }: MultiLabelReportInput): Section {
  const L = data.classes.length;
  const [given, found] = [new Float64Array(L), new Float64Array(L)];
  for (const l of data.label) given[l]++;
  result.chosen.forEach((each, at) => {
    found[at % L] += each;
  });
  const order = Array.from(given.keys()).sort((a, b) => given[b] - given[a] || a - b);
  const exclusive =
    result.exclusive < 0
      ? ""
      : ` The label ${brief(data.classes.at(result.exclusive))} excludes all others.`;
  return {
    id: "labels",
    title: "Labels",
    text: [
      "How many answers chose each label, how many tasks have it in the result, and how much workers agree on it " +
        `(Krippendorff's alpha of chosen or not).${exclusive}`,
    ],
    charts: [balanceChart(data, given, found, order.slice(0, CHARTED))],
    tables: [
      {
        id: "labels",
        caption: "Labels, those chosen most first",
        columns: columnsOf({
          Label: "text",
          Chosen: "integer",
          Tasks: "integer",
          Agreement: "number",
          ...(metrics && { F1: "number" as const }),
        }),
        rows: order.slice(0, TABLED).map((l) => {
          const {
            found: said,
            gold,
            right,
          } = metrics?.perLabel[l] ?? { found: 0, gold: 0, right: 0 };
          return [
            brief(data.classes.at(l)),
            given[l],
            found[l],
            finite(agreement.labels[l]),
            ...(metrics ? [finite((2 * right) / (said + gold))] : []),
          ];
        }),
        ...(L > TABLED && { more: `${count(L - TABLED, "more label")} in truth.csv.` }),
      },
    ],
  };
}

/** How common labels are among those that workers chose, and among those of the result. */
function balanceChart(
  { classes }: MultiLabelData,
  given: Float64Array,
  found: Float64Array,
  shown: readonly number[],
): ClassBalanceChart {
  const shares = (counts: Float64Array) => {
    const total = counts.reduce((sum, n) => sum + n, 0);
    return shown.map((l) => (total > 0 ? counts[l] / total : 0));
  };
  const [labels, answers] = [shares(given), shares(found)];
  const names = shown.map((l) => brief(classes.at(l), 40));
  return {
    kind: "class-balance",
    id: "label-balance",
    title: "Labels that workers chose, and labels of the result",
    description: names
      .slice(0, 10)
      .map(
        (name, i) =>
          `${name} ${percent(labels[i])} of the chosen, ${percent(answers[i])} of the result`,
      )
      .join("; "),
    classes: names,
    labels,
    answers,
  };
}

function goldSection(metrics: MultiLabelMetrics): Section {
  const { tasks, labels, precision, recall, microF1, macroF1, setAccuracy, hamming } = metrics;
  const ece = metrics.calibration?.ece;
  return {
    id: "gold",
    title: "Against gold",
    text: [
      `On ${count(tasks, "task")} with known labels, ${grouped(labels.right)} of ${count(labels.found, "label")} in the result are among the ` +
        `${grouped(labels.gold)} of gold. The whole set is right on ${percent(setAccuracy.value)} of the tasks.`,
    ],
    charts: metrics.calibration
      ? [
          calibrationChart(
            metrics.calibration,
            "Do labels with 80 % belong 80 times of 100?",
            "label",
          ),
        ]
      : [],
    tables: [
      {
        id: "gold",
        caption: "Scores, with 95 % intervals",
        columns: columnsOf({ Score: "text", Value: "number", From: "number", To: "number" }),
        rows: [
          ["Precision", finite(precision), null, null],
          ["Recall", finite(recall), null, null],
          ["Micro F1", finite(microF1.value), finite(microF1.low), finite(microF1.high)],
          ["Macro F1", finite(macroF1), null, null],
          [
            "Whole sets right",
            finite(setAccuracy.value),
            finite(setAccuracy.low),
            finite(setAccuracy.high),
          ],
          ["Share of labels wrong", finite(hamming), null, null],
          ...(ece ? [["ECE of labels", finite(ece.value), finite(ece.low), finite(ece.high)]] : []),
        ],
      },
    ],
  };
}

function agreementSection({ alpha, mean, same }: MultiLabelAgreement): Section {
  return {
    id: "agreement",
    title: "Agreement",
    text: [
      "How much workers agree: Krippendorff's alpha of whole sets, where sets that share labels are nearer than sets that do " +
        "not (MASI), and the mean of the alphas of labels, chosen or not.",
    ],
    charts: [],
    tables: [
      {
        id: "agreement",
        caption: "Agreement",
        columns: columnsOf({ Measure: "text", Value: "number", From: "number", To: "number" }),
        rows: [
          alpha.defined
            ? [
                "Krippendorff's alpha of sets",
                finite(alpha.value),
                finite(alpha.low),
                finite(alpha.high),
              ]
            : ["Krippendorff's alpha of sets", null, null, null],
          ["Krippendorff's alpha of labels, mean", finite(mean), null, null],
          ["Pairs of answers with the same set", finite(same), null, null],
        ],
      },
    ],
  };
}

function workersSection({ data, result, workers }: MultiLabelReportInput): Section {
  const judged = multiLabelWorkers(data, result);
  const order = worstFirst(judged).filter((w) => result.workload[w] > 0);
  return {
    id: "workers",
    title: "Workers",
    text: [
      "The overlap of each worker's sets with those of the result (labels of both over labels of either, on average), how " +
        "many labels that belong the worker finds (sensitivity), and how many that do not belong the worker leaves out " +
        "(specificity). Informativeness is 0 for guessing and 1 for a perfect worker.",
    ],
    charts: [],
    tables: standingTables(judged, order, TABLED, {
      columns: columnsOf({
        Worker: "text",
        Answers: "integer",
        Overlap: "number",
        Sensitivity: "number",
        Specificity: "number",
        Informativeness: "number",
        "Against guessing": "text",
      }),
      row: (w) => [
        brief(workers.at(w)),
        result.workload[w],
        finite(judged[w].skill),
        finite(judged[w].sensitivity),
        finite(judged[w].specificity),
        finite(judged[w].informativeness),
        standingText(judged[w], "answers"),
      ],
    }),
  };
}
