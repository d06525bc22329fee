import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDamaged } from "../../test/damage.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows, type LabelRow } from "../data/from-rows.ts";
import { CrowdError } from "../error.ts";
import { fromBytes } from "../jobs/from-bytes.ts";
import { featuresFromBytes } from "./features.ts";
import type { WritableFormat } from "./format.ts";
import { formatForName, formatNamed, sniff, writableFormats, writableNamed } from "./index.ts";
import { createLabelReader } from "./read.ts";

// What every format promises. A new one is tested by being in the list.

const hostile = [
  "<img src=x onerror=alert(1)>",
  "</script>",
  "__proto__",
  "constructor",
  "toString",
  "=cmd()",
  "+1+1",
  "-1",
  "-x",
  "@sum",
  "'=x",
  "''-1",
  "'",
  "\t",
  "\tx",
  "\rx",
  "a\r\nb",
  "a\nb",
  'say "hi"',
  '"',
  "a,b",
  "a;b",
  "a|b",
  "  padded ",
  " ",
  "007",
  "1e5",
  "NaN",
  "null",
  "true",
  "🦆",
  "שלום",
  "\u202etxt",
  "\ufeffbom",
  "é",
  "e\u0301",
  "\0",
  "x\0y",
  "%00",
  "a'b",
  "\\n",
  "Ünï",
  "日本語",
  "x".repeat(300),
];

const whole = ["0", "1", "17", "-3", "2147483648", "9007199254740993"];

/** The names a format can hold; those of numbers only are spoken for elsewhere. */
function namesFor({ id }: WritableFormat): readonly string[] {
  return id === "npy" ? whole : hostile;
}

function crowdOf(names: readonly string[]): CategoricalData {
  const rows: LabelRow[] = names.flatMap((task, t) =>
    [0, 1].map((j) => ({
      task,
      worker: names[(t * 7 + j) % names.length],
      label: names[(t + j) % names.length],
    })),
  );
  return fromRows(rows);
}

/** Three workers, two classes, every name a whole number. */
const plain = fromRows(
  Array.from({ length: 12 }, (_, i) => ({
    task: String(Math.floor(i / 3)),
    worker: String(i % 3),
    label: String(i % 2),
  })),
);

async function bytesOf(format: WritableFormat, data: CategoricalData): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = [...(await format.write(data))].map((piece) =>
    typeof piece === "string" ? encoder.encode(piece) : piece,
  );
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

async function read(format: WritableFormat, bytes: Uint8Array, cuts: readonly number[] = []) {
  const reader = createLabelReader({ repeats: "all", keepSpaces: true, keepUnicode: true });
  const file = reader.open("labels", format);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let at = 0;
  for (const end of ends) {
    // A copy that is overwritten at once: readers may not keep what they are pushed.
    const piece = bytes.slice(at, end);
    file.push(piece);
    piece.fill(0x58);
    at = end;
  }
  await file.finish();
  return reader.finish();
}

function rowsOf(data: CategoricalData): string[] {
  return Array.from(data.task, (t, i) =>
    JSON.stringify([
      data.tasks.at(t),
      data.workers.at(data.worker[i]),
      data.classes.at(data.label[i]),
      data.time?.[i] ?? null,
      data.weight?.[i] ?? 1,
    ]),
  ).sort();
}

describe.each(writableFormats.map((format) => [format.id, format] as const))("%s", (id, format) => {
  it("reads back any name it wrote, to the letter", async () => {
    const data = crowdOf(namesFor(format));
    const back = await read(format, await bytesOf(format, data));
    expect(rowsOf(back)).toEqual(rowsOf(data));
    expect(back.notes.filter((note) => note.includes("dropped"))).toEqual([]);
  });

  it("reads back random names, cut into pieces anywhere", async () => {
    const any = fc.string({ unit: "binary", minLength: 1 });
    const tricky = fc.string({ unit: fc.constantFrom(...'\t,;|"\n\r =a1'), minLength: 1 });
    const name = id === "npy" ? fc.integer().map(String) : fc.oneof(any, tricky);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(5000), { maxLength: 5 }),
        async (names, cuts) => {
          const data = crowdOf(names);
          const repeats = new Set(Array.from(data.task, (t, i) => `${t} ${data.worker[i]}`)).size;
          fc.pre(id !== "wide-matrix" || repeats === data.task.length);
          expect(rowsOf(await read(format, await bytesOf(format, data), cuts))).toEqual(
            rowsOf(data),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it("recognises its own files by their first bytes alone", async () => {
    expect(sniff(await bytesOf(format, plain), "labels").id).toBe(id);
  });

  it("keeps times and weights, or says that it does not", async () => {
    const data = fromRows([
      {
        task: "1",
        worker: "1",
        label: "0",
        time: Date.UTC(2024, 4, 31, 12, 30, 15, 250),
        weight: 2.5,
      },
      { task: "1", worker: "2", label: "1", weight: 1 },
    ]);
    const notes: string[] = [];
    await format.write(data, { onNote: (note) => notes.push(note) });
    if (notes.length === 0)
      expect(rowsOf(await read(format, await bytesOf(format, data)))).toEqual(rowsOf(data));
    else expect(notes.join()).toMatch(/weights/);
  });

  it("calls an empty file empty", async () => {
    await expect(read(format, new Uint8Array(0))).rejects.toMatchObject({
      code: "no-labels",
      message: expect.stringContaining("labels is empty."),
    });
  });

  it("throws nothing but CrowdError, whatever the bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) =>
        onlyCrowdErrors(format, bytes),
      ),
      { numRuns: 200, seed: 1 },
    );
  });

  it("throws nothing but CrowdError when a file of its own is damaged or cut off", async () => {
    const valid = await bytesOf(
      format,
      crowdOf(id === "npy" ? whole : ["ana", "bob", "cyd", 'd"d', "é"]),
    );
    await readDamaged(valid, (bytes) => read(format, bytes), { numRuns: 300 });
  });
});

