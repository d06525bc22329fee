/** The steps that scenarios share: truths, confusions, labels, and the dataset of them. */
import type { CategoricalData } from "../data/categorical.ts";
import { type Names, namesOf } from "../data/names.ts";
import { categorical, dirichlet } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import type { Assignment } from "./assignment.ts";
import { givenTruth, type Tasks } from "./tasks.ts";

export const classOption = {
  classes: { default: 2, min: 2, integer: true, help: "Number of classes." },
} as const;

/** The given truth, or one drawn from the prior. */
export function drawTruth(tasks: Tasks, prior: ArrayLike<number>, random: Random): Int32Array {
  const draw = () => categorical(random, prior);
  return (
    givenTruth(tasks, prior.length) ?? Int32Array.from({ length: tasks.train + tasks.test }, draw)
  );
}

/** The given truth, or as many tasks of each class as of any other, give or take one. */
export function balancedTruth(tasks: Tasks, K: number, random: Random): Int32Array {
  const given = givenTruth(tasks, K);
  if (given) return given;
  const truth = new Int32Array(tasks.train + tasks.test);
  truth.set(evenTruth(tasks.train, K, random));
  truth.set(evenTruth(tasks.test, K, random.split("test")), tasks.train);
  return truth;
}

/** In random order. */
function evenTruth(tasks: number, K: number, random: Random): Int32Array {
  const truth = Int32Array.from({ length: tasks }, (_, t) => t % K);
  for (let t = tasks - 1; t > 0; t--) {
    const j = Math.floor(random.next() * (t + 1));
    [truth[t], truth[j]] = [truth[j], truth[t]];
  }
  return truth;
}

export function uniform(K: number): Float64Array {
  return new Float64Array(K).fill(1 / K);
}

/** Right with probability `accuracy[class]`, errors spread evenly: one K × K block. */
export function evenErrors(accuracy: ArrayLike<number>): Float64Array {
  const K = accuracy.length;
  return new Float64Array(K * K).map((_, cell) => {
    const k = Math.floor(cell / K);
    return cell % K === k ? accuracy[k] : (1 - accuracy[k]) / Math.max(1, K - 1);
  });
}

/** Right with probability `diagonal()`, drawn anew for each class, errors by chance: one K × K block. */
export function unevenErrors(K: number, diagonal: () => number, random: Random): Float64Array {
  const block = new Float64Array(K * K);
  for (let k = 0; k < K; k++) {
    const right = diagonal();
    const rest = dirichlet(random, new Float64Array(K - 1).fill(1));
    for (let l = 0, j = 0; l < K; l++) block[k * K + l] = l === k ? right : (1 - right) * rest[j++];
  }
  return block;
}

/** One block of K × K after the other. */
export function stack(blocks: readonly Float64Array[]): Float64Array {
  const size = blocks[0]?.length ?? 0;
  const all = new Float64Array(blocks.length * size);
  blocks.forEach((block, w) => {
    all.set(block, w * size);
  });
  return all;
}

/** One label for each place of the assignment, drawn from the worker's confusion. */
export function drawLabels(
  { start, worker }: Assignment,
  truth: Int32Array,
  confusion: Float64Array,
  K: number,
  random: Random,
): Int32Array {
  const label = new Int32Array(worker.length);
  for (let t = 0; t < truth.length; t++) {
    for (let i = start[t]; i < start[t + 1]; i++) {
      const from = (worker[i] * K + truth[t]) * K;
      label[i] = pick(confusion, from, K, random.next());
    }
  }
  return label;
}

/** The class whose part of [0, 1) holds u, by the K probabilities that begin at `from`. */
export function pick(probabilities: Float64Array, from: number, K: number, u: number): number {
  let sum = 0;
  for (let k = 0; k < K - 1; k++) {
    sum += probabilities[from + k];
    if (u < sum) return k;
  }
  return K - 1;
}

/** Names t0, w0, c0, … unless given. */
export function toDataset(
  { start, worker }: Assignment,
  truth: Int32Array,
  label: Int32Array,
  workers: number,
  classes: Names | readonly string[] | number,
): CategoricalData {
  const names = (letter: string, n: number) => Array.from({ length: n }, (_, i) => `${letter}${i}`);
  const task = new Int32Array(worker.length);
  for (let t = 0; t < truth.length; t++) task.fill(t, start[t], start[t + 1]);
  return {
    kind: "categorical",
    tasks: namesOf(names("t", truth.length)),
    workers: namesOf(names("w", workers)),
    classes: namesOf(typeof classes === "number" ? names("c", classes) : classes),
    task,
    worker,
    label,
    gold: truth,
    notes: [],
  };
}
