import type { ColumnMetaData } from "hyparquet";
import { describe, expect, it } from "vitest";
import { checkPages, type PageHeader } from "./parquet-pages.ts";

/** Looks over one page, handed over as its header and its bytes. */
function check(
  page: readonly number[],
  header: Partial<PageHeader>,
  { rows = 10, optional = false, lists = false, codec = "UNCOMPRESSED", atOnce = false } = {},
) {
  const chunk = Uint8Array.from([...page, ...(lists ? [0] : [0, 0])]);
  const whole = {
    compressed_page_size: page.length,
    uncompressed_page_size: page.length,
    ...header,
  };
  const levels = { repetition: lists ? 1 : 0, definition: lists ? 3 : optional ? 1 : 0 };
  const tools = {
    pageHeader: () => whole as PageHeader,
    compressors: { SNAPPY: (input: Uint8Array) => input },
  };
  return checkPages(chunk, { codec } as ColumnMetaData, levels, rows, tools, atOnce);
}

const dictionary = (num_values: number) => ({
  data_page_header: { num_values, encoding: "RLE_DICTIONARY" },
});
const plain = (num_values: number) => ({ data_page_header: { num_values, encoding: "PLAIN" } });
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
