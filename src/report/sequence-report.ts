/** From sequences to a report: spans, the least certain of them, tags, the workers. */
import type { SequenceResult } from "../aggregate/sequence/tagger.ts";
import { fingerprintOf } from "../data/fingerprint.ts";
import type { SequenceData } from "../data/sequence.ts";
import type { SequenceAgreement } from "../diagnose/sequence-agreement.ts";
import { sequenceWorkers } from "../diagnose/sequence-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import type { SequenceMetrics } from "../evaluate/sequence.ts";
import { columnsOf } from "./columns.ts";
import { contentRows, type KindReportInput } from "./kind-report.ts";
import type { Report, Section, Table } from "./model.ts";
import { checksSection } from "./sections/common/checks.ts";
import { fairnessSections } from "./sections/common/fairness.ts";
import { objectiveSection } from "./sections/common/objective.ts";
import { portfolioSection } from "./sections/common/portfolio.ts";
import { provenanceSection } from "./sections/common/provenance.ts";
import { sinceSection } from "./sections/common/since.ts";
import { standingTables, standingText } from "./sections/common/standing.ts";
import { brief, count, decimal, finite, grouped, percent } from "./text.ts";
import { reportVerdict } from "./verdict-text.ts";

export type SequenceReportInput = KindReportInput<
  SequenceData,
  SequenceResult,
  SequenceAgreement,
  SequenceMetrics
>;

/** Rows of a table at most. */
const TABLED = 200;

export function sequenceReport(input: SequenceReportInput): Report {
  const { data, result, card, metrics, agreement } = input;
  const spanned = result.spans.types.length > 0;
  return {
    title: `${spanned ? "Spans" : "Tags"} from ${count(data.label.length, "tag")}`,
    subtitle: `${card.title} on ${count(data.tasks.length, "task")} and ${count(data.workers.length, "worker")}`,
    ...(input.verdict && { verdict: reportVerdict(input.verdict) }),
    facts: [
      ["Tags given", grouped(data.label.length)],
      ["Positions", grouped(data.tokens.length)],
      ["Tasks", grouped(data.tasks.length)],
      ["Workers", grouped(data.workers.length)],
      ...(spanned ? [["Spans found", grouped(result.spans.start.length)] as const] : []),
      ...(metrics && !Number.isNaN(metrics.f1.value)
        ? [["Span F1", percent(metrics.f1.value)] as const]
        : []),
      ...(metrics ? [["Tokens right", percent(metrics.tokenAccuracy.value)] as const] : []),
      ...(Number.isNaN(agreement.alpha.value)
        ? []
        : [["Krippendorff's alpha of tags", decimal(agreement.alpha.value)] as const]),
    ],
    notes: [...data.notes, ...result.notes].map((note) => brief(note, 1000)),
    sections: [
      sinceSection(input.since),
      spanned ? spansSection(input) : undefined,
      tagsSection(input),
      metrics ? goldSection(metrics) : undefined,
      workersSection(input),
      checksSection(input.checks),
      agreementSection(agreement),
      portfolioSection(result, "answer"),
      objectiveSection(result),
      ...fairnessSections(input.fairness),
      provenanceSection(result, card, sequenceFingerprint(data)),
    ].filter((section) => section !== undefined),
  };
}

/** Returns the fingerprint of sequences. */
export function sequenceFingerprint(data: SequenceData): string {
  const { position, task } = data.tokens;
  return fingerprintOf(
    [data.tasks, data.workers, data.classes],
    [task, position, data.token, data.worker, data.label, data.gold],
  );
}

/** The spans that are least certain, those first. */
function spansSection({ data, result, content }: SequenceReportInput): Section {
  const { start, end, type, types, probability } = result.spans;
  const unsure = Array.from(start.keys())
    .sort((a, b) => probability[a] - probability[b] || a - b)
    .slice(0, TABLED);
  const { text, position, task } = data.tokens;
  const table: Table = {
    id: "spans",
    caption: "The least certain spans",
    columns: columnsOf({
      Task: "text",
      From: "integer",
      To: "integer",
      Type: "text",
      ...(text && { Text: "text" as const }),
      Probability: "number",
    }),
    rows: unsure.map((i) => [
      brief(data.tasks.at(task[start[i]])),
      position[start[i]],
      position[end[i]],
      types[type[i]],
      ...(text ? [brief(text.slice(start[i], end[i] + 1).join(" "))] : []),
      finite(probability[i]),
    ]),
    ...contentRows(
      content,
      unsure.map((i) => data.tasks.at(task[start[i]])),
    ),
    ...(start.length > unsure.length && { more: "spans.csv has every span." }),
  };
  const counts = types.map((name, x) => ({
    name,
    spans: type.filter((each) => each === x).length,
  }));
  return {
    id: "spans",
    title: "Spans",
    text: [
      `${count(start.length, "span")}: ${counts.map(({ name, spans }) => `${brief(name, 40) || "unnamed"} ${grouped(spans)}`).join(", ")}. ` +
        "The probability of a span is that of exactly these positions and this type, under the method; models of " +
        "sequences are too sure of themselves, so take it as an order. Those listed first deserve a look.",
    ],
    charts: [],
    tables: start.length > 0 ? [table] : [],
  };
}

