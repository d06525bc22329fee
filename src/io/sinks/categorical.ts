/** Labels: rows of task, worker and class. */
import type { CategoricalData } from "../../data/categorical.ts";
import { type CategoricalOptions, fromColumns } from "../../data/categorical-from-columns.ts";
import type { ReadOptions } from "../format.ts";
import { goldTable } from "../gold.ts";
import { createLabelCollector } from "../label-collector.ts";
import { labelTarget } from "../label-target.ts";
import { plural } from "../problems.ts";
import type { Reading, Sink } from "../sink.ts";

export const categoricalReading: Reading<CategoricalData> = {
  id: "categorical",
  // What nothing else fits is labels.
  recognise: () => undefined,
  sink: createLabelSink,
  gold: goldTable,
  example: "task,worker,label",
  goldExample: "task and label",
};

function createLabelSink(options: ReadOptions & CategoricalOptions): Sink<CategoricalData> {
  const labels = createLabelCollector();
  const { tasks, workers, labels: classes } = labels;
  return {
    target: (context) => labelTarget(labels, context),
    labels: () => labels,
    rows: () => labels.rows,
    byteLength: () => labels.byteLength(),
    names: () => tasks.size + workers.size,
    latin1: () => tasks.latin1 + workers.latin1 + classes.latin1,
    dropped: () => labels.finish().notes,
    finish({ gold: given, notes }) {
      const { columns, gold, notes: dropped } = labels.finish();
      const labelled = new Set(columns.tasks);
      const found = gold.filter(([task]) => labelled.has(task));
      const own =
        found.length > 0 && !given
          ? [`${plural(found.length, "task")} with a known class in the labels' own files.`]
          : [];
      return fromColumns(columns, {
        ...options,
        gold: given ? Array.from(given, ([task, label]) => [task, String(label)] as const) : found,
        notes: [...notes, ...own, ...dropped],
      });
    },
  };
}
