/** From columns to sequences: tokens in order, chains without gaps, repeats, gold, and notes. */
import { CrowdError, plural } from "../error.ts";
import { append } from "../math/lists.ts";
import { classOrder, lookAlikes, onlyInGold } from "./categorical-from-columns.ts";
import { type AnswerColumns, attributesOf, type ColumnOptions } from "./columns.ts";
import { type Names, namesOf } from "./names.ts";
import { keptRows, type Repeats } from "./repeats.ts";
import { isBroken, type SequenceData, schemeOf, type Tokens } from "./sequence.ts";
import { checkWeights } from "./weights.ts";

/** Columns of tags; `position` is a whole number from 0 upwards. */
export interface SequenceColumns extends AnswerColumns {
  readonly position: Int32Array;
  readonly labels: readonly string[];
  readonly label: Int32Array;
  /** What stands at the position, as a number into `texts`, or -1. */
  readonly text?: Int32Array | undefined;
  readonly texts?: readonly string[] | undefined;
}

/** Known tag of a position of a task. */
export type PositionGold = readonly [task: string, label: string, position: number];

/** How sequences are read. */
export interface SequenceOptions extends ColumnOptions {
  /** Default: `last` where answers have times, else `distinct`. */
  readonly repeats?: Repeats | undefined;
  /** The tags in their order, used or not; default: those met, sorted. */
  readonly classes?: Names | readonly string[] | undefined;
  /** Known tags: task, tag and position. */
  readonly gold?: Iterable<PositionGold> | undefined;
}

/** Builds sequences from columns of names and positions. */
export function sequenceFromColumns(
  columns: SequenceColumns,
  options: SequenceOptions = {},
): SequenceData {
  checkWeights(columns.weight);
  const notes = [...(options.notes ?? [])];
  const gold = [...(options.gold ?? [])];
  const classes = tagsOf(columns, gold, options.classes && [...options.classes]);
  append(notes, lookAlikes(classes));
  const asPairs = gold.map(([task, label]) => [task, label] as const);
  if (!options.classes) append(notes, onlyInGold(columns.labels, asPairs));
  const place = new Map(classes.map((name, k) => [name, k]));
  const codes = Int32Array.from(columns.labels, (name) => place.get(name) ?? -1);
  const { token, tokens, differing } = tokensOf(columns);
  const label = columns.label.map((l) => codes[l]);
  const kept = withoutRepeats({ ...columns, token, tokens, label }, options.repeats, notes);
  const data = {
    kind: "sequence" as const,
    tasks: namesOf(columns.tasks),
    workers: namesOf(columns.workers),
    classes: namesOf(classes),
    tokens,
    ...kept,
    gold: goldColumn(columns.tasks, tokens, gold, place, notes),
    ...attributesOf(options),
    notes,
  };
  append(notes, gapNotes(tokens, columns.tasks.length));
  append(notes, differingNotes(columns.tasks, tokens, differing));
  append(notes, brokenNotes(data));
  return data;
}

/** The tags met, and B-X for every I-X where tags begin with B at all: else I-X could never be true. */
function tagsOf(
  { labels }: SequenceColumns,
  gold: readonly PositionGold[],
  given: readonly string[] | undefined,
): readonly string[] {
  const met = new Set([...labels, ...gold.map(([, label]) => label)]);
  const scheme = schemeOf(given ?? met);
  if (scheme?.strict && !given) {
    for (const type of scheme.types) met.add(type === "" ? "B" : `B-${type}`);
  }
  return classOrder(met, given);
}

