/**
 * Minimax conditional entropy for ordered classes: what workers and tasks do at each threshold.
 *
 *   P(l | k, w, t) ∝ exp(sum over thresholds s of g[w, s, k ≥ s, l ≥ s] + h[t, s, k ≥ s, l ≥ s])
 *
 * with penalties a/2·g² + b/2·h², in turns with beliefs about the levels, as minimax-entropy does. The
 * objective goes on rising while the levels get worse, since the penalty charges informative workers: two rounds are
 * the default, `maxIterations` allows more.
 *
 * Zhou, Liu, Platt & Meek (2014), ICML, PMLR 32, 262–270. https://proceedings.mlr.press/v32/zhouc14.html
 */
import type { Steps } from "../../method.ts";
import {
  type MinimaxEntropy,
  minimaxEntropy,
  minimaxSteps,
} from "../categorical/margin/minimax-entropy.ts";
import { leveller } from "./levels.ts";
import { oneLevel } from "./one-level.ts";

const { maxIterations, tolerance } = minimaxEntropy.options;

/** Minimax conditional entropy with parameters per threshold between ordered classes. */
export const ordinalMinimaxEntropy = leveller(
  {
    id: "ordinal-minimax-entropy",
    title: "Ordinal minimax entropy",
    summary:
      "Workers and tasks have parameters at each threshold between levels, which are regularised.",
    paper: minimaxEntropy.paper,
    family: "entropy",
    probabilistic: true,
    cost: minimaxEntropy.cost,
    total: ({ labels: N, classes: K }) => 20 * N * K ** 2,
    options: {
      a: { ...minimaxEntropy.options.a, default: 1 },
      b: { ...minimaxEntropy.options.b, default: 25 },
      maxIterations: { ...maxIterations, default: 2 },
      tolerance,
      innerSteps: { ...minimaxEntropy.options.innerSteps, default: 500 },
    },
  },
  function* (data, options, context): Steps<MinimaxEntropy> {
    const only = oneLevel(data, context.known);
    if (only) return { ...only, penalties: { a: options.a, b: options.b } };
    const settings = {
      ...options,
      prior: "uniform",
      form: "ordinal",
      tied: false,
      select: false,
      folds: 1,
    } as const;
    const fit = yield* minimaxSteps(data, settings, context);
    // Stopping early is the point, so it is no reason for a note.
    return { ...fit, converged: true };
  },
);
