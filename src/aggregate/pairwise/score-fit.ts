/**
 * Scores that maximise the likelihood of (weighted) comparisons and a prior of the scores, by Newton's method with
 * halved steps: what Bradley–Terry and the models of judges share.
 */
import type { Steps } from "../../method.ts";
import { centre, type Pairs, type Part } from "./pairs.ts";
import { type Layout, layoutOf } from "./score-layout.ts";
import { sumsAt } from "./score-sums.ts";
import { factor, solve } from "./score-system.ts";
import { softplus, TIE_VARIANCE, type TieModel } from "./tie-models.ts";

/** The log prior of one score: its value, its slope, and its curvature with the sign turned. */
export interface ScorePrior {
  value(score: number): number;
  pull(score: number): number;
  bend(score: number): number;
  /** False where there is none: scores are then centred, and the parameter of ties has no prior either. */
  readonly proper: boolean;
  /** True if it bends alike everywhere: slopes with mean 0 then move scores by steps with mean 0. */
  readonly even: boolean;
}

/** -penalty / 2 · score². */
export const ridge = (penalty: number): ScorePrior => ({
  value: (s) => (-penalty / 2) * s * s,
  pull: (s) => -penalty * s,
  bend: () => penalty,
  proper: penalty > 0,
  even: true,
});

/** Each item won and lost `penalty` comparisons against an opponent with score 0. */
export const opponent = (penalty: number): ScorePrior => ({
  value: (s) => -penalty * (softplus(s) + softplus(-s)),
  pull: (s) => -penalty * Math.tanh(s / 2),
  bend: (s) => (penalty / 2) * (1 - Math.tanh(s / 2) ** 2),
  proper: penalty > 0,
  even: false,
});

/** What is to be fitted: all parts at once, since they share parameters. */
interface Task {
  readonly id: string;
  readonly pairs: Pairs;
  readonly parts: readonly Part[];
  readonly model: TieModel;
  readonly prior: ScorePrior;
  /** True for an advantage of the first item of every pair. */
  readonly left: boolean;
}

/** The same with the places of its pairs, which stay where their counts change. */
export interface Fit extends Task {
  readonly layout: Layout;
}

export const fitOf = (task: Task, items: number): Fit => ({
  ...task,
  layout: layoutOf(task.id, task.pairs, task.parts, items, task.prior.proper),
});

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
  let change = 1;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const { objective } = surface;
    const exact = exactness(change, tolerance);
    const step = solve(fit, factor(fit, at, surface, { exact }), surface.pull);
    let size = 1;
    let next = moved(at, step, size);
    surface = surfaceAt(fit, next);
    while (!(surface.objective >= objective - 1e-12 * Math.abs(objective)) && size > 1e-10) {
      size /= 2;
      next = moved(at, step, size);
      surface = surfaceAt(fit, next);
    }
    const other = Math.max(Math.abs(step.x), Math.abs(step.left));
    change = size * step.score.reduce((most, d) => Math.max(most, Math.abs(d)), other);
    converged = change <= tolerance;
    at = next;
    trace.push(surface.objective);
    yield { iteration, objective: surface.objective };
  }
  return { at, surface, trace, converged };
}

/**
 * How exact a step must be that follows one of this size. Steps shrink to about their square: an error of as much again
 * costs none of them, and nothing is won below the tolerance.
 */
function exactness(change: number, tolerance: number): number {
  const next = change * change;
  return Math.min(1e-3, Math.max(1e-12, next, (0.01 * tolerance) / next));
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
  /** Curvature of each pair by the difference of its scores. */
  readonly bend: Float64Array;
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

/** Adds up what all pairs and the prior say at a point. */
function surfaceAt(fit: Fit, at: Point): Surface {
  const { pairs, model, prior } = fit;
  const sums = sumsAt(pairs, model, fit.left, at);
  const { pull, both } = sums;
  const tiePull = prior.proper ? ((model.start ?? at.x) - at.x) / TIE_VARIANCE : 0;
  const tieBend = sums.tieBend + (prior.proper ? 1 / TIE_VARIANCE : 0);
  // What a pair adds to one item it takes from the other: the sum is 0 but for rounding, which the prior hardly bounds.
  centre(pull, fit.parts);
  at.score.forEach((s, i) => {
    pull[i] += prior.pull(s);
  });
  const shared: [boolean, Float64Array, number][] = [
    [model.start !== undefined, sums.byTies, tieBend],
    [fit.left, sums.byLeft, sums.leftBend],
  ];
  const used = shared.filter(([present]) => present);
  return {
    objective: priorAt(fit, at) + sums.value,
    pull: { score: pull, x: tiePull + sums.tiePull, left: sums.leftPull },
    bend: sums.bend,
    borders: used.map(([, border]) => border),
    corner: used.map((row, i) => used.map((_, j) => (i === j ? row[2] : both))),
  };
}
