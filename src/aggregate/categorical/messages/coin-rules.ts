/** The nodes over skills by which each worker's means are taken, made when they are first asked for. */

import {
  type CoinNodes,
  type CoinPrior,
  coinNodes,
  type MixturePrior,
  type Sizes,
} from "../../../belief/worker-prior.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import type { Random } from "../../../math/random.ts";
import { betaMoments, MOST_LABELS } from "./coin-polynomial.ts";
import type { MessageSettings } from "./messages.ts";
import { rulesByWorker } from "./worker-rules.ts";

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

/** Makes the rules of each worker. */
export function coinRules(
  data: CategoricalData,
  { K, L }: Sizes,
  settings: MessageSettings<CoinPrior | MixturePrior>,
  sweep: number,
): readonly CoinRules[] {
  const draws = settings.integral === "mc" ? settings.samples : 0;
  return rulesByWorker(data, { K, L }, settings, sweep, (prior, random) =>
    rulesOf(prior, K, draws, random),
  );
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
