/**
 * The model with priors on workers, from its own definition: sums over all truths, the workers'
 * confusions integrated out by Beta functions, no messages and no quadrature.
 */
import type { WorkerPrior } from "../src/belief/worker-prior.ts";
import type { CategoricalData } from "../src/data/categorical.ts";
import { logBeta, logMultivariateBeta } from "../src/math/gamma.ts";

/** E of the product of confusion[class, label] over the pairs, for one worker. */
function meanOfProduct(
  prior: WorkerPrior,
  K: number,
  pairs: readonly (readonly [k: number, l: number])[],
): number {
  const coin = (right: number, wrong: number): number => {
    const hits = pairs.filter(([k, l]) => k === l).length;
    const misses = pairs.length - hits;
    return (
      Math.exp(logBeta(right + hits, wrong + misses) - logBeta(right, wrong)) / (K - 1) ** misses
    );
  };
  if (prior.kind === "one-coin") return coin(prior.right, prior.wrong);
  if (prior.kind === "mixture") {
    return prior.parts.reduce((sum, part) => {
      const rate = (k: number, l: number) =>
        "skill" in part ? (k === l ? part.skill : (1 - part.skill) / (K - 1)) : 0;
      const mean =
        "skill" in part
          ? pairs.reduce((product, [k, l]) => product * rate(k, l), 1)
          : coin(part.right, part.wrong);
      return sum + part.share * mean;
    }, 0);
  }
  if (prior.kind === "tables") {
    return prior.parts.reduce(
      (sum, { share, confusion }) =>
        sum + share * pairs.reduce((product, [k, l]) => product * confusion[k * K + l], 1),
      0,
    );
  }
  let log = 0;
  for (let k = 0; k < K; k++) {
    const row = prior.counts.slice(k * K, (k + 1) * K);
    const before = logMultivariateBeta(row);
    for (const [z, l] of pairs) if (z === k) row[l]++;
    log += logMultivariateBeta(row) - before;
  }
  return Math.exp(log);
}

/** Posterior and evidence by all K^T truths. */
export function allTruths(data: CategoricalData, prior: WorkerPrior, h: Float64Array) {
  const K = data.classes.length;
  const T = data.tasks.length;
  const posterior = new Float64Array(T * K);
  let evidence = 0;
  for (let code = 0; code < K ** T; code++) {
    const truth = Array.from(data.tasks, (_, t) => Math.floor(code / K ** t) % K);
    let p = truth.reduce((product, k, t) => product * h[t * K + k], 1);
    for (let w = 0; w < data.workers.length && p > 0; w++) {
      p *= meanOfProduct(prior, K, pairsOf(data, w, truth));
    }
    evidence += p;
    truth.forEach((k, t) => {
      posterior[t * K + k] += p;
    });
  }
  return { logEvidence: Math.log(evidence), posterior: posterior.map((p) => p / evidence) };
}

function pairsOf({ task, worker, label }: CategoricalData, w: number, truth: readonly number[]) {
  const pairs: [number, number][] = [];
  for (let i = 0; i < label.length; i++) {
    if (worker[i] === w) pairs.push([truth[task[i]], label[i]]);
  }
  return pairs;
}

/** Flooding belief propagation whose worker messages are sums over all classes of all other tasks. */
export function enumeratedMessages(
  data: CategoricalData,
  prior: WorkerPrior,
  h: Float64Array,
  sweeps: number,
): Float64Array {
  const K = data.classes.length;
  const { task, worker, label } = data;
  const labels = Array.from(label, (_, i) => i);
  let m = labels.map(() => new Array<number>(K).fill(1 / K));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const mu = labels.map((i) =>
      shares(
        Array.from({ length: K }, (_, k) =>
          labels
            .filter((j) => task[j] === task[i] && j !== i)
            .reduce((product, j) => product * m[j][k], h[task[i] * K + k]),
        ),
      ),
    );
    m = labels.map((i) => {
      const others = labels.filter((j) => worker[j] === worker[i] && j !== i);
      const sums = new Array<number>(K).fill(0);
      for (let code = 0; code < K ** others.length; code++) {
        const truth = others.map((_, j) => Math.floor(code / K ** j) % K);
        const p = others.reduce((product, j, at) => product * mu[j][truth[at]], 1);
        const pairs = others.map((j, at) => [truth[at], label[j]] as const);
        for (let k = 0; k < K; k++) {
          sums[k] += p * meanOfProduct(prior, K, [...pairs, [k, label[i]]]);
        }
      }
      return shares(sums);
    });
  }
  return Float64Array.from(
    [...data.tasks].flatMap((_, t) =>
      shares(
        Array.from({ length: K }, (_, k) =>
          labels
            .filter((j) => task[j] === t)
            .reduce((product, j) => product * m[j][k], h[t * K + k]),
        ),
      ),
    ),
  );
}

function shares(values: readonly number[]): number[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / total);
}
