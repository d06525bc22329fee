/** Tables of values of tasks that may have several: `task,value`, `task,output,value` or `task,value_1,value_2`. */
import { isOutputColumn, outputOfColumn } from "../../data/output-columns.ts";
import { type NameCell, type NumberCell, nameCell, numberCell } from "../cell.ts";
import { findColumns, isCalled, type Wanted } from "../column-names.ts";
import { sayColumns } from "../label-target.ts";
import { createNameInterner } from "../name-interners.ts";
import { excerpt, place } from "../problems.ts";
import type { GoldTable } from "../sink.ts";
import type { TableKind } from "../table.ts";
import { numbersTable, type ReadNumbers } from "./numbers.ts";

/** Values by task and, where there are several, by output. */
export interface ReadValues extends ReadNumbers {
  /** The output of each row; absent where tasks have one number. */
  readonly outputs?: readonly string[];
}

/** The places of columns that hold one of several numbers each; none if there is a column of one number. */
export function outputColumns(header: readonly string[]): number[] {
  if (isCalled(header, "value")) return [];
  return Array.from(header.keys()).filter((at) => isOutputColumn(header[at]));
}

/** The same columns by what they are, for words on what was understood. */
export function outputPlaces(header: readonly string[], places: readonly number[]) {
  return new Map(places.map((at) => [`output ${outputOfColumn(header[at])}`, at]));
}

const task: Wanted = { role: "task", aliases: "task", required: true };
const value: Wanted = { role: "value", aliases: "value", required: true };

/** Reads values; intervals too, if there are columns low and high. */
export const valuesTable: TableKind<ReadValues> = (context, options) => {
  const plain = numbersTable([task, value], ["low", "high"])(context, options);
  const several = severalTable(context, options);
  let chosen: typeof plain | typeof several = plain;
  return {
    get interners() {
      return chosen.interners;
    },
    rows: () => chosen.rows(),
    target: {
      problem: (line, what) => context.problems.add(context.file, line, what),
      columns(header, line) {
        const wide = options.columns?.["value"] ? [] : outputColumns(header);
        if (wide.length > 0 || isCalled(header, "output")) chosen = several;
        return chosen.target.columns(header, line);
      },
      row: (line) => chosen.target.row(line),
    },
    finish: (notes) => chosen.finish(notes),
  };
};

/** Reads known values. */
export const valuesGold: TableKind<GoldTable> = (context, options) => {
  const made = valuesTable(context, options);
  return {
    get interners() {
      return made.interners;
    },
    rows: made.rows,
    target: made.target,
    finish(notes) {
      const { names, columns, outputs, notes: said } = made.finish(notes);
      const known = names.map(
        (name, i) => [name, columns["value"][i], undefined, outputs?.[i]] as const,
      );
      return { gold: known, notes: said };
    },
  };
};

/** One value of a row, with the cells of its interval where there are some. */
interface Given {
  readonly column: string;
  readonly output: string | NameCell;
  readonly cells: Readonly<Record<string, NumberCell>>;
}

/** The columns of a table of several numbers: the cell of each place, and the values that a row holds. */
function layoutOf(
  header: readonly string[],
  places: ReadonlyMap<string, number>,
  extra: readonly string[],
  { names, output }: { readonly names: NameCell; readonly output: NameCell },
): { given: readonly Given[]; cells: (NameCell | NumberCell | undefined)[] } {
  const wide = outputColumns(header);
  const long = Object.fromEntries(["value", ...extra].map((role) => [role, numberCell()]));
  const given: readonly Given[] =
    wide.length > 0
      ? wide.map((at) => ({
          column: header[at],
          output: outputOfColumn(header[at]),
          cells: { value: numberCell() },
        }))
      : [{ column: "value", output, cells: long }];
  const cells = header.map((_, at) => {
    if (wide.includes(at)) return given[wide.indexOf(at)].cells["value"];
    if (at === places.get("task")) return names;
    if (at === places.get("output")) return output;
    const role = Object.keys(long).find((each) => places.get(each) === at);
    return role === undefined ? undefined : long[role];
  });
  return { given, cells };
}

/** Says what is wrong with one value of a row; undefined if nothing is. */
function wrongOf({ column, output, cells }: Given, names: NameCell): string | undefined {
  const wrong = Object.values(cells).find(
    (cell) => cell.wrong !== undefined || Math.abs(cell.value) === Infinity,
  );
  if (wrong) {
    const found = excerpt(wrong.wrong ?? String(wrong.value));
    return `${column} should hold finite numbers, but there is ${found}.`;
  }
  if (names.code < 0) return "the task is empty.";
  return typeof output !== "string" && output.code < 0 ? "the output is empty." : undefined;
}

const severalTable: TableKind<ReadValues> = (context, options) => {
  const { file, problems } = context;
  const names = nameCell(createNameInterner(options));
  const output = nameCell(createNameInterner(options));
  const [name, of]: string[][] = [[], []];
  const columns: Record<string, number[]> = { value: [] };
  let given: readonly Given[] = [];
  return {
    interners: [names.names, output.names],
    rows: () => name.length,
    target: {
      problem: (line, what) => problems.add(file, line, what),
      columns(header, line) {
        const wide = outputColumns(header);
        const extra = ["low", "high"].filter((role) => wide.length === 0 && isCalled(header, role));
        const wanted: Wanted[] = [
          task,
          ...(wide.length > 0 ? [] : [value, { role: "output", aliases: "output" } as const]),
          ...extra.map((role): Wanted => ({ role, aliases: "value" })),
        ];
        const exact = Object.fromEntries(extra.map((role) => [role, role]));
        const columnsOf = { ...exact, ...(options.columns ?? {}) };
        const places = findColumns(header, wanted, columnsOf, place(file, line));
        context.understood(sayColumns(header, new Map([...places, ...outputPlaces(header, wide)])));
        for (const role of extra) columns[role] = [];
        const layout = layoutOf(header, places, extra, { names, output });
        given = layout.given;
        return layout.cells;
      },
      row(line) {
        for (const each of given) {
          const { output: said, cells } = each;
          if (Number.isNaN(cells["value"].value) && cells["value"].wrong === undefined) continue;
          const wrong = wrongOf(each, names);
          if (wrong !== undefined) return problems.add(file, line, wrong);
          name.push(names.names.name(names.code));
          of.push(typeof said === "string" ? said : said.names.name(said.code));
          for (const [role, cell] of Object.entries(cells)) columns[role].push(cell.value);
        }
      },
    },
    finish: (notes) => ({
      names: name,
      outputs: of,
      columns: Object.fromEntries(
        Object.entries(columns).map(([role, values]) => [role, Float64Array.from(values)]),
      ),
      notes,
    }),
  };
};
