/** Data as tables: what the records of several kinds share. */
import type { CrowdData } from "../data/crowd-data.ts";
import type { Names } from "../data/names.ts";
import type { CsvValue } from "../io/csv-writer.ts";
import { isoTime } from "../io/label-rows.ts";
import type { Table } from "./kind.ts";

/** A table of answers: cells of each, and its time and weight where answers have them. */
export function answersTable(
  { worker, time, weight }: CrowdData,
  header: readonly string[],
  cells: (answer: number) => readonly CsvValue[],
): Table {
  return {
    header: [...header, ...(time ? ["time"] : []), ...(weight ? ["weight"] : [])],
    rows: lazily(worker.length, (i) => [
      ...cells(i),
      ...(time ? [isoTime(time[i])] : []),
      ...(weight ? [weight[i]] : []),
    ]),
  };
}

/** A table of what is known of each of several things; no row where nothing is. */
export function goldTable(
  header: readonly string[],
  length: number,
  cells: (at: number) => readonly CsvValue[] | undefined,
): Table {
  return { header, rows: lazily(length, cells) };
}

/** A table of the comparisons of two items: a task where it has a name, worker, left, right, label. */
export function pairsTable(
  data: CrowdData & {
    readonly items: Names;
    readonly left: Int32Array;
    readonly right: Int32Array;
  },
  label: (answer: number) => string,
): Table {
  const { tasks, task, workers, worker, items, left, right } = data;
  const named = tasks.length > 1 || (tasks.length === 1 && tasks.at(0) !== "");
  const header = [...(named ? ["task"] : []), "worker", "left", "right", "label"];
  return answersTable(data, header, (i) => [
    ...(named ? [tasks.at(task[i])] : []),
    workers.at(worker[i]),
    items.at(left[i]),
    items.at(right[i]),
    label(i),
  ]);
}

/** Rows made one by one, as often as they are asked for. */
function lazily(
  length: number,
  cells: (at: number) => readonly CsvValue[] | undefined,
): Iterable<readonly CsvValue[]> {
  return {
    *[Symbol.iterator]() {
      for (let at = 0; at < length; at++) {
        const row = cells(at);
        if (row) yield row;
      }
    },
  };
}
