/** Methods side by side as a LaTeX table, the best of each column in bold. */
import {
  bestRows,
  type Compared,
  isDetailed,
  type MeasuredColumn,
  measuredColumns,
  type ShownMetric,
} from "./comparison.ts";

/** Writes the table as LaTeX; methods without numbers are left out. */
export function comparisonLatex(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
): string {
  const ran = rows.filter(({ skipped }) => skipped === undefined);
  const measured = measuredColumns(ran, metrics)
    .filter(({ detail }) => !detail)
    .map((column) => measuredCells(column, ran));
  const columns = [
    ...measured,
    ...(isDetailed(ran) ? [differenceCells(ran)] : []),
    { title: "Seconds", cell: (row: Compared) => number(row.seconds, row.secondsSpread, 3) },
  ];
  return [
    `\\begin{tabular}{l${"r".repeat(columns.length)}}`,
    "\\hline",
    `${["Method", ...columns.map(({ title }) => title)].join(" & ")} \\\\`,
    "\\hline",
    ...ran.map((row) => {
      const cells = columns.map(({ cell }) => cell(row));
      return `${[escaped(row.method), ...cells].join(" & ")} \\\\`;
    }),
    "\\hline",
    "\\end{tabular}",
    "",
  ].join("\n");
}

interface LatexColumn {
  readonly title: string;
  cell(row: Compared): string;
}

function measuredCells(column: MeasuredColumn, ran: readonly Compared[]): LatexColumn {
  const best = bestRows(ran, column, column.digits);
  return {
    title: escaped(column.title),
    cell: (row) => number(column.value(row), column.spread(row), column.digits, best.has(row)),
  };
}

function differenceCells(ran: readonly Compared[]): LatexColumn {
  const against = ran.find(({ difference }) => difference)?.difference?.against;
  return {
    title: against === undefined ? "Difference" : `From ${escaped(against)}`,
    cell: ({ difference }) => number(difference?.mean, difference?.sd, 4),
  };
}

/** Returns a number with its standard deviation, as mathematics so that signs and ± are set as such. */
function number(
  x: number | undefined,
  sd: number | undefined,
  digits: number,
  bold = false,
): string {
  if (x === undefined) return "--";
  const mean = bold ? `\\mathbf{${x.toFixed(digits)}}` : x.toFixed(digits);
  return `$${sd === undefined ? mean : `${mean} \\pm ${sd.toFixed(digits)}`}$`;
}

function escaped(name: string): string {
  return name.replace(/[\\{}$&#^_%~]/g, (c) =>
    c === "\\" ? "\\textbackslash{}" : c === "^" || c === "~" ? `\\${c}{}` : `\\${c}`,
  );
}
