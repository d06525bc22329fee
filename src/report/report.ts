/**
 * From a result to a report: everything that a reader of the answers wants to see, as plain data.
 *
 * Sections leave themselves out where they have nothing to say. What grows with the data is cut to
 * what a person reads (the least certain tasks, the most suspect workers); the files have it all.
 */
import { fingerprint } from "../data/fingerprint.ts";
import { summarise } from "../data/summary.ts";
import { reviewTasks } from "./csv-files.ts";
import type { Material, ReportInput } from "./input.ts";
import type { Report, Section } from "./model.ts";
import { answersSection } from "./sections/categorical/answers.ts";
import { confusionsSection } from "./sections/categorical/confusions.ts";
import { dependenceSection } from "./sections/categorical/dependence.ts";
import { cardOf, factsOf } from "./sections/categorical/facts.ts";
import { forecastSection } from "./sections/categorical/forecast.ts";
import { goldSection } from "./sections/categorical/gold.ts";
import { tasksSection } from "./sections/categorical/tasks.ts";
import { workersSection } from "./sections/categorical/workers.ts";
import { agreementSection } from "./sections/common/agreement.ts";
import { checksSection } from "./sections/common/checks.ts";
import { objectiveSection } from "./sections/common/objective.ts";
import { portfolioSection } from "./sections/common/portfolio.ts";
import { provenanceSection } from "./sections/common/provenance.ts";
import { sinceSection } from "./sections/common/since.ts";
import { brief, count, listed } from "./text.ts";
import { reportVerdict } from "./verdict-text.ts";

/** What sections share, found once. */
export function materialOf(given: ReportInput): Material {
  return {
    ...given,
    review: given.review ?? reviewTasks(given.result),
    summary: summarise(given.data),
  };
}

/** Makes the report of a result. */
export function aggregationReport(given: ReportInput): Report {
  const { data, result } = given;
  const input = materialOf(given);
  const sections: (Section | undefined)[] = [
    sinceSection(given.since),
    answersSection(input),
    goldSection(input),
    tasksSection(input),
    forecastSection(given.forecast),
    workersSection(input),
    dependenceSection(input),
    confusionsSection(input),
    checksSection(given.checks),
    agreementSection(given.agreement),
    portfolioSection(input.result, "label"),
    objectiveSection(result),
    provenanceSection(result, cardOf(result, given.card), given.fingerprint ?? fingerprint(data), [
      [
        "Classes",
        listed(
          Array.from(data.classes, (name) => brief(name, 40)),
          20,
        ),
      ],
    ]),
  ];
  return {
    title: given.title ?? `Answers from ${count(data.label.length, "label")}`,
    subtitle:
      `${cardOf(result, given.card).title} on ${count(data.tasks.length, "task")}, ` +
      `${count(data.workers.length, "worker")} and ${count(data.classes.length, "class", "classes")}`,
    ...(given.verdict && { verdict: reportVerdict(given.verdict) }),
    facts: factsOf(input),
    notes: [...data.notes, ...result.notes].map((note) => brief(note, 1000)),
    sections: sections.filter((section) => section !== undefined),
  };
}
