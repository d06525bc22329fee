/** Numbers: rows of task, worker and value; of several values, or with the name of one of several outputs. */
import type { NumericData } from "../../data/numeric.ts";
import { type NumericOptions, numericFromColumns } from "../../data/numeric-from-columns.ts";
import { isOutputColumn, lackingNotes, outputOfColumn } from "../../data/output-columns.ts";
import { CrowdError } from "../../error.ts";
import { badWeight, type NumberCell, nameCell, numberCell } from "../cell.ts";
import { cleaningNotes } from "../cleaning.ts";
import { type FoundColumns, isCalled, lateRole, type Wanted } from "../column-names.ts";
import type { FileContext, ReadOptions, TableTarget } from "../format.ts";
import { createGrowingCodes, createGrowingNumbers } from "../growing.ts";
import type { Interner } from "../interner.ts";
import { createNameInterner } from "../name-interners.ts";
import { excerpt } from "../problems.ts";
import type { Reading, Sink } from "../sink.ts";
import { outputColumns, outputPlaces, valuesGold } from "./outputs.ts";
import { createCells, createSharedColumns, noLabels, understand } from "./shared.ts";

const roles: readonly Wanted[] = [
  { role: "task", aliases: "task", required: true },
  { role: "worker", aliases: "worker", required: true },
  { role: "value", aliases: "value", required: true },
  { role: "output", aliases: "output" },
  { role: "time", aliases: "time" },
  { role: "weight", aliases: "weight" },
];
/** Columns beside those of several outputs. */
const besideOutputs = roles.filter(({ role }) => role !== "value" && role !== "output");

export const numericReading: Reading<NumericData> = {
  id: "numeric",
  takes: ["values"],
  recognise(header) {
    if (isCalled(header, "label")) return undefined;
    if (isCalled(header, "value")) return 'there is a column "value"';
    const wide = outputColumns(header);
    return wide.length > 1 ? `there are columns "${header[wide[0]]}" and more` : undefined;
  },
  sink: createValueSink,
  gold: valuesGold,
  example: "task,worker,value",
  goldExample: "task and value",
};

/** The answers so far: what all kinds have, the numbers, and the output of each. */
interface Growing {
  readonly shared: ReturnType<typeof createSharedColumns>;
  readonly values: ReturnType<typeof createGrowingNumbers>;
  readonly output: ReturnType<typeof createGrowingCodes>;
  readonly outputs: Interner;
  /** Rows that hold several outputs, and the first file with and without outputs. */
  wideRows: number;
  with: string | undefined;
  without: string | undefined;
}

function createValueSink(options: ReadOptions & NumericOptions): Sink<NumericData> {
  const growing: Growing = {
    shared: createSharedColumns(options),
    values: createGrowingNumbers(0),
    output: createGrowingCodes(),
    outputs: createNameInterner(options),
    wideRows: 0,
    with: undefined,
    without: undefined,
  };
  const { shared, values, output, outputs } = growing;
  return {
    target: (context) => valueTarget(growing, context),
    labels: (context) => {
      throw noLabels("numeric", context);
    },
    rows: shared.rows,
    byteLength: () =>
      shared.byteLength() + values.byteLength() + output.byteLength() + outputs.byteLength(),
    names: () => shared.tasks.size + shared.workers.size,
    latin1: () => shared.tasks.latin1 + shared.workers.latin1 + outputs.latin1,
    dropped: shared.dropped,
    finish({ gold, notes }) {
      const columns = {
        ...shared.columns(),
        value: values.join(shared.rows()),
        ...(growing.with !== undefined && { output: output.join(), outputs: outputs.names() }),
      };
      return numericFromColumns(columns, {
        ...options,
        gold: gold && Array.from(gold, ([task, x, , of]) => [task, Number(x), of] as const),
        notes: [
          ...notes,
          ...shared.dropped(),
          ...lackingNotes(columns, growing.wideRows),
          ...cleaningNotes([shared.tasks, shared.workers, outputs].map(({ changes }) => changes)),
        ],
      });
    },
  };
}

