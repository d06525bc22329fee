/** What `auto` may try: four families of methods, each with its say, from stiff to flexible. */

import { bwa } from "../aggregate/categorical/bayesian/bwa.ts";
import { ebcc } from "../aggregate/categorical/bayesian/ebcc.ts";
import { ibcc } from "../aggregate/categorical/bayesian/ibcc.ts";
import { workerClusters } from "../aggregate/categorical/bayesian/worker-clusters.ts";
import { confusionVector } from "../aggregate/categorical/em/confusion-vector.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { glad } from "../aggregate/categorical/em/glad.ts";
import { graphDawidSkene } from "../aggregate/categorical/em/graph-dawid-skene.ts";
import { groupDawidSkene } from "../aggregate/categorical/em/group-dawid-skene.ts";
import { mace } from "../aggregate/categorical/em/mace.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import { beliefPropagation } from "../aggregate/categorical/messages/belief-propagation.ts";
import { catd } from "../aggregate/categorical/votes/catd.ts";
import { iterativeWeightedVote } from "../aggregate/categorical/votes/iterative-weighted-vote.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { pm } from "../aggregate/categorical/votes/pm.ts";
import { wawa } from "../aggregate/categorical/votes/wawa.ts";
import type { Known } from "../belief/known.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Engine } from "../kernels/engine.ts";
import { maxOf } from "../math/lists.ts";
import type { OptionTable, Steps } from "../method.ts";

/** Methods that rest on the same idea of workers, and so tend to err together. */
export type Family =
  | "votes"
  | "one number per worker"
  | "confusions"
  | "shared errors"
  | "thresholds"
  | "scales";

/**
 * How much each family says before any evidence. Votes and models with one number per worker, which can learn
 * no habits of the crowd, say twice as much as those that can.
 */
const SAY: Readonly<Record<Family, number>> = {
  votes: 2,
  "one number per worker": 2,
  confusions: 1,
  "shared errors": 1,
  thresholds: 1,
  scales: 1,
};

/** What the blend needs of a method: whatever believes something about classes. */
export interface Believer {
  readonly id: string;
  readonly probabilistic: boolean;
  readonly options: OptionTable;
  steps(
    data: CategoricalData,
    options?: object,
    known?: Known,
    engine?: Engine,
  ): Steps<{ readonly posterior: Float64Array }>;
}

/** One method with its settings. */
export interface Entry {
  readonly name: string;
  readonly family: Family;
  readonly method: Believer;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  /** True if the probabilities multiply labels as if they were independent. */
  readonly multiplies: boolean;
  /** True of the plain vote, which is never left out for what its classes mean. */
  readonly plain?: true;
  /** Labels times classes up to which a fit is worth its time. */
  readonly most?: number;
  /** Folds on which it is judged at most; default all. */
  readonly folds?: number;
  /** The group of each worker, for a model of groups; labels then count fully. */
  readonly groups?: Int32Array;
}

export type Effort = "fast" | "normal" | "thorough";

const coin = { comparePriors: false, right: 2, wrong: 1 } as const;
const uniform = { prior: "uniform" } as const;

function vote(name: string, method: Believer, options: Entry["options"] = {}): Entry {
  return { name, family: "votes", method, options, multiplies: false };
}

export function model(
  family: Family,
  name: string,
  method: Believer,
  options: Entry["options"] = {},
  limits: Pick<Entry, "most" | "folds"> = {},
): Entry {
  return { name, family, method, options, multiplies: true, ...limits };
}

