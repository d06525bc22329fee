/** Methods side by side, as a report: what each gives, what it costs, which of them agree. */
import { maxOf } from "../math/lists.ts";
import type {
  ConfusionHeatmapChart,
  IntervalsChart,
  TradeOffChart,
  TradeOffPoint,
} from "./charts/chart.ts";
import { columnsOf } from "./columns.ts";
import {
  bestRows,
  type Compared,
  isDetailed,
  lowered,
  type Measure,
  type MeasuredColumn,
  measuredColumns,
  measureOf,
  type SeedDifference,
  type ShownMetric,
} from "./comparison.ts";
import type { Cell, Column, Fact, Report, Section, Table } from "./model.ts";
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
    differencesSection(input, ran),
    agreementSection(ran, agreement),
    runsSection(input, ran),
    skippedSection(rows),
  ];
  return {
    title: `${count(ran.length, "method")} on the same labels`,
    subtitle: counts.join(", "),
    notes: notes.map((note) => brief(note, 1000)),
    facts: factsOf(input, ran),
    sections: sections.filter((section) => section !== undefined),
  };
}

const shown = (metric: Pick<ShownMetric, "share">, x: number) =>
  metric.share ? percent(x) : decimal(x);

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

function factsOf({ metrics }: ComparisonInput, ran: readonly Compared[]): Fact[] {
  const measure = measureOf(ran);
  const ranked = rankedBy(ran, metrics, measure === "held-out" ? "gold" : measure);
  const top = ranked && bestOf(ran, ranked.value, ranked.better);
  const held = bestOf(ran, ({ heldOut }) => heldOut, "higher");
  const seconds = ran.reduce((sum, row) => sum + (row.seconds ?? 0), 0);
  return [
    ...(ranked && top
      ? [
          [
            `Best ${lowered(ranked.title)}`,
            `${top.method}, ${shown(ranked, ranked.value(top) ?? 0)}`,
          ] as const,
        ]
      : []),
    ...(held ? [["Predicts hidden labels best", held.method] as const] : []),
    ["One fit of each", `${decimal(seconds, 1)} s`],
  ];
}

/** Finds the first column of a measure. */
function rankedBy(
  ran: readonly Compared[],
  metrics: readonly ShownMetric[],
  measure: Measure | undefined,
): MeasuredColumn | undefined {
  return measuredColumns(ran, metrics).find((column) => column.measure === measure);
}

function scoresSection(input: ComparisonInput, ran: readonly Compared[]): Section | undefined {
  if (ran.length === 0) return undefined;
  const { metrics, baseline } = input;
  const measured = measuredColumns(ran, metrics).filter(({ detail }) => !detail);
  const scored = ran.some(({ gain }) => gain !== undefined);
  const columns = [
    ...measured.map((column) => measuredCells(column, ran)),
    ...(scored && !isDetailed(ran) ? gainCells(baseline, measured[0]) : []),
    numberCells("Seconds", ({ seconds, secondsSpread }) => estimate(seconds, secondsSpread)),
  ];
  const table: Table = {
    id: "methods",
    caption: `${count(ran.length, "method")}, in the order asked for`,
    columns: [{ name: "Method", kind: "text" }, ...columns.map(({ column }) => column)],
    rows: ran.map((row) => [row.method, ...columns.map(({ cell }) => cell(row))]),
  };
  const chart = tradeOff(ran, rankedBy(ran, metrics, measureOf(ran)));
  return {
    id: "scores",
    title: "What each gives and what it costs",
    text: scoresText(input, measured, scored),
    charts: chart ? [chart] : [],
    tables: [table],
  };
}

