/** What bad workers would do to the answers, as a report. */
import type { CurvesChart } from "./charts/chart.ts";
import type { Report, Section } from "./model.ts";
import { count, percent } from "./text.ts";

/** The score of one method with one share of the workers spoilt. */
export interface SpoiltPoint {
  readonly corruption: string;
  readonly method: string;
  readonly share: number;
  /** Mean over the draws of who is spoilt, and the lowest and highest of them. */
  readonly score: number;
  readonly low: number;
  readonly high: number;
  /** How much less that is than with nobody spoilt. */
  readonly lost: number;
}

export interface RobustnessReportInput {
  /** Counts of the data for people. */
  readonly counts: readonly string[];
  /** True where scores are against gold. */
  readonly gold: boolean;
  readonly points: readonly SpoiltPoint[];
  readonly breakdowns: readonly {
    readonly corruption: string;
    readonly method: string;
    readonly share: number;
  }[];
  readonly corruptions: readonly {
    readonly id: string;
    readonly title: string;
    readonly summary: string;
  }[];
}

/** Shows how the answers change while more workers are spoilt. */
export function robustnessReport(input: RobustnessReportInput): Report {
  const { counts, gold, breakdowns, corruptions, points } = input;
  const methods = [...new Set(points.map(({ method }) => method))];
  const worst = breakdowns.reduce<number | undefined>(
    (least, { share }) => Math.min(least ?? 1, share),
    undefined,
  );
  return {
    title: "What bad workers would do",
    subtitle: `${counts.join(", ")}; ${methods.join(", ")}`,
    facts: [
      ["Score", gold ? "accuracy against gold" : "answers that stay the same (no gold)"],
      ["Tried", count(corruptions.length, "kind of corruption", "kinds of corruption")],
      [
        "First loss above 5 points",
        worst === undefined ? "none" : `at ${percent(worst, 0)} of the workers`,
      ],
    ],
    notes: gold
      ? []
      : ["Without gold the scores only show which answers change, not which ones are right."],
    sections: corruptions.map((corruption) => sectionOf(corruption, input, methods)),
  };
}

function sectionOf(
  { id, title, summary }: RobustnessReportInput["corruptions"][number],
  { points, gold, breakdowns }: RobustnessReportInput,
  methods: readonly string[],
): Section {
  const own = points.filter(({ corruption }) => corruption === id);
  const shares = [...new Set(own.map(({ share }) => share))];
  const pointOf = (method: string, share: number) =>
    own.find((point) => point.method === method && point.share === share);
  const broken = breakdowns.filter(({ corruption }) => corruption === id);
  const words = methods.map((method) => {
    const found = broken.find((each) => each.method === method);
    return found
      ? `${method} loses more than 5 points from ${percent(found.share, 0)} on.`
      : `${method} never loses more than 5 points here.`;
  });
  return {
    id: `robustness-${id}`,
    title,
    text: [`${summary} ${words.join(" ")}`],
    charts: [chartOf(id, title, gold, methods, shares, pointOf)],
    tables: [
      {
        id: `robustness-${id}`,
        caption: `${title}: ${gold ? "accuracy" : "answers that stay the same"}`,
        columns: [
          { name: id === "fewer-labels" ? "Labels left out" : "Workers spoilt", kind: "percent" },
          ...methods.map((name) => ({ name, kind: "percent" as const })),
        ],
        rows: shares.map((share) => [
          share,
          ...methods.map((method) => pointOf(method, share)?.score ?? null),
        ]),
      },
    ],
  };
}

/** Draws one line per method, with the range over the draws. */
function chartOf(
  id: string,
  title: string,
  gold: boolean,
  methods: readonly string[],
  shares: readonly number[],
  pointOf: (method: string, share: number) => SpoiltPoint | undefined,
): CurvesChart {
  const yName = gold ? "Accuracy" : "Answers that stay the same";
  const series = methods.map((name) => ({
    name,
    points: shares.flatMap((share) => {
      const point = pointOf(name, share);
      return point ? [{ x: share, y: point.score, low: point.low, high: point.high }] : [];
    }),
  }));
  const words = series.map(({ name, points }) => {
    const [first, last] = [points[0], points[points.length - 1]];
    return `${name}: ${percent(first.y)} at ${percent(first.x, 0)}, ${percent(last.y)} at ${percent(last.x, 0)}`;
  });
  return {
    kind: "curves",
    id: `robustness-${id}`,
    title: `${title}: ${yName.toLowerCase()} by share`,
    description: words.join("; "),
    xName: id === "fewer-labels" ? "Share of labels left out" : "Share of workers spoilt",
    yName,
    share: true,
    series,
  };
}
