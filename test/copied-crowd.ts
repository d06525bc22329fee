/** Crowds in which some workers copy another, with the number of independent workers they are worth. */
import type { CategoricalData } from "../src/data/categorical.ts";
import { namesOf } from "../src/data/names.ts";
import { categorical, dirichlet } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";

export interface CopiedDesign {
  readonly tasks: number;
  /** Workers of one confusion: the first, and those who copy the first. */
  readonly copies: number;
  /** Workers who answer independently. */
  readonly others: number;
  readonly classes: number;
  /** Probability that a copy repeats the first worker's label. */
  readonly copying: number;
  /** Probability that a worker labels a task; ignored with `perTask`. */
  readonly rate?: number;
  readonly perTask?: number;
  readonly prior?: readonly number[];
}

export function copiedCrowd(seed: number, design: CopiedDesign): CategoricalData {
  const { tasks: T, copies, others, classes: K, copying, rate = 1, perTask = 0, prior } = design;
  const random = createRandom(seed).split("copied crowd");
  const W = copies + others;
  const theta = Array.from({ length: W }, () => rowsOf(K, random.next.bind(random), random));
  for (let w = 1; w < copies; w++) theta[w] = theta[0];
  const shares = prior ? Float64Array.from(prior) : new Float64Array(K).fill(1 / K);
  const [task, worker, label]: number[][] = [[], [], []];
  const gold = Int32Array.from({ length: T }, () => categorical(random, shares));
  for (let t = 0; t < T; t++) {
    const said = theta.map((rows) => categorical(random, rows[gold[t]]));
    for (let w = 1; w < copies; w++) if (random.next() < copying) said[w] = said[0];
    const asked = new Set<number>();
    while (asked.size < perTask) asked.add(Math.floor(random.next() * W));
    for (let w = 0; w < W; w++) {
      if (perTask > 0 ? !asked.has(w) : random.next() >= rate) continue;
      task.push(t);
      worker.push(w);
      label.push(said[w]);
    }
  }
  const names = (letter: string, n: number) =>
    namesOf(Array.from({ length: n }, (_, i) => `${letter}${i}`));
  return {
    kind: "categorical",
    tasks: names("t", T),
    workers: names("w", W),
    classes: names("c", K),
    task: Int32Array.from(task),
    worker: Int32Array.from(worker),
    label: Int32Array.from(label),
    gold,
    notes: [],
  };
}

/** A confusion matrix with a diagonal from .6 to .9. */
function rowsOf(
  K: number,
  next: () => number,
  random: ReturnType<typeof createRandom>,
): Float64Array[] {
  return Array.from({ length: K }, (_, c) => {
    const right = 0.6 + 0.3 * next();
    const rest = dirichlet(random, new Float64Array(Math.max(1, K - 1)).fill(1));
    let other = 0;
    return Float64Array.from({ length: K }, (_, k) =>
      k === c ? right : (1 - right) * rest[other++],
    );
  });
}
