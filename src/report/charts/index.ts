/** Draws any chart of a report. */
import type { Chart } from "../model.ts";
import { drawAgreement } from "./agreement.ts";
import { drawBoxPlot } from "./box-plot.ts";
import { drawCalibration } from "./calibration.ts";
import { drawClassBalance } from "./class-balance.ts";
import { drawComparison } from "./comparison.ts";
import { drawConfidenceHistogram } from "./confidence-histogram.ts";
import { drawConfusionHeatmap } from "./confusion-heatmap.ts";
import { drawCurves } from "./curves.ts";
import type { ChartDocument, ChartElement } from "./document.ts";
import { drawIntervals } from "./intervals.ts";
import { drawObjectiveTrace } from "./objective-trace.ts";
import { drawTradeOff } from "./trade-off.ts";
import { drawWorkerSkill } from "./worker-skill.ts";

export function drawChart(chart: Chart, document: ChartDocument): ChartElement {
  switch (chart.kind) {
    case "agreement":
      return drawAgreement(chart, document);
    case "box-plot":
      return drawBoxPlot(chart, document);
    case "calibration":
      return drawCalibration(chart, document);
    case "class-balance":
      return drawClassBalance(chart, document);
    case "comparison":
      return drawComparison(chart, document);
    case "confidence-histogram":
      return drawConfidenceHistogram(chart, document);
    case "confusion-heatmap":
      return drawConfusionHeatmap(chart, document);
    case "curves":
      return drawCurves(chart, document);
    case "intervals":
      return drawIntervals(chart, document);
    case "objective-trace":
      return drawObjectiveTrace(chart, document);
    case "trade-off":
      return drawTradeOff(chart, document);
    case "worker-skill":
      return drawWorkerSkill(chart, document);
  }
}
