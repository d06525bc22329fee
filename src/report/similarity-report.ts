/** From similarities to a report: clusters, items that are unsure, the number of clusters, the workers. */
import type { SimilarityResult } from "../aggregate/similarity/clusterer.ts";
import { fingerprintOf } from "../data/fingerprint.ts";
import { SAME, type SimilarityData } from "../data/similarity.ts";
import { repeatedPairs } from "../diagnose/similarity-agreement.ts";
import { similarityWorkers } from "../diagnose/similarity-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import type { SimilarityMetrics } from "../evaluate/similarity.ts";
import type { ConfusionHeatmapChart, CurvesChart } from "./charts/chart.ts";
import { columnsOf } from "./columns.ts";
import type { ReportedAgreement } from "./input.ts";
import { contentRows, type KindReportInput } from "./kind-report.ts";
import type { Report, Section, Table } from "./model.ts";
import { agreementSection } from "./sections/common/agreement.ts";
import { checksSection } from "./sections/common/checks.ts";
import { fairnessSections } from "./sections/common/fairness.ts";
import { objectiveSection } from "./sections/common/objective.ts";
import { portfolioSection } from "./sections/common/portfolio.ts";
import { provenanceSection } from "./sections/common/provenance.ts";
import { sinceSection } from "./sections/common/since.ts";
import { standingTables, standingText } from "./sections/common/standing.ts";
import { brief, count, decimal, finite, grouped, percent } from "./text.ts";
import { reportVerdict } from "./verdict-text.ts";

export type SimilarityReportInput = KindReportInput<
  SimilarityData,
  SimilarityResult,
  ReportedAgreement,
  SimilarityMetrics
>;

/** Rows of a table, and clusters of a chart, at most. */
const TABLED = 200;
const CHARTED = 20;

export function similarityReport(input: SimilarityReportInput): Report {
  const { data, result, card, metrics, agreement } = input;
  const same = data.label.filter((said) => said === SAME).length;
  const parts = partsOf(result);
  return {
    title: `Clusters from ${count(data.label.length, "answer")} about pairs`,
    subtitle: `${card.title} on ${count(data.items.length, "item")} and ${count(data.workers.length, "worker")}`,
    ...(input.verdict && { verdict: reportVerdict(input.verdict) }),
    facts: [
      ["Answers", grouped(data.label.length)],
      ["Items", grouped(data.items.length)],
      ["Workers", grouped(data.workers.length)],
      ["Clusters", grouped(result.clusters)],
      ["“Same”", percent(same / Math.max(1, data.label.length))],
      ...(parts > 1 ? [["Parts that share no item", grouped(parts)] as const] : []),
      ...(metrics ? [["Adjusted Rand index", decimal(metrics.adjustedRand.value)] as const] : []),
    ],
    notes: [...data.notes, ...result.notes].map((note) => brief(note, 1000)),
    sections: [
      sinceSection(input.since),
      clustersSection(input, parts),
      unsureSection(input),
      countSection(result),
      metrics ? goldSection(metrics) : undefined,
      workersSection(input),
      checksSection(input.checks),
      pairAgreementSection(data, agreement),
      portfolioSection(result, "answer"),
      objectiveSection(result),
      ...fairnessSections(input.fairness),
      provenanceSection(result, card, similarityFingerprint(data)),
    ].filter((section) => section !== undefined),
  };
}

/** Returns the fingerprint of similarities. */
export function similarityFingerprint(data: SimilarityData): string {
  const { workers, items, clusters, worker, left, right, label, gold } = data;
  return fingerprintOf([workers, items, clusters], [worker, left, right, label, gold]);
}

/** Number of connected parts. */
export const partsOf = ({ component }: Pick<SimilarityResult, "component">): number =>
  1 + component.reduce((most, c) => Math.max(most, c), -1);

/** Items of each cluster, in the order of the items. */
export function membersOf({ cluster, clusters }: SimilarityResult): number[][] {
  const members = Array.from({ length: clusters }, (): number[] => []);
  cluster.forEach((c, i) => {
    members[c].push(i);
  });
  return members;
}