/** A number that a row holds, and the output that it is. */
interface OutputCell {
  readonly name: string;
  readonly code: number;
  readonly cell: NumberCell;
}

function valueTarget(growing: Growing, context: FileContext): TableTarget {
  const { shared, outputs } = growing;
  const { task, worker, weight, times } = createCells(shared, context);
  const [value, output] = [numberCell(), nameCell(outputs)];
  const problem = (line: number, what: string) => context.problems.add(context.file, line, what);
  const cells = { task, worker, value, output, time: times.cell, weight };
  const wide: OutputCell[] = [];
  let found: FoundColumns | undefined;
  let long = false;
  const wideCell = (name: string): NumberCell => {
    const cell = numberCell();
    wide.push({ name, code: outputs.addText(outputOfColumn(name)), cell });
    return cell;
  };
  const addRow = (line: number, code: number, x: number) => {
    growing.values.set(shared.rows(), x);
    growing.output.push(Math.max(0, code));
    shared.add(task.code, worker.code, times.take(line), weight.value);
  };
  return {
    problem,
    finish: times.finish,
    lateColumn(header, line) {
      const name = header[header.length - 1];
      if (wide.length > 0 && isOutputColumn(name)) return wideCell(name);
      const role = found && lateRole(found, header, line);
      return role === undefined ? undefined : cells[role as keyof typeof cells];
    },
    columns(header, line) {
      const several = context.options.columns?.["value"] ? [] : outputColumns(header);
      const wanted = several.length > 0 ? besideOutputs : roles;
      found = understand(header, wanted, context, line, outputPlaces(header, several));
      const { places } = found;
      long = (places.get("output") ?? -1) >= 0;
      sameLayout(growing, several.length > 0 || long, context.file);
      return header.map((name, at) => {
        if (several.includes(at)) return wideCell(name);
        const role = roles.find((each) => places.get(each.role) === at)?.role;
        return role === undefined ? undefined : cells[role as keyof typeof cells];
      });
    },
    row(line) {
      const given = wide.length > 0 ? wide : [{ name: "value", code: output.code, cell: value }];
      const wrong =
        badValue(given) ??
        (given.every(({ cell }) => Number.isNaN(cell.value)) ? "" : undefined) ??
        (task.code < 0 ? "the task is empty." : undefined) ??
        (worker.code < 0 ? "the worker is empty." : undefined) ??
        (long && output.code < 0 ? "the output is empty." : undefined) ??
        badWeight(weight);
      if (wrong === "")
        return shared.drop(wide.length > 0 ? "all values are empty" : "the value is empty");
      if (wrong !== undefined) return problem(line, wrong);
      if (wide.length > 0) growing.wideRows++;
      for (const { code, cell } of given) {
        if (!Number.isNaN(cell.value)) addRow(line, code, cell.value);
      }
    },
  };
}

/** Says that a cell holds no number; undefined if all do, or are empty. */
function badValue(given: readonly OutputCell[]): string | undefined {
  const wrong = given.find(
    ({ cell }) => cell.wrong !== undefined || Math.abs(cell.value) === Infinity,
  );
  if (!wrong) return undefined;
  const found = excerpt(wrong.cell.wrong ?? String(wrong.cell.value));
  return `the ${wrong.name === "value" ? "value" : `number of ${wrong.name}`} should be a finite number, but is ${found}.`;
}

/** Refuses files of which some name outputs and others do not. */
function sameLayout(growing: Growing, outputs: boolean, file: string): void {
  if (outputs) growing.with ??= file;
  else growing.without ??= file;
  if (growing.with === undefined || growing.without === undefined) return;
  throw new CrowdError(
    "bad-data",
    `${growing.with} has several values per task and ${growing.without} has one: name the output of each value in both.`,
  );
}
