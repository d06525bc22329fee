/**
 * Bradley–Terry: every item has a score, and the better one wins with a probability that grows with
 * the difference.
 *
 *   P(a beats b) = logistic(score[a] - score[b])
 *
 * Maximum of sum w_ab log P(a beats b) - penalty / 2 · sum score², by Newton's method with halved steps.
 * A tie is half a win for each side, or an outcome of its own (Davidson, Rao–Kupper; tie-models.ts). The
 * penalty keeps the score of an item that always wins finite; with 0 the fit is plain maximum likelihood.
 * Strong where judges are alike; it cannot tell a careful judge from a random one, and knows no position bias.
 *
 * Standard errors, H the penalised information, C the matrix that centres each component:
 *
 *   wald     diag(C H⁻¹ C)
 *   judges   diag(C H⁻¹ (sum over judges of g g') J / (J - 1) H⁻¹ C), g the gradient of a judge's comparisons
 *
 * Bradley & Terry (1952), Biometrika 39(3/4), 324–345. https://doi.org/10.2307/2334029
 */
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { CrowdError } from "../../error.ts";
import { studentQuantile } from "../../math/incomplete.ts";
import { cholesky, solveCholesky } from "../../math/matrix.ts";
import type { Steps } from "../../method.ts";
import { centre, collapse, type Pairs, type Part, partsOf, unbounded } from "./pairs.ts";
import { type PairwiseResult, type RankingOf, ranker } from "./ranker.ts";
import { davidson, half, raoKupper, TIE_VARIANCE, type TieModel } from "./tie-models.ts";

/** What Bradley–Terry returns. */
export interface BradleyTerry extends PairwiseResult {
  /** How common ties are: nu of Davidson's model, tau of Rao and Kupper's; NaN where ties are halved or ignored. */
  readonly tie: number;
}

/** Judges of a component from which on errors are clustered by judge. */
const ENOUGH_JUDGES = 10;

/**
 * Bradley–Terry: each item has a score; the probability to win grows with the difference of two
 * scores.
 */
export const bradleyTerry = ranker(
  {
    id: "bradley-terry",
    title: "Bradley–Terry",
    summary:
      "Each item has a score; the probability of winning grows with the difference of two scores.",
    paper: {
      authors: "R. A. Bradley, M. E. Terry",
      year: 1952,
      title: "Rank analysis of incomplete block designs: I. The method of paired comparisons",
      url: "https://doi.org/10.2307/2334029",
    },
    family: "scores",
    cost: "O(N) once, O(K³) per iteration for K items of a component, O(W·K²) for errors by judge, K² memory",
    memory: ({ classes }) => 16 * classes ** 2,
    options: {
      penalty: {
        default: 0.1,
        min: 0,
        help: "Strength of the penalty on squared scores; 0 is maximum likelihood.",
      },
      ties: {
        default: "half",
        choices: ["half", "drop", "davidson", "rao-kupper"],
        help: "Treatment of ties: half a win for each side, ignored, or an outcome with a parameter of its own.",
      },
      errors: {
        default: "auto",
        choices: ["auto", "wald", "judges"],
        help: "Standard errors: comparisons are independent (wald), judges are (judges), or judges where there are 10 or more.",
      },
      maxIterations: {
        default: 100,
        min: 1,
        integer: true,
        help: "Maximum number of Newton steps.",
      },
      tolerance: {
        default: 1e-10,
        min: 0,
        help: "Largest change of a score at which to stop.",
      },
    },
  },
  function* (data, options): Steps<RankingOf<BradleyTerry>> {
    const { ties, penalty, errors } = options;
    const n = data.items.length;
    const pairs = collapse(data, ties === "drop" ? "drop" : "keep");
    const anyTie = pairs.tied.some((count) => count > 0);
    const model = !anyTie ? half : (tieModels[ties] ?? half);
    const fit: Fit = { pairs, parts: partsOf("bradley-terry", data), model, penalty, n };
    const { at, trace, converged } = yield* climb(fit, options);
    const system = systemOf(fit, at);
    const { sd, quantile } = errorsOf(data, fit, at, system, errors);
    const bound = unbounded(pairs, n);
    const why =
      penalty > 0 ? "only the penalty bounds their scores" : "their scores have no maximum";
    const notes = bound > 0 ? [`${bound} items always won or always lost: ${why}.`] : [];
    const tie = ties in tieModels ? (anyTie ? Math.exp(at.x) : 0) : Number.NaN;
    return { score: at.score, sd, quantile, tie, trace, converged, notes };
  },
);

const tieModels: Readonly<Record<string, TieModel>> = { davidson, "rao-kupper": raoKupper };

