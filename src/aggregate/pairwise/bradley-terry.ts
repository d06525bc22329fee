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
import { studentQuantile } from "../../math/incomplete.ts";
import type { Steps } from "../../method.ts";
import { bootstrapErrors } from "./bootstrap.ts";
import { bothSides, boundNote, centre, collapse, partsOf } from "./pairs.ts";
import { type PairwiseResult, type RankingOf, ranker } from "./ranker.ts";
import { centredErrors, MOST_EXACT } from "./score-errors.ts";
import { climb, type Fit, fitOf, type Point, ridge, type Surface, startOf } from "./score-fit.ts";
import { factor, type System, solve } from "./score-system.ts";
import { half, noTerms, tieModels } from "./tie-models.ts";

/** What Bradley–Terry returns. */
export interface BradleyTerry extends PairwiseResult {
  /** How common ties are: nu of Davidson's model, tau of Rao and Kupper's; NaN where ties are halved or ignored. */
  readonly tie: number;
  /** What standing on the left adds to a score; NaN where it was not asked for, 0 where all answers lie on one side. */
  readonly left: number;
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
    cost: "O(N) once, O(distinct pairs) per step; for errors O(K³) up to 2,000 items K of a component, above O(distinct pairs) per judge or random vector",
    memory: ({ classes }) => 24 * Math.min(classes, MOST_EXACT) ** 2,
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
      left: {
        default: false,
        help: "Fit an advantage of the left side, the same for all judges.",
      },
      errors: {
        default: "auto",
        choices: ["auto", "wald", "judges", "bootstrap"],
        help: "Standard errors: comparisons are independent (wald), judges are (judges), judges where there are 10 or more (auto), or the same by refits (bootstrap).",
      },
      resamples: {
        default: 100,
        min: 10,
        max: 100_000,
        integer: true,
        help: "Number of refits of the bootstrap.",
      },
      seed: {
        default: 0,
        min: 0,
        max: 2 ** 53 - 1,
        integer: true,
        help: "Random seed of the bootstrap.",
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
    const pairs = collapse(data, { ties: ties === "drop" ? "drop" : "keep", sides: options.left });
    const anyTie = pairs.tied.some((count) => count > 0);
    const model = !anyTie ? half : (tieModels[ties] ?? half);
    const task = {
      id: "bradley-terry",
      pairs,
      parts: partsOf(data),
      model,
      prior: ridge(penalty),
      left: options.left && bothSides(pairs),
    };
    const fit = fitOf(task, n);
    const { at, surface, trace, converged } = yield* climb(fit, startOf(fit, n), options);
    const found =
      errors === "bootstrap"
        ? yield* resampled(data, fit, at, options)
        : yield* errorsOf(data, fit, at, surface, errors);
    const { sd, quantile } = found;
    const notes = [...boundNote(pairs, n, penalty), ...found.notes];
    const tie = ties in tieModels ? (anyTie ? Math.exp(at.x) : 0) : Number.NaN;
    const left = options.left ? at.left : Number.NaN;
    const answering = { ties, tie, left: fit.left ? at.left : 0 };
    return { score: at.score, sd, quantile, tie, left, answering, trace, converged, notes };
  },
);

/** Standard errors, how many of them an interval reaches to either side, and what there is to say of them. */
interface Errors {
  readonly sd: Float64Array;
  readonly quantile: Float64Array;
  readonly notes: readonly string[];
}

/** The same by the bootstrap: over judges if every component has enough of them, else over comparisons. */
function* resampled(
  data: PairwiseData,
  fit: Fit,
  at: Point,
  options: Omit<Parameters<typeof bootstrapErrors>[3], "byJudge">,
): Steps<Errors> {
  const judges = judgesOf(data, fit);
  const byJudge = judges.every((count) => count >= ENOUGH_JUDGES);
  const sd = yield* bootstrapErrors(data, fit, at, { ...options, byJudge });
  const quantile = new Float64Array(sd.length).fill(1.96);
  fit.parts.forEach((part, c) => {
    for (const item of part) if (byJudge) quantile[item] = studentQuantile(0.975, judges[c] - 1);
  });
  // An item without comparisons has no error that could be told, as by the other ways.
  const { block } = fit.layout;
  return { sd: sd.map((x, i) => (block[i] >= 0 ? x : Number.NaN)), quantile, notes: [] };
}

/** Relative error of the solutions that standard errors are made of, where a component is too large for a matrix. */
const EXACT = 1e-9;

function* errorsOf(
  data: PairwiseData,
  fit: Fit,
  at: Point,
  surface: Surface,
  errors: "auto" | "wald" | "judges",
): Steps<Errors> {
  const n = at.score.length;
  const judges = judgesOf(data, fit);
  const least = errors === "wald" ? Infinity : errors === "judges" ? 2 : ENOUGH_JUDGES;
  const byJudge = (c: number) => judges[c] >= least;
  const system = factor(fit, at, surface, { exact: EXACT, most: MOST_EXACT });
  const { sd, notes } = yield* centredErrors(fit, system, n, (c) => !byJudge(c));
  const quantile = new Float64Array(n).fill(1.96);
  if (!judges.some((_, c) => byJudge(c))) return { sd, quantile, notes };
  const clustered = yield* clusteredErrors(data, fit, at, system);
  fit.parts.forEach((part, c) => {
    if (!byJudge(c)) return;
    const J = judges[c];
    for (const item of part) {
      sd[item] = clustered[item] * Math.sqrt(J / (J - 1));
      quantile[item] = studentQuantile(0.975, J - 1);
    }
  });
  return { sd, quantile, notes };
}

/** Counts the judges of each component. */
function judgesOf({ worker, left }: PairwiseData, { parts, pairs, layout }: Fit): number[] {
  const seen = parts.map(() => new Set<number>());
  for (let i = 0; i < worker.length; i++) {
    if (pairs.ofRow[i] >= 0) seen[layout.block[left[i]]].add(worker[i]);
  }
  return seen.map(({ size }) => size);
}

/** Square roots of the diagonal of C H⁻¹ (sum g g') H⁻¹ C, g the gradient of all comparisons of a judge. */
function* clusteredErrors(
  data: PairwiseData,
  fit: Fit,
  at: Point,
  system: System,
): Steps<Float64Array> {
  const { left, right, label, weight, worker, workers } = data;
  const rows = Array.from({ length: workers.length }, (): number[] => []);
  for (let i = 0; i < worker.length; i++) if (fit.pairs.ofRow[i] >= 0) rows[worker[i]].push(i);
  const n = at.score.length;
  const squares = new Float64Array(n);
  const terms = noTerms();
  for (const [judge, own] of rows.entries()) {
    if (own.length === 0) continue;
    yield { iteration: judge + 1, objective: 0, stage: "standard errors by judge" };
    const score = new Float64Array(n);
    let [x, first] = [0, 0];
    for (const i of own) {
      const count = weight ? weight[i] : 1;
      const [a, b] = [left[i], right[i]];
      const tied = label[i] === TIE ? count : 0;
      const won = label[i] === LEFT ? count : 0;
      const lead = at.score[a] - at.score[b] + at.left;
      fit.model.terms(won, count - won - tied, tied, lead, at.x, terms);
      score[a] += terms.pull;
      score[b] -= terms.pull;
      x += terms.tiePull;
      first += terms.pull;
    }
    const influence = solve(fit, system, { score, x, left: first }).score;
    centre(influence, fit.parts);
    for (let i = 0; i < n; i++) squares[i] += influence[i] ** 2;
  }
  return squares.map(Math.sqrt);
}
