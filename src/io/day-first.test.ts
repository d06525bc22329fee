import { describe, expect, it } from "vitest";
import { fromBytes, fromCsv } from "../jobs/from-bytes.ts";
import { parseNumberedDate } from "./day-first.ts";

describe("parseNumberedDate", () => {
  it.each([
    ["31/12/2025", "2025-12-31", "day"],
    ["31.12.2025 14:05", "2025-12-31T14:05Z", "day"],
    ["1.2.2025 9:05:30", "2025-02-01T09:05:30Z", "day"],
    ["31-12-2025T14:05:00Z", "2025-12-31T14:05Z", "day"],
    ["12/31/2025 2:05 PM", "2025-12-31T14:05Z", "month"],
    ["12/31/2025, 12:05 a.m.", "2025-12-31T00:05Z", "month"],
    ["03/04/2025 23:30 +05:00", "2025-04-03T18:30Z", "either"],
    ["05/05/2025", "2025-05-05", "either"],
  ])("reads %s", (text, same, order) => {
    expect(parseNumberedDate(text)).toMatchObject({ time: Date.parse(same), order });
  });

  it.each([
    "31/31/2025",
    "12.31.2025",
    "31/12/25",
    "1/2-2025",
    "3/4/2025 13:00 PM",
    "3/4/2025 25:00",
    "0/1/2025",
    "1.5",
  ])("takes %s for no date", (text) => {
    expect(parseNumberedDate(text)).toBeUndefined();
  });
});

describe("a column of dates", () => {
  const read = (times: readonly string[]) =>
    fromCsv(`task,worker,label,time\n${times.map((time, i) => `${i},w,x,${time}\n`).join("")}`);
  const days = (data: ReturnType<typeof read>) =>
    Array.from(data.time ?? [], (ms) => new Date(ms).toISOString().slice(0, 10));

  it("is read day first, with a note where the month could be first", () => {
    const data = read(["03/04/2025", "05/04/2025", "05/05/2025", "2025-01-01"]);
    expect(days(data)).toEqual(["2025-04-03", "2025-04-05", "2025-05-05", "2025-01-01"]);
    expect(data.notes).toEqual([
      'labels.csv: in 2 dates such as "03/04/2025" day and month cannot be told apart; they are read day first, as 2025-04-03. Write 2025-04-03 to be sure.',
    ]);
  });

  it("needs no note where another date shows that the day is first", () => {
    const data = read(["03/04/2025", "31/12/2025"]);
    expect(days(data)).toEqual(["2025-04-03", "2025-12-31"]);
    expect(data.notes).toEqual([]);
  });

  it("is read month first where another date shows that", () => {
    const data = read(["03/04/2025", "12/31/2025", "03/04/2025 23:30 -05:00"]);
    expect(days(data)).toEqual(["2025-03-04", "2025-12-31", "2025-03-05"]);
    expect(data.notes).toEqual([
      'labels.csv: dates are read month first, since "12/31/2025" can be nothing else.',
    ]);
  });

  it("says so where both orders are mixed", () => {
    const data = read(["03/04/2025", "12/31/2025", "31/12/2025"]);
    expect(days(data)).toEqual(["2025-04-03", "2025-12-31", "2025-12-31"]);
    expect(data.notes.join()).toContain("1 date such as");
  });

  it("is read so for numbers as well, file by file", async () => {
    const file = (name: string, time: string) => ({
      name,
      bytes: new TextEncoder().encode(
        `task,worker,value,time\na,${name},1,03/04/2025\nb,${name},2,${time}\n`,
      ),
    });
    const data = await fromBytes([file("a.csv", "12/31/2025"), file("b.csv", "31/12/2025")], {
      kind: "numeric",
    });
    expect(Array.from(data.time ?? [], (ms) => new Date(ms).toISOString().slice(0, 10))).toEqual([
      "2025-03-04",
      "2025-12-31",
      "2025-04-03",
      "2025-12-31",
    ]);
  });
});
