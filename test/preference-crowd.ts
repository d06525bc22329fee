/** Simulated crowds with features for learners of numbers and of preferences. */
import { type Features, fromMatrix } from "../src/data/features.ts";
import { type ComparisonRow, fromRows, type ValueRow } from "../src/data/from-rows.ts";
import type { NumericData } from "../src/data/numeric.ts";
import type { PairwiseData } from "../src/data/pairwise.ts";
import { normal } from "../src/math/distributions.ts";
import { createRandom, type Random } from "../src/math/random.ts";

const D = 6;

interface Linear<Data> {
  readonly data: Data;
  readonly features: Features;
  /** New rows, and what is true of them. */
  readonly test: Features;
  readonly gold: Float64Array;
}

const vectors = (random: Random, n: number) =>
  Array.from({ length: n }, () => Array.from({ length: D }, () => normal(random)));

const featuresOf = (rows: readonly (readonly number[])[]): Features =>
  fromMatrix(
    rows.map((_, i) => `t${i}`),
    [D],
    Float32Array.from(rows.flat()),
  );

const dot = (x: readonly number[], w: readonly number[]) => x.reduce((s, v, j) => s + v * w[j], 0);

/** Workers add an offset of their own and noise to a linear truth. */
export function numberCrowd(
  seed: number,
  { tasks = 300, answers = 3, offsets = [0, 1, -1, 2, -2], noise = 0.3 } = {},
): Linear<NumericData> {
  const random = createRandom(seed).split("number-crowd");
  const w = Array.from({ length: D }, () => normal(random));
  const [seen, fresh] = [vectors(random, tasks), vectors(random, 200)];
  const rows: ValueRow[] = seen.flatMap((x, t) =>
    Array.from({ length: answers }, (_, a) => {
      const u = (t + a * (1 + (t % (offsets.length - 1)))) % offsets.length;
      const value = 10 + dot(x, w) + offsets[u] + noise * normal(random);
      return { task: `t${t}`, worker: `w${u}`, value };
    }),
  );
  const gold = seen.map((x, t) => [`t${t}`, 10 + dot(x, w)] as const);
  return {
    data: fromRows(rows, { kind: "numeric", gold, repeats: "all" }),
    features: featuresOf(seen),
    test: featuresOf(fresh),
    gold: Float64Array.from(fresh, (x) => 10 + dot(x, w)),
  };
}

interface Panel {
  readonly items?: number;
  readonly each?: number;
  readonly honest?: number;
  readonly adversaries?: number;
  readonly guessers?: number;
  /** True: half of the judges have the opposite taste. */
  readonly opposed?: boolean;
}

/** Judges compare random pairs by a linear score, those of a bad kind in their own way. Names tell the kind. */
export function preferenceCrowd(
  seed: number,
  {
    items = 120,
    each = 60,
    honest = 12,
    adversaries = 0,
    guessers = 0,
    opposed = false,
  }: Panel = {},
): Linear<PairwiseData> {
  const random = createRandom(seed).split("preference-crowd");
  const w = Array.from({ length: D }, () => normal(random));
  const other = w.map((x) => -x);
  const [seen, fresh] = [vectors(random, items), vectors(random, 200)];
  const rows: ComparisonRow[] = [];
  for (let u = 0; u < honest + adversaries + guessers; u++) {
    const kind = u < honest ? "honest" : u < honest + adversaries ? "adversary" : "guesser";
    const taste = opposed && u % 2 === 1 ? other : w;
    for (let k = 0; k < each; k++) {
      const i = Math.floor(random.next() * items);
      const j = (i + 1 + Math.floor(random.next() * (items - 1))) % items;
      const lead = dot(seen[i], taste) - dot(seen[j], taste);
      const p = kind === "guesser" ? 0.5 : 1 / (1 + Math.exp(kind === "honest" ? -lead : lead));
      const label = `t${random.next() < p ? i : j}`;
      rows.push({ worker: `${kind}${u}`, left: `t${i}`, right: `t${j}`, label });
    }
  }
  return {
    data: fromRows(rows, { kind: "pairwise" }),
    features: featuresOf(seen),
    test: featuresOf(fresh),
    gold: Float64Array.from(fresh, (x) => dot(x, w)),
  };
}
