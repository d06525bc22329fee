/** Datasets from plain rows of names, for programs; files come in through `io/`. */
import type { CrowdDataset } from "./dataset.ts";
import { type DatasetOptions, fromColumns } from "./from-columns.ts";

/** What one worker said of one task. */
export interface LabelRow {
  readonly task: string;
  readonly worker: string;
  readonly label: string;
  readonly weight?: number;
  /** Milliseconds since 1970. */
  readonly time?: number;
}

export function fromRows(rows: Iterable<LabelRow>, options: DatasetOptions = {}): CrowdDataset {
  const tasks = createNames();
  const workers = createNames();
  const labels = createNames();
  const columns = { task: [] as number[], worker: [] as number[], label: [] as number[] };
  const weight: number[] = [];
  const time: number[] = [];
  let weighted = false;
  let timed = false;
  for (const row of rows) {
    columns.task.push(tasks.add(row.task));
    columns.worker.push(workers.add(row.worker));
    columns.label.push(labels.add(row.label));
    weight.push(row.weight ?? 1);
    time.push(row.time ?? Number.NaN);
    weighted ||= row.weight !== undefined;
    timed ||= row.time !== undefined;
  }
  return fromColumns(
    {
      tasks: tasks.names,
      workers: workers.names,
      labels: labels.names,
      task: Int32Array.from(columns.task),
      worker: Int32Array.from(columns.worker),
      label: Int32Array.from(columns.label),
      weight: weighted ? Float64Array.from(weight) : undefined,
      time: timed ? Float64Array.from(time) : undefined,
    },
    options,
  );
}

/** Names and their numbers, in order of first appearance. */
function createNames() {
  const names: string[] = [];
  const places = new Map<string, number>();
  return {
    names,
    add(name: string): number {
      const known = places.get(name);
      if (known !== undefined) return known;
      places.set(name, names.length);
      return names.push(name) - 1;
    },
  };
}