/** Finds the token of each answer: tasks in their order, positions ascending. */
function tokensOf({ tasks, task, position, text, texts }: SequenceColumns): {
  token: Int32Array;
  tokens: Tokens;
  differing: ReadonlySet<number>;
} {
  const differing = new Set<number>();
  const order = sortedRows(tasks.length, task, position);
  const token = new Int32Array(order.length);
  const ofTask: number[] = [];
  const ofPosition: number[] = [];
  const chains: number[] = [];
  const words: string[] | undefined = text && texts ? [] : undefined;
  let before = -1;
  for (const i of order) {
    const same = before >= 0 && task[i] === task[before];
    if (!same || position[i] !== position[before]) {
      if (!same || position[i] !== position[before] + 1) chains.push(ofTask.length);
      ofTask.push(task[i]);
      ofPosition.push(position[i]);
      words?.push("");
    }
    token[i] = ofTask.length - 1;
    if (words && text && texts && text[i] >= 0) {
      words[token[i]] ||= texts[text[i]];
      if (words[token[i]] !== texts[text[i]]) differing.add(token[i]);
    }
    before = i;
  }
  return {
    token,
    differing,
    tokens: {
      length: ofTask.length,
      task: Int32Array.from(ofTask),
      position: Int32Array.from(ofPosition),
      chains: Int32Array.from([...chains, ofTask.length]),
      ...(words && { text: words }),
    },
  };
}

/** The rows by task, then by position; equal ones in the order given. */
function sortedRows(T: number, task: Int32Array, position: Int32Array): Int32Array {
  const start = new Int32Array(T + 1);
  for (const t of task) start[t + 1]++;
  for (let t = 0; t < T; t++) start[t + 1] += start[t];
  const next = start.slice();
  const order = new Int32Array(task.length);
  for (let i = 0; i < task.length; i++) order[next[task[i]]++] = i;
  for (let t = 0; t < T; t++) {
    order.subarray(start[t], start[t + 1]).sort((i, j) => position[i] - position[j] || i - j);
  }
  return order;
}

type Kept = Pick<SequenceData, "task" | "worker" | "token" | "label" | "weight" | "time">;

/** Applies the policy for repeated answers of a worker on a position. */
function withoutRepeats(
  columns: SequenceColumns & { readonly token: Int32Array; readonly tokens: Tokens },
  policy: Repeats | undefined,
  notes: string[],
): Kept {
  const { task, worker, token, label, weight, time, tokens } = columns;
  const places = {
    length: tokens.length,
    at: (t: number) =>
      `${columns.tasks[tokens.task[t]] ?? ""}" at position "${tokens.position[t] ?? ""}`,
    indexOf: () => -1,
    *[Symbol.iterator]() {},
  };
  const rows = { tasks: places, workers: namesOf(columns.workers), task: token, worker, time };
  const chosen = policy ?? (time ? "last" : "distinct");
  const same = (i: number, j: number) => label[i] === label[j];
  const kept = keptRows(rows, same, chosen, notes, "a (task, worker, position)");
  if (!kept)
    return { task, worker, token, label, ...(weight && { weight }), ...(time && { time }) };
  return {
    task: kept.map((i) => task[i]),
    worker: kept.map((i) => worker[i]),
    token: kept.map((i) => token[i]),
    label: kept.map((i) => label[i]),
    ...(weight && { weight: Float64Array.from(kept, (i) => weight[i]) }),
    ...(time && { time: Float64Array.from(kept, (i) => time[i]) }),
  };
}

/** Gold by token; gold of positions without answers is counted, and an error if there is no other. */
function goldColumn(
  tasks: readonly string[],
  tokens: Tokens,
  gold: readonly PositionGold[],
  classes: ReadonlyMap<string, number>,
  notes: string[],
): Int32Array {
  const column = new Int32Array(tokens.length).fill(-1);
  if (gold.length === 0) return column;
  const find = tokenFinder(tasks, tokens);
  let missing = 0;
  for (const [task, label, position] of gold) {
    const t = find(task, position);
    const k = classes.get(label) ?? -1;
    if (t < 0) missing++;
    else if (column[t] >= 0 && column[t] !== k) {
      throw new CrowdError(
        "bad-data",
        `Gold names two tags for position ${position} of task "${task}". Keep one of them.`,
      );
    } else column[t] = k;
  }
  if (missing === gold.length) {
    const [task, , position] = gold[0];
    throw new CrowdError(
      "bad-data",
      `None of the ${gold.length} gold positions has answers: gold names position ${position} of "${task}", the answers ` +
        `position ${tokens.position[0] ?? 0} of "${tasks[tokens.task[0]] ?? ""}". Do both files name tasks the same way?`,
    );
  }
  if (missing > 0) {
    notes.push(`${missing} of ${gold.length} gold positions have no answers and are left out.`);
  }
  return column;
}

