import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folder as dataFolder, hasSet } from "../../test/datasets.ts";
import { type Features, rowSize } from "../data/features.ts";
import { namesOf } from "../data/names.ts";
import { featureStatistics } from "../data/standardise.ts";
import { readNpy, writeNpy } from "../io/npy.ts";
import { openFeatures, readTasks } from "./features.ts";
import { readGold } from "./files.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "consilience-features-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A new folder with these files; returns the path of the first. */
let folders = 0;
function files(
  ...list: readonly (readonly [name: string, content: string | Uint8Array])[]
): string {
  const path = join(folder, String(folders++));
  mkdirSync(path);
  for (const [name, content] of list) writeFileSync(join(path, name), content);
  return join(path, list[0][0]);
}

function all(features: Features): number[] {
  const into = new Float32Array(features.tasks.length * rowSize(features));
  features.read(Array.from([...features.tasks].keys()), into);
  return [...into];
}

const array = writeNpy([2, 2], Float32Array.of(1, 2, 3, 4));

describe("openFeatures", () => {
  it.each([
    ["features.npy", "tasks.csv"],
    ["features.npy.gz", "tasks.csv"],
    ["features.npy", "tasks.csv.gz"],
    ["x.npy", "x_tasks.csv"],
    ["train_features.npy", "train_tasks.csv"],
    ["train_features.npy", "tasks.csv"],
    ["test_features.npy", "test_tasks.csv"],
    ["test-features.npy", "test_tasks.csv"],
    ["valid_features.npy", "valid_features_tasks.csv"],
  ])("finds the tasks of %s in %s", async (name, tasks) => {
    const pack = (file: string, bytes: string | Uint8Array) =>
      file.endsWith(".gz") ? gzipSync(bytes) : bytes;
    const path = files([name, pack(name, array)], [tasks, pack(tasks, "task\nb\na\n")]);
    const features = await openFeatures(path);
    expect([[...features.tasks], all(features), features.notes]).toEqual([
      ["b", "a"],
      [1, 2, 3, 4],
      [],
    ]);
  });

  it.each(["test_features.npy", "valid_features.npy", "test.npy", "val-features.npy"])(
    "does not take tasks.csv for the tasks of %s, which is of another set",
    async (name) => {
      const path = files([name, array], ["tasks.csv", "task\nb\na\n"]);
      await expect(openFeatures(path)).rejects.toThrow(/its rows have no names.*the gold file/);
    },
  );

  it("takes the tasks it is given, as a list or as a file, before those beside", async () => {
    const path = files(
      ["x.npy", array],
      ["tasks.csv", "task\nb\na\n"],
      ["gold.csv", "label,item\nx,c\n,d\n"],
    );
    expect([...(await openFeatures(path, { tasks: ["p", "q"] })).tasks]).toEqual(["p", "q"]);
    const gold = join(path, "../gold.csv");
    expect([...(await openFeatures(path, { tasks: gold })).tasks]).toEqual(["c", "d"]);
    const named = { tasks: gold, columns: { task: "label" } };
    await expect(openFeatures(path, named)).rejects.toThrow(`${gold}:3: the task is empty.`);
  });

  it("names both files and counts where they do not match", async () => {
    const path = files(["x.npy", array], ["tasks.csv", "task\nb\n"]);
    await expect(openFeatures(path)).rejects.toThrow(
      `${path} has 2 rows, but ${join(path, "../tasks.csv")} names 1 task.`,
    );
    await expect(openFeatures(path, { tasks: ["a"], tasksName: "gold.csv" })).rejects.toThrow(
      "has 2 rows, but gold.csv names 1 task.",
    );
  });

  it("leaves large arrays on disk, small ones in memory, and the numbers are the same", async () => {
    const path = files(["x.npy", array], ["tasks.csv", "task\nb\na\n"]);
    const held = await openFeatures(path, { memory: array.length });
    const disk = await openFeatures(path, { memory: array.length - 1 });
    expect(held.close).toBeUndefined();
    expect(disk.close).toBeDefined();
    expect(all(disk)).toEqual(all(held));
    disk.close?.();
    expect(all(held)).toHaveLength(4);
  });

  it("reads tables, IDX, packed files and pipes", async () => {
    const text = "task,a,b\nx,1,2\ny,3,4\n";
    const path = files(["f.csv", text], ["f.csv.gz", gzipSync(text)]);
    for (const name of [path, `${path}.gz`]) {
      expect(all(await openFeatures(name, { tasks: "not needed" }))).toEqual([1, 2, 3, 4]);
    }
    const stdin = () => Readable.from([Buffer.from(text)]);
    expect(all(await openFeatures("-", { stdin: stdin() }))).toEqual([1, 2, 3, 4]);
    const bytes = Readable.from([Buffer.from(array)]);
    expect([...(await openFeatures("-", { stdin: bytes, tasks: ["a", "b"] })).tasks]).toEqual([
      "a",
      "b",
    ]);
    const idx = Uint8Array.of(0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 255);
    const image = await openFeatures(files(["images-idx3-ubyte.gz", gzipSync(idx)]));
    expect([[...image.tasks], image.shape, all(image)]).toEqual([["0"], [1, 1, 2], [0, 1]]);
  });

  it("does not hold more than it may", async () => {
    const text = `task,a\n${Array.from({ length: 3000 }, (_, i) => `${i},1\n`).join("")}`;
    await expect(openFeatures(files(["f.csv", text]), { memoryLimit: 1000 })).rejects.toMatchObject(
      {
        code: "too-large",
      },
    );
    const packed = files(["x.npy.gz", gzipSync(array)], ["tasks.csv", "task\na\nb\n"]);
    await expect(openFeatures(packed, { memoryLimit: 100 })).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringContaining("Use .npy without gzip, which is read from disk"),
    });
    await expect(openFeatures(packed, { maxUnpackedBytes: 100 })).rejects.toMatchObject({
      code: "too-large",
    });
  });

  it.each([
    ["missing.npy", "there is no such file"],
    ["empty.npy", "is empty."],
    ["text.npy", "no column is recognised as the task"],
  ])("says what is wrong with %s", async (name, message) => {
    const path = files(["empty.npy", ""], ["text.npy", "hello,world\n"]);
    await expect(openFeatures(join(path, "..", name))).rejects.toMatchObject({
      code: "bad-data",
      message: expect.stringContaining(message),
    });
  });

  it("says what it understood of the array and of its tasks", async () => {
    const path = files(["x.npy", array], ["tasks.csv", "task\nb\na\n"]);
    for (const memory of [1, 1000]) {
      const said: string[] = [];
      const features = await openFeatures(path, {
        memory,
        onUnderstood: (line) => said.push(line),
      });
      features.close?.();
      expect(said).toEqual([
        `${join(path, "../tasks.csv")}: CSV or TSV, separated by commas, task = "task"; 2 rows`,
        `${path}: NumPy array of f4, shape (2, 2); 2 rows`,
      ]);
    }
  });
});

