/** How the report was made, so that it can be made again. */
import { fingerprint } from "../../data/fingerprint.ts";
import { version } from "../../version.ts";
import type { Material } from "../input.ts";
import type { Cell, Section } from "../model.ts";
import { brief, listed } from "../text.ts";
import { cardOf } from "./facts.ts";

export function provenanceSection(input: Material): Section {
  const { data, result } = input;
  const { id, title, summary, paper } = cardOf(result, input.card);
  const { seed, ...options } = result.options;
  const classes = Array.from(data.classes, (name) => brief(name, 40));
  const rows: Cell[][] = [
    ["Tool", `consilience ${version}`],
    ["Method", `${title} (${id})`],
    ...(summary ? [["What it does", summary]] : []),
    ...(paper ? [["Paper", `${paper.authors} (${paper.year}). ${paper.title}. ${paper.url}`]] : []),
    ...Object.entries(options).map(([name, value]) => [`Option ${name}`, String(value)]),
    ...(seed === undefined ? [] : [["Seed", String(seed)]]),
    ["Classes", listed(classes, 20)],
    ["Fingerprint of the labels", input.fingerprint ?? fingerprint(data)],
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
        columns: [
          { name: "What", kind: "text" },
          { name: "Value", kind: "text" },
        ],
        rows,
      },
    ],
  };
}
