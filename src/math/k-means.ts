/**
 * Clusters of points by k-means: each point to the nearest centre, each centre to the mean of its points,
 * until nothing changes. Starts at points drawn far apart. Other starts may end in other clusters, so that the
 * best of several is tighter.
 *
 * Arthur & Vassilvitskii (2007), SODA, 1027–1035.
 */
import { CrowdError } from "../error.ts";
import { categorical } from "./distributions.ts";
import type { Random } from "./random.ts";

/** The cluster of each of points[point * size..]; some of the k may stay empty. */
export function kMeans(points: Float64Array, size: number, k: number, random: Random): Int32Array {
  const n = points.length / size;
  if (!Number.isInteger(n) || !(k >= 1)) {
    throw new CrowdError(
      "bad-option",
      `kMeans: ${points.length} numbers are no points of ${size}.`,
    );
  }
  const centres = firstCentres(points, size, Math.min(k, n), random);
  const cluster = new Int32Array(n).fill(-1);
  for (let round = 0; round < 100; round++) {
    let moved = 0;
    for (let i = 0; i < n; i++) {
      const best = nearest(points, i, centres, size);
      if (best !== cluster[i]) moved++;
      cluster[i] = best;
    }
    if (moved === 0) break;
    moveCentres(points, size, cluster, centres);
  }
  return cluster;
}

/**
 * The tightest clusters of several starts: the least sum of squared distances from the means. Of clusters that are
 * equally tight but for rounding, those of the first start.
 */
export function tightestClusters(
  points: Float64Array,
  size: number,
  k: number,
  { starts, random }: { readonly starts: number; readonly random: Random },
): Int32Array {
  const rounding = 1e-9 * points.reduce((sum, x) => sum + x * x, 0);
  let best = kMeans(points, size, k, random.split(0));
  let least = spreadOf(points, size, k, best);
  for (let start = 1; start < starts; start++) {
    const cluster = kMeans(points, size, k, random.split(start));
    const spread = spreadOf(points, size, k, cluster);
    if (spread < least - rounding) [best, least] = [cluster, spread];
  }
  return best;
}

/** Sum of squared distances from the means of the clusters. */
function spreadOf(points: Float64Array, size: number, k: number, cluster: Int32Array): number {
  const means = clusterMeans(points, size, k, cluster);
  return cluster.reduce((sum, c, i) => sum + distance(points, i, means, c, size), 0);
}

/** The mean of the points of each of k clusters, means[cluster * size..]; 0 for an empty one. */
export function clusterMeans(
  points: Float64Array,
  size: number,
  k: number,
  cluster: Int32Array,
): Float64Array {
  const means = new Float64Array(k * size);
  moveCentres(points, size, cluster, means);
  return means;
}

/** k-means++: each next centre is a point drawn by its squared distance from those before. */
function firstCentres(points: Float64Array, size: number, k: number, random: Random): Float64Array {
  const n = points.length / size;
  const centres = new Float64Array(k * size);
  const gap = new Float64Array(n).fill(1);
  for (let c = 0; c < k; c++) {
    // Where all points are centres already any will do.
    const chosen = gap.some((d) => d > 0) ? categorical(random, gap) : 0;
    centres.set(points.subarray(chosen * size, (chosen + 1) * size), c * size);
    for (let i = 0; i < n; i++) {
      const d = distance(points, i, centres, c, size);
      gap[i] = c === 0 ? d : Math.min(gap[i], d);
    }
  }
  return centres;
}

function nearest(points: Float64Array, i: number, centres: Float64Array, size: number): number {
  let best = 0;
  let least = Infinity;
  for (let c = 0; c < centres.length / size; c++) {
    const d = distance(points, i, centres, c, size);
    if (d < least) {
      least = d;
      best = c;
    }
  }
  return best;
}

/** Squared. */
function distance(
  points: Float64Array,
  i: number,
  centres: Float64Array,
  c: number,
  size: number,
): number {
  let sum = 0;
  for (let d = 0; d < size; d++) sum += (points[i * size + d] - centres[c * size + d]) ** 2;
  return sum;
}

/** Means of the points; an empty cluster keeps its centre. */
function moveCentres(
  points: Float64Array,
  size: number,
  cluster: Int32Array,
  centres: Float64Array,
): void {
  const sums = new Float64Array(centres.length);
  const counts = new Int32Array(centres.length / size);
  cluster.forEach((c, i) => {
    counts[c]++;
    for (let d = 0; d < size; d++) sums[c * size + d] += points[i * size + d];
  });
  for (let at = 0; at < centres.length; at++) {
    const count = counts[Math.floor(at / size)];
    if (count > 0) centres[at] = sums[at] / count;
  }
}
