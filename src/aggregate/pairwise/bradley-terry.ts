/**
 * Bradley–Terry: every item has a score, and the better one wins with a probability that grows with
 * the difference.
 *
 *   P(a beats b) = logistic(score[a] - score[b])
 *
 * Maximum of sum w_ab log P(a beats b) - penalty / 2 · sum score², by Newton's method with halved steps.
 * A tie is half a win for each side. The penalty keeps the score of an item that always wins finite;
 * with 0 the fit is plain maximum likelihood. Strong where judges are alike; it cannot tell a careful
 * judge from a random one, and knows no position bias.
 *
 * Intervals are Wald's, from the inverse of the penalised information, centred within each component.
 *
 * Bradley & Terry (1952), Biometrika 39(3/4), 324–345. https://doi.org/10.2307/2334029
 */
import { componentsOf, LEFT, type PairwiseData, RIGHT } from "../../data/pairwise.ts";
import { CrowdError } from "../../error.ts";
import { cholesky, solveCholesky } from "../../math/matrix.ts";
import type { Steps } from "../../method.ts";
import { type Ranking, ranker } from "./ranker.ts";

/** Items of one component up to which the information matrix is held whole. */
const MOST_ITEMS = 5000;

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
    cost: "O(N) once, O(K³) per iteration for K items of a component, K² memory",
    memory: ({ classes }) => 16 * classes ** 2,
    options: {
      penalty: {
        default: 0.1,
        min: 0,
        help: "Strength of the penalty on squared scores; 0 is maximum likelihood.",
      },
      ties: {
        default: "half",
        choices: ["half", "drop"],
        help: "Treatment of ties: half a win for each side, or ignored.",
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
  function* (data, options): Steps<Ranking> {
    const { ofItem, count } = componentsOf(data);
    const wins = collapse(data, options.ties);
    const n = data.items.length;
    const score = new Float64Array(n);
    const sd = new Float64Array(n).fill(Number.NaN);
    const traces: number[][] = [];
    let converged = true;
    for (let c = 0; c < count; c++) {
      const part = partOf(wins, ofItem, c);
      if (part.items.length < 2) continue;
      const fit = yield* climb(part, options);
      part.items.forEach((item, i) => {
        score[item] = fit.score[i];
        sd[item] = fit.sd[i];
      });
      traces.push(fit.trace);
      converged &&= fit.converged;
    }
    const notes = boundNotes(wins, n, options.penalty);
    return { score, sd, trace: sumTraces(traces), converged, notes };
  },
);

/** Pairs of items with the (weighted) wins of the first over the second. */
interface Wins {
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly won: readonly number[];
  readonly lost: readonly number[];
}

/** Adds up the comparisons of each pair, smaller item first. */
function collapse(
  { items, left, right, label, weight }: PairwiseData,
  ties: "half" | "drop",
): Wins {
  const n = items.length;
  const place = new Map<number, number>();
  const [first, second, won, lost]: number[][] = [[], [], [], []];
  for (let i = 0; i < label.length; i++) {
    const [a, b] = [Math.min(left[i], right[i]), Math.max(left[i], right[i])];
    const count = weight ? weight[i] : 1;
    const decided = label[i] === LEFT || label[i] === RIGHT;
    if (!decided && ties === "drop") continue;
    let at = place.get(a * n + b);
    if (at === undefined) {
      at = first.push(a) - 1;
      second.push(b);
      won.push(0);
      lost.push(0);
      place.set(a * n + b, at);
    }
    const winner = label[i] === LEFT ? left[i] : right[i];
    won[at] += decided ? (winner === a ? count : 0) : count / 2;
    lost[at] += decided ? (winner === b ? count : 0) : count / 2;
  }
  return { first, second, won, lost };
}

/** One component, with items numbered from 0. */
interface Part extends Wins {
  readonly items: readonly number[];
}

function partOf({ first, second, won, lost }: Wins, ofItem: Int32Array, c: number): Part {
  const items = Array.from(ofItem.keys()).filter((item) => ofItem[item] === c);
  if (items.length > MOST_ITEMS) {
    throw new CrowdError(
      "too-large",
      `bradley-terry: ${items.length} items are connected by comparisons; at most ${MOST_ITEMS} fit into memory ` +
        `as a matrix. Split them into parts that are ranked apart.`,
    );
  }
  const place = new Map(items.map((item, i) => [item, i]));
  const pairs = first.flatMap((a, p) => (ofItem[a] === c ? [p] : []));
  const local = (list: readonly number[]) => pairs.map((p) => place.get(list[p]) ?? 0);
  return {
    items,
    first: local(first),
    second: local(second),
    won: pairs.map((p) => won[p]),
    lost: pairs.map((p) => lost[p]),
  };
}

interface Settings {
  readonly penalty: number;
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Newton's method from 0, with steps halved until the objective rises. */
function* climb(
  part: Part,
  { penalty, maxIterations, tolerance }: Settings,
): Steps<{ score: Float64Array; sd: Float64Array; trace: number[]; converged: boolean }> {
  const n = part.items.length;
  let score: Float64Array = new Float64Array(n);
  let objective = objectiveOf(part, score, penalty);
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const step = newtonStep(part, score, penalty);
    let size = 1;
    let next = score.map((s, i) => s + step[i]);
    let reached = objectiveOf(part, next, penalty);
    while (!(reached >= objective - 1e-12 * Math.abs(objective)) && size > 1e-10) {
      size /= 2;
      next = score.map((s, i) => s + size * step[i]);
      reached = objectiveOf(part, next, penalty);
    }
    converged = step.every((d) => Math.abs(size * d) <= tolerance);
    [score, objective] = [next, reached];
    trace.push(objective);
    yield { iteration, objective };
  }
  return { score, sd: errorsOf(part, score, penalty), trace, converged };
}

function objectiveOf({ first, second, won, lost }: Wins, score: Float64Array, penalty: number) {
  let sum = 0;
  for (let p = 0; p < first.length; p++) {
    const lead = score[first[p]] - score[second[p]];
    sum -= won[p] * softplus(-lead) + lost[p] * softplus(lead);
  }
  for (const s of score) sum -= (penalty / 2) * s * s;
  return sum;
}

/** Returns log(1 + exp(x)) without overflow. */
function softplus(x: number): number {
  return Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
}

/** Solves information · step = gradient. */
function newtonStep(part: Part, score: Float64Array, penalty: number): Float64Array {
  const { first, second, won, lost } = part;
  const gradient = score.map((s) => -penalty * s);
  for (let p = 0; p < first.length; p++) {
    const chance = 1 / (1 + Math.exp(score[second[p]] - score[first[p]]));
    const pull = won[p] * (1 - chance) - lost[p] * chance;
    gradient[first[p]] += pull;
    gradient[second[p]] -= pull;
  }
  solveCholesky(factor(part, score, penalty), gradient, score.length);
  return gradient;
}

/** Factors the penalised information; without a penalty 1/n everywhere fixes the mean of the scores. */
function factor(
  { first, second, won, lost }: Wins,
  score: Float64Array,
  penalty: number,
): Float64Array {
  const n = score.length;
  const information = new Float64Array(n * n).fill(penalty > 0 ? 0 : 1 / n);
  for (let i = 0; i < n; i++) information[i * n + i] += penalty;
  for (let p = 0; p < first.length; p++) {
    const [a, b] = [first[p], second[p]];
    const chance = 1 / (1 + Math.exp(score[b] - score[a]));
    // Kept above 0, so that scores that ran away leave a matrix that can be solved.
    const bend = Math.max(1e-12, (won[p] + lost[p]) * chance * (1 - chance));
    information[a * n + a] += bend;
    information[b * n + b] += bend;
    information[a * n + b] -= bend;
    information[b * n + a] -= bend;
  }
  const lower = cholesky(information, n);
  if (!lower) {
    throw new CrowdError(
      "not-supported",
      "bradley-terry: the scores cannot be told apart from these comparisons. Use a penalty above 0.",
    );
  }
  return lower;
}

/** Square roots of the diagonal of C · information⁻¹ · C, C = I - 1/n. */
function errorsOf(part: Part, score: Float64Array, penalty: number): Float64Array {
  const n = score.length;
  const lower = factor(part, score, penalty);
  const column = new Float64Array(n);
  return score.map((_, i) => {
    column.fill(-1 / n);
    column[i] += 1;
    solveCholesky(lower, column, n);
    const mean = column.reduce((sum, x) => sum + x, 0) / n;
    return Math.sqrt(Math.max(0, column[i] - mean));
  });
}

/** The objective of all components together; those that ended earlier stay where they ended. */
function sumTraces(traces: readonly (readonly number[])[]): number[] {
  const length = traces.reduce((most, trace) => Math.max(most, trace.length), 0);
  return Array.from({ length }, (_, at) =>
    traces.reduce((sum, trace) => sum + (trace[Math.min(at, trace.length - 1)] ?? 0), 0),
  );
}

/** Names how many items always won or always lost: the penalty alone bounds their scores. */
function boundNotes({ first, second, won, lost }: Wins, n: number, penalty: number): string[] {
  const wins = new Float64Array(n);
  const losses = new Float64Array(n);
  for (let p = 0; p < first.length; p++) {
    wins[first[p]] += won[p];
    losses[first[p]] += lost[p];
    wins[second[p]] += lost[p];
    losses[second[p]] += won[p];
  }
  const bound = wins.filter((sum, i) => sum > 0 !== losses[i] > 0 && sum + losses[i] > 0).length;
  if (bound === 0) return [];
  const why = penalty > 0 ? "only the penalty bounds their scores" : "their scores have no maximum";
  return [`${bound} items always won or always lost: ${why}.`];
}
