/**
 * What changed between two runs: answers, tasks, workers, verdict and notes.
 *
 * Runs are compared by name, from the rows that truth.csv and workers.csv hold, so an old run need not be
 * repeated. An answer has changed if it is another class, or another number to six digits. A number or a skill has
 * changed beyond its interval if each of the two lies outside the interval of the other: what a new draw of the
 * same crowd could do is not counted.
 */

import { assign } from "../math/assignment.ts";
import { append } from "../math/lists.ts";

/** One row by column, as files hold it. */
export type RunRow = Readonly<
  Record<string, string | number | null | undefined | readonly string[]>
>;

/** What is compared of a run. */
export interface Run {
  readonly kind: string;
  readonly method: string;
  /** Version of the tool that made it. */
  readonly version?: string | undefined;
  /** Fingerprint of the data. */
  readonly fingerprint?: string | undefined;
  /** Number of labels. */
  readonly labels?: number | undefined;
  /** Trust, use with care, do not trust yet. */
  readonly verdict?: string | undefined;
  readonly notes: readonly string[];
  /** One row per task or item. */
  readonly answers: Iterable<RunRow>;
  /** One row per worker; absent if they are not known. */
  readonly workers?: Iterable<RunRow> | undefined;
}

/** Which columns of the answers are compared. */
export interface AnswerColumns {
  /** What names an answer: task or item. */
  readonly name: "task" | "item";
  /** What tells answers of one name apart, where there are several: the output. */
  readonly part?: "output" | undefined;
  /** What is the answer: a class, a value, a rank, a cluster, or a set of labels, of which files have a row each. */
  readonly answer: "label" | "value" | "rank" | "labels" | "cluster";
  /** What the interval of the answer belongs to, where it is not the answer itself. */
  readonly score?: "score" | undefined;
}

/** An answer that is not what it was. */
export interface ChangedAnswer {
  readonly name: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
  /** Probability of the new class; absent where answers are no classes. */
  readonly confidence?: number;
}

/** A worker whose skill, or standing against guessing, is not what it was. */
export interface ChangedWorker {
  readonly worker: string;
  readonly before: number | string | null;
  readonly after: number | string | null;
}

/** Names that are in one run only: all counted, the first listed. */
interface Names {
  readonly count: number;
  readonly first: readonly string[];
}

/** What changed between two runs. */
export interface Changes {
  /** The file of the earlier run, where it came from one. */
  readonly file?: string;
  /** Whether both runs had the same data; null if the earlier run does not say. */
  readonly sameData: boolean | null;
  readonly labels: { readonly before: number | null; readonly after: number | null };
  readonly method: { readonly before: string; readonly after: string };
  readonly version: { readonly before: string | null; readonly after: string | null };
  readonly verdict: { readonly before: string | null; readonly after: string | null };
  readonly answers: {
    /** Answers that both runs have. */
    readonly compared: number;
    readonly changed: number;
    /** Those beyond their intervals; absent where answers have none. */
    readonly beyond?: number;
    /** The most confident of those that changed, or those that changed most. */
    readonly first: readonly ChangedAnswer[];
  };
  /** Tasks or items that only one run has. */
  readonly tasks: { readonly new: Names; readonly gone: Names };
  /** Null if workers cannot be compared: they are not known, or no name is in both runs. */
  readonly workers: {
    readonly compared: number;
    readonly new: Names;
    readonly gone: Names;
    /** Skills that changed beyond their intervals, those that fell most first. */
    readonly skill: { readonly count: number; readonly first: readonly ChangedWorker[] };
    /** Workers whose standing against guessing changed. */
    readonly standing: { readonly count: number; readonly first: readonly ChangedWorker[] };
  } | null;
  readonly notes: { readonly new: readonly string[]; readonly gone: readonly string[] };
}

/** Names and changes that are listed one by one. */
const LISTED = 20;

