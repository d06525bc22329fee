/** Tables that tools export: cells of some columns as text, a row at a time. */
import { type NameCell, nameCell } from "../cell.ts";
import type { FileContext, TableTarget } from "../format.ts";
import { createInterner } from "../interner.ts";

/** The text of a column in the row that was just read; empty where the cell is. */
export type TextOf = (column: string) => string;

/** Calls `row` with every row; `wanted` says which columns of the header it will ask for. */
export function textTarget(
  { file, problems }: FileContext,
  wanted: (header: readonly string[], line: number) => readonly string[],
  row: (text: TextOf, line: number) => void,
  finish: () => void = () => {},
): TableTarget {
  const cells = new Map<string, NameCell>();
  const text: TextOf = (column) => {
    const cell = cells.get(column);
    return cell && cell.code >= 0 ? cell.names.name(cell.code) : "";
  };
  return {
    finish,
    problem: (line, what) => problems.add(file, line, what),
    columns(header, line) {
      const names = new Set(wanted(header, line));
      return header.map((name) => {
        if (!names.has(name) || cells.has(name)) return undefined;
        const cell = nameCell(createInterner());
        cells.set(name, cell);
        return cell;
      });
    },
    row: (line) => row(text, line),
  };
}
