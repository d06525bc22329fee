/** Differences between groups of tasks and between groups of workers, with intervals and what chance would give. */
import type {
  Fairness,
  TaskFairness,
  WorkerGroupFairness,
} from "../../../diagnose/fairness/fairness.ts";
import type { IntervalRow, IntervalsChart } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import { type FairnessRow, fairnessRows } from "../../fairness-rows.ts";
import {
  adjustedLine,
  biasedWorkers,
  gapName,
  gapSentence,
  notEstimated,
} from "../../fairness-text.ts";
import type { Cell, Section, Table } from "../../model.ts";
import { brief, count, decimal, finite, listed } from "../../text.ts";

/** Rows of a table, and lines of a chart, at most. */
const TABLED = 200;
const CHARTED = 30;

/** Makes a section of groups of tasks and one of groups of workers, as far as there are any. */
export function fairnessSections(fairness: Fairness | undefined): Section[] {
  if (!fairness) return [];
  const rows = fairnessRows(fairness);
  return [taskSection(fairness, rows), workerSection(fairness, rows)].filter(
    (section) => section !== undefined,
  );
}

function taskSection(
  { tasks, comparisons }: Fairness,
  rows: readonly FairnessRow[],
): Section | undefined {
  if (tasks.length === 0) return undefined;
  const answers = rows.filter(({ about }) => about.includes("answers"));
  return {
    id: "task-groups",
    title: "Groups of tasks",
    text: [
      "A gap is the highest rate of a group less the lowest. A gap left of the red tick is no larger than chance gives if groups are treated alike. " +
        "Parity compares how often a class is the answer; a gap in parity is no error if the classes truly differ between the groups.",
      correction(comparisons),
      ...tasks.map(taskWords),
    ],
    charts: tasks.flatMap(taskCharts),
    tables: [
      ...tasks.flatMap((each, at) => [
        gapTable(
          answers.filter(({ attribute }) => attribute === each.attribute),
          at,
        ),
        rateTable(each, at),
      ]),
      biasedTable(tasks),
    ].filter((table) => table.rows.length > 0),
  };
}

const correction = (comparisons: number) =>
  `Values of p are corrected for the ${count(comparisons, "comparison")} of this run: if no group differs, the probability of any corrected p below 0.05 is at most 5 %.`;

function taskWords({ attribute, answers, workers, adjusted }: TaskFairness): string {
  const { tested, biased } = biasedWorkers(workers);
  return [
    `By ${brief(attribute, 40)}: ${answers.parity.estimated ? gapSentence(answers.parity) : answers.parity.reason}`,
    ...(answers.errorGap.estimated ? [gapSentence(answers.errorGap)] : []),
    ...(tested > 0
      ? [
          `${count(biased.length, "worker")} of ${tested} with enough labels ${biased.length === 1 ? "differs" : "differ"} from the others between these groups.`,
        ]
      : []),
    ...(adjusted?.estimated && answers.parity.estimated
      ? [adjustedLine(answers.parity, adjusted)]
      : []),
  ].join(" ");
}

