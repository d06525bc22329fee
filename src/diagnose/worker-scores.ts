/**
 * What each worker's labels are worth, and whom to look at twice.
 *
 * Scores come from the result's confusions (channel.ts), or from confusions counted from its posterior.
 * Both the informativeness and the information are biased upwards: even a guess has unequal rows by
 * chance. So the mean they would have if the worker's labels came in any other order is taken off,
 * which is known in closed form. Whether a worker's labels depend on the truth at all is tested
 * against what the others say (cross-fit.ts, dependence.ts), so that agreeing with oneself does not count.
 *
 * Standing, flags and reasons: judgement.ts.
 *
 * Raykar & Yu (2012), Journal of Machine Learning Research 13, 491–518. https://jmlr.org/papers/v13/raykar12a.html
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { informativeness } from "../belief/informativeness.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import { voteShares } from "../belief/votes.ts";
import { byWorker, type CategoricalData } from "../data/categorical.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { assign } from "../math/assignment.ts";
import { createRandom } from "../math/random.ts";
import { chanceScores, ownBelief } from "./chance-scores.ts";
import { capacity, capacityRoom, information } from "./channel.ts";
import { copiesOf } from "./collusion/exact-copies.ts";
import { groupLists } from "./collusion/fused-groups.ts";
import { treatGroups } from "./collusion/treat-groups.ts";
import { crossFit } from "./cross-fit.ts";
import { knowledge } from "./crowd-knowledge.ts";
import { dependence } from "./dependence.ts";
import { type Facts, type Judgement, judge, type Tested } from "./judgement.ts";
import { countConfusion, type OthersBelief } from "./leave-one-out.ts";

/** How well a worker labels, and reasons to look at the labels. */
export interface WorkerScore extends Judgement {
  readonly worker: string;
  readonly labels: number;
  /** As the result says: for most methods the probability of a right label. */
  readonly skill: number;
  /** 0 for a spammer, 1 for one who is always right, or always wrong in the same way. */
  readonly informativeness: number;
  /** The same without what chance would give; not below 0. */
  readonly informativenessCorrected: number;
  /** Chance that guesses would depend on what the others say as much as these labels do. */
  readonly p: number;
  /** The most a label can tell of the class, in nats and in bits. */
  readonly capacity: number;
  readonly capacityBits: number;
  /** What a label tells of the class at the result's class shares, in nats; then without chance's part. */
  readonly information: number;
  readonly informationCorrected: number;
}

export interface ScoreOptions {
  readonly seed?: number | undefined;
  /** Random orders of a worker's labels behind each p-value. Default: 200. */
  readonly draws?: number | undefined;
  /**
   * Workers with more labels, and all where the others have more than `mostLabels` together, get
   * their p from a gamma distribution instead of draws. Default: 500 per worker, 200,000 together.
   */
  readonly mostPerWorker?: number | undefined;
  readonly mostLabels?: number | undefined;
  /** More labels than this are judged on a sample of whole tasks. Default: a million. */
  readonly mostSampled?: number | undefined;
  /** Labels of one worker, evenly taken, on which chance's part and p are judged. Default: 1000. */
  readonly mostTested?: number | undefined;
  /** The group of each worker, where some err together; a group counts for one worker. Default: those of the result. */
  readonly groups?: Int32Array | undefined;
}

