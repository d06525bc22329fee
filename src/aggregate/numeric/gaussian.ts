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
import { CrowdError, hint } from "../../error.ts";
import type { Steps } from "../../method.ts";
import { climb, type Hill } from "./climb.ts";
import {
  gammaBound,
  learnPrecisions,
  type Precisions,
  SHAPES,
  startPrecisions,
} from "./learnt-precision.ts";
import { centreOffsets, LEAST, noiseEm, normalOf, offsetNotes, priorOfMeans } from "./noise-em.ts";
import { noiseIntervals } from "./noise-interval.ts";
import { stretchedFit } from "./stretch.ts";
import { type Frame, type FrameFit, workerAware } from "./worker-frame.ts";

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
      valuePrior: {
        default: "flat",
        choices: ["flat", "normal"],
        help: "Prior of the values: none, or a normal that is learnt.",
      },
      scale: {
        default: false,
        help: "Learn how much each worker stretches differences. Needs fit bayes and valuePrior normal.",
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
    if (options.scale) {
      if (options.fit === "bayes" && options.valuePrior === "normal")
        return yield* stretchedFit(frame, options);
      throw new CrowdError(
        "bad-option",
        `gaussian: scale needs ${hint("fit", "bayes")} and ${hint("valuePrior", "normal")}.`,
      );
    }
    if (options.fit === "bayes") return yield* variational(frame, options);
    const fit = yield* noiseEm(frame, { ...options, freedom: Infinity });
    // Only the intervals of the variational fit were found to hold.
    const { sd, low, high } = yield* variational(frame, options);
    return { ...fit, sd, low, high };
  },
);

