/**
 * Features made harder to tell apart, for trying what a learner does with poor ones.
 *
 * Images are blurred by a Gaussian with a standard deviation of `radius` pixels. Rows of numbers with
 * noise of variance 1, such as `gaussFeatures` makes, move together: the distance between classes
 * shrinks to exp(-radius / 8) of what it was, and the noise stays as large as it was.
 */
import { type Features, rowSize } from "../data/features.ts";
import { CrowdError } from "../error.ts";
import { normal } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";

/** The same rows, blurred as they are read. */
export function blur(features: Features, radius: number, random: Random): Features {
  if (!(radius >= 0 && radius < Infinity)) {
    throw new CrowdError("bad-option", `blur: the radius must be at least 0, not ${radius}.`);
  }
  if (radius === 0) return features;
  const { tasks, shape } = features;
  const size = rowSize(features);
  const change = shape.length < 2 ? fade(radius, random) : smooth(shape, radius);
  return {
    tasks,
    shape,
    read(rows, into) {
      features.read(rows, into);
      for (let i = 0; i < rows.length; i++) {
        change(into.subarray(i * size, (i + 1) * size), rows[i]);
      }
    },
  };
}

type Change = (numbers: Float32Array, row: number) => void;

/** A row of its own stream of noise, so that it is the same each time it is read. */
function fade(radius: number, random: Random): Change {
  const keep = Math.exp(-radius / 8);
  const add = Math.sqrt(1 - keep * keep);
  return (numbers, row) => {
    const noise = random.split(row);
    for (let j = 0; j < numbers.length; j++) numbers[j] = keep * numbers[j] + add * normal(noise);
  };
}

/** Along the rows of pixels, then along the columns; beyond an edge its last pixel goes on. */
function smooth(shape: readonly number[], radius: number): Change {
  const [height, width] = shape.slice(-2);
  const weights = gaussian(radius);
  return (image) => {
    for (let plane = 0; plane < image.length; plane += height * width) {
      for (let y = 0; y < height; y++) smoothLine(image, plane + y * width, 1, width, weights);
      for (let x = 0; x < width; x++) smoothLine(image, plane + x, width, height, weights);
    }
  };
}

function smoothLine(
  image: Float32Array,
  from: number,
  step: number,
  length: number,
  weights: Float64Array,
): void {
  const line = Float32Array.from({ length }, (_, i) => image[from + i * step]);
  const reach = (weights.length - 1) / 2;
  for (let i = 0; i < length; i++) {
    let sum = 0;
    for (let j = -reach; j <= reach; j++) {
      sum += weights[j + reach] * line[Math.max(0, Math.min(length - 1, i + j))];
    }
    image[from + i * step] = sum;
  }
}

/** Weights up to three standard deviations away, with sum 1. */
function gaussian(deviation: number): Float64Array {
  const reach = Math.ceil(3 * deviation);
  const weights = Float64Array.from({ length: 2 * reach + 1 }, (_, j) =>
    Math.exp(-0.5 * ((j - reach) / deviation) ** 2),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
