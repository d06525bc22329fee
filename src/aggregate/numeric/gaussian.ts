/**
 * Gaussian workers: every worker has noise of an own size and, if asked for, an offset.
 *
 *   answer of worker w to task t ~ N(value[t] + offset[w], s[w]²)
 *   1 / s[w]² ~ Gamma(a, b),   offset[w] ~ N(0, τ²)
 *
 * `bayes` is variational: q(value) q(offset) q(s²) with a, b and τ learnt, so that workers who do not differ
 * count the same. `em` maximises over s and offsets with a prior worth six answers. Values have a flat
 * prior. Without a prior of s one worker's noise would go to 0, and the values to that worker’s answers.
 * Good if workers differ and errors are near normal; on answers that pile up at one number, those who
 * give it most often look precise.
 *
 * Raykar et al. (2010), JMLR 11, 1297–1322, section 5. https://jmlr.org/papers/v11/raykar10a.html
 */
import { CrowdError } from "../../error.ts";
import { digamma, logGamma } from "../../math/gamma.ts";
import type { Steps } from "../../method.ts";
import { noiseEm, offsetNotes } from "./noise-em.ts";
import { noiseIntervals } from "./noise-interval.ts";
import { type Frame, type FrameFit, sumBy, workerAware } from "./worker-frame.ts";

/** Gaussian workers: each has noise of an own size, learnt with the values. */
export const gaussian = workerAware(
  {
    id: "gaussian",
    title: "Gaussian workers",
    summary:
      "Each worker has noise of an own size, and an offset if asked for; precise workers count more.",
    paper: {
      authors: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni, L. Moy",
      year: 2010,
      title: "Learning from crowds",
      url: "https://jmlr.org/papers/v11/raykar10a.html",
    },
    family: "noise",
    cost: "O(N) per iteration",
    options: {
      fit: {
        default: "bayes",
        choices: ["bayes", "em"],
        help: "Fit: variational with a learnt prior of the noise, or EM with a fixed one.",
      },
      bias: { default: false, help: "Learn an offset for each worker." },
      taskPrior: {
        default: "flat",
        choices: ["flat", "normal"],
        help: "Prior of the values: none, or a normal that is learnt. Normal needs fit em.",
      },
      maxIterations: {
        default: 1000,
        min: 1,
        integer: true,
        help: "Maximum number of iterations.",
      },
      tolerance: {
        default: 1e-8,
        min: 0,
        unit: "pooled standard deviations",
        help: "Largest change of a value at which to stop.",
      },
    },
  },
  function* (frame, options): Steps<FrameFit> {
    if (options.fit === "bayes") {
      if (options.taskPrior === "flat") return yield* variational(frame, options);
      throw new CrowdError("bad-option", 'gaussian: taskPrior "normal" needs fit "em".');
    }
    const fit = yield* noiseEm(frame, { ...options, freedom: Infinity });
    // Only the intervals of the variational fit were found to hold.
    const { sd, low, high } = yield* variational(frame, options);
    return { ...fit, sd, low, high };
  },
);

