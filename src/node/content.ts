/** The content of tasks from files: texts, and images that a report can hold within itself. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { CrowdError, plural, wordHints } from "../error.ts";
import type { CleaningOptions } from "../io/cleaning.ts";
import type { ColumnNames } from "../io/column-names.ts";
import { addContent, type ContentColumns, findContent } from "../io/content.ts";
import type { TaskContents } from "../report/task-content.ts";
import { type FileOptions, type ReadTableOptions, readHeader, readTable } from "./files.ts";

/** An image larger than this is not embedded, and no more than so many bytes of all. */
const LARGEST = 200 * 1024;
const TOGETHER = 2 * 2 ** 20;

export interface ContentRequest extends CleaningOptions, FileOptions {
  /** Columns that hold content; default: those with a name that only one column has. */
  readonly content?: ContentColumns | undefined;
  /** Columns of the files by role. */
  readonly columns?: ColumnNames | undefined;
  readonly header?: boolean | undefined;
  readonly wording?: ReadTableOptions["wording"];
  /** Told what was taken for the content, and what was not. */
  readonly onUnderstood?: ((text: string) => void) | undefined;
}

/** Reads the content of tasks from tables; undefined if there is none. */
export async function readContent(
  files: readonly string[],
  { content = {}, columns, onUnderstood = () => {}, ...options }: ContentRequest,
): Promise<TaskContents | undefined> {
  const named = content.text !== undefined || content.image !== undefined;
  const contents = new Map<string, { text?: string; image?: string }>();
  const folders: string[] = [];
  const room = { characters: 0 };
  for (const file of files) {
    if (file === "-") {
      if (named) throw new CrowdError("usage", "Content cannot be read from standard input.");
      continue;
    }
    const { header } = await readHeader(file, options);
    if (header.length === 0) continue;
    const found = findContent(header, file, content, columns);
    for (const note of found.notes) {
      onUnderstood(`note: ${options.wording ? wordHints(note, options.wording) : note}`);
    }
    const used = Object.entries(found.columns).filter(([, name]) => name !== undefined);
    if (used.length === 0) continue;
    const only = [found.task, ...used.map(([, name]) => String(name))];
    const table = await readTable(file, { ...options, only });
    folders.push(dirname(resolve(file)));
    if (!addContent(contents, table, found, options, room)) {
      onUnderstood(`note: ${file}: more than 64 MB of content; the rest is left out.`);
    }
    const words = used.map(([what, name]) => `${what} = "${name}"`).join(", ");
    onUnderstood(`${file}: tasks are shown with ${words}`);
  }
  return contents.size > 0 ? withImages(contents, folders) : undefined;
}

/** Content with images of files as data addresses, as long as there is room for them. */
function withImages(
  contents: ReadonlyMap<string, { readonly text?: string; readonly image?: string }>,
  folders: readonly string[],
): TaskContents {
  const reasons = new Map<string, number>();
  const kept = new Map<string, string>();
  let bytes = 0;
  const leave = (why: string) => {
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
    return undefined;
  };
  const embed = (path: string): string | undefined => {
    const place = folders.map((folder) => within(folder, path)).find((each) => each !== undefined);
    if (place === undefined) return leave("not found beside the file that names them");
    if (statSync(place).size > LARGEST) return leave("larger than 200 KB");
    if (bytes + statSync(place).size > TOGETHER) return leave("beyond 2 MB of images");
    const content = readFileSync(place);
    const type = typeOf(content);
    if (type === undefined) return leave("neither PNG, JPEG, GIF nor WebP");
    bytes += content.length;
    return `data:image/${type};base64,${content.toString("base64")}`;
  };
  return {
    get(task) {
      const content = contents.get(task);
      const image = content?.image;
      if (image === undefined || /^[a-z][a-z0-9+.-]+:/i.test(image.trim())) return content;
      const known = kept.get(image) ?? embed(image) ?? image;
      kept.set(image, known);
      return { ...content, image: known };
    },
    leftOut: () => [...reasons].map(([why, n]) => `${plural(n, "image")} left out: ${why}.`),
  };
}

/** A file within a folder, whatever links lead to it; undefined if it is not there, or lies elsewhere. */
function within(folder: string, path: string): string | undefined {
  try {
    const place = realpathSync(resolve(folder, path.trim()));
    const inside = relative(realpathSync(folder), place);
    const outside = inside.startsWith("..") || resolve(inside) === inside;
    return outside || !statSync(place).isFile() ? undefined : place;
  } catch {
    return undefined;
  }
}

/** What kind of image bytes are, by their first ones. */
function typeOf(bytes: Uint8Array): string | undefined {
  const starts = (text: string, at = 0) =>
    [...text].every((c, i) => bytes[at + i] === c.charCodeAt(0));
  if (starts("\x89PNG\r\n")) return "png";
  if (starts("\xff\xd8\xff")) return "jpeg";
  if (starts("GIF8")) return "gif";
  return starts("RIFF") && starts("WEBP", 8) ? "webp" : undefined;
}
