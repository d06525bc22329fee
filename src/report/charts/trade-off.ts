/** What a method costs and what it gives: a score against seconds, one mark per method. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { decimal, percent, visible } from "../text.ts";
import type { TradeOffChart, TradeOffPoint } from "./chart.ts";
import { axisLabel, legend, WIDTH } from "./draw.ts";
import { CHARACTER, type PlacedLabel, placeLabels } from "./labels.ts";
import { blue, vermillion } from "./palette.ts";
import { type Axis, linearAxis, logTicks } from "./ticks.ts";

/** Shorter than this, clocks tell little. */
const SHORTEST = 0.001;

/** Of more points than this only the best get their names by a line. */
const MOST_LINES = 12;

const HEIGHT = 420;
const margins = { marginTop: 44, marginRight: 24, marginBottom: 44, marginLeft: 72 };

export function tradeOffPlot(chart: TradeOffChart): Plot.PlotOptions {
  const points = chart.points.map((point) => ({
    ...point,
    seconds: Math.max(SHORTEST, point.seconds),
  }));
  const best = points.filter((point) => point.best).toSorted((a, b) => a.seconds - b.seconds);
  const others = points.filter((point) => !point.best);
  const times = points.map(({ seconds }) => seconds);
  const [least, most] = [minOf(times, 1) / 1.5, maxOf(times, SHORTEST) * 1.5];
  const scores = points.map(({ score }) => score);
  // Marks stand away from the frame.
  const room = 0.05 * (maxOf(scores) - minOf(scores));
  const [from, to] = [minOf(scores) - room, maxOf(scores) + room];
  const y = chart.share
    ? linearAxis(Math.max(0, from), Math.min(1, to), { count: 6, share: true })
    : linearAxis(from, to, { count: 6 });
  const labels = labelsOf([...best, ...others], [least, most], y);
  const words = ({ name, seconds, score }: TradeOffPoint) =>
    `${visible(name)}: ${chart.share ? percent(score) : decimal(score)} in ${decimal(seconds)} s`;
  const at = { x: "seconds", y: "score" };
  return {
    ...margins,
    height: HEIGHT,
    x: { type: "log", domain: [least, most], axis: null },
    y: { ...y, grid: true, label: `↑ ${chart.yName}` },
    marks: [
      Plot.axisX(logTicks(least, most), { text: String, label: "Seconds of a fit (log scale) →" }),
      Plot.line(best, { ...at, curve: "step-after", stroke: vermillion, strokeOpacity: 0.5 }),
      Plot.dot(others, { ...at, fill: blue, fillOpacity: 0.7, r: 4, title: words }),
      Plot.dot(best, { ...at, fill: vermillion, symbol: "triangle", r: 5, title: words }),
      ...names(labels),
      legend([
        { name: "nothing faster scores as high", color: vermillion, symbol: "triangle" },
        { name: "others", color: blue, symbol: "circle" },
      ]),
    ],
  };
}

/** Places the names of the points, the best first. */
function labelsOf(
  points: readonly TradeOffPoint[],
  [least, most]: readonly [number, number],
  { domain: [low, high] }: Axis,
): PlacedLabel[] {
  const { marginTop: top, marginRight, marginBottom, marginLeft: left } = margins;
  const [right, bottom] = [WIDTH - marginRight, HEIGHT - marginBottom];
  const spots = points.map(({ name, seconds, score, best }) => ({
    name: axisLabel(name, 28),
    // Lines to many points would cross.
    important: best || points.length <= MOST_LINES,
    x: left + ((right - left) * Math.log(seconds / least)) / Math.log(most / least),
    y: bottom - ((bottom - top) * (score - low)) / (high - low),
  }));
  return placeLabels(spots, { left, right, top: top - 8, bottom });
}

/** Draws the names where they were placed, with a line to points that are far away. */
function names(labels: readonly PlacedLabel[]): Plot.Markish[] {
  const pixels = (value: (label: PlacedLabel) => number) => ({ value, scale: null });
  const near = ({ left, name, x }: PlacedLabel) =>
    Math.min(Math.max(x, left - 2), left + CHARACTER * [...name].length);
  return [
    Plot.link(
      labels.filter(({ far }) => far),
      {
        x1: pixels(({ x }) => x),
        y1: pixels(({ y }) => y),
        x2: pixels(near),
        y2: pixels(({ middle }) => middle),
        strokeOpacity: 0.35,
      },
    ),
    Plot.text(labels, {
      x: pixels(({ left }) => left),
      y: pixels(({ middle }) => middle),
      textAnchor: "start",
      lineAnchor: "middle",
      text: "name",
    }),
  ];
}
