/** Known numbers: a table with a name and a number, of tasks or of items. */
import { CrowdError } from "../../error.ts";
import { nameCell, numberCell } from "../cell.ts";
import { findColumns, mapping, type Wanted } from "../column-names.ts";
import { createGrowingCodes } from "../growing.ts";
import { createInterner } from "../interner.ts";
import { sayColumns } from "../label-target.ts";
import { excerpt, place, plural } from "../problems.ts";
import type { GoldTable } from "../sink.ts";
import type { TableKind } from "../table.ts";

/**
 * Reads gold whose first wanted column is the name. Of several columns of numbers the first that is
 * there counts; a rank, where 1 is the best, becomes a score of the opposite sign.
 */
export function numberedGold(wanted: readonly Wanted[], called: string): TableKind<GoldTable> {
  return (context, options) => {
    const { file, problems } = context;
    const [name, ...numbers] = wanted;
    const names = nameCell(createInterner());
    const number = numberCell();
    const codes = createGrowingCodes();
    const values: number[] = [];
    let sign = 1;
    let empty = 0;
    return {
      interners: [names.names],
      rows: () => values.length,
      target: {
        problem: (line, what) => problems.add(file, line, what),
        columns(header, line) {
          const given =
            options.columns ??
            (options.header === false ? { [name.role]: "1", [called]: "2" } : {});
          const places = findColumns(header, wanted, given, place(file, line));
          const chosen = numbers.find(({ role }) => (places.get(role) ?? -1) >= 0);
          if (!chosen) {
            throw new CrowdError(
              "bad-data",
              `${place(file, line)}: no column is recognised as the ${called}. The columns are: ` +
                `${header.map(excerpt).join(", ")}. A column with another name can be mapped: ${mapping(called)}.`,
            );
          }
          sign = chosen.role === "rank" ? -1 : 1;
          context.understood(sayColumns(header, places));
          return header.map((_, at) =>
            at === places.get(name.role)
              ? names
              : at === places.get(chosen.role)
                ? number
                : undefined,
          );
        },
        row(line) {
          if (number.wrong !== undefined || Math.abs(number.value) === Infinity) {
            const found = excerpt(number.wrong ?? String(number.value));
            problems.add(file, line, `the ${called} should be a finite number, but is ${found}.`);
          } else if (Number.isNaN(number.value)) empty++;
          else if (names.code < 0) problems.add(file, line, `the ${name.role} is empty.`);
          else {
            codes.push(names.code);
            values.push(sign * number.value);
          }
        },
      },
      finish(notes) {
        const all = names.names.names();
        const gold = Array.from(codes.join(), (code, i): [string, number] => [
          all[code],
          values[i],
        ]);
        const said =
          empty > 0 ? [`${file}: ${plural(empty, "row")} without a ${called} left out.`] : [];
        return { gold, notes: [...notes, ...said] };
      },
    };
  };
}
