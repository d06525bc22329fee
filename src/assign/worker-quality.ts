/**
 * The quality gate: which workers should be looked at. A worker is flagged after 15 labels of tasks whose class is known or, without
 * the worker's own label, believed with .9, if P(accuracy − 1/K < .1) > .95. A flag is a reason to look, never to block.
 */
import { incompleteBeta } from "../math/incomplete.ts";
import type { OnlineModel } from "../online/online.ts";
import type { Speaker } from "./expected-gain.ts";
import type { MeasuredShare } from "./gold-questions.ts";
import { measuredShare } from "./gold-questions.ts";

/** What a campaign has found out about a worker. */
export interface PlanWorker {
  readonly worker: string;
  /** Number of labels. */
  readonly labels: number;
  /** Accuracy on gold questions. */
  readonly gold: MeasuredShare;
  /** Accuracy on tasks whose class is known or sure without this worker. */
  readonly judged: MeasuredShare;
  /** Whether the worker's labels should be looked at. */
  readonly flagged: boolean;
  /** Why, in words; empty if not flagged. */
  readonly reason: string;
}

const SURE = 0.9;
const LEAST = 15;
const ABOVE_CHANCE = 0.1;

/** Returns what each worker's labels amount to. O(labels). */
export function judgeWorkers(
  model: OnlineModel,
  speakerOf: (worker: string) => Speaker,
  goldOf: (worker: string) => MeasuredShare,
): PlanWorker[] {
  const { task, worker, label, tasks, workers, classes } = model.data();
  const K = classes.length;
  const gold = model.known().gold;
  const [labels, judged, right] = [0, 0, 0].map(() => new Int32Array(workers.length));
  const beliefs = Array.from(tasks, (name) => model.posterior(name).posterior);
  for (let i = 0; i < label.length; i++) {
    const [t, w] = [task[i], worker[i]];
    labels[w]++;
    if (label[i] < 0 || label[i] >= K) continue;
    const known = gold?.[t] ?? -1;
    const truth = known >= 0 ? known : sureWithout(beliefs[t], label[i], speakerOf(workers.at(w)));
    if (truth < 0) continue;
    judged[w]++;
    if (truth === label[i]) right[w]++;
  }
  return Array.from(workers, (name, w) => {
    const below = incompleteBeta(
      Math.min(1, 1 / K + ABOVE_CHANCE),
      right[w] + 1,
      judged[w] - right[w] + 1,
    );
    const flagged = judged[w] >= LEAST && below > 0.95;
    const reason = flagged
      ? `${right[w]} of ${judged[w]} labels are right, hardly more than guessing among ${K} classes`
      : "";
    return {
      worker: name,
      labels: labels[w],
      gold: goldOf(name),
      judged: measuredShare(right[w], judged[w]),
      flagged,
      reason,
    };
  });
}

/** Returns the class that is sure without a label, or -1. */
function sureWithout(belief: Float64Array, label: number, { rows, entropy }: Speaker): number {
  const L = rows.length / entropy.length;
  const rest = belief.map((p, c) => p / Math.max(rows[c * L + label], 1e-12));
  const sum = rest.reduce((total, p) => total + p, 0);
  return rest.findIndex((p) => p >= SURE * sum);
}