const numbers = "one number per worker";
export const votes: Entry = { ...vote("votes", majorityVote), plain: true };
const quick: readonly Entry[] = [
  votes,
  model(numbers, "one-coin, uniform prior", oneCoin, coin),
  model(numbers, "one-coin, learnt prior", oneCoin, { ...coin, prior: "learn" }),
  model("confusions", "Dawid–Skene, shrunk", dawidSkene, { shrinkage: 4 }),
];
const wider: readonly Entry[] = [
  ...quick,
  vote("Wawa", wawa, { ties: "abstain" }),
  { ...vote("BWA", bwa, { maxIterations: 20 }), most: 1e6 },
  vote("iterative weighted vote", iterativeWeightedVote),
  model(numbers, "GLAD", glad, {}, { most: 1e6 }),
  model("confusions", "Dawid–Skene, uniform prior", dawidSkene, { shrinkage: 4, ...uniform }),
  model("confusions", "confusion vector", confusionVector, { smoothing: 0.5 }),
  model(
    "shared errors",
    "EBCC",
    ebcc,
    { restarts: 2, maxIterations: 100 },
    { most: 4e5, folds: 2 },
  ),
];

/** Everything that auto may try. */
export const all: readonly Entry[] = [
  ...wider,
  vote("PM", pm),
  model(numbers, "CATD", catd),
  model(numbers, "belief propagation", beliefPropagation, {}, { most: 1e6 }),
  model("confusions", "iBCC", ibcc),
  model("confusions", "iBCC, uniform prior", ibcc, uniform),
  model("confusions", "MACE", mace, {}, { most: 1e6 }),
  model("shared errors", "worker clusters", workerClusters, {}, { most: 1e6, folds: 2 }),
];

/** Joins the others if groups of workers err together. */
const grouped = model(
  "shared errors",
  "group Dawid–Skene",
  groupDawidSkene,
  {},
  { most: 4e6, folds: 2 },
);

/** Joins the others if links between tasks are known. */
const linked = model(
  "confusions",
  "graph Dawid–Skene",
  graphDawidSkene,
  {},
  { most: 4e6, folds: 2 },
);

/** Chooses what to try on labels, by what they are like and what is known of them. */
export type Portfolio = (
  effort: Effort,
  data: CategoricalData,
  known: Known,
  groups?: Int32Array,
) => readonly Entry[];

/**
 * Chooses what to try. Votes of any kind know nothing of evidence or priors, so they stay out if there are any;
 * so do tables of confusions that outgrow the labels themselves.
 */
export const categoricalPortfolio: Portfolio = (effort, data, known, groups) => {
  const cells = data.workers.length * data.classes.length ** 2;
  const small = cells <= Math.max(1e6, 20 * data.label.length);
  const chosen = effort === "fast" ? quick : effort === "normal" ? wider : all;
  const list = [
    ...chosen,
    ...(groups ? [{ ...grouped, groups }] : []),
    ...(known.links ? [linked] : []),
  ];
  const informed = known.evidence || known.taskPrior || known.prior;
  const size = data.label.length * data.classes.length;
  return list.filter(
    (entry) =>
      size <= (entry.most ?? Infinity) &&
      (small || entry.method.id === "one-coin" || !entry.method.probabilistic) &&
      (entry.method.probabilistic || !informed),
  );
};

/**
 * Returns the weight of each method, not yet normalised: the say of its family, times the evidence for the best of
 * the family, shared within it by evidence. `labels` is how many hidden labels count as evidence.
 */
export function weigh(
  entries: readonly Pick<Entry, "family">[],
  scores: readonly number[],
  labels: number,
  say: Readonly<Record<Family, number>> = SAY,
): number[] {
  const best = maxOf(scores);
  const weight = (score: number, of: number) => Math.exp(Math.max(-300, labels * (score - of)));
  const families = new Map<Family, { best: number; total: number }>();
  entries.forEach(({ family }, m) => {
    const before = families.get(family)?.best ?? -Infinity;
    families.set(family, { best: Math.max(before, scores[m]), total: 0 });
  });
  entries.forEach(({ family }, m) => {
    const found = families.get(family);
    if (found) found.total += weight(scores[m], found.best);
  });
  return entries.map(({ family }, m) => {
    const found = families.get(family);
    if (!found) return 0;
    return say[family] * weight(found.best, best) * (weight(scores[m], found.best) / found.total);
  });
}
