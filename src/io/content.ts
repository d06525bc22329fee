/** What tasks look like, from columns beside the labels or in a table of their own: a text, an image, or both. */
import { CrowdError, hint } from "../error.ts";
import { type CleaningOptions, cleanName } from "./cleaning.ts";
import { type ColumnNames, findColumns, isCalled } from "./column-names.ts";
import type { Table } from "./table.ts";

/** What a task looks like. */
export interface TaskContent {
  readonly text?: string | undefined;
  /** An address that begins with http, a path, or an image as a data address. */
  readonly image?: string | undefined;
}

/** The names of the columns that hold content. */
export interface ContentColumns {
  readonly text?: string | undefined;
  readonly image?: string | undefined;
}

/** Names that say what a column holds, and nothing else. */
const known = {
  text: ["text", "content", "body", "sentence", "question", "prompt", "tweet", "comment"],
  image: ["image", "image_url", "image_path", "img_url", "picture", "photo", "url"],
} as const;

/** Where content was found, and what could not be decided. */
export interface FoundContent {
  readonly task: string;
  readonly columns: ContentColumns;
  readonly notes: readonly string[];
}

/**
 * Finds the columns with content: those that are named, else those that only one column can be. A column that is
 * the task, the worker or the label itself is no content.
 */
export function findContent(
  header: readonly string[],
  file: string,
  given: ContentColumns,
  columns: ColumnNames = {},
): FoundContent {
  const roles = [
    { role: "task", aliases: "task", required: true },
    { role: "worker", aliases: "worker" },
    { role: "label", aliases: "label" },
  ] as const;
  const named = [given.text, given.image].filter((name) => name !== undefined);
  const absent = named.find((name) => !header.includes(name));
  if (absent !== undefined) {
    throw new CrowdError(
      "bad-data",
      `${file}: there is no column "${absent}" for the content of tasks. The columns are: ${header.slice(0, 20).join(", ")}.`,
    );
  }
  // A column that was named as content is not also the task.
  const others = header.map((name) => (named.includes(name) ? "" : name));
  const mapped = Object.fromEntries(
    roles.flatMap(({ role }) => (columns[role] === undefined ? [] : [[role, columns[role]]])),
  );
  const places = findColumns(others, roles, mapped, file);
  const taken = new Set([...places.values()].filter((at) => at >= 0).map((at) => header[at]));
  const notes: string[] = [];
  const choose = (what: keyof ContentColumns): string | undefined => {
    if (given[what] !== undefined) return given[what];
    if (named.length > 0) return undefined;
    const free = header.filter((name) => !taken.has(name));
    const fits = free.filter((name) => known[what].some((word) => isCalled([name], word)));
    if (fits.length < 2) return fits[0];
    notes.push(
      `${file}: the columns ${fits.join(" and ")} could each be the ${what} of a task, so none is shown. Choose one: ${hint("content", `${what}=${fits[0]}`)}.`,
    );
    return undefined;
  };
  return {
    task: header[places.get("task") ?? 0],
    columns: { text: choose("text"), image: choose("image") },
    notes,
  };
}

/** Most characters of content that are kept in memory. */
const MOST_CHARACTERS = 64 * 2 ** 20;

/** Adds the content of a table to what is known: the first that is not empty, for each task. Returns false when full. */
export function addContent(
  contents: Map<string, { text?: string; image?: string }>,
  table: Table,
  { task, columns }: Pick<FoundContent, "task" | "columns">,
  options: CleaningOptions,
  room: { characters: number } = { characters: 0 },
): boolean {
  const columnOf = (name: string | undefined) => table.columns.find((each) => each.name === name);
  const tasks = columnOf(task);
  if (!tasks) return true;
  const cleaned = tasks.texts.map((name) => cleanName(name, options));
  for (const what of ["text", "image"] as const) {
    const column = columnOf(columns[what]);
    if (!column) continue;
    for (let row = 0; row < table.rows; row++) {
      const value = column.texts[column.code[row]];
      if (tasks.code[row] < 0 || value === undefined || value.trim() === "") continue;
      const name = cleaned[tasks.code[row]];
      const content = contents.get(name) ?? {};
      if (content[what] !== undefined) continue;
      room.characters += value.length;
      if (room.characters > MOST_CHARACTERS) return false;
      contents.set(name, { ...content, [what]: value });
    }
  }
  return true;
}
