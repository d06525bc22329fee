/** Cells that hold several labels: what separates them, and the labels they split into. */
import { separatorOf } from "../../data/multi-label-from-columns.ts";
import { grouped, hint, plural } from "../../error.ts";
import type { NameCell } from "../cell.ts";
import type { ReadOptions } from "../format.ts";
import { createGrowingCodes } from "../growing.ts";
import { createMissing } from "../label-target.ts";
import { createLabelInterner, createNameInterner } from "../name-interners.ts";

/** Number of texts of a row, from how it is noted. */
const lengthOf = (size: number) => (size > 1 ? size - 1 : size);

/** Gathers the label cells of rows, to be split once all are known. */
export function createLabelCells(options: ReadOptions) {
  const cells = createNameInterner(options);
  const code = createGrowingCodes();
  const size = createGrowingCodes();
  const labels = createLabelInterner(options);
  return {
    cells,
    labels,
    /** Takes the labels of one row: a text, a list, or nothing. */
    add({ code: text, list }: NameCell) {
      const codes = (list ? list.map(cells.addText) : [text]).filter((each) => each >= 0);
      // Lists have their length and one more, texts 1, nothing 0.
      size.push(list && codes.length > 0 ? codes.length + 1 : codes.length);
      for (const each of codes) code.push(each);
    },
    byteLength: () => [cells, code, size, labels].reduce((sum, part) => sum + part.byteLength(), 0),
    /** Splits the cells: where the labels of each row begin, and the labels. `single` says that pairs have one row each. */
    finish(single: (rows: number) => boolean) {
      const codes = code.join();
      const sizes = size.join();
      const texts = cells.names();
      const whole = new Uint8Array(texts.length);
      for (let row = 0, at = 0; row < sizes.length; row++) {
        if (sizes[row] === 1) whole[codes[at]] = 1;
        at += lengthOf(sizes[row]);
      }
      const split = texts.filter((_, at) => whole[at]);
      const likely = options.labelSeparator ?? separatorOf(split);
      const found = options.labelSeparator ?? (likely && single(sizes.length) ? likely : undefined);
      const separator = found === "" ? undefined : found;
      const notes = separatorNotes(split, separator, options.labelSeparator);
      return { ...splitRows(codes, sizes, texts, separator), labels: labels.names(), notes };
    },
  };

  function splitRows(
    codes: Int32Array,
    sizes: Int32Array,
    texts: readonly string[],
    separator: string | undefined,
  ): { start: Int32Array; label: Int32Array } {
    const isMissing = createMissing(labels, options);
    const parts = texts.map((text) => (separator ? text.split(separator) : [text]));
    const start = new Int32Array(sizes.length + 1);
    const label: number[] = [];
    let at = 0;
    for (let row = 0; row < sizes.length; row++) {
      const list = sizes[row] > 1;
      for (let i = 0; i < lengthOf(sizes[row]); i++, at++) {
        for (const part of list ? [texts[codes[at]]] : parts[codes[at]]) {
          const found = labels.addText(part);
          if (found >= 0 && !isMissing(found)) label.push(found);
        }
      }
      start[row + 1] = label.length;
    }
    return { start, label: Int32Array.from(label) };
  }
}

/** Says at what cells were split, and what else they may be split at. */
function separatorNotes(
  cells: readonly string[],
  separator: string | undefined,
  given: string | undefined,
): string[] {
  const holding = (mark: string) => cells.filter((cell) => cell.includes(mark)).length;
  if (separator !== undefined && given === undefined) {
    return [
      `Label cells are split at "${separator}": ${grouped(holding(separator))} of ${plural(cells.length, "different cell")} hold several labels ` +
        `(${hint("labelSeparator", "")} takes them whole).`,
    ];
  }
  if (separator !== undefined && holding(separator) === 0) {
    return [`No label cell holds "${separator}", so every cell is one label.`];
  }
  const other = given === undefined ? ["|", ";", ","].find((mark) => holding(mark) > 0) : undefined;
  if (other === undefined) return [];
  return [
    `${plural(holding(other), "label")} of ${cells.length} hold "${other}" and are taken whole. If they are several labels in a cell, ` +
      `use ${hint("labelSeparator", other)}.`,
  ];
}
