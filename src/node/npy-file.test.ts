import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowSize } from "../data/features.ts";
import { CrowdError } from "../error.ts";
import { featuresOfArray } from "../io/features.ts";
import { type NpyData, writeNpy } from "../io/npy.ts";
import { openNpyFile } from "./npy-file.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "consilience-npy-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const names = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** The same file with another kind in its header, of as many letters. */
function relabel(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.write(copy.toString("latin1", 0, 128).replace(from, to), "latin1");
  return copy;
}

/** Any bytes are numbers of most kinds; floats are kept from being NaN or infinite. */
const kinds: Record<string, (bytes: Uint8Array) => NpyData> = {
  "|u1": (bytes) => bytes,
  "|i1": (bytes) => new Int8Array(bytes.buffer),
  "<i2": (bytes) => new Int16Array(bytes.buffer),
  "<u2": (bytes) => new Uint16Array(bytes.buffer),
  "<i4": (bytes) => new Int32Array(bytes.buffer),
  "<u4": (bytes) => new Uint32Array(bytes.buffer),
  "<i8": (bytes) => new BigInt64Array(bytes.buffer),
  "<u8": (bytes) => new BigUint64Array(bytes.buffer),
  "<f2": (bytes) => new Uint16Array(bytes.buffer).map((bits) => bits & 0xbbff),
  "<f4": (bytes) => Float32Array.from(new Int32Array(bytes.buffer), (bits) => bits / 7e5),
  "<f8": (bytes) =>
    Float64Array.from(new BigInt64Array(bytes.buffer), (bits) => Number(bits) / 3e9),
};

