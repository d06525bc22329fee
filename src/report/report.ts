/**
 * From a result to a report: everything that a reader of the answers wants to see, as plain data.
 *
 * Sections leave themselves out where they have nothing to say. What grows with the data is cut to
 * what a person reads (the least certain tasks, the most suspect workers); the files have it all.
 */
import { summarise } from "../data/summary.ts";
import { reviewTasks } from "./csv-files.ts";
import type { Material, ReportInput } from "./input.ts";
import type { Report, Section } from "./model.ts";
import { agreementSection } from "./sections/agreement.ts";
import { answersSection } from "./sections/answers.ts";
import { confusionsSection } from "./sections/confusions.ts";
import { cardOf, factsOf } from "./sections/facts.ts";
import { objectiveSection, portfolioSection } from "./sections/fit.ts";
import { goldSection } from "./sections/gold.ts";
import { provenanceSection } from "./sections/provenance.ts";
import { tasksSection } from "./sections/tasks.ts";
import { workersSection } from "./sections/workers.ts";
import { brief, count } from "./text.ts";

export type {
  ReportedAgreement,
  ReportedCoefficient,
  ReportedWorker,
  ReportInput,
} from "./input.ts";
export type { Cell, Chart, Column, Fact, Report, Section, Table } from "./model.ts";

/** What sections share, found once. */
export function materialOf(given: ReportInput): Material {
  return {
    ...given,
    review: given.review ?? reviewTasks(given.result),
    summary: summarise(given.data),
  };
}

export function aggregationReport(given: ReportInput): Report {
  const { data, result } = given;
  const input = materialOf(given);
  const sections: (Section | undefined)[] = [
    answersSection(input),
    goldSection(input),
    tasksSection(input),
    workersSection(input),
    confusionsSection(input),
    agreementSection(input),
    portfolioSection(input),
    objectiveSection(input),
    provenanceSection(input),
  ];
  return {
    title: given.title ?? `Answers from ${count(data.label.length, "label")}`,
    subtitle:
      `${cardOf(result, given.card).title} on ${count(data.tasks.length, "task")}, ` +
      `${count(data.workers.length, "worker")} and ${count(data.classes.length, "class", "classes")}`,
    facts: factsOf(input),
    notes: [...data.notes, ...result.notes].map((note) => brief(note, 1000)),
    sections: sections.filter((section) => section !== undefined),
  };
}
