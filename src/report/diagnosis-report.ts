/** How far answers can be trusted, as a report and as tables: the verdict, and all that it rests on. */
import { fingerprint } from "../data/fingerprint.ts";
import type { Drift } from "../diagnose/drift/drift-result.ts";
import { isDate } from "../diagnose/drift/drift-words.ts";
import type { Fairness } from "../diagnose/fairness/fairness.ts";
import { writeCsv } from "../io/csv-writer.ts";
import type { Content } from "./content.ts";
import { rounded, workersCsv } from "./csv-files.ts";
import { fairnessCsv } from "./fairness-rows.ts";
import type { Material, ReportInput } from "./input.ts";
import type { Fact, Report } from "./model.ts";
import { materialOf } from "./report.ts";
import { confusionsSection } from "./sections/categorical/confusions.ts";
import { dependenceSection } from "./sections/categorical/dependence.ts";
import { driftSection, type OverTime } from "./sections/categorical/drift.ts";
import { cardOf, factsOf } from "./sections/categorical/facts.ts";
import { goldSection } from "./sections/categorical/gold.ts";
import { workersSection } from "./sections/categorical/workers.ts";
import { agreementSection } from "./sections/common/agreement.ts";
import { checksSection } from "./sections/common/checks.ts";
import { fairnessSections } from "./sections/common/fairness.ts";
import { provenanceSection } from "./sections/common/provenance.ts";
import { brief, count, grouped, percent } from "./text.ts";
import { reportVerdict } from "./verdict-text.ts";

/** What a diagnosis is shown from. */
export interface DiagnosisInput extends ReportInput {
  /** How skills went over time, if that was looked at. */
  readonly over?: OverTime | undefined;
  /** Differences between groups, if the data have attributes. */
  readonly fairness?: Fairness | undefined;
  /** What was judged on a sample, or not at all. */
  readonly notes: readonly string[];
}

/** Makes the report of a diagnosis; what needs labels is left out if there are none. */
export function diagnosisReport(given: DiagnosisInput): Report {
  const { data, result, over, fairness } = given;
  const input = materialOf(given);
  const labelled = data.label.length > 0;
  const card = cardOf(result, given.card);
  const found = [...given.notes, ...(fairness?.notes ?? [])];
  return {
    title: labelled ? `Diagnosis of ${count(data.label.length, "label")}` : "Diagnosis of answers",
    subtitle:
      `${card.title} on ${count(data.tasks.length, "task")}` +
      `${labelled ? `, ${count(data.workers.length, "worker")}` : ""} and ${count(data.classes.length, "class", "classes")}`,
    ...(given.verdict && { verdict: reportVerdict(given.verdict) }),
    facts: labelled ? factsOf(input) : answerFacts(input),
    notes: [...data.notes, ...result.notes, ...found].map((note) => brief(note, 1000)),
    sections: [
      goldSection(input),
      ...(labelled ? [workersSection(input), dependenceSection(input)] : []),
      driftSection(over),
      ...fairnessSections(fairness),
      ...(labelled ? [confusionsSection(input)] : []),
      checksSection(given.checks),
      agreementSection(given.agreement),
      provenanceSection(result, card, given.fingerprint ?? fingerprint(data)),
    ].filter((section) => section !== undefined),
  };
}

/** What one wants to know first of answers without labels. */
function answerFacts({ data, metrics }: Material): Fact[] {
  const accuracy = metrics?.accuracy.chosen;
  return [
    ["Tasks", grouped(data.tasks.length)],
    ["Classes", grouped(data.classes.length)],
    ...(accuracy
      ? ([
          ["Accuracy on gold", percent(accuracy.value, 2)],
          ["95 % interval", `${percent(accuracy.low).slice(0, -2)}–${percent(accuracy.high)}`],
        ] satisfies Fact[])
      : []),
  ];
}

/** Returns the tables of a diagnosis by file name, those that apply. */
export function diagnosisFiles(input: DiagnosisInput): ReadonlyMap<string, Content> {
  const { data, result, intervals, scores = [], over, fairness } = input;
  const workers = scores.map(({ informativenessCorrected, standing, flags }) => ({
    informativenessCorrected: informativenessCorrected ?? undefined,
    standing,
    flags,
  }));
  return new Map<string, Content>([
    ...(data.label.length > 0
      ? [["workers.csv", workersCsv(result, intervals, workers)] as const]
      : []),
    ...(over ? [["drift.csv", driftCsv(over.drift)] as const] : []),
    ...(fairness ? [["fairness.csv", fairnessCsv(fairness)] as const] : []),
  ]);
}

/** drift.csv: worker,from,to,labels,skill,low,high,flags, one row per stretch of a worker's curve. */
function driftCsv({ workers }: Drift): Iterable<string> {
  const time = (t: number) => (isDate(t) ? new Date(t).toISOString() : t);
  function* rows(): Iterable<(string | number)[]> {
    for (const { worker, curve, flags } of workers) {
      for (const { from, to, labels, skill, low, high } of curve) {
        yield [
          worker,
          time(from),
          time(to),
          labels,
          ...[skill, low, high].map(rounded),
          flags.join(" "),
        ];
      }
    }
  }
  return writeCsv(["worker", "from", "to", "labels", "skill", "low", "high", "flags"], rows());
}