/** What is fitted: all components at once, since they share the parameter of ties. */
interface Fit {
  readonly pairs: Pairs;
  readonly parts: readonly Part[];
  readonly model: TieModel;
  readonly penalty: number;
  readonly n: number;
}

/** Scores, and the parameter of ties. */
interface Point {
  readonly score: Float64Array;
  readonly x: number;
}

/** Newton's method from 0, with steps halved until the objective rises. */
function* climb(
  fit: Fit,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
): Steps<{ at: Point; trace: number[]; converged: boolean }> {
  let at: Point = { score: new Float64Array(fit.n), x: fit.model.start ?? 0 };
  let objective = objectiveOf(fit, at);
  const trace: number[] = [];
  let converged = fit.parts.length === 0;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const step = solve(fit, systemOf(fit, at), gradientOf(fit, at));
    let size = 1;
    let next = moved(at, step, size);
    let reached = objectiveOf(fit, next);
    while (!(reached >= objective - 1e-12 * Math.abs(objective)) && size > 1e-10) {
      size /= 2;
      next = moved(at, step, size);
      reached = objectiveOf(fit, next);
    }
    const change = step.score.reduce((most, d) => Math.max(most, Math.abs(d)), Math.abs(step.x));
    converged = size * change <= tolerance;
    [at, objective] = [next, reached];
    trace.push(objective);
    yield { iteration, objective };
  }
  return { at, trace, converged };
}

function moved({ score, x }: Point, step: Point, size: number): Point {
  return { score: score.map((s, i) => s + size * step.score[i]), x: x + size * step.x };
}

/** Returns what the pair p says at a point. */
function termsOf({ pairs: { first, second, won, lost, tied }, model }: Fit, at: Point, p: number) {
  const lead = at.score[first[p]] - at.score[second[p]];
  return model.terms({ won: won[p], lost: lost[p], tied: tied[p] }, lead, at.x);
}

function objectiveOf(fit: Fit, at: Point): number {
  const { penalty, model } = fit;
  let sum = 0;
  for (let p = 0; p < fit.pairs.first.length; p++) sum += termsOf(fit, at, p).value;
  for (const s of at.score) sum -= (penalty / 2) * s * s;
  if (penalty > 0) sum -= (at.x - (model.start ?? at.x)) ** 2 / (2 * TIE_VARIANCE);
  return sum;
}

function gradientOf(fit: Fit, at: Point): Point {
  const { pairs, penalty, model } = fit;
  const score = at.score.map((s) => -penalty * s);
  let x = penalty > 0 ? ((model.start ?? at.x) - at.x) / TIE_VARIANCE : 0;
  for (let p = 0; p < pairs.first.length; p++) {
    const { pull, tiePull } = termsOf(fit, at, p);
    score[pairs.first[p]] += pull;
    score[pairs.second[p]] -= pull;
    x += tiePull;
  }
  return { score, x };
}

/** The penalised information: one block per component, bordered by the parameter of ties. */
interface System {
  /** Cholesky factors of the blocks. */
  readonly lower: readonly Float64Array[];
  readonly border: Float64Array;
  /** The blocks' solution for the border. */
  readonly side: Float64Array;
  /** What is left in the corner once the scores are eliminated; 0 without a parameter of ties. */
  readonly corner: number;
}

