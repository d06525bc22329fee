/** Values with their intervals, one line per name: a ranking, or the tasks that are least sure. */
import * as Plot from "@observablehq/plot";
import { decimal, visible } from "../text.ts";
import type { ChartDocument, ChartElement, ChartFrame } from "./document.ts";
import { axisLabel, draw, labelRoom } from "./draw.ts";
import { blue } from "./palette.ts";

export interface IntervalsChart extends ChartFrame {
  readonly kind: "intervals";
  readonly xName: string;
  readonly rows: readonly IntervalRow[];
}

export interface IntervalRow {
  readonly name: string;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export function drawIntervals(chart: IntervalsChart, document: ChartDocument): ChartElement {
  const rows = chart.rows.map((row, at) => ({ ...row, at }));
  const label = (at: number) => axisLabel(rows[at]?.name ?? "");
  return draw(chart, document, {
    height: 60 + 22 * rows.length,
    marginLeft: labelRoom(rows.map(({ name }) => name)),
    x: { label: `${chart.xName} →`, grid: true, nice: true },
    // Names may be alike once they are cut, so rows stand by number.
    y: { type: "band", domain: rows.map(({ at }) => at), label: null, tickFormat: label },
    marks: [
      Plot.ruleY(
        rows.filter(({ low, high }) => low !== null && high !== null),
        { y: "at", x1: "low", x2: "high", stroke: blue, strokeOpacity: 0.5, strokeWidth: 3 },
      ),
      Plot.dot(rows, { x: "value", y: "at", r: 4, fill: blue, title: words }),
    ],
  });
}

function words({ name, value, low, high }: IntervalRow): string {
  const range = low === null || high === null ? "" : ` [${decimal(low)}, ${decimal(high)}]`;
  return `${visible(name)}: ${decimal(value)}${range}`;
}
