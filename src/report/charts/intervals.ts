/** Values with their intervals, one line per name: a ranking, or the tasks that are least sure. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { decimal, percent, visible } from "../text.ts";
import type { IntervalRow, IntervalsChart } from "./chart.ts";
import { legend, namedRows } from "./draw.ts";
import { blue, sky, vermillion } from "./palette.ts";
import { linearAxis } from "./ticks.ts";

export function intervalsPlot(chart: IntervalsChart): Plot.PlotOptions {
  const rows = chart.rows.map((row, at) => ({ ...row, at }));
  const ends = rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const byChance = rows.filter(({ chance }) => chance !== undefined);
  const share = chart.share ?? false;
  const held = [...ends, ...byChance.map(({ chance = 0 }) => chance), ...(chart.zero ? [0] : [])];
  const names = rows.map(({ name }) => name);
  return {
    ...namedRows(names, { tickSize: 6 }),
    height: 60 + 22 * rows.length,
    x: {
      label: `${chart.xName} →`,
      grid: true,
      ...linearAxis(minOf(held), maxOf(held), { share }),
    },
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
      Plot.tickX(byChance, { x: "chance", y: "at", stroke: vermillion, strokeWidth: 2 }),
      Plot.dot(rows, {
        x: "value",
        y: "at",
        r: 4,
        fill: blue,
        title: (row: IntervalRow) => words(row, share),
      }),
      ...(byChance.length > 0
        ? legend([
            { name: "gap with its interval", color: blue, symbol: "circle" },
            { name: "chance stays left of this", color: vermillion },
          ])
        : []),
    ],
  };
}

function words({ name, value, low, high, chance }: IntervalRow, share: boolean): string {
  const text = (x: number) => (share ? percent(x) : decimal(x));
  const range = low === null || high === null ? "" : ` [${text(low)}, ${text(high)}]`;
  const most = chance === undefined ? "" : `, chance ${text(chance)}`;
  return `${visible(name)}: ${text(value)}${range}${most}`;
}