async function onlyCrowdErrors(format: WritableFormat, bytes: Uint8Array): Promise<void> {
  try {
    await read(format, bytes);
  } catch (error) {
    if (!(error instanceof CrowdError)) throw error;
    expect(error.message).toMatch(/labels|gold|row/);
  }
}

describe("sniff", () => {
  it.each([
    ["PK\x03\x04 zip", "ZIP"],
    ["\x1f\x8b gzip", "gzip"],
    ["[1, 2]", "this JSON list does not hold objects"],
    ["<html>", "HTML"],
    ["\0\x01\x02 nothing known", "none of the formats"],
  ])("says what to do with %j", (start, advice) => {
    const bytes = Uint8Array.from(start, (letter) => letter.charCodeAt(0));
    expect(() => sniff(bytes, "labels.csv")).toThrow(advice);
  });

  it("goes by the bytes, not by the name", async () => {
    for (const format of writableFormats) {
      expect(sniff(await bytesOf(format, plain), "labels.csv.gz").id).toBe(format.id);
    }
  });

  it("takes the format of an empty file from its name", () => {
    expect(sniff(new Uint8Array(0), "x.parquet.gz").id).toBe("parquet");
  });
});

describe("formats by name", () => {
  it("finds the format of a file to be written", () => {
    expect(formatForName("out/labels.CSV.gz").id).toBe("csv");
    expect(formatForName("labels.feather").id).toBe("arrow");
    expect(() => formatForName("labels.doc")).toThrow("the format is not clear from the name");
  });

  it("lists the formats there are when it knows none of the name", () => {
    expect(() => formatNamed("xlsx")).toThrow(
      "Try: csv, jsonl, wide-matrix, npy, parquet, arrow, json, npz, conll, label-studio",
    );
  });
});

describe("fromBytes", () => {
  it("puts files of different formats together, packed or not", async () => {
    const data = crowdOf(["a", "b", "c"]);
    const packed = await new Response(
      new Blob([(await bytesOf(writableNamed("csv"), data)).slice()])
        .stream()
        .pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer();
    const both = await fromBytes(
      [
        { name: "a.csv.gz", bytes: new Uint8Array(packed) },
        { name: "b.parquet", bytes: await bytesOf(writableNamed("parquet"), data) },
      ],
      { repeats: "all" },
    );
    expect(rowsOf(both)).toEqual([...rowsOf(data), ...rowsOf(data)].sort());
    expect([...both.tasks]).toEqual([...data.tasks]);
  });

  it("does not unpack without end", async () => {
    const limit = { maxUnpackedBytes: 2 ** 20 };
    const bytes = new Uint8Array(
      gzipSync(
        Buffer.concat([Buffer.from("task,worker,label\n"), Buffer.alloc(2 ** 22, "a,b,c\n")]),
      ),
    );
    const file = { name: "bomb.csv.gz", bytes };
    await expect(fromBytes([file], limit)).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringMatching(/^bomb.csv.gz: the file unpacks to more than/),
    });
    const gold = { goldFile: file, ...limit };
    const labels = {
      name: "a.csv",
      bytes: new TextEncoder().encode("task,worker,label\na,b,c\n"),
    };
    await expect(fromBytes([labels], gold)).rejects.toMatchObject({ code: "too-large" });
    await expect(featuresFromBytes(file, limit)).rejects.toMatchObject({ code: "too-large" });
  });
});

describe("a NUL", () => {
  const csvBytes = (text: string) => new TextEncoder().encode(text);

  it("between quotes is a character, whether the format is named or found out", async () => {
    const bytes = csvBytes('task,worker,label\n"a\0b",w,x\nc,w,y\n');
    for (const format of ["csv", undefined]) {
      const data = await fromBytes([{ name: "labels.csv", bytes }], { format });
      expect([...data.tasks]).toEqual(["a\0b", "c"]);
    }
  });

  it("elsewhere is no sign of a table", () => {
    expect(() => sniff(csvBytes("task,worker,label\na\0b,w,x\n"), "labels.csv")).toThrow(
      "none of the formats",
    );
    expect(() => sniff(csvBytes('\x01\x02"\0\0"\x80\0'), "labels.bin")).toThrow(
      "none of the formats",
    );
  });
});
