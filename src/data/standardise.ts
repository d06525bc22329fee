/**
 * Mean and spread of features, so that a model can be fed numbers near 0 and 1.
 *
 *   standardised = (number - mean) / scale
 *
 * One pass over the rows, a chunk at a time. Means and squares are merged batch by batch, which
 * keeps small spreads on large offsets: Chan, Golub & LeVeque (1983), American Statistician 37(3),
 * 242–247, eq. 2.1.
 */
import { CrowdError } from "../error.ts";
import { type Features, rowSize } from "./features.ts";

/** One number for each place of a vector, or for each channel of an image. */
export interface FeatureStatistics {
  readonly mean: Float64Array;
  /** Standard deviation, or 1 where all numbers are the same. */
  readonly scale: Float64Array;
  /** What was noticed: columns that never change. */
  readonly notes: readonly string[];
}

/** Numbers held at once. */
const CHUNK = 2 ** 18;

/** Mean and scale over the given rows; default: over all. */
export function featureStatistics(features: Features, rows?: ArrayLike<number>): FeatureStatistics {
  const { shape, tasks } = features;
  const size = rowSize(features);
  const image = shape.length === 3;
  const groups = image ? shape[0] : size;
  const N = rows?.length ?? tasks.length;
  if (N === 0 || size === 0) {
    throw new CrowdError("bad-data", "There are no features to take the mean of.");
  }
  const mean = new Float64Array(groups);
  const squares = new Float64Array(groups);
  const step = Math.max(1, Math.floor(CHUNK / size));
  const numbers = new Float32Array(step * size);
  for (let start = 0; start < N; start += step) {
    const chunk = Array.from(
      { length: Math.min(step, N - start) },
      (_, i) => rows?.[start + i] ?? start + i,
    );
    features.read(chunk, numbers);
    for (let i = 0; i < chunk.length; i++) {
      const row = numbers.subarray(i * size, (i + 1) * size);
      if (image) addImage(row, start + i, mean, squares);
      else addVector(row, start + i, mean, squares);
    }
  }
  return finish(mean, squares, N * (size / groups), image ? "channel" : "column");
}

/** One more row of a vector; `count` came before it. */
function addVector(row: Float32Array, count: number, mean: Float64Array, squares: Float64Array) {
  const share = 1 / (count + 1);
  const weight = count * share;
  for (let j = 0; j < row.length; j++) {
    const away = row[j] - mean[j];
    mean[j] += away * share;
    squares[j] += away * away * weight;
  }
}

/** One more image: of each channel its own mean and squares, merged with those before. */
function addImage(row: Float32Array, count: number, mean: Float64Array, squares: Float64Array) {
  const pixels = row.length / mean.length;
  const share = 1 / (count + 1);
  for (let channel = 0; channel < mean.length; channel++) {
    const from = channel * pixels;
    let sum = 0;
    for (let i = from; i < from + pixels; i++) sum += row[i];
    // Of equal floats a double holds the sum exactly, so a plain area has no spread at all.
    const centre = sum / pixels;
    let spread = 0;
    for (let i = from; i < from + pixels; i++) spread += (row[i] - centre) ** 2;
    const away = centre - mean[channel];
    mean[channel] += away * share;
    squares[channel] += spread + away * away * pixels * count * share;
  }
}

function finish(
  mean: Float64Array,
  squares: Float64Array,
  count: number,
  noun: string,
): FeatureStatistics {
  const constant: number[] = [];
  const scale = squares.map((sum, j) => {
    if (!Number.isFinite(mean[j] + sum)) {
      throw new CrowdError("bad-data", `Features: ${noun} ${j} holds NaN or an infinite number.`);
    }
    if (sum === 0) constant.push(j);
    return sum === 0 ? 1 : Math.sqrt(sum / count);
  });
  const notes: string[] = [];
  if (constant.length > 0) {
    const shown = constant.slice(0, 10).join(", ") + (constant.length > 10 ? ", …" : "");
    notes.push(
      `The same in every row: ${constant.length} of ${mean.length} ${noun}s (counted from 0): ${shown}. ` +
        "They carry no information.",
    );
  }
  return { mean, scale, notes };
}
