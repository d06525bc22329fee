/**
 * Known classes: a table with a task and a label.
 *
 *   task,label
 *   img-17,cat
 */
import { CrowdError } from "../error.ts";
import { type FoundColumns, findColumns, lateRole, type Wanted } from "./column-names.ts";
import { sayColumns } from "./label-target.ts";
import { place } from "./problems.ts";
import type { GoldTable } from "./sink.ts";
import type { TableKind } from "./table.ts";
import { createTaskLabels } from "./task-labels.ts";

export interface Gold {
  readonly gold: readonly (readonly [task: string, label: string])[];
  readonly notes: readonly string[];
}

/** Refuses a file without gold. */
export function someGold<Table extends GoldTable>(
  table: Table,
  name: string,
  example: string,
): Table {
  if (table.gold.length > 0) return table;
  const why = table.notes.map((note) => ` ${note}`).join("");
  throw new CrowdError(
    "no-labels",
    `${name}: there is no gold.${why} Gold has columns ${example}.`,
  );
}

const goldRoles: readonly Wanted[] = [
  { role: "task", aliases: "task", required: true },
  { role: "label", aliases: "gold", required: true },
];

/** Reads gold; a task without a label is not gold, and is counted. */
export const goldTable: TableKind<Gold> = (context, options) => {
  const { file, problems } = context;
  const taken = createTaskLabels(options);
  const { task, label } = taken;
  let found: FoundColumns | undefined;
  return {
    interners: [task.names, label.names],
    rows: () => taken.rows,
    target: {
      problem: (line, what) => problems.add(file, line, what),
      columns(header, line) {
        const given = options.columns ?? numbered(options.header);
        const places = findColumns(header, goldRoles, given, place(file, line));
        found = { header, places, wanted: goldRoles, given, context };
        context.understood(sayColumns(header, places));
        return header.map((_, at) =>
          at === places.get("task") ? task : at === places.get("label") ? label : undefined,
        );
      },
      lateColumn(header, line) {
        if (found) lateRole(found, header, line);
        return undefined;
      },
      row(line) {
        if (label.code < 0) taken.empty++;
        else if (task.code < 0) problems.add(file, line, "the task is empty.");
        else taken.add();
      },
    },
    finish(notes) {
      const { tasks, labels } = taken.finish();
      const gold = tasks.map((name, i): [string, string] => [name, labels[i]]);
      return { gold, notes: [...notes, ...taken.notes(file)] };
    },
  };
};

/** Without a header the first column is the task and the second the label. */
export function numbered(header: boolean | undefined) {
  return header === false ? { task: "1", label: "2" } : {};
}
