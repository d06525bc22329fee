/** Cells as people read them. */
import type { Cell, Column } from "./model.ts";
import { decimal, grouped, percent } from "./text.ts";

/** Returns the number of a cell, for sorting; undefined for text. */
export function cellNumber(cell: Cell): number | undefined {
  if (typeof cell === "object") return cell?.value;
  return typeof cell === "number" ? cell : undefined;
}

/** Says whether a cell is the best of its column. */
export function isBest(cell: Cell): boolean {
  return typeof cell === "object" && cell?.best === true;
}

/** Returns the text of a cell. */
export function cellText(cell: Cell, kind: Column["kind"]): string {
  if (cell === null) return "–";
  if (typeof cell === "string") return cell;
  if (typeof cell === "object") {
    const { value, sd } = cell;
    const [mean, spread] = [cellText(value, kind), sd === undefined ? "" : cellText(sd, kind)];
    // One unit for both: 92.3 ± 0.6 %.
    return spread === "" ? mean : `${mean.replace(/ %$/, "")} ± ${spread}`;
  }
  if (kind === "integer") return grouped(cell);
  return kind === "percent" ? percent(cell) : decimal(cell);
}
