/** From comparisons to a report: the ranking with its intervals, and the judges. */
import type { PairwiseResult } from "../aggregate/pairwise/ranker.ts";
import { fingerprintOf } from "../data/fingerprint.ts";
import { type PairwiseData, TIE } from "../data/pairwise.ts";
import { pairwiseWorkers } from "../diagnose/pairwise-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import type { PairwiseMetrics } from "../evaluate/pairwise.ts";
import { columnsOf } from "./columns.ts";
import type { ReportedAgreement } from "./input.ts";
import { contentRows, intervalsChart, type KindReportInput } from "./kind-report.ts";
import type { Report, Section } from "./model.ts";
import { agreementSection } from "./sections/common/agreement.ts";
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

export type PairwiseReportInput = KindReportInput<
  PairwiseData,
  PairwiseResult,
  ReportedAgreement,
  PairwiseMetrics
>;

/** Rows of a table, and lines of a chart, at most. */
const TABLED = 500;
const CHARTED = 60;

export function pairwiseReport(input: PairwiseReportInput): Report {
  const { data, result, card, metrics, agreement } = input;
  const ties = data.label.filter((l) => l === TIE).length;
  const parts = 1 + result.component.reduce((most, c) => Math.max(most, c), -1);
  return {
    title: `Ranking from ${count(data.label.length, "comparison")}`,
    subtitle: `${card.title} on ${count(data.items.length, "item")} and ${count(data.workers.length, "worker")}`,
    ...(input.verdict && { verdict: reportVerdict(input.verdict) }),
    facts: [
      ["Comparisons", grouped(data.label.length)],
      ["Items", grouped(data.items.length)],
      ["Workers", grouped(data.workers.length)],
      ["Ties", percent(ties / Math.max(1, data.label.length))],
      ...(parts > 1 ? [["Parts that share no item", grouped(parts)] as const] : []),
      ...(metrics ? [["Gold pairs in order", percent(metrics.pairAccuracy.value)] as const] : []),
    ],
    notes: [...data.notes, ...result.notes].map((note) => brief(note, 1000)),
    sections: [
      sinceSection(input.since),
      rankingSection(input, parts),
      ...(metrics ? [goldSection(metrics)] : []),
      typesSection(input),
      workersSection(input),
      turnsSection(input.drift),
      ...fairnessSections(input.fairness),
      checksSection(input.checks),
      agreementSection(agreement),
      portfolioSection(result, "answer"),
      objectiveSection(result),
      provenanceSection(result, card, pairwiseFingerprint(data)),
    ].filter((section) => section !== undefined),
  };
}

/** Returns the fingerprint of pairwise data. */
export function pairwiseFingerprint(data: PairwiseData): string {
  const { tasks, workers, items, task, worker, left, right, label, gold } = data;
  return fingerprintOf([tasks, workers, items], [task, worker, left, right, label, gold]);
}

/** The items, best first within each component. */
export function ranked({
  component,
  score,
}: Pick<PairwiseResult, "component" | "score">): number[] {
  return Array.from(score.keys()).sort(
    (a, b) => component[a] - component[b] || score[b] - score[a] || a - b,
  );
}

function rankingSection({ data, result, content }: PairwiseReportInput, parts: number): Section {
  const order = ranked(result);
  const shown = order.slice(0, TABLED);
  return {
    id: "ranking",
    title: "Ranking",
    text: [
      "A difference of 1 between two scores means that the better item wins about 73 of 100 comparisons, a difference of 2 about 88." +
        (parts > 1
          ? ` The comparisons fall into ${parts} parts that share no item: scores and ranks hold within a part only.`
          : ""),
    ],
    charts: [
      intervalsChart(
        { id: "ranking", title: "Scores with 95 % intervals, best first", xName: "Score" },
        data.items,
        { value: result.score, low: result.low, high: result.high },
        order,
        CHARTED,
      ),
    ],
    tables: [
      {
        id: "ranking",
        caption: "Items, best first",
        columns: columnsOf({
          Rank: "integer",
          Item: "text",
          Score: "number",
          From: "number",
          To: "number",
          Comparisons: "integer",
          ...(parts > 1 && { Part: "integer" }),
        }),
        rows: shown.map((item) => [
          result.rank[item],
          brief(data.items.at(item)),
          finite(result.score[item]),
          finite(result.low[item]),
          finite(result.high[item]),
          result.support[item],
          ...(parts > 1 ? [result.component[item] + 1] : []),
        ]),
        ...contentRows(
          content,
          shown.map((item) => data.items.at(item)),
        ),
        ...(order.length > shown.length && { more: "truth.csv has every item." }),
      },
    ],
  };
}

function goldSection({ items, pairs, pairAccuracy, kendall }: PairwiseMetrics): Section {
  return {
    id: "gold",
    title: "Against gold",
    text: [
      `Of ${count(pairs, "pair")} of ${count(items, "item")} with different known scores, ` +
        `${percent(pairAccuracy.value)} stand in the right order; Kendall's tau-b is ${decimal(kendall)}.`,
    ],
    charts: [],
    tables: [],
  };
}

/** Types of workers beside each other; nothing where there is only one. */
function typesSection({ data, result }: PairwiseReportInput): Section | undefined {
  const { types = [] } = result;
  if (types.length < 2) return undefined;
  const shown = ranked(result).slice(0, TABLED);
  const sizes = types.map(
    ({ share, members, satisfaction }, j) =>
      `Type ${j + 1} is ${percent(share)} of the workers (${members.length}); ${percent(satisfaction)} of its decided comparisons follow the ranking above.`,
  );
  const columns = Object.fromEntries(types.map((_, j) => [`Type ${j + 1}`, "number" as const]));
  return {
    id: "types",
    title: "Types of workers",
    text: [
      `${types.length} types of workers rank the items differently; the ranking above is their mean, by size.`,
      ...sizes,
    ],
    charts: [],
    tables: [
      {
        id: "types",
        caption: "Scores of each item by type",
        columns: columnsOf({ Item: "text", All: "number", ...columns }),
        rows: shown.map((item) => [
          brief(data.items.at(item)),
          finite(result.score[item]),
          ...types.map(({ score }) => finite(score[item])),
        ]),
        ...(data.items.length > shown.length && { more: "types.csv has every item." }),
      },
    ],
  };
}

function workersSection({ data, result, workers }: PairwiseReportInput): Section {
  const judged = pairwiseWorkers(data, result);
  const order = worstFirst(judged).filter((w) => result.workload[w] > 0);
  return {
    id: "workers",
    title: "Workers",
    text: [
      "Skill is the share of a worker's decided comparisons that follow the scores, ties left out. Half is what guessing gives. " +
        "Worst first: workers who are worse than guessing, then those who cannot be told from guessing, then all others " +
        "by the upper end of the interval.",
    ],
    charts: [],
    tables: standingTables(judged, order, TABLED, {
      columns: columnsOf({
        Worker: "text",
        Comparisons: "integer",
        Skill: "percent",
        From: "percent",
        To: "percent",
        "Against guessing": "text",
      }),
      row: (w) => [
        brief(workers.at(w)),
        result.workload[w],
        finite(result.skill[w]),
        judged[w].low,
        judged[w].high,
        standingText(judged[w], "comparisons"),
      ],
    }),
  };
}
