/**
 * PM, also CRH: find answers and weights of workers that together make disagreement cheapest.
 *
 *   minimise  sum over workers of weight[w] · errors[w],  with  sum of exp(-weight[w]) = 1
 *
 *   errors[w]  = labels of worker w that differ from the answers, or their share (`normalise`)
 *   weight[w]  = -log(errors[w] / sum of all errors), or / the largest (`scale`)
 *   answers    = the weighted vote
 *
 * In turns from the plain vote, until the answers repeat. By totals and by the sum it is the
 * problem above, solved block by block; but totals punish those who work much, and a worker with few
 * labels and no error outweighs a crowd: on web it collapses. Rates, the default, do neither: errors + ½
 * of labels + 1. By the largest, the worst worker has no say, as in most programs.
 *
 * The posterior is a share of weight, no probability.
 *
 * Li, Li, Gao, Zhao, Fan & Han (2014), SIGMOD, 1187–1198. https://doi.org/10.1145/2588555.2610509
 */

import type { Steps } from "../../../method.ts";
import { aggregator } from "../aggregator.ts";
import { type Discovery, discover, discoveryOptions, type Errors } from "./truth-discovery.ts";

/** Errors are kept at or above this, so that nobody's weight is infinite. */
const SMALLEST = 1e-8;

/** PM (CRH): finds weights and answers that minimise the weighted disagreement, in turns. */
export const pm = aggregator(
  {
    id: "pm",
    title: "PM (CRH)",
    summary: "Minimises the weighted disagreement, alternating between weights and answers.",
    paper: {
      authors: "Q. Li, Y. Li, J. Gao, B. Zhao, W. Fan, J. Han",
      year: 2014,
      title:
        "Resolving conflicts in heterogeneous data by truth discovery and source reliability estimation",
      url: "https://doi.org/10.1145/2588555.2610509",
    },
    family: "votes",
    probabilistic: false,
    cost: "O(N) per iteration",
    options: {
      normalise: {
        default: "mean",
        choices: ["mean", "sum"],
        help: "How a worker's errors are counted: as a share of the labels, or as a number.",
      },
      scale: {
        default: "max",
        choices: ["max", "sum"],
        help: "Scale of the errors: those of the worst worker, or the sum over all workers.",
      },
      ...discoveryOptions,
    },
    presets: {
      crh: { title: "CRH", options: { normalise: "sum", scale: "sum" } },
    },
  },
  function* (data, options, { known }): Steps<Discovery> {
    return yield* discover(data, options, known, (found) => weightsOf(found, options));
  },
);

function weightsOf(
  { errors, labels }: Errors,
  { normalise, scale }: { readonly normalise: string; readonly scale: string },
): Float64Array {
  const costs = errors.map((e, w) => {
    if (labels[w] === 0) return 0;
    return Math.max(SMALLEST, normalise === "mean" ? (e + 0.5) / (labels[w] + 1) : e);
  });
  const whole = costs.reduce((x, cost) => (scale === "sum" ? x + cost : Math.max(x, cost)), 0);
  // A worker without labels has no errors, and no weight.
  return costs.map((cost) => (cost > 0 ? Math.log(whole / cost) : 0));
}