/** Returns one score per worker, in the order of data.workers. O(N K²) and the draws. */
export function scoreWorkers(
  data: CategoricalData,
  result: Aggregation,
  options: ScoreOptions = {},
): readonly WorkerScore[] {
  const { draws = 200, mostPerWorker = 500, mostLabels = 200_000, mostTested = 1000 } = options;
  const { seed = 0, mostSampled = 1_000_000 } = options;
  const [K, L] = [result.classes.length, result.given];
  const random = createRandom(seed).split("worker scores");
  const confusion = result.confusion ?? countConfusion(data, result.posterior, L);
  const whole = { start: result.posterior };
  const { data: sample, known } = sampleTasks(data, whole, mostSampled, seed);
  const seen = { ...result, tasks: sample.tasks, posterior: known.start ?? result.posterior };
  const { start, other, label } = byWorker(sample);
  const small = labelsOfSmall(start, mostPerWorker);
  // One array serves all workers: thousands of them would pile up before they are collected.
  const longest = labelsPerWorker(sample).reduce((most, n) => Math.max(most, n), 0);
  const scratch = new Float64Array(Math.min(longest, mostTested + 1) * K);
  const room = capacityRoom(K);
  const copies = copiesOf(data, result);
  const { groups, treated, meaning, alike } = withoutDependence(sample, seen, copies, options);
  const scores: Omit<WorkerScore, keyof Judgement>[] = [];
  const tests: Tested[] = [];
  const facts: Omit<Facts, "knows">[] = [];
  crossFit(treated, L, { seed, most: mostTested, meaning, dependent: groups }, (w, belief) => {
    const worker = data.workers.at(w);
    const drawn = belief.label.length <= mostPerWorker && small <= mostLabels ? draws : 0;
    const test = dependence(belief, K, L, random.split(worker), drawn);
    const { n, p, diagonal, chance, excess, deviation, knowing } = test;
    const [from, to] = [start[w], start[w + 1]];
    const said = countLabels(label, from, to, L);
    const sampled = said.reduce((sum, count) => sum + count, 0);
    const labels = sample === data ? sampled : result.workload[w];
    const mine = ownBelief(seen.posterior, other, label, from, to, K, L, mostTested, scratch);
    const byChance = chanceScores(mine, labels, K, L);
    const rows = confusion.subarray(w * K * L, (w + 1) * K * L);
    const score = informativeness(rows, K, L);
    const told = information(rows, result.prior, K, L);
    const most = capacity(rows, K, L, { tolerance: 1e-6, maxIterations: 300, room });
    tests[w] = { n, p, diagonal, chance, excess, deviation, knowing };
    facts[w] = { labels, said, shares: classShares(mine, K), copies: alike?.[w] ?? 0 };
    scores[w] = {
      worker,
      labels,
      skill: result.skill[w],
      informativeness: score,
      informativenessCorrected: Math.max(0, score - byChance.informativeness),
      p,
      capacity: most.nats,
      capacityBits: most.bits,
      information: told,
      informationCorrected: Math.max(0, told - byChance.information),
    };
  });
  const knows = knowledge(tests);
  return scores.map((score, w) => ({
    ...score,
    ...judge(tests[w], { ...facts[w], knows: knows[w] }),
  }));
}

/**
 * The labels with copies, and workers who err together, counted for one worker. If the result did not know of them, it may have
 * followed them, and does not settle what classes mean.
 */
function withoutDependence(
  sample: CategoricalData,
  result: Aggregation,
  copies: Int32Array | undefined,
  { groups: given }: ScoreOptions,
) {
  const found = given ?? (result as { readonly groups?: Int32Array }).groups;
  const groups = joined(copies, found);
  const together = groups ? groupLists(groups) : [];
  const treated = together.length > 0 ? treatGroups(sample, together, "weight") : sample;
  const followed = together.length > 0 && !("groups" in result || "copies" in result);
  const same = Int32Array.from(result.classes, (_, k) => k);
  const meaning = followed ? same : meaningOf(result, treated);
  return { groups, treated, meaning, alike: othersAlike(copies) };
}

/** Groups with all copies of a member in them too. */
function joined(copies: Int32Array | undefined, groups: Int32Array | undefined) {
  return copies && groups ? copies.map((voice) => groups[voice]) : (copies ?? groups);
}

/** How many others each worker is a copy of. */
function othersAlike(copies: Int32Array | undefined): Int32Array | undefined {
  const size = new Int32Array(copies?.length ?? 0);
  for (const voice of copies ?? []) size[voice]++;
  return copies?.map((voice) => size[voice] - 1);
}

/** Counts the labels of workers who have at most so many; those of worker w stand at start[w]..start[w + 1]. */
function labelsOfSmall(start: Int32Array, most: number): number {
  let sum = 0;
  for (let w = 0; w + 1 < start.length; w++) {
    const n = start[w + 1] - start[w];
    if (n <= most) sum += n;
  }
  return sum;
}

/** The mean belief in each class. */
function classShares({ belief }: OthersBelief, K: number): Float64Array {
  const shares = new Float64Array(K);
  for (let at = 0; at < belief.length; at++) shares[at % K] += (belief[at] * K) / belief.length;
  return shares;
}

function countLabels(label: Int32Array, from: number, to: number, L: number): Int32Array {
  const said = new Int32Array(L);
  for (let i = from; i < to; i++) if (label[i] < L) said[label[i]]++;
  return said;
}

/** The class of the result that each class of the votes stands for: not itself where most workers lie. */
export function meaningOf(result: Aggregation, data: CategoricalData): Int32Array {
  const K = result.classes.length;
  const votes = voteShares(data);
  const cost = new Float64Array(K * K);
  for (let t = 0; t < data.tasks.length; t++) {
    for (let j = 0; j < K; j++) {
      const share = votes[t * K + j];
      if (share === 0) continue;
      for (let k = 0; k < K; k++) cost[j * K + k] -= share * result.posterior[t * K + k];
    }
  }
  return assign(cost, K);
}