function clustersSection({ data, result }: SimilarityReportInput, parts: number): Section {
  const members = membersOf(result);
  const shown = members.slice(0, TABLED);
  const known = result.confidence.some((p) => !Number.isNaN(p));
  const mean = (list: readonly number[]) =>
    list.reduce((sum, i) => sum + result.confidence[i] / list.length, 0);
  const table: Table = {
    id: "clusters",
    caption: "Clusters, largest first",
    columns: columnsOf({
      Cluster: "integer",
      Items: "integer",
      ...(known && { "Mean confidence": "percent" as const }),
      ...(parts > 1 && { Part: "integer" as const }),
      "Some of them": "text",
    }),
    rows: shown.map((list, c) => [
      c + 1,
      list.length,
      ...(known ? [finite(mean(list))] : []),
      ...(parts > 1 ? [result.component[list[0]] + 1] : []),
      brief(
        `${list
          .slice(0, 5)
          .map((i) => brief(data.items.at(i), 24))
          .join(", ")}${list.length > 5 ? ", …" : ""}`,
        140,
      ),
    ]),
    ...(members.length > shown.length && { more: "truth.csv has the cluster of every item." }),
  };
  const chart = betweenChart(data, result);
  return {
    id: "clusters",
    title: "Clusters",
    text: [
      `${count(result.clusters, "cluster")} of ${count(data.items.length, "item")}. Their numbers are an order by size and mean nothing else.` +
        (parts > 1
          ? ` The answers fall into ${parts} parts that share no item: whether clusters of two parts are one is not known.`
          : ""),
    ],
    charts: chart ? [chart] : [],
    tables: [table],
  };
}

/** How often workers said "same" of items in each pair of clusters. */
function betweenChart(data: SimilarityData, { cluster, clusters }: SimilarityResult) {
  const shown = Math.min(clusters, CHARTED);
  if (shown < 2) return undefined;
  const table = (): number[][] => Array.from({ length: shown }, () => new Array(shown).fill(0));
  const [same, all] = [table(), table()];
  data.label.forEach((said, i) => {
    const [a, b] = [cluster[data.left[i]], cluster[data.right[i]]];
    if (a >= shown || b >= shown) return;
    for (const [r, c] of a === b
      ? [[a, b]]
      : [
          [a, b],
          [b, a],
        ]) {
      all[r][c]++;
      if (said === SAME) same[r][c]++;
    }
  });
  const values = same.map((row, r) => row.map((n, c) => (all[r][c] > 0 ? n / all[r][c] : 0)));
  const names = values.map((_, c) => String(c + 1));
  const chart: ConfusionHeatmapChart = {
    kind: "confusion-heatmap",
    id: "between-clusters",
    title: "How often workers say “same”, within and across clusters",
    description: values
      .slice(0, 8)
      .map((row, r) => `Within cluster ${r + 1}: ${percent(row[r])}`)
      .join("; "),
    rowName: "Cluster",
    columnName: "Cluster",
    rows: names,
    columns: names,
    panels: [{ title: "", values }],
  };
  return chart;
}

/** The items that are least certain, those first. */
function unsureSection({ data, result, content }: SimilarityReportInput): Section | undefined {
  const { confidence, support, cluster } = result;
  const order = Array.from(confidence.keys())
    .filter((i) => !Number.isNaN(confidence[i]))
    .sort((a, b) => confidence[a] - confidence[b] || support[a] - support[b] || a - b)
    .slice(0, TABLED);
  if (order.length === 0) return undefined;
  return {
    id: "items",
    title: "Items that deserve a look",
    text: [
      "The least certain items first. Confidence is the probability of the cluster under the method; such models are too " +
        "sure of themselves, so take it as an order. An item with a single answer is wherever that answer put it.",
    ],
    charts: [],
    tables: [
      {
        id: "items",
        caption: "The least certain items",
        columns: columnsOf({
          Item: "text",
          Cluster: "integer",
          Confidence: "percent",
          Answers: "integer",
        }),
        rows: order.map((i) => [
          brief(data.items.at(i)),
          cluster[i] + 1,
          finite(confidence[i]),
          support[i],
        ]),
        ...contentRows(
          content,
          order.map((i) => data.items.at(i)),
        ),
        ...(data.items.length > order.length && { more: "truth.csv has every item." }),
      },
    ],
  };
}

