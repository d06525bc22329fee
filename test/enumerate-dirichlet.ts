/**
 * The model of iBCC from its own definition: sums over all K^T truths, class shares and confusions
 * integrated out as Dirichlet–multinomials.
 */
import type { CategoricalData } from "../src/data/categorical.ts";
import { logMultivariateBeta } from "../src/math/gamma.ts";
import { logSumExp } from "../src/math/log-sum-exp.ts";

export interface DirichletPrior {
  readonly diagonal: number;
  readonly offDiagonal: number;
  readonly classCount: number;
}

export interface AllTruths {
  /** log p(labels). */
  readonly logEvidence: number;
  /** E log p(labels, truth) over the truths given the labels. */
  readonly meanLogJoint: number;
  /** P(class | labels), as posterior[task * K + class]. */
  readonly posterior: Float64Array;
  /** E confusion[(worker * K + class) * K + label]. */
  readonly confusion: Float64Array;
}

/** `possible` may rule truths out: with gold, say. */
export function allDirichletTruths(
  data: CategoricalData,
  { diagonal, offDiagonal, classCount }: DirichletPrior = {
    diagonal: 4,
    offDiagonal: 1,
    classCount: 1,
  },
  possible: (truth: readonly number[]) => boolean = () => true,
): AllTruths {
  const K = data.classes.length;
  const W = data.workers.length;
  const T = data.tasks.length;
  const logs: number[] = [];
  const kept: { truth: number[]; confusion: Float64Array }[] = [];
  for (let code = 0; code < K ** T; code++) {
    const truth = Array.from(data.tasks, (_, t) => Math.floor(code / K ** t) % K);
    if (!possible(truth)) continue;
    const classes = new Float64Array(K).fill(classCount);
    for (const k of truth) classes[k]++;
    let log =
      logMultivariateBeta(classes) - logMultivariateBeta(new Float64Array(K).fill(classCount));
    const confusion = new Float64Array(W * K * K);
    for (let w = 0; w < W; w++) {
      for (let k = 0; k < K; k++) {
        const row = Float64Array.from({ length: K }, (_, l) => (l === k ? diagonal : offDiagonal));
        const before = logMultivariateBeta(row);
        for (let i = 0; i < data.label.length; i++) {
          if (data.worker[i] === w && truth[data.task[i]] === k) row[data.label[i]]++;
        }
        log += logMultivariateBeta(row) - before;
        const total = row.reduce((sum, n) => sum + n, 0);
        confusion.set(
          row.map((n) => n / total),
          (w * K + k) * K,
        );
      }
    }
    logs.push(log);
    kept.push({ truth, confusion });
  }
  const logEvidence = logSumExp(logs);
  const posterior = new Float64Array(T * K);
  const mean = new Float64Array(W * K * K);
  let meanLogJoint = 0;
  kept.forEach(({ truth, confusion }, i) => {
    const p = Math.exp(logs[i] - logEvidence);
    meanLogJoint += p * logs[i];
    truth.forEach((k, t) => {
      posterior[t * K + k] += p;
    });
    confusion.forEach((rate, at) => {
      mean[at] += p * rate;
    });
  });
  return { logEvidence, meanLogJoint, posterior, confusion: mean };
}
