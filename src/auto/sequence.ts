/**
 * Auto for sequences. All that a worker said of a task is hidden together. The tags are predicted by the posterior
 * without them and by the rates of the worker's other answers against that posterior, alike for every candidate.
 */
import { bscSeq } from "../aggregate/sequence/bsc-seq.ts";
import { hmmCrowd } from "../aggregate/sequence/hmm-crowd.ts";
import type { SequenceKnown, SequenceResult } from "../aggregate/sequence/tagger.ts";
import { tokenVote } from "../aggregate/sequence/token-vote.ts";
import { hashText, mix } from "../data/content-hash.ts";
import { type SequenceData, selectTags } from "../data/sequence.ts";
import type { Steps } from "../method.ts";
import { hiddenParts, hideInTurn, taskUnits } from "./hidden-answers.ts";
import { type Choice, pickerFor, pickOptions } from "./pick.ts";

/** Mean log-probability of the tags of each pair of worker and task while they are hidden. */
export function* hiddenTags(
  method: Choice<SequenceData, SequenceResult>["method"],
  options: object,
  data: SequenceData,
  known: object,
  { folds, seed }: { readonly folds: number; readonly seed: number },
): Steps<Float64Array> {
  const { pairs, pair } = pairsOf(data);
  const parts = hiddenParts(taskUnits(pairs, saidBy(data, pair, pairs.task.length)), folds, seed);
  return yield* hideInTurn(parts, function* (shown, hidden) {
    const kept = new Uint8Array(pairs.task.length);
    for (const each of shown) kept[each] = 1;
    const part = selectTags(data, (i) => kept[pair[i]] === 1);
    const posterior = doubted(
      (yield* method.steps(part, options, known)).posterior,
      data.classes.length,
    );
    const rates = tagRates(part, posterior);
    const sum = new Float64Array(kept.length);
    const tags = new Int32Array(kept.length);
    data.label.forEach((_, i) => {
      if (kept[pair[i]]) return;
      sum[pair[i]] += logProbability(data, posterior, rates, i);
      tags[pair[i]]++;
    });
    return Float64Array.from(hidden, (each) => sum[each] / tags[each]);
  });
}

/** Share of every belief that goes to all tags alike, so that being too sure does not decide which method is right more often. */
const DOUBT = 0.1;

const doubted = (posterior: Float64Array, K: number) =>
  posterior.map((p) => (1 - DOUBT) * p + DOUBT / K);

/** Pairs of task and worker as answers of their own, and the pair of each tag. */
function pairsOf(data: SequenceData) {
  const W = data.workers.length;
  const numbers = new Map<number, number>();
  const pair = data.task.map((t, i) => {
    const key = t * W + data.worker[i];
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  });
  const keys = [...numbers.keys()];
  return {
    pairs: {
      ...data,
      task: Int32Array.from(keys, (key) => Math.floor(key / W)),
      worker: Int32Array.from(keys, (key) => key % W),
    },
    pair,
  };
}

/** A hash of all tags of each pair by their positions. */
function saidBy({ classes, label, token, tokens }: SequenceData, pair: Int32Array, count: number) {
  const ofTag = Uint32Array.from(classes, hashText);
  const said = new Uint32Array(count);
  label.forEach((k, i) => {
    said[pair[i]] += mix(ofTag[k], tokens.position[token[i]]);
  });
  return said;
}

/** What all workers have in common counts for so many answers of one worker. */
const SHARED = 5;

/** Rates of tags by worker and true tag, drawn to those of all workers. */
function tagRates(data: SequenceData, posterior: Float64Array): Float64Array {
  const [K, W] = [data.classes.length, data.workers.length];
  const own = new Float64Array(W * K * K);
  const all = new Float64Array(K * K).fill(0.1);
  data.label.forEach((k, i) => {
    for (let c = 0; c < K; c++) {
      const share = posterior[data.token[i] * K + c];
      own[(data.worker[i] * K + c) * K + k] += share;
      all[c * K + k] += share;
    }
  });
  const sum = (list: Float64Array) => list.reduce((total, x) => total + x, 0);
  for (let c = 0; c < K; c++) {
    const total = sum(all.subarray(c * K, (c + 1) * K));
    for (let k = 0; k < K; k++) all[c * K + k] /= total;
  }
  for (let row = 0; row < W * K; row++) {
    const total = sum(own.subarray(row * K, (row + 1) * K)) + SHARED;
    for (let k = 0; k < K; k++) {
      const at = row * K + k;
      own[at] = (own[at] + SHARED * all[(row % K) * K + k]) / total;
    }
  }
  return own;
}

function logProbability(
  { classes, worker, token, label }: SequenceData,
  posterior: Float64Array,
  rates: Float64Array,
  i: number,
): number {
  const K = classes.length;
  let probability = 0;
  for (let c = 0; c < K; c++) {
    probability += posterior[token[i] * K + c] * rates[(worker[i] * K + c) * K + label[i]];
  }
  return Math.log(probability);
}

/** Auto for sequences: takes the method that predicts hidden answers best, or the vote per token. */
export const sequenceAuto = pickerFor<SequenceData, SequenceKnown, SequenceResult>()(
  "sequence",
  "six fits of three methods; two beyond a million tags",
  { ...pickOptions },
  {
    choices: [
      { name: "token vote", method: tokenVote },
      { name: "HMM of the crowd", method: hmmCrowd },
      { name: "BSC-seq", method: bscSeq },
    ],
    judge: hiddenTags,
    cluster: (data) => pairsOf(data).pairs.task,
    size: ({ label }) => label.length,
    many: 1_000_000,
  },
);
