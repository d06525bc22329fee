/** Text for a page: whatever it says, it means only itself. */
import { visible } from "./text.ts";

const escapes = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Scripts that run from right to left, and what may stand between two of their words. */
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+(?:[\p{M}\s]+[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+)*/gu;

/** Escaped; words that run from right to left keep their direction to themselves. */
export function html(text: string): string {
  return attribute(text).replace(rightToLeft, "<bdi>$&</bdi>");
}

/** Escaped, for an attribute. */
export function attribute(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => escapes.get(character) ?? "");
}
