/** The nodes over skills by which each worker's means are taken, made when they are first asked for. */

import {
  type CoinNodes,
  type CoinPrior,
  coinNodes,
  type MixturePrior,
  type Sizes,
  withPast,
} from "../../../belief/worker-prior.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import type { Random } from "../../../math/random.ts";
import { betaMoments, MOST_LABELS } from "./coin-polynomial.ts";
import type { MessageSettings } from "./messages.ts";

export interface CoinRule extends CoinNodes {
  /** Probability of each single wrong label. */
  readonly wrong: Float64Array;
}

export interface CoinRules {
  /** A rule with this many nodes a Beta; where nodes are drawn, always the same draws. */
  nodes(size: number): CoinRule;
  /** The moments that polynomials take for n labels, where they serve. */
  moments(n: number): Float64Array | undefined;
}

/** The rules of each worker: the same for all without a past. A sweep has its own draws if asked for. */
export function coinRules(
  data: CrowdDataset,
  { K, L }: Sizes,
  settings: MessageSettings<CoinPrior | MixturePrior>,
  sweep: number,
): readonly CoinRules[] {
  const { prior, history, integral, random } = settings;
  const source = settings.resample === "sweep" ? random.split(sweep) : random;
  const draws = integral === "mc" ? settings.samples : 0;
  const common = rulesOf(prior, K, draws, source);
  return Array.from(data.workers, (name, w) => {
    const past = history?.subarray(w * K * L, (w + 1) * K * L);
    if (!past?.some((count) => count > 0)) return common;
    const own = withPast(prior, past, { K, L }) as CoinPrior | MixturePrior;
    return rulesOf(own, K, draws, source.split(name));
  });
}

function rulesOf(
  prior: CoinPrior | MixturePrior,
  K: number,
  draws: number,
  random: Random,
): CoinRules {
  const rules: CoinRule[] = [];
  const moments: Float64Array[] = [];
  return {
    nodes(size) {
      const at = draws > 0 ? 0 : size;
      if (rules[at]) return rules[at];
      const nodes = coinNodes(prior, draws > 0 ? { size: draws, random } : { size });
      const wrong = nodes.skill.map((skill) => (1 - skill) / Math.max(1, K - 1));
      rules[at] = { ...nodes, wrong };
      return rules[at];
    },
    moments(n) {
      if (prior.kind !== "one-coin" || n > MOST_LABELS) return undefined;
      moments[n] ??= betaMoments(prior.right, prior.wrong, n);
      return moments[n];
    },
  };
}
