/** Splits of the gold tasks, by name and seed, alike in every class. */
import { createRandom } from "../math/random.ts";
import type { CategoricalData } from "./categorical.ts";

/** The fold of each task with gold, 0..folds-1, and -1 for the rest. */
export function goldFolds(data: CategoricalData, folds: number, seed: number): Int32Array {
  const random = createRandom(seed).split("gold folds");
  const fold = new Int32Array(data.tasks.length).fill(-1);
  // Classes take turns where the last one stopped, so that folds differ by one task at most.
  let next = 0;
  for (let k = 0; k < data.classes.length; k++) {
    const tasks = [...data.gold.keys()]
      .filter((t) => data.gold[t] === k)
      .map((t) => ({ t, draw: random.split(data.tasks.at(t)).next() }))
      .sort((a, b) => a.draw - b.draw);
    for (const { t } of tasks) fold[t] = next++ % folds;
  }
  return fold;
}
