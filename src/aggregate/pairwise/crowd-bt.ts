/**
 * CrowdBT: judge u is right about the better of two items with probability eta[u], and says the opposite otherwise.
 *
 *   P(u says that a beats b) = eta[u] · p + (1 - eta[u]) · (1 - p),    p = logistic(score[a] - score[b])
 *
 * Maximum of the log-likelihood of all decided comparisons
 *   + sum over judges of right · log eta + wrong · log(1 - eta)        prior of eta as counts
 *   - penalty · sum over items of log(1 + e^score) + log(1 + e^-score)    an opponent with score 0
 * by EM: r = eta p / (eta p + (1 - eta)(1 - p)), eta[u] = (right + sum r) / (right + wrong + n[u]), and scores from
 * comparisons that count r for the winner and 1 - r for the loser.
 *
 * Standard errors come from the information with eta profiled out. A judge who gave a large share of all answers
 * makes the consensus that would judge him, so his reliability comes from a fit without him.
 *
 * Chen, Bennett, Collins-Thompson & Horvitz (2013), WSDM, 193–202. https://doi.org/10.1145/2433396.2433420
 */
import type { PairwiseData } from "../../data/pairwise.ts";
import { drain, type Steps } from "../../method.ts";
import {
  type Answers,
  alternate,
  answersOf,
  answersPerJudge,
  countsOf,
  FIRST,
  type JudgeModel,
  tiesNote,
  withoutHeavy,
  zeroOf,
} from "./judge-em.ts";
import { boundNote, collapse, type Pairs, type Part, partsOf } from "./pairs.ts";
import { centredDiagonal, MOST_ERRORS } from "./profiled-errors.ts";
import { type PairwiseResult, type RankingOf, ranker } from "./ranker.ts";
import { climb, fitOf, opponent, startOf } from "./score-fit.ts";
import { half, logistic } from "./tie-models.ts";

/** What CrowdBT returns. */
export interface CrowdBt extends PairwiseResult {
  /** Probability that each judge is right, as fitted together with the scores. */
  readonly eta: Float64Array;
  /** The same, for judges with more than 5 % of the answers from a fit without them. */
  readonly reliability: Float64Array;
}

/** CrowdBT: Bradley–Terry with judges who are right with a probability of their own. */
export const crowdBt = ranker(
  {
    id: "crowd-bt",
    title: "CrowdBT",
    summary: "Bradley–Terry with judges who are right with a probability of their own.",
    paper: {
      authors: "X. Chen, P. N. Bennett, K. Collins-Thompson, E. Horvitz",
      year: 2013,
      title: "Pairwise ranking aggregation in a crowdsourced setting",
      url: "https://doi.org/10.1145/2433396.2433420",
    },
    family: "judges",
    cost: "O(N) per iteration, O(K³) once for the errors of up to 2,000 items K",
    memory: ({ classes }) => 24 * Math.min(classes, MOST_ERRORS) ** 2,
    options: {
      penalty: {
        default: 0.5,
        min: 1e-6,
        help: "Comparisons that each item won and lost against an opponent with score 0.",
      },
      right: {
        default: 9,
        min: 0,
        help: "Prior of a judge's reliability: right answers before the first.",
      },
      wrong: {
        default: 1,
        min: 0,
        help: "Prior of a judge's reliability: wrong answers before the first.",
      },
      maxIterations: {
        default: 500,
        min: 1,
        integer: true,
        help: "Maximum number of EM steps.",
      },
      tolerance: {
        default: 1e-8,
        min: 0,
        help: "Largest change of a score at which to stop.",
      },
    },
  },
  function* (data, options): Steps<RankingOf<CrowdBt>> {
    const fitted = yield* fitCrowd(data, options);
    const { pairs, answers, fit, score, eta, trace, converged } = fitted;
    const count = answersPerJudge(answers, data.workers.length);
    const reliability = yield* withoutHeavy(
      data,
      count,
      eta,
      (without) => fitCrowd(data, options, without),
      (others, u) => judgedBy(others.score, data, u, options),
    );
    return {
      score,
      sd: profiledErrors(fit.pairs, answers, fit.parts, { score, eta }, options),
      eta,
      reliability,
      answering: { flip: eta.map((p) => 1 - p) },
      trace,
      converged,
      notes: [...tiesNote(data), ...boundNote(pairs, score.length, options.penalty)],
    };
  },
);

