/** Labels and their answers in lines for a terminal. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { maxOf } from "../math/lists.ts";
import type { MetricsDocument } from "./result-json.ts";
import { brief, count, lengthOf } from "./text.ts";

/** Longer names of classes are shortened, so that tables fit a terminal. */
const LONGEST_NAME = 34;

/** Says in one sentence how accurate the answers are. */
export function accuracyLine({
  accuracy: { value, low, high },
  tasks,
  majorityVote: vote,
  folds,
  ties,
}: MetricsDocument): string {
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  const held = folds ? ` (gold not used to fit, ${folds} folds)` : "";
  const against = vote === undefined ? "" : `; majority vote ${percent(vote)}`;
  const tied = ties > 0 ? `, ${ties} tied` : "";
  return `Accuracy ${percent(value)} [${percent(low)}, ${percent(high)}] on ${count(tasks, "gold task")}${tied}${held}${against}.`;
}

/** Says how many tasks have each answer, and how many answers are sure. */
export function answersText(data: CategoricalData, result: Aggregation): string {
  const K = data.classes.length;
  const counts = Array.from(
    data.classes,
    (_, k) => result.consensus.filter((each) => each === k).length,
  );
  const names = Array.from(data.classes, (name) => brief(name, LONGEST_NAME));
  const width = maxOf(names.map(lengthOf), 5);
  const sure = result.consensus.filter(
    (k, t) => k >= 0 && result.posterior[t * K + k] >= 0.9,
  ).length;
  return [
    `${"class".padEnd(width)}  tasks`,
    ...names.map((name, k) => `${name.padEnd(width)}  ${counts[k].toLocaleString("en-US")}`),
    "",
    `${sure.toLocaleString("en-US")} of ${count(data.tasks.length, "task")} answered with a probability of at least .9`,
  ].join("\n");
}

/** Lists every score, and those of each class. */
export function metricsText(metrics: MetricsDocument): string {
  const four = (x: number) => x.toFixed(4);
  const interval = ({ value, low, high }: { value: number; low: number; high: number }) =>
    `${four(value)}  [${four(low)}, ${four(high)}]`;
  const lines: [string, string][] = [
    ["gold tasks", String(metrics.tasks)],
    ["accuracy", interval(metrics.accuracy)],
    ["  ties shared", four(metrics.accuracySplit)],
    ["  ties to the first", four(metrics.accuracyFirst)],
    ["  ties to the last", four(metrics.accuracyLast)],
    ["balanced accuracy", four(metrics.balancedAccuracy)],
    ["macro F1", four(metrics.macroF1)],
    ...(metrics.auc === undefined ? [] : [["AUC", four(metrics.auc)] as [string, string]]),
    ["log-loss", four(metrics.logLoss)],
    ["Brier score", four(metrics.brier)],
    ["ECE", interval(metrics.ece)],
  ];
  const names = metrics.classes.map((score) => brief(score.class, LONGEST_NAME));
  const width = maxOf(names.map(lengthOf), 5);
  return [
    ...lines.map(([name, value]) => `${name.padEnd(20)}${value}`),
    "",
    `${"class".padEnd(width)}  precision  recall      f1    gold  answered`,
    ...metrics.classes.map(
      (score, k) =>
        `${names[k].padEnd(width)}  ${four(score.precision).padStart(9)}  ${four(score.recall)}  ${four(score.f1)}` +
        `  ${String(score.gold).padStart(6)}  ${String(score.answered).padStart(8)}`,
    ),
    "",
  ].join("\n");
}
