/**
 * Spans of a text as tags of its tokens: `B-X` where a span of X begins, `I-X` where it goes on, `O` elsewhere. Tokens are
 * the pieces between Unicode word boundaries that are not blank: words, numbers and punctuation marks.
 *
 *   Ana lives in Rome.    0-3 PER, 13-17 LOC    B-PER O O B-LOC O
 */
import { plural } from "../error.ts";
import { inexact, textOf } from "./cell.ts";
import type { FileContext } from "./format.ts";
import { shown } from "./json-values.ts";
import { excerpt } from "./problems.ts";

/** A piece of a text; offsets are in the units of the tool. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text in tokens. */
export interface TokenText {
  readonly tokens: readonly Token[];
  /** Length of the text, in the units of the offsets. */
  readonly length: number;
}

/** A span as a tool says it; nothing is checked yet. */
export interface Span {
  readonly start: unknown;
  readonly end: unknown;
  readonly labels: readonly unknown[];
}

/** What offsets count: the units of strings here, or characters of Unicode, as Python does. */
export type OffsetUnit = "utf-16" | "characters";

/** The language is fixed, so that tokens are the same wherever a file is read. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/**
 * What lies between blanks, at most so long: the time that a segmenter takes grows with the square of the length. Longer
 * pieces are cut, never within a character.
 */
const PIECE = /\s+|\S{1,500}/gu;

/** Cuts a text into tokens by Unicode word boundaries. */
export function tokensOf(text: string, unit: OffsetUnit): TokenText {
  const tokens: Token[] = [];
  let at = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece.trim() === "") {
      at += lengthIn(piece, unit);
      continue;
    }
    for (const { segment } of segmenter.segment(piece)) {
      const end = at + lengthIn(segment, unit);
      if (segment.trim() !== "") tokens.push({ start: at, end, text: segment });
      at = end;
    }
  }
  return { tokens, length: at };
}

/** Number of units of a text. */
function lengthIn(text: string, unit: OffsetUnit): number {
  let length = text.length;
  if (unit === "utf-16") return length;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.codePointAt(i) ?? 0) > 0xffff) {
      length--;
      i++;
    }
  }
  return length;
}

/** Where each character of Unicode begins in a text, and where the text ends. */
export function characterPlaces(text: string): readonly number[] {
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    places.push(at);
    at += character.length;
  }
  places.push(at);
  return places;
}

/** A span in tokens: from the first to the one behind the last. */
interface Placed {
  readonly first: number;
  readonly behind: number;
  readonly label: string;
  /** Its length in the text. */
  readonly length: number;
  /** True if it was widened to whole tokens. */
  readonly widened: boolean;
}

export interface SpanTagger {
  /** The tag of each token, or what is wrong with a span. */
  tags(text: TokenText, spans: readonly Span[]): { tags?: readonly string[]; wrong?: string };
  /** Says what became of spans that are no tags as they stand. */
  finish(): void;
}

/** Makes tags of spans and counts what does not fit: one label per token, whole tokens. */
export function createSpanTagger({ file, note }: FileContext): SpanTagger {
  const counts = { widened: 0, overlapping: 0, unnamed: 0, blank: 0 };
  return {
    tags(text, spans) {
      const placed: Placed[] = [];
      for (const span of spans) {
        const wrong = badSpan(span, text.length);
        if (wrong) return { wrong };
        const labels = labelsOf(span);
        if (labels.length === 0) counts.unnamed++;
        for (const label of labels) {
          const found = place(text.tokens, Number(span.start), Number(span.end), label);
          if (found) placed.push(found);
          else counts.blank++;
        }
      }
      return { tags: tagged(text.tokens.length, placed, counts) };
    },
    finish() {
      const say = (count: number, what: string) => {
        if (count > 0) note(`${file}: ${plural(count, "span")} ${what}`);
      };
      say(counts.widened, "widened to whole tokens: an end cut through one.");
      say(counts.overlapping, "left out: a longer span of the same worker covers a token of it.");
      say(counts.unnamed, "left out: there is no label.");
      say(counts.blank, "left out: there is no token in it.");
    },
  };
}

/** Says what is wrong with a span, or undefined. */
function badSpan({ start, end, labels }: Span, length: number): string | undefined {
  const given = `from ${shown(start)} to ${shown(end)}`;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) {
    return `a span should have a start and an end that are whole numbers, but goes ${given}.`;
  }
  const [from, to] = [Number(start), Number(end)];
  if (from > to) return `a span should end behind its start, but goes ${given}.`;
  if (from < 0 || to > length) {
    return `a span goes ${given}, but the text has ${plural(length, "character")}.`;
  }
  const half = labels.map(inexact).find((wrong) => wrong !== undefined);
  return half && `the label of a span is ${half}.`;
}

/** The labels of a span that have a name, each once. */
function labelsOf({ labels }: Span): readonly string[] {
  const named = labels.map((label) => (textOf(label) ?? "").trim());
  return [...new Set(named.filter((label) => label !== ""))];
}

/** The first of the tokens for which this holds, as it does for all behind it; their number if it holds for none. */
function firstToken(tokens: readonly Token[], holds: (token: Token) => boolean): number {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(tokens[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Finds the tokens that a span touches; undefined where it touches none. */
function place(
  tokens: readonly Token[],
  start: number,
  end: number,
  label: string,
): Placed | undefined {
  const first = firstToken(tokens, (token) => token.end > start);
  const behind = firstToken(tokens, (token) => token.start >= end);
  if (behind <= first || start === end) return undefined;
  const widened = tokens[first].start < start || tokens[behind - 1].end > end;
  return { first, behind, label, length: end - start, widened };
}

/** The longest span first; of equal ones that which begins first, then by label. */
function tagged(
  length: number,
  placed: readonly Placed[],
  counts: { widened: number; overlapping: number },
): string[] {
  const tags = new Array<string>(length).fill("O");
  const order = placed.toSorted(
    (a, b) => b.length - a.length || a.first - b.first || (a.label < b.label ? -1 : 1),
  );
  const kept = new Set<string>();
  for (const { first, behind, label, widened } of order) {
    const key = `${first} ${behind} ${label}`;
    // A span that is at least as long cannot lie within this one, so its ends tell whether a token is taken.
    if (tags[first] === "O" && tags[behind - 1] === "O") {
      kept.add(key);
      if (widened) counts.widened++;
      for (let i = first; i < behind; i++) tags[i] = `${i === first ? "B" : "I"}-${label}`;
    } else if (!kept.has(key)) counts.overlapping++;
  }
  return tags;
}

/** Names a task in a message. */
export const ofTask = (task: unknown): string => `task ${excerpt(textOf(task) ?? "")}`;
