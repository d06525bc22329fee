/** What the reports of numbers and of comparisons share. */
import type { Names } from "../data/names.ts";
import type { Check } from "../diagnose/checks.ts";
import type { Turns } from "../diagnose/drift/turns-result.ts";
import type { Fairness } from "../diagnose/fairness/fairness.ts";
import type { Changes } from "../diagnose/since.ts";
import type { Verdict } from "../diagnose/verdict.ts";
import type { IntervalsChart } from "./charts/chart.ts";
import type { RowContent } from "./model.ts";
import type { Described } from "./sections/common/provenance.ts";
import type { TaskContents } from "./task-content.ts";
import { contentOf } from "./task-content.ts";
import { brief, decimal, finite } from "./text.ts";

export interface KindReportInput<Data, Result, Agreement, Metrics> {
  readonly data: Data;
  readonly result: Result;
  readonly card: Described;
  /** Names of the workers that may be shown. */
  readonly workers: Names;
  readonly agreement: Agreement;
  /** What can be learnt from the answers, check by check. */
  readonly checks?: readonly Check[] | undefined;
  readonly metrics?: Metrics | undefined;
  /** What tasks or items look like, by name. */
  readonly content?: TaskContents | undefined;
  /** Whether to rely on the answers. */
  readonly verdict?: Verdict | undefined;
  /** What changed since an earlier run. */
  readonly since?: Changes | undefined;
  /** Differences between groups of workers. */
  readonly fairness?: Fairness | undefined;
  /** How the answers of workers went over time, where that was looked at. */
  readonly drift?: Turns | undefined;
}

interface Estimates {
  readonly value: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** The estimates of the first `most` things in the given order, with their intervals. */
export function intervalsChart(
  { id, title, xName }: Pick<IntervalsChart, "id" | "title" | "xName">,
  names: Names,
  { value, low, high }: Estimates,
  order: readonly number[],
  most: number,
): IntervalsChart {
  return {
    kind: "intervals",
    id,
    title,
    description: order
      .slice(0, 10)
      .map((i) => `${brief(names.at(i), 40)} ${decimal(value[i])}`)
      .join("; "),
    xName,
    rows: order.slice(0, most).map((i) => ({
      name: brief(names.at(i)),
      value: value[i],
      low: finite(low[i]),
      high: finite(high[i]),
    })),
  };
}

/** The content of rows by the names they are about; nothing if none has any. */
export function contentRows(
  contents: TaskContents | undefined,
  names: readonly string[],
): { content?: readonly (RowContent | null)[] } {
  const content = names.map((name) => contentOf(contents, name) ?? null);
  return content.some((each) => each !== null) ? { content } : {};
}
