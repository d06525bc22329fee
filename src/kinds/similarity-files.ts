/** The tables of similarities: clusters and workers. */
import type { SimilarityResult } from "../aggregate/similarity/clusterer.ts";
import type { Names } from "../data/names.ts";
import type { SimilarityData } from "../data/similarity.ts";
import type { SimilarityWorker } from "../diagnose/similarity-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { rounded } from "../report/csv-files.ts";
import { partsOf } from "../report/similarity-report.ts";
import { maybe } from "./answers.ts";

const cell = (x: number) => (Number.isNaN(x) ? undefined : rounded(x));

/** Clusters by item, as plain rows. */
export function* clusterRows(_: SimilarityData, result: SimilarityResult) {
  const { items, cluster, confidence, component, support } = result;
  for (let i = 0; i < items.length; i++) {
    yield {
      item: items.at(i),
      cluster: cluster[i] + 1,
      confidence: maybe(confidence[i]),
      component: component[i] + 1,
      support: support[i],
    };
  }
}

/** item,cluster,confidence; component where there is more than one. */
export function clustersCsv(result: SimilarityResult): Iterable<string> {
  const parts = partsOf(result);
  const { items, cluster, confidence, component } = result;
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (let i = 0; i < items.length; i++) {
      const row = [items.at(i), cluster[i] + 1, cell(confidence[i])];
      yield parts > 1 ? [...row, component[i] + 1] : row;
    }
  }
  const header = ["item", "cluster", "confidence", ...(parts > 1 ? ["component"] : [])];
  return writeCsv(header, rows());
}

/** worker,answers,skill,skill_low,skill_high,same_within,same_across,standing, worst first. */
export function pairWorkersCsv(
  names: Names,
  { alike, apart }: SimilarityResult,
  judged: readonly SimilarityWorker[],
): Iterable<string> {
  const rows = worstFirst(judged).map((w) => {
    const { labels, skill, low, high, standing } = judged[w];
    const rates = [cell(alike[w]), cell(apart[w])];
    return [names.at(w), labels, cell(skill), cell(low), cell(high), ...rates, standing];
  });
  const skill = ["skill", "skill_low", "skill_high"];
  return writeCsv(["worker", "answers", ...skill, "same_within", "same_across", "standing"], rows);
}
