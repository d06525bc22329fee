/**
 * Looks over values in the delta encodings of Parquet before hyparquet decodes them: it makes arrays as long as the
 * page says, and a few bytes can say anything. https://parquet.apache.org/docs/file-format/data-pages/encodings/
 */

/** Texts may share their beginnings, so that a small page holds many bytes; more than this is not believed. */
const MAX_TEXT = 2 ** 28;
const MAX_BLOCK = 2 ** 20;

/** Throws if `count` values of DELTA_BINARY_PACKED cannot be read from `at` on. */
export function checkDeltas(page: Uint8Array, at: number, count: number): void {
  if (count > 0) readDeltas(page, at, count, undefined);
}

/** Throws if `count` texts of DELTA_LENGTH_BYTE_ARRAY cannot be read from `at` on. */
export function checkDeltaLengths(page: Uint8Array, at: number, count: number): void {
  if (count === 0) return;
  const lengths = new Int32Array(count);
  const start = readDeltas(page, at, count, lengths);
  let total = 0;
  for (const length of lengths) {
    if (length < 0) throw new Error("a text has a length below zero");
    total += length;
  }
  if (start + total > page.length) throw new Error("the texts of a page are cut off");
}

/** Throws if `count` texts of DELTA_BYTE_ARRAY cannot be read from `at` on. */
export function checkDeltaTexts(page: Uint8Array, at: number, count: number): void {
  if (count === 0) return;
  const prefixes = new Int32Array(count);
  const middle = readDeltas(page, at, count, prefixes);
  const suffixes = new Int32Array(count);
  const start = readDeltas(page, middle, count, suffixes);
  let before = 0;
  let held = 0;
  let total = 0;
  for (let i = 0; i < count; i++) {
    if (suffixes[i] < 0) throw new Error("a text has a length below zero");
    if (!(prefixes[i] >= 0 && prefixes[i] <= before)) {
      throw new Error("a text shares more with the one before than that has");
    }
    before = prefixes[i] + suffixes[i];
    held += suffixes[i];
    total += before;
  }
  if (start + held > page.length) throw new Error("the texts of a page are cut off");
  if (total > MAX_TEXT) throw new Error("the texts of a page take more memory than they should");
}

/** Walks over packed differences, and adds them up in 32 bits if they are wanted; returns where they end. */
function readDeltas(
  page: Uint8Array,
  start: number,
  count: number,
  values: Int32Array | undefined,
): number {
  const reader = { page, at: start };
  const block = readVarint(reader, 5);
  const parts = readVarint(reader, 5);
  const total = readVarint(reader, 5);
  let value = readZigzag(reader);
  const each = block / parts;
  if (!(block > 0 && block <= MAX_BLOCK && parts > 0 && Number.isInteger(each) && each % 8 === 0)) {
    throw new Error("a block of differences has an impossible size");
  }
  if (total !== count) throw new Error("a page has another number of values than it says");
  if (values) values[0] = value;
  for (let seen = 1; seen < count; ) {
    const least = readZigzag(reader);
    const widths = reader.at;
    reader.at += parts;
    if (reader.at > page.length) throw new Error("a block of differences is cut off");
    for (let part = 0; part < parts && seen < count; part++) {
      const width = page[widths + part];
      if (width > 64) throw new Error("a page has numbers of more than 64 bits");
      const needed = Math.min(each, count - seen);
      if (reader.at + Math.ceil((needed * width) / 8) > page.length) {
        throw new Error("a block of differences is cut off");
      }
      for (let i = 0; i < needed && values; i++) {
        value = (value + least + bitsAt(page, reader.at, i * width, width)) | 0;
        values[seen + i] = value;
      }
      reader.at += (each * width) / 8;
      seen += needed;
    }
  }
  return Math.min(reader.at, page.length);
}

/** Returns the lowest 32 of so many bits. */
function bitsAt(page: Uint8Array, at: number, offset: number, width: number): number {
  let bits = 0;
  for (let i = 0; i < Math.min(width, 32); i++) {
    const place = offset + i;
    bits |= ((page[at + (place >> 3)] >> (place & 7)) & 1) << i;
  }
  return bits;
}

interface Bytes {
  readonly page: Uint8Array;
  at: number;
}

function readVarint(reader: Bytes, most: number): number {
  let value = 0;
  for (let i = 0; i < most; i++) {
    if (reader.at >= reader.page.length) break;
    const byte = reader.page[reader.at++];
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return value;
  }
  throw new Error("a number is cut off");
}

/** Returns the lowest 32 bits of a number of up to 64. */
function readZigzag(reader: Bytes): number {
  let low = 0;
  let high = 0;
  for (let i = 0; i < 10; i++) {
    if (reader.at >= reader.page.length) break;
    const byte = reader.page[reader.at++];
    if (i < 5) low |= (byte & 127) << (7 * i);
    if (i === 4) high = (byte >> 4) & 1;
    if (byte < 128) return ((low >>> 1) | (high << 31)) ^ -(low & 1);
  }
  throw new Error("a number is cut off");
}
