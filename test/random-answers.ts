/** Small crowds of numbers and of comparisons that tests share, drawn from a seed. */
import { type ComparisonRow, fromRows, type ValueRow } from "../src/data/from-rows.ts";
import type { NumericData } from "../src/data/numeric.ts";
import type { PairwiseData } from "../src/data/pairwise.ts";
import { normal } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";

/** Workers add normal noise of their own size to values drawn from N(0, 1). */
export function randomNumbers(
  seed: number,
  { tasks = 30, workers = 6, answers = 4, noise = [0.2, 1] as readonly [number, number] } = {},
): NumericData {
  const random = createRandom(seed).split("numbers");
  const sizes = Array.from(
    { length: workers },
    () => noise[0] + (noise[1] - noise[0]) * random.next(),
  );
  const rows: ValueRow[] = [];
  const gold: [string, number][] = [];
  for (let t = 0; t < tasks; t++) {
    const truth = normal(random);
    gold.push([`t${t}`, truth]);
    for (let a = 0; a < answers; a++) {
      const w = (t + a * 5) % workers;
      rows.push({ task: `t${t}`, worker: `w${w}`, value: truth + sizes[w] * normal(random) });
    }
  }
  return fromRows(rows, { kind: "numeric", gold });
}

/** Workers compare random pairs; the item with the larger number wins by a logistic draw. */
export function randomComparisons(
  seed: number,
  { items = 6, workers = 5, comparisons = 120, ties = 0.1, scale = 1 } = {},
): PairwiseData {
  const random = createRandom(seed).split("comparisons");
  const score = Array.from({ length: items }, () => scale * normal(random));
  const rows: ComparisonRow[] = [];
  for (let i = 0; i < comparisons; i++) {
    const a = Math.floor(random.next() * items);
    const b = (a + 1 + Math.floor(random.next() * (items - 1))) % items;
    const wins = random.next() < 1 / (1 + Math.exp(score[b] - score[a]));
    const label = random.next() < ties ? "tie" : `i${wins ? a : b}`;
    rows.push({ worker: `w${i % workers}`, left: `i${a}`, right: `i${b}`, label });
  }
  return fromRows(rows, {
    kind: "pairwise",
    gold: score.map((s, i) => [`i${i}`, s] as const),
  });
}
