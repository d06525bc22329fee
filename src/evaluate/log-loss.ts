/** How surprised the beliefs are by the gold classes: log-loss and Brier score. */
import { noGold, type Scored } from "./accuracy.ts";

/** Below this a probability counts as this, so that one certain error does not count for infinity. */
const SMALLEST = 1e-10;

/** Mean of -log P(gold class), in nats. */
export function logLoss({ classes, posterior, gold }: Scored): number {
  return meanOver(
    gold,
    (t) => -Math.log(Math.max(SMALLEST, posterior[t * classes.length + gold[t]])),
  );
}

/** Mean over tasks of the sum over classes of (P(class) - 1[gold])²: 0 is perfect, 2 the worst. */
export function brier({ classes, posterior, gold }: Scored): number {
  const K = classes.length;
  return meanOver(gold, (t) => {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += (posterior[t * K + k] - (k === gold[t] ? 1 : 0)) ** 2;
    return sum;
  });
}

function meanOver(gold: Int32Array, score: (t: number) => number): number {
  let sum = 0;
  let tasks = 0;
  for (let t = 0; t < gold.length; t++) {
    if (gold[t] < 0) continue;
    sum += score(t);
    tasks++;
  }
  if (tasks === 0) throw noGold();
  return sum / tasks;
}
