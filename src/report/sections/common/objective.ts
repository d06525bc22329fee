/** How the fit went, and whether it converged. */
import type { CrowdResult } from "../../../aggregate/result.ts";
import type { ObjectiveTraceChart } from "../../charts/chart.ts";
import type { Section } from "../../model.ts";
import { count, decimal } from "../../text.ts";

/** Points of a longer trace that are drawn. */
const POINTS = 500;

export function objectiveSection(
  result: Pick<CrowdResult, "trace" | "iterations" | "converged">,
): Section | undefined {
  const trace = Array.from(result.trace, (objective, i) => ({
    iteration: i + 1,
    objective,
  })).filter(({ objective }) => Number.isFinite(objective));
  if (trace.length < 2) return undefined;
  const every = Math.ceil(trace.length / POINTS);
  const points = trace.filter((_, i) => i % every === 0 || i === trace.length - 1);
  const [first, last] = [trace[0].objective, trace[trace.length - 1].objective];
  const chart: ObjectiveTraceChart = {
    kind: "objective-trace",
    id: "objective",
    title: "The objective after each iteration",
    description: `From ${decimal(first)} to ${decimal(last)} in ${count(trace.length, "iteration")}.`,
    points,
  };
  return {
    id: "objective",
    title: "How the fit went",
    text: [
      `${count(result.iterations, "iteration")}; ` +
        (result.converged
          ? "it settled before it was stopped."
          : "it stopped without converging, so more iterations may change the answers."),
    ],
    charts: [chart],
    tables: [],
  };
}
