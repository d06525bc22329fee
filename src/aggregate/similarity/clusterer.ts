/** What an aggregator of similarities is: from answers about pairs to one cluster per item. */
import type { Names } from "../../data/names.ts";
import type { SimilarityData } from "../../data/similarity.ts";
import { CrowdError } from "../../error.ts";
import type { MethodCard, OptionTable, Steps, Values } from "../../method.ts";
import { type CrowdResult, crowdMethod, type Fitted, type Method } from "../result.ts";
import { chooseClusters, type TriedClusters } from "./cluster-count.ts";
import {
  certain,
  clustersBySize,
  countAnswers,
  type Frame,
  frameOf,
  type Rates,
  workerRates,
} from "./frame.ts";

/** What may be known beyond the answers; nothing so far. */
export type SimilarityKnown = Readonly<Record<never, never>>;

/** What every aggregator of similarities returns. */
export interface SimilarityResult extends CrowdResult {
  readonly kind: "similarity";
  readonly items: Names;
  /** The cluster of each item, from 0, the largest first. Items of different components are never in one cluster. */
  readonly cluster: Int32Array;
  /** Number of clusters. */
  readonly clusters: number;
  /** Probability of the cluster of each item under the method; NaN where the method has none. */
  readonly confidence: Float64Array;
  /** How far each item belongs to each cluster of the model, the largest first: membership[item * K + cluster]. */
  readonly membership: Float64Array;
  /** The connected part of the answers that each item belongs to. */
  readonly component: Int32Array;
  /** Number of answers about each item. */
  readonly support: Int32Array;
  /** Probability that each worker says "same" of two items of one cluster. */
  readonly alike: Float64Array;
  /** Probability that each worker says "same" of two items of different clusters. */
  readonly apart: Float64Array;
  /** Probability that each worker is right, of pairs that are as often alike as not: (alike + 1 - apart) / 2. */
  readonly skill: Float64Array;
  /** True where the words for same and different look swapped. */
  readonly swapped: boolean;
  /** Numbers of clusters that were tried, and the mean log-probability of hidden answers under each. */
  readonly tried: readonly TriedClusters[];
}

/** What a clusterer's own code returns. */
export interface Clustering extends Fitted, Rates {
  readonly membership: Float64Array;
  /** The cluster of each item, where it does not follow from memberships. */
  readonly fixed?: Int32Array;
  /** Absent where memberships are no probabilities. */
  readonly confidence?: Float64Array;
  /** True where the words for same and different look swapped. */
  readonly swapped?: boolean;
  /** Absent where it follows from the rates. */
  readonly skill?: Float64Array;
}

/** A method for similarities: call it for the result, or walk its `steps` for progress. */
export type Clusterer<Options extends OptionTable = OptionTable> = Method<
  SimilarityData,
  Options,
  SimilarityKnown,
  SimilarityResult
>;

/** The option that all of them have. */
export const clustersOption = {
  clusters: {
    default: 0,
    min: 0,
    max: 1000,
    integer: true,
    help: "Number of clusters; 0 tries 1 to 8 and takes the one that predicts hidden answers best.",
  },
} as const;

const SWAPPED =
  "The answers hold no clusters, but would if same meant different. Are the two words swapped?";

/** Answers that the rates of the crowd count for in those of a worker. */
export const STRENGTH = 10;

/** Makes an aggregator of similarities: numbers of clusters, components and worker quality are found here. */
export function clusterer<const Options extends OptionTable>(
  card: Omit<MethodCard<Options>, "kind">,
  iterate: (frame: Frame, K: number, options: Values<Options>) => Steps<Clustering>,
): Clusterer<Options> {
  return crowdMethod(
    { ...card, kind: "similarity" },
    function* (data: SimilarityData, options: Values<Options>, _known: SimilarityKnown) {
      const frame = frameOf(data);
      const given = (options as { readonly clusters: number }).clusters;
      if (given > frame.N) {
        throw new CrowdError(
          "bad-option",
          `${card.id}: there are ${frame.N} items, so there cannot be ${given} clusters.`,
        );
      }
      const without = unfitted(frame);
      const tried = without || given > 0 ? [] : yield* chooseClusters(data, frame);
      const K = given > 0 ? given : bestOf(tried);
      const fit = without ?? (yield* iterate(frame, K, options));
      return { ...assembled(data, frame, fit), tried };
    },
  ) as unknown as Clusterer<Options>;
}

