/** How the fit went: what the method maximises, after each iteration. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { grouped } from "../text.ts";
import type { ObjectiveTraceChart } from "./chart.ts";
import { blue } from "./palette.ts";
import { linearAxis } from "./ticks.ts";

export function objectiveTracePlot(chart: ObjectiveTraceChart): Plot.PlotOptions {
  const values = chart.points.map(({ objective }) => objective);
  return {
    height: 280,
    marginLeft: 100,
    x: { label: "Iteration →", tickFormat: (x: number) => (Number.isInteger(x) ? grouped(x) : "") },
    y: {
      label: "↑ Objective",
      grid: true,
      labelOffset: 96,
      ...linearAxis(minOf(values), maxOf(values)),
    },
    marks: [
      Plot.line(chart.points, { x: "iteration", y: "objective", stroke: blue, strokeWidth: 2 }),
      chart.points.length <= 60
        ? Plot.dot(chart.points, { x: "iteration", y: "objective", fill: blue, r: 2.5 })
        : null,
    ],
  };
}
