/** Methods side by side, as CSV, as LaTeX and as a table on a terminal. */
import { writeCsv } from "../io/csv-writer.ts";
import { maxOf } from "../math/lists.ts";
import { rounded } from "./csv-files.ts";

/** How one method did. */
export interface Compared {
  readonly method: string;
  readonly heldOut?: number;
  /** The metrics of the kind by id: means over the seeds. */
  readonly scores?: Readonly<Record<string, number>>;
  /** Standard deviation of the first metric over the seeds. */
  readonly spread?: number;
  /** The first metric less that of the baseline, larger is better, with a bootstrap interval over tasks. */
  readonly gain?: { readonly value: number; readonly low: number; readonly high: number };
  readonly seconds?: number;
  readonly iterations?: number;
  readonly converged?: boolean;
  /** Why there are no numbers. */
  readonly skipped?: string;
  /** What the method would have needed, by its name in `known`. */
  readonly needs?: string;
}

/** A metric as far as tables show it. */
export interface ShownMetric {
  readonly id: string;
  readonly title: string;
  readonly digits: number;
  readonly better: "higher" | "lower";
  /** True where the number is a share, shown as per cent. */
  readonly share?: true;
  /** True where files have it and tables leave it out. */
  readonly detail?: true;
}

export function comparisonCsv(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
): Iterable<string> {
  const [first, ...others] = metrics.map(({ id }) => id);
  const header = [
    "method",
    "held_out",
    first,
    `${first}_sd`,
    ...others,
    "gain",
    "gain_low",
    "gain_high",
    "seconds",
    "iterations",
    "converged",
    "skipped",
  ];
  return writeCsv(
    header,
    rows.map((row) => cells(row, [first, ...others])),
  );
}

function cells(
  row: Compared,
  [first, ...others]: readonly string[],
): (string | number | undefined)[] {
  const digits = (x: number | undefined) => (x === undefined ? undefined : rounded(x));
  return [
    row.method,
    digits(row.heldOut),
    digits(row.scores?.[first]),
    digits(row.spread),
    ...others.map((id) => digits(row.scores?.[id])),
    digits(row.gain?.value),
    digits(row.gain?.low),
    digits(row.gain?.high),
    row.seconds === undefined ? undefined : Number(row.seconds.toFixed(3)),
    row.iterations,
    row.converged === undefined ? undefined : String(row.converged),
    row.skipped,
  ];
}

/** The metrics that a terminal has room for. */
const SHOWN = 3;

/** The table on a terminal. */
export function comparisonText(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
  baseline: string,
): string {
  const scored = rows.some(({ scores }) => scores !== undefined);
  const [first, ...others] = metrics.filter(({ detail }) => !detail).slice(0, SHOWN);
  const width = maxOf(
    rows.map(({ method }) => method.length),
    6,
  );
  const fixed = (x: number | undefined, digits: number, size: number) =>
    (x === undefined ? "" : x.toFixed(digits)).padStart(size);
  const wide = ({ title }: ShownMetric) => Math.max(title.length, 6);
  const title = (metric: ShownMetric) =>
    metric.title.padStart(wide(metric)).replace(/[A-Z][a-z]/g, (text) => text.toLowerCase());
  const gainTitle = `  gain over ${baseline}`;
  const head = [
    "method".padEnd(width),
    "held-out",
    ...(scored ? [title(first), "     ±", ...others.map(title), gainTitle] : []),
    "seconds",
  ].join("  ");
  const lines = rows.map((row) => {
    if (row.skipped) return `${row.method.padEnd(width)}  skipped: ${row.skipped}`;
    const gain = row.gain
      ? `${fixed(row.gain.value, 4, 7)} [${fixed(row.gain.low, 3, 0)}, ${fixed(row.gain.high, 3, 0)}]`
      : "";
    const score = (metric: ShownMetric) =>
      fixed(row.scores?.[metric.id], metric.digits, wide(metric));
    return [
      row.method.padEnd(width),
      fixed(row.heldOut, 4, 8),
      ...(scored
        ? [
            score(first),
            fixed(row.spread, 4, 6),
            ...others.map(score),
            gain.padStart(gainTitle.length),
          ]
        : []),
      fixed(row.seconds, 3, 7),
    ].join("  ");
  });
  return `${[head, ...lines].join("\n")}\n`;
}

export function comparisonLatex(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
): string {
  const shown = metrics.filter(({ detail }) => !detail);
  const text = (name: string) =>
    name.replace(/[\\{}$&#^_%~]/g, (c) =>
      c === "\\" ? "\\textbackslash{}" : c === "^" || c === "~" ? `\\${c}{}` : `\\${c}`,
    );
  const number = (x: number | undefined, digits: number) =>
    x === undefined ? "--" : x.toFixed(digits);
  const lines = rows
    .filter(({ skipped }) => skipped === undefined)
    .map((row) =>
      [
        text(row.method),
        number(row.heldOut, 4),
        ...shown.map(({ id, digits }) => number(row.scores?.[id], digits)),
        number(row.seconds, 3),
      ].join(" & "),
    );
  return [
    `\\begin{tabular}{lr${"r".repeat(shown.length)}r}`,
    "\\hline",
    `Method & Held-out & ${shown.map(({ title }) => text(title)).join(" & ")} & Seconds \\\\`,
    "\\hline",
    ...lines.map((line) => `${line} \\\\`),
    "\\hline",
    "\\end{tabular}",
    "",
  ].join("\n");
}
