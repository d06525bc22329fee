/**
 * Leave-one-out weights: workers are weighted by how close they are to what the others say.
 *
 *   error = answer - mean of the other answers of its task
 *   weight[w] = (n[w] + 20) / (sum of the worker's error² + 20 · mean of all error²)
 *   value[t] = weighted mean of the answers of task t
 *
 * One pass, without a model: twenty answers with errors of the usual size are added to each worker, so that
 * few answers change little. Errors are those of the worker and of the others together; weights of very
 * precise workers stay too small.
 *
 * Weights from the spread of residuals: Carroll & Ruppert (1988), Transformation and Weighting in Regression,
 * chapter 2. https://doi.org/10.1201/9780203735268
 */
import type { Steps } from "../../method.ts";
import { type Frame, type FrameFit, sumBy, workerAware } from "./worker-frame.ts";

/** Leave-one-out weights: workers who are close to what the others say count more. */
export const looWeight = workerAware(
  {
    id: "loo-weight",
    title: "Leave-one-out weights",
    summary: "Workers are weighted by how close their answers are to the mean of the others'.",
    paper: {
      authors: "R. J. Carroll, D. Ruppert",
      year: 1988,
      title: "Transformation and Weighting in Regression",
      url: "https://doi.org/10.1201/9780203735268",
    },
    family: "weights",
    cost: "O(N), two passes",
    options: {
      prior: {
        default: 20,
        min: 0,
        unit: "answers",
        help: "Number of answers with usual errors that are added to each worker.",
      },
    },
  },
  function* (frame, { prior }): Steps<FrameFit> {
    const { tasks, task, worker, y, count } = frame;
    const weight = weightsOf(frame, prior);
    const total = sumBy(task, tasks, (i) => count[i] * weight[worker[i]]);
    const value = sumBy(task, tasks, (i) => (count[i] * weight[worker[i]] * y[i]) / total[task[i]]);
    return { value, weight, trace: [], converged: true };
  },
);

/** Least mean square of a worker's errors, for a `prior` of 0. */
const LEAST = 1e-9;

/** Returns the weight of each worker from the leave-one-out errors on tasks with two answers or more. */
function weightsOf(frame: Frame, prior: number): Float64Array {
  const { tasks, workers, task, worker, y, count } = frame;
  const answered = sumBy(task, tasks, (i) => count[i]);
  const means = sumBy(task, tasks, (i) => (count[i] * y[i]) / answered[task[i]]);
  // The mean of the others leaves one answer out: y - others = (y - mean) · d / (d - 1).
  const square = y.map((each, i) => {
    const d = answered[task[i]];
    return d > 1 ? (((each - means[task[i]]) * d) / (d - 1)) ** 2 : 0;
  });
  const counted = count.map((each, i) => (answered[task[i]] > 1 ? each : 0));
  const n = sumBy(worker, workers, (i) => counted[i]);
  const sums = sumBy(worker, workers, (i) => counted[i] * square[i]);
  const all = n.reduce((sum, each) => sum + each, 0);
  const usual = all > 0 ? sums.reduce((sum, each) => sum + each, 0) / all : 0;
  const m = usual > 0 ? usual : 1;
  return sums.map((sum, w) => {
    if (n[w] + prior === 0) return 1 / m;
    return 1 / Math.max((sum + prior * m) / (n[w] + prior), LEAST * m);
  });
}