interface Settings {
  readonly bias: boolean;
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Least variance of the offsets. */
const LEAST = 1e-6;

/** The factors, and the priors that are learnt. */
interface Beliefs {
  /** q(value[t]) = N(mu, variance). */
  mu: Float64Array;
  variance: Float64Array;
  /** q(offset[w]) = N(offset, spread). */
  readonly offset: Float64Array;
  readonly spread: Float64Array;
  /** q(1 / s[w]²) = Gamma(shape, rate), with mean `precision`. */
  readonly shape: Float64Array;
  readonly rate: Float64Array;
  readonly precision: Float64Array;
  /** Priors: 1 / s² ~ Gamma(a, b), offset ~ N(0, tau2). */
  a: number;
  b: number;
  tau2: number;
}

/** Coordinate ascent on the evidence bound. */
function* variational(
  frame: Frame,
  settings: Settings,
): Steps<FrameFit & ReturnType<typeof noiseIntervals>> {
  const q = startOf(frame);
  const trace: number[] = [];
  let converged = false;
  expectValues(frame, q);
  for (let iteration = 1; iteration <= settings.maxIterations && !converged; iteration++) {
    const before = q.mu;
    if (settings.bias) expectOffsets(frame, q);
    expectPrecisions(frame, q);
    learnPrior(q);
    trace.push(evidenceBound(frame, q, settings.bias));
    expectValues(frame, q);
    converged = q.mu.every((mu, t) => Math.abs(mu - before[t]) <= settings.tolerance);
    yield { iteration, objective: trace[trace.length - 1] };
  }
  const intervals = noiseIntervals(
    frame,
    q.mu,
    Float64Array.from(frame.worker, (w) => q.precision[w]),
    { freedom: 2 * q.a, offsets: settings.bias ? q.tau2 : 0 },
  );
  return {
    value: q.mu,
    ...intervals,
    noise: q.precision.map((each) => 1 / Math.sqrt(each)),
    offset: q.offset,
    weight: q.precision,
    notes: offsetNotes(frame, settings.bias),
    trace,
    converged,
  };
}

function startOf({ tasks, workers }: Frame): Beliefs {
  const filled = (x: number) => new Float64Array(workers).fill(x);
  return {
    mu: new Float64Array(tasks),
    variance: new Float64Array(tasks),
    offset: filled(0),
    spread: filled(0),
    shape: filled(2),
    rate: filled(2),
    precision: filled(1),
    a: 2,
    b: 2,
    tau2: 0.1,
  };
}

/** Step 1: values are means of the answers, less offsets, weighted by precision. */
function expectValues({ tasks, task, worker, y, count }: Frame, q: Beliefs): void {
  const total = sumBy(task, tasks, (i) => count[i] * q.precision[worker[i]]);
  const sums = sumBy(
    task,
    tasks,
    (i) => count[i] * q.precision[worker[i]] * (y[i] - q.offset[worker[i]]),
  );
  q.mu = sums.map((sum, t) => sum / total[t]);
  q.variance = total.map((sum) => 1 / sum);
}

/** Step 2: offsets, shrunk to 0 and centred there; the values take the shift. */
function expectOffsets({ workers, task, worker, y, count, perWorker }: Frame, q: Beliefs): void {
  const above = sumBy(worker, workers, (i) => count[i] * (y[i] - q.mu[task[i]]));
  for (let w = 0; w < workers; w++) {
    q.spread[w] = 1 / (1 / q.tau2 + q.precision[w] * perWorker[w]);
    q.offset[w] = q.spread[w] * q.precision[w] * above[w];
  }
  const shift = q.offset.reduce((sum, each) => sum + each, 0) / workers;
  q.mu = q.mu.map((mu) => mu + shift);
  let squares = 0;
  for (let w = 0; w < workers; w++) {
    q.offset[w] -= shift;
    squares += q.offset[w] ** 2 + q.spread[w];
  }
  q.tau2 = Math.max(squares / workers, LEAST);
}

/** Expected squared errors of each worker, summed. */
function missesOf({ workers, task, worker, y, count }: Frame, q: Beliefs): Float64Array {
  return sumBy(worker, workers, (i) => {
    const [t, w] = [task[i], worker[i]];
    return count[i] * ((y[i] - q.mu[t] - q.offset[w]) ** 2 + q.variance[t] + q.spread[w]);
  });
}

/** Step 3: precisions of the workers. */
function expectPrecisions(frame: Frame, q: Beliefs): void {
  missesOf(frame, q).forEach((misses, w) => {
    q.shape[w] = q.a + frame.perWorker[w] / 2;
    q.rate[w] = q.b + misses / 2;
    q.precision[w] = q.shape[w] / q.rate[w];
  });
}

/** Step 4: the Gamma prior that fits the precisions best, its shape between 1 and 50. */
function learnPrior(q: Beliefs): void {
  const W = q.precision.length;
  const mean = q.precision.reduce((sum, each) => sum + each, 0) / W;
  const logs = q.shape.reduce((sum, A, w) => sum + digamma(A) - Math.log(q.rate[w]), 0) / W;
  const gap = Math.log(mean) - logs;
  let [low, high] = [0, Math.log(50)];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    // log a - digamma(a) falls with a.
    if (middle - digamma(Math.exp(middle)) > gap) low = middle;
    else high = middle;
  }
  q.a = Math.exp((low + high) / 2);
  q.b = q.a / mean;
}

/** The evidence bound: expected log density of answers and priors, plus the entropies. */
function evidenceBound(frame: Frame, q: Beliefs, bias: boolean): number {
  const { a, b, tau2 } = q;
  let sum = 0;
  missesOf(frame, q).forEach((misses, w) => {
    const [A, B, n] = [q.shape[w], q.rate[w], frame.perWorker[w]];
    const log = Math.log(B) - digamma(A);
    sum -= (n / 2) * (Math.log(2 * Math.PI) + log) + (q.precision[w] * misses) / 2;
    sum += a * Math.log(b) - logGamma(a) - (a + 1) * log - b * q.precision[w];
    sum -= A * Math.log(B) - logGamma(A) - (A + 1) * log - A;
    if (bias)
      sum += (1 + Math.log(q.spread[w] / tau2) - (q.offset[w] ** 2 + q.spread[w]) / tau2) / 2;
  });
  for (const variance of q.variance) sum += 0.5 * Math.log(2 * Math.PI * Math.E * variance);
  return sum;
}
