/**
 * Scores that maximise the likelihood of (weighted) comparisons and a prior of the scores, by Newton's method with
 * halved steps: what Bradley–Terry and the models of judges share.
 *
 * The information is one block per connected part, bordered by the parameters that all parts share: that of ties,
 * and the advantage of the left side.
 */
import { CrowdError } from "../../error.ts";
import { cholesky, solveCholesky } from "../../math/matrix.ts";
import type { Steps } from "../../method.ts";
import { centre, type Pairs, type Part } from "./pairs.ts";
import { noTerms, softplus, TIE_VARIANCE, type TieModel } from "./tie-models.ts";

/** The log prior of one score: its value, its slope, and its curvature with the sign turned. */
export interface ScorePrior {
  value(score: number): number;
  pull(score: number): number;
  bend(score: number): number;
  /** False where there is none: scores are then centred, and the parameter of ties has no prior either. */
  readonly proper: boolean;
}

/** -penalty / 2 · score². */
export const ridge = (penalty: number): ScorePrior => ({
  value: (s) => (-penalty / 2) * s * s,
  pull: (s) => -penalty * s,
  bend: () => penalty,
  proper: penalty > 0,
});

/** Each item won and lost `penalty` comparisons against an opponent with score 0. */
export const opponent = (penalty: number): ScorePrior => ({
  value: (s) => -penalty * (softplus(s) + softplus(-s)),
  pull: (s) => -penalty * Math.tanh(s / 2),
  bend: (s) => (penalty / 2) * (1 - Math.tanh(s / 2) ** 2),
  proper: penalty > 0,
});

/** What is fitted: all parts at once, since they share parameters. */
export interface Fit {
  readonly id: string;
  readonly pairs: Pairs;
  readonly parts: readonly Part[];
  readonly model: TieModel;
  readonly prior: ScorePrior;
  /** True for an advantage of the first item of every pair. */
  readonly left: boolean;
}

/** Scores, the parameter of ties, and the advantage of the left side. */
export interface Point {
  readonly score: Float64Array;
  readonly x: number;
  readonly left: number;
}

/** When to stop. */
interface Limits {
  readonly maxIterations: number;
  readonly tolerance: number;
}

export const startOf = ({ model }: Fit, items: number): Point => ({
  score: new Float64Array(items),
  x: model.start ?? 0,
  left: 0,
});

/** Newton's method from a point, with steps halved until the objective rises. */
export function* climb(
  fit: Fit,
  start: Point,
  { maxIterations, tolerance }: Limits,
): Steps<{ at: Point; surface: Surface; trace: number[]; converged: boolean }> {
  let at = start;
  let surface = surfaceAt(fit, at);
  const trace: number[] = [];
  let converged = fit.parts.length === 0;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const { objective } = surface;
    const step = solve(fit, factor(fit, surface), surface.pull);
    let size = 1;
    let next = moved(at, step, size);
    surface = surfaceAt(fit, next);
    while (!(surface.objective >= objective - 1e-12 * Math.abs(objective)) && size > 1e-10) {
      size /= 2;
      next = moved(at, step, size);
      surface = surfaceAt(fit, next);
    }
    const other = Math.max(Math.abs(step.x), Math.abs(step.left));
    const change = step.score.reduce((most, d) => Math.max(most, Math.abs(d)), other);
    converged = size * change <= tolerance;
    at = next;
    trace.push(surface.objective);
    yield { iteration, objective: surface.objective };
  }
  return { at, surface, trace, converged };
}

function moved({ score, x, left }: Point, step: Point, size: number): Point {
  return {
    score: score.map((s, i) => s + size * step.score[i]),
    x: x + size * step.x,
    left: left + size * step.left,
  };
}

/** The objective at a point, its slopes and its curvature. */
export interface Surface {
  readonly objective: number;
  readonly pull: Point;
  readonly blocks: readonly Float64Array[];
  /** Curvature between the scores and each shared parameter. */
  readonly borders: readonly Float64Array[];
  /** Curvature of the shared parameters among themselves. */
  readonly corner: readonly (readonly number[])[];
}

/** Returns the log prior of a point. */
export function priorAt({ prior, model }: Fit, { score, x }: Point): number {
  let sum = 0;
  for (const s of score) sum += prior.value(s);
  return prior.proper ? sum - (x - (model.start ?? x)) ** 2 / (2 * TIE_VARIANCE) : sum;
}

