/**
 * Where the cells of a table go. A reader fills one cell per wanted column, then says that the row is
 * complete; whoever owns the cells takes the row from them.
 */
import { isWeight, weightRule } from "../data/weights.ts";
import { type NumberedDate, parseNumberedDate } from "./day-first.ts";
import { decodeText } from "./encoding.ts";
import type { Interner } from "./interner.ts";
import { parseNumber, parseTime, timeOfNumber } from "./number.ts";
import { excerpt } from "./problems.ts";

/** A name: text that is kept as it stands. */
export interface NameCell {
  readonly kind: "name";
  readonly names: Interner;
  /** Number of the name, or -1 where the cell is empty. */
  code: number;
  /** True where a row may hold a list of names instead. */
  readonly lists: boolean;
  /** The list that stood there, as text. */
  list: readonly string[] | undefined;
}

/** A number, or a time in milliseconds since 1970. */
export interface NumberCell {
  readonly kind: "number" | "time";
  /** NaN where the cell is empty or wrong. */
  value: number;
  /** What stood there, where it is neither empty nor a number. */
  wrong: string | undefined;
  /** For times: a smaller number is not taken for one. */
  smallest: number;
  /** Of times: a date that begins with the day or the month. */
  date: (NumberedDate & { readonly text: string }) | undefined;
  /** True where a row may hold a list of numbers instead. */
  readonly lists: boolean;
  /** The list that stood there; its numbers are not looked at here. */
  list: ArrayLike<unknown> | undefined;
}

export type Cell = NameCell | NumberCell;

export function nameCell(names: Interner): NameCell {
  return { kind: "name", names, code: -1, lists: false, list: undefined };
}

/** A name, or a list of them in formats that have lists. */
export function namesCell(names: Interner): NameCell {
  return { ...nameCell(names), lists: true };
}

export function numberCell(kind: "number" | "time" = "number"): NumberCell {
  return {
    kind,
    value: Number.NaN,
    wrong: undefined,
    smallest: 0,
    date: undefined,
    lists: false,
    list: undefined,
  };
}

/** A number, or a list of them in formats that have lists. */
export function numbersCell(): NumberCell {
  return { ...numberCell(), lists: true };
}

export function clearCell(cell: Cell): void {
  if (cell.kind === "name") {
    cell.code = -1;
    cell.list = undefined;
  } else setNumber(cell, Number.NaN, undefined);
}

const encoder = new TextEncoder();

/**
 * Fills a cell with a value of the language, as JSON, Parquet and Arrow have them; null, undefined,
 * NaN and "" are empty. Returns what the value is where it cannot be held.
 */
export function fillValue(cell: Cell, value: unknown): string | undefined {
  if (value === null || value === undefined || value === "" || Number.isNaN(value)) {
    clearCell(cell);
    return undefined;
  }
  if (cell.kind === "name") {
    clearCell(cell);
    if (cell.lists && Array.isArray(value)) return fillList(cell, value);
    const text = textOf(value);
    if (text === undefined) return kindOf(value);
    cell.code = cell.names.addText(text);
    return undefined;
  }
  if (cell.lists && (Array.isArray(value) || ArrayBuffer.isView(value))) {
    clearCell(cell);
    cell.list = value as ArrayLike<unknown>;
  } else if (cell.kind === "time" && value instanceof Date)
    setNumber(cell, value.getTime(), undefined);
  else if (typeof value === "number" || typeof value === "bigint") fillNumber(cell, Number(value));
  else if (typeof value === "string") fillText(cell, value);
  else {
    clearCell(cell);
    return kindOf(value);
  }
  return undefined;
}

/** Fills a cell with a list of names; empty ones are left out. */
function fillList(cell: NameCell, values: readonly unknown[]): string | undefined {
  const texts = values.filter((each) => each !== null && each !== "").map(textOf);
  const held = texts.filter((text) => text !== undefined);
  if (held.length < texts.length) return "a list of something else than texts";
  cell.list = held;
  return undefined;
}

function fillNumber(cell: NumberCell, value: number): void {
  if (cell.kind === "number") setNumber(cell, value, undefined);
  else if (Math.abs(value) < cell.smallest) setNumber(cell, Number.NaN, String(value));
  else setNumber(cell, timeOfNumber(value), undefined);
}

function fillText(cell: NumberCell, text: string): void {
  const bytes = encoder.encode(text);
  fillNumberBytes(cell, bytes, 0, bytes.length, false);
}

/** Fills a number or a time from text. */
export function fillNumberBytes(
  cell: NumberCell,
  bytes: Uint8Array,
  start: number,
  end: number,
  decimalComma: boolean,
): void {
  const number = parseNumber(bytes, start, end, decimalComma);
  if (!Number.isNaN(number)) {
    fillNumber(cell, number);
    return;
  }
  const time = cell.kind === "time" ? parseTime(bytes, start, end) : Number.NaN;
  const known = !Number.isNaN(time) || isBlank(bytes, start, end);
  if (known) {
    setNumber(cell, time, undefined);
    return;
  }
  const text = decodeText(bytes, start, end);
  const date = cell.kind === "time" ? parseNumberedDate(text) : undefined;
  setNumber(cell, date?.time ?? Number.NaN, date ? undefined : text);
  cell.date = date && { ...date, text };
}

function setNumber(cell: NumberCell, value: number, wrong: string | undefined): void {
  cell.value = value;
  cell.wrong = wrong;
  cell.date = undefined;
  cell.list = undefined;
}

export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== 0x20 && bytes[i] !== 0x09) return false;
  return true;
}

/** A value as the text of a name, or undefined where it has none. */
export function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return value instanceof Date && !Number.isNaN(value.getTime())
        ? value.toISOString()
        : undefined;
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return "a list";
  if (value instanceof Date) return "a date out of range";
  if (typeof value === "boolean") return "true or false";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** What JSON can write but the language cannot hold: two such names might become one. */
export function inexact(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return "a number too large to be exact; write it in quotes";
  }
  if (typeof value === "string" && /\p{Surrogate}/u.test(value))
    return "text with half a character";
  return undefined;
}

/** Says what is wrong with a weight, or undefined. */
export function badWeight({ value, wrong }: NumberCell): string | undefined {
  if (wrong === undefined && (Number.isNaN(value) || isWeight(value))) return undefined;
  return `the weight should be ${weightRule}, but is ${excerpt(wrong ?? String(value))}.`;
}
