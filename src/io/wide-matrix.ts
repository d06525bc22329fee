/**
 * A matrix: one row per task, one column per worker, an empty cell where a worker gave no label. A column gold, truth
 * or ground_truth holds known classes.
 *
 *   task,ana,bob,cyd
 *   img-17,cat,,dog
 */
import { byTask, type CategoricalData } from "../data/categorical.ts";
import { CrowdError, plural } from "../error.ts";
import { type NameCell, nameCell } from "./cell.ts";
import { findColumns, hasColumn } from "./column-names.ts";
import { textRows } from "./csv.ts";
import { scanCsv } from "./csv-scanner.ts";
import { type CsvValue, writeCsv } from "./csv-writer.ts";
import type { FileContext, TableTarget, WritableFormat } from "./format.ts";
import { createInterner } from "./interner.ts";
import type { LabelCollector } from "./label-collector.ts";
import { labelNames } from "./label-rows.ts";
import { createClassLimit, createMissing } from "./label-target.ts";
import { excerpt, place } from "./problems.ts";

export const wideMatrix: WritableFormat = {
  id: "wide-matrix",
  title: "a matrix, one column per worker",
  extensions: [".csv", ".tsv"],
  sniff(head, fileName) {
    const rows = textRows(head, fileName);
    if (!rows) return 0;
    const [header = [], ...body] = rows;
    if (header.length < 3 || body.length === 0) return 0;
    const first = header[0].trim();
    if (first !== "" && !hasColumn([first], "task")) return 0;
    if (hasColumn(header.slice(1), "worker") || hasColumn(header.slice(1), "label")) return 0;
    return sharesLabels(header.length, body) ? 0.8 : 0.1;
  },
  reader: (sink, context) => scanCsv(matrixTarget(sink.labels(context), context), context),
  write(data, options) {
    if (data.time || data.weight)
      options?.onNote?.("A matrix holds no times or weights; left out.");
    return writeCsv(["task", ...data.workers], matrixRows(data));
  },
};

/** Columns of labels have their few values in common; other columns of a table do not. */
function sharesLabels(width: number, body: readonly (readonly string[])[]): boolean {
  const columns = new Map<string, Set<number>>();
  let cells = 0;
  for (const row of body) {
    for (let at = 1; at < Math.min(width, row.length); at++) {
      if (row[at].trim() === "") continue;
      cells++;
      columns.set(row[at], (columns.get(row[at]) ?? new Set()).add(at));
    }
  }
  const shared = [...columns.values()].filter((set) => set.size > 1).length;
  return cells > 0 && shared > 0 && shared * 2 >= columns.size;
}

const isGold = (name: string) => /^(gold|truth|ground[ _]?truth)$/i.test(name.trim());

/** The columns of a matrix. */
interface MatrixColumns {
  readonly cells: readonly NameCell[];
  readonly workers: readonly { readonly cell: NameCell; readonly worker: number }[];
}

/** Reads each row as the labels of one task. */
function matrixTarget(labels: LabelCollector, context: FileContext): TableTarget {
  const { file, problems, options } = context;
  const task = nameCell(labels.tasks);
  const gold = nameCell(createInterner());
  const isMissing = createMissing(labels.labels, options);
  const check = createClassLimit(labels, context);
  let workers: MatrixColumns["workers"] = [];
  let rows = 0;
  let empty = 0;
  return {
    problem(line, what) {
      problems.add(file, line, what);
      labels.drop();
    },
    columns(header, line) {
      const found = matrixColumns(header, { task, gold, labels }, context, place(file, line));
      workers = found.workers;
      return found.cells;
    },
    row(line) {
      rows++;
      if (task.code < 0 && workers.some(({ cell }) => cell.code >= 0)) {
        problems.add(file, line, "the task is empty.");
        return labels.drop();
      }
      if (task.code >= 0 && gold.code >= 0)
        labels.addGold(labels.tasks.name(task.code), gold.names.name(gold.code));
      let labelled = false;
      for (const { cell, worker } of workers) {
        if (cell.code < 0 || isMissing(cell.code)) continue;
        labels.add(task.code, worker, cell.code, Number.NaN, Number.NaN);
        if (cell.code >= check.limit) check.refuse(line, rows);
        labelled = true;
      }
      if (!labelled) {
        empty++;
        labels.drop();
      }
    },
    finish() {
      if (empty > 0) context.note(`${file}: ${plural(empty, "task")} without any label left out.`);
      // A worker whose column is empty is no worker.
      labels.drop();
    },
  };
}

/** Finds the task, gold and one worker per other column; refuses columns without a name of their own. */
function matrixColumns(
  header: readonly string[],
  { task, gold, labels }: { task: NameCell; gold: NameCell; labels: LabelCollector },
  context: FileContext,
  where: string,
): MatrixColumns {
  const given = context.options.columns;
  const taskAt = given?.task
    ? (findColumns(header, [{ role: "task", aliases: "task" }], given, where).get("task") ?? 0)
    : 0;
  const workers: { cell: NameCell; worker: number }[] = [];
  const names = new Set<string>();
  const cells = header.map((name, at) => {
    if (at === taskAt) return task;
    if (name === "") {
      throw new CrowdError(
        "bad-data",
        `${where}: column ${at + 1} has no name, so its worker is not known.`,
      );
    }
    if (names.has(name)) {
      throw new CrowdError("bad-data", `${where}: two columns are named ${excerpt(name)}.`);
    }
    names.add(name);
    if (isGold(name)) return gold;
    const cell = nameCell(labels.labels);
    const worker = labels.workers.addText(name);
    if (workers.some((other) => other.worker === worker)) {
      throw new CrowdError(
        "bad-data",
        `${where}: two columns are named ${excerpt(labels.workers.name(worker))}.`,
      );
    }
    workers.push({ cell, worker });
    return cell;
  });
  if (workers.length === 0) {
    throw new CrowdError("bad-data", `${where}: there is only one column, so no workers.`);
  }
  const known = header.find((name, at) => at !== taskAt && isGold(name));
  context.understood(
    `task = ${excerpt(header[taskAt])}, ${plural(workers.length, "worker")}${known ? `, gold = ${excerpt(known)}` : ""}`,
  );
  return { cells, workers };
}

/** Yields one row per task. */
function* matrixRows(data: CategoricalData): Iterable<readonly CsvValue[]> {
  const { start, other, label } = byTask(data);
  const labels = labelNames(data);
  for (let t = 0; t < data.tasks.length; t++) {
    const row = new Array<CsvValue>(data.workers.length + 1);
    row[0] = data.tasks.at(t);
    for (let i = start[t]; i < start[t + 1]; i++) {
      if (row[other[i] + 1] !== undefined) {
        throw new CrowdError(
          "not-supported",
          `A matrix has one cell for worker ${excerpt(data.workers.at(other[i]))} and task ` +
            `${excerpt(data.tasks.at(t))}, but there are several labels. Choose repeats first or last, or another format.`,
        );
      }
      row[other[i] + 1] = labels[label[i]];
    }
    yield row;
  }
}
