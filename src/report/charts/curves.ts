/** Lines over a common axis: losses by epoch, accuracy by distance, what a paper's figure shows. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import type { CurvesChart } from "./chart.ts";
import { legend } from "./draw.ts";
import { blue, orange, sky, vermillion } from "./palette.ts";
import { linearAxis } from "./ticks.ts";

const colours = [blue, vermillion, orange, sky, "#009E73", "#CC79A7", "#999999"];
const symbols = ["circle", "triangle", "square"] as const;

export function curvesPlot(chart: CurvesChart): Plot.PlotOptions {
  const { series, mark, share, band, dates, range } = chart;
  const all = series.flatMap(({ points }) =>
    points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]),
  );
  const place = ({ x }: { readonly x: number }) => (dates ? new Date(x) : x);
  const look = (i: number) => ({
    color: colours[i % colours.length],
    symbol: symbols[i % symbols.length],
  });
  return {
    height: 300,
    marginLeft: 76,
    // The legend stands below the name of the axis, which may reach far to the right.
    ...(series.length > 1 && { marginTop: 48 }),
    x: {
      label: `${chart.xName} →`,
      ...(dates ? { type: "utc", ticks: 5 } : { nice: true, ...wholeTicks(series) }),
    },
    y: {
      label: `↑ ${chart.yName}`,
      grid: true,
      labelOffset: 72,
      ...linearAxis(...(range ?? [minOf(all), maxOf(all)]), { share: share ?? false }),
    },
    marks: [
      ...series.flatMap(({ points }, i) => [
        ...intervalMarks(points, look(i).color, place, band ?? false),
        Plot.line(points, { x: place, y: "y", stroke: look(i).color, strokeWidth: 2 }),
        points.length <= 60
          ? Plot.dot(points, {
              x: place,
              y: "y",
              r: 3,
              fill: look(i).color,
              symbol: look(i).symbol,
            })
          : null,
      ]),
      ...(mark
        ? [Plot.ruleX([place(mark)], { stroke: "currentColor", strokeDasharray: "4 3" })]
        : []),
      ...(series.length > 1 ? legend(series.map(({ name }, i) => ({ name, ...look(i) }))) : []),
    ],
  };
}

/** Intervals as a shaded band around the line, or as a bar at each point. */
function intervalMarks(
  points: CurvesChart["series"][number]["points"],
  color: string,
  x: (point: CurvesChart["series"][number]["points"][number]) => number | Date,
  band: boolean,
): Plot.Markish[] {
  if (!points.some(({ low }) => low !== undefined)) return [];
  const ends = { x, y1: "low", y2: "high" };
  return [
    band
      ? Plot.areaY(points, { ...ends, fill: color, fillOpacity: 0.18 })
      : Plot.ruleX(points, { ...ends, stroke: color, strokeOpacity: 0.6 }),
  ];
}

/** Writes no half epochs: where all points lie at whole numbers and these are few, they are the ticks. */
function wholeTicks(series: CurvesChart["series"]): Plot.ScaleOptions {
  const places = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))];
  return places.length <= 10 && places.every(Number.isInteger)
    ? { ticks: places, tickFormat: String }
    : {};
}
