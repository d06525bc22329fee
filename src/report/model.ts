/** What a report is: plain data, for renderers to turn into pages. */
import type { VerdictLevel } from "../diagnose/verdict.ts";
import type { Chart } from "./charts/chart.ts";

/** A report as plain data: facts, notes and sections. */
export interface Report {
  readonly title: string;
  readonly subtitle: string;
  /** Whether to rely on the answers; absent where nothing judged them. */
  readonly verdict?: ReportVerdict;
  /** What one wants to know first: a few labels and values. */
  readonly facts: readonly Fact[];
  /** What was noticed on the way. */
  readonly notes: readonly string[];
  readonly sections: readonly Section[];
}

/** Whether to rely on the answers, why, and what to do next. */
export interface ReportVerdict {
  /** Trust, use with care, do not trust yet. */
  readonly level: VerdictLevel;
  /** That gold shows confidence to be too high; shown above all else. */
  readonly alarm?: string;
  /** What decided, the gravest first. */
  readonly reasons: readonly string[];
  /** What to do next. */
  readonly next: readonly string[];
}

/** A label and its value. */
export type Fact = readonly [label: string, value: string];

/** A part of a report: text, tables and charts. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Paragraphs. */
  readonly text: readonly string[];
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
}

/** A table of a report. */
export interface Table {
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly Column[];
  /** One cell per column; null where there is nothing to say. */
  readonly rows: readonly (readonly Cell[])[];
  /** What the thing that a row is about looks like, by row; absent if nothing is known. */
  readonly content?: readonly (RowContent | null)[];
  /** What is not in the table, and where to find it. */
  readonly more?: string;
}

/** What a task looks like: a text, an image within the page, an address or a path. */
export interface RowContent {
  readonly text?: string;
  /** A data address: nothing is loaded. */
  readonly image?: string;
  /** Shown as a link that is only followed by hand; http or https. */
  readonly address?: string;
  /** Shown as text. */
  readonly path?: string;
}

/** The name of a column and how its numbers are shown. */
export interface Column {
  readonly name: string;
  /** `state` is text such as ok, warn and unknown. */
  readonly kind: "text" | "number" | "percent" | "integer" | "state";
}

/** The content of a cell; null if there is nothing to say. */
export type Cell = string | number | Estimate | null;

/** A number with its standard deviation, and whether it is the best of its column. */
export interface Estimate {
  readonly value: number;
  readonly sd?: number | undefined;
  readonly best?: boolean | undefined;
}
