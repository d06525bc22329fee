/** What more labels would buy: the budget curve and its table. */
import type { Forecast } from "../../../assign/forecast.ts";
import type { CurvesChart } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import { forecastSentences } from "../../forecast-text.ts";
import type { Section } from "../../model.ts";
import { grouped, percent } from "../../text.ts";

/** Makes the section of a forecast; undefined if none was made. */
export function forecastSection(found: Forecast | undefined): Section | undefined {
  if (!found) return undefined;
  const { points } = found;
  return {
    id: "forecast",
    title: "What more labels would buy",
    text: forecastSentences(found).filter((sentence) => sentence !== ""),
    charts: points.length > 0 ? [budgetCurve(found)] : [],
    tables:
      points.length > 0
        ? [
            {
              id: "forecast",
              caption: "Expected accuracy by number of labels, with 95 % intervals",
              columns: columnsOf({
                Labels: "integer",
                "Labels per task": "number",
                "Expected accuracy": "percent",
                Low: "percent",
                High: "percent",
                Gain: "percent",
              }),
              rows: points.map(({ labels, labelsPerTask, accuracy, low, high, gain }) => [
                labels,
                labelsPerTask,
                accuracy,
                low,
                high,
                gain,
              ]),
            },
          ]
        : [],
  };
}

function budgetCurve({ points }: Forecast): CurvesChart {
  const [first, last] = [points[0], points[points.length - 1]];
  return {
    kind: "curves",
    id: "forecast",
    title: "Expected accuracy by labels per task",
    description:
      `From ${percent(first.accuracy)} with ${grouped(first.labels)} labels to ${percent(last.accuracy)} ` +
      `(${percent(last.low)} to ${percent(last.high)}) with ${grouped(last.labels)}.`,
    xName: "Labels per task",
    yName: "Expected accuracy",
    band: true,
    share: true,
    series: [
      {
        name: "Expected accuracy",
        points: points.map(({ labelsPerTask, accuracy, low, high }) => ({
          x: labelsPerTask,
          y: accuracy,
          low,
          high,
        })),
      },
    ],
  };
}
