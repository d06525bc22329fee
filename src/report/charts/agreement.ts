/** How much the workers agree beyond chance, by several coefficients with their intervals. */
import * as Plot from "@observablehq/plot";
import { decimal, visible } from "../text.ts";
import type { AgreementChart, CoefficientPoint } from "./chart.ts";
import { namedRows } from "./draw.ts";
import { blue } from "./palette.ts";

export function agreementPlot(chart: AgreementChart): Plot.PlotOptions {
  const { coefficients } = chart;
  const names = coefficients.map(({ name }) => name);
  const y = (each: CoefficientPoint) => coefficients.indexOf(each);
  const sure = coefficients.filter(({ low, high }) => low !== null && high !== null);
  const least = coefficients.reduce((min, { value, low }) => Math.min(min, low ?? value), 0);
  return {
    ...namedRows(names, { most: 28 }),
    height: 60 + 34 * names.length,
    marginTop: 12,
    x: { domain: [Math.max(-1, least), 1], label: "Agreement →", grid: true, ticks: 6 },
    marks: [
      Plot.ruleX([0], { strokeOpacity: 0.5 }),
      Plot.ruleY(sure, { y, x1: "low", x2: "high", stroke: blue, strokeWidth: 2 }),
      Plot.dot(coefficients, {
        y,
        x: "value",
        fill: blue,
        r: 5,
        title: ({ name, value, low, high }: CoefficientPoint) =>
          `${visible(name)}: ${decimal(value)}` +
          (low === null || high === null ? "" : ` [${decimal(low)}, ${decimal(high)}]`),
      }),
    ],
  };
}
