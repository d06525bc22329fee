/**
 * CATD on numbers: a worker's weight is an upper confidence bound of their precision, so that few answers
 * near the values do not count for much.
 *
 *   squares[w] = sum of (answer - value)² over the answers of worker w, in pooled variances
 *   weight[w]  = χ²(1 - alpha/2; answers[w]) / squares[w]
 *   value[t]   = weighted mean of the answers of task t
 *
 * In turns from the medians, until no value moves. A worker whose answers are the values would have all the
 * weight there is; by default half a pooled variance is the least that is counted, with `paper` a billionth.
 *
 * Li, Li, Gao, Su, Zhao, Demirbas, Fan & Han (2014), PVLDB 8(4), 425–436. https://doi.org/10.14778/2735496.2735505
 */
import { chiSquareQuantile } from "../../math/incomplete.ts";
import type { Steps } from "../../method.ts";
import { discoverValues, discoveryOptions } from "./truth-discovery.ts";
import { type FrameFit, sumBy, workerAware } from "./worker-frame.ts";

/** CATD on numbers: each worker counts by answers per squared error, with caution if the answers are few. */
export const catdNumeric = workerAware(
  {
    id: "catd-numeric",
    title: "CATD on numbers",
    summary:
      "Workers are weighted by a confidence bound on their squared error, so that few answers count less.",
    paper: {
      authors: "Q. Li, Y. Li, J. Gao, L. Su, B. Zhao, M. Demirbas, W. Fan, J. Han",
      year: 2014,
      title: "A confidence-aware approach for truth discovery on long-tail data",
      url: "https://doi.org/10.14778/2735496.2735505",
    },
    family: "weights",
    cost: "O(N) per iteration",
    options: {
      alpha: {
        default: 0.05,
        min: 1e-6,
        max: 1,
        help: "Significance level of the bound; smaller values favour workers with few answers.",
      },
      paper: {
        default: false,
        help: "Let a worker without errors outweigh all others, as in the paper.",
      },
      ...discoveryOptions,
    },
  },
  function* (frame, options): Steps<FrameFit> {
    const { workers, task, worker, y, count, perWorker } = frame;
    const least = options.paper ? 1e-9 : 0.5;
    const quantile = perWorker.map((n) => chiSquareQuantile(1 - options.alpha / 2, n));
    return yield* discoverValues(frame, options, (value) => {
      const distance = sumBy(worker, workers, (i) => count[i] * (y[i] - value[task[i]]) ** 2);
      const weight = distance.map((squares, w) => quantile[w] / Math.max(squares, least));
      return { distance, weight };
    });
  },
);
