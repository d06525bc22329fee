/**
 * Walks over what Thrift's compact protocol wrote, before hyparquet reads it: it makes lists as long as they say they
 * are. https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

const [STOP, BYTE, I64, DOUBLE, BINARY, LIST, STRUCT] = [0, 3, 6, 7, 8, 9, 12];
const MAX_DEPTH = 64;

interface Place {
  readonly bytes: Uint8Array;
  at: number;
}

/** Throws if the structure that begins at `at` cannot be what it says; returns where it ends. */
export function checkThrift(bytes: Uint8Array, at: number): number {
  const place = { bytes, at };
  checkStruct(place, 0);
  return place.at;
}

function checkStruct(place: Place, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error("structures lie too deep in each other");
  for (;;) {
    const byte = next(place);
    if ((byte & 15) === STOP) return;
    // The number of the field, if it is not said by how much it rises.
    if (byte >> 4 === 0) skipNumber(place);
    checkValue(place, byte & 15, depth);
  }
}

function checkValue(place: Place, type: number, depth: number): void {
  if (type < BYTE) return;
  if (type === BYTE) next(place);
  else if (type <= I64) skipNumber(place);
  else if (type === DOUBLE) skip(place, 8);
  else if (type === BINARY) skip(place, readSize(place));
  else if (type === LIST) checkList(place, depth);
  else if (type === STRUCT) checkStruct(place, depth + 1);
  else throw new Error("a value is of an unknown type");
}

function checkList(place: Place, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error("structures lie too deep in each other");
  const head = next(place);
  const type = head & 15;
  const size = head >> 4 === 15 ? readSize(place) : head >> 4;
  // Every element takes at least a byte.
  if (size > place.bytes.length - place.at) throw new Error("a list is cut off");
  // True and false take a byte each in lists.
  for (let i = 0; i < size; i++) checkValue(place, Math.max(type, BYTE), depth + 1);
}

function next(place: Place): number {
  if (place.at >= place.bytes.length) throw new Error("a structure is cut off");
  return place.bytes[place.at++];
}

function skip(place: Place, count: number): void {
  place.at += count;
  if (place.at > place.bytes.length) throw new Error("a structure is cut off");
}

/** Numbers have seven bits in each byte, and 64 at most. */
function skipNumber(place: Place): void {
  for (let i = 0; i < 10; i++) if (next(place) < 128) return;
  throw new Error("a number has more than 64 bits");
}

function readSize(place: Place): number {
  let size = 0;
  for (let i = 0; i < 5; i++) {
    const byte = next(place);
    size += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return size;
  }
  throw new Error("a size has more than 32 bits");
}
