/** One label per task, as the rows of a table give it: gold, and answers to be scored. */
import { plural } from "../error.ts";
import { type NameCell, nameCell } from "./cell.ts";
import type { CleaningOptions } from "./cleaning.ts";
import { createGrowingCodes } from "./growing.ts";
import { createLabelInterner, createNameInterner } from "./name-interners.ts";

export interface TaskLabels {
  /** The cells of the row at hand. */
  readonly task: NameCell;
  readonly label: NameCell;
  /** How many rows were taken, and how many were left out since they have no label. */
  rows: number;
  empty: number;
  /** Takes the task and the label from the cells. */
  add(): void;
  /** Returns the names of the tasks and labels that were taken. */
  finish(): { readonly tasks: string[]; readonly labels: string[] };
  /** Says how many rows were left out. */
  notes(file: string): readonly string[];
}

/** Makes cells for a task and a label, and room for what they hold. */
export function createTaskLabels(options: CleaningOptions): TaskLabels {
  const task = nameCell(createNameInterner(options));
  const label = nameCell(createLabelInterner(options));
  const taskCodes = createGrowingCodes();
  const labelCodes = createGrowingCodes();
  const taken: TaskLabels = {
    task,
    label,
    rows: 0,
    empty: 0,
    add() {
      taskCodes.push(task.code);
      labelCodes.push(Math.max(0, label.code));
      taken.rows++;
    },
    finish() {
      const taskNames = task.names.names();
      const labelNames = label.names.names();
      return {
        tasks: Array.from(taskCodes.join(), (code) => taskNames[code]),
        labels: Array.from(labelCodes.join(), (code) => labelNames[code]),
      };
    },
    notes: (file) =>
      taken.empty > 0 ? [`${file}: ${plural(taken.empty, "row")} without a label left out.`] : [],
  };
  return taken;
}
