/**
 * Joins facts about tasks or workers to the answers by name: the gender of a worker, the site of a task.
 *
 * A column makes groups if it has two different values or more, at most 30, and on average two names or more per value.
 * Other columns (identifiers, free text, plain numbers) are left out with a note, or refused if they were asked for.
 */
import { CrowdError, grouped, hint, plural } from "../error.ts";
import type { Attributes, CrowdData } from "./crowd-data.ts";
import { quoteName } from "./look-alike.ts";
import type { Names } from "./names.ts";

/** A table of facts about tasks or about workers. */
export interface AttributeTable {
  /** What messages call the table. */
  readonly name: string;
  readonly of: "task" | "worker";
  /** The tasks or workers that the table has, each once. */
  readonly names: readonly string[];
  /** One value per name, "" if unknown, by name of the column. */
  readonly columns: Attributes;
  /** Names of further columns that were not read. */
  readonly unread?: readonly string[] | undefined;
}

/** Which attributes to join. */
export interface JoinOptions {
  /** Names of the attributes to use; default: all that make groups. */
  readonly by?: readonly string[] | undefined;
}

/** Most different values of a column that makes groups. */
const MOST_VALUES = 30;

/** Returns the data with the attributes of the tables beside those that they have, and with notes on the join. */
export function joinAttributes<Data extends CrowdData>(
  data: Data,
  tables: readonly AttributeTable[],
  { by }: JoinOptions = {},
): Data {
  const notes: string[] = [];
  const joined = (["task", "worker"] as const).map((of) => {
    const names = of === "task" ? data.tasks : data.workers;
    const own = (of === "task" ? data.taskAttributes : data.workerAttributes) ?? new Map();
    const all = new Map<string, string[]>([...own].map(([name, values]) => [name, [...values]]));
    for (const table of tables) {
      if (table.of === of) for (const note of joinTable(all, table, names)) notes.push(note);
    }
    return { of, all };
  });
  checkAsked(joined, tables, by);
  const [taskAttributes, workerAttributes] = joined.map(({ of, all }) => {
    const asked = [...all].filter(([name]) => !by || by.includes(name));
    const chosen = asked.filter(([name, values]) => usable(of, name, values, by, notes));
    for (const [name, values] of chosen)
      for (const note of unknownNote(of, name, values)) notes.push(note);
    return new Map(chosen);
  });
  return { ...data, taskAttributes, workerAttributes, notes: [...data.notes, ...notes] };
}

/** Puts the values of a table into the columns of the data; returns what is worth a note. */
function joinTable(
  all: Map<string, string[]>,
  { name: file, of, names: listed, columns }: AttributeTable,
  names: Names,
): string[] {
  const places = listed.map((name) => names.indexOf(name));
  const known = places.filter((place) => place >= 0).length;
  if (known === 0 && listed.length > 0) {
    throw new CrowdError(
      "bad-data",
      `${file}: no ${of} of this file is in the data. The file names ${quoteName(listed[0])}, ` +
        `the data ${quoteName(names.at(0))}. Do both name ${of}s the same way?`,
    );
  }
  const notes: string[] = [];
  if (known < listed.length) {
    const strange = listed[places.findIndex((place) => place < 0)];
    notes.push(
      `${file}: not in the data: ${grouped(listed.length - known)} of ${plural(listed.length, of)}, such as ${quoteName(strange)}.`,
    );
  }
  for (const [column, values] of columns) {
    const joined = all.get(column) ?? Array.from(names, () => "");
    all.set(column, joined);
    values.forEach((value, at) => {
      const place = places[at];
      if (place < 0 || value === "") return;
      const before = joined[place];
      if (before !== "" && before !== value)
        throw contradiction(file, of, listed[at], column, [before, value]);
      joined[place] = value;
    });
  }
  return notes;
}

/** Says for how many tasks or workers an attribute is unknown. */
function unknownNote(of: string, name: string, values: readonly string[]): string[] {
  const unknown = values.filter((value) => value === "").length;
  if (unknown === 0) return [];
  const share = `${grouped(unknown)} of ${plural(values.length, of)} in the data`;
  return [`No value of ${quoteName(name)}: ${share}. They are left out of its groups.`];
}

function contradiction(
  file: string,
  of: string,
  name: string,
  column: string,
  [before, now]: readonly [string, string],
): CrowdError {
  return new CrowdError(
    "bad-data",
    `${file}: ${of} ${quoteName(name)} has ${quoteName(column)} ${quoteName(now)} here and ${quoteName(before)} in another table. ` +
      `Correct one of them, or rename one of the columns.`,
  );
}

/** Refuses attributes that were asked for and that nothing has. */
function checkAsked(
  joined: readonly { readonly of: string; readonly all: ReadonlyMap<string, unknown> }[],
  tables: readonly AttributeTable[],
  by: readonly string[] | undefined,
): void {
  const known = joined.flatMap(({ of, all }) => [...all.keys()].map((name) => ({ of, name })));
  const absent = by?.find((asked) => !known.some(({ name }) => name === asked));
  if (absent === undefined) return;
  const unread = tables.flatMap(
    (table) => table.unread?.map((name) => ({ of: table.of, name })) ?? [],
  );
  const list = [...known, ...unread]
    .map(({ of, name }) => `${quoteName(name)} (${of}s)`)
    .join(", ");
  throw new CrowdError(
    "bad-data",
    `There is no attribute ${quoteName(absent)}. The attributes are: ${list || "none"}. Choose among them: ${hint("by")}.`,
  );
}

/** Tells whether a column makes groups; one that does not is noted, or refused if it was asked for. */
function usable(
  of: string,
  name: string,
  values: readonly string[],
  by: readonly string[] | undefined,
  notes: string[],
): boolean {
  const why = whyNoGroups(of, values);
  if (why === undefined) return true;
  const what = `The attribute ${quoteName(name)} of ${of}s`;
  if (by) throw new CrowdError("bad-data", `${what} makes no groups: ${why}`);
  notes.push(`${what} is left out: ${why}`);
  return false;
}

/** Says why values make no groups, and what to do; undefined if they do. */
function whyNoGroups(of: string, values: readonly string[]): string | undefined {
  const given = values.filter((value) => value !== "");
  const different = new Set(given);
  const [first = ""] = different;
  if (different.size === 0) return `no ${of} has a value.`;
  if (different.size === 1) return `every ${of} with a value has ${quoteName(first)}.`;
  if (different.size <= MOST_VALUES && 2 * different.size <= given.length) return undefined;
  const many = `${plural(given.length, of)} with a value have ${grouped(different.size)} different ones`;
  const numbers = [...different].every((value) => Number.isFinite(Number(value)));
  return numbers
    ? `${many}, all of them numbers. Write ranges instead, such as 18-29.`
    : `${many}, such as ${quoteName(first)}. Write categories instead, at most ${MOST_VALUES}.`;
}
