import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onPosix } from "../../test/platform.ts";
import { fromRows } from "../data/from-rows.ts";
import { writeNpy } from "../io/npy.ts";
import { parquet } from "../io/parquet.ts";
import { amendFile, readAnswers, readData, readGold, readHeader, readTable } from "./files.ts";
import { openSource } from "./source.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "consilience-files-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const text = "task,worker,label\na,ana,cat\na,bob,dog\nb,ana,dog\n";

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Enough rows for several pieces. */
const many = `task,worker,label\n${Array.from({ length: 60_000 }, (_, i) => `task-${i},w${i % 9},${i % 3}\n`).join("")}`;

describe("readData", () => {
  it("reads a file, several files, and packed ones", async () => {
    const plain = await readData([file("a.csv", text)]);
    expect([...plain.tasks]).toEqual(["a", "b"]);
    const packed = await readData([file("b.csv.gz", gzipSync(text))]);
    expect(packed).toEqual(plain);
    const both = await readData([
      file("a.csv", text),
      file("c.gz", gzipSync("task,worker,label\nc,cyd,owl\n")),
    ]);
    expect([...both.tasks]).toEqual(["a", "b", "c"]);
  });

  it("knows a packed file by its bytes, and one of several parts", async () => {
    const [head, ...rows] = text.trimEnd().split("\n");
    const parts = [gzipSync(`${head}\n`), ...rows.map((row) => gzipSync(`${row}\n`))];
    const data = await readData([file("parts.csv", Buffer.concat(parts))]);
    expect(data.label).toHaveLength(3);
  });

  it("reads files larger than a piece, packed or not, the same", async () => {
    const plain = await readData([file("many.csv", many)]);
    expect([...plain.tasks]).toHaveLength(60_000);
    expect(await readData([file("many.csv.gz", gzipSync(many))])).toEqual(plain);
  });

  it("reads stdin for -", async () => {
    const stdin = Readable.from([Buffer.from(text.slice(0, 20)), Buffer.from(text.slice(20))]);
    expect((await readData(["-"], { stdin })).label).toHaveLength(3);
    await expect(readData(["-", "-"])).rejects.toMatchObject({ code: "usage" });
    await expect(readData([])).rejects.toMatchObject({ code: "usage" });
    await expect(readData(["-"], { stdin: Readable.from([]) })).rejects.toThrow("stdin is empty.");
  });

  onPosix("reads a pipe", async () => {
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    const writing = new Promise((resolve) => {
      import("node:fs/promises")
        .then(({ writeFile }) => writeFile(path, text))
        .then(resolve, resolve);
    });
    expect((await readData([path])).label).toHaveLength(3);
    await writing;
  });

  it("reads Parquet from the disk without holding it, and packed all the same", async () => {
    const rows = Array.from({ length: 500 }, (_, i) => ({
      task: `t${i}`,
      worker: "w",
      label: `${i % 2}`,
    }));
    const [bytes] = (await parquet.write(fromRows(rows))) as [Uint8Array];
    const plain = await readData([file("x.parquet", bytes)], { memoryLimit: 10 });
    expect([...plain.tasks]).toHaveLength(500);
    expect(await readData([file("x.parquet.gz", gzipSync(bytes))])).toEqual(plain);
  });

  it("says what it understood and how far it is", async () => {
    const said: string[] = [];
    const progress: number[] = [];
    const path = file("many.csv", many);
    await readData([path], {
      onUnderstood: (line) => said.push(line),
      onProgress: (read, total) => progress.push(read / (total ?? Number.NaN)),
    });
    expect(said.join()).toContain(
      `${path}: CSV or TSV, one label per row, separated by commas, task = "task"`,
    );
    expect(said.join()).toContain("60,000 rows");
    expect(progress.length).toBeGreaterThan(2);
    expect(progress.at(-1)).toBe(1);
  });

  it("stops between pieces when it is told to", async () => {
    const stop = new AbortController();
    const reading = readData([file("many.csv", many)], {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error("enough")),
    });
    await expect(reading).rejects.toMatchObject({
      code: "cancelled",
      cause: expect.objectContaining({ message: "enough" }),
    });
    await expect(
      readData([file("many.csv.gz", gzipSync(many))], { signal: stop.signal }),
    ).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  it.each([
    ["missing.csv", "there is no such file. Check the path."],
    ["a.csv/x.csv", "there is no such file. Check the path."],
    [".", "this is a folder. Name the files in it instead."],
  ])("says what is wrong with %s", async (name, message) => {
    file("a.csv", text);
    const path = join(folder, name);
    await expect(readData([path])).rejects.toMatchObject({
      code: "bad-data",
      message: `${path}: ${message}`,
    });
  });

  onPosix("says that a file may not be read", async () => {
    const path = file("secret.csv", text);
    chmodSync(path, 0o000);
    // Root may read anything, so it becomes nobody for a moment.
    const root = process.getuid?.() === 0;
    if (root) process.seteuid?.(65_534);
    try {
      await expect(readData([path])).rejects.toThrow(
        "the file may not be read. Check its permissions.",
      );
    } finally {
      if (root) process.seteuid?.(0);
    }
  });

  it.each([
    ["empty.csv", "", "is empty."],
    ["empty.csv.gz", gzipSync(""), "is empty."],
    ["header.csv", "task,worker,label\n", "there are no labels."],
  ])("calls %s what it is", async (name, content, message) => {
    const path = file(name, content);
    await expect(readData([path])).rejects.toMatchObject({
      code: "no-labels",
      message: expect.stringContaining(message),
    });
    await expect(readData([path])).rejects.toThrow(path);
  });

  it("says that a packed file is cut off or damaged", async () => {
    const packed = gzipSync(many);
    const cut = file("cut.csv.gz", packed.subarray(0, packed.length >> 1));
    await expect(readData([cut])).rejects.toMatchObject({
      code: "bad-data",
      message: `${cut}: the gzip file is cut off. Copy or download it again.`,
    });
    packed.fill(0x55, 1000, 1100);
    await expect(readData([file("bad.csv.gz", packed)])).rejects.toThrow(
      "the gzip file is damaged",
    );
  });

  it("does not unpack without end", async () => {
    const path = file("many.csv.gz", gzipSync(many));
    await expect(readData([path], { maxUnpackedBytes: 100_000 })).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringContaining("raise maxUnpackedBytes"),
    });
  });

  it("refuses what unpacks to far more than its size", async () => {
    const part = gzipSync(Buffer.alloc(2 ** 20, "a,b,c\n"), { level: 9 });
    const path = file("bomb.csv.gz", Buffer.concat(Array.from({ length: 1026 }, () => part)));
    const source = await openSource(path);
    const drain = async () => {
      for await (const piece of source.pieces()) expect(piece.length).toBeGreaterThan(0);
    };
    await expect(drain()).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringContaining("more than 200 times its size"),
    });
    await source.close();
  });

  it("works out the memory before it runs out", async () => {
    const rows = many.slice(many.indexOf("\n") + 1);
    const path = file("big.csv", `task,worker,label\n${rows.repeat(16)}`);
    await expect(readData([path], { memoryLimit: 20 * 2 ** 20 })).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringMatching(
        /some [\d,]+ labels would take about [\d.]+ GiB of memory, more than the limit of 0\.020 GiB/,
      ),
    });
  });

  it("does not hold more than it may of a format that wants it all", async () => {
    const array = writeNpy([1000, 3], new Int32Array(3000));
    for (const path of [file("x.npy", array), file("x.npy.gz", gzipSync(array))]) {
      await expect(readData([path], { memoryLimit: 5000 })).rejects.toMatchObject({
        code: "too-large",
        message: expect.stringContaining("is held in memory as a whole"),
      });
    }
  });

  it("stops while it waits for a pipe", async () => {
    const stop = new AbortController();
    const silent = new Readable({ read() {} });
    setTimeout(() => stop.abort(), 20);
    await expect(readData(["-"], { stdin: silent, signal: stop.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  it("stops between the pieces of a Parquet file", async () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({ task: `t${i}`, worker: "w", label: "x" }));
    const [bytes] = (await parquet.write(fromRows(rows))) as [Uint8Array];
    const stop = new AbortController();
    let calls = 0;
    const reading = readData([file("stop.parquet", bytes)], {
      signal: stop.signal,
      onProgress: () => {
        if (++calls === 2) stop.abort();
      },
    });
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
  });

  it("takes the format it is told", async () => {
    const path = file("x.csv", "task,worker,label\na,x,y\n");
    expect([...(await readData([path], { format: "wide-matrix" })).workers]).toEqual([
      "worker",
      "label",
    ]);
    await expect(readData([path], { format: "xls" })).rejects.toThrow('There is no format "xls"');
  });
});

describe("readGold, readAnswers and readTable", () => {
  it("read their tables", async () => {
    expect((await readGold(file("gold.csv.gz", gzipSync("task,label\na,cat\n")))).gold).toEqual([
      ["a", "cat"],
    ]);
    expect(
      (await readAnswers(file("truth.csv", "task,label,confidence\na,cat,0.5\n"))).labels,
    ).toEqual(["cat"]);
    expect((await readTable(file("groups.csv", "worker,site\nana,x\n"))).columns[1].texts).toEqual([
      "x",
    ]);
    expect(
      (await readGold("-", { stdin: Readable.from([Buffer.from("task,label\na,cat\n")]) })).gold,
    ).toHaveLength(1);
  });

  it("do not take a table for a matrix of labels", async () => {
    const path = file("posterior.csv", "task,cat,dog\na,1,0\nb,0,1\n");
    expect((await readAnswers(path)).labels).toEqual(["cat", "dog"]);
  });

  it("say that there is nothing, and where", async () => {
    const path = file("gold.csv", "task,label\na,\n");
    await expect(readGold(path)).rejects.toMatchObject({
      code: "no-labels",
      message: expect.stringContaining(path),
    });
    await expect(readAnswers(file("none.csv", ""))).rejects.toMatchObject({ code: "no-labels" });
  });
});

describe("readHeader", () => {
  it("tells the format and the columns without reading on", async () => {
    expect(await readHeader(file("many.csv", many))).toEqual({
      format: "csv",
      header: ["task", "worker", "label"],
    });
    expect(await readHeader(file("p.csv", "worker,left,right,label\n"))).toEqual({
      format: "csv",
      header: ["worker", "left", "right", "label"],
    });
    const [bytes] = (await parquet.write(fromRows([{ task: "a", worker: "w", label: "x" }]))) as [
      Uint8Array,
    ];
    expect(await readHeader(file("y.parquet", bytes))).toEqual({
      format: "parquet",
      header: ["task", "worker", "label"],
    });
  });
});

describe("amendFile", () => {
  const answers = { tasks: ["1"], labels: ["cat"], notes: [] };
  const result = [{ from_name: "q", to_name: "x", type: "choices", value: { choices: ["dog"] } }];
  const tasks = [{ id: 1, data: {}, annotations: [{ completed_by: 1, result }] }];

  it("adds answers to an export, packed or not", async () => {
    for (const content of [JSON.stringify(tasks), gzipSync(JSON.stringify(tasks))]) {
      const { written, format } = await amendFile(file("export.json", content), answers);
      expect(format.id).toBe("label-studio");
      expect(JSON.parse([...written].join(""))[0]).toMatchObject({
        ...tasks[0],
        predictions: [{ model_version: "consilience" }],
      });
    }
  });

  it("refuses what would not fit into memory, and what takes no answers", async () => {
    const path = file("large.json", JSON.stringify(tasks));
    await expect(amendFile(path, answers, { memoryLimit: 100 })).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringContaining("large.json"),
    });
    await expect(amendFile(file("plain.csv", text), answers)).rejects.toMatchObject({
      code: "not-supported",
    });
  });
});
