/** Where EM may start, and how to choose between the ends of several starts. */

import { normaliseTable, type Shape } from "../../../belief/confusion-table.ts";
import { clampGold, startingPosterior } from "../../../belief/known.ts";
import { voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { dirichlet } from "../../../math/distributions.ts";
import { append, maxOf } from "../../../math/lists.ts";
import { logSumExp, normalizeLog } from "../../../math/log-sum-exp.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import type { Aggregation, AnyAggregator, Context } from "../aggregator.ts";
import { cnmf } from "../moments/cnmf.ts";
import { coupledCpd } from "../moments/coupled-cpd.ts";
import { multiSpa } from "../moments/multi-spa.ts";
import { spectralDawidSkene } from "../moments/spectral-dawid-skene.ts";
import { symNmf } from "../moments/sym-nmf.ts";

/** Methods whose answer before EM is a start that does not come from votes. */
const momentMethods = {
  "spectral-dawid-skene": spectralDawidSkene as AnyAggregator,
  "multi-spa": multiSpa as AnyAggregator,
  cnmf: cnmf as AnyAggregator,
  "sym-nmf": symNmf as AnyAggregator,
  "coupled-cpd": coupledCpd as AnyAggregator,
} as const;

export type MomentStart = keyof typeof momentMethods;

export const startChoices = [
  ...(["votes", "hard-votes", "random"] as const),
  ...(Object.keys(momentMethods) as MomentStart[]),
] as const;

export interface StartSettings {
  readonly start: "votes" | "hard-votes" | "random" | MomentStart;
  readonly starts: number;
  readonly anchor: "crowd" | "experts";
  readonly seed: number;
  readonly smoothing: number;
}

/** The posteriors from which EM starts, in the order in which they are tried, and what was noted of them. */
export function* startingPoints(
  data: CategoricalData,
  options: StartSettings,
  context: Context,
): Steps<{ points: Float64Array[]; notes: readonly string[] }> {
  const { start, starts, seed, smoothing } = options;
  const { known, K, L } = context;
  const shares = voteShares(data);
  const random = createRandom(seed).split("starts");
  const kinds = [start, ...(["votes", "hard-votes"] as const).filter((kind) => kind !== start)];
  const points: Float64Array[] = [];
  const notes: string[] = [];
  for (let s = 0; s < starts; s++) {
    const kind = kinds[s] ?? "random";
    if (kind === "votes") points.push(shares);
    else if (kind === "hard-votes") points.push(hardened(shares, K));
    else if (kind === "random") points.push(drawnAround(shares, data, K, random.split(s)));
    else {
      const found = yield* byMoments(kind, data, options, context);
      points.push(found.posterior);
      append(notes, found.notes);
    }
  }
  const ready = points.map((point) => startingPosterior(data, known, point));
  if (known.gold?.some((k) => k >= 0) && !known.start) {
    ready.push(goldStart(data, known.gold, Math.max(0.5, smoothing), K, L));
  }
  return { points: ready, notes };
}

/** What a moment method believes before EM. Evidence comes later, so that it does not count twice. */
function byMoments(
  kind: MomentStart,
  data: CategoricalData,
  { seed, anchor }: StartSettings,
  { known: { gold, prior }, engine, K, L }: Context,
): Steps<Aggregation> {
  const options = { em: 0, seed, anchor, abstentions: L > K ? "model" : "drop" };
  const known = { ...(gold && { gold }), ...(prior && { prior }) };
  return momentMethods[kind].steps(data, options, known, engine);
}

/** The voted class with certainty; ties are shared. */
export function hardened(shares: Float64Array, K: number): Float64Array {
  const hard = new Float64Array(shares.length);
  for (let from = 0; from < shares.length; from += K) {
    const largest = maxOf(shares.subarray(from, from + K));
    let ties = 0;
    for (let k = from; k < from + K; k++) if (shares[k] >= largest - 1e-12) ties++;
    for (let k = from; k < from + K; k++) if (shares[k] >= largest - 1e-12) hard[k] = 1 / ties;
  }
  return hard;
}

/** A Dirichlet draw around each task's vote shares, keyed by the task's name. */
function drawnAround(
  shares: Float64Array,
  data: CategoricalData,
  K: number,
  random: Random,
): Float64Array {
  const drawn = new Float64Array(shares.length);
  [...data.tasks].forEach((task, t) => {
    const alpha = shares.subarray(t * K, (t + 1) * K).map((share) => 0.5 + 3 * share);
    dirichlet(random.split(task), alpha, drawn.subarray(t * K, (t + 1) * K));
  });
  return drawn;
}

/** Confusions counted on gold tasks alone, then one E step: finds the truth even where most workers lie. */
function goldStart(
  data: CategoricalData,
  gold: Int32Array,
  smoothing: number,
  K: number,
  L: number,
): Float64Array {
  const W = data.workers.length;
  const counts = new Float64Array(W * L * K);
  const { task, worker, label } = data;
  for (let i = 0; i < label.length; i++) {
    if (gold[task[i]] >= 0) counts[(worker[i] * L + label[i]) * K + gold[task[i]]]++;
  }
  const rates = new Float64Array(counts.length);
  normaliseTable(counts, () => smoothing, { workers: W, classes: K, given: L }, rates);
  const logs = new Float64Array(data.tasks.length * K);
  for (let i = 0; i < label.length; i++) {
    const row = (worker[i] * L + label[i]) * K;
    for (let k = 0; k < K; k++) logs[task[i] * K + k] += Math.log(rates[row + k]);
  }
  for (let t = 0; t < data.tasks.length; t++) normalizeLog(logs, t * K, (t + 1) * K);
  clampGold(data, { gold }, logs);
  return logs;
}

/**
 * Log-probability of the gold classes, each predicted without its own task's labels in the counts.
 * Chooses between starts: mirrored solutions tie on the likelihood, but not on this.
 */
export function goldSupport(
  data: CategoricalData,
  gold: Int32Array,
  counts: Float64Array,
  prior: Float64Array,
  smoothing: number,
  { classes: K, given: L }: Shape,
): number {
  const rows = new Float64Array(data.workers.length * K);
  for (let at = 0; at < counts.length; at++)
    rows[Math.floor(at / (L * K)) * K + (at % K)] += counts[at];
  const b = Math.max(smoothing, 0.5);
  const logs = new Float64Array(data.tasks.length * K);
  for (let i = 0; i < data.label.length; i++) {
    const t = data.task[i];
    if (gold[t] < 0) continue;
    const w = data.worker[i];
    for (let k = 0; k < K; k++) {
      const own = k === gold[t] ? 1 : 0;
      const hit = Math.max(0, counts[(w * L + data.label[i]) * K + k] - own);
      logs[t * K + k] += Math.log((hit + b) / (Math.max(0, rows[w * K + k] - own) + L * b));
    }
  }
  let support = 0;
  for (let t = 0; t < gold.length; t++) {
    if (gold[t] < 0) continue;
    for (let k = 0; k < K; k++) logs[t * K + k] += Math.log(prior[k]);
    support += logs[t * K + gold[t]] - logSumExp(logs, t * K, (t + 1) * K);
  }
  return support;
}

/** The end of one start. */
export interface End {
  readonly posterior: Float64Array;
  readonly trace: readonly number[];
}

/** How far the two best starts agree: a cheap look at whether there is more than one answer. */
export function startNote(best: End, second: End, K: number): string {
  const T = best.posterior.length / Math.max(1, K);
  let same = 0;
  for (let t = 0; t < T; t++) {
    const a = best.posterior.subarray(t * K, (t + 1) * K);
    const b = second.posterior.subarray(t * K, (t + 1) * K);
    if (a.indexOf(maxOf(a)) === b.indexOf(maxOf(b))) same++;
  }
  const [high, low] = [best, second].map(({ trace }) => (trace.at(-1) ?? 0).toFixed(3));
  return `The two best starts reach ${high} and ${low}, and agree on ${same} of ${T} tasks.`;
}
