/** What changed since an earlier run: from the result.json and tables it left, or from an outcome still at hand. */
import { type Changes, compareRuns, type Run, type RunRow } from "../diagnose/since.ts";
import { CrowdError } from "../error.ts";
import type { Table } from "../io/table.ts";
import { version } from "../version.ts";
import type { AggregateOutcome } from "./aggregate.ts";

/** Returns what is compared of an outcome. */
export function runOf({
  kind,
  data,
  source = data,
  result,
  verdict,
}: Omit<AggregateOutcome, "scores">): Run {
  return {
    kind: kind.id,
    method: result.method,
    version,
    fingerprint: kind.fingerprint(source),
    labels: source.task.length,
    verdict: verdict?.level,
    notes: [...data.notes, ...result.notes],
    answers: kind.answers(data, result),
    workers: workersOf(kind.workers(data, result)),
  };
}

/** Returns rows with the names of columns that workers.csv has. */
function* workersOf(rows: Iterable<RunRow>): Iterable<RunRow> {
  for (const { low, high, ...row } of rows) yield { ...row, skill_low: low, skill_high: high };
}

/** Says what changed since an earlier run of the same kind; anonymous: without names of workers. */
export function changesSince(
  before: Run,
  outcome: Omit<AggregateOutcome, "scores">,
  { anonymous = false }: { readonly anonymous?: boolean } = {},
): Changes {
  const { kind } = outcome;
  if (!kind.compared) {
    throw new CrowdError("not-supported", `Runs of ${kind.id} answers cannot be compared.`);
  }
  if (before.kind !== kind.id) {
    throw new CrowdError(
      "bad-data",
      `The earlier run is of ${before.kind} answers, but these are ${kind.id}, so they cannot be compared.`,
    );
  }
  const changes = compareRuns(before, runOf(outcome), kind.compared);
  return anonymous ? withoutWorkers(changes) : changes;
}

/** Keeps the counts of workers and drops their names. */
function withoutWorkers(changes: Changes): Changes {
  const { workers } = changes;
  if (!workers) return changes;
  const counted = <Listed>({ count }: { readonly count: number }) => ({
    count,
    first: [] as readonly Listed[],
  });
  return {
    ...changes,
    workers: {
      compared: workers.compared,
      new: counted(workers.new),
      gone: counted(workers.gone),
      skill: counted(workers.skill),
      standing: counted(workers.standing),
    },
  };
}

/** Versions of the schema that are understood. */
const SCHEMAS = [1, 2];

/** The tables of a run that are not in its document. */
export interface RunTables {
  readonly answers?: Iterable<RunRow> | undefined;
  readonly workers?: Iterable<RunRow> | undefined;
}

/** Checks a document that is said to be a result.json; refuses what is none, and says why. */
export function earlierRun(
  document: unknown,
  { answers, workers }: RunTables = {},
  file = "result.json",
): Run {
  const fields = objectOf(document);
  const tool = objectOf(fields?.["tool"]);
  if (!fields || tool?.["name"] !== "consilience") throw bad(file, "there is no tool consilience");
  if (!SCHEMAS.includes(Number(fields["schema"]))) {
    throw bad(
      file,
      `its schema is ${JSON.stringify(fields["schema"])?.slice(0, 40)}, not one of ${SCHEMAS.join(", ")}`,
    );
  }
  const { kind = "categorical", method, notes = [] } = fields;
  if (typeof kind !== "string" || typeof method !== "string") {
    throw bad(file, "kind or method is no text");
  }
  if (!Array.isArray(notes) || notes.some((note) => typeof note !== "string")) {
    throw bad(file, "notes is no list of texts");
  }
  const rows = answers ?? answersOf(fields["answers"], file);
  const dataset = objectOf(fields["dataset"]) ?? {};
  return {
    kind,
    method,
    version: textOf(tool["version"]),
    fingerprint: textOf(dataset["fingerprint"]),
    labels: typeof dataset["labels"] === "number" ? dataset["labels"] : undefined,
    verdict: textOf(objectOf(fields["verdict"])?.["level"]),
    notes,
    answers: rows,
    workers,
  };
}

/** Tells whether a document has its answers with it. */
export function hasAnswers(document: unknown): boolean {
  return Array.isArray(objectOf(document)?.["answers"]);
}

/** The rows of a table by column; empty cells are null. */
export function* rowsOf({ rows, columns }: Table): Iterable<RunRow> {
  for (let row = 0; row < rows; row++) {
    yield Object.fromEntries(
      columns.map(({ name, texts, code }) => [name, code[row] < 0 ? null : texts[code[row]]]),
    );
  }
}

function answersOf(answers: unknown, file: string): readonly RunRow[] {
  if (!Array.isArray(answers)) throw bad(file, "there are no answers");
  return answers.map((row) => {
    const fields = objectOf(row);
    if (!fields) throw bad(file, "an answer is no object");
    const plain = Object.entries(fields).filter(([, cell]) => isPlain(cell));
    return Object.fromEntries(plain) as RunRow;
  });
}

const isPlain = (cell: unknown): boolean =>
  typeof cell === "string" ||
  typeof cell === "number" ||
  (Array.isArray(cell) && cell.every((each) => typeof each === "string"));

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

function bad(file: string, why: string): CrowdError {
  return new CrowdError(
    "bad-data",
    `${file}: this is no result.json of a run: ${why}. Name the result.json that aggregate wrote.`,
  );
}
