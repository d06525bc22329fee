/** The answers of each worker in the order of time. */
import type { CrowdData } from "../../data/crowd-data.ts";
import { CrowdError, hint, plural } from "../../error.ts";

/** Refuses answers without times. */
export function checkTimes({ time }: Pick<CrowdData, "time">, noun: "label" | "answer"): void {
  if (time?.some((each) => !Number.isNaN(each))) return;
  throw new CrowdError(
    "bad-data",
    `Drift needs the time of each ${noun}, and these ${noun}s have none. Name the column of times with ` +
      `${hint("columns.time")}, or give each row a time in milliseconds since 1970. If only the order of a worker's ` +
      `${noun}s is known, number them and use the numbers as times.`,
  );
}

/** Puts the rows of each worker in order, ties by row; rows without a time are left out. */
export function rowsInTime(
  { worker, workers, time = new Float64Array() }: Pick<CrowdData, "worker" | "workers" | "time">,
  noun: "label" | "answer",
): {
  readonly rows: readonly (readonly number[])[];
  readonly time: Float64Array;
  readonly notes: readonly string[];
} {
  const rows: number[][] = Array.from(workers, () => []);
  let untimed = 0;
  worker.forEach((w, i) => {
    if (Number.isNaN(time[i])) untimed++;
    else rows[w].push(i);
  });
  let [tied, timed] = [0, 0];
  for (const own of rows) {
    own.sort((a, b) => time[a] - time[b] || a - b);
    timed += own.length;
    for (let at = 1; at < own.length; at++) if (time[own[at]] === time[own[at - 1]]) tied++;
  }
  const notes = [
    ...(untimed > 0
      ? [`${plural(untimed, noun)} without a time ${untimed === 1 ? "is" : "are"} left out.`]
      : []),
    ...(tied > 0.1 * timed
      ? [
          `${tied} of ${plural(timed, noun)} have the same time as another ${noun} of the same worker; ` +
            "the order of the rows decides between them.",
        ]
      : []),
  ];
  return { rows, time, notes };
}
