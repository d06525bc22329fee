/** Numbers and comparisons of workers of whom the first turns halfway, or nobody does. */
import { namesOf } from "../src/data/names.ts";
import type { NumericData } from "../src/data/numeric.ts";
import { LEFT, type PairwiseData, RIGHT } from "../src/data/pairwise.ts";
import { integer, normal } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";

const named = (letter: string, n: number) =>
  namesOf(Array.from({ length: n }, (_, i) => `${letter}${i}`));

/** Twelve workers with noise and offsets of their own; every second task has six of them, 120 answers each. */
export function turningNumbers(seed: number, turns?: "noise" | "bias"): NumericData {
  const [W, T] = [12, 240];
  const random = createRandom(seed);
  const noise = Array.from({ length: W }, () => 0.5 + random.next());
  const offset = Array.from({ length: W }, () => 0.3 * normal(random));
  const [task, worker, value]: number[][] = [[], [], []];
  for (let t = 0; t < T; t++) {
    const truth = 2 * normal(random);
    for (let w = t % 2; w < W; w += 2) {
      const late = w === 0 && t >= T / 2;
      const scale = late && turns === "noise" ? 3 : 1;
      const shift = late && turns === "bias" ? 1.5 : 0;
      task.push(t);
      worker.push(w);
      value.push(truth + offset[w] + shift + scale * noise[w] * normal(random));
    }
  }
  return {
    kind: "numeric",
    tasks: named("t", T),
    workers: named("w", W),
    task: Int32Array.from(task),
    worker: Int32Array.from(worker),
    value: Float64Array.from(value),
    time: Float64Array.from(task.keys()),
    gold: new Float64Array(T).fill(Number.NaN),
    notes: [],
  };
}

/** Twelve judges who choose the better item in nine of ten of 160 comparisons each. */
export function turningJudges(seed: number, turns?: "agreement" | "side"): PairwiseData {
  const [W, n, K] = [12, 160, 12];
  const random = createRandom(seed);
  const score = Float64Array.from({ length: K }, () => 1.5 * normal(random));
  const [worker, left, right, label]: number[][] = [[], [], [], []];
  for (let j = 0; j < n; j++) {
    for (let w = 0; w < W; w++) {
      const a = integer(random, K);
      const b = (a + 1 + integer(random, K - 1)) % K;
      const late = w === 0 && j >= n / 2;
      const better = random.next() < 0.9 === score[a] > score[b];
      const guess = random.next();
      const chosen =
        !late || !turns ? better : turns === "side" ? guess < 0.95 || better : guess < 0.5;
      worker.push(w);
      left.push(a);
      right.push(b);
      label.push(chosen ? LEFT : RIGHT);
    }
  }
  return {
    kind: "pairwise",
    tasks: named("q", 1),
    workers: named("w", W),
    items: named("i", K),
    task: new Int32Array(label.length),
    worker: Int32Array.from(worker),
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    label: Int32Array.from(label),
    time: Float64Array.from(label.keys()),
    gold: score,
    notes: [],
  };
}
