/** How common each class is among the labels, the answers, and gold where there is some. */
import * as Plot from "@observablehq/plot";
import { percent, visible } from "../text.ts";
import type { ChartDocument, ChartElement, ChartFrame } from "./document.ts";
import { axisLabel, draw, labelRoom, legend } from "./draw.ts";
import { blue, vermillion } from "./palette.ts";

export interface ClassBalanceChart extends ChartFrame {
  readonly kind: "class-balance";
  readonly classes: readonly string[];
  /** Share of each class, one number a class. */
  readonly labels: readonly number[];
  readonly answers: readonly number[];
  readonly gold?: readonly number[];
}

export function drawClassBalance(chart: ClassBalanceChart, document: ChartDocument): ChartElement {
  const { classes, labels, answers, gold } = chart;
  const places = [...classes.keys()];
  const left = labelRoom(classes);
  const title = (k: number) =>
    `${visible(classes[k])}: ${percent(labels[k])} of labels, ${percent(answers[k])} of answers` +
    (gold ? `, ${percent(gold[k])} of gold` : "");
  const y = (k: number) => k;
  const step = classes.length <= 12 ? 34 : 22;
  return draw(chart, document, {
    height: 28 + 44 + step * classes.length,
    marginLeft: left,
    marginTop: 32,
    x: {
      label: "Share →",
      grid: true,
      ticks: 6,
      tickFormat: (x: number) => percent(x, 0),
      nice: true,
      zero: true,
    },
    y: {
      type: "band",
      domain: places,
      label: null,
      tickSize: 0,
      padding: 0.25,
      tickFormat: (k: number) => axisLabel(classes[k]),
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
  });
}
