/** Apache Arrow IPC, as a file (also called Feather) or as a stream; columns as in CSV. */
import type { Data, RecordBatch, RecordBatchReader, Vector } from "apache-arrow";
import type { CategoricalData } from "../data/categorical.ts";
import { checkArrow } from "./arrow-check.ts";
import { type Cell, clearCell, fillValue } from "./cell.ts";
import { textOfBytes } from "./encoding.ts";
import type { FileContext, Reader, TableTarget, WritableFormat } from "./format.ts";
import { gatheringReader, wholeFile } from "./gather.ts";
import { isoTime, labelNames } from "./label-rows.ts";
import { decodeLz4Frame } from "./lz4.ts";
import { excerpt, unreadable } from "./problems.ts";
import { shortFloat } from "./short-float.ts";

export const arrow: WritableFormat = {
  id: "arrow",
  title: "Arrow",
  extensions: [".arrow", ".feather", ".ipc", ".arrows"],
  sniff(head, fileName) {
    const start = textOfBytes(head.subarray(0, 6));
    if (start === "ARROW1") return 1;
    // A stream begins with four bytes of ones, and after them the length of its schema.
    if (!start.startsWith("\xff\xff\xff\xff")) return 0;
    return arrow.extensions.some((extension) => fileName.toLowerCase().endsWith(extension))
      ? 0.95
      : 0.7;
  },
  reader: (sink, context) => scanArrow(sink.target(context), context),
  table: scanArrow,
  async write(data) {
    return [await writeTable(data)];
  },
};

type Library = typeof import("apache-arrow");

/** Loaded on first use, so that readers of CSV pay nothing. */
async function load(): Promise<Library> {
  const library = await import("apache-arrow");
  const { compressionRegistry, CompressionType } = library;
  const { decompressZstd } = await import("hyparquet-compressors");
  if (!compressionRegistry.get(CompressionType.LZ4_FRAME)) {
    compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: decodeLz4Frame });
  }
  if (!compressionRegistry.get(CompressionType.ZSTD)) {
    // Copied: what is decompressed may begin anywhere in its memory, and numbers of 64 bits may not.
    const decode = (bytes: Uint8Array) => new Uint8Array(decompressZstd(bytes));
    compressionRegistry.set(CompressionType.ZSTD, { decode });
  }
  return library;
}

function scanArrow(target: TableTarget, context: FileContext): Reader {
  return gatheringReader(async (file) => {
    if (file.byteLength > 0) {
      const library = await load();
      const bytes = await wholeFile(file);
      try {
        readBatches(library, bytes, target);
      } catch (cause) {
        throw unreadable(context.file, "Arrow", cause);
      }
    }
    target.finish?.();
  });
}

function readBatches(library: Library, bytes: Uint8Array, target: TableTarget): void {
  // Compressed by LZ4 to the utmost, a bit takes this share of a byte.
  const mostRows = bytes.length * 8 * 255;
  checkArrow(bytes, mostRows);
  const reader = library.RecordBatchReader.from(bytes).open();
  if (!reader.schema) throw new Error("there is no schema");
  const { fields } = reader.schema;
  const cells = target.columns(
    fields.map(({ name }) => String(name ?? "")),
    0,
  );
  let start = 0;
  for (const batch of batchesOf(reader)) {
    const rows = batch.numRows;
    if (!(rows >= 0 && rows <= mostRows))
      throw new Error("a batch has more rows than fit the file");
    const sources = cells.flatMap((cell, at) => {
      if (!cell) return [];
      const data = batch.data.children[at];
      if (data.length < rows) throw new Error("a column has fewer values than rows");
      return [sourceOf(library, data, cell, fields[at].name)];
    });
    for (let row = 0; row < rows; row++) {
      let wrong: string | undefined;
      for (let i = 0; i < sources.length; i++) wrong = sources[i](row) ?? wrong;
      if (wrong) target.problem(start + row + 1, wrong);
      else target.row(start + row + 1);
    }
    start += rows;
  }
}

/** By number where there are numbers: going through a file with a broken batch might never end. */
function* batchesOf(reader: RecordBatchReader): Iterable<RecordBatch> {
  if (!reader.isSync()) return;
  if (!reader.isFile()) return yield* reader;
  for (let i = 0; i < reader.numRecordBatches; i++) {
    const batch = reader.readRecordBatch(i);
    if (!batch || batch instanceof Promise) throw new Error("a batch is missing");
    yield batch;
  }
}

/** Fills the cell with what a row holds; returns what is wrong with it. */
type Source = (row: number) => string | undefined;

