import type { ColumnMetaData } from "hyparquet";
import { describe, expect, it } from "vitest";
import { checkDeltaTexts } from "./parquet-deltas.ts";
import { checkPages, type PageHeader } from "./parquet-pages.ts";

/** Looks over one page, handed over as its header and its bytes. */
function check(
  page: readonly number[],
  header: Partial<PageHeader>,
  {
    rows = 10,
    optional = false,
    lists = false,
    codec = "UNCOMPRESSED",
    atOnce = false,
    type = "BYTE_ARRAY",
    typeLength = undefined as number | undefined,
  } = {},
) {
  const chunk = Uint8Array.from([...page, ...(lists ? [0] : [0, 0])]);
  const whole = {
    compressed_page_size: page.length,
    uncompressed_page_size: page.length,
    ...header,
  };
  const levels = {
    repetition: lists ? 1 : 0,
    definition: lists ? 3 : optional ? 1 : 0,
    typeLength,
  };
  const tools = {
    pageHeader: () => whole as PageHeader,
    compressors: { SNAPPY: (input: Uint8Array) => input },
  };
  return checkPages(chunk, { codec, type } as ColumnMetaData, levels, rows, tools, atOnce);
}

const dictionary = (num_values: number) => ({
  data_page_header: { num_values, encoding: "RLE_DICTIONARY" },
});
const plain = (num_values: number) => ({ data_page_header: { num_values, encoding: "PLAIN" } });
const encoded = (encoding: string, num_values = 3) => ({
  data_page_header: { num_values, encoding },
});
const three = { rows: 3 };
/** 128 values per block in four parts, three values from 5 on, each one more than the one before. */
const deltas = [128, 1, 4, 3, 10, 2, 0, 0, 0, 0];
/** The lengths 1, 2 and 3, and the texts. */
const lengths = [128, 1, 4, 3, 2, 2, 0, 0, 0, 0];
const nothing = [128, 1, 4, 3, 0, 0, 0, 0, 0, 0];
const second = (given: object) => ({
  data_page_header_v2: {
    num_values: 10,
    num_nulls: 0,
    num_rows: 10,
    encoding: "PLAIN",
    is_compressed: false,
    definition_levels_byte_length: 0,
    repetition_levels_byte_length: 0,
    ...given,
  },
});

/** Packs numbers as differences of 32 bits, 128 to a block. */
function packDeltas(values: readonly number[]): number[] {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
  const bytes = [128, 1, 4, ...varint(values.length), ...varint(values[0] * 2)];
  for (let from = 1; from < values.length; from += 128) {
    bytes.push(0, 32, 32, 32, 32);
    const needed = Math.ceil(Math.min(128, values.length - from) / 32) * 32;
    for (let i = from; i < from + needed; i++) {
      const step = (values[i] ?? 0) - values[i - 1] || 0;
      bytes.push(step & 255, (step >> 8) & 255, (step >> 16) & 255, (step >> 24) & 255);
    }
  }
  return bytes;
}

