// Damaged files of every format: nothing but a CrowdError may come out, and soon. A share is read each time;
// CONSILIENCE_FUZZ=4000 reads that many per file.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { RecordBatchStreamWriter, tableFromArrays, tableToIPC } from "apache-arrow";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { dawidSkene } from "../src/aggregate/categorical/em/dawid-skene.ts";
import { load, save } from "../src/aggregate/categorical/save.ts";
import { fromRows } from "../src/data/from-rows.ts";
import { CrowdError } from "../src/error.ts";
import { featuresFromBytes } from "../src/io/features.ts";
import { goldFromIdx } from "../src/io/idx.ts";
import { formats, writableFormats } from "../src/io/index.ts";
import { readNpy, writeNpy } from "../src/io/npy.ts";
import { createReader } from "../src/io/read.ts";
import { openTable, plainTable } from "../src/io/table.ts";
import { fromBytes } from "../src/jobs/from-bytes.ts";
import { readingsOf } from "../src/kinds.ts";
import { loadCheckpoint, saveCheckpoint } from "../src/learn/checkpoint.ts";
import { openFeatures } from "../src/node/features.ts";
import { input } from "../src/tensor/graph.ts";
import { importClassifier } from "../src/tensor/import-onnx.ts";
import { convolution, dense, flatten, relu, sequence } from "../src/tensor/layers/layers.ts";
import { toOnnx } from "../src/tensor/onnx.ts";
import { readOnnx } from "../src/tensor/onnx-reader.ts";
import { softmax } from "../src/tensor/ops/softmax.ts";
import { createScope } from "../src/tensor/scope.ts";
import { mutate } from "./mutate.ts";
import { exportBytes } from "./tool-exports.ts";
import { npyTexts, zipOf } from "./zip-file.ts";

const RUNS = Number(process.env["CONSILIENCE_FUZZ"] ?? 400);
const MOST_MS = 2000;

type Read = (bytes: Uint8Array) => unknown;
interface Case {
  readonly name: string;
  readonly valid: Uint8Array;
  readonly read: Read;
}

const fixture = (name: string) =>
  new Uint8Array(readFileSync(join(import.meta.dirname, "fixtures", name)));
const text = (value: string) => new TextEncoder().encode(value);

/** Reads labels of a format that is named, so that damage does not turn the file into another kind. */
const labelsOf =
  (id: string): Read =>
  async (bytes) => {
    const format = formats.find((each) => each.id === id);
    const reader = createReader(readingsOf("auto"), { repeats: "all", badRows: "drop" });
    if (!format) throw new Error(id);
    const file = reader.open("labels", format);
    file.push(bytes);
    await file.finish();
    return reader.finish();
  };

/** Reads every column of a table. */
const tableOf =
  (id: string): Read =>
  async (bytes) => {
    const format = formats.find((each) => each.id === id);
    if (!format) throw new Error(id);
    const file = openTable(plainTable, "table", format, { badRows: "drop" });
    file.push(bytes);
    await file.finish();
    return file.result();
  };

/** Reads a file whose format is found out. */
const found: Read = (bytes) =>
  fromBytes([{ name: "labels", bytes }], { kind: "auto", repeats: "all" });

const crowd = fromRows(
  Array.from({ length: 24 }, (_, i) => ({
    task: String(i >> 2),
    worker: String(i % 4),
    label: String(i % 3),
  })),
);

async function written(): Promise<Case[]> {
  const cases: Case[] = [];
  for (const format of writableFormats) {
    const pieces = [...(await format.write(crowd))].map((piece) =>
      typeof piece === "string" ? text(piece) : piece,
    );
    const valid = Uint8Array.from(Buffer.concat(pieces));
    cases.push({ name: format.id, valid, read: labelsOf(format.id) });
    cases.push({ name: `${format.id}, found out`, valid, read: found });
  }
  return cases;
}

