/** Values with their intervals, one line per name: a ranking, or the tasks that are least sure. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { decimal, visible } from "../text.ts";
import type { IntervalRow, IntervalsChart } from "./chart.ts";
import { namedRows } from "./draw.ts";
import { blue, sky } from "./palette.ts";
import { linearAxis } from "./ticks.ts";

export function intervalsPlot(chart: IntervalsChart): Plot.PlotOptions {
  const rows = chart.rows.map((row, at) => ({ ...row, at }));
  const ends = rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const held = chart.zero ? [0, ...ends] : ends;
  const names = rows.map(({ name }) => name);
  return {
    ...namedRows(names, { tickSize: 6 }),
    height: 60 + 22 * rows.length,
    x: { label: `${chart.xName} →`, grid: true, ...linearAxis(minOf(held), maxOf(held)) },
    marks: [
      chart.zero ? Plot.ruleX([0], { strokeOpacity: 0.5 }) : null,
      chart.bars
        ? Plot.barX(rows, {
            x: "value",
            y: "at",
            fill: sky,
            fillOpacity: 0.5,
            insetTop: 3,
            insetBottom: 3,
          })
        : null,
      Plot.ruleY(
        rows.filter(({ low, high }) => low !== null && high !== null),
        { y: "at", x1: "low", x2: "high", stroke: blue, strokeOpacity: 0.5, strokeWidth: 3 },
      ),
      Plot.dot(rows, { x: "value", y: "at", r: 4, fill: blue, title: words }),
    ],
  };
}

function words({ name, value, low, high }: IntervalRow): string {
  const range = low === null || high === null ? "" : ` [${decimal(low)}, ${decimal(high)}]`;
  return `${visible(name)}: ${decimal(value)}${range}`;
}