describe("checkPages", () => {
  it("lets pass what adds up", () => {
    // Ten times the same index; then eight packed by threes, and a run of two.
    check([2, 20, 1], dictionary(10));
    check([3, 3, 1, 2, 3, 4, 1], dictionary(10));
    check([2, 0, 0, 0, 20, 1, 2, 20, 1], dictionary(10), { optional: true });
    check([20, 1, 7], second({ definition_levels_byte_length: 2 }), { optional: true });
    // A list of ten: levels of repetition, then of definition, which take two bits.
    check([2, 0, 0, 0, 20, 1, 2, 0, 0, 0, 20, 3], plain(10), { lists: true });
  });

  it.each<[string, readonly number[], Partial<PageHeader>, object]>([
    ["a run is longer than its page", [2, 22, 1], dictionary(10), {}],
    ["a run is longer than its page", [2, 254, 255, 255, 255, 15, 1], dictionary(10), {}],
    ["a run is longer than its page", [2, 255, 255, 3, 1], dictionary(10), {}],
    ["a run is longer than its page", [2, 0, 0, 0, 200, 1], plain(10), { optional: true }],
    ["a run is cut off", [2, 128], dictionary(10), {}],
    ["a run is cut off", [2, 128, 128, 128, 128, 128, 1], dictionary(10), {}],
    ["more than 32 bits", [33, 20, 1], dictionary(10), {}],
    ["the levels of a page are cut off", [9, 0, 0, 0, 20, 1], plain(10), { optional: true }],
    ["the levels of a page are cut off", [1, 2], plain(10), { optional: true }],
    ["the levels of a page are cut off", [1], second({ definition_levels_byte_length: 5 }), {}],
    ["the levels of a page are cut off", [1], second({ repetition_levels_byte_length: -1 }), {}],
    ["fewer values than it says", [2, 16, 1], dictionary(10), {}],
    ["fewer values than it says", [2, 0, 0, 0, 16, 1, 20, 1], plain(10), { optional: true }],
    [
      "fewer values than it says",
      [16, 1, 254, 255, 255, 255, 15],
      second({ definition_levels_byte_length: 2 }),
      { optional: true },
    ],
    ["a run is empty", [2, 1, 9, 254, 255, 255, 255, 15], dictionary(10), {}],
    [
      "the size of a page is not possible",
      [1, 2],
      { ...plain(10), uncompressed_page_size: 2 ** 29 },
      { codec: "SNAPPY" },
    ],
    ["too many nulls", [1], second({ num_nulls: 11 }), {}],
    ["more values than rows", [2, 20, 1], dictionary(11), {}],
    ["more values than rows", [2, 20, 1], dictionary(-1), {}],
    ["a run is longer than its page", [2, 0, 0, 0, 22, 1], plain(10), { lists: true }],
    [
      "a run is longer than its page",
      [2, 0, 0, 0, 20, 1, 2, 0, 0, 0, 22, 3],
      plain(10),
      { lists: true },
    ],
    ["the levels of a page are cut off", [2, 0, 0, 0, 20, 1], plain(10), { lists: true }],
    ["a run is longer", [22, 0], second({ repetition_levels_byte_length: 2 }), { lists: true }],
    ["more values than can be read at once", [1], plain(10), { lists: true, rows: 2 ** 28 }],
    ["a page is cut off", [1, 2], { ...plain(10), compressed_page_size: 9 }, {}],
    ["the size of a page", [1, 2], { ...plain(10), uncompressed_page_size: 2 ** 31 }, {}],
    ["fewer values than rows", [1, 2], { compressed_page_size: 3 }, {}],
  ])("says that %s, %#", (message, page, header, options) => {
    expect(() => check(page, header, options)).toThrow(message);
  });

  it("lets pass what adds up, in every encoding", () => {
    check(deltas, encoded("DELTA_BINARY_PACKED"), three);
    check([...lengths, 1, 2, 3, 4, 5, 6], encoded("DELTA_LENGTH_BYTE_ARRAY"), three);
    check([...nothing, ...lengths, 1, 2, 3, 4, 5, 6], encoded("DELTA_BYTE_ARRAY"), three);
    check(new Array(12).fill(0), encoded("BYTE_STREAM_SPLIT"), { rows: 3, type: "FLOAT" });
    check([2, 0, 0, 0, 6, 1], encoded("RLE"), { rows: 3, type: "BOOLEAN" });
    // Of three rows two have a value: a run of two, then one without.
    const some = [4, 0, 0, 0, 4, 1, 2, 0, 128, 1, 4, 2, 10, 2, 0, 0, 0, 0];
    check(some, encoded("DELTA_BINARY_PACKED"), { rows: 3, optional: true });
    const mixed = [2, 0, 0, 0, 3, 5, 128, 1, 4, 2, 10, 2, 0, 0, 0, 0];
    check(mixed, encoded("DELTA_BINARY_PACKED"), { rows: 3, optional: true });
  });

  const far = [255, 255, 255, 255, 7];
  it.each<[string, string, readonly number[], object?]>([
    ["impossible size", "DELTA_BINARY_PACKED", [128, 1, ...far, 3, 10, 2, 0, 0, 0, 0]],
    ["impossible size", "DELTA_BINARY_PACKED", [128, 1, 0, 3, 10, 2, 0, 0, 0, 0]],
    ["impossible size", "DELTA_BINARY_PACKED", [0, 4, 3, 10, 2, 0, 0, 0, 0]],
    ["impossible size", "DELTA_BINARY_PACKED", [...far, 4, 3, 10, 2, 0, 0, 0, 0]],
    ["another number of values", "DELTA_BINARY_PACKED", [128, 1, 4, 4, 10, 2, 0, 0, 0, 0]],
    ["more than 64 bits", "DELTA_BINARY_PACKED", [128, 1, 4, 3, 10, 2, 65, 0, 0, 0]],
    ["is cut off", "DELTA_BINARY_PACKED", [128, 1, 4, 3, 10, 2, 64, 0, 0, 0, 1]],
    ["is cut off", "DELTA_BINARY_PACKED", [128, 1, 4, 3, ...new Array(20).fill(255), 0]],
    ["is cut off", "DELTA_BINARY_PACKED", [128, 1, 4, 3, 10, 2, 0]],
    ["a length below zero", "DELTA_LENGTH_BYTE_ARRAY", [128, 1, 4, 3, 1, 2, 0, 0, 0, 0, 1, 2, 3]],
    ["texts of a page are cut off", "DELTA_LENGTH_BYTE_ARRAY", [...lengths, 1, 2, 3]],
    [
      "texts of a page are cut off",
      "DELTA_LENGTH_BYTE_ARRAY",
      [128, 1, 4, 3, 254, 255, 255, 255, 7, 2, 0, 0, 0, 0],
    ],
    ["shares more", "DELTA_BYTE_ARRAY", [...lengths, ...lengths, 1, 2, 3, 4, 5, 6]],
    ["texts of a page are cut off", "DELTA_BYTE_ARRAY", [...nothing, ...lengths, 1]],
    ["values of a page are cut off", "BYTE_STREAM_SPLIT", [1, 2, 3], { type: "DOUBLE" }],
    [
      "values of a page are cut off",
      "BYTE_STREAM_SPLIT",
      [1, 2, 3],
      { type: "FIXED_LEN_BYTE_ARRAY", typeLength: 2 ** 31 },
    ],
    ["longer than its page", "RLE", [6, 0, 0, 0, 254, 255, 255, 255, 15, 1], { type: "BOOLEAN" }],
  ])("says of values that %s: %s %j", (message, encoding, page, options = {}) => {
    expect(() => check(page, encoded(encoding), { ...three, ...options })).toThrow(message);
  });

  it("does not believe texts that share so much that they would fill memory", () => {
    const [count, length] = [1024, 2 ** 19];
    // The first text has half a megabyte, and all others share the whole of it.
    const shared = packDeltas(Array.from({ length: count }, (_, i) => (i === 0 ? 0 : length)));
    const own = packDeltas(Array.from({ length: count }, (_, i) => (i === 0 ? length : 0)));
    const page = new Uint8Array(shared.length + own.length + length);
    page.set([...shared, ...own]);
    expect(() => checkDeltaTexts(page, 0, count)).toThrow("take more memory than they should");
    checkDeltaTexts(Uint8Array.from([...packDeltas([0, 2]), ...packDeltas([2, 1]), 1, 2, 3]), 0, 2);
  });

  it("refuses a dictionary with more entries than fit, and runs of more rows than are likely", () => {
    const entries = { dictionary_page_header: { num_values: 2 ** 31 - 1 } };
    expect(() => check([1, 2, 3], entries)).toThrow("more entries than fit its page");
    expect(() => check([1, 2, 3], plain(10), { rows: 2 ** 30 })).toThrow(
      "than can be read at once",
    );
  });

  it("looks into a compressed page when it is opened", () => {
    const tools = check([2, 22, 1], dictionary(10), { codec: "SNAPPY" });
    expect(() => tools.SNAPPY?.(Uint8Array.of(2, 22, 1), 3)).toThrow(
      "a run is longer than its page",
    );
  });

  it("opens compressed pages itself where others are read between them", () => {
    const packed = { codec: "SNAPPY", atOnce: true };
    check([2, 20, 1], dictionary(10), packed);
    expect(() => check([2, 22, 1], dictionary(10), packed)).toThrow(
      "a run is longer than its page",
    );
    const levels = { definition_levels_byte_length: 2, is_compressed: true };
    const page = { ...second({ ...levels, encoding: "RLE_DICTIONARY" }) };
    check([20, 1, 2, 20, 1], page, { ...packed, optional: true });
    expect(() => check([20, 1, 2, 22, 1], page, { ...packed, optional: true })).toThrow(
      "a run is longer than its page",
    );
    const small = { ...page, uncompressed_page_size: 1 };
    expect(() => check([20, 1, 2, 20, 1], small, { ...packed, optional: true })).toThrow(
      "the size of a page is not possible",
    );
  });
});
