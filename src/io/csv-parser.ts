/**
 * Separated values from bytes, after RFC 4180, forgiving where that is harmless: any line ending,
 * blank lines, quotes inside unquoted cells. It knows cells and rows, and nothing of their meaning.
 */

export interface Dialect {
  /** One ASCII character, as its code. */
  readonly separator: number;
  readonly quotes: boolean;
}

/** Where the cells of a row are; holds until the call it is handed to returns. */
export interface CsvRow {
  readonly columns: number;
  /** The line in which the row begins, counted from 1. */
  readonly line: number;
  /** What is wrong with the way the row is written. */
  readonly broken: string | undefined;
  readonly bytes: Uint8Array;
  /** The cells in which quotes were doubled, with the quotes single. */
  readonly unescaped: Uint8Array;
  /** Of each cell its start, its end, and one of PLAIN, QUOTED and UNESCAPED. */
  readonly cells: Int32Array;
}

/** A cell as it stands in `bytes`; one between quotes; one between quotes, copied to `unescaped`. */
export const PLAIN = 0;
export const QUOTED = 1;
export const UNESCAPED = 2;

/** Parses what it is given, up to the last complete row. */
export interface CsvParser {
  /** The line in which the next row begins, counted from 1. */
  readonly line: number;
  /** Returns the place of the first byte that was not used; with `last` everything is used. */
  parse(bytes: Uint8Array, start: number, end: number, last: boolean, maxRows?: number): number;
}

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

export function createCsvParser(
  { separator, quotes }: Dialect,
  onRow: (row: CsvRow) => void,
): CsvParser {
  const row = {
    columns: 0,
    line: 1,
    broken: undefined as string | undefined,
    bytes: new Uint8Array(0) as Uint8Array,
    unescaped: new Uint8Array(256),
    cells: new Int32Array(48),
  };
  // Most letters are beyond all three, and are done with in one comparison.
  const top = Math.max(separator, CR);
  let newlines = 0;
  let unescapedTo = 0;

  /** Finds the end of the quoted cell that begins at `at`; -1 if it is not here yet. */
  function quotedCell(
    bytes: Uint8Array,
    at: number,
    end: number,
    last: boolean,
    slot: number,
  ): number {
    const start = at + 1;
    let escaped = 0;
    let close = start;
    for (; ; close++) {
      if (close >= end) {
        if (!last) return -1;
        row.broken = "a quoted cell begins here and never ends.";
        break;
      }
      const byte = bytes[close];
      if (byte === QUOTE) {
        if (close + 1 === end && !last) return -1;
        if (close + 1 >= end || bytes[close + 1] !== QUOTE) break;
        escaped++;
        close++;
      } else if (byte === LF) newlines++;
      else if (byte === CR) {
        if (close + 1 === end && !last) return -1;
        if (bytes[close + 1] !== LF) newlines++;
      }
    }
    row.cells[slot] = escaped > 0 ? unescapedTo : start;
    if (escaped > 0) copyUnescaped(bytes, start, close);
    row.cells[slot + 1] = escaped > 0 ? unescapedTo : close;
    row.cells[slot + 2] = escaped > 0 ? UNESCAPED : QUOTED;
    let after = Math.min(close + 1, end);
    while (
      after < end &&
      bytes[after] !== separator &&
      bytes[after] !== LF &&
      bytes[after] !== CR
    ) {
      row.broken ??= "something follows the closing quote of a cell.";
      after++;
    }
    return after;
  }

  function copyUnescaped(bytes: Uint8Array, start: number, close: number) {
    const from = unescapedTo;
    if (from + close - start > row.unescaped.length) {
      const more = new Uint8Array((from + close - start) * 2);
      more.set(row.unescaped);
      row.unescaped = more;
    }
    for (let i = start; i < close; i++) {
      row.unescaped[unescapedTo++] = bytes[i];
      if (bytes[i] === QUOTE) i++;
    }
  }

  /** Room for more cells. */
  function grow(): Int32Array {
    const more = new Int32Array(row.cells.length * 2);
    more.set(row.cells);
    row.cells = more;
    return more;
  }

  function parse(
    bytes: Uint8Array,
    start: number,
    end: number,
    last: boolean,
    maxRows = Number.POSITIVE_INFINITY,
  ): number {
    row.bytes = bytes;
    let cells: Int32Array = row.cells;
    let rowStart = start;
    let at = start;
    for (let rows = 0; rows < maxRows; ) {
      newlines = 0;
      unescapedTo = 0;
      row.broken = undefined;
      let columns = 0;
      for (;;) {
        if (quotes && at < end && bytes[at] === QUOTE) {
          if (columns * 3 === cells.length) cells = grow();
          at = quotedCell(bytes, at, end, last, columns * 3);
          if (at < 0) return rowStart;
          columns++;
        } else {
          const cellStart = at;
          for (; at < end; at++) {
            const byte = bytes[at];
            if (byte <= top && (byte === separator || byte === LF || byte === CR)) break;
          }
          if (columns * 3 === cells.length) cells = grow();
          cells[columns * 3] = cellStart;
          cells[columns * 3 + 1] = at;
          cells[columns * 3 + 2] = PLAIN;
          columns++;
        }
        // A row that is not complete will be parsed again from its start.
        if (at === end) {
          if (!last) return rowStart;
          break;
        }
        if (bytes[at] !== separator) break;
        at++;
      }
      // A lone CR at the end may be half of a CRLF.
      if (!last && bytes[at] === CR && at + 1 === end) return rowStart;
      const blank = columns === 1 && at === rowStart;
      if (!blank) {
        row.columns = columns;
        onRow(row);
        rows++;
      }
      if (at >= end) {
        row.line += newlines;
        return end;
      }
      at += bytes[at] === CR && at + 1 < end && bytes[at + 1] === LF ? 2 : 1;
      row.line += newlines + 1;
      rowStart = at;
      if (at === end) return end;
    }
    return rowStart;
  }

  return {
    parse,
    get line() {
      return row.line;
    },
  };
}
