/** Whether a probability means what it says: how often answers of each confidence are right. */
import * as Plot from "@observablehq/plot";
import { maxOf } from "../../math/lists.ts";
import { count, percent } from "../text.ts";
import type { CalibrationBin, CalibrationChart } from "./chart.ts";
import { blue } from "./palette.ts";

export function calibrationPlot(chart: CalibrationChart): Plot.PlotOptions {
  const most = maxOf(chart.bins.map(({ tasks }) => tasks));
  // By area, but never too small to be seen.
  const size = ({ tasks }: CalibrationBin) => 3 + 9 * Math.sqrt(tasks / most);
  const share = (x: number) => percent(x, 0);
  return {
    height: 400,
    marginLeft: 60,
    x: { domain: [0, 1], grid: true, ticks: 6, label: "Confidence →", tickFormat: share },
    y: { domain: [0, 1], grid: true, ticks: 6, label: "↑ Right answers", tickFormat: share },
    marks: [
      Plot.link([0], {
        x1: 0,
        y1: 0,
        x2: 1,
        y2: 1,
        strokeDasharray: "4 4",
        strokeOpacity: 0.6,
      }),
      Plot.text(["perfectly calibrated"], {
        x: 0.16,
        y: 0.16,
        dy: -8,
        rotate: -31,
        fillOpacity: 0.7,
        text: (d: string) => d,
      }),
      Plot.ruleX(chart.bins, {
        x: "confidence",
        y1: "low",
        y2: "high",
        stroke: blue,
        strokeWidth: 1.5,
      }),
      Plot.dot(chart.bins, {
        x: "confidence",
        y: "accuracy",
        r: { value: size, scale: null },
        fill: blue,
        fillOpacity: 0.8,
        title: ({ tasks, confidence, accuracy, low, high }: CalibrationBin) =>
          `${count(tasks, "task")} at ${percent(confidence)}: ${percent(accuracy)} right [${percent(low)}, ${percent(high)}]`,
      }),
    ],
  };
}
