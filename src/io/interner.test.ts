import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createInterner } from "./interner.ts";

const encoder = new TextEncoder();

describe("createInterner", () => {
  it("numbers names as a Map would, whichever way they come in", () => {
    const name = fc.string({ unit: "binary", maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.boolean(), fc.nat(9))), (names) => {
        const interner = createInterner();
        const map = new Map<string, number>();
        for (const [text, asBytes, before] of names) {
          if (!map.has(text)) map.set(text, map.size);
          const bytes = encoder.encode(`${"x".repeat(before)}${text}`);
          const code = asBytes ? interner.add(bytes, before, bytes.length) : interner.addText(text);
          expect(code).toBe(map.get(text));
        }
        expect(interner.names()).toEqual([...map.keys()]);
        expect(interner.size).toBe(map.size);
        for (const [text, code] of map) expect(interner.name(code)).toBe(text);
      }),
    );
  });

  it("tells names apart that differ in one byte, of every length up to twelve", () => {
    const interner = createInterner();
    const names = new Set<string>();
    for (let length = 1; length <= 12; length++) {
      for (let at = 0; at < length; at++) {
        for (const letter of "abc\0")
          names.add("a".repeat(at) + letter + "a".repeat(length - at - 1));
      }
    }
    for (const name of names) interner.addText(name);
    for (const name of names) interner.addText(name);
    expect(interner.names()).toEqual([...names]);
  });

  it("tells names apart whose hashes are the same", () => {
    // "Aa" and "BB" are one to half of the hash; of so many, some are one to the other half, too.
    const interner = createInterner();
    for (let i = 0; i < 2 ** 18; i++) {
      const name = Array.from({ length: 18 }, (_, bit) => ((i >> bit) & 1 ? "Aa" : "BB")).join("");
      if (interner.addText(name) !== i) expect.fail(name);
    }
    expect(interner.size).toBe(2 ** 18);
  });

  it("does not take what stands behind a name for a part of it", () => {
    const interner = createInterner();
    const bytes = encoder.encode("abXabY________");
    expect(interner.add(bytes, 0, 2)).toBe(interner.add(bytes, 3, 5));
    expect(interner.add(bytes, bytes.length - 2, bytes.length)).toBe(interner.addText("__"));
  });

  it("grows to hundreds of thousands of names, short, long and not ASCII", () => {
    const interner = createInterner();
    const name = (i: number) =>
      i % 3 === 0 ? `t${i}` : i % 3 === 1 ? `a rather long name ${i}` : `ü${i}`;
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 200_000; i++)
        if (interner.addText(name(i)) !== i) expect.fail(`name ${i}`);
    }
    expect(interner.size).toBe(200_000);
    const names = interner.names();
    for (let i = 0; i < 200_000; i += 7)
      if (names[i] !== name(i)) expect.fail(`name ${i}: ${names[i]}`);
    expect(interner.byteLength()).toBeLessThan(16e6);
  });

  it("reads bytes that are not UTF-8 as Latin-1, and counts how often", () => {
    const interner = createInterner();
    const bytes = Uint8Array.of(0x52, 0xe9, 0x80);
    expect(interner.add(bytes, 0, 3)).toBe(0);
    expect(interner.add(bytes, 0, 3)).toBe(0);
    expect(interner.addText("Ré€")).toBe(0);
    expect(interner.names()).toEqual(["Ré€"]);
    expect(interner.latin1).toBe(2);
  });
});
