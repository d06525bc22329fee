/** How the skills of workers went over time, in sentences. */
import type { Drift, WorkerDrift } from "../diagnose/drift/drift-result.ts";
import { CONFOUNDED, type Fatigue } from "../diagnose/drift/fatigue.ts";
import { brief, count } from "./text.ts";

/** Workers that are listed one by one. */
const LISTED = 20;

/** Says whose skill changed, whether tasks changed, and whether workers tire within sessions. */
export function driftLines(drift: Drift, fatigue: Fatigue): string[] {
  const changed = changedWorkers(drift);
  return [
    driftSummary(drift),
    ...changed.slice(0, LISTED).flatMap(workerLines),
    ...(changed.length > LISTED ? [`  and ${count(changed.length - LISTED, "more worker")}`] : []),
    ...fatigueLine(fatigue).map((line) => `  ${line}`),
    ...drift.notes.map((note) => `  ${note}`),
    "",
  ];
}

/** Returns the workers whose skill changed, alone or with the tasks, the lowest skill at the end first. */
export function changedWorkers({ workers }: Drift): readonly WorkerDrift[] {
  const last = ({ curve }: WorkerDrift) => curve[curve.length - 1]?.skill ?? 1;
  return workers
    .filter(({ flags }) => flags.some((flag) => flag !== "few-labels"))
    .toSorted((a, b) => last(a) - last(b));
}

/** Says how many workers changed, and of how many it cannot be told. */
export function driftSummary(drift: Drift): string {
  const changed = changedWorkers(drift).length;
  const few = drift.workers.filter(({ flags }) => flags.includes("few-labels")).length;
  return (
    `Over time: ${changed === 0 ? "no worker" : count(changed, "worker")} of ${drift.workers.length - few} changed` +
    `${few > 0 ? `; ${count(few, "worker")} with too few labels to tell` : ""}.`
  );
}

function workerLines({ worker, reasons }: WorkerDrift): string[] {
  return [`  ${brief(worker, 40)}: ${reasons.join(" ")}`];
}

/** Says whether workers get worse within sessions. */
export function fatigueLine({ pooled, sessions }: Fatigue): string[] {
  if (!pooled) return [];
  const { slope, low, high } = pooled;
  const ends = `95 % interval ${low.toFixed(2)} to ${high.toFixed(2)}`;
  const trend =
    high < 0 ? "workers get worse" : low > 0 ? "workers get better" : "no change can be told";
  return [
    `Within ${count(sessions, "session")}: ${trend} (log-odds of a right label change by ${slope.toFixed(2)} when the place ` +
      `in the session grows e-fold, ${ends}). ${CONFOUNDED}`,
  ];
}