/** One file for every encoding of Parquet and every way to compress. */
function parquetFiles(): Case[] {
  const length = 70;
  const strings = Array.from({ length }, (_, i) => (i % 9 === 4 ? null : `name-${i >> 2}`));
  const whole = Array.from({ length }, (_, i) => (i % 9 === 4 ? null : (i * 37) % 50));
  const long = whole.map((value) => (value === null ? null : BigInt(value) ** 5n));
  const yes = whole.map((value) => (value === null ? null : value % 2 === 0));
  const columns: readonly ColumnSource[] = [
    { name: "x", data: strings, type: "STRING", encoding: "PLAIN" },
    { name: "x", data: strings, type: "STRING", encoding: "RLE_DICTIONARY" },
    { name: "x", data: strings, type: "STRING", encoding: "DELTA_BYTE_ARRAY" },
    { name: "x", data: strings, type: "STRING", encoding: "DELTA_LENGTH_BYTE_ARRAY" },
    { name: "x", data: whole, type: "INT32", encoding: "PLAIN" },
    { name: "x", data: whole, type: "INT32", encoding: "DELTA_BINARY_PACKED" },
    { name: "x", data: whole, type: "INT32", encoding: "BYTE_STREAM_SPLIT" },
    { name: "x", data: long, type: "INT64", encoding: "DELTA_BINARY_PACKED" },
    { name: "x", data: long, type: "INT64", encoding: "BYTE_STREAM_SPLIT" },
    { name: "x", data: whole, type: "FLOAT", encoding: "BYTE_STREAM_SPLIT" },
    { name: "x", data: whole, type: "DOUBLE", encoding: "PLAIN" },
    { name: "x", data: whole, type: "DOUBLE", encoding: "BYTE_STREAM_SPLIT" },
    { name: "x", data: yes, type: "BOOLEAN", encoding: "PLAIN" },
    { name: "x", data: yes, type: "BOOLEAN", encoding: "RLE" },
  ];
  const first = fixture("pages-v1.parquet");
  return [
    ...columns.flatMap((column) =>
      (["UNCOMPRESSED", "SNAPPY"] as const).map((codec): Case => {
        const valid = new Uint8Array(
          parquetWriteBuffer({ columnData: [{ ...column, nullable: true }], codec, pageSize: 400 }),
        );
        const name = `parquet, ${column.type} ${column.encoding} ${codec}`;
        return { name, valid, read: tableOf("parquet") };
      }),
    ),
    { name: "parquet, first version", valid: first, read: labelsOf("parquet") },
    { name: "parquet, first version, all columns", valid: first, read: tableOf("parquet") },
  ];
}

const arrowTable = tableFromArrays({
  task: ["a", "b", "c", "a"],
  worker: Int32Array.of(1, 2, 3, 4),
  label: ["x", "y", "x", "x"],
  weight: Float64Array.of(1, 2, 1, 1),
});
const arrowStream = RecordBatchStreamWriter.writeAll(arrowTable).toUint8Array(true);

const idx = Uint8Array.from([
  0,
  0,
  8,
  3,
  0,
  0,
  0,
  4,
  0,
  0,
  0,
  2,
  0,
  0,
  0,
  2,
  ...new Array(16).fill(9),
]);
const numbers = writeNpy(
  [4, 3],
  Float32Array.from({ length: 12 }, (_, i) => i / 3),
);
const lists = {
  "task.npy": npyTexts(["a", "b"]),
  "worker.npy": npyTexts(["v", "w"]),
  "label.npy": npyTexts(["x", "y"]),
};
const features = { "features.npy": numbers, "tasks.npy": npyTexts(["a", "b", "c", "d"]) };
const rows = Array.from({ length: 8 }, (_, i) => ({
  task: `t${i}`,
  worker: "é",
  label: "x",
  time: "31/12/2025",
}));
const comparisons = "worker,left,right,label\nana,a,b,a\nbob,b,c,tie\nana,a,c,right\n";

const checkpoint = saveCheckpoint({
  identity: "method and data",
  runs: [
    {
      history: [{ epoch: 1, loss: 0.5, validation: 0.25 }],
      kept: { weights: Float64Array.of(1, 2, 3) },
      best: {
        epoch: 1,
        score: 0.5,
        trainer: { steps: 4, arrays: [Float32Array.of(1, 2)] },
        kept: { weights: Float64Array.of(4, 5) },
      },
    },
  ],
  trainers: [{ steps: 9, arrays: [Float32Array.of(1, 2, 3), Float32Array.of(4)] }],
});

const featuresOf: Read = (bytes) =>
  featuresFromBytes({ name: "features", bytes }, { badRows: "drop" });
const named: Read = (bytes) =>
  featuresFromBytes({ name: "features", bytes }, { tasks: ["a", "b", "c", "d"] });

