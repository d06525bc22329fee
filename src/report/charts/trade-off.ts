/** What a method costs and what it gives: a score against seconds, one mark per method. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { decimal, percent, visible } from "../text.ts";
import type { TradeOffChart, TradeOffPoint } from "./chart.ts";
import { legend } from "./draw.ts";
import { blue, vermillion } from "./palette.ts";

/** Shorter than this, clocks tell little. */
const SHORTEST = 0.001;

export function tradeOffPlot(chart: TradeOffChart): Plot.PlotOptions {
  const points = chart.points.map((point) => ({
    ...point,
    seconds: Math.max(SHORTEST, point.seconds),
  }));
  const best = points.filter((point) => point.best).toSorted((a, b) => a.seconds - b.seconds);
  const times = points.map(({ seconds }) => seconds);
  const [least, most] = [minOf(times, 1) / 1.5, maxOf(times, SHORTEST) * 6];
  const ticks = [0.001, 0.01, 0.1, 1, 10, 100, 1000, 10_000, 100_000];
  const format = (y: number) => (chart.share ? percent(y, 0) : decimal(y, 2));
  const words = ({ name, seconds, score }: TradeOffPoint) =>
    `${visible(name)}: ${chart.share ? percent(score) : decimal(score)} in ${decimal(seconds)} s`;
  return {
    height: 420,
    marginLeft: 64,
    marginTop: 44,
    x: { type: "log", domain: [least, most], axis: null },
    y: { grid: true, nice: true, ticks: 6, label: `↑ ${chart.yName}`, tickFormat: format },
    marks: [
      Plot.axisX(
        ticks.filter((tick) => tick >= least && tick <= most),
        { text: String, label: "Seconds of a fit (log scale) →" },
      ),
      Plot.line(best, {
        x: "seconds",
        y: "score",
        curve: "step-after",
        stroke: vermillion,
        strokeOpacity: 0.5,
      }),
      Plot.dot(
        points.filter((point) => !point.best),
        { x: "seconds", y: "score", fill: blue, fillOpacity: 0.7, r: 4, title: words },
      ),
      Plot.dot(best, {
        x: "seconds",
        y: "score",
        fill: vermillion,
        symbol: "triangle",
        r: 5,
        title: words,
      }),
      Plot.text(best, {
        x: "seconds",
        y: "score",
        dx: 8,
        dy: -8,
        textAnchor: "start",
        text: ({ name }: TradeOffPoint) => visible(name),
      }),
      legend([
        { name: "nothing faster scores as high", color: vermillion, symbol: "triangle" },
        { name: "others", color: blue, symbol: "circle" },
      ]),
    ],
  };
}
