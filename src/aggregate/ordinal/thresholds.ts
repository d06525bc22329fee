/**
 * Ordered classes as K − 1 questions with two answers each, "is the level above l?", and back.
 *
 *   p[l] = P(level > l), made to fall with l by pooling adjacent violators;   P(level = c) = p[c − 1] − p[c]
 */

import { skillOf } from "../../belief/confusion-table.ts";
import type { Known } from "../../belief/known.ts";
import { sumOverTasks } from "../../belief/task-priors.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { namesOf } from "../../data/names.ts";
import { type Steps, staged } from "../../method.ts";
import type { Aggregation, AnyAggregator, Context, Fit } from "../categorical/aggregator.ts";

/** What methods that cut the levels at thresholds find beyond the answers. */
export interface ThresholdFit extends Fit {
  /** P(level given | true level, worker), as the thresholds imply it. */
  readonly confusion: Float64Array;
  /** Mean of sensitivity + specificity − 1 over the thresholds: 0 is guessing, 1 perfect. */
  readonly informativeness: Float64Array;
  /** Share of the tasks whose thresholds contradicted one another and were pooled. */
  readonly pooled: number;
}

/** One threshold: fitted, or the same for all answers. */
type Threshold = Aggregation | boolean;

/** Fits a method for two classes at each threshold and joins what it finds. */
export function* fitThresholds(
  data: CategoricalData,
  method: AnyAggregator,
  options: object,
  { known, engine, K }: Context,
): Steps<ThresholdFit> {
  const cuts: Threshold[] = [];
  const { gold } = known;
  for (let l = 0; l < K - 1; l++) {
    const above = data.label.map((k) => (k > l ? 1 : 0));
    const known2: Known = gold ? { gold: gold.map((k) => (k < 0 ? -1 : k > l ? 1 : 0)) } : {};
    const asked = new Set([...above, ...(known2.gold ?? []).filter((k) => k >= 0)]);
    if (asked.size < 2) {
      cuts.push(asked.has(1));
      continue;
    }
    const cut = { ...data, classes: TWO, label: above, gold: data.gold.map(() => -1) };
    const stage = `threshold ${l + 1} of ${K - 1}`;
    cuts.push(yield* staged(method.steps(cut, options, known2, engine), stage));
  }
  return joined(data, cuts, K);
}

const TWO = namesOf(["at most", "above"]);

/** Joins the thresholds to beliefs about levels and to habits of workers. */
function joined(data: CategoricalData, cuts: readonly Threshold[], K: number): ThresholdFit {
  const [T, W] = [data.tasks.length, data.workers.length];
  const posterior = new Float64Array(T * K);
  let pooledTasks = 0;
  for (let t = 0; t < T; t++) {
    const above = cuts.map((cut) =>
      typeof cut === "boolean" ? Number(cut) : cut.posterior[2 * t + 1],
    );
    if (fromThresholds(above, posterior.subarray(t * K, (t + 1) * K))) pooledTasks++;
  }
  const confusion = new Float64Array(W * K * K);
  for (let w = 0; w < W; w++) {
    for (let c = 0; c < K; c++) {
      const above = cuts.map((cut, l) =>
        typeof cut === "boolean" ? Number(cut) : rateOf(cut, w, c > l ? 1 : 0),
      );
      const at = (w * K + c) * K;
      fromThresholds(above, confusion.subarray(at, at + K));
    }
  }
  const prior = sumOverTasks(posterior, K).map((sum) => sum / Math.max(1, T));
  const fitted = cuts.filter((cut) => typeof cut !== "boolean");
  const share = T > 0 ? pooledTasks / T : 0;
  return {
    posterior,
    prior,
    confusion,
    skill: skillOf(confusion, prior, { workers: W, classes: K, given: K }),
    informativeness: Float64Array.from(
      { length: W },
      (_, w) =>
        fitted.reduce((sum, cut) => sum + rateOf(cut, w, 1) - rateOf(cut, w, 0), 0) /
        Math.max(1, fitted.length),
    ),
    pooled: share,
    trace: addedTraces(fitted),
    converged: fitted.every(({ converged }) => converged),
    notes:
      share > 0
        ? [
            `Thresholds contradicted one another on ${Math.round(100 * share)} % of the tasks and were pooled there.`,
          ]
        : [],
  };
}

/** P(worker says "above" | class of two). */
const rateOf = ({ confusion }: Aggregation, w: number, k: 0 | 1) =>
  confusion?.[4 * w + 2 * k + 1] ?? 0.5;

/** The objectives of all thresholds, added: those that stopped keep their last. */
function addedTraces(cuts: readonly Aggregation[]): number[] {
  const length = cuts.reduce((most, { trace }) => Math.max(most, trace.length), 0);
  return Array.from({ length }, (_, i) =>
    cuts.reduce((sum, { trace }) => sum + (trace[Math.min(i, trace.length - 1)] ?? 0), 0),
  );
}

/**
 * Writes P(level) from P(level > l) for each l; those that rise are pooled, with equal weights. Returns whether any
 * rose by more than rounding.
 */
export function fromThresholds(above: readonly number[], levels: Float64Array): boolean {
  const blocks: { sum: number; size: number }[] = [];
  for (const p of above) {
    let block = { sum: p, size: 1 };
    for (
      let last = blocks.at(-1);
      last && last.sum / last.size < block.sum / block.size;
      last = blocks.at(-1)
    ) {
      block = { sum: block.sum + last.sum, size: block.size + last.size };
      blocks.pop();
    }
    blocks.push(block);
  }
  const falling = blocks.flatMap(({ sum, size }) => new Array<number>(size).fill(sum / size));
  for (let c = 0; c <= above.length; c++) {
    levels[c] = (c > 0 ? falling[c - 1] : 1) - (c < above.length ? falling[c] : 0);
  }
  return above.some((p, l) => l > 0 && p > above[l - 1] + 1e-12);
}