describe("readTasks", () => {
  it("reads a column of any table", async () => {
    expect(await readTasks(files(["t.jsonl", '{"task":1}\n{"task":"b"}\n']))).toEqual(["1", "b"]);
  });
});

describe("readGold", () => {
  it("reads IDX labels", async () => {
    const path = files([
      "labels-idx1-ubyte.gz",
      gzipSync(Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 2, 7, 3)),
    ]);
    expect((await readGold(path)).gold).toEqual([
      ["0", "7"],
      ["1", "3"],
    ]);
  });
});

describe("public sets", () => {
  const at = (...parts: string[]) => join(dataFolder, ...parts);

  it.skipIf(!hasSet("labelme"))("labelme: memory and disk agree", async () => {
    const path = at("labelme", "features.npy");
    const held = await openFeatures(path);
    const disk = await openFeatures(path, { memory: 0 });
    expect([held.tasks.length, held.shape]).toEqual([1000, [512]]);
    expect(all(disk)).toEqual(all(held));
    expect(featureStatistics(disk)).toEqual(featureStatistics(held));
    disk.close?.();
    const test = await openFeatures(at("labelme", "test_features.npy"), {
      tasks: at("labelme", "test_gold.csv"),
    });
    expect([...test.tasks]).toHaveLength(1188);
  });

  it.skipIf(!hasSet("sp"))("sp: 16 bits are widened", async () => {
    const path = at("sp", "features.npy");
    const disk = await openFeatures(path, { memory: 0 });
    expect([disk.tasks.length, disk.shape]).toEqual([4999, [600]]);
    expect(all(disk)).toEqual(Array.from(readNpy(readFileSync(path)).data as Float32Array));
    disk.close?.();
  });

  it.skipIf(!hasSet("digits"))("digits: columns that never change are named", async () => {
    const { notes } = featureStatistics(await openFeatures(at("digits", "features.npy")));
    expect(notes[0]).toContain("3 of 64 columns (counted from 0): 0, 32, 39.");
  });

  it.skipIf(!hasSet("mnist10k"))("mnist10k: the mean and spread everyone knows", async () => {
    const path = at("mnist10k", "images-idx3-ubyte.gz");
    const features = await openFeatures(path);
    expect([features.tasks.length, features.shape]).toEqual([10_000, [1, 28, 28]]);
    const { mean, scale } = featureStatistics(features);
    expect(mean[0]).toBeCloseTo(0.1325, 4);
    expect(scale[0]).toBeCloseTo(0.3105, 4);
    const raw = gunzipSync(readFileSync(path)).subarray(16, 16 + 784);
    expect(all({ ...features, tasks: namesOf(["0"]) })).toEqual(
      Array.from(raw, (byte) => Math.fround(byte / 255)),
    );
    const { gold } = await readGold(at("mnist10k", "labels-idx1-ubyte.gz"));
    expect(gold.slice(0, 3)).toEqual([
      ["0", "7"],
      ["1", "2"],
      ["2", "1"],
    ]);
  });
});
