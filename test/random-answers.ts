/** Small crowds of numbers and of comparisons that tests share, drawn from a seed. */
import {
  type ComparisonRow,
  fromRows,
  type LabelSetRow,
  type TagRow,
  type ValueRow,
} from "../src/data/from-rows.ts";
import type { MultiLabelData } from "../src/data/multi-label.ts";
import type { NumericData } from "../src/data/numeric.ts";
import type { PairwiseData } from "../src/data/pairwise.ts";
import type { SequenceData } from "../src/data/sequence.ts";
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

/** Workers copy BIO tags of drawn chains, each tag right with the worker's own share. */
export function randomTags(
  seed: number,
  { tasks = 12, length = 8, workers = 5, answers = 3, tags = ["B-X", "I-X", "O"] } = {},
): SequenceData {
  const random = createRandom(seed).split("tags");
  const skill = Array.from({ length: workers }, () => 0.6 + 0.4 * random.next());
  const rows: TagRow[] = [];
  const gold: [string, string, number][] = [];
  for (let t = 0; t < tasks; t++) {
    let before = "O";
    for (let position = 0; position < length; position++) {
      const may = tags.filter(
        (tag) =>
          !tag.startsWith("I") || before.slice(1) === tag.slice(1) || before === `B${tag.slice(1)}`,
      );
      before = may[Math.floor(random.next() * may.length)];
      gold.push([`t${t}`, before, position]);
      for (let a = 0; a < answers; a++) {
        const w = (t + a) % workers;
        const label =
          random.next() < skill[w] ? before : tags[Math.floor(random.next() * tags.length)];
        rows.push({ task: `t${t}`, worker: `w${w}`, position, label });
      }
    }
  }
  return fromRows(rows, { kind: "sequence", gold });
}

/** Workers choose labels of drawn sets, each label kept or added with the worker's own rates; now and then they choose none. */
export function randomSets(
  seed: number,
  { tasks = 30, workers = 6, answers = 4, labels = ["a", "b", "c", "d"] } = {},
): MultiLabelData {
  const random = createRandom(seed).split("sets");
  const kept = Array.from({ length: workers }, () => 0.6 + 0.4 * random.next());
  const added = Array.from({ length: workers }, () => 0.3 * random.next());
  const rows: LabelSetRow[] = [];
  const gold: [string, string][] = [];
  for (let t = 0; t < tasks; t++) {
    const truth = labels.map((_, l) => random.next() < 0.6 / (l + 1));
    truth.forEach((belongs, l) => {
      if (belongs) gold.push([`t${t}`, labels[l]]);
    });
    if (!truth.includes(true)) gold.push([`t${t}`, ""]);
    for (let a = 0; a < answers; a++) {
      const w = (t + a) % workers;
      const label = labels.filter((_, l) => random.next() < (truth[l] ? kept[w] : added[w]));
      rows.push({ task: `t${t}`, worker: `w${w}`, label });
    }
  }
  return fromRows(rows, { kind: "multi-label", gold, classes: labels });
}
