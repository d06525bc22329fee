/** The rules by which each worker's means are taken, whatever the kind of worker. */

import { type Sizes, type WorkerPrior, withPast } from "../../../belief/worker-prior.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import type { Random } from "../../../math/random.ts";
import type { MessageSettings } from "./messages.ts";

/**
 * Makes the rules of each worker from a prior: workers without a past share one set of rules. With
 * `resample: "sweep"` each sweep has its own random stream.
 */
export function rulesByWorker<Prior extends WorkerPrior, Rules>(
  data: CategoricalData,
  { K, L }: Sizes,
  settings: MessageSettings<Prior>,
  sweep: number,
  rulesOf: (prior: Prior, random: Random) => Rules,
): readonly Rules[] {
  const { prior, history, resample, random } = settings;
  const source = resample === "sweep" ? random.split(sweep) : random;
  const common = rulesOf(prior, source);
  return Array.from(data.workers, (name, w) => {
    const past = history?.subarray(w * K * L, (w + 1) * K * L);
    if (!past?.some((count) => count > 0)) return common;
    return rulesOf(withPast(prior, past, { K, L }) as Prior, source.split(name));
  });
}
