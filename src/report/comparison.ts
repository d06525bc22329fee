/** Methods side by side, as CSV, as LaTeX and as a table on a terminal. */
import { writeCsv } from "../io/csv-writer.ts";
import { maxOf } from "../math/lists.ts";
import { rounded } from "./csv-files.ts";

/** How one method did. */
export interface Compared {
  readonly method: string;
  readonly heldOut?: number;
  /** Means over the seeds, and the spread of the accuracy. */
  readonly accuracy?: number;
  readonly accuracySpread?: number;
  readonly logLoss?: number;
  readonly brier?: number;
  readonly ece?: number;
  /** Accuracy minus that of majority vote, with a bootstrap interval over tasks. */
  readonly gain?: { readonly value: number; readonly low: number; readonly high: number };
  readonly seconds?: number;
  readonly iterations?: number;
  readonly converged?: boolean;
  /** Why there are no numbers. */
  readonly skipped?: string;
}

const HEADER = [
  "method",
  "held_out",
  "accuracy",
  "accuracy_sd",
  "log_loss",
  "brier",
  "ece",
  "gain",
  "gain_low",
  "gain_high",
  "seconds",
  "iterations",
  "converged",
  "skipped",
];

export function comparisonCsv(rows: readonly Compared[]): Iterable<string> {
  return writeCsv(HEADER, rows.map(cells));
}

function cells(row: Compared): (string | number | undefined)[] {
  const digits = (x: number | undefined) => (x === undefined ? undefined : rounded(x));
  return [
    row.method,
    digits(row.heldOut),
    digits(row.accuracy),
    digits(row.accuracySpread),
    digits(row.logLoss),
    digits(row.brier),
    digits(row.ece),
    digits(row.gain?.value),
    digits(row.gain?.low),
    digits(row.gain?.high),
    row.seconds === undefined ? undefined : Number(row.seconds.toFixed(3)),
    row.iterations,
    row.converged === undefined ? undefined : String(row.converged),
    row.skipped,
  ];
}

/** The table on a terminal. */
export function comparisonText(rows: readonly Compared[]): string {
  const scored = rows.some(({ accuracy }) => accuracy !== undefined);
  const width = maxOf(
    rows.map(({ method }) => method.length),
    6,
  );
  const fixed = (x: number | undefined, digits: number, size: number) =>
    (x === undefined ? "" : x.toFixed(digits)).padStart(size);
  const head = [
    "method".padEnd(width),
    "held-out",
    ...(scored ? ["accuracy", "     ±", "log-loss", "   ECE", "  gain over majority"] : []),
    "seconds",
  ].join("  ");
  const lines = rows.map((row) => {
    if (row.skipped) return `${row.method.padEnd(width)}  skipped: ${row.skipped}`;
    const gain = row.gain
      ? `${fixed(row.gain.value, 4, 7)} [${fixed(row.gain.low, 3, 0)}, ${fixed(row.gain.high, 3, 0)}]`
      : "";
    return [
      row.method.padEnd(width),
      fixed(row.heldOut, 4, 8),
      ...(scored
        ? [
            fixed(row.accuracy, 4, 8),
            fixed(row.accuracySpread, 4, 6),
            fixed(row.logLoss, 4, 8),
            fixed(row.ece, 4, 6),
            gain.padStart(20),
          ]
        : []),
      fixed(row.seconds, 3, 7),
    ].join("  ");
  });
  return `${[head, ...lines].join("\n")}\n`;
}

export function comparisonLatex(rows: readonly Compared[]): string {
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
        number(row.accuracy, 4),
        number(row.logLoss, 4),
        number(row.ece, 4),
        number(row.seconds, 3),
      ].join(" & "),
    );
  return [
    "\\begin{tabular}{lrrrrr}",
    "\\hline",
    "Method & Held-out & Accuracy & Log-loss & ECE & Seconds \\\\",
    "\\hline",
    ...lines.map((line) => `${line} \\\\`),
    "\\hline",
    "\\end{tabular}",
    "",
  ].join("\n");
}
