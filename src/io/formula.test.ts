import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvCell, writeCsv } from "./csv-writer.ts";
import { escapeFormula, skipEscape, unescapeFormula } from "./formula.ts";

const text = fc.string({ unit: fc.constantFrom(..."'=+-@\t\r\n1.eEx, \""), maxLength: 6 });

describe("escapeFormula", () => {
  it.each(["=1+1", "+x", "-x", "@sum", "\tx", "\rx", "-", "+", "--1", "-1x", "'=x", "'-1", "''@"])(
    "puts an apostrophe before %j",
    (cell) => {
      expect(escapeFormula(cell)).toBe(`'${cell}`);
    },
  );

  it.each(["-1", "+1", "-0.5", "-1e-7", "+.5", "'", "'x", "x=1", "1-1", ""])(
    "leaves %j alone",
    (cell) => {
      expect(escapeFormula(cell)).toBe(cell);
    },
  );

  it("is undone exactly, for any text, as text and as bytes", () => {
    fc.assert(
      fc.property(text, (cell) => {
        const escaped = escapeFormula(cell);
        expect(unescapeFormula(escaped)).toBe(cell);
        const bytes = new TextEncoder().encode(escaped);
        const start = skipEscape(bytes, 0, bytes.length);
        expect(new TextDecoder().decode(bytes.subarray(start))).toBe(cell);
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves nothing that a spreadsheet would run", () => {
    fc.assert(
      fc.property(text, (cell) => {
        const written = escapeFormula(cell);
        if (/^[=+\-@\t\r]/.test(written)) expect(Number(written)).not.toBeNaN();
      }),
    );
  });
});

describe("writeCsv", () => {
  it("writes what RFC 4180 asks for", () => {
    const rows = [
      ["a,b", 'say "hi"', "x\ny", "plain"],
      [1, -1, 0.1, true],
      [null, undefined, Number.NaN, ""],
      [" a", "b ", "=1", "-1"],
    ];
    expect([...writeCsv(["one", "=two", "3", ""], rows)].join("")).toBe(
      [
        "one,'=two,3,",
        '"a,b","say ""hi""","x\ny",plain',
        "1,-1,0.1,true",
        ",,,",
        `" a","b ",'=1,-1`,
        "",
      ].join("\n"),
    );
  });

  it("does not write a blank line for a row with one empty cell", () => {
    expect([...writeCsv(["a"], [[""], ["x"]])].join("")).toBe('a\n""\nx\n');
  });

  it("comes in pieces", () => {
    const pieces = [
      ...writeCsv(
        ["a"],
        Array.from({ length: 50_000 }, (_, i) => [i]),
      ),
    ];
    expect(pieces.length).toBeGreaterThan(3);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
  });

  it("quotes a cell that begins like a file's byte order mark", () => {
    expect(csvCell("\ufeffx")).toBe('"\ufeffx"');
  });
});
