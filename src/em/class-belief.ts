/** M step of what variational methods believe of P(class): a Dirichlet, or what is fixed beforehand. */

import type { Known } from "../belief/known.ts";
import { createClassPrior, type HasClasses, uncounted } from "./class-prior.ts";
import { expectLogs } from "./dirichlet.ts";

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
  data: HasClasses,
  known: Known,
  rule: "learn" | "uniform",
  counts: ArrayLike<number>,
): ClassBelief {
  const alpha = Float64Array.from(counts, (count, k) => count + (known.priorCounts?.[k] ?? 0));
  const learnt = rule === "learn" && !known.prior && !known.taskPrior;
  const classes = createClassPrior(data, { ...known, priorCounts: alpha }, rule);
  const without = uncounted(known, alpha.length);
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
