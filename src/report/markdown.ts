/** A report as Markdown, for reviews and chats: tables in full, charts in a line of words. */
import { cellText, isBest } from "./cells.ts";
import type { Chart } from "./charts/chart.ts";
import type { Report, ReportVerdict, RowContent, Section, Table } from "./model.ts";
import { brief, visible } from "./text.ts";

/** Writes a report as Markdown. */
export function toMarkdown(report: Report): string {
  const parts = [
    ...(report.verdict?.alarm === undefined
      ? []
      : [`**ALARM: ${escapeMarkdown(report.verdict.alarm)}**`]),
    `# ${escapeMarkdown(report.title)}`,
    escapeMarkdown(report.subtitle),
    ...verdictParts(report.verdict),
    ...lines(
      report.facts.map(
        ([label, value]) => `**${escapeMarkdown(label)}:** ${escapeMarkdown(value)}`,
      ),
    ),
    ...(report.notes.length > 0 ? ["**Notes**", ...lines(report.notes.map(escapeMarkdown))] : []),
    ...report.sections.flatMap(sectionParts),
  ];
  return `${parts.join("\n\n")}\n`;
}

function verdictParts(verdict: ReportVerdict | undefined): string[] {
  if (!verdict) return [];
  return [
    `**Verdict: ${escapeMarkdown(verdict.level)}**`,
    ...lines(verdict.reasons.map(escapeMarkdown)),
    ...(verdict.next.length > 0 ? ["**Next**", ...lines(verdict.next.map(escapeMarkdown))] : []),
  ];
}

function lines(items: readonly string[]): string[] {
  return items.length > 0 ? [items.map((item) => `- ${item}`).join("\n")] : [];
}

function sectionParts({ title, text, charts, tables }: Section): string[] {
  return [
    `## ${escapeMarkdown(title)}`,
    ...text.map(escapeMarkdown),
    ...charts.map(chartLine),
    ...tables.flatMap(tableParts),
  ];
}

function chartLine({ title, description }: Chart): string {
  const end = /[.?!]$/.test(title) ? "" : ".";
  return `*${escapeMarkdown(title)}${end}* ${escapeMarkdown(description)}`;
}

function tableParts({ caption, columns, rows, content, more }: Table): string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const about = columns.findIndex(({ kind }) => kind === "text");
  const table = [
    row(columns.map(({ name }) => escapeMarkdown(name))),
    row(columns.map(({ kind }) => (kind === "text" || kind === "state" ? "---" : "---:"))),
    ...rows.map((cells, r) =>
      row(
        cells.map((cell, c) => {
          const plain = cellText(cell, columns[c].kind);
          const text = escapeMarkdown(c === about ? withContent(plain, content?.[r]) : plain);
          return isBest(cell) ? `**${text}**` : text;
        }),
      ),
    ),
  ];
  return [
    `### ${escapeMarkdown(caption)}`,
    table.join("\n"),
    ...(more === undefined ? [] : [escapeMarkdown(more)]),
  ];
}

/** A name with what the thing looks like, as far as one line of text can say it. */
function withContent(name: string, content: RowContent | null | undefined): string {
  const said = content?.text ?? content?.address ?? content?.path;
  return said === undefined ? name : `${name}: ${brief(said.replace(/\s+/g, " "), 200)}`;
}

/** Text that means only itself, also within a table. */
function escapeMarkdown(text: string): string {
  return visible(text)
    .replace(/[\\`*_{}[\]#|~!$]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
}
