/** A crowd on which EM from the votes fails, and how well confusions can be known at best. */
import type { CategoricalData } from "../data/categorical.ts";
import { confusionRecovery } from "../evaluate/confusion-recovery.ts";
import { createRandom } from "../math/random.ts";
import { simulateCrowd } from "../simulate/crowd.ts";
import type { Drawn } from "../simulate/simulation.ts";

/**
 * Three classes; six workers of fifteen are experts, two for each class, who say it of hardly any other;
 * the other nine take each class for the next one, more often than not.
 */
export function misledCrowd(seed: number, tasks: number): Drawn {
  const random = createRandom(seed).split("misled");
  const next = (k: number) => (k + 1) % 3;
  const workers = Array.from({ length: 15 }, (_, w) => {
    const block = new Float64Array(9);
    for (let k = 0; k < 3; k++) {
      const noise = 0.1 * random.next();
      const others = [next(k), next(next(k))];
      const rate = (l: number) => {
        if (w >= 6) return l === k ? 0.15 + noise : l === next(k) ? 0.7 - 2 * noise : 0.15 + noise;
        const own = w % 3;
        if (k === own) return l === k ? 0.96 : 0.02;
        if (l === own) return 0.02;
        return l === k ? 0.55 + noise : 0.43 - noise;
      };
      for (const l of [k, ...others]) block[k * 3 + l] = rate(l);
    }
    return { role: w < 6 ? "expert" : "misled", block };
  });
  return simulateCrowd(
    {
      tasks,
      testTasks: 0,
      workers: 15,
      labelsPerTask: 8,
      activity: 0,
      regular: false,
    },
    Float64Array.of(0.4, 0.35, 0.25),
    workers,
    random,
    { of: "misled", train: tasks, test: 0 },
  );
}

/** Mean absolute error of confusions that are counted with every truth known. */
export function knownTruthError(data: CategoricalData, confusion: Float64Array): number {
  const K = data.classes.length;
  const counts = new Float64Array(confusion.length).fill(1e-9);
  for (let i = 0; i < data.label.length; i++) {
    counts[(data.worker[i] * K + data.gold[data.task[i]]) * K + data.label[i]]++;
  }
  for (let row = 0; row < counts.length; row += K) {
    const total = counts.subarray(row, row + K).reduce((sum, count) => sum + count, 0);
    for (let l = 0; l < K; l++) counts[row + l] /= total;
  }
  return recoveryError(counts, confusion, K);
}

/** Mean absolute error of a cell under the best common renaming of the classes. */
export function recoveryError(fitted: Float64Array, truth: Float64Array, K: number): number {
  return confusionRecovery(fitted, truth, { classes: K, given: K }).meanError;
}
