/** Cells as people read them. */
import type { Cell, Column } from "./model.ts";
import { decimal, grouped, percent } from "./text.ts";

export function cellText(cell: Cell, kind: Column["kind"]): string {
  if (cell === null) return "–";
  if (typeof cell === "string") return cell;
  if (kind === "integer") return grouped(cell);
  return kind === "percent" ? percent(cell) : decimal(cell);
}
