/** Passes messages from worker to worker: the part that is the same for all kinds of workers. */

import type { Edges, MessageSettings, Messages } from "./messages.ts";

/** What a sweep has found so far. */
export interface Sweep {
  /** The largest change of a message. */
  change: number;
  /** log Z of the workers so far, less that of their labels. */
  logZ: number;
}

/** The labels of the worker at hand stand at from..from + n. */
export interface Slice {
  from: number;
  n: number;
}

/** What differs between kinds of workers. */
export interface WorkerKind {
  /** Draws new nodes, if each sweep has its own. */
  redraw(sweep: number): void;
  /** Hears what the tasks of the labels at hand believe. */
  hear(belief: Float64Array): void;
  /** Answers what worker w heard, and adds the logs of the answers to sums and what changed to `sweep`. */
  answer(w: number, sums: Float64Array, sweep: Sweep): void;
  /** Forgets all messages. */
  restart(): void;
  /** Starts to read what is believed of the workers. */
  reader(): WorkerReader;
}

interface WorkerReader {
  /** Reads worker w from what was heard; returns how many nodes share the posterior. */
  read(w: number): number;
  /** Returns the posterior mean, once all workers are read. */
  confusion(): Float64Array;
}

/** Makes messages from what one worker does; `slice` is set to the labels of each in turn. */
export function createMessages<Prior>(
  { start }: Edges,
  K: number,
  { integral, resample }: MessageSettings<Prior>,
  slice: Slice,
  kind: WorkerKind,
): Messages {
  const W = start.length - 1;
  const sweep: Sweep = { change: 0, logZ: 0 };
  let sweeps = 0;
  const hear = (w: number, belief: Float64Array): void => {
    slice.from = start[w];
    slice.n = start[w + 1] - start[w];
    kind.hear(belief);
  };
  return {
    pass(belief, sums) {
      if (integral === "mc" && resample === "sweep") kind.redraw(sweeps++);
      sweep.change = 0;
      sweep.logZ = 0;
      for (let w = 0; w < W; w++) {
        if (start[w] === start[w + 1]) continue;
        hear(w, belief);
        kind.answer(w, sums, sweep);
      }
      return K === 2 ? 2 * sweep.change : sweep.change;
    },
    evidence: () => sweep.logZ,
    restart: kind.restart,
    workers(belief) {
      const reader = kind.reader();
      const effective = new Float64Array(W);
      for (let w = 0; w < W; w++) {
        hear(w, belief);
        effective[w] = reader.read(w);
      }
      return { confusion: reader.confusion(), effective };
    },
  };
}