interface Settings {
  readonly bias: boolean;
  readonly valuePrior: "flat" | "normal";
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** The factors, and the priors that are learnt. */
interface Beliefs {
  /** q(value[t]) = N(mu, variance). */
  readonly mu: Float64Array;
  readonly variance: Float64Array;
  /** q(offset) = N(offset, spread), of each place. */
  readonly offset: Float64Array;
  readonly spread: Float64Array;
  /** q(1 / s²) of each worker and its prior. */
  readonly noise: Precisions;
  /** Priors: offset ~ N(0, tau2), values of each output ~ N(m, v), v Infinity: flat. */
  tau2: number;
  readonly m: Float64Array;
  readonly v: Float64Array;
  /** Sums over the answers of each place: what they lie above value and offset, and expected squares of that. */
  readonly above: Float64Array;
  readonly squares: Float64Array;
  /** Sum of the logarithms of `variance`. */
  logVariances: number;
}

/** Coordinate ascent on the evidence bound. */
function* variational(
  frame: Frame,
  settings: Settings,
): Steps<FrameFit & ReturnType<typeof noiseIntervals>> {
  const q = startOf(frame, settings);
  const hill: Hill = {
    place: placeOf(q),
    expect: () => expectValues(frame, q, settings.bias),
    improve() {
      if (settings.valuePrior === "normal") learnValues(frame, q);
      expectErrors(frame, q, settings.bias);
      learnPrecisions(frame, q.noise);
      return evidenceBound(frame, q, settings);
    },
  };
  const { trace, converged } = yield* climb(hill, settings);
  const intervals = noiseIntervals(
    frame,
    q.mu,
    frame.y.map((_, i) => q.noise.precision[frame.worker[i]]),
    { freedom: 2 * q.noise.a, offsets: settings.bias ? q.tau2 : 0, prior: q.v },
  );
  return {
    value: q.mu,
    ...intervals,
    noise: q.noise.precision.map((each) => 1 / Math.sqrt(each)),
    offset: q.offset,
    weight: q.noise.precision,
    notes: offsetNotes(frame, settings.bias),
    trace,
    converged,
  };
}

function startOf(frame: Frame, { valuePrior }: Settings): Beliefs {
  const { tasks, workers, places, outputs } = frame;
  const filled = (length: number, x: number) => new Float64Array(length).fill(x);
  const prior = valuePrior === "normal" ? priorOfMeans(frame) : undefined;
  return {
    mu: filled(tasks, 0),
    variance: filled(tasks, 0),
    offset: filled(places.length, 0),
    spread: filled(places.length, 0),
    noise: startPrecisions(workers),
    tau2: 0.1,
    m: prior?.m ?? filled(outputs, 0),
    v: prior?.v ?? filled(outputs, Infinity),
    above: filled(places.length, 0),
    squares: filled(places.length, 0),
    logVariances: 0,
  };
}

/** What an iteration starts from, as one list; logarithms of what is above 0. */
function placeOf(q: Beliefs): NonNullable<Hill["place"]> {
  const { noise } = q;
  const [W, P, O] = [noise.precision.length, q.offset.length, q.m.length];
  return {
    parameters() {
      const x = new Float64Array(W + P + 2 * O + 3);
      x.set(noise.precision.map(Math.log));
      x.set(q.offset, W);
      x.set(q.m, W + P);
      // A flat prior stays flat: its variance is not among them.
      x.set(q.v[0] === Infinity ? [] : q.v.map(Math.log), W + P + O);
      x.set([noise.a, noise.b, q.tau2].map(Math.log), W + P + 2 * O);
      return x;
    },
    restore(x) {
      for (let w = 0; w < W; w++) noise.precision[w] = Math.exp(x[w]);
      q.offset.set(x.subarray(W, W + P));
      q.m.set(x.subarray(W + P, W + P + O));
      if (q.v[0] < Infinity) q.v.set(x.subarray(W + P + O, W + P + 2 * O).map(Math.exp));
      const [a, b, tau2] = x.subarray(W + P + 2 * O);
      noise.a = Math.min(SHAPES.most, Math.max(SHAPES.least, Math.exp(a)));
      noise.b = Math.exp(b);
      q.tau2 = Math.max(LEAST, Math.exp(tau2));
    },
  };
}

/**
 * Step 1: values are means of the answers, less offsets, weighted by precision. Also sums what the answers lie above
 * them, so that an iteration takes one walk over the answers. Returns how far the value that moved most went.
 */
function expectValues(frame: Frame, q: Beliefs, bias: boolean): number {
  const { tasks, start, worker, place, y, count, output } = frame;
  const { mu, variance, offset, m, v, above, squares } = q;
  const { precision } = q.noise;
  above.fill(0);
  squares.fill(0);
  let [moved, logs, product] = [0, 0, 1];
  for (let t = 0; t < tasks; t++) {
    const from = start[t];
    const to = start[t + 1];
    let total = 1 / v[output[t]];
    let sum = m[output[t]] * total;
    for (let i = from; i < to; i++) {
      const weight = count[i] * precision[worker[i]];
      total += weight;
      sum += weight * (y[i] - offset[place[i]]);
    }
    const own = 1 / total;
    const value = sum * own;
    const move = Math.abs(value - mu[t]);
    if (move > moved) moved = move;
    mu[t] = value;
    variance[t] = own;
    for (let i = from; i < to; i++) {
      const p = place[i];
      const miss = y[i] - value - offset[p];
      squares[p] += count[i] * (miss * miss + own);
      if (bias) above[p] += count[i] * miss;
    }
    // A logarithm for some hundred tasks takes less time than one for each.
    product *= own;
    if (product < 1e-150 || product > 1e150) {
      logs += Math.log(product);
      product = 1;
    }
  }
  q.logVariances = logs + Math.log(product);
  return moved;
}

/** Mean and variance of the values of each output. */
function learnValues(frame: Frame, { mu, variance, m, v }: Beliefs): void {
  const learnt = normalOf(frame, mu, variance);
  m.set(learnt.m);
  v.set(learnt.v);
}

/**
 * Step 2: offsets, shrunk to 0 and centred there for each output; the values take the shift, which moves no error. With a
 * step d of an offset, squares of errors change by -2 d · above + answers · d².
 */
function expectErrors(frame: Frame, q: Beliefs, bias: boolean): void {
  const { tasks, output, places, outputs } = frame;
  const { precision, misses } = q.noise;
  misses.fill(0);
  for (let p = 0; p < places.length; p++) {
    const [w, n] = [places.worker[p], places.answers[p]];
    misses[w] += q.squares[p];
    if (!bias) continue;
    q.spread[p] = 1 / (1 / q.tau2 + precision[w] * n);
    const next = q.spread[p] * precision[w] * (q.above[p] + n * q.offset[p]);
    const step = next - q.offset[p];
    misses[w] += n * (step * step + q.spread[p]) - 2 * step * q.above[p];
    q.offset[p] = next;
  }
  if (!bias) return;
  const shift = centreOffsets(frame, q.offset);
  let squares = 0;
  for (let p = 0; p < places.length; p++) squares += q.offset[p] ** 2 + q.spread[p];
  for (let t = 0; t < tasks; t++) q.mu[t] += shift[output[t]];
  for (let o = 0; o < outputs; o++) q.m[o] += shift[o];
  q.tau2 = Math.max(squares / places.length, LEAST);
}

/** The evidence bound: expected log density of answers and priors, plus the entropies. */
function evidenceBound(frame: Frame, q: Beliefs, { bias, valuePrior }: Settings): number {
  const { tau2 } = q;
  let sum = gammaBound(frame, q.noise);
  sum += (frame.tasks * Math.log(2 * Math.PI * Math.E) + q.logVariances) / 2;
  for (let p = 0; bias && p < frame.places.length; p++)
    sum += (1 + Math.log(q.spread[p] / tau2) - (q.offset[p] ** 2 + q.spread[p]) / tau2) / 2;
  for (let t = 0; valuePrior === "normal" && t < frame.tasks; t++) {
    const [m, v] = [q.m[frame.output[t]], q.v[frame.output[t]]];
    sum -= 0.5 * (Math.log(2 * Math.PI * v) + ((q.mu[t] - m) ** 2 + q.variance[t]) / v);
  }
  return sum;
}
