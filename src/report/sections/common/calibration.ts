/** Whether probabilities mean what they say, as a chart. */
import type { Calibration } from "../../../evaluate/calibration.ts";
import type { CalibrationChart } from "../../charts/chart.ts";
import { count, percent } from "../../text.ts";

/** Makes the chart; `noun` is what is counted: "task". */
export function calibrationChart(
  { bins }: Calibration,
  title: string,
  noun: string,
): CalibrationChart {
  const words = bins.map(
    ({ tasks, confidence, accuracy }) =>
      `${percent(confidence, 0)} sure, ${percent(accuracy.value, 0)} right (${count(tasks, noun)})`,
  );
  return {
    kind: "calibration",
    id: "calibration",
    title,
    description: `${words.join("; ")}.`,
    bins: bins.map(({ tasks, confidence, accuracy: { value, low, high } }) => ({
      tasks,
      confidence,
      accuracy: value,
      low,
      high,
    })),
  };
}
