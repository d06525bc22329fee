/** Rows out of JSON objects: the first of them say which columns there are, and later ones may add some. */
import { CrowdError } from "../error.ts";
import { type Cell, fillValue, inexact } from "./cell.ts";
import { type FileContext, HEAD_BYTES, type TableTarget } from "./format.ts";
import { excerpt, place } from "./problems.ts";

/** Takes objects one after another and fills cells from them. */
export interface JsonRows {
  /** Takes the object that begins in this line, and how many bytes it has in the file. */
  add(row: object, line: number, length: number): void;
  /** Reports a record that is no object, in its turn. */
  problem(line: number, what: string, length: number): void;
  /** Reads what still waits. */
  finish(): void;
}

/** An object, or what is wrong with what stands in its place. */
interface Found {
  readonly line: number;
  readonly row: object | undefined;
  readonly wrong: string;
}

interface State {
  readonly target: TableTarget;
  readonly context: FileContext;
  /** The first records wait until there are enough to know nearly all keys. */
  waiting: Found[] | undefined;
  waitingBytes: number;
  /** All keys so far, in the order of the header. */
  readonly keys: Set<string>;
  readonly columns: { readonly key: string; readonly cell: Cell }[];
}

/** Makes rows of objects for a target. */
export function createJsonRows(target: TableTarget, context: FileContext): JsonRows {
  const state: State = {
    target,
    context,
    waiting: [],
    waitingBytes: 0,
    keys: new Set(),
    columns: [],
  };
  const take = (found: Found, length: number) => {
    if (!state.waiting) return readRow(state, found);
    state.waiting.push(found);
    state.waitingBytes += length;
    if (state.waitingBytes >= HEAD_BYTES) begin(state);
  };
  return {
    add: (row, line, length) => take({ row, line, wrong: "" }, length),
    problem: (line, wrong, length) => take({ row: undefined, line, wrong }, length),
    finish: () => begin(state),
  };
}

/** Asks which columns are wanted, and reads the records that waited for it. */
function begin(state: State): void {
  const { waiting: first, target, keys, columns } = state;
  if (!first) return;
  state.waiting = undefined;
  for (const { row } of first) for (const key of Object.keys(row ?? {})) keys.add(key);
  // Without a single object there are no columns to speak of, only problems.
  const cells = keys.size > 0 ? target.columns([...keys], first[0].line) : [];
  [...keys].forEach((key, i) => {
    const cell = cells[i];
    if (cell) columns.push({ key, cell });
  });
  for (const found of first) readRow(state, found);
}

/** Fills the cells from an object, and hands the row on. */
function readRow(state: State, { row, line, wrong: problem }: Found): void {
  const { target, columns, keys } = state;
  if (!row) {
    target.problem(line, problem);
    return;
  }
  for (const key in row) if (!keys.has(key)) addKey(state, key, line);
  for (const { key, cell } of columns) {
    const value: unknown = Object.hasOwn(row, key) ? row[key as keyof typeof row] : undefined;
    const wrong = inexact(value) ?? fillValue(cell, value);
    if (wrong) {
      target.problem(line, `${excerpt(key)} should be text or a number, but is ${wrong}.`);
      return;
    }
  }
  target.row(line);
}

/** Asks whether a key that no object had before is wanted. */
function addKey({ target, context, keys, columns }: State, key: string, line: number): void {
  keys.add(key);
  if (keys.size > MAX_KEYS) {
    throw new CrowdError(
      "bad-data",
      `${place(context.file, line)}: the objects have more than ${MAX_KEYS} different keys, so this is probably not a table.`,
    );
  }
  if (!target.lateColumn) {
    throw new CrowdError(
      "bad-data",
      `${place(context.file, line)}: the key ${excerpt(key)} first appears here, and none of the rows before has ` +
        "it. Give every object the same keys, or leave this key out.",
    );
  }
  const cell = target.lateColumn([...keys], line);
  if (cell) columns.push({ key, cell });
}

/** Objects whose keys are data, such as the names of tasks, would have more and more of them. */
const MAX_KEYS = 10_000;
