import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseNumber, parseTime, timeOfNumber } from "./number.ts";

const bytesOf = (text: string) => new TextEncoder().encode(`xx${text}yy`);
const number = (text: string, comma = false) => {
  const bytes = bytesOf(text);
  return parseNumber(bytes, 2, bytes.length - 2, comma);
};
const time = (text: string) => {
  const bytes = bytesOf(text);
  return parseTime(bytes, 2, bytes.length - 2);
};

describe("parseNumber", () => {
  it("reads any number the language writes", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(number(String(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it.each(["", " ", "x", "1x", "0x10", "1_000", "1,5", "Infinity", "NaN", "--1", "1e999", "١"])(
    "takes %j for no number",
    (text) => {
      expect(number(text)).toBeNaN();
    },
  );

  it("rounds as the language does, however many digits there are and wherever the point is", () => {
    const digits = (min: number) => fc.stringMatching(new RegExp(`^[0-9]{${min},9}$`));
    const parts = fc.tuple(
      fc.constantFrom("", "-", "+"),
      digits(0),
      fc.constantFrom("", ".", ","),
      digits(0),
      fc.constantFrom("", "e", "E-", "e+"),
      digits(0),
    );
    fc.assert(
      fc.property(parts, (parts) => {
        const text = parts.join("");
        const value = text === "" ? Number.NaN : Number(text.replace(",", "."));
        expect(number(text, true)).toBe(Number.isFinite(value) ? value : Number.NaN);
      }),
      { numRuns: 3000 },
    );
    const long = fc.tuple(
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.integer({ min: -40, max: 40 }),
    );
    fc.assert(
      fc.property(long, ([value, power]) => {
        const text = `${value}e${power}`;
        expect(number(text)).toBe(Number(text));
      }),
      { numRuns: 3000 },
    );
  });

  it("reads a decimal comma where it is told to, and blanks around", () => {
    expect(number(" 1,5 ", true)).toBe(1.5);
    expect(number("+2.50")).toBe(2.5);
  });
});

describe("parseTime", () => {
  it("reads back every time the language writes", () => {
    const date = fc.date({
      min: new Date("1000-01-01"),
      max: new Date("9999-12-31"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (date) => {
        expect(time(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it.each([
    ["2024-05-31", "2024-05-31T00:00:00Z"],
    ["2024/05/31 07:08", "2024-05-31T07:08:00Z"],
    ["2024-05-31t07:08:09,5z", "2024-05-31T07:08:09.500Z"],
    ["2024-05-31 07:08:09 UTC", "2024-05-31T07:08:09Z"],
    ["2024-05-31T07:08:09-0530", "2024-05-31T12:38:09Z"],
    ["2024-05-31T07:08:09+02", "2024-05-31T05:08:09Z"],
  ])("reads %s", (text, same) => {
    expect(time(text)).toBe(Date.parse(same));
  });

  it.each([
    "",
    "2024",
    "31.05.2024",
    "05/31/2024",
    "2024-13-01",
    "2024-02-30",
    "2024-05-31T",
    "2024-05-31T1",
  ])("takes %j for no time", (text) => {
    expect(time(text)).toBeNaN();
  });

  it.each([
    "2024-05-31T25:00",
    "2024-05-31T12:61",
    "2024-05-31 12:30 CEST",
    "2024-05-31x",
    "2024-05-3112:30",
  ])("takes %j for no time either", (text) => {
    expect(time(text)).toBeNaN();
  });
});

describe("timeOfNumber", () => {
  it("tells seconds, milliseconds, microseconds and nanoseconds by their size", () => {
    const ms = Date.UTC(2024, 4, 31);
    expect([ms / 1e3, ms, ms * 1e3, ms * 1e6].map(timeOfNumber)).toEqual([ms, ms, ms, ms]);
  });
});
