/**
 * Sequences: a tag for each position of a task, such as BIO tags of the words of a sentence. Answer `i` says that
 * `workers.at(worker[i])` gave the tag `classes.at(label[i])` to the token `token[i]`.
 *
 * Tokens are the positions of all tasks, task by task, each task's in order of position.
 */
import type { CrowdData } from "./crowd-data.ts";
import type { Names } from "./names.ts";

/** Sequences: which worker gave which tag to which position of which task. */
export interface SequenceData extends CrowdData {
  readonly kind: "sequence";
  /** The tags. */
  readonly classes: Names;
  /** The token of each answer. */
  readonly token: Int32Array;
  /** The tag of each answer. */
  readonly label: Int32Array;
  readonly tokens: Tokens;
  /** Known tag of each token, or -1. */
  readonly gold: Int32Array;
}

/** Some answers of sequences; all names and tokens stay. */
export function selectTags(data: SequenceData, keep: (i: number) => boolean): SequenceData {
  const rows = Int32Array.from(data.label.keys()).filter(keep);
  return {
    ...data,
    task: rows.map((i) => data.task[i]),
    worker: rows.map((i) => data.worker[i]),
    token: rows.map((i) => data.token[i]),
    label: rows.map((i) => data.label[i]),
    ...(data.weight && { weight: Float64Array.from(rows, (i) => data.weight?.[i] ?? 1) }),
  };
}

/** The positions of all tasks, sorted by task and position. */
export interface Tokens {
  readonly length: number;
  readonly task: Int32Array;
  readonly position: Int32Array;
  /** The first token of each chain, and at the end the number of tokens: a chain has no gap in its positions. */
  readonly chains: Int32Array;
  /** What stands at each token, such as a word; absent where it is not known. */
  readonly text?: readonly string[];
}

/** A run of tokens of one type, as BIO tags mark it: tokens `start` to `end`, both included. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Number of the type in the list of types. */
  readonly type: number;
}

/** What BIO tags mean: the type of each tag, and whether it goes on with a span. */
export interface TagScheme {
  readonly types: readonly string[];
  /** The type of each tag; -1 for O. */
  readonly type: Int32Array;
  /** 1 for tags that go on with a span: I-X. */
  readonly inside: Uint8Array;
  /** The tag that begins a span of each type, or -1 where no tag does. */
  readonly begin: Int32Array;
  /** The tag that goes on with a span of each type, or -1. */
  readonly carry: Int32Array;
  /** True where I-X may follow only B-X and I-X. False where no tag begins with B: then I-X may follow anything. */
  readonly strict: boolean;
}

const pattern = /^(?:O|[BI]-.+|[BI])$/;

/** Reads tags as BIO: `B-X`, `I-X`, `O`, or bare `B`, `I`, `O`; undefined where they are plain classes. */
export function schemeOf(tags: Iterable<string>): TagScheme | undefined {
  const names = [...tags];
  if (!names.every((tag) => pattern.test(tag)) || names.every((tag) => tag === "O"))
    return undefined;
  const types = [...new Set(names.filter((tag) => tag !== "O").map((tag) => tag.slice(2)))].sort(
    (a, b) => (a < b ? -1 : 1),
  );
  const type = Int32Array.from(names, (tag) => (tag === "O" ? -1 : types.indexOf(tag.slice(2))));
  const inside = Uint8Array.from(names, (tag) => (tag.startsWith("I") ? 1 : 0));
  const find = (letter: string) =>
    Int32Array.from(types, (name) => names.indexOf(name === "" ? letter : `${letter}-${name}`));
  const begin = find("B");
  return { types, type, inside, begin, carry: find("I"), strict: begin.some((k) => k >= 0) };
}

/** True where a tag may not follow another; `before` is -1 at the start of a chain. */
export function isBroken(scheme: TagScheme, before: number, tag: number): boolean {
  return (
    scheme.strict &&
    scheme.inside[tag] === 1 &&
    (before < 0 || scheme.type[before] !== scheme.type[tag])
  );
}

/**
 * Walks the spans that tags mark between two tokens. A tag that goes on with a span where there is none of its type
 * begins one, as in the scorer of CoNLL-2000; -1 is no tag.
 */
export function* spansOf(
  scheme: TagScheme,
  tags: Int32Array,
  from: number,
  to: number,
): Iterable<Span> {
  let start = -1;
  let type = -1;
  for (let t = from; t <= to; t++) {
    const tag = t < to ? tags[t] : -1;
    const now = tag < 0 ? -1 : scheme.type[tag];
    if (start >= 0 && now === type && scheme.inside[tag] === 1) continue;
    if (start >= 0) yield { start, end: t - 1, type };
    start = now >= 0 ? t : -1;
    type = now;
  }
}

/** The same over several stretches: `cuts` has the first token of each, and the end. */
export function* allSpans(scheme: TagScheme, tags: Int32Array, cuts: Int32Array): Iterable<Span> {
  for (let c = 0; c + 1 < cuts.length; c++) yield* spansOf(scheme, tags, cuts[c], cuts[c + 1]);
}

/** Replaces tags that break BIO by those that begin a span: the spans stay as they are. -1 is an unknown tag. */
export function repaired(
  scheme: TagScheme | undefined,
  tags: Int32Array,
  chains: Int32Array,
): Int32Array {
  const made = tags.slice();
  for (let c = 0; scheme?.strict && c + 1 < chains.length; c++) {
    for (let t = chains[c]; t < chains[c + 1]; t++) {
      const before = t > chains[c] ? tags[t - 1] : -1;
      // After an unknown tag anything may stand.
      if (tags[t] < 0 || (before < 0 && t > chains[c])) continue;
      if (isBroken(scheme, before, tags[t])) {
        const begin = scheme.begin[scheme.type[tags[t]]];
        if (begin >= 0) made[t] = begin;
      }
    }
  }
  return made;
}
