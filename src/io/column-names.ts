/**
 * Which column is which. Other people's words are known here and nowhere else; case, blanks and
 * punctuation do not matter (`Worker ID`, `worker_id` and `workerId` are one), and of several
 * columns that would do, the one whose word stands first in the list is taken.
 */
import { CrowdError, hint } from "../error.ts";

/** What a column holds; each kind of answers has roles of its own. */
export type Role = string;

/** Columns by name, for files with other words than ours. An empty name means: there is none. */
export type ColumnNames = Readonly<Partial<Record<KnownRole, string>>> &
  Readonly<Record<string, string | undefined>>;

/** The roles of the kinds that come with the library. */
type KnownRole =
  | "task"
  | "worker"
  | "label"
  | "value"
  | "left"
  | "right"
  | "item"
  | "position"
  | "token"
  | "output"
  | "time"
  | "weight"
  | "confidence";

const aliases = {
  task: words(
    "task item example question unit hit image document instance sample object subject sentence",
    "tweet record entity prompt picture photo img doc filename file url pair id",
  ),
  worker: words(
    "worker annotator rater judge labeler labeller user username coder performer model participant",
    "turker reviewer evaluator expert judger annotated_by labeled_by created_by",
  ),
  label: words(
    "label answer response annotation category class rating value vote judgment judgement choice",
    "decision verdict score grade",
  ),
  gold: words(
    "gold truth gold_label ground_truth true_label true_class label class answer category value",
    "correct expected target true rating score",
  ),
  answer: words(
    "label agg_label consensus prediction predicted predicted_label answer class category value truth",
    "score",
  ),
  time: words("time timestamp created_at submitted_at created updated_at date datetime tstamp"),
  weight: words("weight count"),
  value: words("value number amount estimate measurement score rating label answer response"),
  left: words("left a first item_a model_a option_a left_item response_a"),
  right: words("right b second item_b model_b option_b right_item response_b"),
  winner: words(
    "label winner preferred preference choice answer verdict better same match similar response",
  ),
  cluster: words("cluster group class label truth gold category entity"),
  item: words("item model option task object instance id"),
  score: words("score value rating strength elo"),
  rank: words("rank position place"),
  position: words("position token_position token_index word_index token_no"),
  token: words("token word"),
  chosen: words("chosen selected"),
  probability: words("probability prob confidence"),
  output: words("output"),
  confidence: words("confidence probability prob certainty sd"),
} as const;

export type Aliases = keyof typeof aliases;

/** Tells whether a column of the header is called exactly so, but for case and punctuation. */
export function isCalled(header: readonly string[], word: string): boolean {
  return header.some((name) => plain(name) === plain(word));
}

/** Short words that also go with `id`, `name` or `no`: `task_id`, `workerName`. */
function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" ")).map(plain);
}

