/**
 * Facts about tasks or workers, to compare groups by: a table with one of the two and one or more columns of facts.
 *
 *   worker,gender,age        task,dialect
 *   w17,woman,25-29          post-3,southern
 *
 * A name may have several rows if they do not contradict each other.
 */
import type { AttributeTable } from "../data/join-attributes.ts";
import { CrowdError, hint } from "../error.ts";
import { type NameCell, nameCell } from "./cell.ts";
import { findColumns, isCalled } from "./column-names.ts";
import type { FileContext } from "./format.ts";
import { createNameInterner } from "./name-interners.ts";
import { excerpt, place } from "./problems.ts";
import type { TableKind, TableOptions } from "./table.ts";

/** A table of facts, and what was noticed while it was read. */
export interface ReadAttributes extends AttributeTable {
  readonly notes: readonly string[];
}

/** A column of facts: its cell, and for each name the number of its value, and the line that it stands in. */
interface FactColumn {
  readonly name: string;
  readonly cell: NameCell;
  readonly codes: number[];
  readonly lines: number[];
}

/** Reads facts about tasks or workers; `only` names the columns to read, by default all. */
export const attributesTable: TableKind<ReadAttributes> = (context, options) => {
  const { file, problems } = context;
  const key = nameCell(createNameInterner(options));
  const facts: FactColumn[] = [];
  const interners = [key.names];
  const unread: string[] = [];
  let of: AttributeTable["of"] = "task";
  let rows = 0;
  let unnamed = 0;
  const addColumn = (name: string) => {
    if (options.only && !options.only.includes(name)) {
      unread.push(name);
      return undefined;
    }
    const cell = nameCell(createNameInterner(options));
    interners.push(cell.names);
    facts.push({ name, cell, codes: [], lines: [] });
    return cell;
  };
  return {
    interners,
    rows: () => rows,
    target: {
      problem: (line, what) => problems.add(file, line, what),
      columns(header, line) {
        const found = nameColumn(header, options, place(file, line));
        of = found.of;
        const cells = header.map((name, at) => (at === found.at ? key : addColumn(name)));
        sayFacts(context, header[found.at], of, facts);
        return cells;
      },
      lateColumn: (header) => addColumn(header[header.length - 1]),
      row(line) {
        rows++;
        if (key.code < 0) unnamed++;
        else
          for (const fact of facts)
            takeFact(fact, key, of, line, (what) => problems.add(file, line, what));
      },
    },
    finish(notes) {
      checkFacts(file, of, facts, options);
      const names = key.names.names();
      const left = unnamed > 0 ? [`${file}: rows without a ${of} left out: ${unnamed}.`] : [];
      const columns = facts.map(({ name, cell, codes }) => {
        const texts = cell.names.names();
        return [name, names.map((_, n) => texts[codes[n] ?? -1] ?? "")] as const;
      });
      return {
        name: file,
        of,
        names,
        columns: new Map(columns),
        unread,
        notes: [...notes, ...left],
      };
    },
  };
};

/** Takes one fact of the row at hand; a second value for the same name is a problem. */
function takeFact(
  { name, cell, codes, lines }: FactColumn,
  key: NameCell,
  of: string,
  line: number,
  problem: (what: string) => void,
): void {
  const { code } = key;
  if (cell.code < 0) return;
  if (codes[code] === undefined) {
    codes[code] = cell.code;
    lines[code] = line;
  } else if (codes[code] !== cell.code) {
    const [before, now] = [codes[code], cell.code].map((each) => excerpt(cell.names.name(each)));
    problem(
      `${of} ${excerpt(key.names.name(code))} has ${excerpt(name)} ${now}, but ${before} in line ${lines[code]}.`,
    );
  }
}

interface NameColumn {
  readonly of: AttributeTable["of"];
  readonly at: number;
}

/**
 * Finds the column of tasks or of workers. Columns that were asked for as facts are neither, and a column that is called
 * `task` or `worker` goes before one with another word for it.
 */
function nameColumn(header: readonly string[], options: TableOptions, where: string): NameColumn {
  const roles = ["task", "worker"] as const;
  const given = roles
    .map((of) => ({ of, at: header.indexOf(options.columns?.[of] ?? "") }))
    .filter(({ at }) => at >= 0);
  if (given.length > 0) return onlyOne(given, header, where);
  const open = header.map((name) => (options.only?.includes(name) ? "" : name));
  const found = roles
    .map((of) => ({
      of,
      at: findColumns(open, [{ role: of, aliases: of }], {}, where).get(of) ?? -1,
    }))
    .filter(({ at }) => at >= 0);
  const called = found.filter(({ of, at }) =>
    [of, `${of} id`, `${of} name`].some((word) => isCalled([header[at]], word)),
  );
  return onlyOne(called.length > 0 ? called : found, header, where);
}

function onlyOne(
  found: readonly NameColumn[],
  header: readonly string[],
  where: string,
): NameColumn {
  if (found.length === 1) return found[0];
  const list = header.map((name) => excerpt(name)).join(", ");
  if (found.length === 0) {
    throw new CrowdError(
      "bad-data",
      `${where}: no column is recognised as the task or the worker. The columns are: ${list}. ` +
        `Name it: ${hint("groupColumns", "task=…")} or ${hint("groupColumns", "worker=…")}.`,
    );
  }
  const words = found.map(({ of, at }) => `${excerpt(header[at])} for the ${of}`).join(" and ");
  throw new CrowdError(
    "bad-data",
    `${where}: a table of groups is about tasks or about workers, but there are ${words}. ` +
      `Choose one: ${hint("groupColumns", `${found[0].of}=${header[found[0].at]}`)}, and name the columns of facts: ${hint("by")}.`,
  );
}

/** Refuses a table without facts, unless only some were asked for, which another table may have; and equal names. */
function checkFacts(
  file: string,
  of: string,
  facts: readonly FactColumn[],
  { only }: TableOptions,
): void {
  const names = facts.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    throw new CrowdError(
      "bad-data",
      `${file}: two columns are named ${excerpt(twice)}. Rename one of them.`,
    );
  }
  if (facts.length > 0 || only) return;
  throw new CrowdError(
    "bad-data",
    `${file}: there is no column besides that of the ${of}. Add a column that says which group each ${of} belongs to.`,
  );
}

function sayFacts(
  context: FileContext,
  key: string,
  of: string,
  facts: readonly FactColumn[],
): void {
  const names = facts.map(({ name }) => excerpt(name)).join(", ") || "none";
  context.understood(`${of} = ${excerpt(key)}, groups by ${names}`);
}
