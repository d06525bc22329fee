/** Methods side by side: what a row of the table is, which columns there are, and the table as CSV. */
import { writeCsv } from "../io/csv-writer.ts";
import { rounded } from "./csv-files.ts";

/** How one method did. */
export interface Compared {
  readonly method: string;
  /** True if the method also sees features. */
  readonly learner?: true;
  readonly heldOut?: number;
  /** The metrics of the kind by id, on the labelled tasks: means over the seeds. */
  readonly scores?: Readonly<Record<string, number>>;
  /** Standard deviations of `scores` over the seeds. */
  readonly spreads?: Readonly<Record<string, number>>;
  /** The same metrics on the test tasks. */
  readonly test?: Readonly<Record<string, number>>;
  readonly testSpreads?: Readonly<Record<string, number>>;
  /** The first metric less that of the baseline, larger is better, with a bootstrap interval over tasks. */
  readonly gain?: { readonly value: number; readonly low: number; readonly high: number };
  /** How far the method is from the reference, seed by seed; absent for the reference itself. */
  readonly difference?: SeedDifference;
  readonly seconds?: number;
  readonly secondsSpread?: number;
  /** Each run; absent if one run of methods on labels alone was asked for. */
  readonly runs?: readonly ComparedRun[];
  /** True if the first two seeds gave the same result bit for bit, so that no more were run. */
  readonly deterministic?: true;
  readonly iterations?: number;
  readonly converged?: boolean;
  /** Why there are no numbers. */
  readonly skipped?: string;
  /** What the method would have needed, by its name in `known`. */
  readonly needs?: string;
}

/** One run of a method, with one seed. */
export interface ComparedRun {
  readonly seed: number;
  readonly scores?: Readonly<Record<string, number>>;
  readonly test?: Readonly<Record<string, number>>;
  readonly seconds?: number;
  /** Why the run has no numbers. */
  readonly failed?: string;
}

/** What methods are ranked by: test tasks, labelled tasks with gold, or held-out labels. */
export type Measure = "test" | "gold" | "held-out";

