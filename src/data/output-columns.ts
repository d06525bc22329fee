/** Columns of several numbers per task: `value_1`, `value_2`, …, or by name: `value_left`, `value_top`. */
import { plural } from "../error.ts";

/** Tells whether a column is one of several numbers. */
export const isOutputColumn = (name: string): boolean => /^value[_ ]./i.test(name.trim());

/** The output that such a column holds. */
export const outputOfColumn = (name: string): string => name.trim().slice("value_".length);

/** Says how many of the rows that hold several numbers lack some of them. */
export function lackingNotes(
  {
    output = new Int32Array(0),
    outputs = [],
  }: {
    readonly output?: Int32Array | undefined;
    readonly outputs?: readonly string[] | undefined;
  },
  wideRows: number,
): string[] {
  if (wideRows === 0) return [];
  const given = new Int32Array(outputs.length);
  for (const o of output) given[o]++;
  return outputs.flatMap((name, o) =>
    given[o] < wideRows
      ? [
          `${plural(wideRows - given[o], "row")} without value_${name}; other values of these rows count.`,
        ]
      : [],
  );
}
