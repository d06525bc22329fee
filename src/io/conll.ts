/**
 * Columns as CoNLL's shared tasks have them: a token per line with a tag of each worker behind it, and blank lines between
 * sentences. A first line that begins with `token` names the workers; `?`, `-` and an empty cell are no answer.
 *
 *   token ana bob
 *   Rome  B-LOC B-LOC
 *   sleeps O ?
 */
import { CrowdError, grouped, plural } from "../error.ts";
import { utf8Head } from "./csv.ts";
import { decodeText } from "./encoding.ts";
import type { FileContext, Format, Reader } from "./format.ts";
import { excerpt, place } from "./problems.ts";
import type { Intake } from "./sink.ts";
import { scanLines } from "./text-lines.ts";
import { createToolRows, type ToolRows } from "./tools/tool-rows.ts";

const DOCUMENT = "-DOCSTART-";
const NONE = new Set(["", "?", "-"]);
/** First cells of a header. */
const TOKEN = /^(token|tokens|word|words|form|text)$/i;
/** Tags of spans, as files that are recognised by themselves must have them. */
const TAG = /^(O|[BIESLU]-\S+|\?|-|)$/;
/** Names of sentences, as CoNLL-U writes them. */
const NAME = /^#\s*(?:sent_id|id)\s*=\s*(\S.*?)\s*$/;
const COMMENT = /^#\s*\w+\s*=/;

