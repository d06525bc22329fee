import type { Size } from "../data/crowd-data.ts";
import { FLOOR } from "./shares.ts";

export interface Shape {
  readonly workers: number;
  readonly classes: number;
  readonly given: number;
}

/** Estimates the bytes of all workers' tables and of their expected counts. */
export function tableBytes({ workers, classes }: Size): number {
  return 16 * workers * classes ** 2;
}

/** From the kernels' order to the results', or back with `given` and `classes` exchanged. */
export function transpose(
  table: Float64Array,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const turned = new Float64Array(table.length);
  for (let w = 0; w < W; w++) {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) turned[(w * K + k) * L + l] = table[(w * L + l) * K + k];
    }
  }
  return turned;
}

/** Counts plus pseudo-counts to rates, both in the kernels' order; no count below the floor. */
export function normaliseTable(
  counts: Float64Array,
  pseudo: (w: number, k: number, l: number) => number,
  { workers: W, classes: K, given: L }: Shape,
  rates: Float64Array,
): void {
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      const column = w * L * K + k;
      let total = 0;
      // The floor makes a row of a class this worker never met a plain guess.
      for (let l = 0; l < L; l++) {
        const at = column + l * K;
        rates[at] = Math.max(FLOOR, counts[at] + pseudo(w, k, l));
        total += rates[at];
      }
      for (let l = 0; l < L; l++) rates[column + l * K] /= total;
    }
  }
}

/** P(right label) of each worker: sum over classes of prior · diagonal. */
export function skillOf(
  confusion: Float64Array,
  prior: Float64Array,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const skill = new Float64Array(W);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) skill[w] += prior[k] * confusion[(w * K + k) * L + k];
  }
  return skill;
}

/** Expected labels of each worker on tasks of each class, exposure[worker * K + class]. */
export function exposureOf(
  counts: Float64Array,
  { workers: W, classes: K, given: L }: Shape,
): Float64Array {
  const exposure = new Float64Array(W * K);
  for (let w = 0; w < W; w++) {
    for (let l = 0; l < L; l++) {
      for (let k = 0; k < K; k++) exposure[w * K + k] += counts[(w * L + l) * K + k];
    }
  }
  return exposure;
}
