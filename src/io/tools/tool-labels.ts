/** Labels out of the exports of labelling tools: what all of them have in common. */
import { hint } from "../../error.ts";
import { fillValue, inexact, nameCell, numberCell, textOf } from "../cell.ts";
import { mapping } from "../column-names.ts";
import type { FileContext } from "../format.ts";
import { shown } from "../json-values.ts";
import type { LabelCollector } from "../label-collector.ts";
import { createClassLimit, createMissing } from "../label-target.ts";
import { excerpt } from "../problems.ts";

/** Why work that was refused is left out. */
export const REJECTED = `the assignment was rejected (${hint("rejected", true)} counts it)`;

/** Why an answer that a model gave is left out. */
export const PREDICTED = `a model said it, not a worker (${hint("predictions", true)} counts it)`;

interface ToolLabel {
  readonly task: unknown;
  readonly worker: unknown;
  readonly label: unknown;
  /** A date as text, or seconds or milliseconds since 1970. */
  readonly time?: unknown;
}

export interface ToolLabels {
  add(label: ToolLabel, line: number): void;
  /** A known class. */
  gold(task: unknown, label: unknown, line: number): void;
  /** Something that is no label, and why. */
  drop(reason: string): void;
  problem(line: number, what: string): void;
}

/** What the tool calls the task, the worker and the label. */
type Fields = Readonly<Record<"task" | "worker" | "label", string>>;

export function createToolLabels(
  labels: LabelCollector,
  context: FileContext,
  fields: Fields,
): ToolLabels {
  const { file, problems, options } = context;
  const cells = {
    task: nameCell(labels.tasks),
    worker: nameCell(labels.workers),
    label: nameCell(labels.labels),
  };
  const time = numberCell("time");
  const isMissing = createMissing(labels.labels, options);
  const check = createClassLimit(labels, context);
  let rows = 0;

  function problem(line: number, what: string): void {
    problems.add(file, line, what);
    labels.drop();
  }

  return {
    problem,
    drop: (reason) => labels.drop(reason),
    add(row, line) {
      rows++;
      for (const role of ["label", "task", "worker"] as const) {
        const wrong = inexact(row[role]) ?? fillValue(cells[role], row[role]);
        const what = `the ${role} (${excerpt(fields[role])})`;
        if (wrong) return problem(line, `${what} should be text or a number, but is ${wrong}.`);
        if (cells[role].code >= 0) continue;
        if (role === "label") return labels.drop("the label is empty");
        const choose =
          role === "task" ? ` Something else can name the task: ${mapping("task")}.` : "";
        return problem(line, `${what} is empty.${choose}`);
      }
      if (isMissing(cells.label.code))
        return labels.drop("the label is one of those to treat as missing");
      fillValue(time, typeof row.time === "string" ? isoDate(row.time) : (row.time ?? null));
      labels.add(cells.task.code, cells.worker.code, cells.label.code, time.value, Number.NaN);
      if (cells.label.code >= check.limit) check.refuse(line, rows);
    },
    gold(task, label, line) {
      const known = textOf(label) ?? "";
      const name = textOf(task) ?? "";
      if (known === "" || inexact(label)) {
        problem(
          line,
          `the known class (${excerpt(fields.label)}) should be text or a number, but is ${shown(label)}.`,
        );
      } else if (name === "" || inexact(task)) {
        problem(
          line,
          `the task (${excerpt(fields.task)}) should be text or a number, but is ${shown(task)}.`,
        );
      } else labels.addGold(name, known);
    },
  };
}

/** `Thu Oct 09 07:30:20 UTC 2025`, as some tools write it, in the usual order; else the text itself. */
function isoDate(text: string): string | Date {
  const found = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{2}) ([\d:]{8}) ([A-Z]{3,4}) (\d{4})$/.exec(
    text,
  );
  if (!found) return text;
  const date = new Date(`${found[2]} ${found[1]} ${found[5]} ${found[3]} ${found[4]}`);
  return Number.isNaN(date.getTime()) ? text : date;
}

/** The question that is meant: the chosen one, or the only one; else how to choose. */
export function chooseOne(
  names: Iterable<string>,
  chosen: string | undefined,
  what: string,
): { readonly name?: string; readonly wrong?: string } {
  const all = [...new Set(names)].sort();
  const list = all.map(excerpt).join(", ");
  if (chosen !== undefined) {
    if (all.includes(chosen)) return { name: chosen };
    return { wrong: `there is no ${what} ${excerpt(chosen)}; there are: ${list}.` };
  }
  if (all.length === 1) return { name: all[0] };
  return {
    wrong: `there are several ${what}s: ${list}. Choose one: ${mapping("label", all[0])}.`,
  };
}

export interface Questions {
  /** The question to be read of a record that answers these; undefined where it does not answer it. */
  pick(names: Iterable<string>, line: number): string | undefined;
  /** The question, once a record has answered it. */
  readonly name: string | undefined;
  /** Says so where nobody answered the chosen question. */
  finish(): void;
}

/** The question that is meant, where only the records themselves tell which there are. */
export function createQuestions(
  chosen: string | undefined,
  what: string,
  problem: (line: number, what: string) => void,
): Questions {
  const seen = new Set<string>();
  let only: string | undefined;
  return {
    get name() {
      return chosen ?? only;
    },
    pick(names, line) {
      const all = new Set(names);
      for (const name of all) if (seen.size < 100) seen.add(name);
      if (chosen !== undefined) return all.has(chosen) ? chosen : undefined;
      if (all.size === 0) return undefined;
      [only] = only === undefined ? all : [only];
      const { name, wrong } = chooseOne([only ?? "", ...all], undefined, what);
      if (wrong) problem(line, wrong);
      return name;
    },
    finish() {
      if (chosen === undefined || seen.size === 0 || seen.has(chosen)) return;
      const { wrong = "" } = chooseOne(seen, chosen, what);
      problem(0, wrong);
    },
  };
}
