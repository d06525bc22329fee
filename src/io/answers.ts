/**
 * Answers to be scored: `task,label` with or without `confidence`, or a probability for each class.
 *
 *   task,label,confidence        task,cat,dog
 *   img-17,cat,0.93              img-17,0.93,0.07
 */
import { CrowdError } from "../error.ts";
import { nameCell, numberCell } from "./cell.ts";
import { findColumns, mapping, type Role } from "./column-names.ts";
import type { FileContext } from "./format.ts";
import { numbered } from "./gold.ts";
import { createGrowingCodes } from "./growing.ts";
import { createInterner } from "./interner.ts";
import { sayColumns } from "./label-target.ts";
import { excerpt, place, plural } from "./problems.ts";
import type { TableKind } from "./table.ts";

export interface Answers {
  readonly tasks: readonly string[];
  /** The answer of each task; of a file with probabilities, the most probable class. */
  readonly labels: readonly string[];
  /** How sure each answer is; absent where the file does not say. */
  readonly confidence?: Float64Array;
  /** Where the file has a probability for each class: posterior[task * K + class]. */
  readonly classes?: readonly string[];
  readonly posterior?: Float64Array;
  readonly notes: readonly string[];
}

/** How far from 1 the probabilities of a task may sum up to, for rounding. */
const TOLERANCE = 0.01;

export const answersTable: TableKind<Answers> = (context, options) => {
  const { file, problems } = context;
  const task = nameCell(createInterner());
  const label = nameCell(createInterner());
  const confidence = numberCell();
  const tasks = createGrowingCodes();
  const labels = createGrowingCodes();
  const seen = new Set<number>();
  const confidences: number[] = [];
  /** The columns that may each be a class. */
  let others: { name: string; cell: ReturnType<typeof numberCell> }[] = [];
  let header: readonly string[] = [];
  let places: ReadonlyMap<Role, number> = new Map();
  const numbers: number[] = [];
  let rows = 0;
  let empty = 0;

  return {
    interners: [task.names, label.names],
    rows: () => rows,
    target: {
      problem: (line, what) => problems.add(file, line, what),
      columns(names, line) {
        header = names;
        places = findColumns(
          names,
          [
            { role: "task", aliases: "task", required: true },
            { role: "label", aliases: "answer" },
            { role: "confidence", aliases: "confidence" },
          ],
          options.columns ?? numbered(options.header),
          place(file, line),
        );
        const known = new Set(places.values());
        const cells = names.map((name, at) => {
          if (known.has(at)) return undefined;
          const cell = numberCell();
          others.push({ name, cell });
          return cell;
        });
        return names.map((_, at) => {
          if (at === places.get("task")) return task;
          if (at === places.get("label")) return label;
          return at === places.get("confidence") ? confidence : cells[at];
        });
      },
      row(line) {
        if (task.code < 0) return problems.add(file, line, "the task is empty.");
        if (seen.has(task.code)) {
          const name = excerpt(task.names.name(task.code));
          return problems.add(file, line, `task ${name} is answered twice.`);
        }
        const wrong = others.find(({ cell }) => Number.isNaN(cell.value));
        if (places.get("label") === -1) {
          if (wrong) return problems.add(file, line, notProbability(wrong));
        } else if (label.code < 0) {
          empty++;
          return;
        }
        // Once a cell is no number, the columns are not classes, and are not gathered any longer.
        if (wrong) others = [];
        seen.add(task.code);
        tasks.push(task.code);
        labels.push(Math.max(0, label.code));
        confidences.push(confidence.value);
        for (const { cell } of others) numbers.push(cell.value);
        rows++;
      },
    },
    finish(notes) {
      const said =
        empty > 0
          ? [...notes, `${file}: ${plural(empty, "row")} without a label left out.`]
          : notes;
      const taskNames = task.names.names();
      const base = { tasks: Array.from(tasks.join(), (code) => taskNames[code]), notes: said };
      if (rows === 0) return { ...base, labels: [] };
      const labelNames = label.names.names();
      const labelCodes = labels.join();
      const given = Array.from(labelCodes, (code) => labelNames[code]);
      const spread = posteriorOf(context, { header, places, others, numbers, given, rows });
      if (spread) return { ...base, ...spread };
      context.understood(sayColumns(header, places));
      const sure = confidences.some((value) => !Number.isNaN(value));
      return {
        ...base,
        labels: given,
        ...(sure && { confidence: Float64Array.from(confidences) }),
      };
    },
  };
};

interface Gathered {
  readonly header: readonly string[];
  readonly places: ReadonlyMap<Role, number>;
  readonly others: readonly { readonly name: string }[];
  readonly numbers: readonly number[];
  readonly given: readonly string[];
  readonly rows: number;
}

/**
 * The columns as probabilities, if that is what they are. A class may be called `answer` or `label`,
 * so where there is such a column the numbers decide: all of each row together must sum to 1.
 */
function posteriorOf(
  context: FileContext,
  { header, places, others, numbers, given, rows }: Gathered,
) {
  const labelAt = places.get("label") ?? -1;
  const named = labelAt >= 0;
  if (named && (places.get("confidence") !== -1 || others.length === 0 || rows === 0))
    return undefined;
  if (!named && (places.get("confidence") ?? -1) >= 0) {
    throw new CrowdError(
      "bad-data",
      `${context.file}: there is a confidence, but no label column.`,
    );
  }
  const names = new Set(others.map(({ name }) => name));
  const classes = header.filter((name, at) => at === labelAt || names.has(name));
  const K = classes.length;
  if (!named && K < 2) {
    throw new CrowdError(
      "bad-data",
      `${context.file}: there is neither a label column nor a column for each class. ` +
        `The columns are: ${header.join(", ")}. Map one: ${mapping("label")}.`,
    );
  }
  const labelPlace = classes.indexOf(header[labelAt]);
  const posterior = new Float64Array(rows * K);
  for (let t = 0, from = 0; t < rows; t++) {
    let sum = 0;
    for (let k = 0; k < K; k++) {
      const p = k === labelPlace ? Number(given[t] || Number.NaN) : numbers[from++];
      posterior[t * K + k] = p;
      sum = p >= 0 && p <= 1 ? sum + p : Number.NaN;
    }
    if (!(Math.abs(sum - 1) <= TOLERANCE)) {
      if (named) return undefined;
      throw new CrowdError(
        "bad-data",
        `${context.file}: the probabilities of row ${t + 1} should be from 0 to 1 and sum to 1. ` +
          `If a column holds the answer, map it: ${mapping("label")}.`,
      );
    }
  }
  context.understood(
    `task = ${excerpt(header[places.get("task") ?? 0])}, ${K} columns of probabilities`,
  );
  const labels: string[] = [];
  const confidence = new Float64Array(rows);
  for (let t = 0; t < rows; t++) {
    let best = 0;
    for (let k = 1; k < K; k++) if (posterior[t * K + k] > posterior[t * K + best]) best = k;
    labels.push(classes[best]);
    confidence[t] = posterior[t * K + best];
  }
  return { labels, confidence, classes, posterior };
}

function notProbability({
  name,
  cell,
}: {
  name: string;
  cell: { wrong: string | undefined };
}): string {
  return `the column ${excerpt(name)} should hold a probability, but ${
    cell.wrong === undefined ? "is empty" : `holds ${excerpt(cell.wrong)}`
  }.`;
}