/** Says what changed from one run to another of the same kind. */
export function compareRuns(before: Run, after: Run, columns: AnswerColumns): Changes {
  const rows = columns.answer === "labels" ? joinedSets : byName;
  const now = rows(after.answers, columns.name, columns.part);
  const given = rows(before.answers, columns.name, columns.part);
  const old = columns.answer === "cluster" ? renamedClusters(given, now) : given;
  return {
    sameData:
      before.fingerprint === undefined || after.fingerprint === undefined
        ? null
        : before.fingerprint === after.fingerprint,
    labels: { before: before.labels ?? null, after: after.labels ?? null },
    method: { before: before.method, after: after.method },
    version: { before: before.version ?? null, after: after.version ?? null },
    verdict: { before: before.verdict ?? null, after: after.verdict ?? null },
    answers: changedAnswers(old, now, columns),
    tasks: { new: onlyIn(now, old), gone: onlyIn(old, now) },
    workers: changedWorkers(before.workers, after.workers),
    notes: {
      new: after.notes.filter((note) => !before.notes.includes(note)),
      gone: before.notes.filter((note) => !after.notes.includes(note)),
    },
  };
}

type ByName = ReadonlyMap<string, RunRow>;

function byName(rows: Iterable<RunRow>, column: string, part = ""): ByName {
  const named = new Map<string, RunRow>();
  for (const row of rows) {
    const name = String(row[column] ?? "");
    named.set(row[part] === undefined ? name : `${name} (${row[part]})`, row);
  }
  return named;
}

/** Sets as one row per name: the labels in order, from a list or from the rows of those chosen. */
function joinedSets(rows: Iterable<RunRow>, column: string): ByName {
  const sets = new Map<string, { labels: string[]; confidence: RunRow[string] }>();
  for (const row of rows) {
    const name = String(row[column] ?? "");
    const set = sets.get(name) ?? { labels: [], confidence: null };
    sets.set(name, set);
    const { labels, label, chosen, probability } = row;
    if (Array.isArray(labels)) {
      append(set.labels, labels as readonly string[]);
      set.confidence = probability;
    } else if (Number(chosen) === 1) set.labels.push(String(label));
  }
  return new Map(
    Array.from(sets, ([name, { labels, confidence }]) => [
      name,
      { labels: labels.sort().join(", "), confidence },
    ]),
  );
}

function onlyIn(these: ByName, those: ByName): Names {
  const names = [...these.keys()].filter((name) => !those.has(name));
  return { count: names.length, first: names.slice(0, LISTED) };
}

/** The earlier answers with the names of the new clusters that have most items in common; the numbers of clusters mean nothing. */
function renamedClusters(old: ByName, now: ByName): ByName {
  const clusters = (rows: ByName) => [
    ...new Set([...rows.values()].map((row) => String(row["cluster"] ?? ""))),
  ];
  const [before, after] = [clusters(old), clusters(now)];
  const size = Math.max(before.length, after.length);
  const [was, is] = [before, after].map((names) => new Map(names.map((name, at) => [name, at])));
  const cost = new Float64Array(size * size);
  for (const [name, row] of now) {
    const earlier = old.get(name);
    if (!earlier) continue;
    const from = was.get(String(earlier["cluster"] ?? "")) ?? 0;
    cost[from * size + (is.get(String(row["cluster"] ?? "")) ?? 0)]--;
  }
  const match = assign(cost, size);
  // A cluster that is matched with none keeps a name that no new one has.
  const nameOf = (from: number) => after[match[from]] ?? `${before[from]} (before)`;
  return new Map(
    [...old].map(([name, row]) => {
      const from = was.get(String(row["cluster"] ?? "")) ?? 0;
      return [name, { ...row, cluster: nameOf(from) }];
    }),
  );
}

