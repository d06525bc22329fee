/** What a task looks like, within its row: text, image, address. */
import { attribute, html } from "./html-text.ts";
import type { RowContent } from "./model.ts";

/** Longer texts are clipped, and opened by a click. */
const CLIPPED = 160;

/** Writes content as HTML; text is escaped, and nothing is loaded. */
export function contentHtml({ text, image, address, path }: RowContent, name: string): string {
  const parts = [
    ...(image === undefined
      ? []
      : [`<img src="${attribute(image)}" alt="${attribute(`Image of ${name}`)}"/>`]),
    ...(text === undefined ? [] : [textHtml(text)]),
    ...(address === undefined || !/^https?:\/\//i.test(address)
      ? []
      : [
          `<a href="${attribute(address)}" rel="noreferrer noopener" target="_blank">${html(address)}</a>`,
        ]),
    ...(path === undefined ? [] : [`<code>${html(path)}</code>`]),
  ];
  return parts.length > 0 ? `<div class="content">${parts.join("")}</div>` : "";
}

function textHtml(text: string): string {
  const characters = [...text];
  if (characters.length <= CLIPPED) return `<p>${linesHtml(text)}</p>`;
  const start = characters.slice(0, CLIPPED).join("").replace(/\s+/g, " ").trimEnd();
  return `<details><summary>${html(start)}…</summary><p>${linesHtml(text)}</p></details>`;
}

/** Keeps the breaks between lines. */
function linesHtml(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(html)
    .join("\n");
}
