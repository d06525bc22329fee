import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkThrift } from "./thrift-check.ts";

/** Field 1 of this type, and what follows. */
const field = (type: number, ...rest: number[]) => Uint8Array.from([0x10 + type, ...rest]);

describe("checkThrift", () => {
  it("walks over every type, to the end", () => {
    const all = [
      ...[0x11, 0x12, 0x13, 7, 0x14, 200, 1, 0x16, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
      ...[
        0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 2, 65, 66, 0x19, 0x25, 3, 4, 0x1c, 0x11, 0, 0x05, 2, 9,
        0,
      ],
    ];
    expect(checkThrift(Uint8Array.from([9, 9, ...all, 77]), 2)).toBe(2 + all.length);
    const file = readFileSync("test/fixtures/pages-v1.parquet");
    const length = file.readUInt32LE(file.length - 8);
    expect(checkThrift(file.subarray(0, -8), file.length - 8 - length)).toBe(file.length - 8);
  });

  it.each<[string, Uint8Array]>([
    ["a list is cut off", field(9, 0xf5, 255, 255, 255, 127, 1, 2, 0)],
    ["a list is cut off", field(9, 0x55, 1, 2)],
    ["a structure is cut off", field(8, 9, 65, 0)],
    ["a structure is cut off", field(7, 1, 2)],
    ["a structure is cut off", field(3)],
    ["more than 64 bits", field(6, ...new Array(11).fill(255), 0)],
    ["more than 32 bits", field(8, ...new Array(6).fill(255), 0)],
    ["unknown type", field(14, 0)],
    ["too deep", Uint8Array.from(new Array(100).fill(0x1c))],
    ["too deep", Uint8Array.from([0x19, ...new Array(100).fill(0x19)])],
  ])("says that %s, %#", (message, bytes) => {
    expect(() => checkThrift(bytes, 0)).toThrow(message);
  });
});
