/** Answers out of exports of labelling tools that are not single classes: rows of the columns that their kind has. */
import { CrowdError, grouped, plural } from "../../error.ts";
import { fillValue, inexact } from "../cell.ts";
import { mapping } from "../column-names.ts";
import type { FileContext } from "../format.ts";
import type { Intake } from "../sink.ts";
import {
  createSpanTagger,
  type OffsetUnit,
  ofTask,
  type Span,
  type TokenText,
  tokensOf,
} from "../spans-to-tags.ts";

/** Whose answer it is, and when it was given. */
export interface Given {
  readonly task: unknown;
  readonly worker: unknown;
  readonly time?: unknown;
}

export interface ToolRows {
  /** A row: the values of the columns besides task, worker and time, in their order. */
  add(given: Given, values: readonly unknown[], line: number): void;
  /** Rows of one answer, as many as there are lists of values. */
  addAll(given: Given, rows: Iterable<readonly unknown[]>, line: number): void;
  /** Something that is no answer, and why. */
  drop(reason: string): void;
  problem(line: number, what: string): void;
  finish(): void;
}

/** Fills rows of task, worker, time and these columns, which are called as their kind calls them. */
export function createToolRows(
  sink: Intake,
  context: FileContext,
  columns: readonly string[],
): ToolRows {
  const { file, problems } = context;
  const dropped = new Map<string, number>();
  // Columns that were named are those of the tool; what they are taken for is said by its reader.
  const quiet = {
    ...context,
    options: { ...context.options, columns: undefined, header: undefined },
    understood: () => {},
  };
  const target = sink.target(quiet);
  const names = ["task", "worker", "time", ...columns];
  const cells = target.columns(names, 0);
  const problem = (line: number, what: string) => problems.add(file, line, what);

  /** Fills some cells; false where a value cannot be held, which is said. */
  function fill(from: number, values: readonly unknown[], line: number): boolean {
    for (let i = 0; i < values.length; i++) {
      const cell = cells[from + i];
      const wrong = cell && (inexact(values[i]) ?? fillValue(cell, values[i]));
      if (!wrong) continue;
      problem(line, `the ${names[from + i]} should be text or a number, but is ${wrong}.`);
      return false;
    }
    return true;
  }

  function addAll(given: Given, rows: Iterable<readonly unknown[]>, line: number): void {
    if (isEmpty(given.task)) {
      problem(line, `the task is empty. Something else can name it: ${mapping("task")}.`);
      return;
    }
    if (!fill(0, [given.task, given.worker, given.time ?? null], line)) return;
    for (const row of rows) {
      if (!fill(3, row, line)) return;
      target.row(line);
    }
  }

  return {
    problem,
    addAll,
    add: (given, values, line) => addAll(given, [values], line),
    drop: (reason) => dropped.set(reason, (dropped.get(reason) ?? 0) + 1),
    finish() {
      target.finish?.();
      for (const [reason, count] of dropped) {
        context.note(`${file}: ${plural(count, "answer")} left out: ${reason}.`);
      }
    },
  };
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === "";

/** A text, and how its offsets count; or its tokens, where the tool says them. */
export interface Text {
  readonly text: string;
  readonly unit: OffsetUnit;
  readonly tokens?: TokenText | undefined;
}

export interface ToolTags extends Omit<ToolRows, "add" | "addAll"> {
  /** The spans of one worker in the text of a task. */
  add(given: Given, text: Text, spans: readonly Span[], line: number): void;
  /** Known spans. */
  gold(task: unknown, text: Text, spans: readonly Span[], line: number): void;
}

/** More tags than this from one record of an export are taken for a mistake. */
const MOST_TAGS = 10_000_000;

/** Makes tags of spans, one row per token. */
export function createToolTags(sink: Intake, context: FileContext): ToolTags {
  const rows = createToolRows(sink, context, ["position", "token", "label"]);
  const tagger = createSpanTagger(context);
  let cut: { readonly text: string; readonly unit: OffsetUnit; readonly tokens: TokenText };
  let record = { line: -1, tags: 0 };

  /** The tokens of a text; workers of one task mark the same text one after another. */
  function tokensIn({ text, unit, tokens }: Text): TokenText {
    if (tokens) return tokens;
    if (cut?.text !== text || cut.unit !== unit) cut = { text, unit, tokens: tokensOf(text, unit) };
    return cut.tokens;
  }

  function tagsOf(task: unknown, text: Text, spans: readonly Span[], line: number) {
    const tokens = tokensIn(text);
    const half = inexact(text.text);
    const { tags = [], wrong } = half
      ? { wrong: `the text is ${half}.` }
      : tagger.tags(tokens, spans);
    if (wrong) rows.problem(line, `${ofTask(task)}: ${wrong}`);
    else if (tags.length === 0) rows.drop("the text has no words");
    if (record.line !== line) record = { line, tags: 0 };
    record.tags += tags.length;
    if (record.tags > MOST_TAGS) {
      throw new CrowdError(
        "too-large",
        `${context.file}:${line}: ${ofTask(task)} has more than ${grouped(MOST_TAGS)} tags. Split its text.`,
      );
    }
    return tags.map((tag, i) => [i, tokens.tokens[i].text, tag] as const);
  }

  return {
    problem: rows.problem,
    drop: rows.drop,
    add: (given, text, spans, line) =>
      rows.addAll(given, tagsOf(given.task, text, spans, line), line),
    gold(task, text, spans, line) {
      for (const [position, , tag] of tagsOf(task, text, spans, line)) {
        sink.known([String(task), tag, position]);
      }
    },
    finish() {
      rows.finish();
      tagger.finish();
    },
  };
}
