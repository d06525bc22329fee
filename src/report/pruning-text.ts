/** What taking out the labels of spammers does, in sentences and in numbers. */
import type { Pruning } from "../diagnose/spammers/prune.ts";
import { rounded } from "./csv-files.ts";
import { brief, count, grouped, percent } from "./text.ts";

/** Workers that are listed one by one. */
const LISTED = 20;

/** Says how much was taken out, without names. */
export function pruningNote({ workers, labels, ofLabels }: Pruning): string {
  if (workers.length === 0) return "No labels were dropped: no worker is on a par with guessing.";
  return (
    `${grouped(labels)} of ${count(ofLabels, "label")} were dropped: those of ${count(workers.length, "worker")} ` +
    `who cannot be told from guessing, or are worse.`
  );
}

/** Says whose labels were taken out and what that changes. */
export function pruningLines(pruning: Pruning): string[] {
  const { workers, changed, emptied, heldOut, before } = pruning;
  if (workers.length === 0) return [pruningNote(pruning)];
  const answered = before.consensus.filter((k) => k >= 0).length;
  return [
    pruningNote(pruning),
    ...workers
      .slice(0, LISTED)
      .map(
        ({ worker, labels, reasons }) =>
          `Dropped ${brief(worker, 40)} (${count(labels, "label")})${reasons.length > 0 ? `: ${reasons.join(" ")}` : ""}`,
      ),
    ...(workers.length > LISTED
      ? [`Dropped ${count(workers.length - LISTED, "more worker")}`]
      : []),
    `By dawid-skene, ${grouped(changed.length)} of ${count(answered, "answer")} would be different (${percent(changed.length / Math.max(1, answered))})` +
      (emptied > 0
        ? `, and ${count(emptied, "task loses its last label", "tasks lose their last label")}.`
        : "."),
    `Hidden labels of the others have a log-probability of ${nats(heldOut.before)} per label with these labels and ` +
      `${nats(heldOut.after)} without (standard error of the difference ${heldOut.error.toFixed(4)})` +
      (heldOut.worse ? ": worse, so the dropped labels held information." : "."),
  ];
}

/** The numbers of a pruning, without names. */
export function pruningDocument({
  workers,
  labels,
  ofLabels,
  emptied,
  changed,
  heldOut,
}: Pruning): object {
  return {
    workers: workers.length,
    labels,
    ofLabels,
    emptied,
    changed: changed.length,
    heldOut: {
      before: rounded(heldOut.before),
      after: rounded(heldOut.after),
      error: rounded(heldOut.error),
      worse: heldOut.worse,
    },
  };
}

const nats = (x: number) => x.toFixed(4).replace("-", "−");
