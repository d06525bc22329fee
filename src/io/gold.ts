/**
 * Known classes: a table with a task and a label.
 *
 *   task,label
 *   img-17,cat
 */
import { nameCell } from "./cell.ts";
import { findColumns } from "./column-names.ts";
import { createGrowingCodes } from "./growing.ts";
import { createInterner } from "./interner.ts";
import { sayColumns } from "./label-target.ts";
import { place, plural } from "./problems.ts";
import type { TableKind } from "./table.ts";

export interface Gold {
  readonly gold: readonly (readonly [task: string, label: string])[];
  readonly notes: readonly string[];
}

/** Reads gold; a task without a label is not gold, and is counted. */
export const goldTable: TableKind<Gold> = (context, options) => {
  const { file, problems } = context;
  const task = nameCell(createInterner());
  const label = nameCell(createInterner());
  const tasks = createGrowingCodes();
  const labels = createGrowingCodes();
  let rows = 0;
  let empty = 0;
  return {
    interners: [task.names, label.names],
    rows: () => rows,
    target: {
      problem: (line, what) => problems.add(file, line, what),
      columns(header, line) {
        const given = options.columns ?? numbered(options.header);
        const places = findColumns(
          header,
          [
            { role: "task", aliases: "task", required: true },
            { role: "label", aliases: "gold", required: true },
          ],
          given,
          place(file, line),
        );
        context.understood(sayColumns(header, places));
        return header.map((_, at) =>
          at === places.get("task") ? task : at === places.get("label") ? label : undefined,
        );
      },
      row(line) {
        if (label.code < 0) empty++;
        else if (task.code < 0) problems.add(file, line, "the task is empty.");
        else {
          tasks.push(task.code);
          labels.push(label.code);
          rows++;
        }
      },
    },
    finish(notes) {
      const taskNames = task.names.names();
      const labelNames = label.names.names();
      const labelCodes = labels.join();
      const gold = Array.from(tasks.join(), (t, i): [string, string] => [
        taskNames[t],
        labelNames[labelCodes[i]],
      ]);
      const said = empty > 0 ? [`${file}: ${plural(empty, "row")} without a label left out.`] : [];
      return { gold, notes: [...notes, ...said] };
    },
  };
};

/** Without a header the first column is the task and the second the label. */
export function numbered(header: boolean | undefined) {
  return header === false ? { task: "1", label: "2" } : {};
}
