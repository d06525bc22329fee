/** What a learner of similarities is: from answers about pairs and features of the items to a network that gives a cluster. */

import type { TriedClusters } from "../../aggregate/similarity/cluster-count.ts";
import {
  assembled,
  type Clustering,
  likeliest,
  type SimilarityResult,
} from "../../aggregate/similarity/clusterer.ts";
import { frameOf } from "../../aggregate/similarity/frame.ts";
import { labelsPerWorker } from "../../data/crowd-data.ts";
import { fingerprintOf } from "../../data/fingerprint.ts";
import { namesOf } from "../../data/names.ts";
import { SAME, type SimilarityData, selectPairs } from "../../data/similarity.ts";
import { CrowdError } from "../../error.ts";
import type { Random } from "../../math/random.ts";
import type { OptionTable, Values } from "../../method.ts";
import { constant } from "../../tensor/graph.ts";
import { matmul } from "../../tensor/ops/matmul.ts";
import { softmax } from "../../tensor/ops/softmax.ts";
import type { Module } from "../../tensor/scope.ts";
import { type Classifier, createClassifier } from "../classifier.ts";
import {
  createLearner,
  type LearnerCard,
  type LearnerKind,
  type LearnerOf,
  type LearnProgress,
  type Learnt,
} from "../create-learner.ts";
import type { Net } from "../network.ts";
import { pairSubject } from "../pair-subject.ts";
import type { HeldOut, Session } from "../session.ts";
import type { Validator } from "../validation.ts";

/** What the method's own code returns. */
export interface SimilarityLesson extends Pick<Clustering, "alike" | "apart"> {
  readonly net: Net;
  readonly tried: readonly TriedClusters[];
  readonly notes?: readonly string[];
}

/** What every learner of similarities returns; the network is a classifier of clusters. */
export interface SimilarityLearning extends SimilarityResult, Pick<Learnt, "history"> {
  readonly predictor: Classifier;
}

/** A learner of similarities: call it for the result, or walk its `steps` for progress. */
export type SimilarityLearner<Options extends OptionTable = OptionTable> = LearnerOf<
  SimilarityData,
  Options,
  SimilarityLearning
>;

/** Makes a learner of similarities from a card and a training. */
export function similarityLearner<const Options extends OptionTable>(
  card: Omit<LearnerCard<Options>, "forecasts" | "confusion">,
  train: (
    session: Session<SimilarityData>,
    options: Values<Options>,
  ) => AsyncGenerator<LearnProgress, SimilarityLesson, void>,
): SimilarityLearner<Options> {
  return createLearner(similarities, { ...card, forecasts: false, confusion: false }, train);
}

const similarities: LearnerKind<SimilarityData, SimilarityLesson, SimilarityLearning> = {
  kind: "similarity",
  noun: "item",
  answer: "answer",
  described: ({ items }) => items,
  examples: ({ label, weight }) =>
    Int32Array.from(label.keys()).filter((i) => !weight || weight[i] > 0),
  subject: (data, rows) =>
    pairSubject(
      data,
      rows,
      2,
      (labels) => ({
        same: Float32Array.from(labels, (i) => (data.label[i] === SAME ? 1 : 0)),
      }),
      softmax,
    ),
  holdOut,
  goldValidator() {
    throw new CrowdError(
      "not-supported",
      "Clusters have no names before they are found, so that no epoch can be chosen by known ones. Leave validation gold out.",
    );
  },
  crowdValidator,
  usable(id, data) {
    const same = data.label.filter((said) => said === SAME).length;
    if (same > 0 && same < data.label.length) return { data, notes: [] };
    const [what, other] = same === 0 ? ["different", "same"] : ["same", "different"];
    throw new CrowdError(
      "bad-data",
      `${id}: every answer says ${what} and none says ${other}, so there is nothing to tell clusters by.`,
    );
  },
  fingerprint: ({ items, workers, left, right, worker, label, weight }) =>
    fingerprintOf([items, workers], [left, right, worker, label, ...(weight ? [weight] : [])]),
  async assemble({ method, options, usable: { data, notes }, session, lesson }) {
    const { net, tried, alike, apart, notes: own = [] } = lesson;
    const q = await net.predict();
    const N = data.items.length;
    const K = q.length / N;
    const model = likeliest(q, N, K);
    // Features connect what no answer does.
    const frame = { ...frameOf(data), component: new Int32Array(N), parts: 1 };
    const found = assembled(data, frame, {
      membership: q,
      confidence: Float64Array.from(model, (c, i) => q[i * K + c]),
      alike,
      apart,
      trace: [],
      converged: true,
    });
    const history = session.runs.map((run) => run.history);
    const trace = history.flatMap((records) => records.map(({ loss }) => -loss));
    return {
      ...found,
      kind: "similarity",
      method,
      options,
      tried,
      predictor: classifierOf(session, net, placesOf(model, found.cluster, K)),
      history,
      workers: data.workers,
      workload: labelsPerWorker(data),
      trace: Float64Array.from(trace),
      iterations: trace.length,
      notes: [...notes, ...session.notes, ...own, ...found.notes],
    };
  },
};

