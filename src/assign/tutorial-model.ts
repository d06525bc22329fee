/**
 * The live model of the tutorial's protocol: Dawid–Skene whose workers begin with .6 on the diagonal, as one pseudo-label per class, a uniform
 * class prior, and online EM with one step of size t^-0.6 for all workers, t being the number of all labels.
 *
 * Ibrahim, Traganitis, Fu, Giannakis (2025). End-to-End Learning from Crowdsourced Labels.
 */
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { type OnlineModel, type OnlineOptions, online } from "../online/online.ts";

const DIAGONAL = 0.6;

/** Returns the model for tasks and workers that are named in data without labels; `clock: "worker"` takes per-worker steps instead. */
export function tutorialModel(
  empty: CategoricalData,
  { clock = "all" }: Pick<OnlineOptions, "clock"> = {},
): OnlineModel {
  const K = empty.classes.length;
  const history = Float64Array.from({ length: empty.workers.length * K * K }, (_, cell) => {
    const [c, l] = [Math.floor(cell / K) % K, cell % K];
    return c === l ? DIAGONAL : (1 - DIAGONAL) / Math.max(1, K - 1);
  });
  const known = { history };
  const result = dawidSkene(empty, { prior: "uniform", smoothing: 0 }, known);
  return online(empty, result, known, { step: "stochastic", exponent: 0.6, clock });
}
