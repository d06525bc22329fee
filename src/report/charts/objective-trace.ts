/** How the fit went: what the method maximises, after each iteration. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { decimal, grouped } from "../text.ts";
import type { ObjectiveTraceChart } from "./chart.ts";
import { blue } from "./palette.ts";

export function objectiveTracePlot(chart: ObjectiveTraceChart): Plot.PlotOptions {
  const values = chart.points.map(({ objective }) => objective);
  const range = maxOf(values) - minOf(values);
  const digits = range > 20 || range === 0 ? 0 : range > 2 ? 1 : 3;
  return {
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
  };
}
