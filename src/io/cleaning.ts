/**
 * What is done to names as they are read: spaces at their ends are trimmed and Unicode is brought to one form,
 * unless told otherwise; the case of labels is folded and labels are mapped to others when asked for.
 */
import { quoteName } from "../data/look-alike.ts";
import { grouped, hint, plural } from "../error.ts";

export interface CleaningOptions {
  /** Whether spaces at the ends of names are part of them. Default false: they are trimmed. */
  readonly keepSpaces?: boolean | undefined;
  /** Whether names are kept in the Unicode form they have. Default false: all are brought to NFC. */
  readonly keepUnicode?: boolean | undefined;
  /** Whether labels that differ only in case are one; they are then written in small letters. Default false. */
  readonly foldCase?: boolean | undefined;
  /** Labels to read as others: `{ Katze: "cat" }`; an empty text means that there is no label. */
  readonly map?: Readonly<Record<string, string>> | undefined;
  /** What stands between the labels of a cell, where tasks have several labels; an empty text: cells are taken whole. */
  readonly labelSeparator?: string | undefined;
}

/** How often one way of cleaning changed something. */
export interface Changes {
  /** Different names that were changed, and cells that hold them. */
  names: number;
  cells: number;
  /** The first one, and what it became. */
  example: readonly [from: string, to: string];
}

export type Way = "spaces" | "unicode" | "case" | "map" | "nothing";

/** What was changed so far, by the way it was done. */
export type ChangesByWay = Map<Way, Changes>;

/** Changes a name, and says in which ways. */
export type Cleaner = (text: string) => { readonly text: string; readonly ways: readonly Way[] };

/** Takes of the options of a reader those that files read beside it have to share. */
export function cleaningOf(options: CleaningOptions): CleaningOptions {
  const { keepSpaces, keepUnicode, foldCase, map, labelSeparator } = options;
  return { keepSpaces, keepUnicode, foldCase, map, labelSeparator };
}

/** Returns what cleans names of tasks, workers and items, or undefined if they stay as they are. */
export function nameCleaner({ keepSpaces, keepUnicode }: CleaningOptions): Cleaner | undefined {
  if (keepSpaces && keepUnicode) return undefined;
  return (text) => {
    const ways: Way[] = [];
    const trimmed = keepSpaces ? text : text.trim();
    if (trimmed !== text) ways.push("spaces");
    const unified = keepUnicode ? trimmed : trimmed.normalize("NFC");
    if (unified !== trimmed) ways.push("unicode");
    return { text: unified, ways };
  };
}

/** Returns what folds and maps labels once their names are clean, or undefined if it is not asked for. */
export function labelCleaner({ foldCase, map }: CleaningOptions): Cleaner | undefined {
  if (!foldCase && map === undefined) return undefined;
  const fold = (text: string) => (foldCase ? text.toLowerCase().normalize("NFC") : text);
  const targets = new Map(Object.entries(map ?? {}).map(([from, to]) => [fold(from), to]));
  return (text) => {
    const folded = fold(text);
    const target = targets.get(folded);
    if (target !== undefined) {
      const ways: Way[] = target === "" ? ["map", "nothing"] : ["map"];
      return { text: target, ways: target === text ? [] : ways };
    }
    return { text: folded, ways: folded === text ? [] : ["case"] };
  };
}

/** Cleans one name of a task. */
export function cleanName(text: string, options: CleaningOptions): string {
  return nameCleaner(options)?.(text).text ?? text;
}

/** Cleans one label. */
export function cleanLabel(text: string, options: CleaningOptions): string {
  const name = cleanName(text, options);
  return labelCleaner(options)?.(name).text ?? name;
}

/** Counts a name that was changed. */
export function countName(
  changes: ChangesByWay,
  ways: readonly Way[],
  from: string,
  to: string,
): readonly Changes[] {
  return ways.map((way) => {
    const found = changes.get(way) ?? { names: 0, cells: 0, example: [from, to] as const };
    changes.set(way, found);
    found.names++;
    return found;
  });
}

/** Says what was changed, with an example of each. */
export function cleaningNotes(all: Iterable<ChangesByWay>): string[] {
  const sum = new Map<Way, Changes>();
  for (const changes of all) {
    for (const [way, { names, cells, example }] of changes) {
      const before = sum.get(way) ?? { names: 0, cells: 0, example };
      sum.set(way, {
        names: before.names + names,
        cells: before.cells + cells,
        example: before.example,
      });
    }
  }
  const notes: string[] = [];
  const say = (way: Way, text: (changes: Changes, from: string, to: string) => string) => {
    const found = sum.get(way);
    if (found) notes.push(text(found, quoteName(found.example[0]), quoteName(found.example[1])));
  };
  const were = (count: number) => (count === 1 ? "was" : "were");
  say(
    "spaces",
    ({ names, cells }, from) =>
      `Spaces at the ends of ${plural(cells, "cell")} were trimmed, in ${plural(names, "name")} such as ` +
      `${from}. To keep them, use ${hint("keepSpaces", true)}.`,
  );
  say(
    "unicode",
    ({ names, cells }, from) =>
      `Unicode was unified (NFC) in ${plural(cells, "cell")}, in ${plural(names, "name")} such as ${from}. ` +
      `To keep it, use ${hint("keepUnicode", true)}.`,
  );
  say(
    "case",
    ({ cells }, from, to) =>
      `Case was folded in ${plural(cells, "label")}, such as ${from} to ${to}.`,
  );
  const none = sum.get("nothing")?.cells ?? 0;
  say(
    "map",
    ({ cells }, from, to) =>
      `${plural(cells, "label")} ${were(cells)} mapped, such as ${from} to ${to === '""' ? "nothing" : to}` +
      `${none > 0 ? `; ${grouped(none)} of them to nothing` : ""}.`,
  );
  return notes;
}
