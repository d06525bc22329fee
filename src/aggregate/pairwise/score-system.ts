/**
 * The information of a fit: one block per connected part, bordered by the parameters that all parts share: that of
 * ties, and the advantage of the left side. Small blocks are factored, large ones solved by conjugate gradients.
 */
import { type EdgeMatrix, solveEdges } from "../../math/laplacian.ts";
import { cholesky, solveCholesky } from "../../math/matrix.ts";
import type { Part } from "./pairs.ts";
import type { Fit, Point, Surface } from "./score-fit.ts";
import { untold } from "./score-layout.ts";

/** The information, ready to be solved. */
export interface System {
  readonly blocks: readonly Block[];
  readonly borders: readonly Float64Array[];
  /** The blocks' solution for each border. */
  readonly sides: readonly Float64Array[];
  /** Inverse of what is left in the corner once the scores are eliminated. */
  readonly corner: readonly (readonly number[])[];
}

/** The block of one part: its Cholesky factor, or its edges where it is large. */
type Block = { readonly lower: Float64Array } | { readonly sparse: Sparse };

/** A large block. */
export interface Sparse {
  readonly matrix: EdgeMatrix;
  /** What the prior bends, where it does so alike for all items. */
  readonly even: number | undefined;
  /** Relative error of a solution. */
  readonly exact: number;
}

interface How {
  /** Relative error of the solutions of large blocks. */
  readonly exact: number;
  /** Items up to which the blocks of large parts are factored all the same. */
  readonly most?: number;
}

/** Makes the information at a point ready to be solved. */
export function factor(fit: Fit, at: Point, surface: Surface, { exact, most = 0 }: How): System {
  const { parts, layout } = fit;
  const { borders, corner } = surface;
  const whole = parts.map((part, c) => !layout.edges[c] || part.length <= most);
  const dense = denseBlocks(fit, at, surface, whole);
  const blocks = parts.map((_, c): Block => {
    const matrix = dense[c];
    if (!matrix) return { sparse: sparseBlock(fit, at, surface, c, exact) };
    const lower = cholesky(matrix, parts[c].length);
    if (!lower) throw untold(fit.id);
    return { lower };
  });
  const sides = borders.map((border) => {
    const side = border.slice();
    solveBlocks(parts, blocks, side);
    return side;
  });
  const rest = corner.map((row, i) => row.map((c, j) => c - dot(borders[i], sides[j])));
  return { blocks, borders, sides, corner: inverseCorner(rest) };
}

/** Kept above 0, so that scores that ran away leave a matrix that can be solved. */
const LEAST_BEND = 1e-12;

/** The matrices of some parts, with the prior; without one 1/n everywhere fixes the mean of the scores. */
function denseBlocks(
  { parts, prior, pairs, layout: { block, place } }: Fit,
  { score }: Point,
  { bend }: Surface,
  whole: readonly boolean[],
): (Float64Array | undefined)[] {
  const blocks = parts.map((part, c) => {
    if (!whole[c]) return undefined;
    const size = part.length;
    const matrix = new Float64Array(size * size).fill(prior.proper ? 0 : 1 / size);
    part.forEach((item, i) => {
      matrix[i * size + i] += prior.bend(score[item]);
    });
    return matrix;
  });
  if (!whole.includes(true)) return blocks;
  const { first, second } = pairs;
  for (let p = 0; p < first.length; p++) {
    const matrix = blocks[block[first[p]]];
    if (!matrix) continue;
    const size = parts[block[first[p]]].length;
    const [a, b] = [place[first[p]], place[second[p]]];
    const much = Math.max(LEAST_BEND, bend[p]);
    matrix[a * size + a] += much;
    matrix[b * size + b] += much;
    matrix[a * size + b] -= much;
    matrix[b * size + a] -= much;
  }
  return blocks;
}

function sparseBlock(
  { id, parts, prior, layout }: Fit,
  { score }: Point,
  { bend }: Surface,
  c: number,
  exact: number,
): Sparse {
  const found = layout.edges[c];
  if (!found) throw new RangeError(`${id}: a small part has no edges`);
  const { edges, pair } = found;
  const diagonal = Float64Array.from(parts[c], (item) => prior.bend(score[item]));
  const weight = new Float64Array(pair.length);
  for (let a = 0; a < edges.n; a++) {
    for (let e = edges.start[a]; e < edges.start[a + 1]; e++) {
      const much = Math.max(LEAST_BEND, bend[pair[e]]);
      weight[e] = much;
      diagonal[a] += much;
      diagonal[edges.second[e]] += much;
    }
  }
  const matrix = { edges, diagonal, weight };
  return { matrix, even: prior.even ? prior.bend(0) : undefined, exact };
}

/** Solves a large block; writes the solution to its right side. Returns the number of steps. */
export function solveSparse({ matrix, even, exact }: Sparse, column: Float64Array): number {
  if (even === undefined) return solveEdges(matrix, column, exact);
  // Under an even prior the mean is solved by itself: next to the edges the prior may be lost in rounding.
  const mean = takeMean(column);
  const steps = solveEdges(matrix, column, exact);
  takeMean(column);
  if (even > 0) for (let i = 0; i < column.length; i++) column[i] += mean / even;
  return steps;
}

/** Takes the mean off a column. */
export function takeMean(column: Float64Array): number {
  const mean = column.reduce((sum, x) => sum + x, 0) / column.length;
  for (let i = 0; i < column.length; i++) column[i] -= mean;
  return mean;
}

/** Inverts a matrix of at most two rows. */
function inverseCorner(rest: readonly (readonly number[])[]): number[][] {
  // Rao and Kupper's likelihood bends both ways far from its maximum; turned, the step still rises.
  const pivot = (x: number) => 1 / Math.max(Math.abs(x), 1e-12);
  if (rest.length < 2) return rest.map(([only]) => [pivot(only)]);
  const [[a, b], [, d]] = rest;
  const top = pivot(a);
  const bottom = pivot(d - b * b * top);
  const side = -b * top * bottom;
  return [
    [top + b * top * bottom * b * top, side],
    [side, bottom],
  ];
}

/** Solves each block for its part of the right side; writes the solution there. */
function solveBlocks(parts: readonly Part[], blocks: readonly Block[], right: Float64Array): void {
  parts.forEach((part, c) => {
    const column = Float64Array.from(part, (item) => right[item]);
    const block = blocks[c];
    if ("lower" in block) solveCholesky(block.lower, column, part.length);
    else solveSparse(block.sparse, column);
    part.forEach((item, i) => {
      right[item] = column[i];
    });
  });
}

/** Solves information · solution = right. */
export function solve(fit: Fit, { blocks, borders, sides, corner }: System, right: Point): Point {
  const score = right.score.slice();
  solveBlocks(fit.parts, blocks, score);
  const asked = [
    ...(fit.model.start === undefined ? [] : [right.x]),
    ...(fit.left ? [right.left] : []),
  ];
  const rest = asked.map((r, i) => r - dot(borders[i], score));
  const found = corner.map((row) => row.reduce((sum, c, j) => sum + c * rest[j], 0));
  sides.forEach((side, k) => {
    for (let i = 0; i < score.length; i++) score[i] -= side[i] * found[k];
  });
  return {
    score,
    x: fit.model.start === undefined ? 0 : found[0],
    left: fit.left ? found[found.length - 1] : 0,
  };
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
