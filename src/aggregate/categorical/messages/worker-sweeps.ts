/** Passes messages from worker to worker: the part that is the same for all kinds of workers. */

import type { Edges, MessageSettings, Messages } from "./messages.ts";

/** What a sweep has found so far. */
export interface Sweep {
  /** The largest change of a message. */
  change: number;
  /** log Z of the workers so far, less that of their labels. */
  logZ: number;
}

/** What differs between kinds of workers. The labels of a worker stand at from..from + n. */
export interface WorkerKind extends Pick<Messages, "restart" | "workers"> {
  /** Draws new nodes, if each sweep has its own. */
  redraw(sweep: number): void;
  /** Hears what the tasks of worker w believe, answers each, and adds what changed to `sweep`. */
  answer(
    w: number,
    from: number,
    n: number,
    belief: Float64Array,
    sums: Float64Array,
    sweep: Sweep,
  ): void;
}

/** Makes messages from what one worker does. */
export function createMessages<Prior>(
  { start }: Edges,
  K: number,
  { integral, resample }: MessageSettings<Prior>,
  kind: WorkerKind,
): Messages {
  const W = start.length - 1;
  const sweep: Sweep = { change: 0, logZ: 0 };
  let sweeps = 0;
  return {
    pass(belief, sums) {
      if (integral === "mc" && resample === "sweep") kind.redraw(sweeps++);
      sweep.change = 0;
      sweep.logZ = 0;
      for (let w = 0; w < W; w++) {
        const n = start[w + 1] - start[w];
        if (n > 0) kind.answer(w, start[w], n, belief, sums, sweep);
      }
      return K === 2 ? 2 * sweep.change : sweep.change;
    },
    evidence: () => sweep.logZ,
    restart: kind.restart,
    workers: kind.workers,
  };
}
