/** Methods side by side as a table on a terminal. */
import { maxOf } from "../math/lists.ts";
import {
  type Compared,
  failuresOf,
  isDetailed,
  lowered,
  type MeasuredColumn,
  measuredColumns,
  type ShownMetric,
} from "./comparison.ts";
import { brief, lengthOf } from "./text.ts";
import { wrap } from "./wrap.ts";

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
  let columns = isDetailed(rows)
    ? detailedColumns(rows, metrics)
    : plainColumns(rows, metrics, baseline);
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
    row.skipped === undefined
      ? line(
          names[r],
          columns.map((column) => column.cell(row)),
        )
      : wrap(
          `${names[r].padEnd(first)}  ${row.runs ? "failed" : "skipped"}: ${row.skipped}`,
          width,
        ),
  );
  const below = explanations(rows, metrics).map((text) => wrap(text, width));
  return `${[head, ...lines, ...(below.length > 0 ? ["", ...below] : [])].join("\n")}\n`;
}

const fixed = (x: number | undefined, digits: number) => (x === undefined ? "" : x.toFixed(digits));

/** Returns a number with its standard deviation: `0.9250 ±0.0031`. */
function spreadText(x: number | undefined, sd: number | undefined, digits: number): string {
  return x === undefined || sd === undefined
    ? fixed(x, digits)
    : `${x.toFixed(digits)} ±${sd.toFixed(digits)}`;
}

/** The columns of one run per method, from left to right after the name of the method. */
function plainColumns(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
  baseline: string,
): Column[] {
  const column = (title: string, least: number, order: number, cell: Column["cell"]): Column => ({
    title,
    least,
    order,
    cell,
  });
  const held = column("held-out", 8, 3, ({ heldOut }) => fixed(heldOut, 4));
  const seconds = column("seconds", 7, 2, (row) => fixed(row.seconds, 3));
  if (!rows.some(({ scores }) => scores !== undefined)) return [held, seconds];
  const [primary, ...others] = metrics
    .filter(({ detail }) => !detail)
    .slice(0, SHOWN)
    .map(({ id, title, digits }, m) =>
      column(lowered(title), 6, m === 0 ? 0 : 4 + m, ({ scores }) => fixed(scores?.[id], digits)),
    );
  const gain = column(`gain over ${baseline}`, 24, 4, ({ gain: found }) =>
    found ? `${fixed(found.value, 4)} [${fixed(found.low, 3)}, ${fixed(found.high, 3)}]` : "",
  );
  return [held, primary, ...others, gain, seconds];
}

/** The columns of several runs per method: what methods are ranked by first, then the differences. */
function detailedColumns(rows: readonly Compared[], metrics: readonly ShownMetric[]): Column[] {
  const measured = measuredColumns(rows, metrics).filter(({ detail }) => !detail);
  const [primary, ...others] = measured.map((column, m): Column => {
    const cell = (row: Compared) =>
      spreadText(column.value(row), column.spread(row), column.digits);
    const order = m === 0 ? 0 : orderOf(column, measured);
    return {
      title: lowered(column.title),
      least: maxOf(
        rows.map((row) => cell(row).length),
        6,
      ),
      cell,
      order,
    };
  });
  const reference = rows.find((row) => row.difference)?.difference?.against;
  const difference = ({ difference: found, method }: Compared) =>
    found ? spreadText(found.mean, found.sd, 4) : method === reference ? "reference" : "";
  const better = ({ difference: found }: Compared) =>
    found ? `${found.better}/${found.values.length}` : "";
  const seconds = ({ seconds: found }: Compared) => fixed(found, (found ?? 0) < 10 ? 2 : 1);
  const compared: Column[] = rows.some((row) => row.difference)
    ? [
        {
          title: "difference",
          least: maxOf(rows.map((row) => difference(row).length)),
          cell: difference,
          order: 1,
        },
        { title: "better", least: 6, cell: better, order: 2 },
      ]
    : [];
  return [
    ...(primary ? [primary] : []),
    ...compared,
    ...others,
    { title: "seconds", least: 7, cell: seconds, order: 3 },
  ];
}

/** Ranks a column for narrow terminals: the first metric of the labelled tasks stays longest. */
function orderOf(column: MeasuredColumn, all: readonly MeasuredColumn[]): number {
  if (column === all.find(({ measure }) => measure === "gold")) return 4;
  return column.measure === "held-out"
    ? 5
    : column.measure === "test"
      ? 6
      : 10 + all.indexOf(column);
}

/** Says what the columns of differences mean, and which runs failed. */
function explanations(rows: readonly Compared[], metrics: readonly ShownMetric[]): string[] {
  const found = rows.find(({ difference }) => difference)?.difference;
  const runs = maxOf(rows.map(({ difference }) => difference?.values.length ?? 0));
  const what =
    found && measuredColumns(rows, metrics).find(({ measure }) => measure === found.measure);
  return [
    ...(found && what
      ? [
          `difference: ${lowered(what.title)} minus that of ${found.against}` +
            (runs > 1 ? " with the same seed; ±: standard deviation over seeds." : "."),
        ]
      : []),
    ...rows.flatMap(failuresOf),
  ];
}
