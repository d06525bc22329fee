/** A Parquet file that is open: what is in it, and the library that reads it. */
import type { ColumnMetaData, FileMetaData, SchemaTree } from "hyparquet";
import type { FileContext, RandomAccess } from "./format.ts";
import type { PageHeader, PageTools } from "./parquet-pages.ts";
import { unreadable } from "./problems.ts";
import { checkThrift } from "./thrift-check.ts";

/** Loaded on first use, so that readers of CSV pay nothing. */
async function load() {
  const [{ parquetMetadataAsync, parquetRead, parquetSchema }, { compressors }, { parquetHeader }] =
    await Promise.all([
      import("hyparquet"),
      import("hyparquet-compressors"),
      import("hyparquet/src/column.js"),
    ]);
  const pageHeader: PageTools["pageHeader"] = (reader) => {
    const { buffer, byteOffset, byteLength } = reader.view;
    checkThrift(new Uint8Array(buffer, byteOffset, byteLength), reader.offset);
    return parquetHeader(reader) as PageHeader;
  };
  const tools: PageTools = { compressors, pageHeader };
  return { parquetMetadataAsync, parquetRead, parquetSchema, tools };
}

export type Library = Awaited<ReturnType<typeof load>>;

export interface OpenParquet {
  readonly metadata: FileMetaData;
  /** The columns, each with what lies in it. */
  readonly columns: readonly SchemaTree[];
  readonly library: Library;
  /** Does some of the reading, and says of the file what goes wrong with it. */
  guard<T>(work: () => T | Promise<T>): Promise<T>;
}

export async function openParquet(file: RandomAccess, context: FileContext): Promise<OpenParquet> {
  const library = await load();
  const guard = async <T>(work: () => T | Promise<T>) => {
    try {
      return await work();
    } catch (cause) {
      throw unreadable(context.file, "Parquet", cause);
    }
  };
  return guard(async () => {
    await checkFooter(file);
    // Looking for maps in the schema never ends where a count of children is below zero.
    const metadata = await library.parquetMetadataAsync(file, { geoparquet: false });
    return { metadata, columns: library.parquetSchema(metadata).children, library, guard };
  });
}

/** Looks over what the file says of itself at its end: the length of that, and the magic word, come last. */
async function checkFooter(file: RandomAccess): Promise<void> {
  const end = file.byteLength - 8;
  if (end < 4) throw new Error("the file is cut off");
  const length = new DataView(await file.slice(end, end + 4)).getUint32(0, true);
  if (length > end - 4) throw new Error("its metadata is cut off");
  checkThrift(new Uint8Array(await file.slice(end - length, end)), 0);
}

/** The bytes of a column chunk, and a file that takes them from there. */
export async function chunkOf(file: RandomAccess, meta: ColumnMetaData) {
  const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
  const end = start + Number(meta.total_compressed_size);
  if (!(start >= 0 && end >= start && end <= file.byteLength))
    throw new Error("a column is cut off");
  const bytes = await file.slice(start, end);
  const source: RandomAccess = {
    byteLength: file.byteLength,
    slice: async (from, to = file.byteLength) =>
      from >= start && to <= end ? bytes.slice(from - start, to - start) : file.slice(from, to),
  };
  return { chunk: new Uint8Array(bytes), source };
}