/** The first metric of a method minus that of another with the same seed. */
export interface SeedDifference {
  /** Name of the other method. */
  readonly against: string;
  readonly measure: Measure;
  /** One per seed; without `seed` if neither method depends on it. */
  readonly values: readonly { readonly seed?: number; readonly value: number }[];
  readonly mean: number;
  /** Standard deviation over the seeds, and a 95 % interval of the mean by Student's t. */
  readonly sd?: number;
  readonly low?: number;
  readonly high?: number;
  /** Number of seeds with which the method is better than the other. */
  readonly better: number;
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

/** Returns the best measure that any row has: test tasks, labelled tasks with gold, held-out labels. */
export function measureOf(rows: readonly Compared[]): Measure | undefined {
  if (rows.some(({ test }) => test !== undefined)) return "test";
  if (rows.some(({ scores }) => scores !== undefined)) return "gold";
  return rows.some(({ heldOut }) => heldOut !== undefined) ? "held-out" : undefined;
}

/** A column of numbers: a metric on the test tasks or on the labelled ones, or the held-out score. */
export interface MeasuredColumn extends ShownMetric {
  readonly measure: Measure;
  value(row: Compared): number | undefined;
  spread(row: Compared): number | undefined;
}

/** Returns the columns that any row has numbers for: test tasks, labelled tasks, held-out labels. */
export function measuredColumns(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
): MeasuredColumn[] {
  const tested = metrics.map(
    (metric): MeasuredColumn => ({
      ...metric,
      id: `test_${metric.id}`,
      title: `Test ${lowered(metric.title)}`,
      measure: "test",
      value: ({ test }) => test?.[metric.id],
      spread: ({ testSpreads }) => testSpreads?.[metric.id],
    }),
  );
  const scored = metrics.map(
    (metric): MeasuredColumn => ({
      ...metric,
      measure: "gold",
      value: ({ scores }) => scores?.[metric.id],
      spread: ({ spreads }) => spreads?.[metric.id],
    }),
  );
  const held: MeasuredColumn = {
    id: "held_out",
    title: "Held-out",
    digits: 4,
    better: "higher",
    measure: "held-out",
    value: ({ heldOut }) => heldOut,
    spread: () => undefined,
  };
  return [...tested, ...scored, held].filter((column) =>
    rows.some((row) => column.value(row) !== undefined),
  );
}

/** Turns a title into words within a line; abbreviations stay. */
export function lowered(title: string): string {
  return title.replace(/[A-Z][a-z]/g, (text) => text.toLowerCase());
}

/** Returns the rows whose number is best as shown: more than one if their digits are the same. */
export function bestRows(
  rows: readonly Compared[],
  { value, better }: MeasuredColumn,
  digits: number,
): ReadonlySet<Compared> {
  const sign = better === "higher" ? 1 : -1;
  const shown = (row: Compared) => Number(((value(row) ?? Number.NaN) * sign).toFixed(digits));
  const scored = rows.filter((row) => Number.isFinite(shown(row)));
  const best = scored.reduce((most, row) => Math.max(most, shown(row)), -Infinity);
  return new Set(scored.length > 1 ? scored.filter((row) => shown(row) === best) : []);
}

/** Says whether rows hold several runs each, and differences between them. */
export function isDetailed(rows: readonly Compared[]): boolean {
  return rows.some(({ runs }) => runs !== undefined);
}

/** Returns the runs that failed, as sentences. */
export function failuresOf({ method, runs = [], skipped }: Compared): string[] {
  if (skipped !== undefined) return [];
  return runs.flatMap(({ seed, failed }) =>
    failed === undefined ? [] : [`${method} failed with seed ${seed}: ${failed}`],
  );
}

/** A column of the CSV file. */
type CsvColumn = readonly [name: string, cell: (row: Compared) => string | number | undefined];

/** Writes the table as CSV; with several runs per method it has more columns. */
export function comparisonCsv(
  rows: readonly Compared[],
  metrics: readonly ShownMetric[],
): Iterable<string> {
  const columns = csvColumns(rows, metrics);
  return writeCsv(
    columns.map(([name]) => name),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
  );
}

function csvColumns(rows: readonly Compared[], metrics: readonly ShownMetric[]): CsvColumn[] {
  const detailed = isDetailed(rows);
  const number = (name: string, value: (row: Compared) => number | undefined): CsvColumn => [
    name,
    (row) => {
      const x = value(row);
      return x === undefined ? undefined : rounded(x);
    },
  ];
  const time = (name: string, value: (row: Compared) => number | undefined): CsvColumn => [
    name,
    (row) => {
      const x = value(row);
      return x === undefined ? undefined : Number(x.toFixed(3));
    },
  ];
  const [first, ...others] = metrics.map(({ id }) => id);
  const tested = metrics.flatMap(({ id }) => [
    number(`test_${id}`, ({ test }) => test?.[id]),
    number(`test_${id}_sd`, ({ testSpreads }) => testSpreads?.[id]),
  ]);
  return [
    ["method", ({ method }) => method],
    ...(rows.some(({ test }) => test) ? tested : []),
    number("held_out", ({ heldOut }) => heldOut),
    number(first, ({ scores }) => scores?.[first]),
    number(`${first}_sd`, ({ spreads }) => spreads?.[first]),
    ...others.flatMap((id) => [
      number(id, ({ scores }) => scores?.[id]),
      ...(detailed ? [number(`${id}_sd`, ({ spreads }) => spreads?.[id])] : []),
    ]),
    number("gain", ({ gain }) => gain?.value),
    number("gain_low", ({ gain }) => gain?.low),
    number("gain_high", ({ gain }) => gain?.high),
    ...(detailed ? differenceColumns(number) : []),
    time("seconds", ({ seconds }) => seconds),
    ...(detailed ? [time("seconds_sd", ({ secondsSpread }) => secondsSpread)] : []),
    ["iterations", ({ iterations }) => iterations],
    ["converged", ({ converged }) => (converged === undefined ? undefined : String(converged))],
    ...(detailed ? [failedColumn] : []),
    ["skipped", ({ skipped }) => skipped],
  ];
}

const failedColumn: CsvColumn = ["failed", (row) => failuresOf(row).join("; ") || undefined];

function differenceColumns(
  number: (name: string, value: (row: Compared) => number | undefined) => CsvColumn,
): CsvColumn[] {
  return [
    ["difference_from", ({ difference }) => difference?.against],
    number("difference", ({ difference }) => difference?.mean),
    number("difference_sd", ({ difference }) => difference?.sd),
    number("difference_low", ({ difference }) => difference?.low),
    number("difference_high", ({ difference }) => difference?.high),
    number("seeds_better", ({ difference }) => difference?.better),
    number("seeds", ({ difference }) => difference?.values.length),
  ];
}
