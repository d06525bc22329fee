/**
 * CATD, confidence-aware truth discovery: a worker's weight is an upper confidence bound of their
 * precision, so that few labels without an error do not count for much.
 *
 *   errors[w]  = labels of worker w that differ from the answers
 *   weight[w]  = χ²(1 - alpha/2; labels[w]) / errors[w], all together summing to 1
 *   answers    = the weighted vote
 *
 * In turns from the plain vote, until the answers repeat. Made for crowds in which most workers label
 * little and few label much. A worker without any error would have all the weight there is; by default
 * half an error is the least that is counted, with `paper` a billionth.
 *
 * The posterior is a share of weight, no probability.
 *
 * Li, Li, Gao, Su, Zhao, Demirbas, Fan & Han (2014), PVLDB 8(4), 425–436. https://doi.org/10.14778/2735496.2735505
 */
import { chiSquareQuantile } from "../../../math/incomplete.ts";
import type { Steps } from "../../../method.ts";
import { aggregator } from "../aggregator.ts";
import { type Discovery, discover, discoveryOptions } from "./truth-discovery.ts";

/** CATD: each worker counts by labels per error, with caution if the labels are few. */
export const catd = aggregator(
  {
    id: "catd",
    title: "CATD",
    summary:
      "Workers are weighted by a confidence bound on their error, so that few labels count less.",
    paper: {
      authors: "Q. Li, Y. Li, J. Gao, L. Su, B. Zhao, M. Demirbas, W. Fan, J. Han",
      year: 2014,
      title: "A confidence-aware approach for truth discovery on long-tail data",
      url: "https://doi.org/10.14778/2735496.2735505",
    },
    family: "votes",
    probabilistic: false,
    cost: "O(N) per iteration",
    options: {
      alpha: {
        default: 0.05,
        min: 1e-6,
        max: 1,
        help: "Significance level of the bound; smaller values favour workers with few labels.",
      },
      paper: {
        default: false,
        help: "Let a worker without errors outweigh all others, as in the paper.",
      },
      ...discoveryOptions,
    },
  },
  function* (data, options, { known }): Steps<Discovery> {
    // A quantile takes microseconds, and many workers have as many labels as others.
    const quantiles = new Map<number, number>();
    const quantile = (n: number): number => {
      const found = quantiles.get(n) ?? chiSquareQuantile(1 - options.alpha / 2, n);
      quantiles.set(n, found);
      return found;
    };
    return yield* discover(data, options, known, ({ errors, labels }) => {
      const weights = errors.map((e, w) => {
        if (labels[w] === 0) return 0;
        return quantile(labels[w]) / (options.paper ? e + 1e-9 : Math.max(0.5, e));
      });
      const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
      return weights.map((weight) => weight / total);
    });
  },
);
