/** How much the workers agree beyond chance, by several coefficients with their intervals. */
import * as Plot from "@observablehq/plot";
import { decimal, visible } from "../text.ts";
import type { ChartDocument, ChartElement, ChartFrame } from "./document.ts";
import { axisLabel, draw, labelRoom } from "./draw.ts";
import { blue } from "./palette.ts";

export interface AgreementChart extends ChartFrame {
  readonly kind: "agreement";
  readonly coefficients: readonly CoefficientPoint[];
}

export interface CoefficientPoint {
  readonly name: string;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export function drawAgreement(chart: AgreementChart, document: ChartDocument): ChartElement {
  const { coefficients } = chart;
  const names = coefficients.map(({ name }) => name);
  const y = (each: CoefficientPoint) => coefficients.indexOf(each);
  const sure = coefficients.filter(({ low, high }) => low !== null && high !== null);
  const least = coefficients.reduce((min, { value, low }) => Math.min(min, low ?? value), 0);
  return draw(chart, document, {
    height: 60 + 34 * names.length,
    marginLeft: labelRoom(names, 28),
    marginTop: 12,
    x: { domain: [Math.max(-1, least), 1], label: "Agreement →", grid: true, ticks: 6 },
    y: {
      type: "band",
      domain: [...names.keys()],
      label: null,
      tickSize: 0,
      tickFormat: (c: number) => axisLabel(names[c], 28),
    },
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
  });
}
