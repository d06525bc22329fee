/** From beliefs to one class per task, and what to do when two classes are equally probable. */
import type { CategoricalData } from "../data/categorical.ts";
import { maxOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";

export type Ties = "prior" | "first" | "last" | "random" | "abstain";

export const tieOptions = {
  ties: {
    default: "prior",
    choices: ["prior", "first", "last", "random", "abstain"],
    help: "Tie-breaking rule: the more common class, the first, the last, a random one, or no answer.",
  },
  seed: { default: 0, integer: true, help: "Random seed." },
} as const;

/** Returns the most probable class of each task, and how many tasks are tied or have no answer. */
export function decide(
  data: Pick<CategoricalData, "tasks" | "classes">,
  posterior: Float64Array,
  prior: Float64Array,
  { ties, seed }: { readonly ties: Ties; readonly seed: number },
  isAnswered: (task: number) => boolean = () => true,
): { consensus: Int32Array; ties: number; unanswered: number } {
  const K = data.classes.length;
  const consensus = new Int32Array(data.tasks.length);
  const random = createRandom(seed).split("ties");
  let tied = 0;
  let unanswered = 0;
  for (let t = 0; t < consensus.length; t++) {
    if (!isAnswered(t)) {
      consensus[t] = -1;
      unanswered++;
      continue;
    }
    const [best, size] = largest(posterior, t * K, K);
    consensus[t] = best;
    if (size <= 1) continue;
    tied++;
    const draw = () => random.split(data.tasks.at(t)).next();
    consensus[t] = choose(tieSet(posterior, t * K, K), prior, ties, draw);
  }
  return { consensus, ties: tied, unanswered };
}

/** Says how many tasks are tied. */
export function tiedTasks(ties: number): string {
  return ties === 1 ? "1 task is tied" : `${ties} tasks are tied`;
}

/** The first most probable class, and how many classes are within 1e-12 of it. */
function largest(
  posterior: ArrayLike<number>,
  from: number,
  K: number,
): [best: number, size: number] {
  let best = 0;
  for (let k = 1; k < K; k++) if (posterior[from + k] > posterior[from + best]) best = k;
  const max = posterior[from + best];
  const slack = 1e-12 * Math.max(1, Math.abs(max));
  let size = 0;
  for (let k = 0; k < K; k++) if (max - posterior[from + k] <= slack) size++;
  return [best, size];
}

/** The classes within 1e-12 of the most probable one. */
export function tieSet(posterior: ArrayLike<number>, from: number, K: number): number[] {
  const max = posterior[from + largest(posterior, from, K)[0]];
  const slack = 1e-12 * Math.max(1, Math.abs(max));
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
  const largest = maxOf(set.map((k) => prior[k]));
  return set.find((k) => prior[k] >= largest - 1e-12) ?? set[0];
}
