/** Tools that export one thing as JSON or as CSV, as one likes. */
import { CrowdError } from "../../error.ts";
import { scanCsv } from "../csv-scanner.ts";
import type { FileContext, Reader, TableTarget } from "../format.ts";

const [LIST, OBJECT] = [0x5b, 0x7b];

/** One of two readers, by the first byte of the file: `[` and `{` begin JSON. */
export function jsonOrCsv(json: () => Reader, csv: () => Reader): Reader {
  const held: Uint8Array[] = [];
  let chosen: Reader | undefined;
  return {
    push(bytes) {
      if (chosen) return chosen.push(bytes);
      held.push(new Uint8Array(bytes));
      // Neither blanks nor a byte order mark, nor the empty halves of wide characters.
      const first = bytes.find((byte) => byte > 0x20 && byte < 0x80);
      if (first === undefined) return;
      chosen = first === LIST || first === OBJECT ? json() : csv();
      for (const piece of held.splice(0)) chosen.push(piece);
    },
    finish: () => (chosen ?? csv()).finish(),
  };
}

/** The CSV form as a table like any other; the JSON form holds nothing but labels. */
export function csvTable(title: string) {
  return (target: TableTarget, context: FileContext): Reader =>
    jsonOrCsv(
      () => {
        throw new CrowdError(
          "not-supported",
          `${context.file}: ${title} hold labels only. Use CSV, plain JSON lines, Parquet or Arrow here.`,
        );
      },
      () => scanCsv(target, context),
    );
}