function sourceOf(library: Library, data: Data, cell: Cell, name: string): Source {
  if (library.DataType.isNull(data.type)) {
    throw new Error(`the column ${excerpt(name)} holds nothing but nulls`);
  }
  const fill = dataSource(library, data, cell);
  return (row) => {
    const wrong = fill(row);
    return wrong && `${excerpt(name)} should be text or a number, but is ${wrong}.`;
  };
}

function dataSource(library: Library, data: Data, cell: Cell): Source {
  const { nullCount, nullBitmap, length } = data;
  if (nullCount > 0 && nullBitmap.length * 8 < length) throw new Error("a column is cut off");
  const vector = new library.Vector([data]);
  const fill = fillSource(library, data, cell) ?? ((row) => fillValue(cell, vector.get(row)));
  if (nullCount === 0) return fill;
  return (row) => {
    if (data.getValid(row)) return fill(row);
    clearCell(cell);
    return undefined;
  };
}

/** The ways to fill a cell that need no value of the language for each row, or another one. */
function fillSource(library: Library, data: Data, cell: Cell): Source | undefined {
  const { DataType, Precision, Vector } = library;
  const { type } = data;
  if (cell.kind === "name" && (DataType.isUtf8(type) || DataType.isLargeUtf8(type))) {
    return textSource(data, cell);
  }
  if (DataType.isDictionary(type)) return dictionarySource(library, data, cell);
  const vector = new Vector([data]);
  if (DataType.isTimestamp(type) || DataType.isDate(type)) {
    return (row) => {
      const ms = Number(vector.get(row));
      if (cell.kind === "name") return fillValue(cell, isoTime(ms));
      cell.value = ms;
      cell.wrong = undefined;
      return undefined;
    };
  }
  if (DataType.isFloat(type) && type.precision === Precision.SINGLE && cell.kind === "name") {
    return (row) => fillValue(cell, shortFloat(vector.get(row)));
  }
  return undefined;
}

/** Text goes from the bytes of the file straight to the interner. */
function textSource({ values, valueOffsets }: Data, cell: Extract<Cell, { kind: "name" }>): Source {
  const bytes = values as Uint8Array;
  return (row) => {
    const start = Number(valueOffsets[row]);
    const end = Number(valueOffsets[row + 1]);
    if (!(start >= 0 && start <= end && end <= bytes.length)) throw new Error("a text is cut off");
    cell.code = start === end ? -1 : cell.names.add(bytes, start, end);
    return undefined;
  };
}

/** Each entry of a dictionary is looked up once, when a row first uses it. */
function dictionarySource(
  library: Library,
  { values, dictionary, length }: Data,
  cell: Cell,
): Source {
  if (!dictionary || values.length < length) throw new Error("a dictionary is missing");
  const entries = dictionary as Vector;
  const fill = vectorSource(library, entries, cell);
  if (cell.kind !== "name") return (row) => fill(Number(values[row]));
  const codes = new Int32Array(entries.length);
  return (row) => {
    const entry = Number(values[row]);
    if (!(entry >= 0 && entry < codes.length)) throw new Error("a dictionary has too few entries");
    if (codes[entry] === 0) {
      const wrong = fill(entry);
      if (wrong) return wrong;
      codes[entry] = cell.code + 1;
    }
    cell.code = codes[entry] - 1;
    return undefined;
  };
}

/** A dictionary that grew from batch to batch is in several pieces. */
function vectorSource(library: Library, { data }: Vector, cell: Cell): Source {
  const pieces = data.map((piece) => ({
    length: piece.length,
    fill: dataSource(library, piece, cell),
  }));
  return (row) => {
    let at = row;
    for (const { length, fill } of pieces) {
      if (at < length) return fill(at);
      at -= length;
    }
    throw new Error("a dictionary has too few entries");
  };
}

async function writeTable(data: CategoricalData): Promise<Uint8Array> {
  const library = await load();
  const {
    Dictionary,
    Int32,
    makeData,
    makeVector,
    Table,
    tableToIPC,
    Utf8,
    Vector,
    vectorFromArray,
  } = library;
  const text = (names: Iterable<string>, codes: Int32Array) =>
    new Vector([
      makeData({
        type: new Dictionary(new Utf8(), new Int32()),
        length: codes.length,
        data: codes,
        dictionary: vectorFromArray([...names], new Utf8()),
      }),
    ]);
  const { time, weight } = data;
  const columns: Record<string, Vector> = {
    task: text(data.tasks, data.task),
    worker: text(data.workers, data.worker),
    label: text(labelNames(data), data.label),
    ...(time && {
      time: vectorFromArray(
        Array.from(time, (ms) => (Number.isNaN(ms) ? null : ms)),
        new library.TimestampMicrosecond(),
      ),
    }),
    ...(weight && { weight: makeVector(weight) }),
  };
  return tableToIPC(new Table(columns), "file");
}
