/** Similarities: rows of worker, left, right and whether the two are the same. */
import type { SimilarityData } from "../../data/similarity.ts";
import {
  type SimilarityOptions,
  similarityFromColumns,
} from "../../data/similarity-from-columns.ts";
import type { Aliases, Wanted } from "../column-names.ts";
import { findColumns } from "../column-names.ts";
import { sayColumns } from "../label-target.ts";
import { place } from "../problems.ts";
import type { GoldTable, Reading } from "../sink.ts";
import type { TableKind } from "../table.ts";
import { createTaskLabels } from "../task-labels.ts";
import { createPairSink, type MakePairs } from "./pairs.ts";

/** The cluster of each item, row by row. */
export interface ReadClusters {
  /** The items. */
  readonly names: readonly string[];
  readonly clusters: readonly string[];
  readonly notes: readonly string[];
}

/** Reads a table of item and cluster; a row without a cluster is left out and counted. */
export function clusterTable(aliases: Aliases): TableKind<ReadClusters> {
  const roles: readonly Wanted[] = [
    { role: "item", aliases: "item", required: true },
    { role: "cluster", aliases, required: true },
  ];
  return (context, options) => {
    const { file, problems } = context;
    const taken = createTaskLabels(options);
    const { task, label } = taken;
    return {
      interners: [task.names, label.names],
      rows: () => taken.rows,
      target: {
        problem: (line, what) => problems.add(file, line, what),
        columns(header, line) {
          const given =
            options.columns ?? (options.header === false ? { item: "1", cluster: "2" } : {});
          const places = findColumns(header, roles, given, place(file, line));
          context.understood(sayColumns(header, places));
          return header.map((_, at) =>
            at === places.get("item") ? task : at === places.get("cluster") ? label : undefined,
          );
        },
        row(line) {
          if (label.code < 0) {
            taken.empty++;
            return;
          }
          if (task.code < 0) return problems.add(file, line, "the item is empty.");
          taken.add();
        },
      },
      finish(notes) {
        const { tasks, labels } = taken.finish();
        return { names: tasks, clusters: labels, notes: [...notes, ...taken.notes(file)] };
      },
    };
  };
}

const clusterGold: TableKind<GoldTable> = (context, options) => {
  const made = clusterTable("cluster")(context, options);
  return {
    ...made,
    finish(notes) {
      const { names, clusters, notes: said } = made.finish(notes);
      return { gold: names.map((item, i) => [item, clusters[i]] as const), notes: said };
    },
  };
};

export const similarityReading: Reading<SimilarityData> = {
  id: "similarity",
  // The columns are those of comparisons, whose sink tells the two apart by the labels.
  recognise: () => undefined,
  sink: (options) => createPairSink(options, "similarity", () => makeSimilarities),
  gold: clusterGold,
  example: "worker,left,right,label",
  goldExample: "item and cluster",
};

/** Makes similarities of rows about two items. */
export const makeSimilarities: MakePairs<SimilarityData> = (
  columns,
  options: Omit<SimilarityOptions, "gold"> & Parameters<MakePairs<SimilarityData>>[1],
) => {
  const { gold } = options;
  return similarityFromColumns(columns, {
    ...options,
    gold: gold && Array.from(gold, ([item, cluster]) => [item, String(cluster)] as const),
  });
};
