import type { Column } from "./model.ts";

/** The columns of a table from left to right: names to what is in them. */
export function columnsOf(kinds: Readonly<Record<string, Column["kind"]>>): Column[] {
  return Object.entries(kinds).map(([name, kind]) => ({ name, kind }));
}