const bestOf = (tried: readonly TriedClusters[]): number =>
  tried.reduce((best, each) => (each.score > best.score ? each : best), tried[0])?.clusters ?? 1;

/** Answers that are all the same leave nothing to fit: each item alone, or all that are connected together. */
function unfitted(frame: Frame): Clustering | undefined {
  const { N, parts, same, weight } = frame;
  const count = (said: number) =>
    same.reduce((sum, each, i) => sum + (each === said ? weight[i] : 0), 0);
  const [alike, apart] = [count(1), count(0)];
  if (alike > 0 && apart > 0) return undefined;
  const none = alike === 0;
  const labels = none ? Int32Array.from({ length: N }, (_, i) => i) : frame.component;
  // A membership of each item in each cluster would be too many numbers; one column is as good where nothing is fitted.
  const S = new Float64Array(same.length);
  const sums = countAnswers(frame, certain(new Int32Array(N), 1), 1, S);
  const rates = workerRates(none ? swapped(sums) : sums, STRENGTH);
  const why = none
    ? 'No answer says "same", so that every item is a cluster of its own. Nothing was fitted.'
    : `No answer says "different", so that all items that are connected are one cluster${parts > 1 ? ` (${parts} of them)` : ""}. Nothing was fitted.`;
  return {
    ...rates,
    membership: new Float64Array(N).fill(1),
    fixed: labels,
    trace: [],
    converged: true,
    notes: same.length > 0 ? [why] : [],
  };
}

/** Counts of pairs that are all apart in place of all alike. */
function swapped(sums: Float64Array): Float64Array {
  return sums.map((_, at) => sums[at % 4 < 2 ? at + 2 : at - 2]);
}

/** Makes clusters, numbered by size, of memberships. */
export function assembled(data: SimilarityData, frame: Frame, { fixed, ...fit }: Clustering) {
  const { N, component, parts } = frame;
  const K = N > 0 ? fit.membership.length / N : 1;
  const model = fixed ?? likeliest(fit.membership, N, K);
  const order = clustersBySize(model, fixed ? N : K);
  const named = Int32Array.from(model, (c, i) => component[i] * Math.max(N, K) + order[c]);
  const places = numberedBySize(named);
  const support = supportOf(frame);
  const single = support.filter((n) => n === 1).length;
  const skill = fit.skill ?? fit.alike.map((a, w) => (a + 1 - fit.apart[w]) / 2);
  return {
    ...fit,
    items: data.items,
    cluster: places,
    clusters: places.reduce((most, c) => Math.max(most, c + 1), 0),
    confidence: fit.confidence ?? new Float64Array(N).fill(Number.NaN),
    membership: fixed ? fit.membership : reordered(fit.membership, order, N, K),
    component,
    support,
    skill,
    swapped: fit.swapped ?? false,
    notes: [
      ...(fit.notes ?? []),
      ...(fit.swapped ? [SWAPPED] : []),
      ...(parts > 1 && !fixed
        ? [`Clusters are numbered across ${parts} parts of the answers that share no item.`]
        : []),
      ...(single > 0
        ? [`${single} of ${N} items have a single answer (support 1); their cluster rests on it.`]
        : []),
    ],
  };
}

/** The likeliest cluster of each item; ties go to the first. */
export function likeliest(q: Float64Array, N: number, K: number): Int32Array {
  return Int32Array.from({ length: N }, (_, i) => {
    let best = 0;
    for (let c = 1; c < K; c++) if (q[i * K + c] > q[i * K + best]) best = c;
    return best;
  });
}

function numberedBySize(named: Int32Array): Int32Array {
  const seen = new Map<number, number>();
  const codes = named.map((name) => {
    const code = seen.get(name) ?? seen.size;
    seen.set(name, code);
    return code;
  });
  const places = clustersBySize(codes, seen.size);
  return codes.map((c) => places[c]);
}

function reordered(q: Float64Array, places: Int32Array, N: number, K: number): Float64Array {
  const made = new Float64Array(q.length);
  for (let i = 0; i < N; i++) {
    for (let c = 0; c < K; c++) made[i * K + places[c]] = q[i * K + c];
  }
  return made;
}

function supportOf({ N, left, right }: Frame): Int32Array {
  const support = new Int32Array(N);
  for (let i = 0; i < left.length; i++) {
    support[left[i]]++;
    support[right[i]]++;
  }
  return support;
}
