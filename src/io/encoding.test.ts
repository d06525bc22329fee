import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUtf8Stream, decodeLatin1, decodeText, isUtf8 } from "./encoding.ts";

describe("isUtf8", () => {
  it("says what the decoder of the platform says", () => {
    const strict = new TextDecoder("utf-8", { fatal: true });
    const byte = fc.oneof(
      fc.constantFrom(0x41, 0x80, 0xbf, 0xc2, 0xe0, 0xed, 0xf0, 0xf4),
      fc.nat(255),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 6 }), (list) => {
        const bytes = Uint8Array.from(list);
        let valid = true;
        try {
          strict.decode(bytes);
        } catch {
          valid = false;
        }
        expect(isUtf8(bytes, 0, bytes.length)).toBe(valid);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an overlong letter in three bytes", [0xe0, 0x81, 0x81]],
    ["an overlong letter in four bytes", [0xf0, 0x80, 0x81, 0x81]],
    ["what lies beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
    ["a lone continuation", [0x80]],
    ["a broken last byte", [0xe2, 0x82, 0x28]],
  ])("refuses %s", (_, list) => {
    expect(isUtf8(Uint8Array.from(list), 0, list.length)).toBe(false);
  });

  it("accepts the last before and the first after the surrogates", () => {
    expect(isUtf8(Uint8Array.of(0xed, 0x9f, 0xbf, 0xee, 0x80, 0x80), 0, 6)).toBe(true);
  });

  it("accepts all text, and not its beginning cut within a character", () => {
    const bytes = new TextEncoder().encode("aé€🦆");
    expect(isUtf8(bytes, 0, bytes.length)).toBe(true);
    expect([2, 4, 5, 7, 8, 9].map((end) => isUtf8(bytes, 0, end))).toEqual(Array(6).fill(false));
  });
});

describe("decodeLatin1", () => {
  it("gives what Windows would show", () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const text = decodeLatin1(all, 0, 256);
    expect(text.slice(0x20, 0x7f)).toBe(new TextDecoder().decode(all.subarray(0x20, 0x7f)));
    expect(text.slice(0x80, 0x8d)).toBe("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ");
    expect(text.slice(0xe0, 0xe8)).toBe("àáâãäåæç");
  });

  it("is what text is taken for that is not UTF-8", () => {
    expect(decodeText(Uint8Array.of(0xe9))).toBe("é");
    expect(decodeText(Uint8Array.of(0xc3, 0xa9))).toBe("é");
  });
});

describe("createUtf8Stream", () => {
  const text = fc.string({ minLength: 500, maxLength: 1200 });
  it.each([
    ["UTF-8", 0],
    ["UTF-16 little-endian", 1],
    ["UTF-16 big-endian", 2],
  ])("hands on %s unchanged, in pieces of any size", (_, kind) => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 1500 }), (text, size) => {
        const marked = `\ufeff${text}`;
        const bytes =
          kind === 0
            ? new TextEncoder().encode(marked)
            : Uint8Array.from([...marked].flatMap((c) => units(c, kind === 1)));
        const out: number[] = [];
        const stream = createUtf8Stream((piece) => out.push(...piece));
        for (let at = 0; at < bytes.length; at += size) stream.push(bytes.slice(at, at + size));
        stream.finish();
        expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(out))).toBe(
          text,
        );
      }),
    );
  });
});

/** A character in UTF-16, as bytes. */
function units(character: string, little: boolean): number[] {
  return Array.from({ length: character.length }, (_, i) => character.charCodeAt(i)).flatMap(
    (unit) => (little ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255]),
  );
}
