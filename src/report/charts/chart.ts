/** What each chart shows, as plain data; the files beside this one draw them. */
import type { ChartFrame } from "./document.ts";

/** Any chart, by its kind. */
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
  | WorkerGraphChart
  | WorkerSkillChart;

export interface AgreementChart extends ChartFrame {
  readonly kind: "agreement";
  readonly coefficients: readonly CoefficientPoint[];
}

export interface CoefficientPoint {
  readonly name: string;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export interface BoxPlotChart extends ChartFrame {
  readonly kind: "box-plot";
  /** What the numbers are. */
  readonly axis: string;
  /** Counts go on a log scale; shares from 0 to 1. */
  readonly scale: "counts" | "shares";
  readonly boxes: readonly Box[];
}

export interface Box {
  readonly name: string;
  readonly min: number;
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
  readonly max: number;
}

export interface CalibrationChart extends ChartFrame {
  readonly kind: "calibration";
  readonly bins: readonly CalibrationBin[];
}

export interface CalibrationBin {
  readonly tasks: number;
  /** Mean confidence, and the share of right answers with its interval. */
  readonly confidence: number;
  readonly accuracy: number;
  readonly low: number;
  readonly high: number;
}

export interface ClassBalanceChart extends ChartFrame {
  readonly kind: "class-balance";
  readonly classes: readonly string[];
  /** Share of each class, one number per class. */
  readonly labels: readonly number[];
  readonly answers: readonly number[];
  readonly gold?: readonly number[];
}

export interface ComparisonChart extends ChartFrame {
  readonly kind: "comparison";
  readonly xName: string;
  readonly rows: readonly ComparisonPoint[];
}

export interface ComparisonPoint {
  readonly name: string;
  readonly value: number;
  /** Half the width of its interval; 0 where there is none. */
  readonly half: number;
  readonly theirs: number | null;
}

export interface ConfidenceHistogramChart extends ChartFrame {
  readonly kind: "confidence-histogram";
  readonly bins: readonly ConfidenceBin[];
  /** Answers below this are worth another look. */
  readonly certain: number;
}

export interface ConfidenceBin {
  readonly from: number;
  readonly to: number;
  readonly tasks: number;
}

export interface ConfusionHeatmapChart extends ChartFrame {
  readonly kind: "confusion-heatmap";
  /** What the rows and columns are: "answer" and "label", say. */
  readonly rowName: string;
  readonly columnName: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** One for all, or several side by side. */
  readonly panels: readonly Panel[];
}

export interface Panel {
  readonly title: string;
  /** Shares as values[row][column]; each row sums to 1, or to 0 where there is nothing in it. */
  readonly values: readonly (readonly number[])[];
}

export interface CurvesChart extends ChartFrame {
  readonly kind: "curves";
  readonly xName: string;
  readonly yName: string;
  /** Whether y is a share, shown as per cent. */
  readonly share?: boolean;
  /** Whether x is a time in milliseconds since 1970, shown as a date (UTC). */
  readonly dates?: boolean;
  /** Whether intervals are a shaded band around the line instead of bars. */
  readonly band?: boolean;
  /** Where the y axis begins and ends, for charts that are compared; default: where the numbers do. */
  readonly range?: readonly [number, number];
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly {
      readonly x: number;
      readonly y: number;
      readonly low?: number;
      readonly high?: number;
    }[];
  }[];
  /** Where a vertical line stands, such as the epoch that was kept. */
  readonly mark?: { readonly x: number; readonly name: string };
}

export interface IntervalsChart extends ChartFrame {
  readonly kind: "intervals";
  readonly xName: string;
  /** Whether 0 is part of the axis, with a line. */
  readonly zero?: true;
  /** Whether bars lead from 0 to the values. */
  readonly bars?: true;
  /** Whether values are shares, shown as per cent. */
  readonly share?: boolean;
  readonly rows: readonly IntervalRow[];
}

export interface IntervalRow {
  readonly name: string;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  /** The value that chance alone stays below in 95 % of cases, shown as a tick. */
  readonly chance?: number;
}

export interface ObjectiveTraceChart extends ChartFrame {
  readonly kind: "objective-trace";
  readonly points: readonly { readonly iteration: number; readonly objective: number }[];
}

export interface TradeOffChart extends ChartFrame {
  readonly kind: "trade-off";
  readonly yName: string;
  /** Whether the score is a share, shown in percent. */
  readonly share: boolean;
  readonly points: readonly TradeOffPoint[];
}

export interface TradeOffPoint {
  readonly name: string;
  readonly seconds: number;
  readonly score: number;
  /** Nothing faster scores as high. */
  readonly best: boolean;
}

export interface WorkerGraphChart extends ChartFrame {
  readonly kind: "worker-graph";
  /** In the order in which they stand around the circle. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly name: string;
  readonly labels: number;
  /** The group, from 1; null for a worker in none. */
  readonly group: number | null;
}

/** Two workers by their places among the nodes. */
export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  /** Share of common tasks on which they agree, less the share expected. */
  readonly excess: number;
  readonly common: number;
  readonly suspected: boolean;
}

export interface WorkerSkillChart extends ChartFrame {
  readonly kind: "worker-skill";
  readonly workers: readonly WorkerPoint[];
}

export interface WorkerPoint {
  readonly name: string;
  readonly labels: number;
  readonly skill: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly flagged: boolean;
}
