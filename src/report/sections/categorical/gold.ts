/** How good the answers are where the truth is known. */
import type { Metrics } from "../../../evaluate/index.ts";
import type { ConfusionHeatmapChart } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import type { Material } from "../../input.ts";
import type { Cell, Section, Table } from "../../model.ts";
import { brief, count, decimal, finite, percent } from "../../text.ts";
import { calibrationChart } from "../common/calibration.ts";
import { CHARTED, commonest } from "./answers.ts";

const CLASSES = 200;

export function goldSection(input: Material): Section | undefined {
  const { metrics, majorityVote, folds, data } = input;
  if (!metrics) return undefined;
  const { accuracy, calibration } = metrics;
  const { value, low, high } = accuracy.chosen;
  const against =
    majorityVote === undefined
      ? ""
      : ` A majority vote, ties shared, is right on ${percent(majorityVote, 2)}; ${difference(accuracy.split - majorityVote)}.`;
  return {
    id: "gold",
    title: "Against gold",
    text: [
      `${percent(value, 2)} of ${count(accuracy.tasks, "task")} with gold are answered right, ` +
        `with an interval from ${percent(low)} to ${percent(high)}.${against}` +
        (folds
          ? ` Gold was used to fit, so each of ${folds} parts was scored without its own.`
          : ""),
      calibrationWords(metrics),
    ],
    charts: [
      calibrationChart(calibration, "Does 80 % sure mean right 80 times of 100?", "task"),
      ...(data.classes.length > 1 ? [goldConfusion(input, metrics)] : []),
    ],
    tables: [measureTable(metrics, majorityVote), classTable(metrics)],
  };
}

function difference(gap: number): string {
  if (Math.abs(gap) < 5e-5) return "by the same rule these answers are as good";
  const points = decimal(Math.abs(100 * gap), 2);
  return `by the same rule these answers are ${points} points ${gap > 0 ? "better" : "worse"}`;
}

function calibrationWords({ calibration: { ece, bins } }: Metrics): string {
  const tasks = bins.reduce((sum, bin) => sum + bin.tasks, 0);
  const gap = bins.reduce(
    (sum, bin) => sum + (bin.tasks / tasks) * (bin.confidence - bin.accuracy.value),
    0,
  );
  const direction =
    Math.abs(gap) < 0.005
      ? "neither too sure nor too modest"
      : gap > 0
        ? `too sure, by ${decimal(100 * gap, 1)} points`
        : `too modest, by ${decimal(-100 * gap, 1)} points`;
  return `On average the probabilities are ${direction}; bin by bin they are ${decimal(100 * ece.value, 1)} points off (ECE).`;
}

function measureTable({ accuracy, perClass, ...metrics }: Metrics, vote?: number): Table {
  const row = (name: string, value: number | undefined, meaning: string): Cell[][] =>
    value === undefined ? [] : [[name, finite(value), null, null, meaning]];
  const { chosen } = accuracy;
  const { ece } = metrics.calibration;
  return {
    id: "measures",
    caption: "Measures",
    columns: columnsOf({
      Measure: "text",
      Value: "number",
      From: "number",
      To: "number",
      Meaning: "text",
    }),
    rows: [
      [
        "Accuracy",
        chosen.value,
        chosen.low,
        chosen.high,
        "Share of right answers; a task without one counts as wrong.",
      ],
      ...row(
        "Accuracy, ties shared",
        accuracy.split,
        "One of n tied classes earns 1/n, as in most published tables.",
      ),
      ...row("Accuracy, ties to the first class", accuracy.first, "In the order of the classes."),
      ...row("Accuracy, ties to the last class", accuracy.last, "In the order of the classes."),
      ...row(
        "Accuracy without ties",
        accuracy.decided,
        `${count(accuracy.ties, "tied task")} left out.`,
      ),
      ...row("Majority vote, ties shared", vote, "The same tasks, every label counting alike."),
      ...row("Balanced accuracy", perClass.balancedAccuracy, "Mean recall over the classes."),
      ...row("Macro F1", perClass.macroF1, "Mean F1 over the classes."),
      ...row("AUC", metrics.auc, "How well P(second class) puts the tasks in order; .5 is chance."),
      ...row("Log-loss", metrics.logLoss, "Nats; lower is better, being sure and wrong is worst."),
      ...row(
        "Brier score",
        metrics.brier,
        "Squared distance of the probabilities from gold; lower is better.",
      ),
      [
        "Calibration error (ECE)",
        ece.value,
        ece.low,
        ece.high,
        "Mean distance between confidence and accuracy.",
      ],
    ],
  };
}

function classTable({ perClass }: Metrics): Table {
  const { classes } = perClass;
  const shown = commonest([...classes.keys()], (k) => classes[k].gold, CLASSES);
  const rest = classes.length - shown.length;
  return {
    id: "class-scores",
    caption: "By class",
    columns: columnsOf({
      Class: "text",
      Gold: "integer",
      Answered: "integer",
      Precision: "percent",
      Recall: "percent",
      F1: "percent",
    }),
    rows: shown.map((k) => {
      const { class: name, gold, answered, precision, recall, f1 } = classes[k];
      return [
        brief(name),
        gold,
        answered,
        answered > 0 ? precision : null,
        gold > 0 ? recall : null,
        gold > 0 ? f1 : null,
      ];
    }),
    ...(rest > 0 && { more: `${count(rest, "rarer class", "rarer classes")} not shown.` }),
  };
}

function goldConfusion({ data }: Material, { perClass }: Metrics): ConfusionHeatmapChart {
  const K = data.classes.length;
  const shown = commonest([...[...data.classes].keys()], (k) => perClass.classes[k].gold, CHARTED);
  const names = shown.map((k) => brief(data.classes.at(k)));
  const values = shown.map((g) => {
    const { gold } = perClass.classes[g];
    return shown.map((k) => (gold > 0 ? perClass.counts[g * K + k] / gold : 0));
  });
  const words = names
    .slice(0, 10)
    .map((name, i) => `${brief(name, 40)} ${percent(values[i][i], 0)}`);
  return {
    kind: "confusion-heatmap",
    id: "gold-confusion",
    title: "Answers, by gold",
    description: `Share of the gold tasks of each class that are answered right: ${words.join("; ")}.`,
    rowName: "Gold",
    columnName: "Answer",
    rows: names,
    columns: names,
    panels: [{ title: "Answers", values }],
  };
}