/** Builds and factors the information; without a penalty 1/n everywhere fixes the mean of the scores. */
function systemOf(fit: Fit, at: Point): System {
  const { pairs, parts, penalty, n, model } = fit;
  const place = new Int32Array(n);
  const block = new Int32Array(n).fill(-1);
  const blocks = parts.map((part, c) => {
    part.forEach((item, i) => {
      place[item] = i;
      block[item] = c;
    });
    const size = part.length;
    const matrix = new Float64Array(size * size).fill(penalty > 0 ? 0 : 1 / size);
    for (let i = 0; i < size; i++) matrix[i * size + i] += penalty;
    return matrix;
  });
  const border = new Float64Array(n);
  let corner = penalty > 0 ? 1 / TIE_VARIANCE : 0;
  for (let p = 0; p < pairs.first.length; p++) {
    const { bend, tieBend, cross } = termsOf(fit, at, p);
    const [a, b] = [pairs.first[p], pairs.second[p]];
    const size = parts[block[a]].length;
    addEdge(blocks[block[a]], size, place[a], place[b], bend);
    border[a] += cross;
    border[b] -= cross;
    corner += tieBend;
  }
  const lower = blocks.map((matrix, c) => factor(matrix, parts[c].length));
  const side = border.slice();
  if (model.start === undefined) return { lower, border, side, corner: 0 };
  solveBlocks(parts, lower, side);
  for (let i = 0; i < n; i++) corner -= border[i] * side[i];
  // Rao and Kupper's likelihood bends both ways far from its maximum; turned, the step still rises.
  return { lower, border, side, corner: Math.max(Math.abs(corner), 1e-12) };
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

function factor(matrix: Float64Array, size: number): Float64Array {
  const lower = cholesky(matrix, size);
  if (lower) return lower;
  throw new CrowdError(
    "not-supported",
    "bradley-terry: the scores cannot be told apart from these comparisons. Use a penalty above 0.",
  );
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
function solve({ parts }: Fit, { lower, border, side, corner }: System, right: Point): Point {
  const score = right.score.slice();
  solveBlocks(parts, lower, score);
  if (corner === 0) return { score, x: 0 };
  let rest = right.x;
  for (let i = 0; i < score.length; i++) rest -= border[i] * score[i];
  const x = rest / corner;
  return { score: score.map((s, i) => s - side[i] * x), x };
}

/** Standard errors and how many of them an interval reaches to either side. */
function errorsOf(
  data: PairwiseData,
  fit: Fit,
  at: Point,
  system: System,
  errors: "auto" | "wald" | "judges",
): { sd: Float64Array; quantile: Float64Array } {
  const sd = waldErrors(fit, system);
  const quantile = new Float64Array(fit.n).fill(1.96);
  const judges = judgesOf(data, fit);
  const least = errors === "wald" ? Infinity : errors === "judges" ? 2 : ENOUGH_JUDGES;
  if (judges.every((count) => count < least)) return { sd, quantile };
  const clustered = clusteredErrors(data, fit, at, system);
  fit.parts.forEach((part, c) => {
    const J = judges[c];
    if (J < least) return;
    for (const item of part) {
      sd[item] = clustered[item] * Math.sqrt(J / (J - 1));
      quantile[item] = studentQuantile(0.975, J - 1);
    }
  });
  return { sd, quantile };
}

/** Square roots of the diagonal of C · information⁻¹ · C; NaN for items without comparisons. */
function waldErrors({ parts, n }: Fit, { lower, side, corner }: System): Float64Array {
  const sd = new Float64Array(n).fill(Number.NaN);
  const shift = side.slice();
  centre(shift, parts);
  parts.forEach((part, c) => {
    const size = part.length;
    const column = new Float64Array(size);
    part.forEach((item, i) => {
      column.fill(-1 / size);
      column[i] += 1;
      solveCholesky(lower[c], column, size);
      const mean = column.reduce((sum, x) => sum + x, 0) / size;
      const byTies = corner > 0 ? shift[item] ** 2 / corner : 0;
      sd[item] = Math.sqrt(Math.max(0, column[i] - mean) + byTies);
    });
  });
  return sd;
}

/** Counts the judges of each component. */
function judgesOf({ worker, left }: PairwiseData, { parts, pairs, n }: Fit): number[] {
  const block = new Int32Array(n).fill(-1);
  parts.forEach((part, c) => {
    for (const item of part) block[item] = c;
  });
  const seen = parts.map(() => new Set<number>());
  for (let i = 0; i < worker.length; i++) {
    if (pairs.ofRow[i] >= 0) seen[block[left[i]]].add(worker[i]);
  }
  return seen.map(({ size }) => size);
}

/** Square roots of the diagonal of C H⁻¹ (sum g g') H⁻¹ C, g the gradient of all comparisons of a judge. */
function clusteredErrors(data: PairwiseData, fit: Fit, at: Point, system: System): Float64Array {
  const { left, right, label, weight, worker, workers } = data;
  const rows = Array.from({ length: workers.length }, (): number[] => []);
  for (let i = 0; i < worker.length; i++) if (fit.pairs.ofRow[i] >= 0) rows[worker[i]].push(i);
  const squares = new Float64Array(fit.n);
  for (const own of rows) {
    if (own.length === 0) continue;
    const score = new Float64Array(fit.n);
    let x = 0;
    for (const i of own) {
      const count = weight ? weight[i] : 1;
      const [a, b] = [left[i], right[i]];
      const tied = label[i] === TIE ? count : 0;
      const won = label[i] === LEFT ? count : 0;
      const counts = { won, tied, lost: count - won - tied };
      const { pull, tiePull } = fit.model.terms(counts, at.score[a] - at.score[b], at.x);
      score[a] += pull;
      score[b] -= pull;
      x += tiePull;
    }
    const influence = solve(fit, system, { score, x }).score;
    centre(influence, fit.parts);
    for (let i = 0; i < fit.n; i++) squares[i] += influence[i] ** 2;
  }
  return squares.map(Math.sqrt);
}
