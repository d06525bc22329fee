/** What the answers are, and how sure. */
import type { Aggregation } from "../../../aggregate/categorical/aggregator.ts";
import { maxOf } from "../../../math/lists.ts";
import type { ClassBalanceChart, ConfidenceHistogramChart } from "../../charts/chart.ts";
import type { Material } from "../../input.ts";
import type { Column, Section, Table } from "../../model.ts";
import { brief, count, grouped, percent } from "../../text.ts";

/** Answers below this are worth another look. */
const CERTAIN = 0.9;

/** Most classes in a chart, and in a table. */
export const CHARTED = 30;
const TABLED = 200;

const BINS = 20;

export function answersSection(input: Material): Section | undefined {
  const { data, result } = input;
  if (data.classes.length === 0 || data.tasks.length === 0) return undefined;
  const counts = countClasses(input);
  const certain = certainTasks(result);
  const most = counts.answers.indexOf(maxOf(counts.answers));
  const none = result.consensus.reduce((sum, k) => sum + (k < 0 ? 1 : 0), 0);
  return {
    id: "answers",
    title: "Answers",
    text: [
      `${grouped(certain)} of ${count(data.tasks.length, "task")} ` +
        `(${percent(certain / data.tasks.length)}) have an answer that is at least 90 % probable. ` +
        `The most frequent answer is ${brief(data.classes.at(most))}, ` +
        `with ${percent(counts.answers[most] / data.tasks.length)} of the tasks.` +
        (none > 0 ? ` ${count(none, "task")} got no answer, being tied.` : ""),
    ],
    charts: [balanceChart(input, counts), confidenceChart(result)],
    tables: [classTable(input, counts)],
  };
}

interface ClassCounts {
  readonly labels: Float64Array;
  readonly answers: Int32Array;
  readonly gold: Int32Array;
  /** Classes that are common among answers or labels first. */
  readonly order: readonly number[];
}

function countClasses({ data, result, summary }: Material): ClassCounts {
  const K = data.classes.length;
  const { classShares, labels, abstentions } = summary;
  const answers = new Int32Array(K);
  const gold = new Int32Array(K);
  for (const k of result.consensus) if (k >= 0) answers[k]++;
  for (const k of data.gold) if (k >= 0) gold[k]++;
  const common = (k: number) => classShares[k] + answers[k] / Math.max(1, data.tasks.length);
  return {
    labels: classShares.map((share) => Math.round(share * (labels - abstentions))),
    answers,
    gold,
    order: commonest([...[...data.classes].keys()], common, CHARTED),
  };
}

/** As they are, if there are few; else the `most` largest, in their own order. */
export function commonest(all: number[], size: (k: number) => number, most: number): number[] {
  if (all.length <= most) return all;
  const largest = all.toSorted((a, b) => size(b) - size(a) || a - b).slice(0, most);
  return largest.sort((a, b) => a - b);
}

function balanceChart({ data }: Material, counts: ClassCounts): ClassBalanceChart {
  const { order } = counts;
  const share = (column: ArrayLike<number>) => {
    const total = Array.from(column).reduce((sum, x) => sum + x, 0);
    return order.map((k) => (total > 0 ? column[k] / total : 0));
  };
  const [labels, answers, gold] = [counts.labels, counts.answers, counts.gold].map(share);
  const rest = data.classes.length - order.length;
  const words = order
    .slice(0, 10)
    .map(
      (k, i) => `${brief(data.classes.at(k), 40)} ${percent(labels[i])} and ${percent(answers[i])}`,
    );
  return {
    kind: "class-balance",
    id: "class-balance",
    title: "How common each class is among labels and answers",
    description:
      `Share of the labels and share of the answers: ${words.join("; ")}.` +
      (rest > 0 ? ` ${count(rest, "rarer class", "rarer classes")} not drawn.` : ""),
    classes: order.map((k) => brief(data.classes.at(k))),
    labels,
    answers,
    ...(counts.gold.some((n) => n > 0) && { gold }),
  };
}

function confidenceChart(result: Aggregation): ConfidenceHistogramChart {
  const tasks = new Array<number>(BINS).fill(0);
  for (const p of result.confidence) {
    // A hair more than 90 % belongs above, as it does in the list of tasks worth another look.
    tasks[Math.min(BINS - 1, Math.floor(p * BINS + 1e-9))]++;
  }
  const first = Math.min(
    BINS / 2,
    tasks.findIndex((n) => n > 0),
  );
  const bins = tasks.map((n, b) => ({ from: b / BINS, to: (b + 1) / BINS, tasks: n }));
  const shown = bins.slice(Math.max(0, first));
  const words = shown
    .filter((bin) => bin.tasks > 0)
    .map(({ from, to, tasks: n }) => `${percent(from, 0)} to ${percent(to, 0)}: ${grouped(n)}`);
  return {
    kind: "confidence-histogram",
    id: "confidence",
    title: "How sure the answers are",
    description: `Tasks by the probability of their answer: ${words.join("; ")}.`,
    bins: shown,
    certain: CERTAIN,
  };
}

export function certainTasks(result: Aggregation): number {
  if (result.classes.length === 0) return 0;
  let certain = 0;
  result.confidence.forEach((p, t) => {
    if (result.consensus[t] >= 0 && p >= CERTAIN) certain++;
  });
  return certain;
}

function classTable({ data }: Material, counts: ClassCounts): Table {
  const { labels, answers, gold } = counts;
  const known = gold.some((n) => n > 0);
  const sum = (column: ArrayLike<number>) => Array.from(column).reduce((total, x) => total + x, 0);
  const [allLabels, allAnswers] = [sum(labels), sum(answers)];
  const shown = commonest(
    [...[...data.classes].keys()],
    (k) => answers[k] + labels[k] / 1e9,
    TABLED,
  );
  const rest = data.classes.length - shown.length;
  const columns: Column[] = [
    { name: "Class", kind: "text" },
    { name: "Labels", kind: "integer" },
    { name: "Share of labels", kind: "percent" },
    { name: "Answers", kind: "integer" },
    { name: "Share of answers", kind: "percent" },
    ...(known ? [{ name: "Gold", kind: "integer" } as const] : []),
  ];
  return {
    id: "classes",
    caption: "Classes",
    columns,
    rows: shown.map((k) => [
      brief(data.classes.at(k)),
      labels[k],
      labels[k] / Math.max(1, allLabels),
      answers[k],
      answers[k] / Math.max(1, allAnswers),
      ...(known ? [gold[k]] : []),
    ]),
    ...(rest > 0 && { more: `${count(rest, "rarer class", "rarer classes")} not shown.` }),
  };
}
