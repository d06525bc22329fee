/** Methods side by side, as CSV, as LaTeX and as a table on a terminal. */
import { writeCsv } from "../io/csv-writer.ts";
import { maxOf } from "../math/lists.ts";
import { rounded } from "./csv-files.ts";
import { brief, lengthOf } from "./text.ts";
import { wrap } from "./wrap.ts";

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

/** Longer names of methods are shortened. */
const LONGEST_NAME = 30;

/** A column of the table on a terminal. */
interface Column {
  readonly title: string;
  /** The narrowest that it may be. */
  readonly least: number;
  cell(row: Compared): string;
  /** Columns with a higher number go first where the terminal is too narrow. */
  readonly order: number;
}

/** The table on a terminal of so many columns; what does not fit is left out, the least important first. */
export function comparisonText(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
  baseline: string,
  width = 80,
): string {
  const names = rows.map(({ method }) => brief(method, LONGEST_NAME));
  const first = maxOf(names.map(lengthOf), 6);
  let columns = columnsOf(rows, metrics, baseline);
  const sizes = () => columns.map((column) => Math.max(column.title.length, column.least));
  while (columns.length > 1 && sizes().reduce((sum, size) => sum + size + 2, first) > width) {
    const last = columns.reduce((a, b) => (b.order > a.order ? b : a));
    columns = columns.filter((column) => column !== last);
  }
  const line = (name: string, cells: readonly string[]) =>
    [name.padEnd(first), ...cells.map((cell, c) => cell.padStart(sizes()[c]))].join("  ").trimEnd();
  const head = line(
    "method",
    columns.map(({ title }) => title),
  );
  const lines = rows.map((row, r) =>
    row.skipped
      ? wrap(`${names[r].padEnd(first)}  skipped: ${row.skipped}`, width)
      : line(
          names[r],
          columns.map((column) => column.cell(row)),
        ),
  );
  return `${[head, ...lines].join("\n")}\n`;
}

/** The columns after the name of the method, from left to right. */
function columnsOf(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
  baseline: string,
): Column[] {
  const fixed = (x: number | undefined, digits: number) =>
    x === undefined ? "" : x.toFixed(digits);
  const column = (title: string, least: number, order: number, cell: Column["cell"]): Column => ({
    title,
    least,
    order,
    cell,
  });
  const scored = rows.some(({ scores }) => scores !== undefined);
  const held = column("held-out", 8, 3, ({ heldOut }) => fixed(heldOut, 4));
  const seconds = column("seconds", 7, 2, (row) => fixed(row.seconds, 3));
  if (!scored) return [held, seconds];
  const shown = metrics
    .filter(({ detail }) => !detail)
    .slice(0, SHOWN)
    .map(({ id, title, digits }, m) =>
      column(
        title.replace(/[A-Z][a-z]/g, (text) => text.toLowerCase()),
        6,
        m === 0 ? 0 : 4 + m,
        ({ scores }) => fixed(scores?.[id], digits),
      ),
    );
  const [primary, ...others] = shown;
  const spread = rows.some((row) => row.spread !== undefined)
    ? [column("±", 6, 1, (row) => fixed(row.spread, 4))]
    : [];
  const gain = column(`gain over ${baseline}`, 24, 4, ({ gain: found }) =>
    found ? `${fixed(found.value, 4)} [${fixed(found.low, 3)}, ${fixed(found.high, 3)}]` : "",
  );
  return [held, primary, ...spread, ...others, gain, seconds];
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
