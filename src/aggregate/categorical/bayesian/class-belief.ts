/** What variational methods believe of P(class): a Dirichlet, or what is fixed beforehand. */

import type { Known } from "../../../belief/known.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import { createClassPrior } from "../../../em/class-prior.ts";
import { digamma, logGamma } from "../../../math/gamma.ts";

/** Expected log rates below this are cut, so that eight of them multiply without underflow. */
const SMALLEST = 1e-30;

export interface ClassBelief {
  /** P(class), to report. */
  readonly shares: Float64Array;
  /** What the E step multiplies: exp(E log P(class)), or what is fixed. */
  readonly factor: Float64Array;
  /** Learns from the summed posteriors; returns the divergence from the prior. */
  update(totals: Float64Array): number;
}

/** `counts` are the prior's tasks of each class, before those of `known`. */
export function createClassBelief(
  data: CrowdDataset,
  known: Known,
  rule: "learn" | "uniform",
  counts: ArrayLike<number>,
): ClassBelief {
  const alpha = Float64Array.from(counts, (count, k) => count + (known.priorCounts?.[k] ?? 0));
  const learnt = rule === "learn" && !known.prior && !known.taskPrior;
  const classes = createClassPrior(data, { ...known, priorCounts: alpha }, rule);
  // Gold that was chosen by class says nothing of how common classes are.
  const without = new Float64Array(alpha.length);
  if (known.goldInPrior === false) for (const k of known.gold ?? []) if (k >= 0) without[k]++;
  const tasks = new Float64Array(alpha.length);
  const factor = learnt ? new Float64Array(alpha.length) : classes.factor;
  return {
    shares: classes.shares,
    factor,
    update(totals) {
      classes.update(totals);
      if (!learnt) return 0;
      for (let k = 0; k < tasks.length; k++) {
        tasks[k] = alpha[k] + Math.max(0, totals[k] - without[k]);
      }
      return expectLogs(tasks, alpha, factor, 1);
    },
  };
}

/**
 * exp(E log p) under Dirichlet(counts), written to into[i * stride]; returns
 * KL(Dirichlet(counts) || Dirichlet(prior)).
 */
export function expectLogs(
  counts: Float64Array,
  prior: Float64Array,
  into: Float64Array,
  stride: number,
): number {
  let total = 0;
  let priorTotal = 0;
  for (let i = 0; i < counts.length; i++) {
    total += counts[i];
    priorTotal += prior[i];
  }
  const base = digamma(total);
  let divergence = logGamma(total) - logGamma(priorTotal);
  for (let i = 0; i < counts.length; i++) {
    const log = digamma(counts[i]) - base;
    into[i * stride] = Math.max(SMALLEST, Math.exp(log));
    if (counts[i] !== prior[i]) {
      divergence += logGamma(prior[i]) - logGamma(counts[i]) + (counts[i] - prior[i]) * log;
    }
  }
  return divergence;
}
