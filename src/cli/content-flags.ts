/** The flags that say what tasks look like, and the reading. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import type { ContentColumns } from "../io/content.ts";
import { readContent } from "../node/content.ts";
import type { TaskContents } from "../report/task-content.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { columnMap } from "./data-flags.ts";
import { asFlag } from "./hints.ts";

const group = "Showing tasks in the report";

export const contentFlags: FlagTable = {
  content: {
    type: "text",
    value: "ROLE=NAME,…",
    many: true,
    group,
    help: "Columns with the content of tasks: text=…,image=… Detected if omitted.",
  },
  tasks: {
    type: "text",
    value: "FILE",
    group,
    help: "Table with the content of tasks: task, text, image.",
  },
};

/** More labels than this are not read a second time unless content is asked for. */
const MOST_LABELS = 1_000_000;

/** Checks the flags that were typed before any work is done; those of a run to repeat were checked then. */
export function checkContent(given: Given): void {
  contentColumns(given);
  const named = ["content", "tasks"].find((flag) => given.named.has(flag));
  if (named !== undefined && given.text("out") === undefined) {
    throw new CrowdError(
      "usage",
      `--${named} needs --out FOLDER: the content of tasks is shown in the report only.`,
    );
  }
}

/** Reads the content of tasks from the files of labels, or from the table that --tasks names. */
export async function readTaskContent(
  given: Given,
  world: World,
  data: CrowdData,
): Promise<TaskContents | undefined> {
  const file = given.text("tasks");
  const asked = file !== undefined || given.named.has("content");
  if (!asked && (data.task.length > MOST_LABELS || given.on("no-header"))) return undefined;
  const words = given.on("quiet") || given.on("json") ? () => {} : world.say;
  const contents = await readContent(file === undefined ? given.files : [file], {
    content: contentColumns(given),
    // Columns are named for the files of labels; a table of tasks has its own.
    columns: file === undefined ? columnMap(given.text("columns")) : undefined,
    ...(file === undefined && { format: given.text("format") }),
    keepSpaces: given.on("keep-spaces"),
    keepUnicode: given.on("keep-unicode"),
    signal: world.signal,
    wording: asFlag,
    onUnderstood: words,
  }).catch((error: unknown) => {
    // What was not asked for must not stop a run: the labels themselves were read.
    if (asked) throw error;
    return undefined;
  });
  if (asked && !contents) words("note: no task has any content.");
  return contents;
}

/** The columns of content on the command line. */
function contentColumns(given: Given): ContentColumns | undefined {
  const text = given.text("content");
  if (text === undefined) return undefined;
  const pairs = text.split(",").map((part) => {
    const [role, ...name] = part.split("=");
    if ((role === "text" || role === "image") && name.join("=") !== "")
      return [role, name.join("=")];
    throw new CrowdError("usage", `--content takes text=COLUMN,image=COLUMN, not "${part}".`);
  });
  return Object.fromEntries(pairs);
}