/** Returns a function that finds the token of a position of a task, or -1. */
function tokenFinder(
  tasks: Iterable<string>,
  { task, position, length }: Pick<Tokens, "task" | "position" | "length">,
): (name: string, at: number) => number {
  const places = new Map(Array.from(tasks, (name, t) => [name, t]));
  const start = new Int32Array(places.size + 1);
  for (let i = 0; i < length; i++) start[task[i] + 1]++;
  for (let t = 0; t < places.size; t++) start[t + 1] += start[t];
  return (name, at) => {
    const t = places.get(name) ?? -1;
    if (t < 0) return -1;
    let [low, high] = [start[t], start[t + 1] - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (position[middle] < at) low = middle + 1;
      else high = middle;
    }
    return low < start[t + 1] && position[low] === at ? low : -1;
  };
}

/** Says that answers name different tokens for one position: files may name different tasks the same way. */
function differingNotes(
  tasks: readonly string[],
  { task, position, text = [] }: Tokens,
  differing: ReadonlySet<number>,
): string[] {
  const [first] = differing;
  if (first === undefined) return [];
  return [
    `${plural(differing.size, "position")} with different tokens in different answers, such as position ${position[first]} of task ` +
      `"${tasks[task[first]]}", where one is "${text[first]}". Do all files name tasks, and cut texts, the same way?`,
  ];
}

function gapNotes({ chains }: Tokens, tasks: number): string[] {
  const gaps = chains.length - 1 - tasks;
  if (gaps <= 0) return [];
  return [
    `${plural(gaps, "gap")} in the positions of tasks: what follows a gap is a sequence of its own.`,
  ];
}

/** Counts answers that break BIO: I-X that follows neither B-X nor I-X of the same worker. */
export function brokenTags(data: SequenceData): number {
  const scheme = schemeOf(data.classes);
  if (!scheme?.strict) return 0;
  const before = previousAnswers(data);
  return data.label.filter((k, i) => isBroken(scheme, before[i], k)).length;
}

function brokenNotes(data: SequenceData): string[] {
  const broken = brokenTags(data);
  if (broken === 0) return [];
  return [
    `${broken} of ${data.label.length} tags break BIO: I-X follows neither B-X nor I-X. They are kept as they are; such a tag begins a span.`,
  ];
}

/** The same worker's tag on the token before, for each answer; -1 where there is none, or a chain begins. */
export function previousAnswers({
  workers,
  worker,
  token,
  label,
  tokens,
}: Pick<SequenceData, "workers" | "worker" | "token" | "label" | "tokens">): Int32Array {
  const first = new Uint8Array(tokens.length + 1);
  for (const t of tokens.chains) first[t] = 1;
  const start = new Int32Array(tokens.length + 1);
  for (const t of token) start[t + 1]++;
  for (let t = 0; t < tokens.length; t++) start[t + 1] += start[t];
  const order = new Int32Array(token.length);
  const next = start.slice();
  for (let i = 0; i < token.length; i++) order[next[token[i]]++] = i;
  const seen = new Int32Array(workers.length).fill(-2);
  const said = new Int32Array(workers.length);
  const before = new Int32Array(token.length).fill(-1);
  for (let t = 0; t < tokens.length; t++) {
    const own = order.subarray(start[t], start[t + 1]);
    if (!first[t]) for (const i of own) if (seen[worker[i]] === t - 1) before[i] = said[worker[i]];
    for (const i of own) {
      const w = worker[i];
      // Of several answers on one token the lowest tag counts, so that the order of rows is no matter.
      said[w] = seen[w] === t ? Math.min(said[w], label[i]) : label[i];
      seen[w] = t;
    }
  }
  return before;
}
