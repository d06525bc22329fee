/** How common each class is among the labels, the answers, and gold where there is some. */
import * as Plot from "@observablehq/plot";
import { percent, visible } from "../text.ts";
import type { ClassBalanceChart } from "./chart.ts";
import { legend, namedRows } from "./draw.ts";
import { blue, vermillion } from "./palette.ts";

export function classBalancePlot(chart: ClassBalanceChart): Plot.PlotOptions {
  const { classes, labels, answers, gold } = chart;
  const places = [...classes.keys()];
  const title = (k: number) =>
    `${visible(classes[k])}: ${percent(labels[k])} of labels, ${percent(answers[k])} of answers` +
    (gold ? `, ${percent(gold[k])} of gold` : "");
  const y = (k: number) => k;
  const step = classes.length <= 12 ? 34 : 22;
  return {
    ...namedRows(classes, { padding: 0.25 }),
    height: 28 + 44 + step * classes.length,
    marginTop: 32,
    x: {
      label: "Share →",
      grid: true,
      ticks: 6,
      tickFormat: (x: number) => percent(x, 0),
      nice: true,
      zero: true,
    },
    marks: [
      Plot.barX(places, {
        y,
        x: (k: number) => labels[k],
        fill: "currentColor",
        fillOpacity: 0.18,
        title,
      }),
      Plot.barX(places, {
        y,
        x: (k: number) => answers[k],
        fill: blue,
        title,
        insetTop: 0.19 * step,
        insetBottom: 0.19 * step,
      }),
      gold &&
        Plot.tickX(places, { y, x: (k: number) => gold[k], stroke: vermillion, strokeWidth: 3 }),
      Plot.ruleX([0]),
      legend([
        { name: "labels", color: "currentColor", opacity: 0.25 },
        { name: "answers", color: blue },
        ...(gold ? [{ name: "gold", color: vermillion }] : []),
      ]),
    ],
  };
}
