/** Text as a file of a kind of table, for tests of readers. */
import { csv } from "../src/io/csv.ts";
import type { Format } from "../src/io/format.ts";
import { openTable, type TableKind, type TableOptions } from "../src/io/table.ts";

export async function readTable<Result>(
  kind: TableKind<Result>,
  text: string,
  options: TableOptions = {},
  format: Format = csv,
): Promise<Result> {
  const file = openTable(kind, "x.csv", format, options);
  file.push(new TextEncoder().encode(text));
  await file.finish();
  return file.result();
}
