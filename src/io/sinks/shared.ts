/** What sinks of numbers and comparisons share: names, times, weights, and rows that are left out. */
import { CrowdError, hint, plural } from "../../error.ts";
import { nameCell, numberCell } from "../cell.ts";
import type { CleaningOptions } from "../cleaning.ts";
import { type FoundColumns, findColumns, type Wanted } from "../column-names.ts";
import type { FileContext } from "../format.ts";
import { createGrowingCodes, createGrowingNumbers } from "../growing.ts";
import { sayColumns } from "../label-target.ts";
import { createNameInterner } from "../name-interners.ts";
import { place } from "../problems.ts";
import { createTimes } from "../times.ts";

/** A sink's rows so far, in columns that grow. */
export function createSharedColumns(options: CleaningOptions) {
  const tasks = createNameInterner(options);
  const workers = createNameInterner(options);
  const task = createGrowingCodes();
  const worker = createGrowingCodes();
  const time = createGrowingNumbers(Number.NaN);
  const weight = createGrowingNumbers(1);
  const dropped = new Map<string, number>();
  let rows = 0;
  return {
    tasks,
    workers,
    rows: () => rows,
    /** Adds what every answer has; `when` and `count` are NaN where they are not known. */
    add(t: number, w: number, when: number, count: number) {
      task.push(t);
      worker.push(w);
      if (!Number.isNaN(when)) time.set(rows, when);
      if (!Number.isNaN(count) && count !== 1) weight.set(rows, count);
      rows++;
    },
    setTime: time.set,
    drop(reason: string) {
      dropped.set(reason, (dropped.get(reason) ?? 0) + 1);
    },
    dropped: () =>
      [...dropped].map(([reason, count]) => `${plural(count, "row")} dropped: ${reason}.`),
    byteLength: () =>
      [tasks, workers, task, worker, time, weight].reduce(
        (sum, part) => sum + part.byteLength(),
        0,
      ),
    columns: () => ({
      ...usedNames(task.join(), tasks.names(), "task", "tasks"),
      ...usedNames(worker.join(), workers.names(), "worker", "workers"),
      weight: weight.used ? weight.join(rows) : undefined,
      time: time.used ? time.join(rows) : undefined,
    }),
  };
}

/** A column with the names that it uses: those met only in rows that were left out are left out too. */
export function usedNames<One extends string, Many extends string>(
  column: Int32Array,
  names: readonly string[],
  one: One,
  many: Many,
): Record<One, Int32Array> & Record<Many, readonly string[]> {
  const place = new Int32Array(names.length).fill(-1);
  for (const code of column) place[code] = 0;
  let used = 0;
  for (let code = 0; code < names.length; code++) if (place[code] === 0) place[code] = used++;
  const kept = used === names.length ? names : names.filter((_, code) => place[code] >= 0);
  return { [one]: column.map((code) => place[code]), [many]: kept } as Record<One, Int32Array> &
    Record<Many, readonly string[]>;
}

/** The cells that every kind has: task, worker, time and weight. */
export function createCells(shared: ReturnType<typeof createSharedColumns>, context: FileContext) {
  const times = createTimes(context, shared);
  return {
    task: nameCell(shared.tasks),
    worker: nameCell(shared.workers),
    weight: numberCell(),
    times,
  };
}

/** Finds the columns of a kind and says what each was taken for. */
export function understand(
  header: readonly string[],
  wanted: readonly Wanted[],
  context: FileContext,
  line: number,
  /** Columns that are used besides, by what they are. */
  more: ReadonlyMap<string, number> = new Map(),
): FoundColumns {
  const given = context.options.columns ?? {};
  const places = findColumns(header, wanted, given, place(context.file, line));
  context.understood(sayColumns(header, new Map([...places, ...more])));
  return { header, places, wanted, given, context };
}

/** Says that an export of labels cannot be read as another kind. */
export function noLabels(kind: string, { file }: FileContext): CrowdError {
  return new CrowdError(
    "not-supported",
    `${file}: this format holds labels, not ${kind} answers. Use CSV, JSON lines, Parquet or Arrow, or ${hint("kind", "categorical")}.`,
  );
}
