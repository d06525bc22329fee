/** Draws any chart of a report. */
import type { PlotOptions } from "@observablehq/plot";
import { agreementPlot } from "./agreement.ts";
import { boxPlot } from "./box-plot.ts";
import { calibrationPlot } from "./calibration.ts";
import type { Chart } from "./chart.ts";
import { classBalancePlot } from "./class-balance.ts";
import { comparisonPlot } from "./comparison.ts";
import { confidenceHistogramPlot } from "./confidence-histogram.ts";
import { confusionHeatmapPlot } from "./confusion-heatmap.ts";
import { curvesPlot } from "./curves.ts";
import type { ChartDocument, ChartElement } from "./document.ts";
import { draw } from "./draw.ts";
import { intervalsPlot } from "./intervals.ts";
import { objectiveTracePlot } from "./objective-trace.ts";
import { tradeOffPlot } from "./trade-off.ts";
import { workerGraphPlot } from "./worker-graph.ts";
import { workerSkillPlot } from "./worker-skill.ts";

export function drawChart(chart: Chart, document: ChartDocument): ChartElement {
  return draw(chart, document, plotOf(chart));
}

function plotOf(chart: Chart): PlotOptions {
  switch (chart.kind) {
    case "agreement":
      return agreementPlot(chart);
    case "box-plot":
      return boxPlot(chart);
    case "calibration":
      return calibrationPlot(chart);
    case "class-balance":
      return classBalancePlot(chart);
    case "comparison":
      return comparisonPlot(chart);
    case "confidence-histogram":
      return confidenceHistogramPlot(chart);
    case "confusion-heatmap":
      return confusionHeatmapPlot(chart);
    case "curves":
      return curvesPlot(chart);
    case "intervals":
      return intervalsPlot(chart);
    case "objective-trace":
      return objectiveTracePlot(chart);
    case "trade-off":
      return tradeOffPlot(chart);
    case "worker-graph":
      return workerGraphPlot(chart);
    case "worker-skill":
      return workerSkillPlot(chart);
  }
}