/** Adds up what all pairs say at a point. */
function surfaceAt(fit: Fit, at: Point): Surface {
  const { pairs, model, prior } = fit;
  const { first, second, won, lost, tied } = pairs;
  const { place, block, sizes, blocks } = emptyBlocks(fit, at);
  const pull = new Float64Array(at.score.length);
  const [byTies, byLeft] = [new Float64Array(pull.length), new Float64Array(pull.length)];
  let objective = priorAt(fit, at);
  let tiePull = prior.proper ? ((model.start ?? at.x) - at.x) / TIE_VARIANCE : 0;
  let tieBend = prior.proper ? 1 / TIE_VARIANCE : 0;
  let [leftPull, leftBend, both] = [0, 0, 0];
  const terms = noTerms();
  for (let p = 0; p < first.length; p++) {
    const [a, b] = [first[p], second[p]];
    const lead = at.score[a] - at.score[b] + at.left;
    model.terms(won[p], lost[p], tied[p], lead, at.x, terms);
    objective += terms.value;
    pull[a] += terms.pull;
    pull[b] -= terms.pull;
    addEdge(blocks[block[a]], sizes[block[a]], place[a], place[b], terms.bend);
    tiePull += terms.tiePull;
    tieBend += terms.tieBend;
    byTies[a] += terms.cross;
    byTies[b] -= terms.cross;
    leftPull += terms.pull;
    leftBend += terms.bend;
    byLeft[a] += terms.bend;
    byLeft[b] -= terms.bend;
    both += terms.cross;
  }
  // What a pair adds to one item it takes from the other: the sum is 0 but for rounding, which the prior hardly bounds.
  centre(pull, fit.parts);
  at.score.forEach((s, i) => {
    pull[i] += prior.pull(s);
  });
  const shared: [boolean, Float64Array, number, number][] = [
    [model.start !== undefined, byTies, tieBend, both],
    [fit.left, byLeft, leftBend, both],
  ];
  const used = shared.filter(([present]) => present);
  return {
    objective,
    pull: { score: pull, x: tiePull, left: leftPull },
    blocks,
    borders: used.map(([, border]) => border),
    corner: used.map((row, i) => used.map((_, j) => (i === j ? row[2] : row[3]))),
  };
}

/** One matrix per part that holds the prior; without one 1/n everywhere fixes the mean of the scores. */
function emptyBlocks({ parts, prior }: Fit, { score }: Point) {
  const place = new Int32Array(score.length);
  const block = new Int32Array(score.length).fill(-1);
  const sizes = Int32Array.from(parts, (part) => part.length);
  const blocks = parts.map((part, c) => {
    const size = part.length;
    const matrix = new Float64Array(size * size).fill(prior.proper ? 0 : 1 / size);
    part.forEach((item, i) => {
      place[item] = i;
      block[item] = c;
      matrix[i * size + i] += prior.bend(score[item]);
    });
    return matrix;
  });
  return { place, block, sizes, blocks };
}

/** Adds what the comparisons of two items tell of their difference. */
function addEdge(matrix: Float64Array, size: number, a: number, b: number, bend: number): void {
  // Kept above 0, so that scores that ran away leave a matrix that can be solved.
  const much = Math.max(1e-12, bend);
  matrix[a * size + a] += much;
  matrix[b * size + b] += much;
  matrix[a * size + b] -= much;
  matrix[b * size + a] -= much;
}

/** The information, factored. */
export interface System {
  /** Cholesky factors of the blocks. */
  readonly lower: readonly Float64Array[];
  readonly borders: readonly Float64Array[];
  /** The blocks' solution for each border. */
  readonly sides: readonly Float64Array[];
  /** Inverse of what is left in the corner once the scores are eliminated. */
  readonly corner: readonly (readonly number[])[];
}

/** Factors the information at a point. */
export function factor({ id, parts }: Fit, { blocks, borders, corner }: Surface): System {
  const lower = blocks.map((matrix, c) => {
    const found = cholesky(matrix, parts[c].length);
    if (found) return found;
    throw new CrowdError(
      "not-supported",
      `${id}: the scores cannot be told apart from these comparisons. Use a penalty above 0.`,
    );
  });
  const sides = borders.map((border) => {
    const side = border.slice();
    solveBlocks(parts, lower, side);
    return side;
  });
  const rest = corner.map((row, i) => row.map((c, j) => c - dot(borders[i], sides[j])));
  return { lower, borders, sides, corner: inverseCorner(rest) };
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
function solveBlocks(
  parts: readonly Part[],
  lower: readonly Float64Array[],
  right: Float64Array,
): void {
  parts.forEach((part, c) => {
    const column = Float64Array.from(part, (item) => right[item]);
    solveCholesky(lower[c], column, part.length);
    part.forEach((item, i) => {
      right[item] = column[i];
    });
  });
}

/** Solves information · solution = right. */
export function solve(fit: Fit, { lower, borders, sides, corner }: System, right: Point): Point {
  const score = right.score.slice();
  solveBlocks(fit.parts, lower, score);
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

/** Square roots of the diagonal of C · information⁻¹ · C, C centring each part; NaN for items without comparisons. */
export function centredErrors(
  { parts }: Fit,
  { lower, sides, corner }: System,
  n: number,
): Float64Array {
  const sd = new Float64Array(n).fill(Number.NaN);
  const shifts = sides.map((side) => side.slice());
  for (const shift of shifts) centre(shift, parts);
  parts.forEach((part, c) => {
    const size = part.length;
    const column = new Float64Array(size);
    part.forEach((item, i) => {
      column.fill(-1 / size);
      column[i] += 1;
      solveCholesky(lower[c], column, size);
      const mean = column.reduce((sum, x) => sum + x, 0) / size;
      let variance = Math.max(0, column[i] - mean);
      corner.forEach((row, k) => {
        row.forEach((value, l) => {
          variance += shifts[k][item] * value * shifts[l][item];
        });
      });
      sd[item] = Math.sqrt(variance);
    });
  });
  return sd;
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