/** How the numbers of clusters that were tried predict hidden answers. */
function countSection({ tried }: SimilarityResult): Section | undefined {
  if (tried.length < 2) return undefined;
  const best = tried.reduce((most, each) => (each.score > most.score ? each : most));
  const chart: CurvesChart = {
    kind: "curves",
    id: "cluster-count",
    title: "Hidden answers by the number of clusters",
    description: tried.map(({ clusters, score }) => `${clusters}: ${decimal(score, 4)}`).join("; "),
    xName: "Clusters",
    yName: "Mean log-probability",
    series: [
      {
        name: "Hidden answers",
        points: tried.map(({ clusters, score }) => ({ x: clusters, y: score })),
      },
    ],
    mark: { x: best.clusters, name: "taken" },
  };
  return {
    id: "cluster-count",
    title: "How many clusters?",
    text: [
      `${best.clusters} ${best.clusters === 1 ? "predicts" : "predict"} answers that were hidden best: a fifth of them at a time, mean ` +
        `log-probability ${decimal(best.score, 4)}. The option clusters sets another number.`,
    ],
    charts: [chart],
    tables: [],
  };
}

function goldSection(metrics: SimilarityMetrics): Section {
  const { items, clusters, goldClusters, adjustedRand: rand } = metrics;
  return {
    id: "gold",
    title: "Against gold",
    text: [
      `${count(items, "item")} with known clusters: ${count(clusters, "cluster")} found, ${goldClusters} in gold. The adjusted Rand index is 1 ` +
        "where both are the same and 0 where chance would do as well.",
    ],
    charts: [],
    tables: [
      {
        id: "gold",
        caption: "Scores; the interval is over items",
        columns: columnsOf({ Score: "text", Value: "number", From: "number", To: "number" }),
        rows: [
          ["Adjusted Rand index", finite(rand.value), finite(rand.low), finite(rand.high)],
          ["Normalised mutual information", finite(metrics.nmi), null, null],
          ["F1 of pairs put together", finite(metrics.pairF1), null, null],
          ["Items in the matching cluster", finite(metrics.accuracy), null, null],
        ],
      },
    ],
  };
}

function pairAgreementSection(
  data: SimilarityData,
  agreement: ReportedAgreement,
): Section | undefined {
  const section = agreementSection(agreement);
  const { pairs, repeated } = repeatedPairs(data);
  const text = `${grouped(repeated)} of ${count(pairs, "pair")} have more than one answer; agreement rests on these.`;
  return section && { ...section, text: [...section.text, text] };
}

function workersSection({ data, result, workers }: SimilarityReportInput): Section {
  const judged = similarityWorkers(data, result);
  const order = worstFirst(judged).filter((w) => result.workload[w] > 0);
  return {
    id: "workers",
    title: "Workers",
    text: [
      "Skill is the probability of a right answer on pairs that are as often alike as not; half is what guessing gives. It rests " +
        "on how often a worker says “same” of items in one cluster and of items in two.",
    ],
    charts: [],
    tables: standingTables(judged, order, TABLED, {
      columns: columnsOf({
        Worker: "text",
        Answers: "integer",
        Skill: "percent",
        From: "percent",
        To: "percent",
        "“Same” within": "percent",
        "“Same” across": "percent",
        "Against guessing": "text",
      }),
      row: (w) => [
        brief(workers.at(w)),
        result.workload[w],
        finite(judged[w].skill),
        judged[w].low,
        judged[w].high,
        finite(result.alike[w]),
        finite(result.apart[w]),
        standingText(judged[w], "answers"),
      ],
    }),
  };
}
