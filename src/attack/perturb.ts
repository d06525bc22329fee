/**
 * Moves inputs uphill on a loss, staying within a ball around where they were. All four attacks are
 * this loop under different settings.
 */
import { normal } from "../math/distributions.ts";
import { lengthOf } from "../math/lists.ts";
import type { Random } from "../math/random.ts";
import type { InputGradient } from "./victim.ts";

/** How the size of a perturbation is measured: its largest change or its Euclidean length. */
export type Norm = "inf" | "l2";

export interface Perturbation {
  /** How far an input may be moved, in units of the features or in `unit`. */
  readonly epsilon: number;
  /** How much of each feature counts as a distance of 1, such as its standard deviation; absent: 1. */
  readonly unit?: ArrayLike<number> | undefined;
  readonly norm: Norm;
  readonly steps: number;
  /** Length of a step. */
  readonly stepSize: number;
  /** Whether to start anywhere in the ball, not at its centre. */
  readonly randomStart: boolean;
  /** Share of the direction so far that is kept; undefined: the gradient of the moment alone. */
  readonly momentum?: number | undefined;
  /** What inputs can be, where there are limits. */
  readonly range?: readonly [low: number, high: number] | undefined;
}

/** Perturbed copies of `count` rows of x. */
export async function perturb(
  x: Float32Array,
  target: Float32Array,
  count: number,
  gradientOf: InputGradient,
  settings: Perturbation,
  random: Random,
): Promise<Float32Array> {
  const { epsilon, steps, randomStart, momentum, unit } = settings;
  const moved = x.slice();
  if (epsilon === 0) return moved;
  if (unit) return perturbInUnits(x, target, count, gradientOf, { ...settings, unit }, random);
  const size = x.length / count;
  if (randomStart) {
    start(moved, count, settings, random);
    project(moved, x, count, settings);
  }
  const direction = new Float64Array(x.length);
  for (let step = 0; step < steps; step++) {
    const slope = await gradientOf(moved, target);
    if (settings.norm === "inf" && momentum === undefined) {
      stepBySigns(moved, x, slope, settings);
      continue;
    }
    for (let row = 0; row < count; row++) {
      const from = row * size;
      accumulate(direction, slope, from, size, momentum);
      advance(moved, direction, from, size, settings);
    }
    project(moved, x, count, settings);
  }
  return moved;
}

/** Moves inputs measured in units of each feature; limits hold for where they end. */
async function perturbInUnits(
  x: Float32Array,
  target: Float32Array,
  count: number,
  gradientOf: InputGradient,
  { unit, range, ...settings }: Perturbation & { readonly unit: ArrayLike<number> },
  random: Random,
): Promise<Float32Array> {
  const times = (values: Float32Array) => values.map((v, i) => v * unit[i % unit.length]);
  const moved = await perturb(
    x.map((v, i) => v / unit[i % unit.length]),
    target,
    count,
    async (z, wanted) => times(await gradientOf(times(z), wanted)),
    { ...settings, unit: undefined },
    random,
  );
  const back = times(moved);
  return range ? back.map((v) => Math.min(range[1], Math.max(range[0], v))) : back;
}

/** A step along the signs and back into the box, in one pass: what training against attacks spends its time on. */
function stepBySigns(
  moved: Float32Array,
  x: Float32Array,
  slope: Float32Array,
  { epsilon, stepSize, range }: Perturbation,
): void {
  for (let i = 0; i < x.length; i++) {
    const centre = x[i];
    const s = slope[i];
    let away = moved[i] - centre + (s > 0 ? stepSize : s < 0 ? -stepSize : 0);
    if (away > epsilon) away = epsilon;
    else if (away < -epsilon) away = -epsilon;
    moved[i] = centre + away;
    if (Math.abs(moved[i] - centre) > epsilon) moved[i] = nearer(moved[i], centre);
    if (range) moved[i] = Math.min(range[1], Math.max(range[0], moved[i]));
  }
}

/** The gradient, or with momentum what is kept of the direction plus the gradient over its mean size. */
function accumulate(
  direction: Float64Array,
  slope: Float32Array,
  from: number,
  size: number,
  momentum: number | undefined,
): void {
  if (momentum === undefined) {
    for (let i = from; i < from + size; i++) direction[i] = slope[i];
    return;
  }
  let total = 0;
  for (let i = from; i < from + size; i++) total += Math.abs(slope[i]);
  const mean = total / size;
  for (let i = from; i < from + size; i++) {
    direction[i] = momentum * direction[i] + (mean > 0 ? slope[i] / mean : 0);
  }
}

/** One step along the sign of the direction, or along its unit vector; no direction, no step. */
function advance(
  moved: Float32Array,
  direction: Float64Array,
  from: number,
  size: number,
  { norm, stepSize }: Perturbation,
): void {
  if (norm === "inf") {
    for (let i = from; i < from + size; i++) moved[i] += stepSize * Math.sign(direction[i]);
    return;
  }
  let squares = 0;
  for (let i = from; i < from + size; i++) squares += direction[i] * direction[i];
  if (squares === 0) return;
  const scale = stepSize / Math.sqrt(squares);
  for (let i = from; i < from + size; i++) moved[i] += scale * direction[i];
}

/** Anywhere in the ball, all places alike. */
function start(
  moved: Float32Array,
  count: number,
  { epsilon, norm }: Perturbation,
  random: Random,
): void {
  const size = moved.length / count;
  for (let row = 0; row < count; row++) {
    const from = row * size;
    if (norm === "inf") {
      for (let i = from; i < from + size; i++) moved[i] += epsilon * (2 * random.next() - 1);
      continue;
    }
    const way = Float64Array.from({ length: size }, () => normal(random));
    const length = lengthOf(way);
    const radius = epsilon * random.next() ** (1 / size);
    for (let i = 0; i < size; i++) moved[from + i] += (radius * way[i]) / length;
  }
}

/** Back into the ball and the range. */
function project(
  moved: Float32Array,
  x: Float32Array,
  count: number,
  { epsilon, norm, range }: Perturbation,
): void {
  const size = x.length / count;
  for (let row = 0; row < count; row++) {
    const from = row * size;
    let shrink = 1;
    if (norm === "l2") {
      let squares = 0;
      for (let i = from; i < from + size; i++) squares += (moved[i] - x[i]) ** 2;
      shrink = Math.min(1, epsilon / Math.sqrt(squares || 1));
    }
    const most = norm === "inf" ? epsilon : Infinity;
    for (let i = from; i < from + size; i++) {
      const away = Math.min(most, Math.max(-most, shrink * (moved[i] - x[i])));
      moved[i] = x[i] + away;
      if (norm === "inf" && Math.abs(moved[i] - x[i]) > epsilon) moved[i] = nearer(moved[i], x[i]);
      if (range) moved[i] = Math.min(range[1], Math.max(range[0], moved[i]));
    }
  }
}

const single = new Float32Array(1);
const bits = new Int32Array(single.buffer);

/** The next single-precision number from `x` towards `to`: rounding must not leave the ball. */
function nearer(x: number, to: number): number {
  single[0] = x;
  if (x === 0) return to;
  bits[0] += x > 0 === to > x ? 1 : -1;
  return single[0];
}
