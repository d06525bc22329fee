/** From beliefs to one class a task, and what to do when two classes are equally probable. */
import type { CrowdDataset } from "../../dataset/dataset.ts";
import { createRandom } from "../../math/random.ts";

export type Ties = "prior" | "first" | "last" | "random" | "abstain";

export const tieOptions = {
  ties: {
    default: "prior",
    choices: ["prior", "first", "last", "random", "abstain"],
    help: "Which of equally probable classes wins: the commoner, the first, the last, one drawn by seed, or none.",
  },
  seed: { default: 0, integer: true, help: "Where all random numbers of the method come from." },
} as const;

/** The most probable class of each task, and how many tasks are tied. */
export function decide(
  data: CrowdDataset,
  posterior: Float64Array,
  prior: Float64Array,
  { ties, seed }: { readonly ties: Ties; readonly seed: number },
): { consensus: Int32Array; ties: number } {
  const K = data.classes.length;
  const consensus = new Int32Array(data.tasks.length);
  const random = createRandom(seed).split("ties");
  let tied = 0;
  for (let t = 0; t < consensus.length; t++) {
    const best = tieSet(posterior, t * K, K);
    if (best.length > 1) tied++;
    consensus[t] =
      best.length === 1
        ? best[0]
        : choose(best, prior, ties, () => random.split(data.tasks[t]).next());
  }
  return { consensus, ties: tied };
}

/** The classes within 1e-12 of the most probable one. */
export function tieSet(posterior: ArrayLike<number>, from: number, K: number): number[] {
  let max = -Infinity;
  let best = 0;
  for (let k = 0; k < K; k++) {
    if (posterior[from + k] > max) {
      max = posterior[from + k];
      best = k;
    }
  }
  const slack = 1e-12 * Math.max(1, Math.abs(max));
  let others = 0;
  for (let k = 0; k < K; k++) if (max - posterior[from + k] <= slack) others++;
  if (others <= 1) return [best];
  const set: number[] = [];
  for (let k = 0; k < K; k++) if (max - posterior[from + k] <= slack) set.push(k);
  return set;
}

function choose(
  set: readonly number[],
  prior: Float64Array,
  ties: Ties,
  draw: () => number,
): number {
  if (ties === "abstain") return -1;
  if (ties === "last") return set[set.length - 1];
  if (ties === "random") return set[Math.floor(draw() * set.length)];
  if (ties === "first") return set[0];
  const largest = Math.max(...set.map((k) => prior[k]));
  return set.find((k) => prior[k] >= largest - 1e-12) ?? set[0];
}
