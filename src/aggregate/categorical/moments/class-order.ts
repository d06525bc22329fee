/** One order of the true classes for all workers, where each was found alone. */

import type { Shape } from "../../../belief/confusion-table.ts";
import { assign } from "../../../math/assignment.ts";
import { leastSquares, multiply } from "../../../math/matrix.ts";
import { simplexLeastSquares } from "../../../math/simplex-least-squares.ts";
import type { PairMoments } from "./moments.ts";

/** Orders the rows of every worker so that most labels are right, in place. */
export function sortByDiagonal(confusion: Float64Array, shape: Shape): void {
  const { workers: W, classes: K, given: L } = shape;
  for (let w = 0; w < W; w++) {
    const table = confusion.subarray(w * K * L, (w + 1) * K * L);
    const cost = new Float64Array(K * K).map((_, at) => -table[(at % K) * L + Math.floor(at / K)]);
    reorder(table, assign(cost, K), L);
  }
}

/** Row k becomes the row that was at place[k]. */
function reorder(table: Float64Array, place: Int32Array, L: number): void {
  const before = table.slice();
  place.forEach((from, k) => {
    table.set(before.subarray(from * L, (from + 1) * L), k * L);
  });
}

/**
 * Orders the rows of every worker as those of the reference, in place: the order under which
 *
 *   sum over partners v that are ordered already of common · |joint[u, v] - confusion[u]ᵀ D confusion[v]|²
 *
 * is least, D being the prior that explains the labels of the reference, who is right most clearly. The
 * worker with the most common tasks with ordered ones comes next, among equals the clearest.
 */
export function agreeOnClasses(
  confusion: Float64Array,
  found: Uint8Array,
  moments: PairMoments,
): void {
  const { workers: W, start, partner, common } = moments;
  const open = found.slice();
  const reach = new Float64Array(W);
  const clear = clarity(confusion, moments);
  let prior: Float64Array = new Float64Array(moments.classes);
  for (;;) {
    let next = -1;
    for (let w = 0; w < W; w++) {
      if (!open[w]) continue;
      const more = next < 0 ? 1 : reach[w] - reach[next] || clear[w] - clear[next];
      if (more > 0) next = w;
    }
    if (next < 0) return;
    // The first of every island of the crowd is a reference of its own.
    if (reach[next] === 0) prior = priorBy(confusion, next, moments);
    else orderLikePartners(confusion, next, (v) => !open[v], prior, moments);
    open[next] = 0;
    for (let p = start[next]; p < start[next + 1]; p++) reach[partner[p]] += common[p];
  }
}

/** Returns the mean of each worker's diagonal, less what chance may have added to it. */
function clarity(confusion: Float64Array, moments: PairMoments): Float64Array {
  const { workers: W, classes: K, given: L, labels } = moments;
  return Float64Array.from({ length: W }, (_, w) => {
    let clear = -Math.sqrt(1 / labels[w]);
    for (let k = 0; k < K; k++) clear += confusion[(w * K + k) * L + k] / K;
    return clear;
  });
}

/** The prior that explains how often this worker gave each label. */
function priorBy(confusion: Float64Array, w: number, moments: PairMoments): Float64Array {
  const { classes: K, given: L, means } = moments;
  const table = confusion.subarray(w * K * L, (w + 1) * K * L);
  const b = multiply(table, means.subarray(w * L, (w + 1) * L), K, L, 1);
  return simplexLeastSquares(gramOf(table, K, L), b, K);
}

/** Inner products of the K rows. */
function gramOf(rows: Float64Array, K: number, L: number): Float64Array {
  const gram = new Float64Array(K * K);
  for (let i = 0; i < K; i++) {
    for (let j = 0; j < K; j++) {
      for (let l = 0; l < L; l++) gram[i * K + j] += rows[i * L + l] * rows[j * L + l];
    }
  }
  return gram;
}

function orderLikePartners(
  confusion: Float64Array,
  u: number,
  isOrdered: (v: number) => boolean,
  prior: Float64Array,
  { classes: K, given: L, start, partner, common, joint }: PairMoments,
): void {
  // With B = D confusion[v] the square is linear in joint · Bᵀ and quadratic in B · Bᵀ.
  const linear = new Float64Array(K * L);
  const square = new Float64Array(K * K);
  for (let p = start[u]; p < start[u + 1]; p++) {
    const v = partner[p];
    if (!isOrdered(v)) continue;
    const weighted = confusion
      .slice(v * K * L, (v + 1) * K * L)
      .map((rate, at) => rate * prior[Math.floor(at / L)]);
    const gram = gramOf(weighted, K, L);
    for (let at = 0; at < K * K; at++) square[at] += common[p] * gram[at];
    for (let k = 0; k < K; k++) {
      for (let own = 0; own < L; own++) {
        for (let theirs = 0; theirs < L; theirs++) {
          linear[k * L + own] +=
            common[p] * joint[(p * L + own) * L + theirs] * weighted[k * L + theirs];
        }
      }
    }
  }
  const table = confusion.subarray(u * K * L, (u + 1) * K * L);
  reorder(table, bestOrder(table, linear, square, K, L), L);
}

/** The order of least squares: the nearest to the free solution, then exchanges while they help. */
function bestOrder(
  table: Float64Array,
  linear: Float64Array,
  square: Float64Array,
  K: number,
  L: number,
): Int32Array {
  const free = new Float64Array(K * L);
  for (let l = 0; l < L; l++) {
    const b = Float64Array.from({ length: K }, (_, k) => linear[k * L + l]);
    leastSquares(square, b, K, K).forEach((rate, k) => {
      free[k * L + l] = rate;
    });
  }
  const distance = new Float64Array(K * K);
  const fit = new Float64Array(K * K);
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < K; j++) {
      for (let l = 0; l < L; l++) {
        distance[k * K + j] += (free[k * L + l] - table[j * L + l]) ** 2;
        fit[k * K + j] += linear[k * L + l] * table[j * L + l];
      }
    }
  }
  const gram = gramOf(table, K, L);
  const loss = (order: Int32Array) => {
    let sum = 0;
    for (let k = 0; k < K; k++) {
      sum -= 2 * fit[k * K + order[k]];
      for (let j = 0; j < K; j++) sum += square[k * K + j] * gram[order[k] * K + order[j]];
    }
    return sum;
  };
  const order = assign(distance, K);
  let least = loss(order);
  for (let better = true; better; ) {
    better = false;
    for (let i = 0; i < K; i++) {
      for (let j = 0; j < i; j++) {
        [order[i], order[j]] = [order[j], order[i]];
        const swapped = loss(order);
        if (swapped < least - 1e-12 * Math.abs(least)) [least, better] = [swapped, true];
        else [order[i], order[j]] = [order[j], order[i]];
      }
    }
  }
  return order;
}
