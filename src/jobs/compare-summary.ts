/** What many runs of many methods say together: means, spreads, and paired differences between methods. */
import { studentQuantile } from "../math/incomplete.ts";
import type { Compared, ComparedRun, Measure, SeedDifference } from "../report/comparison.ts";

type Numbers = Readonly<Record<string, number>>;

/** Averages the runs that have numbers; with `spread` also their standard deviations over the seeds. */
export function summariseRuns(
  runs: readonly ComparedRun[],
  { spread }: { readonly spread: boolean },
): Pick<Compared, "scores" | "spreads" | "test" | "testSpreads" | "seconds" | "secondsSpread"> {
  const scores = averaged(runs.flatMap(({ scores: each }) => (each ? [each] : [])));
  const test = averaged(runs.flatMap(({ test: each }) => (each ? [each] : [])));
  const times = averaged(
    runs.flatMap(({ seconds }) => (seconds === undefined ? [] : [{ seconds }])),
  );
  return {
    ...(scores && { scores: scores.means }),
    ...(scores && spread && { spreads: scores.spreads }),
    ...(test && { test: test.means }),
    ...(test && spread && { testSpreads: test.spreads }),
    ...(times && { seconds: times.means["seconds"] }),
    ...(times && runs.length > 1 && { secondsSpread: times.spreads["seconds"] }),
  };
}

/** Returns mean and standard deviation of each number by name; undefined if there are no runs. */
function averaged(runs: readonly Numbers[]): { means: Numbers; spreads: Numbers } | undefined {
  if (runs.length === 0) return undefined;
  const summaries = Object.keys(runs[0]).map(
    (id) => [id, meanAndSpread(runs.map((run) => run[id]))] as const,
  );
  return {
    means: Object.fromEntries(summaries.map(([id, [center]]) => [id, center])),
    spreads: Object.fromEntries(summaries.map(([id, [, sd]]) => [id, sd])),
  };
}

/** Returns the mean and the standard deviation with n - 1 below the line; 0 for a single value. */
function meanAndSpread(values: readonly number[]): [mean: number, sd: number] {
  const center = values.reduce((sum, x) => sum + x, 0) / values.length;
  const squares = values.reduce((sum, x) => sum + (x - center) ** 2, 0);
  return [center, Math.sqrt(squares / Math.max(1, values.length - 1))];
}

/** What rows are compared by. */
export interface Ranking {
  readonly measure: Measure;
  /** The metric whose values are compared; not used for held-out labels. */
  readonly metric: string;
  readonly better: "higher" | "lower";
  /** Name of the method that the others are compared with; default: the best. */
  readonly against?: string | undefined;
}

/** Adds to each row its differences from the reference, seed by seed; the reference has none. */
export function withDifferences(rows: readonly Compared[], ranking: Ranking): Compared[] {
  const reference = referenceOf(rows, ranking);
  if (!reference) return [...rows];
  return rows.map((row) => {
    const difference = row === reference ? undefined : differenceOf(row, reference, ranking);
    return difference ? { ...row, difference } : row;
  });
}

/** Finds the row that others are compared with: the one that was named, else the best on average. */
function referenceOf(rows: readonly Compared[], ranking: Ranking): Compared | undefined {
  const scored = rows.filter((row) => meanOf(row, ranking) !== undefined);
  if (ranking.against !== undefined) return scored.find(({ method }) => method === ranking.against);
  const sign = ranking.better === "higher" ? 1 : -1;
  const value = (row: Compared) => sign * (meanOf(row, ranking) ?? Number.NaN);
  return scored.reduce<Compared | undefined>(
    (top, row) => (top && value(top) >= value(row) ? top : row),
    undefined,
  );
}

function meanOf(row: Compared, { measure, metric }: Ranking): number | undefined {
  if (measure === "held-out") return row.heldOut;
  return (measure === "test" ? row.test : row.scores)?.[metric];
}

/** Subtracts the reference from a method with each seed that both have. */
function differenceOf(
  row: Compared,
  reference: Compared,
  ranking: Ranking,
): SeedDifference | undefined {
  const [own, other] = [valuesOf(row, ranking), valuesOf(reference, ranking)];
  const seeds = own.seeds.length > 0 ? own.seeds : other.seeds;
  const runs = (seeds.length > 0 ? seeds : [undefined]).flatMap((seed) => {
    const [a, b] = [own.at(seed), other.at(seed)];
    return a === undefined || b === undefined ? [] : [{ seed, value: a - b }];
  });
  if (runs.length === 0) return undefined;
  const values = runs.map(({ value }) => value);
  const [center, sd] = meanAndSpread(values);
  const sign = ranking.better === "higher" ? 1 : -1;
  const n = values.length;
  const half = n > 1 ? (studentQuantile(0.975, n - 1) * sd) / Math.sqrt(n) : 0;
  return {
    against: reference.method,
    measure: ranking.measure,
    values: runs.map(({ seed, value }) => (seed === undefined ? { value } : { seed, value })),
    mean: center,
    ...(n > 1 && { sd, low: center - half, high: center + half }),
    better: values.filter((value) => sign * value > 0).length,
  };
}

/**
 * Returns the values by seed. What does not depend on the seed has the same value for every seed, and no
 * seeds of its own.
 */
function valuesOf(
  row: Compared,
  ranking: Ranking,
): { readonly seeds: readonly number[]; at(seed: number | undefined): number | undefined } {
  const { measure, metric } = ranking;
  if (measure === "held-out" || row.deterministic || !row.runs) {
    const value = meanOf(row, ranking);
    return { seeds: [], at: () => value };
  }
  const bySeed = new Map(
    row.runs.flatMap((run) => {
      const value = (measure === "test" ? run.test : run.scores)?.[metric];
      return value === undefined ? [] : [[run.seed, value] as const];
    }),
  );
  return {
    seeds: [...bySeed.keys()],
    at: (seed) => (seed === undefined ? undefined : bySeed.get(seed)),
  };
}
