/** Numbers and times from the bytes of a cell. */
import { textOfBytes } from "./encoding.ts";

const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const SPACE = 0x20;

const decoder = new TextDecoder();
/** Powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

/** A plain decimal number, blanks around it allowed; NaN where the cell is anything else. */
export function parseNumber(
  bytes: Uint8Array,
  start: number,
  end: number,
  decimalComma: boolean,
): number {
  while (start < end && bytes[start] === SPACE) start++;
  while (start < end && bytes[end - 1] === SPACE) end--;
  if (start === end || end - start > 40) return Number.NaN;
  // Digits that fit a double, times or over a power of ten that does too, are rounded once, so the
  // result is the nearest double: Clinger (1990), PLDI, section 3. All else goes the long way.
  let i = start;
  const negative = bytes[i] === MINUS;
  if (negative || bytes[i] === PLUS) i++;
  let value = 0;
  const first = i;
  while (i < end && isDigit(bytes[i])) value = value * 10 + bytes[i++] - 48;
  let digits = i - first;
  let exponent = 0;
  if (i < end && (bytes[i] === DOT || (bytes[i] === COMMA && decimalComma))) {
    const point = ++i;
    while (i < end && isDigit(bytes[i])) value = value * 10 + bytes[i++] - 48;
    exponent = point - i;
    digits -= exponent;
  }
  if (i < end - 1 && (bytes[i] | 32) === 0x65) {
    i++;
    const down = bytes[i] === MINUS;
    if ((down || bytes[i] === PLUS) && i < end - 1) i++;
    let power = 0;
    while (i < end && isDigit(bytes[i])) power = power * 10 + bytes[i++] - 48;
    exponent += down ? -power : power;
  }
  if (i < end || digits === 0) return Number.NaN;
  if (value < 2 ** 53 && exponent >= -22 && exponent <= 22) {
    value = exponent < 0 ? value / POWERS[-exponent] : value * POWERS[exponent];
    return negative ? -value : value;
  }
  const text = decoder.decode(bytes.subarray(start, end));
  value = Number(decimalComma ? text.replace(",", ".") : text);
  return Number.isFinite(value) ? value : Number.NaN;
}

/** A number as a time: seconds, milliseconds, micro- or nanoseconds since 1970, told by its size. */
export function timeOfNumber(value: number): number {
  const size = Math.abs(value);
  if (size < 1e11) return value * 1e3;
  if (size < 1e14) return value;
  if (size < 1e17) return value / 1e3;
  return value / 1e6;
}

/** Smaller numbers would be seconds before March 1973: more likely a duration or a rank. */
export const SMALLEST_EPOCH = 1e8;

/**
 * `2024-05-31`, `2024-05-31 12:30`, `2024-05-31T12:30:15.25Z`, `… UTC`, `… +02:00`, with `/` for
 * `-`; without a zone it is UTC, so that a file means the same everywhere. NaN for anything else.
 */
export function parseTime(bytes: Uint8Array, start: number, end: number): number {
  while (start < end && bytes[start] === SPACE) start++;
  while (start < end && bytes[end - 1] === SPACE) end--;
  if (end - start < 10 || end - start > 40) return Number.NaN;
  let at = start;
  const dash = bytes[at + 4];
  if ((dash !== MINUS && dash !== 0x2f) || bytes[at + 7] !== dash) return Number.NaN;
  const year = digits(bytes, at, 4);
  const month = digits(bytes, at + 5, 2);
  const day = digits(bytes, at + 8, 2);
  at += 10;
  let ms = 0;
  if (at < end && ((bytes[at] | 32) === 0x74 || bytes[at] === SPACE) && bytes[at + 3] === 0x3a) {
    const hour = digits(bytes, at + 1, 2);
    const minute = digits(bytes, at + 4, 2);
    if (!(hour <= 24 && minute < 60) || at + 6 > end) return Number.NaN;
    ms = (hour * 60 + minute) * 60_000;
    at += 6;
    if (at < end && bytes[at] === 0x3a) {
      const second = digits(bytes, at + 1, 2);
      if (!(second <= 60) || at + 3 > end) return Number.NaN;
      ms += second * 1000;
      at += 3;
      if (at < end && (bytes[at] === DOT || bytes[at] === COMMA)) {
        let scale = 100;
        for (at++; at < end && isDigit(bytes[at]); at++, scale /= 10) {
          ms += (bytes[at] - 48) * scale;
        }
      }
    }
  }
  const zone = zoneOf(bytes, at, end);
  const date = Date.UTC(year, month - 1, day);
  const back = new Date(date);
  // 2024-02-31 rolls over into March: that is not a date.
  if (back.getUTCMonth() !== month - 1 || back.getUTCDate() !== day) return Number.NaN;
  return date + ms - zone;
}

/** Milliseconds ahead of UTC of `Z`, `UTC`, `+02:00`, `+0200`, `+02` or nothing; NaN otherwise. */
function zoneOf(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] === SPACE) at++;
  if (at === end) return 0;
  const text = textOfBytes(bytes.subarray(at, end)).toUpperCase();
  if (text === "Z" || text === "UTC" || text === "GMT") return 0;
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(text) ?? [];
  if (!sign) return Number.NaN;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function digits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let i = start; i < start + count; i++) {
    if (!isDigit(bytes[i])) return Number.NaN;
    value = value * 10 + bytes[i] - 48;
  }
  return value;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}
