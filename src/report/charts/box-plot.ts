/** How numbers are spread: from the least to the most, the middle half as a box, the median as a line. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { grouped, percent, visible } from "../text.ts";
import type { Box, BoxPlotChart } from "./chart.ts";
import { namedRows } from "./draw.ts";
import { sky } from "./palette.ts";

export function boxPlot(chart: BoxPlotChart): Plot.PlotOptions {
  const { axis, boxes, scale } = chart;
  const names = boxes.map(({ name }) => name);
  const most = maxOf(boxes.map(({ max }) => max));
  const least = minOf(boxes.map(({ min }) => min));
  const format = (x: number) => (scale === "counts" ? grouped(x) : percent(x, 0));
  const y = (box: Box) => boxes.indexOf(box);
  const title = ({ name, min, lower, median, upper, max }: Box) =>
    `${visible(name)}: ${[min, lower, median, upper, max].map(format).join(", ")}`;
  return {
    ...namedRows(names, { most: 24, padding: 0.35 }),
    height: 60 + 44 * boxes.length,
    marginTop: 12,
    x:
      scale === "counts"
        ? {
            type: "symlog",
            domain: [Math.min(0, least), Math.max(1, most) * 1.1],
            label: `${axis} →`,
            grid: true,
            ticks: countTicks(most),
            tickFormat: format,
          }
        : { domain: [0, 1], label: `${axis} →`, grid: true, ticks: 6, tickFormat: format },
    marks: [
      Plot.ruleY(boxes, { y, x1: "min", x2: "lower", strokeOpacity: 0.6 }),
      Plot.ruleY(boxes, { y, x1: "upper", x2: "max", strokeOpacity: 0.6 }),
      Plot.tickX(boxes, { y, x: "min", insetTop: 6, insetBottom: 6, strokeOpacity: 0.6 }),
      Plot.tickX(boxes, { y, x: "max", insetTop: 6, insetBottom: 6, strokeOpacity: 0.6 }),
      Plot.barX(boxes, { y, x1: "lower", x2: "upper", fill: sky, fillOpacity: 0.7, title }),
      Plot.tickX(boxes, { y, x: "median", strokeWidth: 2.5 }),
    ],
  };
}

/** 1, 3, 10, 30, … up to the largest. */
function countTicks(most: number): number[] {
  const ticks = [0];
  for (let power = 1; power <= most; power *= 10) {
    ticks.push(power);
    if (3 * power <= most && most <= 3e4) ticks.push(3 * power);
  }
  return ticks;
}
