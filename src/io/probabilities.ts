/**
 * P(class) of each task, by anybody: a column for each class, like posterior.csv has, or one probability
 * per row.
 *
 *   task,cat,dog        task,label,probability
 *   img-17,0.93,0.07    img-17,cat,0.93
 */
import { CrowdError } from "../error.ts";
import { answersTable } from "./answers.ts";
import { type NumberCell, numberCell } from "./cell.ts";
import { excerpt } from "./problems.ts";
import type { TableKind } from "./table.ts";
import { createTaskLabels } from "./task-labels.ts";

/** P(class) of each task. */
export interface Probabilities {
  /** What messages call the file. */
  readonly name: string;
  readonly tasks: readonly string[];
  readonly classes: readonly string[];
  /** posterior[task * K + class]. */
  readonly posterior: Float64Array;
}

const LONG = ["task", "label", "probability"] as const;

/** Reads P(class) of each task. */
export const probabilityTable: TableKind<Probabilities> = (context, options) => {
  const wide = wideTable(context, options);
  const long = longTable(context, options);
  let chosen = wide;
  return {
    get interners() {
      return chosen.interners;
    },
    rows: () => chosen.rows(),
    target: {
      columns(header, line) {
        const names = header.map((name) => name.trim().toLowerCase());
        chosen = LONG.every((name) => names.includes(name)) ? long : wide;
        return chosen.target.columns(header, line);
      },
      row: (line) => chosen.target.row(line),
      problem: (line, what) => chosen.target.problem(line, what),
    },
    finish: (notes) => chosen.finish(notes),
  };
};

/** A column for each class. */
const wideTable: TableKind<Probabilities> = (context, options) => {
  const made = answersTable(context, options);
  return {
    ...made,
    finish(notes) {
      const { tasks, classes, posterior } = made.finish(notes);
      if (classes && posterior) return { name: context.file, tasks, classes, posterior };
      throw new CrowdError(
        "bad-data",
        `${context.file}: expected a column for each class, like posterior.csv has, or columns ${LONG.join(", ")}.`,
      );
    },
  };
};

/** One probability per row; a class that a task has no row for has none. */
const longTable: TableKind<Probabilities> = ({ file, problems }, options) => {
  const taken = createTaskLabels(options);
  const { task, label } = taken;
  const probability = numberCell();
  const seen = new Set<string>();
  const values: number[] = [];
  return {
    interners: [task.names, label.names],
    rows: () => taken.rows,
    target: {
      columns: (header) =>
        header.map((name) => {
          const role = LONG.find((each) => each === name.trim().toLowerCase());
          return role && { task, label, probability }[role];
        }),
      row(line) {
        const cell = `${task.code} ${label.code}`;
        const wrong =
          task.code < 0
            ? "the task is empty"
            : label.code < 0
              ? "the class is empty"
              : seen.has(cell)
                ? `task ${excerpt(task.names.name(task.code))} has two rows for ${excerpt(label.names.name(label.code))}`
                : badProbability(probability);
        if (wrong) problems.add(file, line, `${wrong}.`);
        else {
          seen.add(cell);
          taken.add();
          values.push(probability.value);
        }
      },
      problem: (line, what) => problems.add(file, line, what),
    },
    finish() {
      const { tasks: task, labels } = taken.finish();
      return { name: file, ...gathered(file, task, labels, values) };
    },
  };
};

function badProbability({ value, wrong }: NumberCell): string | undefined {
  if (value >= 0 && value <= 1) return undefined;
  const found = wrong ?? (Number.isNaN(value) ? "empty" : value);
  return `the probability should be a number from 0 to 1, but is ${excerpt(String(found))}`;
}

/** Puts the rows of each task together; they must sum to 1. */
function gathered(
  file: string,
  task: readonly string[],
  label: readonly string[],
  values: readonly number[],
): Omit<Probabilities, "name"> {
  const [tasks, classes] = [[...new Set(task)], [...new Set(label)]];
  const [place, classOf] = [tasks, classes].map((all) => new Map(all.map((name, i) => [name, i])));
  const K = classes.length;
  const posterior = new Float64Array(tasks.length * K);
  values.forEach((p, row) => {
    posterior[(place.get(task[row]) ?? 0) * K + (classOf.get(label[row]) ?? 0)] = p;
  });
  for (let t = 0; t < tasks.length; t++) {
    const sum = posterior.subarray(t * K, (t + 1) * K).reduce((total, p) => total + p, 0);
    if (Math.abs(sum - 1) > 0.01) {
      throw new CrowdError(
        "bad-data",
        `${file}: the probabilities of task ${tasks[t]} sum to ${Number(sum.toFixed(4))}, not to 1. Give a row for each class.`,
      );
    }
  }
  return { tasks, classes, posterior };
}