function scoresText(
  { rows }: ComparisonInput,
  measured: readonly MeasuredColumn[],
  scored: boolean,
): string[] {
  const has = (measure: Measure) => measured.some((column) => column.measure === measure);
  const detailed = isDetailed(rows);
  const runs = maxOf(rows.map((row) => row.runs?.length ?? 0));
  const parts = [
    ...(has("test")
      ? ["Test columns are about tasks that no training saw. Methods without features have none."]
      : []),
    ...(has("test") && has("gold") ? ["The other columns are about the labelled tasks."] : []),
    ...(has("held-out")
      ? [
          "Held-out is the mean log-probability of labels that were hidden from the method, in nats: higher is better.",
        ]
      : []),
    ...(detailed && runs > 1
      ? [
          `Numbers are means ± standard deviations over ${runs} seeds. A method that does not depend on the seed has a standard deviation of 0.`,
        ]
      : []),
    ...(scored && !detailed
      ? ["The interval of a gain is a paired bootstrap over tasks; a gain above 0 is better."]
      : []),
    ...(measured.length > 0 ? ["The best number of each column is bold."] : []),
  ];
  return parts.length > 0 ? [parts.join(" ")] : [];
}

/** A column of a table with its cells. */
interface CellColumn {
  readonly column: Column;
  cell(row: Compared): Cell;
}

const kindOf = ({ share }: Pick<ShownMetric, "share">) => (share ? "percent" : "number");

/** Digits that tables show, of a share as per cent. */
const SHARE_DIGITS = 3;
const NUMBER_DIGITS = 3;

function measuredCells(column: MeasuredColumn, ran: readonly Compared[]): CellColumn {
  const best = bestRows(ran, column, column.share ? SHARE_DIGITS : NUMBER_DIGITS);
  return {
    column: { name: column.title, kind: kindOf(column) },
    cell: (row) => estimate(column.value(row), column.spread(row), best.has(row)),
  };
}

function numberCells(
  name: string,
  cell: (row: Compared) => Cell,
  kind: Column["kind"] = "number",
): CellColumn {
  return { column: { name, kind }, cell };
}

function gainCells(baseline: string, first: Pick<ShownMetric, "share">): CellColumn[] {
  const kind = kindOf(first);
  return [
    numberCells(`Gain over ${baseline}`, ({ gain }) => finite(gain?.value), kind),
    numberCells("From", ({ gain }) => finite(gain?.low), kind),
    numberCells("To", ({ gain }) => finite(gain?.high), kind),
  ];
}

/** Makes the cell of a number with its standard deviation. */
function estimate(value: number | undefined, sd?: number, best = false): Cell {
  const number = finite(value);
  if (number === null || (sd === undefined && !best)) return number;
  return { value: number, ...(sd !== undefined && { sd }), ...(best && { best }) };
}

/** A method with its difference from the reference. */
type NamedDifference = SeedDifference & { readonly method: string };

/** Shows the differences from the reference over the seeds: as intervals, and as a table. */
function differencesSection(
  { metrics }: ComparisonInput,
  ran: readonly Compared[],
): Section | undefined {
  const differences = ran.flatMap(({ method, difference }): NamedDifference[] =>
    difference ? [{ method, ...difference }] : [],
  );
  const ranked = rankedBy(ran, metrics, measureOf(ran));
  if (differences.length === 0 || !ranked) return undefined;
  const [{ against }] = differences;
  const several = differences.some(({ sd }) => sd !== undefined);
  const how = several
    ? " with the same seed. The interval is the 95 % interval of the mean over seeds; if it holds 0, these seeds cannot tell the two apart"
    : "";
  return {
    id: "differences",
    title: `Differences from ${against}`,
    text: [`Each method minus ${against}, ${lowered(ranked.title)}${how}.`],
    charts: several ? [differencesChart(differences, ranked)] : [],
    tables: [differencesTable(differences, kindOf(ranked), several)],
  };
}