/** Draws the gaps, how often the class of the parity gap is the answer in each group, and accuracy in each group. */
function taskCharts({ attribute, answers }: TaskFairness, at: number): IntervalsChart[] {
  const { parity, equalOpportunity, equalisedOdds, errorGap, groups } = answers;
  const gaps = Object.entries({
    Parity: parity,
    "Equal opportunity": equalOpportunity,
    "Equalised odds": equalisedOdds,
    "Error gap": errorGap,
  }).flatMap(([name, gap]) => (gap.estimated ? [{ ...gap, name }] : []));
  const by = brief(attribute, 40);
  const named = parity.estimated ? parity.class : undefined;
  const rates = groups.flatMap(({ name, rates: all }): IntervalRow[] => {
    const rate = all.find((each) => each.class === named);
    if (rate?.positive === undefined) return [];
    return [{ name, value: rate.positive, low: finite(rate.low), high: finite(rate.high) }];
  });
  const accuracies = groups.flatMap(({ name, accuracy }) =>
    accuracy ? [{ name, ...accuracy }] : [],
  );
  const chart = (
    id: string,
    title: string,
    xName: string,
    list: readonly IntervalRow[],
    share: boolean,
  ) => (list.length === 0 ? [] : [{ ...bars(`fair-${at}-${id}`, title, xName, list), share }]);
  return [
    ...chart(
      "gaps",
      `Gaps between groups by ${by}`,
      "Gap",
      gaps.map(({ name, value, low, high, chance }) => ({
        name,
        value,
        low,
        high,
        ...(chance !== undefined && { chance }),
      })),
      false,
    ),
    ...chart(
      "rates",
      `Answered "${brief(named ?? "", 24)}", by ${by}`,
      "Share of the tasks",
      rates,
      true,
    ),
    ...chart("accuracy", `Right answers, by ${by}`, "Accuracy on gold", accuracies, true),
  ];
}

/** Bars from 0 with intervals, at most as many as a chart holds. */
function bars(
  id: string,
  title: string,
  xName: string,
  rows: readonly IntervalRow[],
): IntervalsChart {
  const shown = rows.slice(0, CHARTED);
  return {
    kind: "intervals",
    id,
    title,
    description: shown
      .slice(0, 10)
      .map(({ name, value, low, high }) =>
        low === null || high === null
          ? `${brief(name, 40)} ${decimal(value)}`
          : `${brief(name, 40)} ${decimal(value)}, from ${decimal(low)} to ${decimal(high)}`,
      )
      .join("; "),
    xName,
    zero: true,
    bars: true,
    rows: shown,
  };
}

function gapTable(rows: readonly FairnessRow[], at: number): Table {
  return {
    id: `fairness-gaps-${at}`,
    caption: `Gaps of the answers by ${brief(rows[0].attribute, 40)}`,
    columns: columnsOf({
      Measure: "text",
      Class: "text",
      "Higher in": "text",
      "Lower in": "text",
      Gap: "number",
      From: "number",
      To: "number",
      Chance: "number",
      "Corrected p": "number",
    }),
    rows: rows.map(({ about, measure, ...row }) => [
      about === "answers" ? measure : `${measure}, one matrix per worker and group`,
      text(row.class),
      row.reason === undefined ? text(row.group) : brief(row.reason),
      text(row.against),
      ...numbers(row.value, row.low, row.high, row.chance, row.corrected),
    ]),
  };
}

/** How often each class is given, given rightly and given wrongly, group by group. */
function rateTable({ attribute, answers }: TaskFairness, at: number): Table {
  const rows = answers.groups.flatMap(({ name, tasks, accuracy, rates }) =>
    rates.map((rate): Cell[] => [
      brief(name, 40),
      tasks,
      brief(rate.class, 40),
      ...numbers(rate.positive, rate.low, rate.high, rate.truePositive, rate.falsePositive),
      finite(accuracy?.value),
    ]),
  );
  return {
    id: `fairness-rates-${at}`,
    caption: `Rates by ${brief(attribute, 40)}`,
    columns: columnsOf({
      Group: "text",
      Tasks: "integer",
      Class: "text",
      Answered: "percent",
      From: "percent",
      To: "percent",
      "True positives": "percent",
      "False positives": "percent",
      Accuracy: "percent",
    }),
    rows: rows.slice(0, TABLED),
    ...cut(rows.length),
  };
}

