/** Ordered classes: rows of task, worker and level, read as labels are. */
import type { CategoricalOptions } from "../../data/categorical-from-columns.ts";
import { inOrder, type OrdinalData } from "../../data/ordinal.ts";
import type { ReadOptions } from "../format.ts";
import type { Reading } from "../sink.ts";
import { categoricalReading, createLabelSink } from "./categorical.ts";

export const ordinalReading: Reading<OrdinalData> = {
  ...categoricalReading,
  id: "ordinal",
  takes: ["levels", "classes"],
  // Columns do not tell whether classes have an order.
  recognise: () => undefined,
  sink(options: ReadOptions & CategoricalOptions) {
    const sink = createLabelSink(options);
    return { ...sink, finish: (given) => inOrder(sink.finish(given), options) };
  },
  goldExample: "task and label, one of the levels",
};