const others: readonly Case[] = [
  { name: "json", valid: text(JSON.stringify(rows)), read: labelsOf("json") },
  {
    name: "jsonl with times",
    valid: text(rows.map((row) => JSON.stringify(row)).join("\n")),
    read: labelsOf("jsonl"),
  },
  { name: "csv of comparisons", valid: text(comparisons), read: found },
  { name: "csv of numbers", valid: text("task,worker,value\na,v,1\nb,w,2.5\n"), read: found },
  { name: "csv in gzip", valid: new Uint8Array(gzipSync(comparisons)), read: found },
  { name: "npz stored", valid: zipOf(lists, false), read: labelsOf("npz") },
  { name: "npz deflated", valid: zipOf(lists), read: labelsOf("npz") },
  {
    name: "npz found out",
    valid: zipOf({ "a.npy": writeNpy([2, 3], Int32Array.of(1, 2, 3, 4, 5, 6)) }),
    read: found,
  },
  { name: "npz of features", valid: zipOf(features, false), read: featuresOf },
  { name: "npy of features", valid: numbers, read: named },
  {
    name: "npy of any kind",
    valid: writeNpy([2, 2], BigInt64Array.of(1n, 2n, 3n, 4n)),
    read: (bytes) => readNpy(bytes),
  },
  { name: "idx of features", valid: idx, read: featuresOf },
  {
    name: "idx of gold",
    valid: Uint8Array.from([0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3]),
    read: (bytes) => goldFromIdx(bytes),
  },
  { name: "csv of features", valid: text("task,x,y\na,1,2\nb,3,4\n"), read: featuresOf },
  { name: "arrow file", valid: tableToIPC(arrowTable, "file"), read: labelsOf("arrow") },
  { name: "arrow stream", valid: arrowStream, read: labelsOf("arrow") },
  { name: "arrow with zstd", valid: fixture("zstd.feather"), read: tableOf("arrow") },
  { name: "checkpoint", valid: checkpoint, read: loadCheckpoint },
  { name: "saved result", valid: save(dawidSkene(crowd)), read: load },
  { name: "ONNX model", valid: onnxModel(), read: (bytes) => importClassifier(readOnnx(bytes)) },
  { name: "PNG", valid: await picture("png"), read: imageOf("png") },
  { name: "JPEG", valid: await picture("jpeg"), read: imageOf("jpg") },
  ...[
    ["label-studio.json", "label-studio"],
    ["label-studio.csv", "label-studio"],
    ["label-studio-spans.json", "label-studio"],
    ["label-studio-rating.json", "label-studio"],
    ["label-studio-pairwise.json", "label-studio"],
    ["prodigy-spans.jsonl", "prodigy"],
    ["doccano-spans/ana.jsonl", "doccano"],
    ["tags.conll", "conll"],
    ["arena.jsonl", "jsonl"],
    ["argilla.json", "argilla"],
    ["prodigy.jsonl", "prodigy"],
    ["mturk.csv", "mturk"],
    ["toloka.tsv", "toloka"],
    ["zooniverse.csv", "zooniverse"],
  ].map(([file, id]) => ({ name: file, valid: exportBytes(file), read: labelsOf(id) })),
];

/** A network with all kinds of layers that are read. */
function onnxModel(): Uint8Array {
  const net = sequence(convolution(2), relu, flatten, dense(3));
  const scope = createScope(false);
  const logits = net(input("features", ["batch", 1, 4, 4]), scope);
  const weights = new Map(
    [...scope.requests.parameters].map(([name, { shape }]) => [
      name,
      new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(0.1),
    ]),
  );
  return toOnnx({ logits, probabilities: softmax(logits) }, { weights });
}

async function picture(kind: "png" | "jpeg"): Promise<Uint8Array> {
  const raw = { width: 12, height: 9, channels: 3 as const };
  const pixels = Uint8Array.from({ length: 12 * 9 * 3 }, (_, at) => (at * 37) % 256);
  return new Uint8Array(await sharp(pixels, { raw })[kind]().toBuffer());
}

/** Reads an image as the only one of its folder. */
function imageOf(ending: string): Read {
  const folder = mkdtempSync(join(tmpdir(), "consilience-fuzz-"));
  return async (bytes) => {
    writeFileSync(join(folder, `a.${ending}`), bytes);
    await openFeatures(folder);
  };
}

/** Reads; gives the milliseconds it took. Anything but an error of ours goes on. */
async function attempt(read: Read, bytes: Uint8Array): Promise<number> {
  const start = performance.now();
  try {
    await read(bytes);
  } catch (error) {
    if (!(error instanceof CrowdError)) throw error;
    expect(error.message.length).toBeLessThan(5000);
  }
  return performance.now() - start;
}

/** A machine that is busy may be slow once; a file that takes long does so again. */
async function check(read: Read, bytes: Uint8Array, what: string): Promise<void> {
  let took = await attempt(read, bytes).catch((cause) => {
    throw new Error(`${what}: ${cause}`, { cause });
  });
  if (took > MOST_MS) took = Math.min(took, await attempt(read, bytes));
  expect(took, what).toBeLessThan(MOST_MS);
}

describe.each(
  [...(await written()), ...parquetFiles(), ...others].map((each) => [each.name, each] as const),
)("%s", (_, { valid, read }) => {
  it("is read whole", async () => {
    await read(valid);
  });

  it("throws nothing but CrowdError, and soon, however it is damaged", {
    timeout: 3_600_000,
  }, async () => {
    for (let seed = 1; seed <= RUNS; seed++) await check(read, mutate(valid, seed), `seed ${seed}`);
  });
});

describe("flatbuffers made by hand", () => {
  // Every offset of the metadata points to every place in it: loops, tables within tables, lists of themselves.
  it("let no offset lead astray", { timeout: 3_600_000 }, async () => {
    const read = labelsOf("arrow");
    const length = new DataView(arrowStream.buffer, arrowStream.byteOffset).getInt32(4, true);
    const share = RUNS >= 1000 ? 1 : 37;
    let count = 0;
    for (let at = 8; at + 4 <= 8 + length; at += 4) {
      for (let to = 0; to < length; to += 4) {
        if (count++ % share !== 0) continue;
        const bytes = Uint8Array.from(arrowStream);
        const view = new DataView(bytes.buffer);
        // Forward as offsets are, and back as those to the list of fields.
        view.setInt32(at, count % 2 === 0 ? 8 + to - at : at - 8 - to, true);
        await check(read, bytes, `${at} to ${to}`);
      }
    }
  });
});