/** A column name as it is compared: small letters and digits only. */
function plain(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** The rank of a column name among the aliases, smaller is better; -1 if it is none of them. */
function rank(name: string, known: readonly string[]): number {
  const word = plain(name);
  const exact = known.indexOf(word);
  if (exact >= 0) return exact * 2;
  const stem = known.indexOf(word.replace(/(id|ids|name|no|key)$/, ""));
  return stem >= 0 ? stem * 2 + 1 : -1;
}

export interface Wanted {
  readonly role: Role;
  readonly aliases: Aliases;
  readonly required?: boolean;
}

/** The columns of a file of labels. */
export const labelRoles: readonly Wanted[] = [
  { role: "task", aliases: "task", required: true },
  { role: "worker", aliases: "worker", required: true },
  { role: "label", aliases: "label", required: true },
  { role: "time", aliases: "time" },
  { role: "weight", aliases: "weight" },
];

/** Returns the place of each role in the header, or -1 if an optional one is missing. */
export function findColumns(
  header: readonly string[],
  wanted: readonly Wanted[],
  given: ColumnNames,
  where: string,
): ReadonlyMap<Role, number> {
  const places = new Map<Role, number>(wanted.map(({ role }) => [role, -1]));
  const absent: Role[] = [];
  for (const { role } of wanted) {
    const name = given[role];
    if (!name) continue;
    places.set(role, named(header, role, name, where));
    if (places.get(role) === -1) absent.push(role);
  }
  for (const { role, aliases: list, required } of wanted) {
    if (given[role] === undefined) {
      places.set(role, recognise(header, list, new Set(places.values()), role, where));
    }
    if (required && places.get(role) === -1 && !absent.includes(role)) absent.push(role);
  }
  if (absent.length > 0) throw missing(header, absent, wanted, given, where);
  return places;
}

/** Where the columns of a file were found, for a column that comes late. */
export interface FoundColumns {
  header: readonly string[];
  places: ReadonlyMap<Role, number>;
  readonly wanted: readonly Wanted[];
  readonly given: ColumnNames;
  readonly context: { readonly file: string; note(text: string): void };
}

/** Returns the role of the last column of a longer header, if it has one; see `TableTarget.lateColumn`. */
export function lateRole(
  found: FoundColumns,
  header: readonly string[],
  line: number,
): Role | undefined {
  const { header: before, wanted, given, places, context } = found;
  const where = `${context.file}:${line}`;
  const now = findColumns(header, wanted, given, where);
  found.header = header;
  found.places = now;
  const key = JSON.stringify(header[header.length - 1]);
  for (const { role } of wanted) {
    const old = places.get(role) ?? -1;
    if (now.get(role) === old) continue;
    if (old >= 0) {
      throw new CrowdError(
        "bad-data",
        `${where}: the key ${key} first appears here and would be the ${role}, which is ` +
          `${JSON.stringify(before[old])} in the rows before. Choose one: ${mapping(role, before[old])}.`,
      );
    }
    context.note(
      `${where}: the key ${key} first appears here and is read as the ${role}; the rows before have none.`,
    );
    return role;
  }
  return undefined;
}

/** True if some column of the header goes by a word for this. */
export function hasColumn(header: readonly string[], list: Aliases): boolean {
  return header.some((name) => rank(name, aliases[list]) >= 0);
}

function named(header: readonly string[], role: Role, name: string, where: string): number {
  const exact = header.indexOf(name);
  const place = exact >= 0 ? exact : header.findIndex((other) => plain(other) === plain(name));
  if (place >= 0 && header.indexOf(name, place + 1) >= 0) throw twice(name, role, where);
  return place;
}

function recognise(
  header: readonly string[],
  list: Aliases,
  taken: ReadonlySet<number>,
  role: Role,
  where: string,
): number {
  let best = -1;
  let bestRank = Number.POSITIVE_INFINITY;
  let tie = false;
  for (const [place, name] of header.entries()) {
    const found = taken.has(place) ? -1 : rank(name, aliases[list]);
    if (found < 0 || found > bestRank) continue;
    tie = found === bestRank;
    if (!tie) best = place;
    bestRank = found;
  }
  if (tie) throw twice(header[best], role, where);
  return best;
}

/** Stands for the option that names the column of a role. */
export function mapping(role: Role, name?: string): string {
  return hint(`columns.${role}`, name);
}

function twice(name: string, role: Role, where: string): CrowdError {
  return new CrowdError(
    "bad-data",
    `${where}: two columns are named like "${name}", so the ${role} is not clear. ` +
      `Rename one, or choose by name: ${mapping(role)}.`,
  );
}

/** Says which columns are missing, all of them at once, what there is, and what to do. */
function missing(
  header: readonly string[],
  absent: readonly Role[],
  wanted: readonly Wanted[],
  given: ColumnNames,
  where: string,
): CrowdError {
  const told = absent.filter((role) => given[role]);
  const unknown = absent.filter((role) => !given[role]);
  const what = [
    ...told.map((role) => `there is no column "${given[role]}" for the ${role}`),
    ...(unknown.length > 0 ? [`no column is recognised as the ${either(unknown)}`] : []),
  ].join(", and ");
  const names = hint("columns", unknown.map((role) => `${role}=…`).join(","));
  const others = unknown.length > 1 ? "Columns with other names" : "A column with another name";
  const map = unknown.length > 0 ? ` ${others} can be mapped: ${names}. ${advice()}` : "";
  return new CrowdError("bad-data", `${where}: ${what}. The columns are: ${quoted(header)}.${map}`);

  function advice(): string {
    const sides = ["left", "right"].every((side) => isCalled(header, side));
    if (sides && wanted.some(({ role, aliases: list }) => role === "label" && list === "label")) {
      return `Columns left and right are those of comparisons: ${hint("kind", "pairwise")}.`;
    }
    if (wanted.some(({ role }) => role === "worker")) {
      return (
        `If the first row already holds labels, use ${hint("header", false)}. ` +
        `If each worker has a column, use ${hint("format", "wide-matrix")}.`
      );
    }
    return `If the first row already holds data, use ${hint("header", false)}.`;
  }
}

/** `task`, `task or the worker`, `task, the worker or the label`. */
function either(roles: readonly Role[]): string {
  const [last, ...before] = roles.toReversed();
  return before.length > 0 ? `${before.reverse().join(", the ")} or the ${last}` : last;
}

/** At most twelve names, quoted, none longer than forty characters. */
function quoted(names: readonly string[]): string {
  const shown = names
    .slice(0, 12)
    .map((name) => JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name));
  const rest = names.length > 12 ? ` and ${names.length - 12} more` : "";
  return (shown.join(", ") || "none") + rest;
}
