/** Tables of names and numbers: values of tasks, scores of items, with or without intervals. */
import { CrowdError, plural } from "../../error.ts";
import { nameCell, numberCell } from "../cell.ts";
import { findColumns, isCalled, mapping, type Wanted } from "../column-names.ts";
import { createGrowingCodes } from "../growing.ts";
import { sayColumns } from "../label-target.ts";
import { createNameInterner } from "../name-interners.ts";
import { excerpt, place } from "../problems.ts";
import type { GoldTable } from "../sink.ts";
import type { TableKind } from "../table.ts";

export interface ReadNumbers {
  /** The name of each row. */
  readonly names: readonly string[];
  /** Numbers by role; NaN where a cell of an optional column is empty. */
  readonly columns: Readonly<Record<string, Float64Array>>;
  readonly notes: readonly string[];
}

/**
 * Reads a table whose first wanted column is the name and whose others are numbers; `extra` names
 * further columns of numbers that are read if they are there. A row without its first number is
 * left out and counted.
 */
export function numbersTable(
  [name, ...numbers]: readonly Wanted[],
  extra: readonly string[] = [],
): TableKind<ReadNumbers> {
  return (context, options) => {
    const { file, problems } = context;
    const names = nameCell(createNameInterner(options));
    const codes = createGrowingCodes();
    let filled: { role: string; cell: ReturnType<typeof numberCell>; values: number[] }[] = [];
    let rows = 0;
    let empty = 0;
    return {
      interners: [names.names],
      rows: () => rows,
      target: {
        problem: (line, what) => problems.add(file, line, what),
        columns(header, line) {
          const first = { [name.role]: "1", [numbers[0].role]: "2" };
          const given = options.columns ?? (options.header === false ? first : {});
          const more = extra
            .filter((role) => isCalled(header, role))
            .map((role): Wanted => ({ role, aliases: "value" }));
          const exact = Object.fromEntries(more.map(({ role }) => [role, role]));
          const wanted = [name, ...numbers, ...more];
          const places = findColumns(header, wanted, { ...exact, ...given }, place(file, line));
          context.understood(sayColumns(header, places));
          filled = [...numbers, ...more]
            .filter(({ role }) => (places.get(role) ?? -1) >= 0)
            .map(({ role }) => ({ role, cell: numberCell(), values: [] }));
          if (filled.length === 0) throw noNumber(header, numbers, place(file, line));
          return header.map((_, at) =>
            at === places.get(name.role)
              ? names
              : filled.find(({ role }) => places.get(role) === at)?.cell,
          );
        },
        row(line) {
          const wrong = filled.find(
            ({ cell }) => cell.wrong !== undefined || Math.abs(cell.value) === Infinity,
          );
          if (wrong) {
            const found = excerpt(wrong.cell.wrong ?? String(wrong.cell.value));
            return problems.add(
              file,
              line,
              `the ${wrong.role} should be a finite number, but is ${found}.`,
            );
          }
          if (Number.isNaN(filled[0].cell.value)) {
            empty++;
            return;
          }
          if (names.code < 0) return problems.add(file, line, `the ${name.role} is empty.`);
          codes.push(names.code);
          for (const { cell, values } of filled) values.push(cell.value);
          rows++;
        },
      },
      finish(notes) {
        const all = names.names.names();
        const said =
          empty > 0
            ? [`${file}: ${plural(empty, "row")} without a ${filled[0].role} left out.`]
            : [];
        return {
          names: Array.from(codes.join(), (code) => all[code]),
          columns: Object.fromEntries(
            filled.map(({ role, values }) => [role, Float64Array.from(values)]),
          ),
          notes: [...notes, ...said],
        };
      },
    };
  };
}

/** Reads known numbers; a rank, where 1 is the best, becomes a score of the opposite sign. */
export function numberedGold(wanted: readonly Wanted[]): TableKind<GoldTable> {
  return (context, options) => {
    const made = numbersTable(wanted)(context, options);
    return {
      ...made,
      finish(notes) {
        const { names, columns, notes: said } = made.finish(notes);
        const [role, values] = Object.entries(columns)[0] ?? ["", new Float64Array(0)];
        const sign = role === "rank" ? -1 : 1;
        return { gold: names.map((each, i) => [each, sign * values[i]] as const), notes: said };
      },
    };
  };
}

function noNumber(
  header: readonly string[],
  numbers: readonly Wanted[],
  where: string,
): CrowdError {
  const roles = numbers.map(({ role }) => role).join(" or ");
  return new CrowdError(
    "bad-data",
    `${where}: no column is recognised as the ${roles}. The columns are: ${header.map(excerpt).join(", ")}. ` +
      `A column with another name can be mapped: ${mapping(numbers[0].role)}.`,
  );
}
