/**
 * A spreadsheet runs cells that begin with `=`, `+`, `-` or `@`, so what we write has an apostrophe
 * before them, which our readers take away again. Numbers are left alone: `-1` is a common class. A
 * cell that already begins with apostrophes before such a character gets one more, so that any text
 * comes back exactly as it was.
 */

const RUNS = /^[=+\-@\t\r]/;
const ESCAPED = /^'+[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export function escapeFormula(text: string): string {
  return ESCAPED.test(text) || (RUNS.test(text) && !NUMBER.test(text)) ? `'${text}` : text;
}

export function unescapeFormula(text: string): string {
  return ESCAPED.test(text) ? text.slice(1) : text;
}

const APOSTROPHE = 0x27;

/** Where a cell begins once the apostrophe we put before it is taken away. */
export function skipEscape(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] === APOSTROPHE) at++;
  return at > start && at < end && "=+-@\t\r".includes(String.fromCharCode(bytes[at]))
    ? start + 1
    : start;
}
