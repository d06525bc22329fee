/**
 * Tags against gold: token by token, and span by span. A span counts where start, end and type are the same, as in
 * the scorer of CoNLL-2000: precision is the share of found spans that are gold, recall the share of gold spans found.
 */

import type { Names } from "../data/names.ts";
import { schemeOf, spansOf, type Tokens } from "../data/sequence.ts";
import { matchSpans } from "../data/span-match.ts";
import { CrowdError } from "../error.ts";
import type { Interval } from "./accuracy.ts";
import { ratioOverTasks } from "./ratio.ts";

/** Tags to be scored, token by token. */
export interface ScoredTags {
  readonly classes: Names;
  readonly tokens: Pick<Tokens, "task" | "chains">;
  readonly path: Int32Array;
  /** Known tag of each token, or -1: spans end there. */
  readonly gold: Int32Array;
  /** Further tokens at which a sentence begins: spans do not reach across. */
  readonly breaks?: Iterable<number> | undefined;
}

/** All scores of tags against gold. */
export interface SequenceMetrics {
  /** Numbers of tasks and of tokens with gold. */
  readonly tasks: number;
  readonly tokens: number;
  /** Share of tokens with the right tag, with a 95 % interval over tasks. */
  readonly tokenAccuracy: Interval;
  /** Spans found, spans of gold, and those that are both. */
  readonly spans: { readonly found: number; readonly gold: number; readonly right: number };
  /** NaN where nothing was found, or there is none in gold. */
  readonly precision: number;
  readonly recall: number;
  /** F1 of the spans, with a 95 % interval over tasks; NaN without spans on either side. */
  readonly f1: Interval;
  /** What each task adds to F1, or to the token accuracy where there are no spans: their mean is the score. */
  readonly credits: Float64Array;
}

/** Scores tags against gold. */
export function evaluateTags(scored: ScoredTags): SequenceMetrics {
  const parts = [...countsByTask(scored).values()];
  if (parts.length === 0) {
    throw new CrowdError(
      "bad-data",
      "There is no gold to score against: no token has a known tag.",
    );
  }
  const total = (of: (part: Counts) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const [found, gold, right] = [total((p) => p.found), total((p) => p.gold), total((p) => p.right)];
  const ratio = (above: (part: Counts) => number, below: (part: Counts) => number) =>
    ratioOverTasks(parts.map(above), parts.map(below));
  const f1 = ratio(
    (p) => 2 * p.right,
    (p) => p.found + p.gold,
  );
  const accuracy = ratio(
    (p) => p.same,
    (p) => p.tokens,
  );
  return {
    tasks: parts.length,
    tokens: total((p) => p.tokens),
    tokenAccuracy: accuracy.interval,
    spans: { found, gold, right },
    precision: right / found,
    recall: right / gold,
    f1: f1.interval,
    credits: Number.isNaN(f1.interval.value) ? accuracy.credits : f1.credits,
  };
}

interface Counts {
  tokens: number;
  same: number;
  found: number;
  gold: number;
  right: number;
}

/** Counts tokens and spans of each task with gold; chains are cut where gold is missing, and at breaks. */
function countsByTask({
  classes,
  tokens,
  path,
  gold,
  breaks = [],
}: ScoredTags): Map<number, Counts> {
  const scheme = schemeOf(classes);
  const cut = new Uint8Array(gold.length + 1);
  for (const t of tokens.chains) cut[t] = 1;
  for (const t of breaks) cut[t] = 1;
  const parts = new Map<number, Counts>();
  for (let from = 0; from < gold.length; ) {
    if (gold[from] < 0) {
      from++;
      continue;
    }
    let to = from + 1;
    while (!cut[to] && gold[to] >= 0) to++;
    const part = parts.get(tokens.task[from]) ?? {
      tokens: 0,
      same: 0,
      found: 0,
      gold: 0,
      right: 0,
    };
    parts.set(tokens.task[from], part);
    part.tokens += to - from;
    for (let t = from; t < to; t++) if (path[t] === gold[t]) part.same++;
    if (scheme) {
      const { matches, given, wanted } = matchSpans(
        [...spansOf(scheme, path, from, to)],
        [...spansOf(scheme, gold, from, to)],
      );
      part.right += matches;
      part.found += given;
      part.gold += wanted;
    }
    from = to;
  }
  return parts;
}
