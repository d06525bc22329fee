/** How sure the answers are: tasks by the probability of their answer. */
import * as Plot from "@observablehq/plot";
import { count, percent } from "../text.ts";
import type { ConfidenceBin, ConfidenceHistogramChart } from "./chart.ts";
import { legend } from "./draw.ts";
import { blue, orange } from "./palette.ts";

export function confidenceHistogramPlot(chart: ConfidenceHistogramChart): Plot.PlotOptions {
  const { bins, certain } = chart;
  const doubtful = ({ to }: ConfidenceBin) => to <= certain + 1e-9;
  return {
    height: 300,
    marginLeft: 64,
    marginTop: 44,
    x: {
      domain: [bins[0]?.from ?? 0, 1],
      label: "Probability of the answer →",
      tickFormat: (x: number) => percent(x, 0),
    },
    y: { label: "↑ Tasks", grid: true, nice: true, zero: true, ticks: 5, labelOffset: 60 },
    marks: [
      Plot.rectY(bins, {
        x1: "from",
        x2: "to",
        y: "tasks",
        insetLeft: 1,
        insetRight: 1,
        fill: (bin: ConfidenceBin) => (doubtful(bin) ? orange : blue),
        title: ({ from, to, tasks }: ConfidenceBin) =>
          `${percent(from, 0)} to ${percent(to, 0)}: ${count(tasks, "task")}`,
      }),
      Plot.ruleY([0]),
      legend([
        { name: `below ${percent(certain, 0)}: worth another look`, color: orange },
        { name: `${percent(certain, 0)} and more`, color: blue },
      ]),
    ],
  };
}
