/** What a pairwise aggregator is: from comparisons to one score per item. */

import type { Names } from "../../data/names.ts";
import { componentsOf, LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { plural } from "../../error.ts";
import type { MethodCard, OptionTable, Steps, Values } from "../../method.ts";
import { type CrowdResult, crowdMethod, type Fitted, type Method } from "../result.ts";
import type { Answering } from "./answering.ts";

/** What may be known beyond the comparisons; nothing so far. */
export type PairwiseKnown = Readonly<Record<never, never>>;

/** What every pairwise aggregator returns. */
export interface PairwiseResult extends CrowdResult {
  readonly kind: "pairwise";
  readonly items: Names;
  /** The score of each item, larger is better, with mean 0 within each component. */
  readonly score: Float64Array;
  /** Standard error of each score; NaN where it cannot be told. */
  readonly sd: Float64Array;
  /** 95 % interval of each score; NaN where it cannot be told. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Place of each item within its component: 1 is the best; equal scores share the better place. */
  readonly rank: Int32Array;
  /** The connected part of the comparisons that each item belongs to; scores compare within it only. */
  readonly component: Int32Array;
  /** Number of comparisons of each item. */
  readonly support: Int32Array;
  /** Share of each worker's decided comparisons that follow the scores; NaN without any. */
  readonly skill: Float64Array;
  /** Probability that each worker's answer comes from the scores, where the method learns it. */
  readonly reliability?: Float64Array;
  /** Probability that each worker's other answers choose the left item, where the method learns it. */
  readonly position?: Float64Array;
  /** What stands out about each worker, where the method looks: `one-sided`. */
  readonly flags?: readonly (readonly string[])[];
  /** Types of workers with scores of their own, the largest first, where the method learns them. */
  readonly types?: readonly WorkerType[];
  /** The most probable type of each worker, from 0, and its probability; only with `types`. */
  readonly type?: Int32Array;
  readonly typeProbability?: Float64Array;
  /** How answers come from scores, where it is more than logistic(difference of two scores). */
  readonly answering?: Answering;
}

/** Workers who rank items alike. */
export interface WorkerType {
  /** Its share among the workers. */
  readonly share: number;
  /** The score of each item, with mean 0 within each component, and its standard error. */
  readonly score: Float64Array;
  readonly sd: Float64Array;
  /** The workers who most probably belong to it. */
  readonly members: Int32Array;
  /** Share of its decided comparisons that follow the scores of all types together; NaN without any. */
  readonly satisfaction: number;
}

/** What a ranker's own code returns. */
export interface Ranking extends Fitted {
  readonly score: Float64Array;
  readonly sd: Float64Array;
  readonly reliability?: Float64Array;
  readonly position?: Float64Array;
  readonly flags?: readonly (readonly string[])[];
  readonly types?: readonly WorkerType[];
  readonly type?: Int32Array;
  readonly typeProbability?: Float64Array;
  readonly answering?: Answering;
  /** How many standard errors an interval reaches to either side of each score; 1.96 if not given. */
  readonly quantile?: Float64Array;
}

/** The same for a ranker that returns more than all of them do. */
export type RankingOf<Result extends PairwiseResult> = Ranking &
  Omit<Result, keyof PairwiseResult> & {
    /** Never set: it tells the compiler which result this makes. */
    readonly result?: Result;
  };

/** A method for comparisons: call it for the result, or walk its `steps` for progress. */
export type Ranker<
  Options extends OptionTable = OptionTable,
  Result extends PairwiseResult = PairwiseResult,
> = Method<PairwiseData, Options, PairwiseKnown, Result>;

/** Makes a pairwise aggregator: intervals, ranks and worker quality follow from scores and errors. */
export function ranker<const Options extends OptionTable, Result extends PairwiseResult>(
  card: Omit<MethodCard<Options>, "kind">,
  iterate: (
    data: PairwiseData,
    options: Values<Options>,
  ) => Steps<Ranking & { readonly result?: Result }>,
): Ranker<Options, Result> {
  return crowdMethod(
    { ...card, kind: "pairwise" },
    function* (data: PairwiseData, options: Values<Options>, _known: PairwiseKnown) {
      const fit = yield* iterate(data, options);
      const found = rankedBy(data, fit, componentsOf(data).ofItem);
      const idle = found.support.filter((n) => n === 0).length;
      if (idle === 0) return found;
      const unknown = `${plural(idle, "item has", "items have")} no comparisons; the score of each is 0.`;
      return { ...found, notes: [...(fit.notes ?? []), unknown] };
    },
  ) as unknown as Ranker<Options, Result>;
}

/** Makes ranks, intervals and worker quality of scores and errors; scores compare within components only. */
export function rankedBy<Found extends Omit<Ranking, keyof Fitted>>(
  data: PairwiseData,
  { quantile, ...fit }: Found,
  component: Int32Array,
) {
  const { score, sd } = fit;
  const reach = sd.map((error, i) => error * (quantile ? quantile[i] : 1.96));
  return {
    ...fit,
    items: data.items,
    low: score.map((s, i) => s - reach[i]),
    high: score.map((s, i) => s + reach[i]),
    rank: ranksWithin(score, component),
    component,
    support: supportOf(data),
    skill: followers(data, (w) => fit.types?.[fit.type?.[w] ?? 0].score ?? score),
  };
}

function supportOf({ items, left, right }: PairwiseData): Int32Array {
  const support = new Int32Array(items.length);
  for (let i = 0; i < left.length; i++) {
    support[left[i]]++;
    support[right[i]]++;
  }
  return support;
}

/** Scores closer than this count as equal. */
const EQUAL = 1e-9;

/** Ranks the items of each component by score. */
function ranksWithin(score: Float64Array, component: Int32Array): Int32Array {
  const order = Array.from(score.keys()).sort(
    (a, b) => component[a] - component[b] || score[b] - score[a] || a - b,
  );
  const rank = new Int32Array(score.length);
  let place = 0;
  order.forEach((item, at) => {
    const before = order[at - 1];
    place = at > 0 && component[before] === component[item] ? place + 1 : 1;
    const tied = place > 1 && score[before] - score[item] <= EQUAL;
    rank[item] = tied ? rank[before] : place;
  });
  return rank;
}

/** Returns the share of each worker's decided comparisons that follow the worker's scores; equal scores count half. */
export function followers(
  { workers, worker, left, right, label, weight }: PairwiseData,
  scoreOf: (worker: number) => Float64Array,
): Float64Array {
  const followed = new Float64Array(workers.length);
  const decided = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    if (label[i] === TIE) continue;
    const count = weight ? weight[i] : 1;
    const [winner, loser] = label[i] === LEFT ? [left[i], right[i]] : [right[i], left[i]];
    const score = scoreOf(worker[i]);
    const lead = score[winner] - score[loser];
    followed[worker[i]] += count * (Math.abs(lead) <= EQUAL ? 0.5 : lead > 0 ? 1 : 0);
    decided[worker[i]] += count;
  }
  return followed.map((sum, w) => sum / decided[w]);
}
