/**
 * Features that tell classes apart as well as one likes: a Gaussian cloud of variance 1 around a mean
 * for each class, all means equally far from each other, in directions drawn at random.
 */
import { type Features, fromMatrix } from "../data/features.ts";
import { CrowdError } from "../error.ts";
import { normal } from "../math/distributions.ts";
import { normalCdf } from "../math/incomplete.ts";
import { lengthOf } from "../math/lists.ts";
import { createRandom, type Random } from "../math/random.ts";
import { sliceFeatures } from "./rows.ts";
import type { Simulation } from "./simulation.ts";

/** How far apart the classes are, said in one of three ways; by default the separation is 2. */
export interface GaussOptions {
  /** Distance between any two class means, which lie around the origin. */
  readonly separation?: number | undefined;
  /** Distance of every class mean from the origin, at right angles: separation / √2. */
  readonly radius?: number | undefined;
  /** Accuracy of the best classifier there is, for classes of equal shares. */
  readonly bayesAccuracy?: number | undefined;
  /** Numbers of a row; 10 if not given. */
  readonly dimensions?: number | undefined;
}

/** For scenarios that make such features themselves. */
export const gaussOptions = {
  separation: { default: 4, min: 0, help: "Distance between the means of any two classes." },
  dimensions: { default: 20, min: 1, integer: true, help: "Number of features." },
} as const;

/** More features than this, of all tasks together, do not fit into memory. */
const MOST_NUMBERS = 2 ** 30;

/** One row for each truth; rows are called t0, t1, … */
export function gaussFeatures(
  truth: Int32Array,
  K: number,
  options: GaussOptions,
  random: Random,
): Features {
  const { dimensions: d = 10 } = options;
  if (!(Number.isInteger(d) && d >= 1 && d * truth.length <= MOST_NUMBERS)) {
    throw new CrowdError(
      "bad-option",
      `Features: dimensions must be a whole number from 1, and at most ${Math.floor(MOST_NUMBERS / Math.max(1, truth.length))} ` +
        `for ${truth.length} tasks, not ${d}.`,
    );
  }
  const means = classMeans(K, d, options, random.split("directions"));
  const noise = random.split("noise");
  const matrix = new Float32Array(truth.length * d);
  for (let t = 0; t < truth.length; t++) {
    for (let j = 0; j < d; j++) matrix[t * d + j] = means[truth[t] * d + j] + normal(noise);
  }
  return fromMatrix(
    Array.from(truth, (_, t) => `t${t}`),
    [d],
    matrix,
  );
}

/** A simulation whose tasks, those to test on too, get such features. */
export function withFeatures<Simulated extends Simulation>(
  simulation: Simulated,
  { seed, ...options }: GaussOptions & { readonly seed?: number | undefined } = {},
): Simulated & { readonly features: Features } {
  const { data, test, features: own } = simulation;
  if (own) throw new CrowdError("bad-data", "withFeatures: the tasks have features already.");
  const { parameters = {} } = simulation as { readonly parameters?: { readonly seed?: number } };
  const random = createRandom(seed ?? parameters.seed ?? 0).split("features");
  const T = data.tasks.length;
  const truth = new Int32Array(T + (test?.data.tasks.length ?? 0));
  truth.set(data.gold);
  if (test) truth.set(test.data.gold, T);
  const all = gaussFeatures(truth, data.classes.length, options, random);
  return {
    ...simulation,
    features: sliceFeatures(all, 0, data.tasks),
    ...(test && { test: { ...test, features: sliceFeatures(all, T, test.data.tasks) } }),
  };
}

/**
 * The accuracy of the best classifier for K classes of equal shares with means this far apart: with
 * one mean on each axis, that the number of the right axis is the largest.
 */
export function bayesAccuracy(separation: number, K = 2): number {
  const radius = separation / Math.SQRT2;
  const step = 0.02;
  let sum = 0;
  // The trapezium rule is as good as exact for functions that fall off like this one.
  for (let u = -9; u <= 9; u += step) {
    sum += Math.exp((-u * u) / 2) * normalCdf(u + radius) ** (K - 1);
  }
  return (sum * step) / Math.sqrt(2 * Math.PI);
}

/** The separation at which the best classifier has this accuracy. */
export function separationFor(accuracy: number, K = 2): number {
  if (!(accuracy >= 1 / K && accuracy < 1)) {
    throw new CrowdError(
      "bad-option",
      `The Bayes accuracy of ${K} classes is from ${+(1 / K).toFixed(3)} to below 1, not ${accuracy}.`,
    );
  }
  let [low, high] = [0, 12];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (bayesAccuracy(middle, K) < accuracy) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Distance between any two means, however it was said. */
function separationOf(K: number, { separation, radius, bayesAccuracy }: GaussOptions): number {
  const said = [separation, radius, bayesAccuracy].filter((value) => value !== undefined);
  if (said.length > 1) {
    throw new CrowdError(
      "bad-option",
      "Features: give one of separation, radius and bayesAccuracy; the others follow from it.",
    );
  }
  const [value = 2] = said;
  if (!(value >= 0 && value < Infinity)) {
    throw new CrowdError("bad-option", `Features: classes must be at least 0 apart, not ${value}.`);
  }
  if (bayesAccuracy !== undefined) return separationFor(value, K);
  return radius === undefined ? value : value * Math.SQRT2;
}

/** means[class * d + dimension]: one on each of K axes, or the corners of a simplex around 0. */
function classMeans(K: number, d: number, options: GaussOptions, random: Random): Float64Array {
  const scale = separationOf(K, options) / Math.SQRT2;
  const onAxes = options.radius !== undefined;
  const needed = onAxes ? K : K - 1;
  if (!(Number.isInteger(d) && d >= needed)) {
    throw new CrowdError(
      "bad-option",
      `Features: ${K} classes equally far apart need at least ${needed} dimensions, not ${d}.`,
    );
  }
  const axes = orthonormal(needed, d, random);
  const means = new Float64Array(K * d);
  for (let k = 0; k < K; k++) {
    for (let a = 0; a < needed; a++) {
      const along = scale * (onAxes ? Number(a === k) : corner(a, k));
      for (let j = 0; j < d; j++) means[k * d + j] += along * axes[a * d + j];
    }
  }
  return means;
}

/** Coordinate `a` of corner `k` of a regular simplex around 0 with sides of √2: Helmert's matrix. */
function corner(a: number, k: number): number {
  if (k > a + 1) return 0;
  return (k === a + 1 ? -(a + 1) : 1) / Math.sqrt((a + 1) * (a + 2));
}

/** `n` random directions of length 1, each at right angles to the others: Gram & Schmidt. */
function orthonormal(n: number, d: number, random: Random): Float64Array {
  const axes = Float64Array.from({ length: n * d }, () => normal(random));
  for (let a = 0; a < n; a++) {
    const axis = axes.subarray(a * d, (a + 1) * d);
    for (let b = 0; b < a; b++) {
      const other = axes.subarray(b * d, (b + 1) * d);
      const along = axis.reduce((sum, x, j) => sum + x * other[j], 0);
      axis.forEach((x, j) => {
        axis[j] = x - along * other[j];
      });
    }
    const size = lengthOf(axis);
    axis.forEach((x, j) => {
      axis[j] = x / size;
    });
  }
  return axes;
}
