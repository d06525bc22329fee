/** How a model stood up to attacks, as a report. */
import type { AttackPoint } from "../attack/under-attack.ts";
import { maxOf, minOf } from "../math/lists.ts";
import type { CurvesChart } from "./charts/chart.ts";
import type { Report, Table } from "./model.ts";
import { count, decimal, percent } from "./text.ts";

export interface AttackCurve {
  readonly attack: string;
  readonly title: string;
  readonly points: readonly AttackPoint[];
}

export interface AttackReportInput {
  readonly curves: readonly AttackCurve[];
  readonly model: string;
  /** Whose gradients were used, where not the model's own. */
  readonly substitute?: string | undefined;
  readonly rows: number;
  readonly norm: "inf" | "l2";
  /** Unit of distances. */
  readonly units: "deviations" | "features";
  readonly engine: string;
}

/** Units of distances, in words. */
export const unitWords = {
  deviations: "standard deviations of each feature",
  features: "the units of the features",
} as const;

/** Shows how accurate the model is at each distance, under each attack. */
export function attackReport(input: AttackReportInput): Report {
  const { curves, model, substitute, rows, norm, units, engine } = input;
  const epsilons = [
    ...new Set(curves.flatMap(({ points }) => points.map(({ epsilon }) => epsilon))),
  ].sort((a, b) => a - b);
  const clean = curves[0]?.points.find(({ epsilon }) => epsilon === 0)?.accuracy;
  const worst = minOf(curves.flatMap(({ points }) => points.map(({ accuracy }) => accuracy)));
  return {
    title: "Robustness under attack",
    subtitle: `${model} on ${count(rows, "task")}, ${substitute === undefined ? "white-box" : `black-box through ${substitute}`}`,
    facts: [
      ...(clean === undefined ? [] : [["Accuracy, untouched", percent(clean, 2)] as const]),
      ["Lowest under attack", percent(worst, 2)],
      ["Distance", norm === "inf" ? "largest change of a feature" : "length of the change"],
      ["Engine", engine],
    ],
    notes: [],
    sections: [
      {
        id: "robustness",
        title: "Accuracy while inputs are moved",
        text: [
          `Every input was moved by at most the distance in the first column, in ${unitWords[units]}, to where the model is most wrong. Distances up to ${decimal(maxOf(epsilons), 4)} were tried.`,
        ],
        charts: [robustnessChart(curves)],
        tables: [robustnessTable(curves, epsilons)],
      },
    ],
  };
}

/** Makes a table with one row per distance and one column per attack. */
function robustnessTable(curves: readonly AttackCurve[], epsilons: readonly number[]): Table {
  return {
    id: "robustness",
    caption: "Accuracy under attack",
    columns: [
      { name: "Distance", kind: "number" },
      ...curves.map(({ attack }) => ({ name: attack, kind: "percent" as const })),
    ],
    rows: epsilons.map((epsilon) => [
      epsilon,
      ...curves.map(
        ({ points }) => points.find((point) => point.epsilon === epsilon)?.accuracy ?? null,
      ),
    ]),
  };
}

/** Draws one line per attack. */
function robustnessChart(curves: readonly AttackCurve[]): CurvesChart {
  const words = curves.map(({ attack, points }) => {
    const last = points[points.length - 1];
    return `${attack}: ${percent(points[0].accuracy)} untouched, ${percent(last.accuracy)} at ${last.epsilon}`;
  });
  return {
    kind: "curves",
    id: "robustness",
    title: "Accuracy by distance",
    description: words.join("; "),
    xName: "Distance",
    yName: "Accuracy",
    share: true,
    series: curves.map(({ attack, points }) => ({
      name: attack,
      points: points.map(({ epsilon, accuracy }) => ({ x: epsilon, y: accuracy })),
    })),
  };
}
