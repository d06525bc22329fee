/** From what a learner found to a report: the classifier first, then answers and workers as for labels alone. */
import type { Names } from "../data/names.ts";
import type { Metrics } from "../evaluate/index.ts";
import type { EpochRecord } from "../learn/checkpoint.ts";
import type { LearnerCard } from "../learn/create-learner.ts";
import type { Learning } from "../learn/learner.ts";
import type { OptionTable } from "../method.ts";
import type { ReportInput } from "./input.ts";
import type { Report } from "./model.ts";
import { aggregationReport, materialOf } from "./report.ts";
import {
  curvesSection,
  disagreementSection,
  outlierSection,
  testSection,
} from "./sections/categorical/learning.ts";
import { count, percent } from "./text.ts";

/** Predictions of a test set, scored where its classes are known. */
export interface Predicted {
  readonly tasks: Names;
  readonly classes: Names;
  readonly posterior: Float64Array;
  readonly consensus: Int32Array;
  readonly metrics?: Metrics;
}

export interface Tested extends Predicted {
  /** From features and labels together. */
  readonly withLabels?: Predicted;
}

export interface LearningReportInput extends Omit<ReportInput, "result"> {
  readonly result: Omit<Learning, "predictor">;
  readonly card: LearnerCard<OptionTable>;
  /** What the classifier alone says of the labelled tasks. */
  readonly predicted: Float64Array;
  readonly tested?: Tested | undefined;
  readonly history: readonly (readonly EpochRecord[])[];
  readonly engine: string;
}

export function learningReport(input: LearningReportInput): Report {
  const { result, tested, predicted, history } = input;
  const report = aggregationReport(input);
  const material = materialOf(input);
  const test = tested?.metrics?.accuracy.chosen;
  const own = [
    testSection(material, tested),
    curvesSection(history),
    disagreementSection(material, predicted),
    outlierSection(material, result.outlierScores),
  ];
  // The objective's own chart says what the curves say.
  const others = report.sections.filter(({ id }) => id !== "objective");
  return {
    ...report,
    title: input.title ?? `A classifier from ${count(input.data.label.length, "label")}`,
    facts: [
      ...(test ? [["Test accuracy", percent(test.value, 2)] as const] : []),
      ...report.facts,
      ["Engine", input.engine],
    ],
    sections: [...own.filter((section) => section !== undefined), ...others],
  };
}
