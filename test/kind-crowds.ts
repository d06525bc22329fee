/** Simulated crowds with features whose answers are no classes, for tests of learners. */
import { type Features, fromMatrix } from "../src/data/features.ts";
import { fromRows, type ValueRow } from "../src/data/from-rows.ts";
import type { NumericData } from "../src/data/numeric.ts";
import type { PairwiseData } from "../src/data/pairwise.ts";
import type { SimilarityData } from "../src/data/similarity.ts";
import { normal } from "../src/math/distributions.ts";
import { createRandom, type Random } from "../src/math/random.ts";

export interface KindCrowd<Data> {
  readonly data: Data;
  readonly features: Features;
}

const numbersOf = (length: number, draw: () => number) => Array.from({ length }, draw);
const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, x, j) => sum + x * b[j], 0);

/** Standard normal rows under names such as i0. */
function normalRows(random: Random, count: number, dimensions: number, prefix: string) {
  const x = Array.from({ length: count }, () => numbersOf(dimensions, () => normal(random)));
  const names = x.map((_, i) => `${prefix}${i}`);
  return { x, features: fromMatrix(names, [dimensions], Float32Array.from(x.flat())) };
}

export interface NumberShape {
  readonly tasks?: number;
  readonly workers?: number;
  /** Answers per task. */
  readonly each?: number;
  readonly dimensions?: number;
  /** Standard deviation of a worker's noise. */
  readonly noise?: (worker: number) => number;
  readonly outputs?: readonly string[];
}

/** Workers with an offset ~ N(0, 1) add noise to values that are linear in the features, about 10. */
export function numberCrowd(
  seed: number,
  {
    tasks = 40,
    workers = 6,
    each = 3,
    dimensions = 4,
    noise = () => 0.3,
    outputs = [""],
  }: NumberShape = {},
) {
  const random = createRandom(seed).split("numbers");
  const { x, features } = normalRows(random, tasks, dimensions, "t");
  const slopes = outputs.map(() => numbersOf(dimensions, () => normal(random)));
  const offset = Array.from({ length: workers }, () => outputs.map(() => normal(random)));
  const value = x.map((row) => slopes.map((slope, o) => 10 * (o + 1) + dot(row, slope)));
  const rows: ValueRow[] = [];
  for (let t = 0; t < tasks; t++) {
    for (let k = 0; k < each; k++) {
      const u = (t * each + k) % workers;
      outputs.forEach((output, o) => {
        const said = value[t][o] + offset[u][o] + noise(u) * normal(random);
        const one = { task: `t${t}`, worker: `w${u}`, value: said };
        rows.push(output ? { ...one, output } : one);
      });
    }
  }
  const gold = value.flatMap((row, t) =>
    outputs.map((output, o) =>
      output ? ([`t${t}`, row[o], output] as const) : ([`t${t}`, row[o]] as const),
    ),
  );
  const data: NumericData = fromRows(rows, { kind: "numeric", gold });
  return { data, features, value, offset };
}

export interface PreferenceShape {
  readonly items?: number;
  readonly judges?: number;
  /** Comparisons per judge. */
  readonly each?: number;
  readonly dimensions?: number;
  /** The first judges answer the wrong way round, those after them at random. */
  readonly adversaries?: number;
  readonly random?: number;
  /** With two, judges of odd numbers want the opposite of the last half of the features. */
  readonly types?: 1 | 2;
  readonly ties?: number;
}

/** Judges compare items by scores that are linear in the features; 500 new items come with their scores. */
export function preferenceCrowd(
  seed: number,
  {
    items = 30,
    judges = 6,
    each = 20,
    dimensions = 4,
    adversaries = 0,
    random: careless = 0,
    types = 1,
    ties = 0,
  }: PreferenceShape = {},
) {
  const random = createRandom(seed).split("preferences");
  const { x, features } = normalRows(random, items, dimensions, "i");
  const fresh = normalRows(random, 500, dimensions, "new");
  const slope = numbersOf(dimensions, () => 0.8 * normal(random));
  const opposed = slope.map((s, j) => (j < dimensions / 2 ? s : -s));
  const rows = [];
  for (let u = 0; u < judges; u++) {
    const own = types === 2 && u % 2 === 1 ? opposed : slope;
    for (let n = 0; n < each; n++) {
      const a = Math.floor(random.next() * items);
      const b = (a + 1 + Math.floor(random.next() * (items - 1))) % items;
      let wins = random.next() < 1 / (1 + Math.exp(dot(x[b], own) - dot(x[a], own)));
      if (u < adversaries) wins = !wins;
      else if (u < adversaries + careless) wins = random.next() < 0.5;
      const said = random.next() < ties ? "tie" : `i${wins ? a : b}`;
      rows.push({ worker: `u${u}`, left: `i${a}`, right: `i${b}`, label: said });
    }
  }
  const gold = x.map((row, i) => [`i${i}`, dot(row, slope)] as const);
  const data: PairwiseData = fromRows(rows, { kind: "pairwise", gold });
  const score = Float64Array.from(fresh.x, (row) => dot(row, slope));
  return { data, features, fresh: { features: fresh.features, score } };
}

/** Workers say of pairs whether they are of one cluster, right with a probability; clusters lie apart in the features. */
export function clusterCrowd(
  seed: number,
  { items = 30, clusters = 2, pairs = 4, workers = 5, right = 0.9, dimensions = 4 } = {},
): KindCrowd<SimilarityData> {
  const random = createRandom(seed).split("clusters");
  const of = Array.from({ length: items }, (_, i) => i % clusters);
  const matrix = of.flatMap((c) =>
    Array.from({ length: dimensions }, (_, j) => normal(random) + (j === c ? 4 : 0)),
  );
  const names = of.map((_, i) => `i${i}`);
  const gold = of.map((c, i) => [names[i], `c${c}`] as const);
  const data = answersAboutPairs(gold, random, { pairs, workers, right });
  return { data, features: fromMatrix(names, [dimensions], Float32Array.from(matrix)) };
}

/** Each item beside others drawn at random, by workers who are right with a probability. */
function answersAboutPairs(
  gold: readonly (readonly [string, string])[],
  random: Random,
  { pairs, workers, right }: { pairs: number; workers: number; right: number },
): SimilarityData {
  const N = gold.length;
  const rows = gold.flatMap(([left, own], i) =>
    Array.from({ length: pairs }, () => {
      const [other, cluster] = gold[(i + 1 + Math.floor(random.next() * (N - 1))) % N];
      const same = random.next() < right === (own === cluster);
      const worker = `w${Math.floor(random.next() * workers)}`;
      return { worker, left, right: other, label: same ? "same" : "different" };
    }),
  );
  return fromRows(rows, { kind: "similarity", gold });
}
