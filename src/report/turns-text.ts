/** How answers of numbers and comparisons went over time: in lines, and as drift.csv. */
import { isDate } from "../diagnose/drift/drift-words.ts";
import type { Turns, WorkerTurns } from "../diagnose/drift/turns-result.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { rounded } from "./csv-files.ts";
import { brief, count } from "./text.ts";

/** Workers that are listed one by one. */
const LISTED = 20;

/** Returns the workers who turned, alone or with the tasks, the clearest first. */
export function turnedWorkers({ workers }: Turns): readonly WorkerTurns[] {
  const least = ({ turns }: WorkerTurns) =>
    turns.reduce((most, { corrected }) => Math.min(most, corrected), 1);
  return workers.filter(({ turns }) => turns.length > 0).toSorted((a, b) => least(a) - least(b));
}

/** Says how many workers turned, and of how many it cannot be told. */
export function turnSummary(drift: Turns): string {
  const turned = turnedWorkers(drift).length;
  const few = drift.workers.filter(({ flags }) => flags.includes("few-answers")).length;
  return (
    `Over time: ${turned === 0 ? "no worker" : count(turned, "worker")} of ${drift.workers.length - few} changed` +
    `${few > 0 ? `; ${count(few, "worker")} with too few answers to tell` : ""}.`
  );
}

/** Says who turned, when and how. */
export function turnLines(drift: Turns): string[] {
  const turned = turnedWorkers(drift);
  return [
    turnSummary(drift),
    ...turned
      .slice(0, LISTED)
      .map(({ worker, reasons }) => `  ${brief(worker, 40)}: ${reasons.join(" ")}`),
    ...(turned.length > LISTED ? [`  and ${count(turned.length - LISTED, "more worker")}`] : []),
    ...drift.notes.map((note) => `  ${note}`),
    "",
  ];
}

/** drift.csv: worker,from,to,answers,measure,value,low,high,flags, one row per stretch and measure. */
export function turnsCsv({ workers }: Turns): Iterable<string> {
  const time = (t: number) => (isDate(t) ? new Date(t).toISOString() : t);
  function* rows(): Iterable<(string | number)[]> {
    for (const { worker, curve, flags } of workers) {
      for (const { from, to, answers, measures } of curve) {
        for (const [measure, { value, low, high }] of Object.entries(measures)) {
          const numbers = [value, low, high].map(rounded);
          yield [worker, time(from), time(to), answers, measure, ...numbers, flags.join(" ")];
        }
      }
    }
  }
  const header = ["worker", "from", "to", "answers", "measure", "value", "low", "high", "flags"];
  return writeCsv(header, rows());
}
