/** Numbers beside each other, ours with their intervals and, where a paper prints one, theirs. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { decimal, visible } from "../text.ts";
import type { ComparisonChart, ComparisonPoint } from "./chart.ts";
import { legend, namedRows } from "./draw.ts";
import { blue, vermillion } from "./palette.ts";
import { linearAxis } from "./ticks.ts";

export function comparisonPlot(chart: ComparisonChart): Plot.PlotOptions {
  const { rows } = chart;
  const names = rows.map(({ name }) => name);
  const y = (each: ComparisonPoint) => rows.indexOf(each);
  const ends = rows.flatMap(({ value, half, theirs }) => [
    value - half,
    value + half,
    theirs ?? value,
  ]);
  const printed = rows.filter(({ theirs }) => theirs !== null);
  return {
    ...namedRows(names, { most: 40 }),
    height: 76 + 20 * rows.length,
    x: { label: `${chart.xName} →`, grid: true, ...linearAxis(minOf(ends), maxOf(ends)) },
    marks: [
      Plot.ruleY(
        rows.filter(({ half }) => half > 0),
        {
          y,
          stroke: blue,
          strokeWidth: 2,
          x1: ({ value, half }: ComparisonPoint) => value - half,
          x2: ({ value, half }: ComparisonPoint) => value + half,
        },
      ),
      Plot.dot(printed, { y, x: "theirs", stroke: vermillion, symbol: "triangle", r: 4 }),
      Plot.dot(rows, {
        y,
        x: "value",
        fill: blue,
        r: 4,
        title: ({ name, value, half, theirs }: ComparisonPoint) =>
          `${visible(name)}: ${decimal(value)}${half > 0 ? ` ± ${decimal(half)}` : ""}` +
          (theirs === null ? "" : `, paper ${decimal(theirs)}`),
      }),
      ...(printed.length > 0
        ? legend([
            { name: "ours", color: blue, symbol: "circle" },
            { name: "paper", color: vermillion, symbol: "triangle" },
          ])
        : []),
    ],
  };
}