describe("openNpyFile", () => {
  it.each(
    Object.keys(kinds).flatMap((dtype) =>
      dtype[0] === "<" ? [dtype, dtype.replace("<", ">")] : [dtype],
    ),
  )("reads %s as it is read from memory, bit for bit, rows in any order", (dtype) => {
    const make = kinds[dtype.replace(">", "<")];
    const width = Number(dtype[2]);
    const layouts = fc.constantFrom([5], [4, 3], [3, 2, 4], [2, 4, 3], [1, 3, 3], [6, 6, 1]);
    fc.assert(
      fc.property(
        layouts,
        fc.integer({ min: 1, max: 30 }),
        fc.infiniteStream(fc.nat(255)),
        fc.array(fc.nat(1000), { maxLength: 60 }),
        (inner, rows, stream, wanted) => {
          const shape = [rows, ...inner];
          const count = shape.reduce((a, b) => a * b);
          const data = make(Uint8Array.from({ length: count * width }, () => stream.next().value));
          let bytes = writeNpy(shape, data);
          if (dtype[2] === "2" && dtype[1] === "f") bytes = relabel(bytes, "<u2", "<f2");
          // High byte first is another file, with other numbers; floats might turn into NaN.
          if (dtype[0] === ">") {
            if (dtype[1] === "f") {
              const raw = bytes.subarray(bytes.length - count * width);
              for (let at = 0; at < raw.length; at += width) raw.subarray(at, at + width).reverse();
            }
            bytes = relabel(bytes, dtype.replace(">", "<"), dtype);
          }
          const options = { tasks: names(rows), layout: inner[0] < 3 ? "nchw" : "nhwc" } as const;
          const memory = featuresOfArray("x.npy", bytes, options);
          const disk = openNpyFile(file("any.npy", bytes), options);
          const order = wanted.map((row) => row % rows);
          const [a, b] = [memory, disk].map((features) => {
            const into = new Float32Array(order.length * rowSize(features));
            features.read(order, into);
            return new Uint32Array(into.buffer);
          });
          disk.close();
          expect(b).toEqual(a);
          expect(disk.shape).toEqual(memory.shape);
          expect(disk.scale).toBe(memory.scale);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("reads runs of rows longer than its buffer, and rows longer than that", () => {
    for (const [rows, size] of [
      [700_000, 3],
      [5, 400_000],
    ]) {
      const data = Float32Array.from({ length: rows * size }, (_, i) => i % 1_000_003);
      const features = openNpyFile(file("large.npy", writeNpy([rows, size], data)), {
        tasks: names(rows),
      });
      const into = new Float32Array(data.length);
      features.read(
        Int32Array.from({ length: rows }, (_, i) => i),
        into,
      );
      expect(Buffer.compare(new Uint8Array(into.buffer), new Uint8Array(data.buffer))).toBe(0);
      features.read([rows - 1, 0], into);
      expect(into[0]).toBe(data[data.length - size]);
      expect(into[size]).toBe(0);
      features.close();
    }
  });

  it("finds every number that is not finite in one look at the file", () => {
    const rows = 300_000;
    const data = new Float64Array(rows * 2);
    data[2 * 7 + 1] = Number.NaN;
    data[2 * 299_999] = 1e39;
    const path = file("nan.npy", writeNpy([rows, 2], data));
    expect(() => openNpyFile(path, { tasks: names(rows) })).toThrow(
      `${path}: 2 numbers are NaN, infinite, or too large for 32 bits: task "t7" (row 7, column 1), ` +
        'task "t299999" (row 299999, column 0).',
    );
  });

  it("refuses Fortran order and says what to do", () => {
    const path = file(
      "f.npy",
      relabel(writeNpy([2, 2], Float32Array.of(1, 2, 3, 4)), "False", "True "),
    );
    expect(() => openNpyFile(path, { tasks: names(2) })).toThrow(
      /stored column by column \(Fortran order\).*np\.ascontiguousarray\(x\).*raise memory to 16 bytes/,
    );
    const memory = featuresOfArray(
      "f.npy",
      relabel(writeNpy([2, 2], Float32Array.of(1, 2, 3, 4)), "False", "True "),
      {
        tasks: names(2),
      },
    );
    const into = new Float32Array(2);
    memory.read([0], into);
    expect([...into]).toEqual([1, 3]);
  });

  it.each<[string, (path: string) => void, string]>([
    ["cut off", (path) => truncateSync(path, 130), "the file is cut off"],
    ["cut in its header", (path) => truncateSync(path, 40), "the header is cut off"],
    [
      "of objects",
      (path) => writeFileSync(path, relabel(writeNpy([4, 2], new Float64Array(8)), "<f8", "|O8")),
      'an array of "|O8"',
    ],
    ["gone", (path) => rmSync(path), "there is no such file"],
  ])("says that a file is %s", (_, damage, message) => {
    const path = file("bad.npy", writeNpy([4, 2], new Float32Array(8)));
    damage(path);
    expect(() => openNpyFile(path, { tasks: names(4) })).toThrow(message);
  });

  it("does not mind bytes behind the last row, but notices when the file becomes shorter", () => {
    const path = file("grow.npy", writeNpy([4, 2], Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8)));
    appendFileSync(path, "more");
    const features = openNpyFile(path, { tasks: names(4) });
    const into = new Float32Array(2);
    features.read([3], into);
    expect([...into]).toEqual([7, 8]);
    truncateSync(path, 140);
    expect(() => features.read([3], into)).toThrow(`${path}: the file became shorter.`);
    features.close();
  });

  it("checks rows as in memory, and refuses to read once closed", () => {
    const features = openNpyFile(file("x.npy", writeNpy([2, 1], Float32Array.of(1, 2))), {
      tasks: names(2),
    });
    expect(() => features.read([2], new Float32Array(1))).toThrow("there is no row 2");
    expect(() => features.read([0, 1], new Float32Array(1))).toThrow("do not fit");
    features.close();
    features.close();
    expect(() => features.read([0], new Float32Array(1))).toThrow("closed already");
  });

  it("either reads or refuses a header that was damaged", () => {
    const valid = writeNpy(
      [4, 3],
      Float32Array.from({ length: 12 }, (_, i) => i),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 3 }), (changes) => {
        const bytes = valid.slice();
        for (const [at, byte] of changes) bytes[at] = byte;
        try {
          openNpyFile(file("fuzz.npy", bytes), { tasks: names(4) }).close();
        } catch (error) {
          if (!(error instanceof CrowdError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});
