/** The times of labels, as the cells of a column hold them. */
import { plural } from "../error.ts";
import { type NumberCell, numberCell } from "./cell.ts";
import { mapping } from "./column-names.ts";
import type { FileContext } from "./format.ts";
import { createGrowingNumbers } from "./growing.ts";
import { isoTime } from "./label-rows.ts";
import { SMALLEST_EPOCH } from "./number.ts";
import { excerpt, place } from "./problems.ts";

/** Where times go: how many rows there are so far, and how the time of one is changed. */
interface TimeColumn {
  rows(): number;
  setTime(row: number, time: number): void;
}

/** Times of one file. */
export interface Times {
  readonly cell: NumberCell;
  /** Takes the time of the row that is about to be added, NaN if it is not known. */
  take(line: number): number;
  /** Settles the order of day and month, and says what is worth knowing. */
  finish(): void;
}

/** The first date of an order that was met: where it stands, and what it says. */
interface Met {
  count: number;
  text: string;
  time: number;
}

/** Reads times. Those that cannot be read are unknown times: counted, but no reason to lose a label. */
export function createTimes({ file, options, note }: FileContext, column: TimeColumn): Times {
  const cell = numberCell("time");
  if (options.columns?.time === undefined) cell.smallest = SMALLEST_EPOCH;
  const orders = new Map<string, Met>();
  /** Of each row in which day and month cannot be told apart, the time with the month first. */
  const others = createGrowingNumbers(Number.NaN);
  let wrong = 0;
  let first = "";
  return {
    cell,
    take(line) {
      if (cell.wrong !== undefined && wrong++ === 0) {
        first = `${place(file, line)}: ${excerpt(cell.wrong)}`;
      }
      // Where day and month are the same number the order does not matter.
      if (cell.date && !(cell.date.order === "either" && cell.date.other === cell.value)) {
        const { order, other, text } = cell.date;
        const met = orders.get(order) ?? { count: 0, text, time: cell.value };
        met.count++;
        orders.set(order, met);
        if (order === "either") others.set(column.rows(), other);
      }
      return cell.value;
    },
    finish() {
      if (wrong > 0) note(wrongTimes(wrong, first));
      const [either, month] = [orders.get("either"), orders.get("month")];
      if (month && !orders.has("day")) {
        const times = others.join(column.rows());
        for (let row = 0; row < times.length; row++) {
          if (!Number.isNaN(times[row])) column.setTime(row, times[row]);
        }
        note(
          `${file}: dates are read month first, since ${excerpt(month.text)} can be nothing else.`,
        );
      } else if (either && (month || !orders.has("day"))) note(`${file}: ${unclear(either)}`);
    },
  };
}

function unclear({ count, text, time }: Met): string {
  const day = isoTime(time).slice(0, 10);
  return (
    `in ${plural(count, "date")} such as ${excerpt(text)} day and month cannot be told apart; ` +
    `${count === 1 ? "it is" : "they are"} read day first, as ${day}. Write ${day} to be sure.`
  );
}

function wrongTimes(count: number, first: string): string {
  return (
    `${plural(count, "time")} could not be read and ${count === 1 ? "counts" : "count"} as unknown; the first: ${first}. ` +
    `Dates should look like 2024-05-31T12:30:00Z or 31/05/2024 12:30; small numbers are times only if ` +
    `${mapping("time")} says so.`
  );
}
