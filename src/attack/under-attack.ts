/** How accurate a model stays while its inputs are perturbed more and more. */
import type { Features } from "../data/features.ts";
import { rowSize } from "../data/features.ts";
import { createRandom } from "../math/random.ts";
import type { Executor } from "../tensor/executor.ts";
import type { Attack, AttackSettings } from "./attack.ts";
import { perturb } from "./perturb.ts";
import { createVictim, type GradientModel } from "./victim.ts";

/** Sizes of the perturbations to try, and how. */
export interface UnderAttackOptions extends Omit<AttackSettings, "epsilon"> {
  readonly epsilons: readonly number[];
  readonly seed: number;
  /** How much of each feature counts as a distance of 1; absent: 1. */
  readonly unit?: ArrayLike<number> | undefined;
  /** Whose gradients are used: the model's own, or those of a substitute. */
  readonly substitute?: GradientModel | undefined;
  readonly signal?: { readonly aborted: boolean } | undefined;
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** Accuracy under perturbations of one size. */
export interface AttackPoint {
  readonly epsilon: number;
  readonly right: number;
  readonly total: number;
  readonly accuracy: number;
}

const ROWS = 256;

/** Accuracy on perturbed rows for each epsilon. Gold -1 is left out. */
export async function accuracyUnderAttack(
  executor: Executor,
  model: GradientModel,
  features: Features,
  gold: Int32Array,
  attack: Attack,
  options: UnderAttackOptions,
): Promise<readonly AttackPoint[]> {
  const { epsilons, seed, substitute, signal, onProgress } = options;
  const K = model.classes.length;
  const size = rowSize(features);
  const rows = [...gold.keys()].filter((i) => gold[i] >= 0);
  const victim = await createVictim(executor, model);
  const source = await createVictim(executor, substitute ?? model, attack.loss);
  try {
    const points: AttackPoint[] = [];
    for (const [e, epsilon] of epsilons.entries()) {
      let right = 0;
      for (let start = 0; start < rows.length; start += ROWS) {
        if (signal?.aborted) break;
        const chunk = rows.slice(start, start + ROWS);
        const x = new Float32Array(chunk.length * size);
        features.read(chunk, x);
        const target = new Float32Array(chunk.length * K);
        chunk.forEach((row, i) => {
          target[i * K + gold[row]] = 1;
        });
        const random = createRandom(seed).split("attack").split(attack.id).split(start);
        const settings = { ...attack.settle({ ...options, epsilon }), unit: options.unit };
        const moved = await perturb(x, target, chunk.length, source.gradientOf, settings, random);
        const f = await victim.predict(moved);
        chunk.forEach((row, i) => {
          const scores = f.subarray(i * K, (i + 1) * K);
          if (scores.indexOf(scores.reduce((a, b) => Math.max(a, b))) === gold[row]) right++;
        });
        onProgress?.((e + (start + chunk.length) / rows.length) / epsilons.length);
      }
      points.push({ epsilon, right, total: rows.length, accuracy: right / rows.length });
    }
    return points;
  } finally {
    await victim.dispose();
    await source.dispose();
  }
}
