/** Dates that begin with the day, or with the month: 31/12/2025, 31.12.2025 14:05, 12/31/2025 2:05 PM. */
import { parseTime } from "./number.ts";

/** A date whose parts stand in an order that is not yet known. */
export interface NumberedDate {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Which part comes first; `either` if both could, and the day was taken. */
  readonly order: "day" | "month" | "either";
  /** The same with the month first, if both could. */
  readonly other: number;
}

const DATE =
  /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[T, ]+(\d{1,2})(:\d{2}.*?)(?: ?([ap])\.?m\.?)?)?$/i;

const encoder = new TextEncoder();

/** Reads such a date, in UTC if it has no zone; undefined for anything else. Dots are used with the day first only. */
export function parseNumberedDate(text: string): NumberedDate | undefined {
  const [, first, mark, second, year, hour, rest = "", half] = DATE.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const clock = hour === undefined ? "" : ` ${two(hourOf(Number(hour), half))}${rest}`;
  const read = (day: string, month: string) => {
    const bytes = encoder.encode(`${year}-${two(Number(month))}-${two(Number(day))}${clock}`);
    return parseTime(bytes, 0, bytes.length);
  };
  const dayFirst = read(first, second);
  const monthFirst = mark === "." ? Number.NaN : read(second, first);
  if (Number.isNaN(dayFirst)) {
    if (Number.isNaN(monthFirst)) return undefined;
    return { time: monthFirst, order: "month", other: Number.NaN };
  }
  const open = !Number.isNaN(monthFirst);
  return { time: dayFirst, order: open ? "either" : "day", other: monthFirst };
}

/** The hour from 0 to 23; not a number if it goes with no half of the day. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (!(hour >= 1 && hour <= 12)) return Number.NaN;
  return (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
}

const two = (value: number) => String(value).padStart(2, "0");
