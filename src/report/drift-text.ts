/** How the skills of workers went over time, in sentences. */
import type { Drift, WorkerDrift } from "../diagnose/drift/drift-result.ts";
import type { Fatigue } from "../diagnose/drift/fatigue.ts";
import { brief, count } from "./text.ts";

/** Workers that are listed one by one. */
const LISTED = 20;

/** Says whose skill changed, whether tasks changed, and whether workers tire within sessions. */
export function driftLines(drift: Drift, fatigue: Fatigue): string[] {
  const changed = drift.workers.filter(({ flags }) => flags.some((flag) => flag !== "few-labels"));
  const few = drift.workers.filter(({ flags }) => flags.includes("few-labels")).length;
  const tested = drift.workers.length - few;
  return [
    `Over time: ${changed.length === 0 ? "no worker" : count(changed.length, "worker")} of ${tested} changed` +
      `${few > 0 ? `; ${count(few, "worker")} with too few labels to tell` : ""}.`,
    ...changed.slice(0, LISTED).flatMap(workerLines),
    ...(changed.length > LISTED ? [`  and ${count(changed.length - LISTED, "more worker")}`] : []),
    ...fatigueLine(fatigue),
    ...drift.notes.map((note) => `  ${note}`),
    "",
  ];
}

function workerLines({ worker, reasons }: WorkerDrift): string[] {
  return [`  ${brief(worker, 40)}: ${reasons.join(" ")}`];
}

function fatigueLine({ pooled, sessions }: Fatigue): string[] {
  if (!pooled) return [];
  const { slope, low, high } = pooled;
  const ends = `95 % interval ${low.toFixed(2)} to ${high.toFixed(2)}`;
  const trend =
    high < 0 ? "workers get worse" : low > 0 ? "workers get better" : "no change can be told";
  return [
    `  Within ${count(sessions, "session")}: ${trend} (log-odds of a right label change by ${slope.toFixed(2)} when the place ` +
      `in the session grows e-fold, ${ends}). If tasks did not come in random order, this may be their order.`,
  ];
}