function differencesChart(
  differences: readonly NamedDifference[],
  ranked: MeasuredColumn,
): IntervalsChart {
  const words = differences.map(
    ({ method, mean, better, values }) =>
      `${method} ${shown(ranked, mean)}, better with ${better} of ${values.length}`,
  );
  return {
    kind: "intervals",
    id: "differences",
    title: `Difference from ${differences[0].against}`,
    description: `${listed(words, 8)}.`,
    xName: `Difference in ${lowered(ranked.title)}`,
    zero: true,
    rows: differences.map(({ method, mean, low, high }) => ({
      name: method,
      value: mean,
      low: finite(low),
      high: finite(high),
    })),
  };
}

function differencesTable(
  differences: readonly NamedDifference[],
  kind: Column["kind"],
  several: boolean,
): Table {
  const ends: readonly Column[] = several
    ? [
        { name: "From", kind },
        { name: "To", kind },
      ]
    : [];
  return {
    id: "differences",
    caption: `Differences from ${differences[0].against}`,
    columns: [
      { name: "Method", kind: "text" },
      { name: "Difference", kind },
      ...ends,
      { name: "Seeds better", kind: "integer" },
      { name: "Seeds", kind: "integer" },
    ],
    rows: differences.map(({ method, mean, sd, low, high, better, values }) => [
      method,
      estimate(mean, sd),
      ...(several ? [finite(low), finite(high)] : []),
      better,
      values.length,
    ]),
  };
}

/** Lists every run with its seed. */
function runsSection({ metrics }: ComparisonInput, ran: readonly Compared[]): Section | undefined {
  const several = ran.filter(({ runs = [] }) => runs.length > 1);
  if (several.length === 0) return undefined;
  const runs = several.flatMap(({ method, runs: own = [] }) =>
    own.map((run) => ({ ...run, method })),
  );
  const failed = runs.some((run) => run.failed !== undefined);
  // One run has the fields of a row, so the same columns serve.
  const measured = measuredColumns(runs, metrics).filter(({ detail }) => !detail);
  return {
    id: "runs",
    title: "Every run",
    text: [],
    charts: [],
    tables: [
      {
        id: "runs",
        caption: `${count(runs.length, "run")} of ${count(several.length, "method")}`,
        columns: [
          { name: "Method", kind: "text" },
          { name: "Seed", kind: "integer" },
          ...measured.map((column) => ({ name: column.title, kind: kindOf(column) }) as const),
          { name: "Seconds", kind: "number" },
          ...(failed ? [{ name: "Failure", kind: "text" } as const] : []),
        ],
        rows: runs.map((run) => [
          run.method,
          run.seed,
          ...measured.map((column) => finite(column.value(run))),
          finite(run.seconds),
          ...(failed ? [run.failed ?? ""] : []),
        ]),
      },
    ],
  };
}

/** The first metric where there is gold, else how well hidden labels are predicted. */
function tradeOff(
  ran: readonly Compared[],
  ranked: MeasuredColumn | undefined,
): TradeOffChart | undefined {
  if (!ranked) return undefined;
  const points = frontier(
    ran.flatMap((row) => {
      const score = ranked.value(row);
      return row.seconds === undefined || score === undefined
        ? []
        : [{ name: row.method, seconds: row.seconds, score, best: false }];
    }),
    ranked.better === "higher",
  );
  if (points.length === 0) return undefined;
  const best = points.filter((point) => point.best);
  const words = best.map(
    ({ name, score, seconds }) => `${name} ${shown(ranked, score)} in ${decimal(seconds)} s`,
  );
  const held = ranked.measure === "held-out";
  return {
    kind: "trade-off",
    id: "trade-off",
    share: ranked.share ?? false,
    points,
    title: `${held ? "Held-out log-probability" : ranked.title} against time`,
    description: `Nothing faster is as good as: ${listed(words, 8)}.`,
    yName: ranked.title,
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
    title: "What has no numbers",
    text: [],
    charts: [],
    tables: [
      {
        id: "skipped",
        caption: "Methods that were left out or failed, and why",
        columns: columnsOf({ Method: "text", Reason: "text" }),
        rows: skipped.map((row) => [row.method, row.skipped ?? ""]),
      },
    ],
  };
}
