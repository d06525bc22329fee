/** Methods side by side, as a report: what each gives, what it costs, which of them agree. */
import type { ConfusionHeatmapChart, TradeOffChart, TradeOffPoint } from "./charts/chart.ts";
import { columnsOf } from "./columns.ts";
import type { Compared, ShownMetric } from "./comparison.ts";
import type { Fact, Report, Section, Table } from "./model.ts";
import { brief, count, decimal, finite, listed, percent } from "./text.ts";

export interface ComparisonInput {
  /** Counts of the data for people: `750 labels`, `150 tasks`. */
  readonly counts: readonly string[];
  readonly notes: readonly string[];
  readonly metrics: readonly ShownMetric[];
  /** Title of the method that gains are measured from. */
  readonly baseline: string;
  readonly rows: readonly Compared[];
  /** How much the methods that ran agree, in their order. */
  readonly agreement: readonly (readonly number[])[];
}

export function comparisonReport(input: ComparisonInput): Report {
  const { counts, notes, rows, agreement } = input;
  const ran = rows.filter(({ skipped }) => skipped === undefined);
  const sections = [
    scoresSection(input, ran),
    agreementSection(ran, agreement),
    skippedSection(rows),
  ];
  return {
    title: `${count(ran.length, "method")} on the same labels`,
    subtitle: counts.join(", "),
    notes: notes.map((note) => brief(note, 1000)),
    facts: factsOf(ran, input.metrics[0]),
    sections: sections.filter((section) => section !== undefined),
  };
}

const shown = (metric: ShownMetric, x: number) => (metric.share ? percent(x) : decimal(x));

/** The row whose number is best; the earlier one where two are equal. */
function bestOf(
  ran: readonly Compared[],
  number: (row: Compared) => number | undefined,
  better: "higher" | "lower",
): Compared | undefined {
  const sign = better === "higher" ? 1 : -1;
  return ran
    .filter((row) => number(row) !== undefined)
    .reduce<Compared | undefined>(
      (top, row) => (top && sign * Number(number(top)) >= sign * Number(number(row)) ? top : row),
      undefined,
    );
}

function factsOf(ran: readonly Compared[], metric: ShownMetric): Fact[] {
  const score = (row: Compared) => row.scores?.[metric.id];
  const right = bestOf(ran, score, metric.better);
  const held = bestOf(ran, ({ heldOut }) => heldOut, "higher");
  const seconds = ran.reduce((sum, row) => sum + (row.seconds ?? 0), 0);
  return [
    ...(right
      ? [[`Best ${metric.title}`, `${right.method}, ${shown(metric, score(right) ?? 0)}`] as const]
      : []),
    ...(held ? [["Predicts hidden labels best", held.method] as const] : []),
    ["One fit of each", `${decimal(seconds, 1)} s`],
  ];
}

function scoresSection(
  { rows, metrics, baseline }: ComparisonInput,
  ran: readonly Compared[],
): Section | undefined {
  if (ran.length === 0) return undefined;
  const scored = ran.some(({ scores }) => scores !== undefined);
  const [first, ...others] = metrics.filter(({ detail }) => !detail);
  const kindOf = ({ share }: ShownMetric) => (share ? "percent" : "number");
  const gold: Table["columns"] = [
    { name: first.title, kind: kindOf(first) },
    { name: `Gain over ${baseline}`, kind: kindOf(first) },
    { name: "from", kind: kindOf(first) },
    { name: "to", kind: kindOf(first) },
    ...others.map((metric) => ({ name: metric.title, kind: kindOf(metric) }) as const),
  ];
  const table: Table = {
    id: "methods",
    caption: `${count(rows.length, "method")}, in the order asked for`,
    columns: [
      { name: "Method", kind: "text" },
      ...(scored ? gold : []),
      { name: "Held-out", kind: "number" },
      { name: "Seconds", kind: "number" },
    ],
    rows: ran.map((row) => [
      row.method,
      ...(scored
        ? [
            row.scores?.[first.id],
            row.gain?.value,
            row.gain?.low,
            row.gain?.high,
            ...others.map(({ id }) => row.scores?.[id]),
          ].map(finite)
        : []),
      finite(row.heldOut),
      finite(row.seconds),
    ]),
  };
  const chart = tradeOff(ran, scored ? first : undefined);
  return {
    id: "scores",
    title: "What each gives and what it costs",
    text: [
      "Held-out is the mean log-probability of labels that were hidden from the method, in nats: higher is better." +
        (scored
          ? " The interval of a gain is a paired bootstrap over tasks; a gain above 0 is better."
          : ""),
    ],
    charts: chart ? [chart] : [],
    tables: [table],
  };
}