export const conll: Format = {
  id: "conll",
  title: "CoNLL columns, one tag per worker",
  extensions: [".conll", ".bio", ".iob", ".iob2"],
  sniff(head, fileName) {
    const text = decodeText(utf8Head(head));
    if (/^\s*[[{]/.test(text) || text.includes("\0")) return 0;
    const named = conll.extensions.some((end) => fileName.toLowerCase().endsWith(end));
    const lines = text.split(/\r?\n/);
    // The last line may be cut off by the end of the head.
    if (lines.length > 1) lines.pop();
    return looksLike(lines) ? 0.96 : named ? 0.9 : 0;
  },
  reader: readConll,
};

/** True where every line has as many cells, and all behind the first are tags of spans, of which some begin. */
function looksLike(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "" && !COMMENT.test(line));
  const tabs = filled.some((line) => line.includes("\t"));
  const rows = filled.map((line) => cellsOf(line, tabs)).filter(([first]) => first !== DOCUMENT);
  const body = TOKEN.test(rows[0]?.[0] ?? "") ? rows.slice(1) : rows;
  const width = rows[0]?.length ?? 0;
  return (
    width >= 2 &&
    body.length > 1 &&
    rows.every((row) => row.length === width) &&
    body.every(([token, ...tags]) => token !== "" && tags.every((tag) => TAG.test(tag))) &&
    body.some(([, ...tags]) => tags.some((tag) => /^B-/.test(tag)))
  );
}

/** The cells of a line: between tabs where the file has any, else between blanks. */
function cellsOf(line: string, tabs: boolean): string[] {
  return tabs ? line.split("\t").map((cell) => cell.trim()) : line.trim().split(/\s+/);
}

/** Where the reading of a file is. */
interface Scan {
  readonly context: FileContext;
  readonly rows: ToolRows;
  /** The first line with cells tells how they are separated. */
  tabs: boolean | undefined;
  /** Workers by column, without the first. */
  workers: readonly string[];
  /** Tags that each worker used, as far as they are few. */
  tags: readonly Set<string>[];
  sentences: number;
  /** The name of the sentence that comes next, where a comment says it. */
  name: string | undefined;
  position: number;
  task: string;
  answers: number;
  none: number;
}

function readConll(sink: Intake, context: FileContext): Reader {
  const why = "its lines hold a token and tags";
  sink.take([{ shape: "tags", why }], context);
  const scan: Scan = {
    context,
    rows: createToolRows(sink, context, ["position", "token", "label"]),
    tabs: undefined,
    workers: [],
    tags: [],
    sentences: 0,
    name: undefined,
    position: 0,
    task: "",
    answers: 0,
    none: 0,
  };
  return scanLines(
    (text, line) => readLine(scan, text.replace(/\r$/, ""), line),
    context,
    "A line holds a token and its tags.",
    () => finish(scan),
  );
}

function readLine(scan: Scan, text: string, line: number): void {
  if (text.trim() === "") {
    scan.position = 0;
    return;
  }
  if (COMMENT.test(text)) {
    scan.name = NAME.exec(text)?.[1] ?? scan.name;
    return;
  }
  scan.tabs ??= text.includes("\t");
  const [token, ...tags] = cellsOf(text, scan.tabs);
  if (token === DOCUMENT) {
    scan.position = 0;
    return;
  }
  if (scan.workers.length === 0) {
    scan.workers = workersOf(scan.context, token, tags, line);
    scan.tags = scan.workers.map(() => new Set());
    if (TOKEN.test(token) && !tags.every((tag) => TAG.test(tag))) return;
  }
  if (tags.length !== scan.workers.length) {
    const cells = plural(tags.length + 1, "cell");
    scan.rows.problem(
      line,
      `the line has ${cells}, but the first has ${scan.workers.length + 1}: a token and a tag of each worker.`,
    );
    return;
  }
  addToken(scan, token, tags, line);
}

/** The workers: names in the first line, else columns by number; of a single column, the name of the file. */
function workersOf(
  { file, understood }: FileContext,
  token: string,
  cells: readonly string[],
  line: number,
): readonly string[] {
  if (cells.length === 0) {
    throw new CrowdError(
      "bad-data",
      `${place(file, line)}: there should be a token and a tag of each worker, between blanks or tabs, but there is ${excerpt(token)}.`,
    );
  }
  if (TOKEN.test(token) && !cells.every((cell) => TAG.test(cell))) {
    const twice = cells.find((name, at) => name === "" || cells.indexOf(name) !== at);
    if (twice === undefined) return cells;
    throw new CrowdError(
      "bad-data",
      `${place(file, line)}: every column of tags should have a name of its own, but two are ${excerpt(twice)}.`,
    );
  }
  if (cells.length > 1) {
    understood(`workers = the ${cells.length} columns of tags, by number`);
    return cells.map((_, at) => `worker-${at + 1}`);
  }
  const name = file.replace(/^.*[\\/]/, "").replace(/(\.\w+)?(\.gz)?$/i, "");
  understood(`worker = ${excerpt(name)}, the name of the file`);
  return [name || file];
}

/** Adds the tags of a token; the first of a sentence begins a task. */
function addToken(scan: Scan, token: string, tags: readonly string[], line: number): void {
  if (scan.position === 0) {
    scan.sentences++;
    scan.task = scan.name ?? String(scan.sentences);
    scan.name = undefined;
  }
  for (const [at, tag] of tags.entries()) {
    if (NONE.has(tag)) {
      scan.none++;
      continue;
    }
    const given = { task: scan.task, worker: scan.workers[at] };
    scan.rows.add(given, [scan.position, token, tag], line);
    if (scan.tags[at].size < 1000) scan.tags[at].add(tag);
    scan.answers++;
  }
  scan.position++;
}

/** Says what has no answer, and which columns hold other tags than all others. */
function finish({ context, rows, tags, workers, answers, none }: Scan): void {
  rows.finish();
  const { file } = context;
  if (none > 0) {
    context.note(`${file}: ${grouped(none)} of ${grouped(answers + none)} cells hold no tag.`);
  }
  const lone = workers.filter(
    (_, at) =>
      tags[at].size > 0 &&
      tags.every((other, j) => j === at || ![...other].some((tag) => tags[at].has(tag))),
  );
  if (workers.length > 1 && lone.length > 0) {
    context.note(
      `${file}: ${lone.map(excerpt).join(", ")} ${lone.length > 1 ? "share" : "shares"} no tag with any other column. Every column but the first is taken for a worker's tags: leave out columns that are something else.`,
    );
  }
}
