/** What changed since an earlier run. */
import type { Changes } from "../../../diagnose/since.ts";
import { columnsOf } from "../../columns.ts";
import type { Cell, Section, Table } from "../../model.ts";
import { sinceLines } from "../../since-text.ts";
import { brief, decimal, grouped, percent } from "../../text.ts";

/** Makes the section of what changed; undefined if there is no earlier run. */
export function sinceSection(changes: Changes | undefined): Section | undefined {
  if (!changes) return undefined;
  return {
    id: "since",
    title: "Since the earlier run",
    text: [sinceLines(changes).join(" ")],
    charts: [],
    tables: [answerTable(changes), ...workerTables(changes), noteTable(changes)].filter(
      ({ rows }) => rows.length > 0,
    ),
  };
}

function answerTable({ answers: { first, changed } }: Changes): Table {
  const sure = first.some(({ confidence }) => confidence !== undefined);
  return {
    id: "since-answers",
    caption: sure ? "Answers that changed, the most confident first" : "Answers that changed most",
    columns: columnsOf({
      Name: "text",
      Before: "text",
      Now: "text",
      ...(sure && { Confidence: "percent" }),
    }),
    rows: first.map(({ name, before, after, confidence }) => [
      brief(name),
      shown(before),
      shown(after),
      ...(sure ? [confidence ?? null] : []),
    ]),
    ...(changed > first.length && { more: `${changed - first.length} more changed.` }),
  };
}

function workerTables({ workers }: Changes): Table[] {
  if (!workers) return [];
  const table = (id: string, caption: string, rows: readonly (readonly Cell[])[]): Table => ({
    id,
    caption,
    columns: columnsOf({ Worker: "text", Before: "text", Now: "text" }),
    rows,
  });
  const share = (x: string | number | null) => (typeof x === "number" ? percent(x) : x);
  return [
    table(
      "since-skills",
      "Skills that changed beyond their intervals",
      workers.skill.first.map(({ worker, before, after }) => [
        brief(worker),
        share(before),
        share(after),
      ]),
    ),
    table(
      "since-standing",
      "Workers who stand otherwise against guessing",
      workers.standing.first.map(({ worker, before, after }) => [
        brief(worker),
        shown(before),
        shown(after),
      ]),
    ),
  ];
}

function noteTable({ notes }: Changes): Table {
  const rows = [
    ...notes.new.map((note) => ["new", brief(note, 500)]),
    ...notes.gone.map((note) => ["gone", brief(note, 500)]),
  ];
  return {
    id: "since-notes",
    caption: "Notes that differ",
    columns: columnsOf({ Since: "text", Note: "text" }),
    rows,
  };
}

function shown(answer: string | number | null): string | null {
  if (typeof answer === "number")
    return Number.isInteger(answer) ? grouped(answer) : decimal(answer);
  return answer === null ? null : brief(answer);
}
