/** Who can be relied on: skill with its interval against the number of labels, one mark per worker. */
import * as Plot from "@observablehq/plot";
import { count, grouped, percent, visible } from "../text.ts";
import type { WorkerPoint, WorkerSkillChart } from "./chart.ts";
import { legend } from "./draw.ts";
import { blue, vermillion } from "./palette.ts";
import { logTicks } from "./ticks.ts";

export function workerSkillPlot(chart: WorkerSkillChart): Plot.PlotOptions {
  const { workers } = chart;
  const most = workers.reduce((max, { labels }) => Math.max(max, labels), 1) * 1.25;
  const least = workers.reduce((min, { labels }) => Math.min(min, labels), most) / 1.25;
  const flagged = workers.filter((worker) => worker.flagged);
  return {
    height: 380,
    marginLeft: 60,
    marginTop: 44,
    x: { type: "log", domain: [least, most], axis: null },
    y: {
      domain: [0, 1],
      grid: true,
      ticks: 6,
      label: "↑ Skill",
      tickFormat: (y: number) => percent(y, 0),
    },
    marks: [
      // A scale's own tick format would drop every label but those of 1 and 2 times a power of ten.
      Plot.axisX(countTicks(least, most), { text: grouped, label: "Labels given (log scale) →" }),
      points(
        workers.filter((worker) => !worker.flagged),
        { fill: blue, symbol: "circle", r: 3.5 },
      ),
      points(flagged, { fill: vermillion, symbol: "triangle", r: 4.5 }),
      flagged.length > 0
        ? legend([
            { name: "not flagged", color: blue, symbol: "circle" },
            { name: "flagged", color: vermillion, symbol: "triangle" },
          ])
        : null,
    ],
  };
}

/** Returns ticks at whole numbers. */
function countTicks(least: number, most: number): number[] {
  const whole = logTicks(least, most).filter(Number.isInteger);
  return whole.length > 0 ? whole : [Math.round(Math.sqrt(least * most))];
}

function points(
  workers: readonly WorkerPoint[],
  look: { readonly fill: string; readonly symbol: "circle" | "triangle"; readonly r: number },
): Plot.Markish[] {
  const sure = workers.filter(({ low, high }) => low !== null && high !== null);
  return [
    Plot.ruleX(sure, {
      x: "labels",
      y1: "low",
      y2: "high",
      stroke: look.fill,
      strokeOpacity: 0.35,
    }),
    Plot.dot(workers, { ...look, x: "labels", y: "skill", fillOpacity: 0.8, title: words }),
  ];
}

function words({ name, labels, skill, low, high, flagged }: WorkerPoint): string {
  const range = low === null || high === null ? "" : ` [${percent(low)}, ${percent(high)}]`;
  return `${visible(name)}: ${percent(skill)}${range}, ${count(labels, "label")}${flagged ? ", flagged" : ""}`;
}
