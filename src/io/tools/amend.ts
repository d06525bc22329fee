/** Exports of tools with answers added: every record as it was, but for what is added. */

import { CrowdError, plural } from "../../error.ts";
import type { Answers } from "../answers.ts";
import { textOf } from "../cell.ts";
import { mapping } from "../column-names.ts";
import type { FileContext, Reader, Written } from "../format.ts";
import { type JsonObject, scanJson } from "../json-values.ts";
import { excerpt } from "../problems.ts";

/** Who gave the answers, where a tool wants to know. */
export const AGENT = "consilience";

/** Reads an export, then gives it back with answers. */
export interface Amender extends Reader {
  written(): Written;
}

interface Amendment {
  readonly answers: Answers;
  readonly context: FileContext;
  /** Takes from a record what is to be known of all before any is changed; returns its task. */
  learn(record: JsonObject, line: number): unknown;
  /** The text of a record with the answer at this place added. */
  edit(text: string, record: JsonObject, answer: number): string;
  finish(): void;
}

/** For exports that are objects, in a list or on lines of their own. */
export function createAmender({ answers, context, learn, edit, finish }: Amendment): Amender {
  const records: { readonly text: string; readonly answer: number }[] = [];
  const matching = createMatching(answers, context, "left alone");
  let isList = false;
  function* written() {
    const [open, between, close] = isList ? ["[\n", ",\n", "\n]\n"] : ["", "\n", "\n"];
    let before = open;
    for (const { text, answer } of records) {
      yield before + (answer < 0 ? text : edit(text, JSON.parse(text), answer));
      before = between;
    }
    yield close;
  }
  return {
    ...scanJson(
      (record, line, { text, inList }) => {
        isList = inList;
        records.push({ text, answer: matching.find(learn(record, line)) });
      },
      context,
      () => {
        finish();
        matching.finish();
      },
    ),
    written,
  };
}

/** Which answer belongs to which task, and which are left over on either side. */
export function createMatching(
  { tasks }: Answers,
  { file, note }: FileContext,
  /** What becomes of tasks without an answer. */
  otherwise: string,
) {
  const places = new Map(tasks.map((task, t) => [task, t]));
  const met = new Set<number>();
  let without = 0;
  let first: string | undefined;
  return {
    /** The place of the task's answer, or -1. */
    find(task: unknown): number {
      const name = textOf(task) ?? "";
      first ??= name;
      const place = places.get(name) ?? -1;
      if (place < 0) without++;
      else met.add(place);
      return place;
    },
    finish(): void {
      if (met.size === 0) {
        throw new CrowdError(
          "bad-data",
          `${file}: none of its tasks has an answer. The first is called ${excerpt(first ?? "")}, the first answer is for ${excerpt(tasks[0])}. ` +
            `Read the labels from this very file, or say what names the tasks: ${mapping("task")}.`,
        );
      }
      if (without > 0) note(`${file}: ${plural(without, "task")} without an answer, ${otherwise}.`);
      const left = tasks.length - met.size;
      if (left > 0)
        note(`${plural(left, "answer")} for tasks that ${file} does not hold, left out.`);
    },
  };
}
