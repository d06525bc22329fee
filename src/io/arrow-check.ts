/**
 * Looks over the metadata of an Arrow file before apache-arrow decodes it. It trusts the numbers in
 * a file, and one flipped bit in a count makes it fill memory; what does not fit is refused here.
 * The layout is that of https://github.com/apache/arrow/tree/main/format: flatbuffers, in which every
 * table finds its fields through a list of offsets.
 */
import { textOfBytes } from "./encoding.ts";

/** A table: the place of each of its fields by number, or undefined where it has its default. */
interface Table {
  readonly at: number;
  readonly field: (id: number) => number | undefined;
}

const SCHEMA = 1;
const DICTIONARY_BATCH = 2;
const RECORD_BATCH = 3;
const UNION = 14;

/** Throws if a count or an offset points outside the file. `mostRows` bounds the rows of a batch. */
export function checkArrow(bytes: Uint8Array, mostRows: number): void {
  const isFile = textOfBytes(bytes.subarray(0, 6)) === "ARROW1";
  if (isFile) checkFile(bytes, mostRows);
  else checkStream(bytes, mostRows);
}

/** Messages one after the other, each with its length before it, until a length of 0. */
function checkStream(bytes: Uint8Array, mostRows: number): void {
  const view = viewOf(bytes);
  for (let at = 0; at + 4 <= bytes.length; ) {
    let length = view.getInt32(at, true);
    at += 4;
    // Since version 0.15 four bytes of ones come before the length.
    if (length === -1) {
      if (at + 4 > bytes.length) return;
      length = view.getInt32(at, true);
      at += 4;
    }
    if (length === 0) return;
    if (length < 0 || at + length > bytes.length) throw new Error("a message is cut off");
    const body = checkMessage(bytes.subarray(at, at + length), mostRows);
    at += length + body;
    if (at > bytes.length) throw new Error("a message is cut off");
  }
}

/** The footer says where the messages are. */
function checkFile(bytes: Uint8Array, mostRows: number): void {
  const view = viewOf(bytes);
  const end = bytes.length - 10;
  const length = end > 8 ? view.getInt32(end, true) : -1;
  if (length <= 0 || length > end - 8) throw new Error("the footer is cut off");
  const footer = viewOf(bytes.subarray(end - length, end));
  const root = tableAt(footer, indirect(footer, 0));
  const schema = root.field(1);
  if (schema === undefined) throw new Error("there is no schema");
  checkSchema(footer, tableAt(footer, indirect(footer, schema)));
  checkPairs(footer, root.field(4));
  for (const [id, kind] of [
    [2, DICTIONARY_BATCH],
    [3, RECORD_BATCH],
  ]) {
    for (const block of vector(footer, root.field(id), 24)) {
      const offset = long(footer, block);
      const body = long(footer, block + 16);
      if (!(offset >= 8 && offset <= end && body >= 0)) throw new Error("a batch is cut off");
      // The length before the message counts, not the one in the footer: the library goes by it.
      const marked = view.getInt32(offset, true) === -1 ? 8 : 4;
      const metadata = view.getInt32(offset + marked - 4, true);
      const start = offset + marked;
      if (metadata <= 0 || start + metadata + body > bytes.length)
        throw new Error("a batch is cut off");
      checkMessage(bytes.subarray(start, start + metadata), mostRows, kind);
    }
  }
}

/** Returns the length of the body that follows. A message of another kind than expected is refused. */
function checkMessage(bytes: Uint8Array, mostRows: number, expected?: number): number {
  const view = viewOf(bytes);
  const message = tableAt(view, indirect(view, 0));
  const kindAt = message.field(1);
  const headerAt = message.field(2);
  const bodyAt = message.field(3);
  checkPairs(view, message.field(4));
  if (headerAt === undefined || kindAt === undefined) throw new Error("a message is empty");
  const header = tableAt(view, indirect(view, headerAt));
  const kind = view.getUint8(kindAt);
  if (expected !== undefined && kind !== expected) throw new Error("a batch is of another kind");
  if (kind === SCHEMA) checkSchema(view, header);
  else if (kind === RECORD_BATCH) checkBatch(view, header, mostRows);
  else if (kind === DICTIONARY_BATCH) {
    const data = header.field(1);
    if (data === undefined) throw new Error("a dictionary is empty");
    checkBatch(view, tableAt(view, indirect(view, data)), mostRows);
  } else throw new Error("a message is of an unknown kind");
  const body = bodyAt === undefined ? 0 : long(view, bodyAt);
  if (body < 0) throw new Error("the length of a message is not possible");
  return body;
}

function checkSchema(view: DataView, schema: Table): void {
  let fields = 0;
  const checkFields = (at: number | undefined, depth: number) => {
    for (const place of vector(view, at, 4)) {
      if (depth > 64 || fields++ > 100_000) throw new Error("there are too many columns");
      const field = tableAt(view, indirect(view, place));
      vector(view, field.field(0), 1);
      checkPairs(view, field.field(6));
      const kind = field.field(2);
      const type = field.field(3);
      if (type !== undefined) {
        const table = tableAt(view, indirect(view, type));
        if (kind !== undefined && view.getUint8(kind) === UNION) vector(view, table.field(1), 4);
      }
      checkFields(field.field(5), depth + 1);
    }
  };
  checkFields(schema.field(1), 0);
  checkPairs(view, schema.field(2));
  vector(view, schema.field(3), 8);
}

function checkBatch(view: DataView, batch: Table, mostRows: number): void {
  const lengthAt = batch.field(0);
  const check = (at: number) => {
    const length = long(view, at);
    if (length < 0 || length > mostRows) throw new Error("a batch has more rows than fit the file");
  };
  if (lengthAt !== undefined) check(lengthAt);
  for (const node of vector(view, batch.field(1), 16)) check(node);
  for (const buffer of vector(view, batch.field(2), 16)) {
    if (long(view, buffer) < 0 || long(view, buffer + 8) < 0)
      throw new Error("a column is cut off");
  }
  for (const count of vector(view, batch.field(4), 8)) {
    if (long(view, count) < 0 || long(view, count) > 100_000)
      throw new Error("a column is cut off");
  }
}

/** Metadata of one's own: pairs of texts. */
function checkPairs(view: DataView, at: number | undefined): void {
  for (const place of vector(view, at, 4)) {
    const pair = tableAt(view, indirect(view, place));
    vector(view, pair.field(0), 1);
    vector(view, pair.field(1), 1);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Where the offset at a place points to. A place outside makes the view throw. */
function indirect(view: DataView, at: number): number {
  return at + view.getUint32(at, true);
}

function tableAt(view: DataView, at: number): Table {
  const offsets = at - view.getInt32(at, true);
  const size = view.getUint16(offsets, true);
  return {
    at,
    field(id) {
      if (4 + id * 2 + 2 > size) return undefined;
      const offset = view.getUint16(offsets + 4 + id * 2, true);
      return offset === 0 ? undefined : at + offset;
    },
  };
}

/** The places of the elements of a vector, which must all lie within the metadata. */
function vector(view: DataView, at: number | undefined, width: number): readonly number[] {
  if (at === undefined) return [];
  const start = indirect(view, at);
  const length = view.getUint32(start, true);
  if (start + 4 + length * width > view.byteLength) throw new Error("a list is cut off");
  // Of texts only the bounds matter.
  return width === 1 ? [] : Array.from({ length }, (_, i) => start + 4 + i * width);
}

function long(view: DataView, at: number): number {
  return Number(view.getBigInt64(at, true));
}
