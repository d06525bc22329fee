/**
 * Logistic regression of right answers on one number, with an intercept per worker and a small ridge.
 *
 *   P(answer i right) = logistic(a[u] + b · (x[i] − mean of x for u))      a[u] ~ N(1, 4)      b ~ N(0, 4)
 *
 * The mean is taken off so that drawing the intercepts together does not bias b: a worker who is better than log-odds 1
 * would otherwise seem to improve with x.
 *
 * Newton's method on the likelihood of judged answers: with h the probability that an answer is right, the score is
 * h − p and the information p(1 − p) − h(1 − h). Each intercept meets only b, so that one step is O(N):
 *
 *   S = Σ_u (I_bb − I_ab² / I_aa) + ¼      Δb = Σ_u (g_b − g_a I_ab / I_aa) / S
 *
 * The standard error holds if answers of one cluster depend on each other: with ψ[c] = Σ_{i in c} (h − p)(x − I_ab / I_aa),
 *
 *   variance of b = G / (G − 1) · Σ_c ψ[c]² / S²      interval by Student's t with G − 1 degrees of freedom
 *
 * Liang & Zeger (1986), Biometrika 73(1), 13–22. https://doi.org/10.1093/biomet/73.1.13
 */
import { studentQuantile } from "../../math/incomplete.ts";
import { type JudgedAnswers, rightness } from "./judged-answers.ts";

/** Answers with the number that they are regressed on, their worker and their cluster. */
export interface SlopeAnswers extends JudgedAnswers {
  readonly x: Float64Array;
  /** Index of the intercept of each answer. */
  readonly worker: Int32Array;
  /** Index of the cluster of each answer. */
  readonly cluster: Int32Array;
}

/** A slope with its interval. */
export interface Slope {
  /** Change of the log-odds of a right label per unit of x. */
  readonly slope: number;
  readonly low: number;
  readonly high: number;
  /** Standard error. */
  readonly deviation: number;
  /** Number of judged answers. */
  readonly labels: number;
  /** Number of clusters of the standard error. */
  readonly clusters: number;
}

const [MEAN, VARIANCE] = [1, 4];
const MOST_STEPS = 50;
const LEAST_INFORMATION = 0.05;
const LONGEST_STEP = 2;

/** Fits the slope; undefined if x does not vary within a worker, or if there are fewer than two clusters. */
export function slopeOf(given: SlopeAnswers, level = 0.95): Slope | undefined {
  const { worker, cluster } = given;
  const answers = { ...given, x: centred(given) };
  const { x } = answers;
  const intercepts = new Float64Array(count(worker)).fill(MEAN);
  const G = new Set(cluster).size;
  if (G < 2 || x.every((each) => Math.abs(each) < 1e-12)) return undefined;
  let b = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const sums = lookAt(answers, intercepts, b);
    const move = clamp(sums.slopeScore / sums.slopeInformation);
    let moved = Math.abs(move);
    b += move;
    intercepts.forEach((_, u) => {
      const own = clamp((sums.score[u] - sums.cross[u] * move) / sums.information[u]);
      moved = Math.max(moved, Math.abs(own));
      intercepts[u] += own;
    });
    if (moved < 1e-9) break;
  }
  const sums = lookAt(answers, intercepts, b);
  const influence = new Float64Array(count(cluster));
  for (let i = 0; i < x.length; i++) {
    const u = worker[i];
    influence[cluster[i]] +=
      residual(answers, i, intercepts[u] + b * x[i]) * (x[i] - sums.cross[u] / sums.information[u]);
  }
  const squares = influence.reduce((sum, psi) => sum + psi ** 2, 0);
  const deviation = Math.sqrt((G / (G - 1)) * squares) / sums.slopeInformation;
  const reach = deviation * studentQuantile((1 + level) / 2, G - 1);
  return { slope: b, low: b - reach, high: b + reach, deviation, labels: x.length, clusters: G };
}

/** Scores and information of intercepts and slope, ridge included, the slope's without what intercepts take up. */
function lookAt(answers: SlopeAnswers, intercepts: Float64Array, b: number) {
  const { x, worker } = answers;
  const W = intercepts.length;
  const score = intercepts.map((a) => (MEAN - a) / VARIANCE);
  const information = new Float64Array(W).fill(1 / VARIANCE);
  const cross = new Float64Array(W);
  let slopeScore = -b / VARIANCE;
  let slopeInformation = 1 / VARIANCE;
  for (let i = 0; i < x.length; i++) {
    const u = worker[i];
    const p = 1 / (1 + Math.exp(-(intercepts[u] + b * x[i])));
    const h = rightness(answers, i, p);
    const known = p * (1 - p);
    const own = Math.max(LEAST_INFORMATION * known, known - h * (1 - h));
    score[u] += h - p;
    slopeScore += (h - p) * x[i];
    information[u] += own;
    cross[u] += own * x[i];
    slopeInformation += own * x[i] ** 2;
  }
  for (let u = 0; u < W; u++) {
    slopeScore -= (score[u] * cross[u]) / information[u];
    slopeInformation -= cross[u] ** 2 / information[u];
  }
  return { score, information, cross, slopeScore, slopeInformation };
}

function residual(answers: JudgedAnswers, i: number, logOdds: number): number {
  const p = 1 / (1 + Math.exp(-logOdds));
  return rightness(answers, i, p) - p;
}

function clamp(step: number): number {
  return Math.max(-LONGEST_STEP, Math.min(LONGEST_STEP, step));
}

function count(index: Int32Array): number {
  return index.reduce((most, each) => Math.max(most, each + 1), 0);
}

/** x less its mean for the worker. */
function centred({ x, worker }: SlopeAnswers): Float64Array {
  const sums = new Float64Array(count(worker));
  const sizes = new Float64Array(count(worker));
  worker.forEach((u, i) => {
    sums[u] += x[i];
    sizes[u]++;
  });
  return x.map((each, i) => each - sums[worker[i]] / sizes[worker[i]]);
}
