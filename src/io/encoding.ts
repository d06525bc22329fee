/**
 * Bytes of text files to UTF-8. UTF-16 is told by its byte order mark or by its many NULs; bytes
 * that are not UTF-8 are taken for Latin-1, cell by cell, as Windows writes it (code page 1252).
 */

/** What Windows puts where Latin-1 has control characters, 0x80 to 0x9f. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end) {
    const lead = bytes[at++];
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (at + more > end) return false;
    // The second byte rules out overlong forms, surrogates and what lies beyond U+10FFFF.
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (bytes[at] < low || bytes[at] > high) return false;
    for (let i = 1; i < more; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return false;
    at += more;
  }
  return true;
}

export function decodeLatin1(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    text += byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252[byte - 0x80] : String.fromCharCode(byte);
  }
  return text;
}

/** Text as UTF-8 where it is that, else as Latin-1. */
export function decodeText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return isUtf8(bytes, start, end)
    ? utf8.decode(bytes.subarray(start, end))
    : decodeLatin1(bytes, start, end);
}

export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** How much of a file is looked at to tell its encoding. */
const LOOK = 1024;

function detectEncoding(head: Uint8Array): { encoding: Encoding; mark: number } {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf)
    return { encoding: "utf-8", mark: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: "utf-16le", mark: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: "utf-16be", mark: 2 };
  // Latin text in UTF-16 has a NUL in every pair, always on the same side.
  const pairs = Math.min(head.length, LOOK) >> 1;
  const nuls = [0, 0];
  for (let i = 0; i < pairs * 2; i++) if (head[i] === 0) nuls[i & 1]++;
  if (pairs > 1 && nuls[1] > 0.6 * pairs && nuls[0] === 0) return { encoding: "utf-16le", mark: 0 };
  if (pairs > 1 && nuls[0] > 0.6 * pairs && nuls[1] === 0) return { encoding: "utf-16be", mark: 0 };
  return { encoding: "utf-8", mark: 0 };
}

/** Takes the bytes of a text file in any of the encodings, and hands them on as UTF-8. */
export interface Utf8Stream {
  push(bytes: Uint8Array): void;
  finish(): void;
}

export function createUtf8Stream(
  next: (bytes: Uint8Array) => void,
  onEncoding: (encoding: Encoding) => void = () => {},
): Utf8Stream {
  let head: Uint8Array | undefined = new Uint8Array(0);
  let convert = (bytes: Uint8Array, _last: boolean) => bytes;

  function begin(bytes: Uint8Array) {
    head = undefined;
    const { encoding, mark } = detectEncoding(bytes.subarray(0, LOOK));
    if (encoding !== "utf-8") convert = fromUtf16(encoding);
    onEncoding(encoding);
    next(convert(bytes.subarray(mark), false));
  }

  return {
    push(bytes) {
      if (!head) return next(convert(bytes, false));
      const all = concat(head, bytes);
      if (all.length < LOOK) head = all;
      else begin(all);
    },
    finish() {
      if (head) begin(head);
      const rest = convert(new Uint8Array(0), true);
      if (rest.length > 0) next(rest);
    },
  };
}

function fromUtf16(encoding: Encoding) {
  const decoder = new TextDecoder("utf-16le", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let odd = new Uint8Array(0);
  return (bytes: Uint8Array, last: boolean) => {
    const all = concat(odd, bytes);
    const even = last ? all.length : all.length & ~1;
    odd = all.slice(even);
    const units = all.subarray(0, even);
    if (encoding === "utf-16be") {
      for (let i = 0; i + 1 < units.length; i += 2)
        [units[i], units[i + 1]] = [units[i + 1], units[i]];
    }
    return encoder.encode(decoder.decode(units, { stream: !last }));
  };
}

/** A new array with the bytes of both. */
function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Reads every byte as the character with that number. */
export function textOfBytes(bytes: Iterable<number>): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