function changedAnswers(old: ByName, now: ByName, columns: AnswerColumns): Changes["answers"] {
  const classes = isName(columns);
  const changed: (ChangedAnswer & { readonly size: number; readonly beyond: boolean })[] = [];
  let compared = 0;
  for (const [name, row] of now) {
    const earlier = old.get(name);
    if (!earlier) continue;
    compared++;
    const [before, after] = [cellOf(earlier, columns), cellOf(row, columns)];
    if (before === after) continue;
    const confidence = numberOf(row["confidence"]);
    const score = columns.score ?? columns.answer;
    const moved = (numberOf(row[score]) ?? 0) - (numberOf(earlier[score]) ?? 0);
    changed.push({
      name,
      before,
      after,
      ...(classes && confidence !== null && { confidence }),
      size: classes ? (confidence ?? 0) : Math.abs(moved),
      beyond: !classes && beyondInterval(earlier, row, score),
    });
  }
  const first = changed
    .toSorted((a, b) => Number(b.beyond) - Number(a.beyond) || b.size - a.size)
    .slice(0, LISTED)
    .map(({ size: _, beyond: __, ...rest }) => rest);
  const beyond = classes ? {} : { beyond: changed.filter((each) => each.beyond).length };
  return { compared, changed: changed.length, ...beyond, first };
}

/** The answer of a row: a class as text, a number to six digits, null if there is none. */
function cellOf(row: RunRow, columns: AnswerColumns): string | number | null {
  const cell = row[columns.answer];
  if (!isName(columns)) {
    const number = numberOf(cell);
    return number === null ? null : Number(number.toPrecision(6));
  }
  return cell === null || cell === undefined || cell === "" ? null : String(cell);
}

const isName = ({ answer }: AnswerColumns) =>
  answer === "label" || answer === "labels" || answer === "cluster";

function numberOf(cell: RunRow[string]): number | null {
  if (cell === null || cell === undefined || cell === "") return null;
  const number = Number(cell);
  return Number.isFinite(number) ? number : null;
}

/** True if each value lies outside the interval of the other; false if an interval is missing. */
function beyondInterval(a: RunRow, b: RunRow, value: string, prefix = ""): boolean {
  const outside = (x: number | null, row: RunRow) => {
    const [low, high] = [numberOf(row[`${prefix}low`]), numberOf(row[`${prefix}high`])];
    return x !== null && low !== null && high !== null && (x < low || x > high);
  };
  return outside(numberOf(a[value]), b) && outside(numberOf(b[value]), a);
}

function changedWorkers(
  before: Iterable<RunRow> | undefined,
  after: Iterable<RunRow> | undefined,
): Changes["workers"] {
  if (!before || !after) return null;
  const [old, now] = [byName(before, "worker"), byName(after, "worker")];
  const both = [...now].flatMap(([worker, row]) => {
    const earlier = old.get(worker);
    return earlier ? [{ worker, earlier, row }] : [];
  });
  if (both.length === 0 && old.size > 0 && now.size > 0) return null;
  const skill = both
    .filter(({ earlier, row }) => beyondInterval(earlier, row, "skill", "skill_"))
    .map(({ worker, earlier, row }) => ({
      worker,
      before: numberOf(earlier["skill"]),
      after: numberOf(row["skill"]),
    }))
    .sort((a, b) => gain(a) - gain(b));
  const standing = both.flatMap(({ worker, earlier, row }) => {
    const [then, here] = [earlier["standing"], row["standing"]];
    if (typeof then !== "string" || typeof here !== "string" || then === "") return [];
    return then === here ? [] : [{ worker, before: then, after: here }];
  });
  return {
    compared: both.length,
    new: onlyIn(now, old),
    gone: onlyIn(old, now),
    skill: { count: skill.length, first: skill.slice(0, LISTED) },
    standing: { count: standing.length, first: standing.slice(0, LISTED) },
  };
}

const gain = ({ before, after }: { before: number | null; after: number | null }) =>
  (after ?? 0) - (before ?? 0);
