/** The likelihood and posterior from a model's own definition: all K^T truths, no recursion, no logs. */
import type { CategoricalData } from "../src/data/categorical.ts";

export function enumerate(
  { classes, tasks, task, worker, label }: CategoricalData,
  prior: ArrayLike<number>,
  confusion: ArrayLike<number>,
): { logLikelihood: number; posterior: number[] } {
  const K = classes.length;
  const T = tasks.length;
  const posterior = new Array<number>(T * K).fill(0);
  let total = 0;
  for (let code = 0; code < K ** T; code++) {
    const truth = Array.from(tasks, (_, t) => Math.floor(code / K ** t) % K);
    let p = 1;
    for (const k of truth) p *= prior[k];
    for (let i = 0; i < label.length; i++)
      p *= confusion[(worker[i] * K + truth[task[i]]) * K + label[i]];
    total += p;
    truth.forEach((k, t) => {
      posterior[t * K + k] += p;
    });
  }
  return { logLikelihood: Math.log(total), posterior: posterior.map((p) => p / total) };
}
