/**
 * From how far workers are better than chance to answers, for methods that know workers by their
 * agreement alone: signs, workers nobody can be compared with, and the posterior of one-coin workers.
 */

import { coinConfusion, countLabels } from "../../../belief/coin.ts";
import { taskPriors } from "../../../belief/task-priors.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { createClassPrior } from "../../../em/class-prior.ts";
import type { Context, Fit } from "../aggregator.ts";
import { oneCoinWeight, softmaxRows } from "../votes/weighted-vote.ts";
import { bipartiteParts, type WorkerPairs } from "./agreement-moments.ts";
import type { CrowdParts } from "./crowd-parts.ts";

/** What methods that know workers by their agreement find beyond the answers. */
export interface CoinSkills extends Fit {
  readonly confusion: Float64Array;
  /** (K·skill - 1) / (K - 1): 1 for a worker who is always right, 0 for a guesser. */
  readonly reliability: Float64Array;
}

/** A worker who shares no task with anybody counts for this, where nobody else is known either. */
const UNKNOWN = 0.5;

/**
 * Turns each part of the crowd so that its labels, by number, come from workers better than chance, or,
 * where it has gold, so that they side with gold. Workers without a pair get the mean of the others.
 */
export function settleSigns(
  data: CategoricalData,
  { start }: WorkerPairs,
  { ofWorker, count }: CrowdParts,
  gold: Int32Array | undefined,
  reliability: Float64Array,
  [low, high]: readonly [low: number, high: number],
): Float64Array {
  const K = data.classes.length;
  const byLabels = new Float64Array(count);
  const byGold = new Float64Array(count);
  const { task, worker, label } = data;
  for (let i = 0; i < label.length; i++) {
    // Nobody is better than always right: a size that never settled may be a thousand, and would outvote everybody.
    const s = Math.min(high, Math.max(-high, reliability[worker[i]]));
    byLabels[ofWorker[worker[i]]] += s;
    if (gold && gold[task[i]] >= 0) {
      byGold[ofWorker[worker[i]]] += s * ((label[i] === gold[task[i]] ? 1 : 0) - 1 / K);
    }
  }
  const settled = reliability.map((s, w) => {
    const part = ofWorker[w];
    const turned = part >= 0 && (byGold[part] || byLabels[part]) < 0 ? -s : s;
    return Math.min(high, Math.max(low, turned));
  });
  let [sum, labels] = [0, 0];
  for (const w of worker) {
    if (start[w + 1] === start[w]) continue;
    sum += settled[w];
    labels++;
  }
  const usual = labels > 0 && sum > 0 ? sum / labels : UNKNOWN;
  return settled.map((s, w) => (start[w + 1] > start[w] ? s : Math.min(high, usual)));
}

/** P(class | labels) where worker w is right with probability (reliability · (K - 1) + 1) / K. */
export function answersOf(
  data: CategoricalData,
  reliability: Float64Array,
  { known, K, L }: Context,
): Omit<CoinSkills, "trace" | "converged"> {
  const skill = reliability.map((s) => (s * (K - 1) + 1) / K);
  const { shares, factor } = createClassPrior(data, known, "uniform");
  const logs = taskPriors(data, known, factor).map(Math.log);
  const { task, worker, label, weight } = data;
  const weights = skill.map((p) => oneCoinWeight(p, K));
  for (let i = 0; i < label.length; i++) {
    // An abstention is as probable whatever the class.
    if (label[i] < K) logs[task[i] * K + label[i]] += (weight?.[i] ?? 1) * weights[worker[i]];
  }
  const { silence } = countLabels(data, K);
  return {
    posterior: softmaxRows(logs, K),
    prior: shares,
    confusion: coinConfusion(skill, silence, K, L),
    skill,
    reliability,
  };
}

/** A warning where pairs cannot tell all that is asked of them. */
export function pairNotes(data: CategoricalData, pairs: WorkerPairs, parts: CrowdParts): string[] {
  const bipartite = bipartiteParts(pairs, parts);
  const within = new Set(bipartite);
  const workers = parts.ofWorker.filter((part) => within.has(part)).length;
  const alone = [...data.workers].filter(
    (_, w) => parts.ofWorker[w] >= 0 && pairs.start[w + 1] === pairs.start[w],
  ).length;
  const notes: string[] = [];
  if (bipartite.length > 0) {
    notes.push(
      `Bipartite parts of the crowd: ${bipartite.length}, with ${workers} workers. Agreement between pairs ` +
        `cannot tell their skills; have some tasks labelled by three workers or more.`,
    );
  }
  if (alone > 0) {
    notes.push(`Workers who share no task with anybody: ${alone}; they get the mean skill.`);
  }
  return notes;
}
