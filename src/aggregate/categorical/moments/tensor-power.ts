/**
 * The K vectors behind second and third moments of three groups.
 *
 * Anandkumar, Ge, Hsu, Kakade & Telgarsky (2014), JMLR 15, 2773–2832. https://jmlr.org/papers/v15/anandkumar14b.html
 */
import { normal } from "../../../math/distributions.ts";
import { lengthOf } from "../../../math/lists.ts";
import { multiply, svd, symmetricEigen } from "../../../math/matrix.ts";
import type { Random } from "../../../math/random.ts";
import type { GroupMoments } from "./group-moments.ts";

export interface Whitened {
  /** The third moment of one group in K whitened directions: tensor[(i * K + j) * K + k]. */
  readonly tensor: Float64Array;
  /** From whitened directions back to labels, L × K. */
  readonly back: Float64Array;
}

/**
 * The third moment of group c, whitened by its second; both from the other two groups, carried over to c
 * by P[a] = E[Z[c] Z[b]ᵀ] E[Z[a] Z[b]ᵀ]⁺. Undefined where the second moment has no K clear directions.
 */
export function whiten({ between, third }: GroupMoments, c: number): Whitened | undefined {
  const { classes: K, given: L, joint } = between;
  const [a, b] = [(c + 1) % 3, (c + 2) % 3];
  const second = (x: number, y: number) => {
    const p = 2 * x + (y > x ? y - 1 : y);
    return joint.subarray(p * L * L, (p + 1) * L * L);
  };
  const carry = (x: number, y: number) =>
    multiply(second(c, y), invertRank(second(x, y), L, L, K), L, L, L);
  const [carryA, carryB] = [carry(a, b), carry(b, a)];
  const moment = multiply(
    multiply(carryA, second(a, b), L, L, L),
    transposed(carryB, L, L),
    L,
    L,
    L,
  );
  const even = moment.map((x, at) => (x + moment[(at % L) * L + Math.floor(at / L)]) / 2);
  const { values, vectors } = symmetricEigen(even, L);
  if (!(values[K - 1] > 1e-6 * values[0])) return undefined;
  const scaled = (power: number) =>
    Float64Array.from(
      { length: L * K },
      (_, at) => vectors[Math.floor(at / K) * L + (at % K)] * values[at % K] ** power,
    );
  const down = transposed(scaled(-0.5), L, K);
  const sides: Float64Array[] = [];
  sides[a] = multiply(down, carryA, K, L, L);
  sides[b] = multiply(down, carryB, K, L, L);
  sides[c] = down;
  return { tensor: symmetrised(contract(third, sides, K, L), K), back: scaled(0.5) };
}

/** The third moment seen through K × L matrices on each of its three sides. */
function contract(
  third: Float64Array,
  [side0, side1, side2]: readonly Float64Array[],
  K: number,
  L: number,
): Float64Array {
  // Third side first: (L·L) × L times L × K, then the second, then the first.
  const step1 = multiply(third, transposed(side2, K, L), L * L, L, K);
  const step2 = new Float64Array(L * K * K);
  for (let i = 0; i < L; i++) {
    step2.set(multiply(side1, step1.subarray(i * L * K, (i + 1) * L * K), K, L, K), i * K * K);
  }
  return multiply(side0, step2, K, L, K * K);
}

/** The mean over all orders of the three indices. */
function symmetrised(tensor: Float64Array, K: number): Float64Array {
  const cell = (i: number, j: number, k: number) => tensor[(i * K + j) * K + k];
  return tensor.map((_, at) => {
    const [i, j, k] = [Math.floor(at / (K * K)), Math.floor(at / K) % K, at % K];
    return (
      (cell(i, j, k) +
        cell(i, k, j) +
        cell(j, i, k) +
        cell(j, k, i) +
        cell(k, i, j) +
        cell(k, j, i)) /
      6
    );
  });
}

export interface PowerLimits {
  readonly starts: number;
  readonly powerIterations: number;
}

/** The K vectors, row by row in labels: eigenvectors one after the other, the largest first. */
export function tensorComponents(
  { tensor, back }: Whitened,
  K: number,
  L: number,
  limits: PowerLimits,
  random: Random,
): Float64Array {
  const rest = tensor.slice();
  const rows = new Float64Array(K * L);
  for (let k = 0; k < K; k++) {
    const { vector, value } = largestEigenvector(rest, K, limits, random.split(k));
    for (let at = 0; at < rest.length; at++) {
      rest[at] -=
        value * vector[Math.floor(at / (K * K))] * vector[Math.floor(at / K) % K] * vector[at % K];
    }
    for (let l = 0; l < L; l++) {
      for (let j = 0; j < K; j++) rows[k * L + l] += value * back[l * K + j] * vector[j];
    }
  }
  return rows;
}

/** The best end of v ← T(·, v, v) / |T(·, v, v)| from random directions. */
function largestEigenvector(
  tensor: Float64Array,
  K: number,
  { starts, powerIterations }: PowerLimits,
  random: Random,
): { vector: Float64Array; value: number } {
  let best: { vector: Float64Array; value: number } = {
    vector: new Float64Array(K),
    value: -Infinity,
  };
  for (let s = 0; s < starts; s++) {
    let vector: Float64Array = Float64Array.from({ length: K }, () => normal(random));
    let value = -Infinity;
    for (let iteration = 0; iteration < powerIterations; iteration++) {
      const image = apply(tensor, vector, K);
      const length = lengthOf(image);
      if (!(length > 0)) break;
      const next = image.map((x) => x / length);
      const moved = next.reduce((most, x, i) => Math.max(most, Math.abs(x - vector[i])), 0);
      vector = next;
      value = length;
      if (moved < 1e-15) break;
    }
    if (value > best.value) best = { vector, value };
  }
  const image = apply(tensor, best.vector, K);
  return { ...best, value: image.reduce((sum, x, i) => sum + x * best.vector[i], 0) };
}

/** T(·, v, v) */
function apply(tensor: Float64Array, v: Float64Array, K: number): Float64Array {
  const image = new Float64Array(K);
  for (let i = 0; i < K; i++) {
    for (let j = 0; j < K; j++) {
      let sum = 0;
      for (let k = 0; k < K; k++) sum += tensor[(i * K + j) * K + k] * v[k];
      image[i] += sum * v[j];
    }
  }
  return image;
}

function transposed(a: Float64Array, rows: number, columns: number): Float64Array {
  const turned = new Float64Array(a.length);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = a[i * columns + j];
  }
  return turned;
}

/** The pseudo-inverse by the leading `rank` singular values, columns × rows. */
export function invertRank(
  a: Float64Array,
  rows: number,
  columns: number,
  rank: number,
): Float64Array {
  const { u, values, v } = svd(a, rows, columns);
  const r = values.length;
  const inverse = new Float64Array(columns * rows);
  for (let s = 0; s < Math.min(rank, r); s++) {
    if (!(values[s] > 1e-12 * values[0])) break;
    for (let i = 0; i < columns; i++) {
      for (let j = 0; j < rows; j++) {
        inverse[i * rows + j] += (v[i * r + s] * u[j * r + s]) / values[s];
      }
    }
  }
  return inverse;
}
