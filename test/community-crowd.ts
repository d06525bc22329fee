/** Crowds whose workers belong to communities, each with a confusion of its own. */
import { expect } from "vitest";
import { dawidSkene } from "../src/aggregate/categorical/em/dawid-skene.ts";
import type { CategoricalData } from "../src/data/categorical.ts";
import { fromRows, type LabelRow } from "../src/data/from-rows.ts";
import { categorical, shuffle } from "../src/math/distributions.ts";
import { logMultivariateBeta } from "../src/math/gamma.ts";
import { logSumExp } from "../src/math/log-sum-exp.ts";
import { createRandom } from "../src/math/random.ts";
import { splitAccuracy } from "./datasets.ts";

/** Careful workers, workers who say c0 too often, and workers who take each class for the next. */
export const threeCommunities = [
  [
    [0.9, 0.05, 0.05],
    [0.05, 0.9, 0.05],
    [0.05, 0.05, 0.9],
  ],
  [
    [0.9, 0.05, 0.05],
    [0.55, 0.4, 0.05],
    [0.55, 0.05, 0.4],
  ],
  [
    [0.3, 0.65, 0.05],
    [0.05, 0.3, 0.65],
    [0.65, 0.05, 0.3],
  ],
] as const;

export interface CommunityCrowd {
  readonly data: CategoricalData;
  /** The community of each worker of `data`. */
  readonly community: Int32Array;
}

/** Workers w0, w1, … take turns in the communities and give `labels` labels each on tasks dealt at random. */
export function communityCrowd(
  seed: number,
  { tasks: T, workers: W, labels }: { tasks: number; workers: number; labels: number },
): CommunityCrowd {
  const random = createRandom(seed).split("communities");
  const truth = Int32Array.from({ length: T }, () => Math.floor(3 * random.next()));
  const rows: LabelRow[] = [];
  for (let w = 0; w < W; w++) {
    const order = Int32Array.from({ length: T }, (_, t) => t);
    shuffle(random, order);
    for (const t of order.subarray(0, labels)) {
      const label = categorical(random, threeCommunities[w % 3][truth[t]]);
      rows.push({ task: `t${t}`, worker: `w${w}`, label: `c${label}` });
    }
  }
  const gold = Array.from(truth, (k, t) => [`t${t}`, `c${k}`] as const);
  const data = fromRows(rows, { classes: ["c0", "c1", "c2"], gold });
  const community = Int32Array.from(data.workers, (name) => Number(name.slice(1)) % 3);
  return { data, community };
}

/** Adjusted Rand index: 1 for the same partition, 0 for what chance gives. Hubert & Arabie (1985). */
export function adjustedRand(a: Int32Array, b: Int32Array): number {
  const pairs = (n: number) => (n * (n - 1)) / 2;
  const count = (keys: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, n) => sum + pairs(n), 0);
  };
  const both = count(Array.from(a, (x, i) => `${x} ${b[i]}`));
  const [inA, inB] = [a, b].map((each) => count(Array.from(each, String)));
  const chance = (inA * inB) / pairs(a.length);
  return (both - chance) / ((inA + inB) / 2 - chance);
}

/** Labels of each worker by class and label under a truth: counts[worker][class][label]. */
export function countLabels(data: CategoricalData, truth: readonly number[]): number[][][] {
  const K = data.classes.length;
  const counts = Array.from(data.workers, () =>
    Array.from({ length: K }, () => new Array<number>(K).fill(0)),
  );
  for (let i = 0; i < data.label.length; i++) {
    counts[data.worker[i]][truth[data.task[i]]][data.label[i]]++;
  }
  return counts;
}

/** log of a Dirichlet–multinomial: counts in a given order under Dirichlet(prior). */
export function logDirichletMultinomial(
  counts: ArrayLike<number>,
  prior: ArrayLike<number>,
): number {
  const after = Float64Array.from(prior, (count, i) => count + counts[i]);
  return logMultivariateBeta(after) - logMultivariateBeta(prior);
}

/** log p(labels) over all K^T truths and J^W communities; both kinds of shares integrated out. */
export function allCommunities(
  data: CategoricalData,
  J: number,
  concentration: number,
  logLabels: (counts: number[][][], community: readonly number[]) => number,
): number {
  const [K, T, W] = [data.classes.length, data.tasks.length, data.workers.length];
  const logs: number[] = [];
  const shares = (of: readonly number[], n: number, each: number) => {
    const counts = new Float64Array(n);
    for (const i of of) counts[i]++;
    return logDirichletMultinomial(counts, new Float64Array(n).fill(each));
  };
  for (let code = 0; code < K ** T; code++) {
    const truth = Array.from(data.tasks, (_, t) => Math.floor(code / K ** t) % K);
    const counts = countLabels(data, truth);
    for (let groups = 0; groups < J ** W; groups++) {
      const community = Array.from(data.workers, (_, w) => Math.floor(groups / J ** w) % J);
      logs.push(
        shares(truth, K, 1) + shares(community, J, concentration) + logLabels(counts, community),
      );
    }
  }
  return logSumExp(logs);
}

/** Beats Dawid–Skene by more than .03 where three communities give five labels per worker. */
export function expectBetterForFewLabels(
  method: (data: CategoricalData) => { readonly posterior: Float64Array },
): void {
  for (let seed = 0; seed < 5; seed++) {
    const { data } = communityCrowd(seed, { tasks: 188, workers: 300, labels: 5 });
    const [ours, theirs] = [method(data), dawidSkene(data)].map(({ posterior }) =>
      splitAccuracy(data, posterior),
    );
    expect(ours).toBeGreaterThan(theirs + 0.03);
  }
}
