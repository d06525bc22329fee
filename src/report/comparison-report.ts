/** Methods side by side, as a report: what each gives, what it costs, which of them agree. */
import type { CrowdDataset } from "../data/dataset.ts";
import type { ConfusionHeatmapChart } from "./charts/confusion-heatmap.ts";
import type { TradeOffChart, TradeOffPoint } from "./charts/trade-off.ts";
import type { Compared } from "./comparison.ts";
import type { Fact, Report, Section, Table } from "./model.ts";
import { brief, count, decimal, finite, listed, percent } from "./text.ts";

export interface ComparisonInput {
  readonly data: CrowdDataset;
  readonly rows: readonly Compared[];
  /** Share of equal answers between the methods that ran, in their order. */
  readonly agreement: readonly (readonly number[])[];
}

export function comparisonReport({ data, rows, agreement }: ComparisonInput): Report {
  const ran = rows.filter(({ skipped }) => skipped === undefined);
  const sections = [
    scoresSection(rows, ran),
    agreementSection(ran, agreement),
    skippedSection(rows),
  ];
  return {
    title: `${count(ran.length, "method")} on the same labels`,
    subtitle:
      `${count(data.label.length, "label")} by ${count(data.workers.length, "worker")} on ` +
      `${count(data.tasks.length, "task")}, ${count(data.classes.length, "class", "classes")}`,
    notes: data.notes.map((note) => brief(note, 1000)),
    facts: factsOf(ran),
    sections: sections.filter((section) => section !== undefined),
  };
}

function factsOf(ran: readonly Compared[]): Fact[] {
  const best = (field: "accuracy" | "heldOut") => {
    const scored = ran.filter((row) => row[field] !== undefined);
    return scored.reduce<Compared | undefined>(
      (top, row) => (top && Number(top[field]) >= Number(row[field]) ? top : row),
      undefined,
    );
  };
  const [right, held] = [best("accuracy"), best("heldOut")];
  const seconds = ran.reduce((sum, row) => sum + (row.seconds ?? 0), 0);
  return [
    ...(right
      ? [["Most accurate", `${right.method}, ${percent(right.accuracy ?? 0)}`] as const]
      : []),
    ...(held ? [["Predicts hidden labels best", held.method] as const] : []),
    ["One fit of each", `${decimal(seconds, 1)} s`],
  ];
}

function scoresSection(rows: readonly Compared[], ran: readonly Compared[]): Section | undefined {
  if (ran.length === 0) return undefined;
  const scored = ran.some(({ accuracy }) => accuracy !== undefined);
  const gold: Table["columns"] = [
    { name: "Accuracy", kind: "percent" },
    { name: "Gain over majority", kind: "percent" },
    { name: "from", kind: "percent" },
    { name: "to", kind: "percent" },
    { name: "Log-loss", kind: "number" },
    { name: "ECE", kind: "number" },
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
        ? [row.accuracy, row.gain?.value, row.gain?.low, row.gain?.high, row.logLoss, row.ece].map(
            finite,
          )
        : []),
      finite(row.heldOut),
      finite(row.seconds),
    ]),
  };
  const chart = tradeOff(ran, scored);
  return {
    id: "scores",
    title: "What each gives and what it costs",
    text: [
      "Held-out is the mean log-probability of labels that were hidden from the method, in nats: higher is better." +
        (scored
          ? " Accuracy shares ties; the gain's interval is a paired bootstrap over tasks."
          : ""),
    ],
    charts: chart ? [chart] : [],
    tables: [table],
  };
}

/** Accuracy where there is gold, else how well hidden labels are predicted. */
function tradeOff(ran: readonly Compared[], scored: boolean): TradeOffChart | undefined {
  const points = frontier(
    ran.flatMap(({ method, seconds, accuracy, heldOut }) => {
      const score = scored ? accuracy : heldOut;
      return seconds === undefined || score === undefined
        ? []
        : [{ name: method, seconds, score, best: false }];
    }),
  );
  if (points.length === 0) return undefined;
  const best = points.filter((point) => point.best);
  const words = best.map(
    ({ name, score, seconds }) =>
      `${name} ${scored ? percent(score) : decimal(score)} in ${decimal(seconds)} s`,
  );
  return {
    kind: "trade-off",
    id: "trade-off",
    share: scored,
    points,
    title: `${scored ? "Accuracy" : "Held-out log-probability"} against time`,
    description: `Nothing faster scores as high as: ${listed(words, 8)}.`,
    yName: scored ? "Accuracy" : "Held-out",
  };
}

/** Marks the points that no faster one reaches, and puts all in the order of their times. */
export function frontier(points: readonly TradeOffPoint[]): TradeOffPoint[] {
  let highest = -Infinity;
  return points
    .toSorted((a, b) => a.seconds - b.seconds || b.score - a.score)
    .map((point) => {
      const best = point.score > highest + 1e-12;
      if (best) highest = point.score;
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
        columns: [
          { name: "Method", kind: "text" },
          { name: "Reason", kind: "text" },
        ],
        rows: skipped.map((row) => [row.method, row.skipped ?? ""]),
      },
    ],
  };
}
