/** What policies of asking would have saved, as a report. */
import type { CampaignComparison, CampaignPoint, PolicyCurve } from "../assign/campaign.ts";
import type { CurvesChart } from "./charts/chart.ts";
import type { Report, Section } from "./model.ts";
import { count, percent } from "./text.ts";

export interface CampaignReportInput extends CampaignComparison {
  /** Counts of the data for people. */
  readonly counts: readonly string[];
  readonly mode: "both" | "arrive";
}

type Measure = "accuracy" | "confidence" | "heldOut" | "cost";

/** Shows accuracy, confidence, held-out likelihood and cost against the number of labels. */
export function campaignReport(input: CampaignReportInput): Report {
  const { counts, mode, target, seeds, curves } = input;
  return {
    title: "What a policy of asking would save",
    subtitle: `${counts.join(", ")}; ${curves.map(({ policy }) => policy).join(", ")}`,
    facts: [
      ["Target", `accuracy ${percent(target)}`],
      [
        "Who is asked",
        mode === "both" ? "chosen by the policy" : "whoever turns up; the policy chooses the task",
      ],
      ["Seeds", String(seeds)],
    ],
    notes:
      seeds === 1
        ? ["One seed has no band: differences of a point or two may be chance. Use more seeds."]
        : [],
    sections: [
      accuracySection(curves, target),
      section(curves, "confidence", {
        title: "Confidence and accuracy",
        text: "Mean confidence less accuracy. Above 0 the answers are less often right than they say.",
        yName: "Confidence less accuracy",
        value: (point) => ({ y: point.confidence.mean - point.accuracy.mean }),
        kind: "number",
      }),
      section(curves, "heldOut", {
        title: "Labels not yet revealed",
        text: "Mean log-likelihood of a label that was not revealed yet, in nats; larger is better. Labels that are left differ between policies.",
        yName: "Log-likelihood",
        value: (point) => bandAt(point, "heldOut"),
        kind: "number",
      }),
    ],
  };
}

const bandAt = (point: CampaignPoint, measure: Measure) => {
  const { mean: y, low, high } = point[measure];
  return high > low ? { y, low, high } : { y };
};

function accuracySection(curves: readonly PolicyCurve[], target: number): Section {
  const words = curves.map(({ policy, needed }) =>
    needed === undefined
      ? `${policy} does not reach it.`
      : `${policy} needs ${count(Math.round(needed), "label")}.`,
  );
  const made = section(curves, "accuracy", {
    title: "Accuracy",
    text: `Share of right answers by a fit of the labels so far, with its 95 % band over seeds. For an accuracy of ${percent(target)}: ${words.join(" ")}`,
    yName: "Accuracy",
    value: (point) => bandAt(point, "accuracy"),
    kind: "percent",
  });
  return {
    ...made,
    tables: [
      {
        id: "needed",
        caption: `Labels and cost needed for an accuracy of ${percent(target)}`,
        columns: [
          { name: "Policy", kind: "text" },
          { name: "Labels", kind: "integer" },
          { name: "Accuracy in the end", kind: "percent" },
          { name: "Cost in the end", kind: "number" },
        ],
        rows: curves.map(({ policy, needed, points }) => [
          policy,
          needed === undefined ? null : Math.round(needed),
          points[points.length - 1].accuracy.mean,
          points[points.length - 1].cost.mean,
        ]),
      },
      ...(made.tables ?? []),
    ],
  };
}

interface Look {
  readonly title: string;
  readonly text: string;
  readonly yName: string;
  readonly value: (point: CampaignPoint) => { y: number; low?: number; high?: number };
  readonly kind: "percent" | "number";
}

/** One chart and one table of a measure, a line per policy. */
function section(curves: readonly PolicyCurve[], id: Measure, look: Look): Section {
  const { title, text, yName, value, kind } = look;
  const series = curves.map(({ policy, points }) => ({
    name: policy,
    points: points.flatMap((point) => {
      const own = value(point);
      return Number.isFinite(own.y) ? [{ x: point.labels, ...own }] : [];
    }),
  }));
  const show = (y: number | undefined) =>
    y === undefined ? "nothing" : kind === "percent" ? percent(y) : y.toFixed(3);
  const chart: CurvesChart = {
    kind: "curves",
    id: `campaign-${id}`,
    title,
    description: series
      .map(
        ({ name, points }) =>
          `${name}: ${show(points[0]?.y)} at ${points[0]?.x ?? 0} labels, ${show(points.at(-1)?.y)} at ${points.at(-1)?.x ?? 0}`,
      )
      .join("; "),
    xName: "Labels",
    yName,
    share: kind === "percent",
    series,
  };
  const drawn = series.some(({ points }) => points.length > 0);
  return {
    id: `campaign-${id}`,
    title,
    text: [text],
    charts: drawn ? [chart] : [],
    tables: [
      {
        id: `campaign-${id}`,
        caption: `${yName} by number of labels`,
        columns: [
          { name: "Labels", kind: "integer" },
          ...curves.map(({ policy }) => ({ name: policy, kind })),
        ],
        rows: curves[0].points.map(({ labels }, i) => [
          labels,
          ...curves.map(({ points }) => {
            const { y } = value(points[i]);
            return Number.isFinite(y) ? y : null;
          }),
        ]),
      },
    ],
  };
}
