/**
 * Expectation maximisation for judges of several types, each with scores of its own: the E step finds how probable each
 * type is for each judge, the M step the share of each type and its scores, by at most three Newton steps.
 */
import { normalizeLog } from "../../math/log-sum-exp.ts";
import { drain, type Steps } from "../../method.ts";
import { type Answers, FIRST } from "./judge-em.ts";
import type { Pairs, Part } from "./pairs.ts";
import { climb, type Fit, fitOf, type Point, priorAt, ridge, startOf } from "./score-fit.ts";
import { half, softplus } from "./tie-models.ts";

/** The decided answers of a crowd, and what its scores may be. */
export interface TypedCrowd {
  readonly pairs: Pairs;
  readonly answers: Answers;
  readonly parts: readonly Part[];
  readonly items: number;
  readonly judges: number;
  /** Judges with a decided answer. */
  readonly active: number;
  readonly penalty: number;
}

/** Types in the midst of a fit. */
export interface TypeFit {
  /** P(type | judge), as membership[judge * J + type]. */
  readonly membership: Float64Array;
  readonly share: Float64Array;
  readonly fits: readonly Fit[];
  readonly points: readonly Point[];
  /** Log-likelihood of all answers, without priors. */
  readonly likelihood: number;
  readonly trace: readonly number[];
  readonly converged: boolean;
}

/** Types at the start: nothing but who may belong to which. */
export function startTypes(crowd: TypedCrowd, J: number, membership: Float64Array): TypeFit {
  const zeros = () => new Float64Array(crowd.pairs.first.length);
  const fits = Array.from({ length: J }, (): Fit => {
    const pairs = { ...crowd.pairs, won: zeros(), lost: zeros(), tied: zeros() };
    const prior = ridge(crowd.penalty);
    const { parts, items } = crowd;
    return fitOf({ id: "annotator-types", pairs, parts, model: half, prior, left: false }, items);
  });
  return {
    membership,
    share: new Float64Array(J).fill(1 / J),
    fits,
    points: fits.map((fit) => startOf(fit, crowd.items)),
    likelihood: -Infinity,
    trace: [],
    converged: false,
  };
}

/** When to stop. */
interface TypeLimits {
  readonly maxIterations: number;
  readonly tolerance: number;
  /** Newton steps of the scores per M step. */
  readonly newton?: number;
}

/** Runs EM on from where it stands, until no score moves by the tolerance. */
export function* climbTypes(
  crowd: TypedCrowd,
  start: TypeFit,
  { maxIterations, tolerance, newton = 3 }: TypeLimits,
): Steps<TypeFit> {
  const { fits, share } = start;
  const membership = start.membership.slice();
  const trace = [...start.trace];
  let { points, likelihood } = start;
  let converged = crowd.parts.length === 0;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    countSoftly(crowd, membership, fits);
    shareOut(crowd, membership, share);
    const next = fits.map((fit, j) =>
      drain(climb(fit, points[j], { maxIterations: newton, tolerance: 1e-12 })),
    );
    converged = next.every(({ at }, j) =>
      at.score.every((s, i) => Math.abs(s - points[j].score[i]) < tolerance),
    );
    points = next.map(({ at }) => at);
    likelihood = expectTypes(crowd, points, share, membership);
    const objective = points.reduce(
      (sum, point, j) => sum + priorAt(fits[j], point) + Math.log(share[j]),
      likelihood,
    );
    trace.push(objective);
    yield { iteration: trace.length, objective };
  }
  return { membership, share, fits, points, likelihood, trace, converged };
}

/** Writes the answers of each type to its pairs, each by how probable it is that its judge belongs there. */
function countSoftly(
  { answers }: TypedCrowd,
  membership: Float64Array,
  fits: readonly Fit[],
): void {
  const { judge, pair, outcome, weight } = answers;
  const J = fits.length;
  fits.forEach(({ pairs: { won, lost } }, j) => {
    won.fill(0);
    lost.fill(0);
    for (let i = 0; i < judge.length; i++) {
      const count = weight[i] * membership[judge[i] * J + j];
      if (outcome[i] === FIRST) won[pair[i]] += count;
      else lost[pair[i]] += count;
    }
  });
}

/** Writes the share of each type among judges with answers, with one more judge in each. */
function shareOut(
  { answers, judges, active }: TypedCrowd,
  membership: Float64Array,
  share: Float64Array,
): void {
  const J = share.length;
  const answered = new Uint8Array(judges);
  for (const u of answers.judge) answered[u] = 1;
  share.fill(1);
  for (let at = 0; at < membership.length; at++) {
    if (answered[Math.floor(at / J)]) share[at % J] += membership[at];
  }
  for (let j = 0; j < J; j++) share[j] /= active + J;
}

/** Writes how probable each type is for each judge; returns the log-likelihood of all answers. */
function expectTypes(
  { answers, pairs, judges }: TypedCrowd,
  points: readonly Point[],
  share: Float64Array,
  membership: Float64Array,
): number {
  const { judge, pair, outcome, weight } = answers;
  const { first, second } = pairs;
  const J = points.length;
  for (let at = 0; at < membership.length; at++) membership[at] = Math.log(share[at % J]);
  points.forEach(({ score }, j) => {
    const won = new Float64Array(first.length);
    const lost = won.slice();
    for (let p = 0; p < first.length; p++) {
      const lead = score[first[p]] - score[second[p]];
      won[p] = -softplus(-lead);
      lost[p] = -softplus(lead);
    }
    for (let i = 0; i < judge.length; i++) {
      membership[judge[i] * J + j] +=
        weight[i] * (outcome[i] === FIRST ? won[pair[i]] : lost[pair[i]]);
    }
  });
  let likelihood = 0;
  for (let u = 0; u < judges; u++) {
    // Judges without answers add log 1.
    likelihood += normalizeLog(membership, u * J, (u + 1) * J);
  }
  return likelihood;
}
