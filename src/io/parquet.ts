/** Apache Parquet, with hyparquet; one row per label, columns as in CSV. */

import type { FileMetaData, SchemaTree } from "hyparquet";
import type { CategoricalData } from "../data/categorical.ts";
import { type Names, namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import type { Answers } from "./answers.ts";
import { type Cell, clearCell, fillValue, type NameCell } from "./cell.ts";
import { mapping } from "./column-names.ts";
import { textOfBytes } from "./encoding.ts";
import type { FileContext, RandomAccess, Reader, TableTarget, WritableFormat } from "./format.ts";
import { gatheringReader } from "./gather.ts";
import { isoTime, labelNames } from "./label-rows.ts";
import { chunkOf, type Library, type OpenParquet, openParquet } from "./parquet-file.ts";
import { checkPages, type Levels } from "./parquet-pages.ts";
import { questionsIn, readRecords } from "./parquet-records.ts";
import { excerpt } from "./problems.ts";
import { shortFloat } from "./short-float.ts";
import type { Intake } from "./sink.ts";
import { argilla, argillaColumns, argillaRecords } from "./tools/argilla.ts";

export const parquet: WritableFormat = {
  id: "parquet",
  title: "Parquet",
  extensions: [".parquet", ".pq"],
  sniff: (head) => (isParquet(head) ? 1 : 0),
  reader: readLabels,
  table: scanParquet,
  async write(data) {
    const { parquetWriteBuffer } = await import("hyparquet-writer");
    return [new Uint8Array(parquetWriteBuffer({ columnData: columnsOf(data) }))];
  },
  async writeAnswers(answers) {
    const { parquetWriteBuffer } = await import("hyparquet-writer");
    const { columnData, features } = answerColumns(answers);
    const value = JSON.stringify({ info: { features } });
    const kvMetadata = [{ key: HUGGING_FACE, value }];
    return [new Uint8Array(parquetWriteBuffer({ columnData, kvMetadata }))];
  },
};

/** Where Hugging Face datasets keep what their columns mean, such as the names of classes. */
const HUGGING_FACE = "huggingface";

function isParquet(bytes: Uint8Array): boolean {
  return textOfBytes(bytes.subarray(0, 4)) === "PAR1";
}

function scanParquet(target: TableTarget, context: FileContext): Reader {
  return gatheringReader(async (file) => {
    if (file.byteLength > 0) {
      await readRows(file, await openParquet(file, context), target, context);
    }
    target.finish?.();
  });
}

/** Labels, one per row; or the records of Argilla, which has its data sets on the Hub as Parquet. */
function readLabels(sink: Intake, context: FileContext): Reader {
  const { columns = {} } = context.options;
  return gatheringReader(async (file) => {
    const open = file.byteLength > 0 ? await openParquet(file, context) : undefined;
    const questions = open && columns.worker === undefined ? questionsIn(open.columns) : [];
    if (open && questions.length > 0) {
      context.understood(argilla.title);
      const { read, finish } = argillaRecords(sink.labels(context), context);
      await readRecords(file, open, argillaColumns(questions, columns.task), read);
      finish();
      return;
    }
    const target = sink.target(context);
    if (open) await readRows(file, open, target, context);
    target.finish?.();
  });
}

async function readRows(
  file: RandomAccess,
  { metadata, columns, library, guard }: OpenParquet,
  target: TableTarget,
  context: FileContext,
) {
  const cells = target.columns(
    columns.map(({ element }) => String(element.name ?? "")),
    0,
  );
  const wanted = columns.flatMap((column, at) => {
    const cell = cells[at];
    if (cell && column.children.length > 0 && !isNumberList(column, cell)) {
      throw nested(column, cell, context);
    }
    return cell ? [{ column, cell }] : [];
  });
  const classes = classNames(metadata);
  let groupStart = 0;
  for (let group = 0; group < metadata.row_groups.length; group++) {
    const rows = Number(metadata.row_groups[group].num_rows);
    const sources = await guard(() =>
      Promise.all(
        wanted.map(({ column, cell }) =>
          readColumn({ file, metadata, column, cell, group, groupStart, rows, library, classes }),
        ),
      ),
    );
    for (let row = 0; row < rows; row++) {
      let wrong: string | undefined;
      for (let i = 0; i < sources.length; i++) wrong = sources[i](row) ?? wrong;
      if (wrong) target.problem(groupStart + row + 1, wrong);
      else target.row(groupStart + row + 1);
    }
    groupStart += rows;
  }
}

interface ColumnRead {
  readonly file: RandomAccess;
  readonly metadata: FileMetaData;
  readonly column: SchemaTree;
  readonly cell: Cell;
  readonly group: number;
  readonly groupStart: number;
  readonly rows: number;
  readonly library: Library;
  readonly classes: ReadonlyMap<string, readonly string[]>;
}

/** The names of the classes of columns that hold their numbers. */
function classNames({ key_value_metadata: pairs = [] }: FileMetaData) {
  const found = new Map<string, readonly string[]>();
  try {
    const text = pairs.find(({ key }) => key === HUGGING_FACE)?.value ?? "{}";
    const { info } = JSON.parse(text) as { info?: { features?: Record<string, ClassFeature> } };
    for (const [column, { _type: type, names }] of Object.entries(info?.features ?? {})) {
      if (type === "ClassLabel" && Array.isArray(names)) found.set(column, names.map(String));
    }
  } catch {
    // A file without such notes is read as it stands.
  }
  return found;
}

interface ClassFeature {
  readonly _type?: unknown;
  readonly names?: unknown;
}

/** Fills the cell with what a row holds; returns what is wrong with it. */
type Source = (row: number) => string | undefined;

/** One column of one row group. Text stays bytes: dictionaries are looked up once an entry. */
async function readColumn(read: ColumnRead): Promise<Source> {
  const { file, metadata, column, cell, group, groupStart, rows, library, classes } = read;
  const { name, repetition_type: repetition } = column.element;
  const meta = metadata.row_groups[group].columns.find(
    ({ meta_data }) => meta_data?.path_in_schema[0] === name,
  )?.meta_data;
  if (!meta) throw new Error(`the column ${excerpt(name)} has no data`);
  if (repetition === "REPEATED") throw new Error(`the column ${excerpt(name)} is a list`);
  const { chunk, source } = await chunkOf(file, meta);
  const { levels, depth } = levelsOf(column);
  if (meta.path_in_schema.length !== depth) throw new Error("a column has another schema");
  const count = levels.repetition > 0 ? Number(meta.num_values) : rows;
  const texts: Uint8Array[] = [];
  const pieces: { start: number; data: ArrayLike<unknown> }[] = [];
  await library.parquetRead({
    file: source,
    metadata,
    columns: [name],
    rowStart: groupStart,
    rowEnd: groupStart + rows,
    compressors: checkPages(chunk, meta, levels, count, library.tools),
    parsers: {
      // The place of the text among those met, not the text: see textSource.
      stringFromBytes: (bytes: Uint8Array | undefined) => {
        if (bytes && !(bytes instanceof Uint8Array)) throw new Error("text is something else");
        return bytes ? texts.push(bytes) - 1 : undefined;
      },
      ...(cell.kind === "name" && timeTexts),
    },
    // Nothing may be thrown in here: nobody would catch it.
    onChunk: ({ columnData, rowStart }) => {
      pieces.push({ start: rowStart - groupStart, data: columnData });
    },
  });
  const valueAt = rowsOf(pieces, rows);
  if (texts.length > 0) return textSource(cell, texts, valueAt);
  const known = new Map<unknown, number>();
  const short = meta.type === "FLOAT" && cell.kind === "name";
  const names = cell.kind === "name" ? classes.get(name) : undefined;
  return (row) => {
    const stored = short ? shortFloat(valueAt(row)) : valueAt(row);
    // -1 stands for no class.
    const value = names && Number(stored) >= -1 ? (names[Number(stored)] ?? null) : stored;
    if (cell.kind === "name" && typeof value !== "object") {
      const code = known.get(value);
      if (code !== undefined) {
        cell.code = code;
        return undefined;
      }
    }
    const wrong = fillValue(cell, value);
    if (wrong) return `${excerpt(name)} should be text or a number, but is ${wrong}.`;
    if (cell.kind === "name" && known.size < 2 ** 20) known.set(value, cell.code);
    return undefined;
  };
}

/** The value of each row out of the pieces of a column, which come in order and without gaps. */
function rowsOf(pieces: { start: number; data: ArrayLike<unknown> }[], rows: number) {
  let next = 0;
  for (const { start, data } of pieces) {
    if (start !== next) throw new Error("a column has a gap");
    next += data.length;
  }
  if (next < rows) throw new Error("a column has fewer values than rows");
  let at = 0;
  return (row: number): unknown => {
    while (row >= pieces[at].start + pieces[at].data.length) at++;
    return pieces[at].data[row - pieces[at].start];
  };
}

/** Interns a text when a row first uses it, so that names keep the order of the rows. */
function textSource(
  cell: Cell,
  texts: readonly Uint8Array[],
  valueAt: (row: number) => unknown,
): Source {
  if (cell.kind !== "name") {
    const decoder = new TextDecoder();
    return (row) => {
      const place = valueAt(row);
      return fillValue(cell, typeof place === "number" ? decoder.decode(texts[place]) : undefined);
    };
  }
  const codes = new Int32Array(texts.length);
  return (row) => {
    const place = valueAt(row);
    if (typeof place !== "number") {
      clearCell(cell);
      return undefined;
    }
    if (codes[place] === 0) codes[place] = intern(cell, texts[place]) + 1;
    cell.code = codes[place] - 1;
    return undefined;
  };
}

function intern({ names }: NameCell, bytes: Uint8Array): number {
  return bytes.length === 0 ? -1 : names.add(bytes, 0, bytes.length);
}

/** Times that serve as names keep their microseconds. */
const timeTexts = {
  timestampFromMicroseconds: (micros: bigint) => isoTime(Number(micros) / 1e3),
  timestampFromNanoseconds: (nanos: bigint) => isoTime(Number(nanos) / 1e6),
};

/** True if the column holds lists of numbers, and the cell takes them. */
function isNumberList({ element, children }: SchemaTree, cell: Cell): boolean {
  if (cell.kind !== "number" || !cell.lists || element.converted_type !== "LIST") return false;
  const [middle] = children;
  const leaf = middle.children.length === 1 ? middle.children[0] : middle;
  return (
    children.length === 1 &&
    middle.element.repetition_type === "REPEATED" &&
    leaf.children.length === 0 &&
    /^(FLOAT|DOUBLE|INT32|INT64)$/.test(leaf.element.type ?? "")
  );
}

/** Down the only branch of a column: each repeated step adds to both, an optional one to one. */
function levelsOf(column: SchemaTree): { levels: Levels; depth: number } {
  const levels: { repetition: number; definition: number; typeLength?: number | undefined } = {
    repetition: 0,
    definition: 0,
  };
  let depth = 0;
  for (let at: SchemaTree | undefined = column; at; at = at.children[0]) {
    if (at.element.repetition_type === "REPEATED") levels.repetition++;
    if (at.element.repetition_type !== "REQUIRED") levels.definition++;
    levels.typeLength = at.element.type_length;
    depth++;
  }
  return { levels, depth };
}

function nested({ element }: SchemaTree, cell: Cell, { file }: FileContext): CrowdError {
  const numbers = cell.kind === "number" && cell.lists;
  return new CrowdError(
    "bad-data",
    `${file}: the column ${excerpt(String(element.name ?? ""))} holds ${
      numbers ? "structures, or lists of something else than" : "lists or structures, not text or"
    } numbers. ${numbers ? "Leave it out." : `Choose another: ${mapping("label")}.`}`,
  );
}

function columnsOf(data: CategoricalData) {
  const labels = labelNames(data);
  const text = (name: string, names: Pick<Names, "at">, codes: Int32Array) => ({
    name,
    data: Array.from(codes, (code) => names.at(code)),
    type: "STRING" as const,
    nullable: false,
  });
  const { time, weight } = data;
  return [
    text("task", data.tasks, data.task),
    text("worker", data.workers, data.worker),
    text("label", namesOf(labels), data.label),
    ...(time
      ? [
          {
            name: "time",
            data: Array.from(time, (ms) => (Number.isNaN(ms) ? null : new Date(ms))),
            type: "TIMESTAMP" as const,
            nullable: true,
          },
        ]
      : []),
    ...(weight ? [{ name: "weight", data: weight, type: "DOUBLE" as const, nullable: false }] : []),
  ];
}

/** `task`, `label` as a number with its name in the notes of the file, and `confidence`. */
function answerColumns({ tasks, labels, confidence }: Answers) {
  const names = [...new Set(labels)].sort();
  const place = new Map(names.map((name, k) => [name, k]));
  const features = {
    task: { dtype: "string", _type: "Value" },
    label: { names, _type: "ClassLabel" },
    ...(confidence && { confidence: { dtype: "float64", _type: "Value" } }),
  };
  const columnData = [
    { name: "task", data: [...tasks], type: "STRING" as const, nullable: false },
    {
      name: "label",
      type: "INT64" as const,
      nullable: false,
      data: labels.map((label) => BigInt(place.get(label) ?? -1)),
    },
    ...(confidence
      ? [{ name: "confidence", data: confidence, type: "DOUBLE" as const, nullable: false }]
      : []),
  ];
  return { columnData, features };
}