/** The number in the result of each cluster of the network; clusters without items come last. */
function placesOf(model: Int32Array, cluster: Int32Array, K: number): Int32Array {
  const places = new Int32Array(K).fill(-1);
  model.forEach((c, i) => {
    places[c] = cluster[i];
  });
  let next = places.filter((place) => place >= 0).length;
  return places.map((place) => (place >= 0 ? place : next++));
}

/** The network with its clusters numbered as those of the result. */
function classifierOf(
  { features, executor, statistics }: Session<SimilarityData>,
  net: Net,
  places: Int32Array,
): Classifier {
  const K = places.length;
  const turn = new Float64Array(K * K);
  places.forEach((place, c) => {
    turn[c * K + place] = 1;
  });
  const module: Module = (x, scope) => matmul(net.module(x, scope), constant(turn, [K, K]));
  return createClassifier(executor, {
    classes: namesOf(Array.from({ length: K }, (_, c) => String(c + 1))),
    shape: features.shape,
    module,
    weights: new Map([...net.trainer.weights].map(([name, own]) => [name, own.slice()])),
    ...(statistics && { statistics }),
  });
}

/** Draws a seeded share of the answers; those of a worker about a pair stay together, whatever the order of the rows. */
export function drawAnswers(
  { worker, left, right, workers, items }: SimilarityData,
  share: number,
  random: Random,
): Int32Array {
  return Int32Array.from(left.keys()).filter((i) => {
    const pair = [items.at(left[i]), items.at(right[i])].sort();
    return random.split(`${workers.at(worker[i])}\n${pair.join("\n")}`).next() < share;
  });
}

function holdOut(data: SimilarityData, share: number, random: Random): HeldOut<SimilarityData> {
  const drawn = drawAnswers(data, share, random);
  const hidden = new Set(drawn);
  return {
    trained: selectPairs(
      data,
      Int32Array.from(data.label.keys()).filter((i) => !hidden.has(i)),
    ),
    heldOut: selectPairs(data, drawn),
    words: `${drawn.length} answers`,
  };
}

/** The mean log-probability of answers held out, at the rates that all workers together show. */
function crowdValidator(trained: SimilarityData, heldOut: SimilarityData): Validator {
  return {
    measure: "log-probability of held-out answers",
    async score(net) {
      const q = await net.predict();
      const rates = estimateRates(trained, q, startingRates(trained.workers.length));
      return logOfPairs(heldOut, q, rates);
    },
  };
}

/** P("same") of each worker for items of one cluster, and for items of two. */
export type WorkerRates = Pick<Clustering, "alike" | "apart">;

export const startingRates = (W: number): WorkerRates => ({
  alike: new Float64Array(W).fill(0.8),
  apart: new Float64Array(W).fill(0.3),
});

/** Answers that the crowd's rates count for in those of a worker. */
const STRENGTH = 10;

/** One EM step of the rates: those of the crowd, and of each worker drawn towards them. */
export function estimateRates(
  data: SimilarityData,
  q: Float64Array,
  { alike, apart }: WorkerRates,
): WorkerRates {
  const W = data.workers.length;
  const sums = new Float64Array(4 * (W + 1));
  const K = q.length / data.items.length;
  data.label.forEach((said, i) => {
    const u = data.worker[i];
    const s = meet(q, K, data.left[i], data.right[i]);
    const [a, b] = said === SAME ? [alike[u], apart[u]] : [1 - alike[u], 1 - apart[u]];
    const r = (a * s) / (a * s + b * (1 - s));
    const count = data.weight ? data.weight[i] : 1;
    for (const at of [u, W]) {
      sums[4 * at + (said === SAME ? 0 : 1)] += count * r;
      sums[4 * at + (said === SAME ? 2 : 3)] += count * (1 - r);
    }
  });
  const rate = (at: number, first: number, prior: number, strength: number) =>
    (strength * prior + sums[4 * at + first]) /
    (strength + sums[4 * at + first] + sums[4 * at + first + 1]);
  const [a0, b0] = [rate(W, 0, 0.5, 2), rate(W, 2, 0.5, 2)];
  return {
    alike: Float64Array.from({ length: W }, (_, u) => rate(u, 0, a0, STRENGTH)),
    apart: Float64Array.from({ length: W }, (_, u) => rate(u, 2, b0, STRENGTH)),
  };
}

/** P(two items are of one cluster), kept off 0 and 1. */
function meet(q: Float64Array, K: number, left: number, right: number): number {
  let s = 0;
  for (let c = 0; c < K; c++) s += q[left * K + c] * q[right * K + c];
  return Math.min(1 - 1e-6, Math.max(1e-6, s));
}

/** The mean log-probability of answers under memberships and rates. */
export function logOfPairs(
  data: SimilarityData,
  q: Float64Array,
  { alike, apart }: WorkerRates,
): number {
  const K = q.length / data.items.length;
  let [total, count] = [0, 0];
  data.label.forEach((said, i) => {
    const u = data.worker[i];
    const s = meet(q, K, data.left[i], data.right[i]);
    const p = alike[u] * s + apart[u] * (1 - s);
    const weight = data.weight ? data.weight[i] : 1;
    total += weight * Math.log(said === SAME ? p : 1 - p);
    count += weight;
  });
  return total / count;
}
