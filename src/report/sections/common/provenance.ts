/** How the report was made, so that it can be made again. */
import type { CrowdResult } from "../../../aggregate/result.ts";
import type { Card } from "../../../method.ts";
import { version } from "../../../version.ts";
import { columnsOf } from "../../columns.ts";
import type { Cell, Section } from "../../model.ts";

/** What a method says of itself, or at least its name. */
export type Described = Pick<Card, "id" | "title"> & Partial<Card>;

/** Makes the section of a result, its method and the fingerprint of the answers; `more` is the kind's own. */
export function provenanceSection(
  result: Pick<CrowdResult, "options">,
  { id, title, summary, paper }: Described,
  fingerprint: string,
  more: readonly Cell[][] = [],
): Section {
  const { seed, ...options } = result.options;
  const rows: Cell[][] = [
    ["Tool", `consilience ${version}`],
    ["Method", `${title} (${id})`],
    ...(summary ? [["What it does", summary]] : []),
    ...(paper ? [["Paper", `${paper.authors} (${paper.year}). ${paper.title}. ${paper.url}`]] : []),
    ...Object.entries(options).map(([name, value]) => [`Option ${name}`, String(value)]),
    ...(seed === undefined ? [] : [["Seed", String(seed)]]),
    ...more,
    ["Fingerprint of the labels", fingerprint],
  ];
  return {
    id: "provenance",
    title: "How this was made",
    text: [
      "The same labels, options, seed and version give the same answers, and this page again, byte by byte.",
    ],
    charts: [],
    tables: [
      {
        id: "provenance",
        caption: "Provenance",
        columns: columnsOf({ What: "text", Value: "text" }),
        rows,
      },
    ],
  };
}
