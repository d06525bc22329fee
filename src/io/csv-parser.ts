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
const QUOTED = 1;
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

/** The row at hand, and what the parser keeps from one row to the next. */
interface State extends CsvRow {
  readonly separator: number;
  readonly quotes: boolean;
  /** Most letters are beyond separator, LF and CR, and are done with in one comparison. */
  readonly top: number;
  columns: number;
  line: number;
  broken: string | undefined;
  bytes: Uint8Array;
  unescaped: Uint8Array;
  cells: Int32Array;
  /** Line endings within quotes in this row, and the end of what was copied to `unescaped`. */
  newlines: number;
  unescapedTo: number;
}

/** Makes a parser that hands each row that is not blank to `onRow`. */
export function createCsvParser(
  { separator, quotes }: Dialect,
  onRow: (row: CsvRow) => void,
): CsvParser {
  const state: State = {
    separator,
    quotes,
    top: Math.max(separator, CR),
    columns: 0,
    line: 1,
    broken: undefined,
    bytes: new Uint8Array(0),
    unescaped: new Uint8Array(256),
    cells: new Int32Array(48),
    newlines: 0,
    unescapedTo: 0,
  };
  return {
    parse: (bytes, start, end, last, maxRows = Number.POSITIVE_INFINITY) =>
      parseRows(state, onRow, bytes, start, end, last, maxRows),
    get line() {
      return state.line;
    },
  };
}

function parseRows(
  state: State,
  onRow: (row: CsvRow) => void,
  bytes: Uint8Array,
  start: number,
  end: number,
  last: boolean,
  maxRows: number,
): number {
  state.bytes = bytes;
  let rowStart = start;
  for (let rows = 0; rows < maxRows; ) {
    let at = findCells(state, bytes, rowStart, end, last);
    // A row that is not complete will be parsed again from its start.
    if (at < 0) return rowStart;
    const blank = state.columns === 1 && at === rowStart;
    if (!blank) {
      onRow(state);
      rows++;
    }
    if (at >= end) {
      state.line += state.newlines;
      return end;
    }
    at += bytes[at] === CR && at + 1 < end && bytes[at + 1] === LF ? 2 : 1;
    state.line += state.newlines + 1;
    rowStart = at;
    if (at === end) return end;
  }
  return rowStart;
}

/** Finds the cells of the row that begins at `at`; returns where it ends, -1 if that is not here yet. */
function findCells(
  state: State,
  bytes: Uint8Array,
  at: number,
  end: number,
  last: boolean,
): number {
  const { separator, quotes, top } = state;
  let { cells } = state;
  let columns = 0;
  state.newlines = 0;
  state.unescapedTo = 0;
  state.broken = undefined;
  for (;;) {
    const slot = columns++ * 3;
    if (slot === cells.length) cells = moreCells(state);
    if (quotes && at < end && bytes[at] === QUOTE) {
      at = findQuotedCell(state, bytes, at, end, last, slot);
      if (at < 0) return -1;
    } else {
      cells[slot] = at;
      for (; at < end; at++) {
        const byte = bytes[at];
        if (byte <= top && (byte === separator || byte === LF || byte === CR)) break;
      }
      cells[slot + 1] = at;
      cells[slot + 2] = PLAIN;
    }
    if (at === end || bytes[at] !== separator) break;
    at++;
  }
  state.columns = columns;
  // A lone CR at the end may be half of a CRLF.
  if (!last && (at === end || (bytes[at] === CR && at + 1 === end))) return -1;
  return at;
}

/** Finds the end of the quoted cell that begins at `at`; returns -1 if it is not here yet. */
function findQuotedCell(
  state: State,
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
      state.broken = "a quoted cell begins here and never ends.";
      break;
    }
    const byte = bytes[close];
    if (byte === QUOTE) {
      if (close + 1 === end && !last) return -1;
      if (close + 1 >= end || bytes[close + 1] !== QUOTE) break;
      escaped++;
      close++;
    } else if (byte === LF) state.newlines++;
    else if (byte === CR) {
      if (close + 1 === end && !last) return -1;
      if (bytes[close + 1] !== LF) state.newlines++;
    }
  }
  const { cells } = state;
  cells[slot] = escaped > 0 ? state.unescapedTo : start;
  if (escaped > 0) copyUnescaped(state, bytes, start, close);
  cells[slot + 1] = escaped > 0 ? state.unescapedTo : close;
  cells[slot + 2] = escaped > 0 ? UNESCAPED : QUOTED;
  return skipToSeparator(state, bytes, Math.min(close + 1, end), end);
}

/** Skips what follows a closing quote, where nothing should be. */
function skipToSeparator(state: State, bytes: Uint8Array, at: number, end: number): number {
  const { separator } = state;
  while (at < end && bytes[at] !== separator && bytes[at] !== LF && bytes[at] !== CR) {
    state.broken ??= "something follows the closing quote of a cell.";
    at++;
  }
  return at;
}

/** Copies a cell to `unescaped`, of each two quotes one. */
function copyUnescaped(state: State, bytes: Uint8Array, start: number, close: number): void {
  const needed = state.unescapedTo + close - start;
  if (needed > state.unescaped.length) {
    const more = new Uint8Array(needed * 2);
    more.set(state.unescaped);
    state.unescaped = more;
  }
  for (let i = start; i < close; i++) {
    state.unescaped[state.unescapedTo++] = bytes[i];
    if (bytes[i] === QUOTE) i++;
  }
}

/** Makes room for more cells. */
function moreCells(state: State): Int32Array {
  const more = new Int32Array(state.cells.length * 2);
  more.set(state.cells);
  state.cells = more;
  return more;
}
