/** What a report is: plain data, for renderers to turn into pages. */
import type { AgreementChart } from "./charts/agreement.ts";
import type { BoxPlotChart } from "./charts/box-plot.ts";
import type { CalibrationChart } from "./charts/calibration.ts";
import type { ClassBalanceChart } from "./charts/class-balance.ts";
import type { ComparisonChart } from "./charts/comparison.ts";
import type { ConfidenceHistogramChart } from "./charts/confidence-histogram.ts";
import type { ConfusionHeatmapChart } from "./charts/confusion-heatmap.ts";
import type { CurvesChart } from "./charts/curves.ts";
import type { IntervalsChart } from "./charts/intervals.ts";
import type { ObjectiveTraceChart } from "./charts/objective-trace.ts";
import type { TradeOffChart } from "./charts/trade-off.ts";
import type { WorkerSkillChart } from "./charts/worker-skill.ts";

/** A report as plain data: facts, notes and sections. */
export interface Report {
  readonly title: string;
  readonly subtitle: string;
  /** What one wants to know first: a few labels and values. */
  readonly facts: readonly Fact[];
  /** What was noticed on the way. */
  readonly notes: readonly string[];
  readonly sections: readonly Section[];
}

export type Fact = readonly [label: string, value: string];

export interface Section {
  readonly id: string;
  readonly title: string;
  /** Paragraphs. */
  readonly text: readonly string[];
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
}

export interface Table {
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly Column[];
  /** One cell a column; null where there is nothing to say. */
  readonly rows: readonly (readonly Cell[])[];
  /** What is not in the table, and where to find it. */
  readonly more?: string;
}

export interface Column {
  readonly name: string;
  readonly kind: "text" | "number" | "percent" | "integer";
}

export type Cell = string | number | null;

/** What a chart shows, by kind; charts/ has a file for each that draws it. */
export type Chart =
  | AgreementChart
  | BoxPlotChart
  | CalibrationChart
  | ClassBalanceChart
  | ConfidenceHistogramChart
  | ConfusionHeatmapChart
  | ComparisonChart
  | CurvesChart
  | IntervalsChart
  | ObjectiveTraceChart
  | TradeOffChart
  | WorkerSkillChart;
