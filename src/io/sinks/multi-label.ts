/**
 * Several labels per task: rows of task, worker and label. A worker's labels stand in a row each, in one cell with a
 * separator, or in a list where the format has lists; an empty label says that the worker chose none.
 */
import type { MultiLabelData } from "../../data/multi-label.ts";
import {
  type MultiLabelOptions,
  multiLabelFromColumns,
} from "../../data/multi-label-from-columns.ts";
import { CrowdError, grouped, hint } from "../../error.ts";
import { badWeight, namesCell } from "../cell.ts";
import { cleaningNotes } from "../cleaning.ts";
import { type FoundColumns, labelRoles, lateRole, mapping } from "../column-names.ts";
import type { FileContext, ReadOptions, TableTarget } from "../format.ts";
import type { Reading, Sink } from "../sink.ts";
import { createLabelCells } from "./label-cells.ts";
import { setGold } from "./label-sets.ts";
import { createCells, createSharedColumns, noLabels, understand } from "./shared.ts";

export const multiLabelReading: Reading<MultiLabelData> = {
  id: "multi-label",
  takes: ["sets"],
  // The columns are those of labels; labels say so where workers have several on a task.
  recognise: () => undefined,
  sink: createSetSink,
  gold: setGold,
  example: "task,worker,label",
  goldExample: "task and label, a row per label",
};

type Shared = ReturnType<typeof createSharedColumns>;
type LabelCells = ReturnType<typeof createLabelCells>;

function createSetSink(options: ReadOptions & MultiLabelOptions): Sink<MultiLabelData> {
  const shared = createSharedColumns(options);
  const chosen = createLabelCells(options);
  return {
    target: (context) => setTarget(shared, chosen, context),
    labels: (context) => {
      throw noLabels("multi-label", context);
    },
    rows: shared.rows,
    byteLength: () => shared.byteLength() + chosen.byteLength(),
    names: () => shared.tasks.size + shared.workers.size,
    latin1: () =>
      [shared.tasks, shared.workers, chosen.cells].reduce((sum, { latin1 }) => sum + latin1, 0),
    dropped: shared.dropped,
    finish({ gold, notes }) {
      const columns = shared.columns();
      const { notes: said, ...labels } = chosen.finish((rows) => oneRowEach(columns, rows));
      checkLimit(labels.labels.length, options);
      return multiLabelFromColumns(
        { ...columns, ...labels },
        {
          ...options,
          gold: gold && Array.from(gold, ([task, label]) => [task, String(label)] as const),
          notes: [
            ...notes,
            ...said,
            ...shared.dropped(),
            ...cleaningNotes(
              [shared.tasks, shared.workers, chosen.labels].map(({ changes }) => changes),
            ),
          ],
        },
      );
    },
  };
}

/** True where no worker has two rows on a task. */
function oneRowEach(
  {
    task,
    worker,
    workers,
  }: Pick<MultiLabelData, "task" | "worker"> & { workers: ArrayLike<unknown> },
  rows: number,
): boolean {
  const pairs = new Set<number>();
  for (let i = 0; i < rows; i++) {
    const key = task[i] * workers.length + worker[i];
    if (pairs.has(key)) return false;
    pairs.add(key);
  }
  return true;
}

/** Too many different labels: most often the wrong column was taken. */
function checkLimit(labels: number, { maxClasses = 10_000 }: ReadOptions): void {
  if (labels <= maxClasses) return;
  throw new CrowdError(
    "too-large",
    `There are ${grouped(labels)} different labels; more than ${grouped(maxClasses)} are taken for a mistake. ` +
      `Choose another column with ${mapping("label")}, or raise ${hint("maxClasses")}.`,
  );
}

function setTarget(shared: Shared, chosen: LabelCells, context: FileContext): TableTarget {
  const { task, worker, weight, times } = createCells(shared, context);
  const label = namesCell(chosen.cells);
  const problem = (line: number, what: string) => context.problems.add(context.file, line, what);
  const cells = { task, worker, label, time: times.cell, weight };
  let found: FoundColumns | undefined;
  return {
    problem,
    finish: times.finish,
    lateColumn(header, line) {
      const role = found && lateRole(found, header, line);
      return role === undefined ? undefined : cells[role as keyof typeof cells];
    },
    columns(header, line) {
      found = understand(header, labelRoles, context, line);
      const { places } = found;
      return header.map((_, at) => {
        const role = labelRoles.find((each) => places.get(each.role) === at)?.role;
        return role === undefined ? undefined : cells[role as keyof typeof cells];
      });
    },
    row(line) {
      if (task.code < 0 && worker.code < 0) return shared.drop("task and worker are empty");
      if (task.code < 0) return problem(line, "the task is empty.");
      if (worker.code < 0) return problem(line, "the worker is empty.");
      const wrong = badWeight(weight);
      if (wrong) return problem(line, wrong);
      chosen.add(label);
      shared.add(task.code, worker.code, times.take(line), weight.value);
    },
  };
}
