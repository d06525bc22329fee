/** Tags of one worker stretch by stretch, and spans that two lists of tags share. */
import type { SequenceData } from "./sequence.ts";

/** The same worker's answers on neighbouring tokens of one chain. */
export interface Stretch {
  readonly worker: number;
  readonly task: number;
  /** First token, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/**
 * Walks the stretches that workers answered without a gap, worker by worker, and fills `tags` with the worker's tags
 * there, -1 elsewhere. Of several answers on one token the first in the order of rows counts.
 */
export function* stretchesOf(
  { workers, worker, token, label, tokens }: SequenceData,
  tags: Int32Array,
): Iterable<Stretch> {
  const first = new Uint8Array(tokens.length + 1);
  for (const t of tokens.chains) first[t] = 1;
  const start = new Int32Array(workers.length + 1);
  for (const w of worker) start[w + 1]++;
  for (let w = 0; w < workers.length; w++) start[w + 1] += start[w];
  const rows = new Int32Array(worker.length);
  const next = start.slice();
  for (let i = 0; i < worker.length; i++) rows[next[worker[i]]++] = i;
  tags.fill(-1);
  for (let w = 0; w < workers.length; w++) {
    const own = rows.subarray(start[w], start[w + 1]);
    for (const i of own) if (tags[token[i]] < 0) tags[token[i]] = label[i];
    const answered = Int32Array.from(own, (i) => token[i]).sort();
    for (let at = 0; at < answered.length; ) {
      const from = answered[at];
      let to = from + 1;
      for (
        at++;
        at < answered.length && answered[at] <= to && !(answered[at] === to && first[to]);
        at++
      )
        if (answered[at] === to) to++;
      yield { worker: w, task: tokens.task[from], from, to };
    }
    for (const t of answered) tags[t] = -1;
  }
}

/** Spans on both sides, and how many are the same. */
export interface SpanMatch {
  readonly matches: number;
  readonly given: number;
  readonly wanted: number;
}

interface Bounds {
  readonly start: number;
  readonly end: number;
  readonly type: number;
}

/** Counts spans that are the same in two lists, each in order and without overlap. */
export function matchSpans(given: readonly Bounds[], wanted: readonly Bounds[]): SpanMatch {
  let [matches, at] = [0, 0];
  for (const { start, end, type } of given) {
    while (at < wanted.length && wanted[at].start < start) at++;
    const other = wanted[at];
    if (other?.start === start && other.end === end && other.type === type) matches++;
  }
  return { matches, given: given.length, wanted: wanted.length };
}
