/** Comparisons: rows of worker, left, right and the winner; a task where several questions were asked. */
import type { PairwiseData } from "../../data/pairwise.ts";
import { type PairwiseOptions, pairwiseFromColumns } from "../../data/pairwise-from-columns.ts";
import type { SimilarityData } from "../../data/similarity.ts";
import type { ReadOptions } from "../format.ts";
import type { Reading, Sink } from "../sink.ts";
import { numberedGold } from "./numbers.ts";
import { createPairSink, hasSides, type MakePairs } from "./pairs.ts";
import { makeSimilarities, similarityReading } from "./similarity.ts";

export const pairwiseReading: Reading<PairwiseData> = {
  id: "pairwise",
  takes: ["pairs"],
  recognise: (header) =>
    hasSides(header) ? "there are columns for a left and a right item" : undefined,
  sink: (options) => createPairSink(options, "pairwise", () => makeComparisons),
  undecided: createEitherSink,
  gold: numberedGold([
    { role: "item", aliases: "item", required: true },
    { role: "rank", aliases: "rank" },
    { role: "score", aliases: "score" },
  ]),
  example: "worker,left,right,label",
  goldExample: "item and score (larger is better), or item and rank (1 is the best)",
};

const makeComparisons: MakePairs<PairwiseData> = (
  columns,
  options: Omit<PairwiseOptions, "gold"> & Parameters<MakePairs<PairwiseData>>[1],
) => {
  const { gold } = options;
  return pairwiseFromColumns(columns, {
    ...options,
    gold: gold && Array.from(gold, ([item, score]) => [item, Number(score)] as const),
  });
};

/** Takes comparisons and similarities, whichever the labels are. */
function createEitherSink(options: ReadOptions): Sink {
  const sink = createPairSink<PairwiseData | SimilarityData>(options, undefined, (kind) =>
    kind === "similarity" ? makeSimilarities : makeComparisons,
  );
  return {
    ...sink,
    reading: () => (sink.kind() === "similarity" ? similarityReading : pairwiseReading),
  };
}
