/**
 * Looks over the pages of a Parquet column before hyparquet decodes them. It trusts the numbers in
 * a file, and one flipped bit in a count makes it fill memory; what does not add up is refused here.
 */
import type { ColumnMetaData, Compressors } from "hyparquet";
import { checkDeltaLengths, checkDeltas, checkDeltaTexts } from "./parquet-deltas.ts";

/** Decoders and the two library functions they need, so that this file costs nothing to import. */
export interface PageTools {
  /** Reads the header of a page and leaves the offset behind it. */
  readonly pageHeader: (reader: { view: DataView; offset: number }) => PageHeader;
  readonly compressors: Compressors;
}

export interface PageHeader {
  readonly type?: string;
  readonly uncompressed_page_size: number;
  readonly compressed_page_size: number;
  readonly dictionary_page_header?: { num_values: number } | undefined;
  readonly data_page_header?: { num_values: number; encoding: string } | undefined;
  readonly data_page_header_v2?:
    | {
        num_values: number;
        num_nulls: number;
        num_rows: number;
        encoding: string;
        definition_levels_byte_length: number;
        repetition_levels_byte_length: number;
        is_compressed: boolean;
      }
    | undefined;
}

/** The highest level of repetition and of definition of a column; a list has more of both. */
export interface Levels {
  readonly repetition: number;
  readonly definition: number;
  /** Bytes of each value, for values of a fixed length. */
  readonly typeLength?: number | undefined;
}

const MAX_PAGE = 2 ** 30;
const MAX_VALUES = 2 ** 27;
/** Runs of equal values take next to no bytes; a chunk may have so many values, and so many more per byte. */
const FREE_VALUES = 2 ** 24;
const VALUES_PER_BYTE = 2 ** 12;

/**
 * Throws if a page of the column chunk cannot be what it says. Returns the decompressors to hand to
 * hyparquet, which look at each page once more when it is open. `count` is how many values there
 * are: one per row, unless the column holds lists. With `atOnce` the pages are opened here, which takes
 * the time twice: for columns that hyparquet reads together, in an order that is its own.
 */
export function checkPages(
  chunk: Uint8Array,
  column: ColumnMetaData,
  levels: Levels,
  count: number,
  { pageHeader, compressors }: PageTools,
  atOnce = false,
): Compressors {
  const lists = levels.repetition > 0;
  const most = FREE_VALUES + chunk.length * VALUES_PER_BYTE;
  if (!(count >= 0 && count <= most && (!lists || count <= MAX_VALUES))) {
    throw new Error("a column has more values than can be read at once");
  }
  const reader = {
    view: new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    offset: 0,
  };
  const packed = column.codec !== "UNCOMPRESSED";
  const open = compressors[column.codec];
  /** The pages that hyparquet will ask to have decompressed, in this order. */
  const waiting: PageHeader[] = [];
  let values = 0;
  // Of lists every page is decoded, of other columns those that are needed.
  while (lists ? reader.offset < chunk.length - 1 : values < count) {
    if (reader.offset >= chunk.length - 1) throw new Error("a column has fewer values than rows");
    const header = pageHeader(reader);
    const size = header.compressed_page_size;
    if (!(size >= 0 && reader.offset + size <= chunk.length)) throw new Error("a page is cut off");
    const largest = packed ? Math.min(MAX_PAGE, openedAtMost(column.codec, size)) : MAX_PAGE;
    if (!(header.uncompressed_page_size >= 0 && header.uncompressed_page_size <= largest)) {
      throw new Error("the size of a page is not possible");
    }
    const page = chunk.subarray(reader.offset, reader.offset + size);
    const more = header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values ?? 0;
    if (more < 0 || values + more > count) throw new Error("a column has more values than rows");
    values += more;
    const second = header.data_page_header_v2;
    if (second) checkSecond(page, second, levels);
    const body = page.subarray(second ? levelBytes(second) : 0);
    if (!packed || second?.is_compressed === false) checkValues(body, header, column, levels);
    else if (!atOnce || !open) waiting.push(header);
    else checkValues(open(body, openSize(header)), header, column, levels);
    reader.offset += size;
  }
  if (values < count) throw new Error("a column has fewer values than rows");
  if (!packed || !open || atOnce) return compressors;
  return {
    ...compressors,
    [column.codec]: (input: Uint8Array, length: number) => {
      const page = open(input, length);
      const header = waiting.shift();
      if (header) checkValues(page, header, column, levels);
      return page;
    },
  };
}

/** Returns the most bytes that so many can hold when compressed; the other codecs know no such limit. */
function openedAtMost(codec: string, size: number): number {
  const ratio = { SNAPPY: 64, LZ4: 256, LZ4_RAW: 256, GZIP: 1100 }[codec];
  return ratio === undefined ? Number.POSITIVE_INFINITY : (size + 64) * ratio;
}

/** The size of what is compressed in a page, once it is open. */
function openSize({ uncompressed_page_size, data_page_header_v2: second }: PageHeader): number {
  const size = uncompressed_page_size - (second ? levelBytes(second) : 0);
  if (size < 0) throw new Error("the size of a page is not possible");
  return size;
}

type SecondHeader = NonNullable<PageHeader["data_page_header_v2"]>;

function levelBytes({
  repetition_levels_byte_length,
  definition_levels_byte_length,
}: SecondHeader) {
  return repetition_levels_byte_length + definition_levels_byte_length;
}

