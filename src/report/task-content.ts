/** What tasks look like, as far as a report shows it. */
import type { TaskContent } from "../io/content.ts";
import type { RowContent } from "./model.ts";
import { count } from "./text.ts";

/** The content of tasks by name: a Map will do. */
export interface TaskContents {
  get(task: string): TaskContent | undefined;
  /** Says what was left out so far, and why. */
  leftOut?(): readonly string[];
}

/** Longer texts are cut; the whole would make the page too large. */
const LONGEST = 5000;

/** Images that a page may hold within itself. No SVG: it is a document of its own. */
const EMBEDDED = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

/** Returns what is shown of a task's content; undefined if there is none. */
export function contentOf(
  contents: TaskContents | undefined,
  task: string,
): RowContent | undefined {
  const { text, image } = contents?.get(task) ?? {};
  const shown: RowContent = {
    ...(text !== undefined && text.trim() !== "" && { text: cut(text) }),
    ...(image !== undefined && imageOf(image)),
  };
  return Object.keys(shown).length > 0 ? shown : undefined;
}

function imageOf(image: string): RowContent {
  if (EMBEDDED.test(image)) return { image };
  if (/^data:/i.test(image.trim())) return { path: "(an image that cannot be shown)" };
  return addressOf(image) ?? { path: image.slice(0, 500) };
}

/** An address that a browser may open: http or https, and nothing else. */
function addressOf(text: string): RowContent | undefined {
  try {
    const { protocol, href } = new URL(text.trim());
    return protocol === "http:" || protocol === "https:" ? { address: href } : undefined;
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  const rest = text.length - LONGEST;
  return `${text.slice(0, LONGEST)}… (${count(rest, "more character")})`;
}
