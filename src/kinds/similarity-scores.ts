import { CrowdError } from "../error.ts";
import { evaluateClusters, type ScoredClusters } from "../evaluate/similarity.ts";
import type { GoldPair } from "../io/sink.ts";
import type { ReadClusters } from "../io/sinks/similarity.ts";
import { rounded } from "../report/csv-files.ts";
import { count, decimal, percent } from "../report/text.ts";
import type { Scores } from "./kind.ts";

const number = (x: number) => (Number.isNaN(x) ? null : rounded(x));

/** The scores of clusters against gold. */
export function clusterScores(scored: ScoredClusters): Scores {
  const metrics = evaluateClusters(scored);
  const { items, clusters, goldClusters, nmi, pairF1, accuracy, credits } = metrics;
  const { value, low, high } = metrics.adjustedRand;
  return {
    line:
      `Adjusted Rand index ${decimal(value)} [${decimal(low)}, ${decimal(high)}] on ${count(items, "gold item")}, ` +
      `${percent(accuracy)} of them in the matching cluster.`,
    values: { adjusted_rand: value, nmi, pair_f1: pairF1, accuracy },
    credits,
    document: {
      items,
      clusters,
      goldClusters,
      adjustedRand: { value: rounded(value), low: rounded(low), high: rounded(high) },
      nmi: number(nmi),
      pairPrecision: number(metrics.pairPrecision),
      pairRecall: number(metrics.pairRecall),
      pairF1: number(pairF1),
      accuracy: rounded(accuracy),
    },
    table: [
      `gold items           ${items}`,
      `clusters             ${clusters}, ${goldClusters} in gold`,
      `adjusted Rand index  ${value.toFixed(4)}  [${low.toFixed(4)}, ${high.toFixed(4)}]`,
      `NMI                  ${nmi.toFixed(4)}`,
      `pair F1              ${Number.isNaN(pairF1) ? "none" : pairF1.toFixed(4)}`,
      `matched accuracy     ${accuracy.toFixed(4)}`,
      "",
    ].join("\n"),
    details: metrics,
  };
}

/** Scores clusters that a file holds. */
export function scoreReadClusters(
  answers: unknown,
  gold: readonly GoldPair[],
  goldName: string,
): { readonly scores: Scores; readonly notes: readonly string[] } {
  const { names: items, clusters } = answers as ReadClusters;
  const found = new Map(items.map((item, i) => [item, clusters[i]]));
  const known = new Map(gold.map(([item, cluster]) => [item, String(cluster)]));
  const rows = [...known].filter(([item]) => found.has(item));
  if (rows.length === 0) {
    throw new CrowdError(
      "bad-data",
      `None of the ${known.size} gold items of ${goldName} has an answer: gold names "${gold[0]?.[0] ?? ""}", ` +
        `the answers "${items[0] ?? ""}". Do both files name items the same way?`,
    );
  }
  const missing = known.size - rows.length;
  return {
    scores: clusterScores({
      cluster: codesOf(rows.map(([item]) => found.get(item) ?? "")),
      gold: codesOf(rows.map(([, cluster]) => cluster)),
    }),
    notes: missing > 0 ? [`${count(missing, "gold item")} without an answer left out.`] : [],
  };
}

/** The number of each text among the different ones. */
function codesOf(texts: readonly string[]): Int32Array {
  const codes = new Map<string, number>();
  return Int32Array.from(texts, (text) => {
    const code = codes.get(text) ?? codes.size;
    codes.set(text, code);
    return code;
  });
}
