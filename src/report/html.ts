/**
 * A report as one page that needs nothing else: no requests, no fonts, no framework.
 *
 * Its content policy allows the one style sheet and the one script below, by their hashes, and
 * nothing besides; text from the data is escaped wherever it stands. Plot is loaded when a page is
 * first made, since it is large and nothing else here needs it.
 */
import { textOfBytes } from "../io/encoding.ts";
import { sha256 } from "../math/sha256.ts";
import { cellNumber, cellText, isBest } from "./cells.ts";
import type { Chart } from "./charts/chart.ts";
import type { ChartDocument } from "./charts/document.ts";
import { contentHtml } from "./html-content.ts";
import { script } from "./html-script.ts";
import { PHONE, style } from "./html-style.ts";
import { attribute, html } from "./html-text.ts";
import type { Cell, Column, Report, ReportVerdict, RowContent, Section, Table } from "./model.ts";
import { visible } from "./text.ts";

/** `document` is what charts are drawn in: a browser's own, or createSvgDocument() of "consilience/node". */
export async function toHtml(report: Report, document: ChartDocument): Promise<string> {
  const { drawChart } = await import("./charts/index.ts");
  const draw = (chart: Chart) => drawChart(chart, document).outerHTML;
  const layouts = layoutsOf(report);
  const look = style + cardLabels(layouts);
  const images = report.sections.some(({ tables }) =>
    tables.some(({ content }) => content?.some((row) => row?.image !== undefined)),
  );
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${attribute(policy(look, images))}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${attribute(report.title)}</title>`,
    `<style>${look}</style>`,
    "</head>",
    "<body>",
    '<a class="skip" href="#main">Skip to the report</a>',
    alarmHtml(report.verdict),
    pageHeader(report),
    navigation(report.sections),
    '<main id="main">',
    notes(report.notes),
    ...report.sections.map((section) => sectionHtml(section, draw, layouts)),
    "</main>",
    "<footer><p>Made by consilience. Nothing on this page was loaded from elsewhere.</p></footer>",
    `<script>${script}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function policy(look: string, images: boolean): string {
  const hash = (text: string) => `'sha256-${btoa(textOfBytes(sha256(text)))}'`;
  return (
    `default-src 'none'; style-src ${hash(look)}; script-src ${hash(script)}; ` +
    // Images are within the page; nothing is loaded.
    (images ? "img-src data:; " : "") +
    `base-uri 'none'; form-action 'none'`
  );
}

/** What gold shows to be wrong stands above everything. */
function alarmHtml(verdict: ReportVerdict | undefined): string {
  if (verdict?.alarm === undefined) return "";
  return `<div class="alarm" role="alert"><p><strong>Alarm.</strong> ${html(verdict.alarm)}</p></div>`;
}

/** Reasons and next steps that are shown at once; the rest is folded away. */
const SHOWN = 3;

function verdictHtml(verdict: ReportVerdict | undefined): string {
  if (!verdict) return "";
  const { level, reasons, next } = verdict;
  const items = (list: readonly string[]) =>
    list.length > 0 ? `<ul>${list.map((text) => `<li>${html(text)}</li>`).join("")}</ul>` : "";
  const rest = reasons.length > SHOWN || next.length > 1;
  return [
    `<div class="verdict" data-level="${attribute(level)}" role="region" aria-labelledby="verdict">`,
    `<h2 id="verdict">Verdict: <span class="level">${html(level)}</span></h2>`,
    items(reasons.slice(0, SHOWN)),
    ...(next.length > 0 ? [`<p><strong>Next:</strong> ${html(next[0])}</p>`] : []),
    ...(rest
      ? [
          "<details><summary>More reasons and steps</summary>",
          items(reasons.slice(SHOWN)),
          ...(next.length > 1 ? [`<p><strong>Also:</strong></p>${items(next.slice(1))}`] : []),
          "</details>",
        ]
      : []),
    "</div>",
  ].join("\n");
}

function pageHeader({ title, subtitle, verdict, facts }: Report): string {
  const cards = facts.map(
    ([label, value]) => `<div><dt>${html(label)}</dt><dd>${html(value)}</dd></div>`,
  );
  return [
    "<header>",
    `<h1>${html(title)}</h1>`,
    `<p class="subtitle">${html(subtitle)}</p>`,
    verdictHtml(verdict),
    `<dl class="facts">${cards.join("")}</dl>`,
    "</header>",
  ].join("\n");
}

function navigation(sections: readonly Section[]): string {
  const links = sections.map(
    ({ id, title }) => `<li><a href="#${attribute(id)}">${html(title)}</a></li>`,
  );
  return `<nav aria-label="Sections"><ul>${links.join("")}</ul></nav>`;
}

function notes(list: readonly string[]): string {
  if (list.length === 0) return "";
  const items = list.map((note) => `<li>${html(note)}</li>`);
  return `<div class="notes"><h2>Notes</h2><ul>${items.join("")}</ul></div>`;
}

function sectionHtml(
  { id, title, text, charts, tables }: Section,
  draw: (chart: Chart) => string,
  layouts: Layouts,
): string {
  const name = `section-${attribute(id)}`;
  const figures = charts.map(
    (chart) => `<figure><figcaption>${html(chart.title)}</figcaption>${draw(chart)}</figure>`,
  );
  return [
    `<section id="${attribute(id)}" aria-labelledby="${name}">`,
    `<h2 id="${name}">${html(title)}</h2>`,
    ...text.map((paragraph) => `<p>${html(paragraph)}</p>`),
    ...(figures.length > 0 ? [`<div class="charts">${figures.join("\n")}</div>`] : []),
    ...tables.map((table) => tableHtml(table, layouts)),
    "</section>",
  ].join("\n");
}

/** Tables with more rows than this scroll within themselves on a phone. */
const LONG = 12;

/** Texts longer than this get room. */
const WIDE = 100;

/** Different sets of columns, by their names, with the class that tables of each have. */
type Layouts = ReadonlyMap<string, { readonly name: string; readonly heads: readonly string[] }>;

const layoutKey = (columns: readonly Column[]) => JSON.stringify(columns.map(({ name }) => name));

function layoutsOf({ sections }: Report): Layouts {
  const layouts = new Map<string, { name: string; heads: string[] }>();
  for (const { columns } of sections.flatMap(({ tables }) => tables)) {
    const key = layoutKey(columns);
    if (layouts.has(key)) continue;
    layouts.set(key, { name: `k${layouts.size}`, heads: columns.map(({ name }) => name) });
  }
  return layouts;
}

/** On phones rows are cards, and each cell says what it is: by rules of the style sheet, once per table. */
function cardLabels(layouts: Layouts): string {
  const rules = [...layouts.values()].flatMap(({ name, heads: [first, ...heads] }) => [
    // A number as the head of a card needs its name: Rank 1.
    `  .${name} tbody th.n::before { content: "${cssText(`${first} `)}"; }`,
    ...heads.map(
      (head, c) => `  .${name} td:nth-child(${c + 2})::before { content: "${cssText(head)}"; }`,
    ),
  ]);
  return rules.length > 0 ? `${PHONE} {\n${rules.join("\n")}\n}\n` : "";
}

/** Text within quotes of a style sheet: all but letters and digits by their numbers, so that nothing ends it. */
function cssText(text: string): string {
  return [...visible(text)]
    .map((c) => (/[A-Za-z0-9]/.test(c) ? c : `\\${(c.codePointAt(0) ?? 0).toString(16)} `))
    .join("");
}

function tableHtml({ id, caption, columns, rows, content, more }: Table, layouts: Layouts): string {
  const name = `table-${attribute(id)}`;
  const wide = columns.map(
    ({ kind }, c) => kind === "text" && c > 0 && rows.some((row) => isWide(row[c])),
  );
  const heads = columns.map(
    ({ name: head, kind }) =>
      `<th scope="col"${isNumber(kind) ? ' class="n"' : ""}><button type="button">${html(head)}</button></th>`,
  );
  // Beside the name of what a row is about: the first column with text.
  const about = columns.findIndex(({ kind }) => kind === "text");
  const body = rows.map((row, r) => {
    const cells = row.map((cell, c) =>
      cellHtml(cell, columns[c], c === 0, wide[c], c === about ? content?.[r] : undefined),
    );
    return `<tr>${cells.join("")}</tr>`;
  });
  return [
    `<div class="scroll${rows.length > LONG ? " long" : ""}${content ? " with" : ""} ${layouts.get(layoutKey(columns))?.name ?? ""}" role="region" tabindex="0" aria-labelledby="${name}">`,
    `<table><caption id="${name}">${html(caption)}</caption>`,
    `<thead><tr>${heads.join("")}</tr></thead>`,
    `<tbody>\n${body.join("\n")}\n</tbody></table>`,
    "</div>",
    ...(more === undefined ? [] : [`<p class="more">${html(more)}</p>`]),
  ].join("\n");
}

function isNumber(kind: Column["kind"]): boolean {
  return kind !== "text" && kind !== "state";
}

function isWide(cell: Cell): boolean {
  return typeof cell === "string" && cell.length > WIDE;
}

/** The first cell of a row is its head. */
function cellHtml(
  cell: Cell,
  { kind }: Column,
  first: boolean,
  wide: boolean,
  content: RowContent | null | undefined,
): string {
  const tag = first ? "th" : "td";
  const scope = first ? ' scope="row"' : "";
  const text = cellText(cell, kind);
  // Cards on phones leave empty cells out.
  const none = cell === null ? " e" : "";
  if (kind === "state") {
    return `<${tag}${scope}><span class="state" data-state="${attribute(text)}">${html(text)}</span></${tag}>`;
  }
  if (kind === "text") {
    const about = content ? contentHtml(content, text) : "";
    const name = about === "" ? (wide ? "w" : "t") : "t c";
    return `<${tag}${scope} class="${name}${none}"><bdi>${html(text)}</bdi>${about}</${tag}>`;
  }
  const number = cellNumber(cell);
  const value = number === undefined ? "" : ` data-v="${Number(number.toPrecision(7))}"`;
  const shown = isBest(cell) ? `<strong>${html(text)}</strong>` : html(text);
  return `<${tag}${scope} class="n${none}"${value}>${shown}</${tag}>`;
}
