/** Items as points: the leading eigenvectors of the answers, and clusters of them without random starts. */
import { blockEigen } from "../../math/block-krylov.ts";
import { clusterMeans } from "../../math/k-means.ts";
import { symmetricEigen } from "../../math/matrix.ts";
import { clustersBySize, type Frame } from "./frame.ts";

/** A connected part of the items: eigenvalues and vectors of its answers, and how many answers each item has. */
export interface Embedding {
  /** The items of the part. */
  readonly items: Int32Array;
  readonly values: Float64Array;
  /** vectors[j * items + place]. */
  readonly vectors: Float64Array;
  readonly degree: Float64Array;
}

/** Up to so many items the matrix is written out. */
const DENSE = 120;

/**
 * The `count` leading eigenvectors of sum (y - mean y) / sqrt(d_i d_j), d the answers of an item, part by part: parts
 * that share no item would mix in the vectors of all.
 */
export function embed(frame: Frame, count: number): readonly Embedding[] {
  const { N, left, right, same, weight, component, parts } = frame;
  const degree = new Float64Array(N);
  let [total, alike] = [0, 0];
  for (let i = 0; i < left.length; i++) {
    degree[left[i]] += weight[i];
    degree[right[i]] += weight[i];
    total += weight[i];
    alike += weight[i] * same[i];
  }
  const mean = alike / total;
  const items = Array.from({ length: parts }, (): number[] => []);
  const place = Int32Array.from(component, (c, i) => items[c].push(i) - 1);
  const rows = items.map((): number[] => []);
  for (let i = 0; i < left.length; i++) if (weight[i] > 0) rows[component[left[i]]].push(i);
  return items.flatMap((members, c) => {
    if (members.length < 2) return [];
    const links: Links = {
      n: members.length,
      left: Int32Array.from(rows[c], (i) => place[left[i]]),
      right: Int32Array.from(rows[c], (i) => place[right[i]]),
      value: Float64Array.from(
        rows[c],
        (i) => (weight[i] * (same[i] - mean)) / Math.sqrt(degree[left[i]] * degree[right[i]]),
      ),
    };
    return [
      {
        items: Int32Array.from(members),
        ...leading(links, count),
        degree: Float64Array.from(members, (i) => degree[i]),
      },
    ];
  });
}

/** Cells of a symmetric matrix; those of the same place add up. */
interface Links {
  readonly n: number;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly value: Float64Array;
}

function leading(
  { n, left, right, value }: Links,
  count: number,
): Pick<Embedding, "values" | "vectors"> {
  if (n > DENSE) {
    const multiply = (v: Float64Array, into: Float64Array) => {
      for (let i = 0; i < left.length; i++) {
        into[left[i]] += value[i] * v[right[i]];
        into[right[i]] += value[i] * v[left[i]];
      }
    };
    return blockEigen(multiply, n, count);
  }
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < left.length; i++) {
    matrix[left[i] * n + right[i]] += value[i];
    matrix[right[i] * n + left[i]] += value[i];
  }
  const found = symmetricEigen(matrix, n);
  const vectors = Float64Array.from(
    { length: Math.min(n, count) * n },
    (_, at) => found.vectors[(at % n) * n + Math.floor(at / n)],
  );
  return { values: found.values.slice(0, count), vectors };
}

/** Clusters items by K - 1 leading vectors (one at least): farthest points first, then means. */
export function spectralLabels(embedding: readonly Embedding[], N: number, K: number): Int32Array {
  const labels = new Int32Array(N);
  if (K < 2) return labels;
  for (const part of embedding) {
    const size = Math.max(1, Math.min(K - 1, part.values.length));
    const { points, norm } = pointsOf(part, size);
    const found = lloyd(points, size, K, farthestFirst(points, norm, size, K));
    // Nothing says which clusters of two parts are one: the largest of each are put together.
    const order = clustersBySize(found, K);
    part.items.forEach((item, at) => {
      labels[item] = order[found[at]];
    });
  }
  return labels;
}

/** Unit points, and their length before. */
function pointsOf({ values, vectors, degree }: Embedding, size: number) {
  const N = degree.length;
  const points = new Float64Array(N * size);
  const norm = new Float64Array(N);
  for (let i = 0; i < N; i++) {
    let squares = 0;
    for (let j = 0; j < size && degree[i] > 0; j++) {
      const x = (vectors[j * N + i] * Math.sqrt(Math.max(0, values[j]))) / Math.sqrt(degree[i]);
      points[i * size + j] = x;
      squares += x * x;
    }
    norm[i] = Math.sqrt(squares);
    for (let j = 0; j < size && norm[i] > 0; j++) points[i * size + j] /= norm[i];
  }
  return { points, norm };
}

/** Distances closer than this are equal. */
const EQUAL = 1e-9;

/** The point with the largest norm, then again and again the one farthest from all before; of equals the larger norm. */
function farthestFirst(
  points: Float64Array,
  norm: Float64Array,
  size: number,
  K: number,
): Float64Array {
  const N = norm.length;
  const centres = new Float64Array(K * size);
  const gap = new Float64Array(N).fill(Number.POSITIVE_INFINITY);
  for (let c = 0; c < K; c++) {
    let chosen = 0;
    for (let i = 1; i < N; i++) {
      const further = c === 0 ? 0 : gap[i] - gap[chosen];
      if (further > EQUAL || (further >= -EQUAL && norm[i] > norm[chosen] * (1 + EQUAL)))
        chosen = i;
    }
    centres.set(points.subarray(chosen * size, (chosen + 1) * size), c * size);
    for (let i = 0; i < N; i++)
      gap[i] = Math.min(gap[i], Math.sqrt(squared(points, i, centres, c, size)));
  }
  return centres;
}

function lloyd(points: Float64Array, size: number, K: number, first: Float64Array): Int32Array {
  const N = points.length / size;
  const labels = new Int32Array(N).fill(-1);
  let centres = first;
  for (let round = 0; round < 100; round++) {
    let moved = 0;
    for (let i = 0; i < N; i++) {
      let [best, least] = [0, Number.POSITIVE_INFINITY];
      for (let c = 0; c < K; c++) {
        const gap = squared(points, i, centres, c, size);
        if (gap < least - EQUAL) [best, least] = [c, gap];
      }
      if (labels[i] !== best) moved++;
      labels[i] = best;
    }
    if (moved === 0) break;
    const means = clusterMeans(points, size, K, labels);
    const members = new Int32Array(K);
    for (const c of labels) members[c]++;
    // An empty cluster keeps its centre.
    centres = means.map((x, at) => (members[Math.floor(at / size)] > 0 ? x : centres[at]));
  }
  return labels;
}

function squared(
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
