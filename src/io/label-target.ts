/** Rows of task, worker and label, out of any table, into the collector. */
import { CrowdError, grouped, hint, plural } from "../error.ts";
import { badWeight, type NameCell, type NumberCell, nameCell, numberCell } from "./cell.ts";
import { cleanLabel } from "./cleaning.ts";
import {
  type FoundColumns,
  findColumns,
  labelRoles,
  lateRole,
  mapping,
  type Role,
} from "./column-names.ts";
import type { FileContext, ReadOptions, TableTarget } from "./format.ts";
import type { Interner } from "./interner.ts";
import type { LabelCollector } from "./label-collector.ts";
import { excerpt, place } from "./problems.ts";
import { createTimes } from "./times.ts";

export function labelTarget(labels: LabelCollector, context: FileContext): TableTarget {
  const { file, problems, options } = context;
  const task = nameCell(labels.tasks);
  const worker = nameCell(labels.workers);
  const label = nameCell(labels.labels);
  const weight = numberCell();
  const times = createTimes(context, { rows: () => labels.rows, setTime: labels.setTime });
  const isMissing = createMissing(labels.labels, options);
  const check = createClassLimit(labels, context);
  let rows = 0;
  let found: FoundColumns | undefined;
  const cells = { task, worker, label, time: times.cell, weight } as const;

  function problem(line: number, what: string) {
    problems.add(file, line, what);
    labels.drop();
  }

  return {
    problem,
    finish: times.finish,
    columns(header, line) {
      const where = place(file, line);
      const given = headerless(header, context) ?? options.columns ?? {};
      const places = findColumns(header, labelRoles, given, where);
      context.understood(sayColumns(header, places));
      check.column = header[places.get("label") ?? -1];
      found = { header, wanted: labelRoles, given, places, context };
      const filled = new Array<NameCell | NumberCell | undefined>(header.length);
      for (const { role } of labelRoles) {
        const at = places.get(role) ?? -1;
        if (at >= 0) filled[at] = cells[role as keyof typeof cells];
      }
      return filled;
    },
    lateColumn(header, line) {
      const role = found && lateRole(found, header, line);
      return role === undefined ? undefined : cells[role as keyof typeof cells];
    },
    row(line) {
      rows++;
      if (label.code < 0) {
        const blank = task.code < 0 && worker.code < 0;
        return labels.drop(blank ? "every cell is empty" : "the label is empty");
      }
      if (task.code < 0) return problem(line, "the task is empty.");
      if (worker.code < 0) return problem(line, "the worker is empty.");
      if (isMissing(label.code))
        return labels.drop("the label is one of those to treat as missing");
      const wrong = badWeight(weight);
      if (wrong !== undefined) return problem(line, wrong);
      labels.add(task.code, worker.code, label.code, times.take(line), weight.value);
      if (label.code >= check.limit) check.refuse(line, rows);
    },
  };
}

/** Without a header the three columns are task, worker and label, unless they were named. */
function headerless(header: readonly string[], { file, options }: FileContext) {
  if (options.header !== false || options.columns) return undefined;
  if (header.length === 3) return { task: "1", worker: "2", label: "3", time: "", weight: "" };
  throw new CrowdError(
    "bad-data",
    `${file}: without a header there should be three columns (task, worker, label), but there are ` +
      `${header.length}. Choose by number: ${hint("columns", "task=1,worker=2,label=3")}.`,
  );
}

/** What each column was taken for, and which are not used. */
export function sayColumns(header: readonly string[], places: ReadonlyMap<Role, number>): string {
  const used = [...places].filter(([, at]) => at >= 0);
  const taken = new Set(used.map(([, at]) => at));
  const others = header.filter((name, at) => !taken.has(at) && name !== "");
  const ignored = others.slice(0, 8).map(excerpt).join(", ");
  const more = others.length > 8 ? ` and ${others.length - 8} more` : "";
  return (
    used.map(([role, at]) => `${role} = ${excerpt(header[at])}`).join(", ") +
    (others.length > 0 ? `; not used: ${ignored}${more}` : "")
  );
}

/** Tells labels that mean "none" by their numbers, as they turn up. */
export function createMissing(
  labels: Interner,
  { missing = [], foldCase }: Pick<ReadOptions, "missing" | "foldCase">,
): (code: number) => boolean {
  if (missing.length === 0) return () => false;
  const names = new Set(missing.flatMap((name) => [name, cleanLabel(name, { foldCase })]));
  const codes = new Set<number>();
  let seen = 0;
  return (code) => {
    for (; seen < labels.size; seen++) if (names.has(labels.name(seen))) codes.add(seen);
    return codes.has(code);
  };
}

/** Too many different labels: most often the wrong column was taken. */
export function createClassLimit(labels: LabelCollector, { file, options }: FileContext) {
  const limit = options.maxClasses ?? 10_000;
  return {
    limit,
    column: undefined as string | undefined,
    refuse(line: number, rows: number): never {
      const column = this.column === undefined ? "the file" : `the column ${excerpt(this.column)}`;
      throw new CrowdError(
        "too-large",
        `${place(file, line)}: ${column} holds ${grouped(labels.labels.size)} different labels in the ` +
          `first ${plural(rows, "row")}; more than ${grouped(limit)} are taken for a mistake. ` +
          `Choose another column with ${mapping("label")}, or raise ${hint("maxClasses")}.`,
      );
    },
  };
}