function biasedTable(tasks: readonly TaskFairness[]): Table {
  const rows = tasks.flatMap(({ attribute, workers }) =>
    biasedWorkers(workers).biased.map(({ name, gap }): Cell[] => [
      brief(name),
      brief(attribute, 40),
      brief(gap.class, 40),
      brief(gap.groups[0], 40),
      brief(gap.groups[1], 40),
      ...numbers(gap.value, gap.low, gap.high, gap.corrected),
    ]),
  );
  return {
    id: "biased-workers",
    caption: "Workers who differ from the others between groups, the clearest first",
    columns: columnsOf({
      Worker: "text",
      Attribute: "text",
      Class: "text",
      "More often in": "text",
      "Less often in": "text",
      Difference: "number",
      From: "number",
      To: "number",
      "Corrected p": "number",
    }),
    rows: rows.slice(0, TABLED),
    ...cut(rows.length),
  };
}

const titles = {
  answers: "how often classes are given",
  ratings: "ratings",
  errors: "errors against gold",
  agreement: "agreement with the others",
  order: "how much more than expected they follow the order of the other judges",
  scores: "scores of items",
} as const;

function workerSection(
  { workers, comparisons }: Fairness,
  rows: readonly FairnessRow[],
): Section | undefined {
  if (workers.length === 0) return undefined;
  const own = rows.filter(({ about }) => about === "worker group");
  return {
    id: "worker-groups",
    title: "Groups of workers",
    text: [
      "Differences between groups of workers on the same tasks, with workers as the sample. If groups answer differently, that is no error: of opinions, both sides may be right. " +
        "An interval that crosses 0 does not show a difference.",
      correction(comparisons),
      ...workers.flatMap(missingWords),
    ],
    charts: workers.flatMap(workerChart),
    tables: workers.map((each, at) => workerTable(own, each, at)),
  };
}

function missingWords({ attribute, measure, groups, gaps }: WorkerGroupFairness): string[] {
  const missing = notEstimated(groups, gaps);
  if (missing.length === 0) return [];
  return [
    `By ${brief(attribute, 40)} (${titles[measure]}), too few workers or answers: ${listed(missing, 12)}.`,
  ];
}

function workerChart(
  { attribute, measure, gaps }: WorkerGroupFairness,
  at: number,
): IntervalsChart[] {
  if (gaps.length === 0) return [];
  const rows = gaps
    .toSorted((a, b) => a.p - b.p)
    .map((gap) => ({ name: gapName(gap), value: gap.value, low: gap.low, high: gap.high }));
  const title = `By ${brief(attribute, 40)}: ${titles[measure]}`;
  return [bars(`worker-groups-${at}`, title, "Difference from the other workers", rows)];
}

function workerTable(
  all: readonly FairnessRow[],
  { attribute, measure, groups }: WorkerGroupFairness,
  at: number,
): Table {
  const rows = all.filter((row) => row.attribute === attribute && row.measure === measure);
  const classes = rows.some((row) => row.class !== undefined);
  const described = (row: FairnessRow) =>
    groups.find(({ name, class: given }) => name === row.group && given === row.class);
  return {
    id: `worker-groups-${at}`,
    caption: `By ${brief(attribute, 40)}: ${titles[measure]}`,
    columns: columnsOf({
      Group: "text",
      ...(classes && { [measure === "scores" ? "Item" : "Class"]: "text" as const }),
      "Compared with": "text",
      Workers: "integer",
      Residual: "number",
      Difference: "number",
      From: "number",
      To: "number",
      p: "number",
      "Corrected p": "number",
    }),
    rows: rows
      .slice(0, TABLED)
      .map((row) => [
        text(row.group),
        ...(classes ? [text(row.class)] : []),
        row.reason === undefined ? text(row.against) : "not estimated",
        described(row)?.workers ?? null,
        ...numbers(described(row)?.residual, row.value, row.low, row.high, row.p, row.corrected),
      ]),
    ...cut(rows.length),
  };
}

const text = (name: string | undefined): Cell => (name === undefined ? null : brief(name, 40));

const numbers = (...list: readonly (number | undefined)[]): Cell[] => list.map(finite);

const cut = (rows: number) =>
  rows > TABLED ? { more: `${count(rows - TABLED, "more row")}: see fairness.csv.` } : {};
