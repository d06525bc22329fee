import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileContext } from "./format.ts";
import { createSpanTagger, type Span, tokensOf } from "./spans-to-tags.ts";

const words = (text: string) => tokensOf(text, "utf-16").tokens.map((token) => token.text);

/** Tags and notes of spans given as [start, end, label]. */
function tag(text: string, spans: readonly (readonly [unknown, unknown, unknown])[]) {
  const notes: string[] = [];
  const context = { file: "x", note: (note: string) => notes.push(note) } as unknown as FileContext;
  const tagger = createSpanTagger(context);
  const given = spans.map(([start, end, label]): Span => ({ start, end, labels: [label] }));
  const { tags, wrong } = tagger.tags(tokensOf(text, "utf-16"), given);
  tagger.finish();
  return { tags: tags?.join(" "), wrong, notes };
}

describe("tokens", () => {
  it("are words, numbers and marks, without blanks", () => {
    expect(words("Ana's 3.5 kg (net), e-mail\n日本")).toEqual([
      "Ana's",
      "3.5",
      "kg",
      "(",
      "net",
      ")",
      ",",
      "e",
      "-",
      "mail",
      "日本",
    ]);
    expect(words(" \t\n")).toEqual([]);
  });

  it("have offsets in the units of the tool", () => {
    const text = "🙂 is 𝒳.";
    const ends = (unit: "utf-16" | "characters") => {
      const { tokens, length } = tokensOf(text, unit);
      return [...tokens.map(({ start, end }) => `${start}-${end}`), length];
    };
    expect(ends("utf-16")).toEqual(["0-2", "3-5", "6-8", "8-9", 9]);
    expect(ends("characters")).toEqual(["0-1", "2-4", "5-6", "6-7", 7]);
  });
});

it("a text without blanks is cut into pieces, soon and with every character", () => {
  const began = performance.now();
  for (const long of ["a".repeat(1_000_000), "日本🙂".repeat(250_000)]) {
    const { tokens, length } = tokensOf(long, "utf-16");
    expect(tokens.map(({ text }) => text).join("")).toBe(long);
    expect(length).toBe(long.length);
  }
  expect(performance.now() - began).toBeLessThan(20_000);
});

describe("spans", () => {
  const text = "Ana lives in New York.";

  it("become B, I and O", () => {
    const { tags, notes } = tag(text, [
      [13, 21, "LOC"],
      [0, 3, "PER"],
    ]);
    expect(tags).toBe("B-PER O O B-LOC I-LOC O");
    expect(notes).toEqual([]);
  });

  it("are widened to whole tokens, which is counted; blanks at their ends are no matter", () => {
    expect(tag(text, [[5, 7, "X"]])).toEqual({
      tags: "O B-X O O O O",
      wrong: undefined,
      notes: ["x: 1 span widened to whole tokens: an end cut through one."],
    });
    expect(tag(text, [[3, 10, "X"]])).toMatchObject({ tags: "O B-X O O O O", notes: [] });
  });

  it("give way to longer ones, whatever their order; equal ones are one", () => {
    const spans = [
      [17, 21, "CITY"],
      [13, 21, "LOC"],
      [13, 21, "LOC"],
      [0, 3, "PER"],
    ] as const;
    for (const given of [spans, spans.toReversed()]) {
      const { tags, notes } = tag(text, given);
      expect(tags).toBe("B-PER O O B-LOC I-LOC O");
      expect(notes.join()).toBe(
        "x: 1 span left out: a longer span of the same worker covers a token of it.",
      );
    }
  });

  it("are left out and counted without a label or a token", () => {
    const { tags, notes } = tag(text, [
      [0, 3, null],
      [0, 3, " "],
      [0, 3, {}],
      [3, 4, "X"],
      [5, 5, "X"],
    ]);
    expect(tags).toBe("O O O O O O");
    expect(notes).toEqual([
      "x: 3 spans left out: there is no label.",
      "x: 2 spans left out: there is no token in it.",
    ]);
  });

  it.each([
    [-1, 3, /from -1 to 3, but the text has 22 characters/],
    [0, 23, /from 0 to 23, but the text has 22 characters/],
    [7, 3, /should end behind its start, but goes from 7 to 3/],
    ["0", 3, /whole numbers, but goes from "0" to 3/],
    [0.5, 3, /whole numbers/],
    [null, undefined, /whole numbers, but goes from null to missing/],
    [0, 1e300, /whole numbers/],
  ])("from %j to %j are an error", (start, end, words) => {
    expect(tag(text, [[start, end, "X"]]).wrong).toMatch(words);
  });

  it("are what the definition says, for any spans", () => {
    const { tokens, length } = tokensOf(text, "utf-16");
    const place = fc.integer({ min: 0, max: length });
    const span = fc
      .tuple(place, place, fc.constantFrom("a", "b"))
      .map(([i, j, label]) => [Math.min(i, j), Math.max(i, j), label] as const);
    fc.assert(
      fc.property(fc.array(span, { maxLength: 6 }), (spans) => {
        const wanted = tokens.map(() => "O");
        const touched = (s: readonly [number, number, string]) =>
          tokens.flatMap(({ start, end }, t) =>
            s[0] < s[1] && start < s[1] && end > s[0] ? [t] : [],
          );
        const order = spans.toSorted(
          (a, b) =>
            b[1] - b[0] - (a[1] - a[0]) ||
            (touched(a)[0] ?? 0) - (touched(b)[0] ?? 0) ||
            (a[2] < b[2] ? -1 : 1),
        );
        for (const each of order) {
          const own = touched(each);
          if (own.some((t) => wanted[t] !== "O")) continue;
          own.forEach((t, i) => {
            wanted[t] = `${i === 0 ? "B" : "I"}-${each[2]}`;
          });
        }
        expect(tag(text, spans).tags).toBe(wanted.join(" "));
      }),
      { numRuns: 300 },
    );
  });

  it("are tagged soon, however many overlap", () => {
    const long = "a ".repeat(50_000);
    const spans = Array.from({ length: 50_000 }, (_, i) => [i, 100_000 - i, "X"] as const);
    const began = performance.now();
    expect(tag(long, spans).notes.join()).toContain("spans left out");
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
