/** The number of clusters: the one under which answers that were hidden are likeliest. */
import type { SimilarityData } from "../../data/similarity.ts";
import { createRandom } from "../../math/random.ts";
import type { Steps } from "../../method.ts";
import { type BlockFit, fitBlocks, usual } from "./block-fit.ts";
import { type Frame, type Rates, rowsOf } from "./frame.ts";
import { type Embedding, embed, spectralLabels } from "./spectral.ts";

/** How a number of clusters did. */
export interface TriedClusters {
  readonly clusters: number;
  /** Mean log-probability of hidden answers, in nats. */
  readonly score: number;
}

/** Most clusters that are tried, parts that are hidden in turn, and misses after which to stop. */
const [MOST, FOLDS, MISSES] = [8, 5, 2];

/** Up to so many clusters the eigenvectors are found at once: further ones are slow, and seldom needed. */
const FEW = 5;

/** Tries numbers of clusters; those from the first to the second in a row without a new best. */
export function* chooseClusters(
  data: SimilarityData,
  frame: Frame,
  fold: Int32Array = foldsOf(data),
): Steps<readonly TriedClusters[]> {
  const most = Math.min(MOST, frame.N);
  const parts = Array.from({ length: FOLDS }, (_, f) => ({
    f,
    shown: rowsOf(frame, (i) => fold[i] !== f),
  })).filter(({ f, shown }) => fold.includes(f) && shown.left.length > 0);
  let embeddings: readonly (readonly Embedding[])[] = [];
  const tried: TriedClusters[] = [];
  let best = 0;
  for (let K = 1; K <= most && tried.length - best < MISSES; K++) {
    if (K === 2 || K === FEW + 1) {
      yield { iteration: K, objective: 0, stage: "looking for the number of clusters" };
      embeddings = parts.map(({ shown }) => embed(shown, Math.min(K === 2 ? FEW : most, most) - 1));
    }
    let [sum, count] = [0, 0];
    for (const [at, { f, shown }] of parts.entries()) {
      const labels = spectralLabels(embeddings[at] ?? [], frame.N, K);
      const fit = fitBlocks(shown, K, labels, usual);
      let step = fit.next();
      for (; !step.done; step = fit.next()) yield { ...step.value, stage: `trying ${K} clusters` };
      const [logs, hidden] = hiddenScore(frame, fold, f, step.value, shown.component, K);
      sum += logs;
      count += hidden;
    }
    tried.push({ clusters: K, score: count > 0 ? sum / count : 0 });
    if (K === 1 || tried[K - 1].score > tried[best - 1].score) best = K;
  }
  return tried;
}

/** Sum of the log-probabilities of the answers of a part, and how many there are. */
function hiddenScore(
  { left, right, worker, same, weight }: Frame,
  fold: Int32Array,
  f: number,
  { q, alike, apart }: BlockFit,
  component: Int32Array,
  K: number,
): [number, number] {
  const chance = alikeChance(q, K, component);
  let [sum, count] = [0, 0];
  for (let i = 0; i < left.length; i++) {
    if (fold[i] !== f) continue;
    const p = sayingSame({ alike, apart }, worker[i], chance(left[i], right[i]));
    sum += weight[i] * Math.log(same[i] ? p : 1 - p);
    count += weight[i];
  }
  return [sum, count];
}

/** Probability that a worker says "same" of two items that are alike with a probability. */
export const sayingSame = ({ alike, apart }: Rates, worker: number, chance: number): number =>
  Math.min(1 - 1e-12, Math.max(1e-12, alike[worker] * chance + apart[worker] * (1 - chance)));

/** Probability that two items are alike: of items that nothing connects, that of any two items. */
export function alikeChance(
  q: Float64Array,
  K: number,
  component: Int32Array,
): (a: number, b: number) => number {
  const N = component.length;
  const mean = new Float64Array(K);
  for (let at = 0; at < q.length; at++) mean[at % K] += q[at] / N;
  const any = mean.reduce((sum, p) => sum + p * p, 0);
  return (a, b) => {
    if (component[a] !== component[b]) return any;
    let chance = 0;
    for (let c = 0; c < K; c++) chance += q[a * K + c] * q[b * K + c];
    return chance;
  };
}

/** The part of each answer, by the names of worker and items: the same however rows are ordered or repeated. */
function foldsOf({ workers, items, worker, left, right }: SimilarityData): Int32Array {
  const random = createRandom(0).split("hidden pairs");
  return left.map((l, i) => {
    const [a, b] = [items.at(l), items.at(right[i])].sort();
    const drawn = random.split(workers.at(worker[i])).split(a).split(b).next();
    return Math.floor(drawn * FOLDS);
  });
}
