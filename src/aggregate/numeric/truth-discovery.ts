/**
 * The loop of truth discovery on numbers: values are weighted means, weights tell how far workers are from
 * the values, in turns from the medians, until no value moves.
 */
import type { Steps } from "../../method.ts";
import { groupRows } from "./estimator.ts";
import { weightedMedian } from "./median.ts";
import { type Frame, type FrameFit, sumBy } from "./worker-frame.ts";

export const discoveryOptions = {
  maxIterations: {
    default: 100,
    min: 1,
    integer: true,
    help: "Maximum number of weighted means.",
  },
  tolerance: {
    default: 1e-8,
    min: 0,
    unit: "pooled standard deviations",
    help: "Largest change of a value at which to stop.",
  },
} as const;

/** What workers did under the current values: the distance of each, and the weight that it earns. */
interface Weighed {
  readonly distance: Float64Array;
  readonly weight: Float64Array;
}

/** Weights that sum to less leave a task to its plain mean. */
const LEAST = 1e-12;

/** From the medians. The trace is minus the distances that the weights met, weighted; it need not rise. */
export function* discoverValues(
  frame: Frame,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
  weigh: (value: Float64Array) => Weighed,
): Steps<FrameFit> {
  let value = mediansOf(frame);
  let weight: Float64Array = new Float64Array(frame.workers);
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const before = value;
    const found = weigh(before);
    weight = found.weight;
    value = weightedMeans(frame, weight);
    converged = value.every((each, t) => Math.abs(each - before[t]) <= tolerance);
    const objective = -found.distance.reduce((sum, each, w) => sum + weight[w] * each, 0);
    trace.push(objective);
    yield { iteration, objective };
  }
  return { value, weight, trace, converged };
}

/** Median answer of each task. */
function mediansOf({ tasks, task, y, count }: Frame): Float64Array {
  const { rows, start } = groupRows(task, tasks);
  const medians = new Float64Array(tasks);
  for (let t = 0; t < tasks; t++) {
    const own = rows.slice(start[t], start[t + 1]).sort((i, j) => y[i] - y[j]);
    const counts = Float64Array.from(own, (i) => count[i]);
    const all = counts.reduce((sum, each) => sum + each, 0);
    medians[t] = weightedMedian(
      Float64Array.from(own, (i) => y[i]),
      counts,
      all,
    );
  }
  return medians;
}

/** Mean of each task's answers by the weight of their workers; plain where nobody has any. */
function weightedMeans({ tasks, task, worker, y, count }: Frame, weight: Float64Array) {
  const total = sumBy(task, tasks, (i) => count[i] * weight[worker[i]]);
  const answered = sumBy(task, tasks, (i) => count[i]);
  return sumBy(task, tasks, (i) => {
    const t = task[i];
    const share = total[t] > LEAST ? weight[worker[i]] / total[t] : 1 / answered[t];
    return count[i] * share * y[i];
  });
}
