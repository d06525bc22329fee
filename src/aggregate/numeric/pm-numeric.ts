/**
 * PM on numbers, also CRH: find values and weights of workers that together make distances cheapest.
 *
 *   distance   = (answer - value)² / standard deviation of the answers of the task
 *   mean[w]    = (sum of the worker's distances + mean of all distances) / (answers[w] + 1)
 *   weight[w]  = -log(mean[w] / the largest of them)
 *   value[t]   = weighted mean of the answers of task t
 *
 * In turns from the medians, until no value moves. The worst worker has no say, and small differences
 * between the best weigh much: good where some workers are bad throughout, bad where all are alike.
 *
 * Li, Li, Gao, Zhao, Fan & Han (2014), SIGMOD, 1187–1198. https://doi.org/10.1145/2588555.2610509
 */
import { maxOf } from "../../math/lists.ts";
import type { Steps } from "../../method.ts";
import { discoverValues, discoveryOptions } from "./truth-discovery.ts";
import { type Frame, type FrameFit, sumBy, workerAware } from "./worker-frame.ts";

/** Mean distances are kept at or above this share of the mean of all, so that nobody's weight is infinite. */
const SMALLEST = 1e-8;
/** Tasks whose answers spread less than this do not tell workers apart. */
const LEAST_SPREAD = 1e-9;

/** PM (CRH) on numbers: finds weights and values that minimise the weighted distances, in turns. */
export const pmNumeric = workerAware(
  {
    id: "pm-numeric",
    title: "PM (CRH) on numbers",
    summary:
      "Minimises the weighted distance of answers from values, alternating between weights and values.",
    paper: {
      authors: "Q. Li, Y. Li, J. Gao, B. Zhao, W. Fan, J. Han",
      year: 2014,
      title:
        "Resolving conflicts in heterogeneous data by truth discovery and source reliability estimation",
      url: "https://doi.org/10.1145/2588555.2610509",
    },
    family: "weights",
    cost: "O(N) per iteration",
    options: discoveryOptions,
  },
  function* (frame, options): Steps<FrameFit> {
    const { workers, task, worker, y, count, perWorker } = frame;
    const spread = spreadsOf(frame);
    const all = perWorker.reduce((sum, n) => sum + n, 0);
    return yield* discoverValues(frame, options, (value) => {
      const distance = sumBy(worker, workers, (i) => {
        const wide = spread[task[i]];
        return wide > LEAST_SPREAD ? (count[i] * (y[i] - value[task[i]]) ** 2) / wide : 0;
      });
      const usual = distance.reduce((sum, each) => sum + each, 0) / all;
      const mean = distance.map((sum, w) =>
        Math.max((sum + usual) / (perWorker[w] + 1), SMALLEST * usual),
      );
      const worst = maxOf(mean);
      return { distance, weight: mean.map((each) => (worst > 0 ? Math.log(worst / each) : 0)) };
    });
  },
);

/** Standard deviation of the answers of each task, over all of them. */
function spreadsOf({ tasks, task, y, count }: Frame): Float64Array {
  const answered = sumBy(task, tasks, (i) => count[i]);
  const mean = sumBy(task, tasks, (i) => (count[i] * y[i]) / answered[task[i]]);
  const squares = sumBy(task, tasks, (i) => count[i] * (y[i] - mean[task[i]]) ** 2);
  return squares.map((sum, t) => Math.sqrt(sum / answered[t]));
}
