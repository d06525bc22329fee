/** How the fit went: what the method maximises, after each iteration. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { decimal, grouped } from "../text.ts";
import type { ChartDocument, ChartElement, ChartFrame } from "./document.ts";
import { draw } from "./draw.ts";
import { blue } from "./palette.ts";

export interface ObjectiveTraceChart extends ChartFrame {
  readonly kind: "objective-trace";
  readonly points: readonly { readonly iteration: number; readonly objective: number }[];
}

export function drawObjectiveTrace(
  chart: ObjectiveTraceChart,
  document: ChartDocument,
): ChartElement {
  const values = chart.points.map(({ objective }) => objective);
  const range = maxOf(values) - minOf(values);
  const digits = range > 20 || range === 0 ? 0 : range > 2 ? 1 : 3;
  return draw(chart, document, {
    height: 280,
    marginLeft: 100,
    x: { label: "Iteration →", tickFormat: (x: number) => (Number.isInteger(x) ? grouped(x) : "") },
    y: {
      label: "↑ Objective",
      grid: true,
      nice: true,
      ticks: 5,
      labelOffset: 96,
      tickFormat: (y: number) => decimal(y, digits),
    },
    marks: [
      Plot.line(chart.points, { x: "iteration", y: "objective", stroke: blue, strokeWidth: 2 }),
      chart.points.length <= 60
        ? Plot.dot(chart.points, { x: "iteration", y: "objective", fill: blue, r: 2.5 })
        : null,
    ],
  });
}
