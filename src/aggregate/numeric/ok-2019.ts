/**
 * Iterative Bayes: workers have one of a few variances, tasks and workers tell each other what they believe.
 *
 *   value[t] ~ N(m, v),   variance[w] uniform on a ladder,   answer ~ N(value[t], variance[w])
 *
 *   g[w → t](s)  ∝  product over the other tasks j of w of f[j → w](s)
 *   f[t → w](s)  ∝  ∫ N(z; m, v) · N(answer[w]; z, s) · product over the other workers u of t of mix[u](z) dz
 *   mix[u](z)    =  sum over s of g[u → t](s) · N(answer[u]; z, s)
 *
 * Variances are averaged over, never estimated; the value is the mean of z under N(z; m, v) and all mixtures. The
 * integral runs on a grid that is fine for the smallest variance. Exact where answers form no loops, good where they
 * are sparse. The ladder goes from 1/16 to 8 pooled variances by factors of 2, and the prior of the values is so wide
 * that it hardly counts.
 *
 * Ok, Oh, Jang, Shin & Yi (2019), AISTATS, PMLR 89. https://proceedings.mlr.press/v89/ok19a.html
 */
import { maxOf } from "../../math/lists.ts";
import type { Steps } from "../../method.ts";
import { groupRows } from "./estimator.ts";
import { createTaskIntegral, type VarianceModel } from "./variance-integral.ts";
import { type FrameFit, type PlainFrame, sumBy, workerAware } from "./worker-frame.ts";

/** Iterative Bayes: messages between tasks and workers, whose variances are averaged over. */
export const ok2019 = workerAware(
  {
    id: "ok-2019",
    title: "Iterative Bayes",
    summary:
      "Tasks and workers exchange messages about the workers' variances, which are averaged over.",
    paper: {
      authors: "J. Ok, S. Oh, Y. Jang, J. Shin, Y. Yi",
      year: 2019,
      title: "Iterative Bayesian learning for crowdsourced regression",
      url: "https://proceedings.mlr.press/v89/ok19a.html",
    },
    family: "variances",
    cost: "O(N · G · 8) per sweep, for G grid points per task, a few hundred",
    memory: ({ labels }) => 16 * 8 * labels,
    options: {
      maxIterations: { default: 50, min: 1, integer: true, help: "Maximum number of sweeps." },
      tolerance: { default: 1e-6, min: 0, help: "Largest change of a message at which to stop." },
    },
  },
  function* (frame, options): Steps<FrameFit> {
    return yield* varianceMessages(frame, modelOf(frame), options);
  },
);

/** Variances from 1/16 to 8, and a normal a hundred times as wide as the means of the tasks. */
function modelOf({ tasks, task, y, count }: PlainFrame): VarianceModel {
  const answered = sumBy(task, tasks, (i) => count[i]);
  const mean = sumBy(task, tasks, (i) => (count[i] * y[i]) / answered[task[i]]);
  const m = mean.reduce((sum, each) => sum + each, 0) / tasks;
  const spread = mean.reduce((sum, each) => sum + (each - m) ** 2, 0) / tasks;
  const variances = Float64Array.from({ length: 8 }, (_, k) => 2 ** (k - 4));
  return { variances, m, v: 100 * Math.max(spread, 1) };
}

/** Sends messages both ways until none changes; the trace is minus the largest change. */
export function* varianceMessages(
  frame: PlainFrame,
  model: VarianceModel,
  options: { readonly maxIterations: number; readonly tolerance: number },
): Steps<FrameFit> {
  const { tasks } = frame;
  const integrate = createTaskIntegral(frame, model);
  const { rows, start } = groupRows(frame.task, tasks);
  const S = model.variances.length;
  const toTask = new Float64Array(frame.y.length * S).fill(1 / S);
  const toWorker = new Float64Array(frame.y.length * S);
  const [value, sd] = [new Float64Array(tasks), new Float64Array(tasks)];
  const sweep = () => {
    for (let t = 0; t < tasks; t++) {
      const found = integrate(rows.subarray(start[t], start[t + 1]), toTask, toWorker);
      value[t] = found.mean;
      sd[t] = found.sd;
    }
  };
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= options.maxIterations && !converged; iteration++) {
    sweep();
    const change = answerTasks(frame, S, toWorker, toTask);
    converged = change < options.tolerance;
    trace.push(-change);
    yield { iteration, objective: -change };
  }
  // Values from the last messages of the workers.
  sweep();
  const precision = precisionsOf(frame, model, toWorker);
  return {
    value,
    sd,
    low: value.map((each, t) => each - 1.96 * sd[t]),
    high: value.map((each, t) => each + 1.96 * sd[t]),
    noise: precision.map((each) => 1 / Math.sqrt(each)),
    weight: precision,
    trace,
    converged,
  };
}

/** Logarithm of what all tasks tell each worker about their variance: log[w * S + s]. */
function beliefsOf({ workers, worker, count }: PlainFrame, S: number, toWorker: Float64Array) {
  const log = new Float64Array(workers * S);
  for (let i = 0; i < worker.length; i++) {
    for (let s = 0; s < S; s++) log[worker[i] * S + s] += count[i] * Math.log(toWorker[i * S + s]);
  }
  return log;
}

/** Workers tell each task what the other tasks say of their variance. Returns the largest change. */
function answerTasks(
  frame: PlainFrame,
  S: number,
  toWorker: Float64Array,
  toTask: Float64Array,
): number {
  const beliefs = beliefsOf(frame, S, toWorker);
  const next = new Float64Array(S);
  let change = 0;
  for (let i = 0; i < frame.worker.length; i++) {
    for (let s = 0; s < S; s++)
      next[s] = beliefs[frame.worker[i] * S + s] - Math.log(toWorker[i * S + s]);
    shares(next);
    for (let s = 0; s < S; s++) {
      change = Math.max(change, Math.abs(next[s] - toTask[i * S + s]));
      toTask[i * S + s] = next[s];
    }
  }
  return change;
}

/** Turns logarithms into shares that sum to 1. */
function shares(log: Float64Array): void {
  const top = maxOf(log);
  let total = 0;
  for (let s = 0; s < log.length; s++) {
    log[s] = Math.exp(log[s] - top);
    total += log[s];
  }
  for (let s = 0; s < log.length; s++) log[s] /= total;
}

/** Expected 1 / variance of each worker, from what all tasks say. */
function precisionsOf(frame: PlainFrame, { variances }: VarianceModel, toWorker: Float64Array) {
  const S = variances.length;
  const beliefs = beliefsOf(frame, S, toWorker);
  return Float64Array.from({ length: frame.workers }, (_, w) => {
    const own = beliefs.slice(w * S, (w + 1) * S);
    shares(own);
    return own.reduce((sum, share, s) => sum + share / variances[s], 0);
  });
}
