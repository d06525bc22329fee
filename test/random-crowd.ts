/** The small crowds that tests share, drawn from a seed. */
import type { CategoricalData } from "../src/data/categorical.ts";
import { fromRows, type LabelRow } from "../src/data/from-rows.ts";
import { namesOf } from "../src/data/names.ts";
import { categorical, dirichlet } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";

export interface CrowdShape {
  readonly tasks?: number;
  readonly workers?: number;
  readonly classes?: number;
  /** Probability that a worker labels a task; each task has at least one label. */
  readonly rate?: number;
  /** Range of the probability of a right label. */
  readonly skill?: readonly [low: number, high: number];
}

/** Every class equally common, right with a probability drawn per worker and class, errors at random. */
export function randomCrowd(
  seed: number,
  { tasks = 40, workers = 8, classes = 3, rate = 0.6, skill = [0.4, 0.9] }: CrowdShape = {},
): CategoricalData {
  return drawCrowd(seed, { tasks, workers, classes, rate, skill }).data;
}

/** The same, with the confusion[(worker * K + class) * K + label] it was drawn from. */
export function drawCrowd(
  seed: number,
  { tasks: T, workers: W, classes: K, rate, skill: [low, high] }: Required<CrowdShape>,
): { data: CategoricalData; confusion: Float64Array } {
  const random = createRandom(seed).split("crowd");
  const confusion = new Float64Array(W * K * K);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      const rest = dirichlet(random, new Float64Array(Math.max(1, K - 1)).fill(1));
      const diagonal = K === 1 ? 1 : low + (high - low) * random.next();
      for (let l = 0, other = 0; l < K; l++) {
        confusion[(w * K + k) * K + l] = l === k ? diagonal : (1 - diagonal) * rest[other++];
      }
    }
  }
  const rows: LabelRow[] = [];
  const gold: [string, string][] = [];
  for (let t = 0; t < T; t++) {
    const truth = Math.floor(random.next() * K);
    gold.push([`t${t}`, `c${truth}`]);
    const sure = Math.floor(random.next() * W);
    for (let w = 0; w < W; w++) {
      const asked = random.next() < rate;
      if (!asked && w !== sure) continue;
      const from = (w * K + truth) * K;
      const label = categorical(random, confusion.subarray(from, from + K));
      rows.push({ task: `t${t}`, worker: `w${w}`, label: `c${label}` });
    }
  }
  const names = (letter: string, n: number) => Array.from({ length: n }, (_, i) => `${letter}${i}`);
  const data = fromRows(rows, { classes: names("c", K), gold });
  // Workers in the order of the confusions, whether or not they were asked.
  const all = names("w", W);
  const place = Int32Array.from(data.workers, (name) => all.indexOf(name));
  return {
    data: { ...data, workers: namesOf(all), worker: data.worker.map((w) => place[w]) },
    confusion,
  };
}

/** Every label twice, and in its place labels that count for two. */
export function doubledLabels(data: CategoricalData): {
  readonly doubled: CategoricalData;
  readonly weighted: CategoricalData;
} {
  const twice = (column: Int32Array) => Int32Array.of(...column, ...column);
  const { task, worker, label } = data;
  return {
    doubled: { ...data, task: twice(task), worker: twice(worker), label: twice(label) },
    weighted: { ...data, weight: new Float64Array(label.length).fill(2) },
  };
}

/** The same labels from the last to the first. */
export function reversedLabels(data: CategoricalData): CategoricalData {
  return {
    ...data,
    task: data.task.toReversed(),
    worker: data.worker.toReversed(),
    label: data.label.toReversed(),
  };
}

/** Fixture A: twelve labels, five tasks, three workers, two classes. */
export function fixtureA(): CategoricalData {
  const labels = "000 010 021 101 111 121 200 211 220 301 311 420".split(" ");
  return fromRows(labels.map(([task, worker, label]) => ({ task, worker, label })));
}

/** A silent worker, an unlabelled task and an unused class; all labels alike; one label. */
export function degenerateCrowds(K: number): CategoricalData[] {
  const base = randomCrowd(K, { tasks: 6, workers: 3, classes: K });
  const missing = {
    ...base,
    tasks: namesOf([...base.tasks, "none"]),
    workers: namesOf([...base.workers, "silent"]),
    gold: Int32Array.of(...base.gold, -1),
    label: base.label.map((l) => Math.min(l, K - 2)),
  };
  const alike = { ...base, label: base.label.map(() => K - 1) };
  const one = { ...base, task: Int32Array.of(0), worker: Int32Array.of(0) };
  return [missing, alike, { ...one, label: Int32Array.of(0) }];
}