/** Pages of the second version keep their levels outside what is compressed. */
function checkSecond(page: Uint8Array, header: SecondHeader, levels: Levels): void {
  const { num_values, num_nulls, repetition_levels_byte_length: start } = header;
  if (!(start >= 0 && levelBytes(header) >= start && levelBytes(header) <= page.length)) {
    throw new Error("the levels of a page are cut off");
  }
  if (!(num_nulls >= 0 && num_nulls <= num_values)) throw new Error("a page has too many nulls");
  if (levels.repetition > 0) checkRuns(page, 0, start, bits(levels.repetition), num_values);
  if (levels.definition > 0) {
    checkRuns(page, start, levelBytes(header), bits(levels.definition), num_values);
  }
}

/** Throws if the levels (of the first version) or the values of a page do not add up. */
function checkValues(
  page: Uint8Array,
  header: PageHeader,
  column: ColumnMetaData,
  levels: Levels,
): void {
  const { data_page_header: first, data_page_header_v2: second } = header;
  const entries = header.dictionary_page_header?.num_values;
  // Of every entry there is at least a bit.
  if (entries !== undefined && !(entries >= 0 && entries <= page.length * 8)) {
    throw new Error("a dictionary has more entries than fit its page");
  }
  const { num_values: count = 0, encoding = "" } = first ?? second ?? {};
  let at = 0;
  let values = count - (second?.num_nulls ?? 0);
  for (const highest of first ? [levels.repetition, levels.definition] : []) {
    if (highest === 0) continue;
    if (page.length < at + 4) throw new Error("the levels of a page are cut off");
    const start = at + 4;
    at = start + new DataView(page.buffer, page.byteOffset).getUint32(at, true);
    if (at > page.length) throw new Error("the levels of a page are cut off");
    checkRuns(page, start, at, bits(highest), count);
    if (highest === levels.definition)
      values = countRuns(page, start, at, bits(highest), highest, count);
  }
  checkEncoding(page, at, encoding, values, column.type, {
    ...levels,
    second: second !== undefined,
  });
}

/** Throws if values in this encoding cannot be read from `at` on. */
function checkEncoding(
  page: Uint8Array,
  at: number,
  encoding: string,
  values: number,
  type: string,
  { typeLength = 0, second }: Levels & { readonly second: boolean },
): void {
  if (encoding === "DELTA_BINARY_PACKED") checkDeltas(page, at, values);
  else if (encoding === "DELTA_LENGTH_BYTE_ARRAY") checkDeltaLengths(page, at, values);
  else if (encoding === "DELTA_BYTE_ARRAY") checkDeltaTexts(page, at, values);
  else if (encoding === "BYTE_STREAM_SPLIT") {
    const width = type === "FIXED_LEN_BYTE_ARRAY" ? typeLength : /64|DOUBLE/.test(type) ? 8 : 4;
    if (values * width > page.length - at) throw new Error("the values of a page are cut off");
  } else if (encoding === "RLE" && (second || type === "BOOLEAN")) {
    // Their length comes first.
    checkRuns(page, at + 4, page.length, 1, values);
  } else if ((encoding === "RLE" || encoding.endsWith("_DICTIONARY")) && at < page.length) {
    // Numbers of no bits are all zero, and in the first version need no runs.
    if (page[at] > 0 || second) checkRuns(page, at + 1, page.length, page[at], values);
  }
}

/** How many bits a level takes. */
function bits(highest: number): number {
  return 32 - Math.clz32(highest);
}

/**
 * Checks a mix of runs and packed bits: together they must not hold more values than the page has, nor fewer, since the
 * library would then go on in what follows.
 */
function checkRuns(bytes: Uint8Array, start: number, end: number, width: number, count: number) {
  if (width > 32) throw new Error("a page has numbers of more than 32 bits");
  let all = 0;
  for (const { packed, length, seen } of runsOf(bytes, start, end, width, count)) {
    // Packed bits stand in groups of eight, and writers may fill up the last group.
    if (packed ? length > count - seen + 512 : length > count - seen) {
      throw new Error("a run is longer than its page");
    }
    all = seen + length;
  }
  if (all < count) throw new Error("a page has fewer values than it says");
}

/** Counts how many of the values are `wanted`. */
function countRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  width: number,
  wanted: number,
  count: number,
): number {
  let found = 0;
  for (const { packed, length, at, seen } of runsOf(bytes, start, end, width, count)) {
    const used = Math.min(length, count - seen);
    if (!packed) {
      let value = 0;
      for (let i = 0; i < Math.ceil(width / 8); i++) value |= bytes[at + i] << (i * 8);
      if (value === wanted) found += used;
      continue;
    }
    for (let i = 0; i < used; i++) {
      let value = 0;
      for (let bit = 0; bit < width; bit++) {
        const place = i * width + bit;
        value |= ((bytes[at + (place >> 3)] >> (place & 7)) & 1) << bit;
      }
      if (value === wanted) found++;
    }
  }
  return found;
}

/** One run: of equal values, or of values packed one after another. */
interface Run {
  readonly packed: boolean;
  readonly length: number;
  /** Where its values begin, and how many there are before it. */
  readonly at: number;
  readonly seen: number;
}

function* runsOf(
  bytes: Uint8Array,
  start: number,
  end: number,
  width: number,
  count: number,
): Iterable<Run> {
  let at = start;
  let seen = 0;
  while (seen < count && at < end) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (shift > 28 || at >= end) throw new Error("a run is cut off");
      const byte = bytes[at++];
      header += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    const run = Math.floor(header / 2);
    const packed = header % 2 === 1;
    const length = packed ? run * 8 : run;
    // The library takes a byte for packed values even if there are none.
    if (packed && run === 0) throw new Error("a run is empty");
    yield { packed, length, at, seen };
    at += packed ? Math.max(1, run * width) : Math.ceil(width / 8);
    seen += length;
  }
}
