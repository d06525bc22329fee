/** The labels of a dataset as rows, for writers. */
import type { CategoricalData } from "../data/categorical.ts";

type Column = "task" | "worker" | "label" | "time" | "weight";

/** `task`, `worker`, `label`, then `time` and `weight` where the dataset has them. */
export function labelHeader({ time, weight }: CategoricalData): readonly Column[] {
  return [
    "task",
    "worker",
    "label",
    ...(time ? (["time"] as const) : []),
    ...(weight ? (["weight"] as const) : []),
  ];
}

/** The labels as rows of text, in the order of the header; each different name is encoded once. */
export function* labelRows(
  data: CategoricalData,
  encode: (value: string | number) => string,
): Iterable<readonly string[]> {
  const { task, worker, label, time, weight } = data;
  const tasks = Array.from(data.tasks, encode);
  const workers = Array.from(data.workers, encode);
  const labels = labelNames(data).map(encode);
  for (let i = 0; i < task.length; i++) {
    const row = [tasks[task[i]], workers[worker[i]], labels[label[i]]];
    if (time) row.push(encode(isoTime(time[i])));
    if (weight) row.push(encode(weight[i]));
    yield row;
  }
}

/** Text in pieces of about 64 KB. */
export function* inPieces(lines: Iterable<string>): Iterable<string> {
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length > 65_536) {
      yield text;
      text = "";
    }
  }
  yield text;
}

/** The classes, and a name for abstentions that none of them has. */
export function labelNames({ classes }: CategoricalData): readonly string[] {
  let abstain = "abstain";
  while (classes.indexOf(abstain) >= 0) abstain += "_";
  return [...classes, abstain];
}

/** `2024-05-31T12:30:15.250Z`, to the microsecond where it is that fine; empty where unknown. */
export function isoTime(ms: number): string {
  const date = new Date(Math.floor(ms));
  if (Number.isNaN(date.getTime())) return "";
  const micros = Math.round((ms - Math.floor(ms)) * 1000);
  const text = date.toISOString();
  return micros > 0 && micros < 1000
    ? text.replace("Z", `${String(micros).padStart(3, "0")}Z`)
    : text;
}