function tagsSection({ data, result }: SequenceReportInput): Section {
  const found = new Float64Array(data.classes.length);
  const given = new Float64Array(data.classes.length);
  for (const k of result.path) found[k]++;
  for (const k of data.label) given[k]++;
  return {
    id: "tags",
    title: "Tags",
    text: ["How often workers gave each tag, and how many positions have it in the result."],
    charts: [],
    tables: [
      {
        id: "tags",
        caption: "Tags",
        columns: columnsOf({ Tag: "text", Given: "integer", Positions: "integer" }),
        rows: Array.from(data.classes, (name, k) => [brief(name), given[k], found[k]]).slice(
          0,
          TABLED,
        ),
      },
    ],
  };
}

function goldSection(metrics: SequenceMetrics): Section {
  const { tasks, tokens, tokenAccuracy, f1, precision, recall, spans } = metrics;
  const spanned = !Number.isNaN(f1.value);
  return {
    id: "gold",
    title: "Against gold",
    text: [
      `On ${count(tasks, "task")} with ${count(tokens, "known tag")} ${percent(tokenAccuracy.value)} of the tags are right.` +
        (spanned
          ? ` Of ${count(spans.found, "span")} found ${grouped(spans.right)} are among the ${grouped(spans.gold)} of gold, with the same ends and type.`
          : ""),
    ],
    charts: [],
    tables: [
      {
        id: "gold",
        caption: "Scores, with 95 % intervals over tasks",
        columns: columnsOf({ Score: "text", Value: "number", From: "number", To: "number" }),
        rows: [
          ...(spanned
            ? [
                ["Precision of spans", finite(precision), null, null],
                ["Recall of spans", finite(recall), null, null],
                ["F1 of spans", finite(f1.value), finite(f1.low), finite(f1.high)],
              ]
            : []),
          [
            "Share of right tags",
            finite(tokenAccuracy.value),
            finite(tokenAccuracy.low),
            finite(tokenAccuracy.high),
          ],
        ],
      },
    ],
  };
}

function agreementSection({ pooled, mean, pairs, alpha }: SequenceAgreement): Section {
  return {
    id: "agreement",
    title: "Agreement",
    text: [
      "How much workers agree: Krippendorff's alpha of tags, position by position, and the spans that two workers share " +
        "where both answered.",
    ],
    charts: [],
    tables: [
      {
        id: "agreement",
        caption: "Agreement",
        columns: columnsOf({ Measure: "text", Value: "number" }),
        rows: [
          ["Krippendorff's alpha of tags", finite(alpha.value)],
          ...(pairs > 0
            ? [
                ["Span F1, pooled over pairs of workers", finite(pooled)],
                [`Span F1, mean of ${count(pairs, "pair")}`, finite(mean)],
              ]
            : []),
        ],
      },
    ],
  };
}

function workersSection({ data, result, workers }: SequenceReportInput): Section {
  const judged = sequenceWorkers(data, result);
  const order = worstFirst(judged).filter((w) => result.workload[w] > 0);
  return {
    id: "workers",
    title: "Workers",
    text: [
      "How many of each worker's tags are those of the result, and F1 of the worker's spans. Where most positions are " +
        "outside of spans the share of right tags is large for everybody; span F1 tells workers apart.",
    ],
    charts: [],
    tables: standingTables(judged, order, TABLED, {
      columns: columnsOf({
        Worker: "text",
        Tags: "integer",
        Right: "number",
        "Span F1": "number",
        "Against guessing": "text",
      }),
      row: (w) => [
        brief(workers.at(w)),
        result.workload[w],
        finite(judged[w].skill),
        finite(judged[w].spanF1),
        standingText(judged[w], "tags"),
      ],
    }),
  };
}
