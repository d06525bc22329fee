import { describe, expect, it } from "vitest";
import { npyTexts, zipOf } from "../../test/zip-file.ts";
import { fromBytes } from "../jobs/from-bytes.ts";
import { featuresFromBytes } from "./features.ts";
import { tableFromBytes } from "./from-bytes.ts";
import { goldTable } from "./gold.ts";
import { sniff } from "./index.ts";
import { writeNpy } from "./npy.ts";

const triples = writeNpy([3, 3], Int32Array.of(0, 3, 1, 0, 5, 0, 1, 3, 1));
const lists = {
  "task.npy": npyTexts(["a", "a", "🦆b"]),
  "worker.npy": writeNpy([3], BigInt64Array.of(7n, 8n, 7n)),
  "label.npy": npyTexts(["cat ", "dog", "cat"]),
  "classes.npy": npyTexts(["cat", "dog"]),
};
const read = (bytes: Uint8Array, options = {}) => fromBytes([{ name: "x.npz", bytes }], options);

describe.each([true, false])("an archive, deflated: %s", (deflate) => {
  it("of one array is read as the array is", async () => {
    const bytes = zipOf({ "arr_0.npy": triples }, deflate);
    expect(sniff(bytes, "x").id).toBe("npz");
    const data = await read(bytes);
    expect([data.tasks, data.workers, data.classes].map((names) => [...names])).toEqual([
      ["0", "1"],
      ["3", "5"],
      ["0", "1"],
    ]);
    const named = zipOf(
      { "other.npy": writeNpy([2], Int32Array.of(1, 2)), "labels.npy": triples },
      deflate,
    );
    expect((await read(named, { format: "npz" })).label).toHaveLength(3);
  });

  it("of lists is a table, for labels and for gold", async () => {
    const data = await read(zipOf(lists, deflate));
    expect([...data.tasks]).toEqual(["a", "🦆b"]);
    expect([...data.workers]).toEqual(["7", "8"]);
    expect([...data.classes]).toEqual(["cat", "dog"]);
    const bytes = zipOf({ "task.npy": npyTexts(["a"]), "gold.npy": npyTexts(["cat"]) }, deflate);
    expect((await tableFromBytes(goldTable, { name: "g.npz", bytes }, {})).gold).toEqual([
      ["a", "cat"],
    ]);
  });

  it("holds features, and the names of their rows or not", async () => {
    const features = writeNpy([2, 2], Float32Array.of(1, 2, 3, 4));
    const own = zipOf({ "features.npy": features, "tasks.npy": npyTexts(["b", "a "]) }, deflate);
    const found = await featuresFromBytes({ name: "f.npz", bytes: own });
    expect([...found.tasks]).toEqual(["b", "a"]);
    const row = new Float32Array(2);
    found.read([1], row);
    expect([...row]).toEqual([3, 4]);
    const alone = zipOf({ "arr_0.npy": features }, deflate);
    await expect(featuresFromBytes({ name: "f.npz", bytes: alone })).rejects.toThrow(
      'f.npz: "arr_0": its rows have no names.',
    );
    const given = await featuresFromBytes({ name: "f.npz", bytes: alone }, { tasks: ["x", "y"] });
    expect([...given.tasks]).toEqual(["x", "y"]);
  });
});

describe("an archive that cannot be read", () => {
  it.each<[string, Record<string, Uint8Array>, string]>([
    [
      "none of the arrays",
      { "a.npy": triples, "b.npy": triples },
      'named task, worker and label. The arrays are: "a" (3 × 3), "b" (3 × 3).',
    ],
    [
      "another shape",
      { "data.npy": writeNpy([2, 2], Int32Array.of(1, 2, 3, 4)) },
      "labels should be whole numbers of shape (N, 3)",
    ],
    [
      "other lengths",
      { ...lists, "label.npy": npyTexts(["x"]) },
      '"task" has 3 values, but "label" has 1.',
    ],
    [
      "no such columns",
      { "a.npy": npyTexts(["x"]), "b.npy": npyTexts(["x"]) },
      "no column is recognised as the task, the worker or the label",
    ],
  ])("says so: %s", async (_, files, message) => {
    await expect(read(zipOf(files))).rejects.toThrow(message);
  });

  it("is refused when it unpacks to too much, or to other bytes than it says", async () => {
    const large = zipOf({ "data.npy": writeNpy([2 ** 20, 3], new Int32Array(3 * 2 ** 20)) });
    await expect(read(large, { maxUnpackedBytes: 2 ** 20 })).rejects.toMatchObject({
      code: "too-large",
    });
    for (const deflate of [true, false]) {
      const damaged = zipOf({ "data.npy": triples }, deflate);
      damaged[deflate ? 60 : 170] ^= 1;
      await expect(read(damaged)).rejects.toThrow(
        'x.npz: "data.npy" in the archive is cut off or damaged.',
      );
    }
    const lying = zipOf({ "data.npy": triples });
    new DataView(lying.buffer).setUint32(lying.length - 22 - 46 - 8 + 24, 50, true);
    await expect(read(lying)).rejects.toThrow("is cut off or damaged");
    await expect(read(lying.subarray(0, 100))).rejects.toThrow("the archive is cut off");
  });

  it("is told from other ZIP files", () => {
    expect(() => sniff(zipOf({ "sheet.xml": triples }), "x.xlsx")).toThrow("Excel workbook");
  });
});
