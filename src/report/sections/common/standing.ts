/** Workers in tables by how they stand against guessing, worst first in each. */
import { type Ranked, type Standing, standingOf } from "../../../diagnose/standing.ts";
import type { Cell, Column, Table } from "../../model.ts";
import { count, grouped } from "../../text.ts";

/** What a table of workers shows. */
interface WorkerColumns {
  readonly columns: readonly Column[];
  /** The cells of a worker, by number. */
  readonly row: (w: number) => readonly Cell[];
}

const groups: readonly (readonly [Standing, string])[] = [
  ["worse", "Worse than guessing"],
  ["guessing", "Cannot be told from guessing"],
];

/** Makes one table per group, of at most so many workers each, in the given order. */
export function standingTables(
  workers: readonly Pick<Ranked, "standing" | "flags">[],
  order: readonly number[],
  most: number,
  { columns, row }: WorkerColumns,
): Table[] {
  const parts = groups.map(([standing, title]) => ({
    id: `workers-${standing}`,
    title,
    members: order.filter((w) => standingOf(workers[w] ?? {}) === standing),
  }));
  const suspects = new Set(parts.flatMap(({ members }) => members));
  const others = {
    id: "workers",
    title: suspects.size > 0 ? "The other workers" : "All workers",
    members: order.filter((w) => !suspects.has(w)),
  };
  return [...parts, others]
    .filter(({ members }) => members.length > 0)
    .map(({ id, title, members }) => ({
      id,
      caption: `${title} (${grouped(members.length)}), worst first`,
      columns,
      rows: members.slice(0, most).map(row),
      ...(members.length > most && {
        more: `${count(members.length - most, "more worker")} in workers.csv.`,
      }),
    }));
}

/** Says in a cell how a worker stands against guessing; `given` is what workers give: "labels". */
export function standingText(
  worker: Pick<Ranked, "standing" | "flags">,
  given = "labels",
): string | null {
  const standing = standingOf(worker);
  if (standing === "unknown") return `too few ${given} to tell`;
  return standing === "guessing" ? "cannot be told" : (standing ?? null);
}
