/**
 * Plain rows of a program, checked field by field: what is missing, misspelt or of a wrong type is an
 * error that names the row and the keys it has.
 */
import { CrowdError } from "../error.ts";

/** A name as programs hold them; numbers become text. */
export type Name = string | number;

/** What a kind of row may hold. */
export interface Fields {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** A required field that others may take the place of: those whose names pass. */
  readonly instead?: { readonly of: string; readonly passes: (field: string) => boolean };
}

/** One row whose keys are known to be right. */
export interface CheckedRow {
  /** Tells whether an optional field is there. */
  has(field: string): boolean;
  /** The keys that the row has. */
  keys(): readonly string[];
  /** Returns the text of a field; numbers, big integers and booleans become text. */
  name(field: string): string;
  /** Returns the texts of a field that may be a list; an empty text is none. */
  names(field: string): readonly string[];
  /** Returns the number of a field, or undefined where it is absent. */
  number(field: string): number | undefined;
}

/** Walks the rows, refusing the first that is no such row. */
export function* checkedRows(rows: unknown, fields: Fields): Iterable<CheckedRow> {
  if (typeof rows !== "object" || rows === null || !(Symbol.iterator in rows)) {
    const what = rows === null ? "null" : typeof rows === "object" ? "an object" : typeof rows;
    throw bad(`fromRows takes a list of rows, but got ${what}. ${shape(fields)}`);
  }
  const known = new Set([...fields.required, ...fields.optional]);
  let number = 0;
  for (const row of rows as Iterable<unknown>) {
    number++;
    yield checked(row, number, known, fields);
  }
}

function checked(
  row: unknown,
  number: number,
  known: ReadonlySet<string>,
  fields: Fields,
): CheckedRow {
  const where = `Row ${number}`;
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    const what = Array.isArray(row) ? "a list" : row === null ? "null" : `a ${typeof row}`;
    throw bad(`${where} is ${what}. ${shape(fields)}`);
  }
  const record = row as Readonly<Record<string, unknown>>;
  const found = () => Object.keys(record).join(", ") || "none";
  const { instead } = fields;
  const replaced = instead !== undefined && Object.keys(record).some(instead.passes);
  for (const field of fields.required) {
    if (replaced && field === instead.of) continue;
    if (record[field] === undefined || record[field] === null) {
      throw bad(`${where}: "${field}" is missing. Its keys: ${found()}. ${shape(fields)}`);
    }
  }
  for (const key of Object.keys(record)) {
    if (replaced && (key === instead.of || instead.passes(key))) {
      if (key !== instead.of) continue;
      throw bad(
        `${where} has "${key}" and others in its place. Its keys: ${found()}. Leave "${key}" out.`,
      );
    }
    if (!known.has(key)) {
      throw bad(
        `${where}: the key "${key}" is not known. Its keys: ${found()}. ${shape(fields)} Leave other keys out.`,
      );
    }
  }
  const text = (field: string, value: unknown) => {
    if (typeof value === "string") return value;
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
    if (typeof value === "boolean" || typeof value === "bigint") return String(value);
    throw bad(`${where}: "${field}" should be text or a number, but is ${shown(value)}.`);
  };
  return {
    keys: () => Object.keys(record),
    has: (field) => record[field] !== undefined && record[field] !== null,
    name: (field) => text(field, record[field]),
    names(field) {
      const value = record[field];
      const list: readonly unknown[] = Array.isArray(value) ? value : [value];
      return list.map((each) => text(field, each)).filter((each) => each !== "");
    },
    number(field) {
      const value = record[field];
      if (value === undefined || value === null) return undefined;
      if (typeof value === "number" && Number.isFinite(value)) return value;
      throw bad(`${where}: "${field}" should be a finite number, but is ${shown(value)}.`);
    },
  };
}

/** Names and their numbers, in order of first appearance. */
export function createNames() {
  const names: string[] = [];
  const places = new Map<string, number>();
  return {
    names,
    add(name: string): number {
      const known = places.get(name);
      if (known !== undefined) return known;
      places.set(name, names.length);
      return names.push(name) - 1;
    },
  };
}

/** A column of numbers that is there only if some row has one. */
export function createOptional(missing: number) {
  const values: number[] = [];
  let used = false;
  return {
    add(value: number | undefined) {
      values.push(value ?? missing);
      used ||= value !== undefined;
    },
    column: () => (used ? Float64Array.from(values) : undefined),
  };
}

function shape({ required, optional }: Fields): string {
  return `A row has the keys ${required.join(", ")}${optional.length > 0 ? ` and may have ${optional.join(", ")}` : ""}.`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : String(value);
}

function bad(message: string): CrowdError {
  return new CrowdError("bad-data", message);
}
