/** Rows of a Parquet file as objects, with the lists and structures that columns may hold. */
import type { ColumnMetaData, SchemaTree } from "hyparquet";
import type { RandomAccess } from "./format.ts";
import type { JsonObject } from "./json-values.ts";
import { chunkOf, type Library, type OpenParquet } from "./parquet-file.ts";
import { checkPages, type Levels } from "./parquet-pages.ts";
import { argillaQuestions } from "./tools/argilla.ts";

/** The questions of Argilla that the columns are about; none where they are not Argilla's. */
export function questionsIn(columns: readonly SchemaTree[]): string[] {
  const inside = new Map(columns.map((column) => [nameOf(column), keysIn(column)]));
  return argillaQuestions([...inside.keys()], (name) => inside.get(name) ?? []);
}

/** The keys of a structure, or of those in a list. */
function keysIn({ children }: SchemaTree): readonly string[] {
  return children.length === 1 ? keysIn(children[0]) : children.map(nameOf);
}

const nameOf = ({ element }: SchemaTree) => String(element.name ?? "");

/** Calls `each` with these columns of every row, and the number of the row, from 1. */
export async function readRecords(
  file: RandomAccess,
  { metadata, columns, library, guard }: OpenParquet,
  names: readonly string[],
  each: (record: JsonObject, row: number) => void,
): Promise<void> {
  const wanted = columns.filter((column) => names.includes(nameOf(column)));
  let groupStart = 0;
  for (const { num_rows, columns: chunks } of metadata.row_groups) {
    const rows = Number(num_rows);
    const records = await guard(async () => {
      for (const { meta_data: meta } of chunks) {
        const column = wanted.find((one) => nameOf(one) === meta?.path_in_schema[0]);
        if (meta && column) await checkChunk(file, meta, column, rows, library);
      }
      let found: JsonObject[] = [];
      await library.parquetRead({
        file,
        metadata,
        columns: wanted.map(nameOf),
        rowStart: groupStart,
        rowEnd: groupStart + rows,
        compressors: library.tools.compressors,
        rowFormat: "object",
        onComplete: (read) => {
          found = read;
        },
      });
      if (found.length !== rows) throw new Error("a column has fewer values than rows");
      return found;
    });
    for (const [i, record] of records.entries()) each(record, groupStart + i + 1);
    groupStart += rows;
  }
}

/** Refuses a chunk that would have the library fill memory. */
async function checkChunk(
  file: RandomAccess,
  meta: ColumnMetaData,
  column: SchemaTree,
  rows: number,
  { tools }: Library,
): Promise<void> {
  const { chunk } = await chunkOf(file, meta);
  const levels = levelsOn(meta.path_in_schema, column);
  const count = levels.repetition > 0 ? Number(meta.num_values) : rows;
  checkPages(chunk, meta, levels, count, tools, true);
}

/** Down to a leaf: each repeated step adds to both, an optional one to one. */
function levelsOn([, ...path]: readonly string[], column: SchemaTree): Levels {
  const levels = { repetition: 0, definition: 0 };
  let at: SchemaTree | undefined = column;
  for (let step = 0; at; step++) {
    if (at.element.repetition_type === "REPEATED") levels.repetition++;
    if (at.element.repetition_type !== "REQUIRED") levels.definition++;
    if (step === path.length) break;
    at = at.children.find((child) => nameOf(child) === path[step]);
  }
  if (!at || at.children.length > 0) throw new Error("a column has another schema");
  return { ...levels, typeLength: at.element.type_length };
}
