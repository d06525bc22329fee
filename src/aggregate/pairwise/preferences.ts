/**
 * Preferences per pair, for training on them: which of two items is better for one task, from the answers to that pair
 * alone and from how far each judge can be trusted.
 *
 *   vote   c[u] answers of u agree with the majority of the others on their pair (their tie: half) out of n'[u],
 *          accuracy (c + 2.8) / (n' + 4), weight max(0, log-odds of the accuracy)
 *   p      P(chosen is better): the posterior of one-coin Dawid–Skene, a soft label; the vote's own score is not calibrated
 */
import { pairLabels } from "../../data/pair-labels.ts";
import type { PairwiseData } from "../../data/pairwise.ts";
import { oneCoin } from "../categorical/em/one-coin.ts";

/** The preference of one pair of items, asked for one task. */
export interface Preference {
  readonly task: string;
  readonly chosen: string;
  readonly rejected: string;
  /** Probability that the chosen item is better: a half or more. */
  readonly p: number;
  /** Sum of the weights of the judges who chose it minus those of the others. */
  readonly margin: number;
  /** Mean probability that an answer to this pair is reversed. */
  readonly flip: number;
  /** Number of decided answers. */
  readonly answers: number;
}

/** Weighs each judge by agreement with the others; returns the weighted vote of each pair, above 0 for its first item. */
export function preferenceVotes(data: PairwiseData): {
  readonly task: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
  /** Answers for the first item minus answers for the second. */
  readonly plain: Float64Array;
  /** The same with weights. */
  readonly weighted: Float64Array;
  /** Weight of each judge. */
  readonly weight: Float64Array;
} {
  const { labels, task, first, second } = pairLabels(data, "drop");
  const count = (i: number) => labels.weight?.[i] ?? 1;
  const side = (i: number) => (labels.label[i] === 0 ? 1 : -1);
  const plain = new Float64Array(first.length);
  const asked = new Float64Array(first.length);
  for (let i = 0; i < labels.label.length; i++) {
    plain[labels.task[i]] += count(i) * side(i);
    asked[labels.task[i]] += count(i);
  }
  const [agreed, compared] = [0, 1].map(() => new Float64Array(data.workers.length));
  for (let i = 0; i < labels.label.length; i++) {
    const [pair, u] = [labels.task[i], labels.worker[i]];
    if (asked[pair] - count(i) <= 0) continue;
    const others = (plain[pair] - count(i) * side(i)) * side(i);
    agreed[u] += count(i) * (others > 0 ? 1 : others < 0 ? 0 : 0.5);
    compared[u] += count(i);
  }
  const weight = agreed.map((c, u) => {
    const accuracy = (c + 2.8) / (compared[u] + 4);
    return Math.max(0, Math.log(accuracy / (1 - accuracy)));
  });
  const weighted = new Float64Array(first.length);
  for (let i = 0; i < labels.label.length; i++) {
    weighted[labels.task[i]] += count(i) * side(i) * weight[labels.worker[i]];
  }
  return { task, first, second, plain, weighted, weight };
}

/** Finds the preference of each pair with a decided answer; the flip rate of judges may come from a model of theirs. */
export function preferences(
  data: PairwiseData,
  reliability?: Float64Array | undefined,
): Preference[] {
  const { labels, task, first, second } = pairLabels(data, "drop");
  if (first.length === 0) return [];
  const { posterior, skill } = oneCoin(labels);
  const { weighted } = preferenceVotes(data);
  const trusted = reliability ?? skill;
  const [flips, answers] = [0, 1].map(() => new Float64Array(first.length));
  for (let i = 0; i < labels.label.length; i++) {
    const known = trusted[labels.worker[i]];
    flips[labels.task[i]] += Number.isNaN(known) ? 0.5 : 1 - known;
    answers[labels.task[i]]++;
  }
  return first.map((a, pair) => {
    const p = posterior[2 * pair];
    const [chosen, rejected] = p >= 0.5 ? [a, second[pair]] : [second[pair], a];
    return {
      task: data.tasks.at(task[pair]),
      chosen: data.items.at(chosen),
      rejected: data.items.at(rejected),
      p: Math.max(p, 1 - p),
      margin: p >= 0.5 ? weighted[pair] : -weighted[pair],
      flip: flips[pair] / answers[pair],
      answers: answers[pair],
    };
  });
}

/** Soft labels below this say too little to train on. */
const LEAST = 0.55;

/**
 * Preferences as JSON lines for training on pairs: prompt, chosen, rejected, p, weight and flip. With margin x and
 * l(x) = -log logistic(x), the soft loss p l(x) + (1 - p) l(-x) is label smoothing with 1 - p. Pairs with p below .55
 * are left out.
 */
export function* preferenceLines(all: readonly Preference[]): Iterable<string> {
  const short = (x: number) => Number(x.toFixed(6));
  for (const { task, chosen, rejected, p, flip } of all) {
    if (p < LEAST) continue;
    const line = { prompt: task, chosen, rejected, p: short(p), weight: 1, flip: short(flip) };
    yield `${JSON.stringify(line)}\n`;
  }
}