/** The options that the model needs. */
interface Prior {
  readonly penalty: number;
  readonly right: number;
  readonly wrong: number;
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Fits scores and judges, without the answers of some. */
function* fitCrowd(data: PairwiseData, options: Prior, without: ReadonlySet<number> = new Set()) {
  const pairs = collapse(data, { ties: "drop" });
  const answers = answersOf(data, pairs, without);
  const task = {
    id: "crowd-bt",
    pairs: countsOf(pairs, answers),
    parts: partsOf(data),
    model: half,
    prior: opponent(options.penalty),
    left: false,
  };
  const fit = fitOf(task, data.items.length);
  const eta = new Float64Array(data.workers.length).fill(0.9);
  const judges = crowdModel(answers, fit.pairs, eta, options);
  const limits = { maxIterations: 100, tolerance: options.tolerance };
  const start = drain(climb(fit, startOf(fit, data.items.length), limits)).at;
  const { at, trace, converged } = yield* alternate(fit, judges, start, options);
  const count = answersPerJudge(answers, eta.length);
  // Scores and judges turned together fit as well; most answers are taken to be right.
  const turned = count.reduce((sum, n, u) => sum + n * (eta[u] - 0.5), 0) < 0;
  const score = turned ? at.score.map((s) => -s) : at.score;
  return {
    pairs,
    answers,
    fit,
    score,
    eta: turned ? eta.map((p) => 1 - p) : eta,
    trace,
    converged,
  };
}

/** Judges who are right with probability eta; the soft counts go into the pairs. */
function crowdModel(
  { judge, pair, outcome, weight }: Answers,
  pairs: Pairs,
  eta: Float64Array,
  { right, wrong }: Prior,
): JudgeModel {
  const { first, second, won, lost } = pairs;
  const truthful = new Float64Array(eta.length);
  const count = new Float64Array(eta.length);
  return {
    expect({ score }) {
      for (const sums of [won, lost, truthful, count]) sums.fill(0);
      let objective = 0;
      for (let i = 0; i < pair.length; i++) {
        const [p, u] = [pair[i], judge[i]];
        const lead = score[first[p]] - score[second[p]];
        const chance = logistic(outcome[i] === FIRST ? lead : -lead);
        const all = eta[u] * chance + (1 - eta[u]) * (1 - chance);
        const r = (eta[u] * chance) / all;
        objective += weight[i] * Math.log(all);
        truthful[u] += weight[i] * r;
        count[u] += weight[i];
        won[p] += weight[i] * (outcome[i] === FIRST ? r : 1 - r);
        lost[p] += weight[i] * (outcome[i] === FIRST ? 1 - r : r);
      }
      for (const p of eta) objective += logTimes(right, p) + logTimes(wrong, 1 - p);
      return objective;
    },
    maximise() {
      for (let u = 0; u < eta.length; u++) {
        const all = right + wrong + count[u];
        eta[u] = all > 0 ? (right + truthful[u]) / all : 0.9;
      }
    },
  };
}

/** count · log(p), 0 where there is nothing to count. */
const logTimes = (count: number, p: number) => (count > 0 ? count * Math.log(p) : 0);

/** The reliability of a judge under fixed scores: the maximum of his answers' likelihood and the prior. */
function judgedBy(
  score: Float64Array,
  { worker, left, right: other, label, weight }: PairwiseData,
  judge: number,
  { right, wrong }: Prior,
): number {
  const rows = Array.from(label.keys()).filter((i) => worker[i] === judge && label[i] < 2);
  const chances = rows.map((i) => {
    const lead = score[left[i]] - score[other[i]];
    return logistic(label[i] === 0 ? lead : -lead);
  });
  return zeroOf((eta) => {
    let slope = right / eta - wrong / (1 - eta);
    rows.forEach((i, k) => {
      const p = chances[k];
      slope += ((weight ? weight[i] : 1) * (2 * p - 1)) / (eta * p + (1 - eta) * (1 - p));
    });
    return slope;
  });
}

/**
 * Square roots of the diagonal of C S⁻¹ C, where S = H - Bᵀ D⁻¹ B is the information of the scores once the
 * judges are maximised over: H of the scores, D of the judges, B between them. Judges tie parts together, so S is
 * one matrix.
 */
function profiledErrors(
  { first, second }: Pairs,
  { judge, pair, outcome, weight }: Answers,
  parts: readonly Part[],
  { score, eta }: { readonly score: Float64Array; readonly eta: Float64Array },
  { penalty, right, wrong }: Prior,
): Float64Array {
  const n = score.length;
  if (n > MOST_ERRORS) return new Float64Array(n).fill(Number.NaN);
  const S = new Float64Array(n * n);
  score.forEach((s, i) => {
    S[i * n + i] = 2 * penalty * logistic(s) * logistic(-s);
  });
  const between = Array.from(eta, () => new Map<number, number>());
  const own = eta.map(
    (p) => (right > 0 ? right / p ** 2 : 0) + (wrong > 0 ? wrong / (1 - p) ** 2 : 0),
  );
  for (let i = 0; i < pair.length; i++) {
    const [u, e] = [judge[i], eta[judge[i]]];
    const turned = outcome[i] !== FIRST;
    const a = turned ? second[pair[i]] : first[pair[i]];
    const b = turned ? first[pair[i]] : second[pair[i]];
    const p = logistic(score[a] - score[b]);
    const q = e * p + (1 - e) * (1 - p);
    const byLead = ((2 * e - 1) * p * (1 - p)) / q;
    const byJudge = (2 * p - 1) / q;
    const bend = weight[i] * (byLead ** 2 - byLead * (1 - 2 * p));
    const cross = weight[i] * (byLead * byJudge - (2 * p * (1 - p)) / q);
    S[a * n + a] += bend;
    S[b * n + b] += bend;
    S[a * n + b] -= bend;
    S[b * n + a] -= bend;
    between[u].set(a, (between[u].get(a) ?? 0) + cross);
    between[u].set(b, (between[u].get(b) ?? 0) - cross);
    own[u] += weight[i] * byJudge ** 2;
  }
  between.forEach((row, u) => {
    if (!(own[u] > 0)) return;
    for (const [a, x] of row) for (const [b, y] of row) S[a * n + b] -= (x * y) / own[u];
  });
  return centredDiagonal(S, n, parts);
}
