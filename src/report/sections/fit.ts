/** How the fit went: what was tried, and whether it settled. */
import type { ObjectiveTraceChart } from "../charts/objective-trace.ts";
import type { Material } from "../input.ts";
import type { Section } from "../model.ts";
import { brief, count, decimal, finite, percent } from "../text.ts";

/** What a method that blends others says of each. */
interface Candidate {
  readonly name: string;
  readonly method: string;
  readonly heldOut: number;
  readonly weight: number;
  readonly leftOut?: string;
}

/** Points of a longer trace that are drawn. */
const POINTS = 500;

export function portfolioSection({ result }: Material): Section | undefined {
  const { portfolio, temperature = 1 } = result as {
    readonly portfolio?: readonly Candidate[];
    readonly temperature?: number;
  };
  if (!portfolio || portfolio.length === 0) return undefined;
  const best = portfolio.reduce((a, b) => (b.weight > a.weight ? b : a));
  return {
    id: "portfolio",
    title: "What was tried",
    text: [
      `${count(portfolio.length, "candidate")} were fitted with some labels hidden, and judged by how probable they found those, not by gold. ` +
        `Most weight, ${percent(best.weight, 0)}, goes to: ${best.name}.` +
        (temperature > 1
          ? ` The blend claimed more than it could predict, so its log-odds were divided by ${decimal(temperature, 2)}.`
          : ""),
    ],
    charts: [],
    tables: [
      {
        id: "portfolio",
        caption: "Candidates",
        columns: [
          { name: "Candidate", kind: "text" },
          { name: "Method", kind: "text" },
          { name: "Score of a hidden label (nats)", kind: "number" },
          { name: "Weight", kind: "percent" },
          { name: "Left out because", kind: "text" },
        ],
        rows: portfolio.map(({ name, method, heldOut, weight, leftOut }) => [
          brief(name),
          brief(method),
          finite(heldOut),
          finite(weight),
          leftOut === undefined ? null : brief(leftOut, 200),
        ]),
      },
    ],
  };
}

export function objectiveSection({ result }: Material): Section | undefined {
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
          : "it was stopped before it settled, so more iterations may change the answers."),
    ],
    charts: [chart],
    tables: [],
  };
}