/** The first metric where there is gold, else how well hidden labels are predicted. */
function tradeOff(
  ran: readonly Compared[],
  metric: ShownMetric | undefined,
): TradeOffChart | undefined {
  const higher = metric?.better !== "lower";
  const points = frontier(
    ran.flatMap(({ method, seconds, scores, heldOut }) => {
      const score = metric ? scores?.[metric.id] : heldOut;
      return seconds === undefined || score === undefined
        ? []
        : [{ name: method, seconds, score, best: false }];
    }),
    higher,
  );
  if (points.length === 0) return undefined;
  const best = points.filter((point) => point.best);
  const words = best.map(
    ({ name, score, seconds }) =>
      `${name} ${metric ? shown(metric, score) : decimal(score)} in ${decimal(seconds)} s`,
  );
  return {
    kind: "trade-off",
    id: "trade-off",
    share: metric?.share ?? false,
    points,
    title: `${metric?.title ?? "Held-out log-probability"} against time`,
    description: `Nothing faster is as good as: ${listed(words, 8)}.`,
    yName: metric?.title ?? "Held-out",
  };
}

/** Marks the points that no faster one reaches, and puts all in the order of their times. */
export function frontier(points: readonly TradeOffPoint[], higher = true): TradeOffPoint[] {
  const sign = higher ? 1 : -1;
  let highest = -Infinity;
  return points
    .toSorted((a, b) => a.seconds - b.seconds || sign * (b.score - a.score))
    .map((point) => {
      const best = sign * point.score > highest + 1e-12;
      if (best) highest = sign * point.score;
      return { ...point, best };
    });
}

function agreementSection(
  ran: readonly Compared[],
  agreement: readonly (readonly number[])[],
): Section | undefined {
  if (ran.length < 2) return undefined;
  const names = ran.map(({ method }) => method);
  let [least, pair] = [1, ""];
  agreement.forEach((row, a) => {
    row.forEach((share, b) => {
      if (share < least) [least, pair] = [share, `${names[a]} and ${names[b]}`];
    });
  });
  const chart: ConfusionHeatmapChart = {
    kind: "confusion-heatmap",
    id: "same-answers",
    title: "Share of equal answers",
    description:
      pair === ""
        ? "All methods give the same answers."
        : `The least between ${pair}: ${percent(least)} of the tasks.`,
    rowName: "Method",
    columnName: "Method",
    rows: names,
    columns: names,
    panels: [{ title: "All", values: agreement }],
  };
  return {
    id: "agreement",
    title: "Which of them agree",
    tables: [],
    charts: [chart],
    text: [
      "Share of tasks on which two methods give the same answer. Methods that always agree are one vote, not two.",
    ],
  };
}

function skippedSection(rows: readonly Compared[]): Section | undefined {
  const skipped = rows.filter((row) => row.skipped !== undefined);
  if (skipped.length === 0) return undefined;
  return {
    id: "skipped",
    title: "What did not apply",
    text: [],
    charts: [],
    tables: [
      {
        id: "skipped",
        caption: "Methods that were left out, and why",
        columns: columnsOf({ Method: "text", Reason: "text" }),
        rows: skipped.map((row) => [row.method, row.skipped ?? ""]),
      },
    ],
  };
}
