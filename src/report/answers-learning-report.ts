/** The report of a network learnt from answers that are no classes: that of the answers, with how training and test went. */
import type { EpochRecord } from "../learn/checkpoint.ts";
import type { Report, Section } from "./model.ts";
import { curvesSection } from "./sections/categorical/learning.ts";

interface AnswersLearning {
  readonly history: readonly (readonly EpochRecord[])[];
  readonly engine: string;
  /** Scores on a test set. */
  readonly test?: { readonly line: string } | undefined;
  /** What a method without features scores on the same gold as the answers. */
  readonly baseline?: { readonly id: string; readonly line: string } | undefined;
}

/** Puts test and training before the sections of the answers. */
export function answersLearningReport(
  report: Report,
  { history, engine, test, baseline }: AnswersLearning,
): Report {
  const section = (id: string, title: string, text: readonly string[]): Section => ({
    id,
    title,
    text,
    charts: [],
    tables: [],
  });
  const own = [
    test && section("test", "The network on the test set", [`From features alone: ${test.line}`]),
    baseline &&
      section("baseline", "Without features", [
        `${baseline.id}, on the same gold: ${baseline.line}`,
      ]),
    curvesSection(history),
  ];
  // The objective's own chart says what the curves say.
  const others = report.sections.filter(({ id }) => id !== "objective");
  return {
    ...report,
    facts: [...report.facts, ["Engine", engine]],
    sections: [...own.filter((each) => each !== undefined), ...others],
  };
}
