/** Numbers: rows of task, worker and value. */
import type { NumericData } from "../../data/numeric.ts";
import { type NumericOptions, numericFromColumns } from "../../data/numeric-from-columns.ts";
import { badWeight, numberCell } from "../cell.ts";
import { cleaningNotes } from "../cleaning.ts";
import { type FoundColumns, isCalled, lateRole, type Wanted } from "../column-names.ts";
import type { FileContext, ReadOptions, TableTarget } from "../format.ts";
import { createGrowingNumbers } from "../growing.ts";
import { excerpt } from "../problems.ts";
import type { Reading, Sink } from "../sink.ts";
import { numberedGold } from "./numbers.ts";
import { createCells, createSharedColumns, noLabels, understand } from "./shared.ts";

const roles: readonly Wanted[] = [
  { role: "task", aliases: "task", required: true },
  { role: "worker", aliases: "worker", required: true },
  { role: "value", aliases: "value", required: true },
  { role: "time", aliases: "time" },
  { role: "weight", aliases: "weight" },
];

export const numericReading: Reading<NumericData> = {
  id: "numeric",
  recognise: (header) =>
    isCalled(header, "value") && !isCalled(header, "label")
      ? 'there is a column "value"'
      : undefined,
  sink: createValueSink,
  gold: numberedGold([
    { role: "task", aliases: "task", required: true },
    { role: "value", aliases: "value", required: true },
  ]),
  example: "task,worker,value",
  goldExample: "task and value",
};

function createValueSink(options: ReadOptions & NumericOptions): Sink<NumericData> {
  const shared = createSharedColumns(options);
  const values = createGrowingNumbers(0);
  return {
    target: (context) => valueTarget(shared, values, context),
    labels: (context) => {
      throw noLabels("numeric", context);
    },
    rows: shared.rows,
    byteLength: () => shared.byteLength() + values.byteLength(),
    names: () => shared.tasks.size + shared.workers.size,
    latin1: () => shared.tasks.latin1 + shared.workers.latin1,
    dropped: shared.dropped,
    finish({ gold, notes }) {
      const columns = { ...shared.columns(), value: values.join(shared.rows()) };
      return numericFromColumns(columns, {
        ...options,
        gold: gold && Array.from(gold, ([task, x]) => [task, Number(x)] as const),
        notes: [
          ...notes,
          ...shared.dropped(),
          ...cleaningNotes([shared.tasks, shared.workers].map(({ changes }) => changes)),
        ],
      });
    },
  };
}

function valueTarget(
  shared: ReturnType<typeof createSharedColumns>,
  values: ReturnType<typeof createGrowingNumbers>,
  context: FileContext,
): TableTarget {
  const { task, worker, weight, times } = createCells(shared, context);
  const value = numberCell();
  const problem = (line: number, what: string) => context.problems.add(context.file, line, what);
  const cells = { task, worker, value, time: times.cell, weight };
  let found: FoundColumns | undefined;
  return {
    problem,
    finish: times.finish,
    lateColumn(header, line) {
      const role = found && lateRole(found, header, line);
      return role === undefined ? undefined : cells[role as keyof typeof cells];
    },
    columns(header, line) {
      found = understand(header, roles, context, line);
      const { places } = found;
      return header.map((_, at) => {
        const role = roles.find((each) => places.get(each.role) === at)?.role;
        return role === undefined ? undefined : cells[role as keyof typeof cells];
      });
    },
    row(line) {
      if (value.wrong !== undefined || Math.abs(value.value) === Infinity) {
        const found = excerpt(value.wrong ?? String(value.value));
        return problem(line, `the value should be a finite number, but is ${found}.`);
      }
      if (Number.isNaN(value.value)) return shared.drop("the value is empty");
      if (task.code < 0) return problem(line, "the task is empty.");
      if (worker.code < 0) return problem(line, "the worker is empty.");
      const wrong = badWeight(weight);
      if (wrong) return problem(line, wrong);
      values.set(shared.rows(), value.value);
      shared.add(task.code, worker.code, times.take(line), weight.value);
    },
  };
}
