/**
 * Auto for sequences. All that a worker said of a task is hidden together. The tags are predicted by the posterior
 * without them and by the rates of the worker's other answers against that posterior, alike for every candidate:
 *
 *   P(tag of w | token) = Σ over c of q[token][c] · rate[w][c][tag]
 *
 * Candidates are judged with a tenth of every q shared by all tags. Errors in one span go together, which no candidate
 * knows, so that all are too sure: the one that is chosen gives its probabilities to the power of 1 / temperature, at the
 * temperature of 1 or more at which it predicts hidden tags best. The tags stay the same, and so do probabilities of spans.
 *
 * Guo, Pleiss, Sun & Weinberger (2017), ICML 70, 1321–1330, temperatures. https://proceedings.mlr.press/v70/guo17a.html
 */
import { bscSeq } from "../aggregate/sequence/bsc-seq.ts";
import { hmmCrowd } from "../aggregate/sequence/hmm-crowd.ts";
import type { SequenceKnown, SequenceResult } from "../aggregate/sequence/tagger.ts";
import { tokenVote } from "../aggregate/sequence/token-vote.ts";
import { tempered } from "../belief/temper.ts";
import { hashText, mix } from "../data/content-hash.ts";
import { type SequenceData, selectTags } from "../data/sequence.ts";
import type { Steps } from "../method.ts";
import { hiddenParts, hideInTurn, meanOfKnown, taskUnits } from "./hidden-answers.ts";
import { type Choice, pickerFor, pickOptions } from "./pick.ts";

type Method = Choice<SequenceData, SequenceResult>["method"];

interface Folds {
  readonly folds: number;
  readonly seed: number;
}

/** Mean log-probability of the tags of each pair of worker and task while they are hidden. */
export function* hiddenTags(
  method: Method,
  options: object,
  data: SequenceData,
  known: object,
  settings: Folds,
): Steps<Float64Array> {
  return meanLogs(yield* hideTags(method, options, data, known, settings, doubted));
}

/** Share of every belief that goes to all tags alike, so that being too sure does not decide which method is right more often. */
const DOUBT = 0.1;

const doubted = (posterior: Float64Array, K: number) =>
  posterior.map((p) => (1 - DOUBT) * p + DOUBT / K);

/** What is needed to predict hidden tags at any temperature: for each the posterior of its token, and the rates. */
interface HiddenTags {
  readonly classes: number;
  /** The pair of worker and task of each tag that is hidden once. */
  readonly pair: Int32Array;
  readonly pairs: number;
  readonly weight: Float64Array;
  readonly posterior: Float64Array;
  readonly rates: Float64Array;
}

function* hideTags(
  method: Method,
  options: object,
  data: SequenceData,
  known: object,
  { folds, seed }: Folds,
  seen: (posterior: Float64Array, K: number) => Float64Array = (posterior) => posterior,
): Steps<HiddenTags> {
  const K = data.classes.length;
  const { pairs, pair } = pairsOf(data);
  const count = pairs.task.length;
  const parts = hiddenParts(taskUnits(pairs, saidBy(data, pair, count)), folds, seed);
  const rows = Int32Array.from(data.label.keys()).filter((i) => parts.part[pair[i]] >= 0);
  const place = new Int32Array(data.label.length);
  rows.forEach((i, at) => {
    place[i] = at;
  });
  const posteriors = new Float64Array(rows.length * K);
  const rates = new Float64Array(rows.length * K);
  yield* hideInTurn(parts, function* (shown, hidden) {
    const kept = new Uint8Array(count);
    for (const each of shown) kept[each] = 1;
    const part = selectTags(data, (i) => kept[pair[i]] === 1);
    const posterior = seen((yield* method.steps(part, options, known)).posterior, K);
    const table = tagRates(part, posterior);
    for (const i of rows) {
      if (kept[pair[i]]) continue;
      const from = data.token[i] * K;
      posteriors.set(posterior.subarray(from, from + K), place[i] * K);
      for (let c = 0; c < K; c++) {
        rates[place[i] * K + c] = table[(data.worker[i] * K + c) * K + data.label[i]];
      }
    }
    return hidden;
  });
  return {
    classes: K,
    pair: rows.map((i) => pair[i]),
    pairs: count,
    weight: Float64Array.from(rows, (i) => weightOf(data, i)),
    posterior: posteriors,
    rates,
  };
}

/** The mean log-probability of the tags of each pair, at a temperature; NaN for pairs that are never hidden. */
function meanLogs(
  { classes: K, pair, pairs, weight, posterior, rates }: HiddenTags,
  temperature = 1,
): Float64Array {
  const q = tempered(posterior, K, temperature);
  const [sum, tags] = [new Float64Array(pairs), new Float64Array(pairs)];
  pair.forEach((each, at) => {
    let probability = 0;
    for (let c = at * K; c < (at + 1) * K; c++) probability += q[c] * rates[c];
    if (weight[at] === 0) return;
    sum[each] += weight[at] * Math.log(probability);
    tags[each] += weight[at];
  });
  return sum.map((each, p) => each / tags[p]);
}

/** Temperatures that are tried, from 1 to 12. */
const TEMPERATURES = Array.from({ length: 25 }, (_, j) => 12 ** (j / 24));

/** Pairs of worker and task below which hidden answers say nothing of how sure a method may be. */
const FEW = 30;

/** The temperature at which hidden tags are predicted best; 1 if there are few. */
function bestTemperature(hidden: HiddenTags): number {
  if (new Set(hidden.pair).size < FEW) return 1;
  let [best, most] = [1, -Infinity];
  for (const temperature of TEMPERATURES) {
    const mean = meanOfKnown(meanLogs(hidden, temperature));
    if (mean <= most) break;
    [best, most] = [temperature, mean];
  }
  return best;
}

/** Gives the probabilities of a result at the temperature at which its method predicts hidden tags best. */
function* lessSure(
  result: SequenceResult,
  method: Method,
  options: object,
  data: SequenceData,
  known: object,
  settings: Folds,
): Steps<SequenceResult> {
  const K = data.classes.length;
  const temperature = bestTemperature(yield* hideTags(method, options, data, known, settings));
  if (temperature === 1) return result;
  const posterior = tempered(result.posterior, K, temperature);
  const note = `Probabilities are at a temperature of ${temperature.toFixed(1)}, at which hidden tags are predicted best: errors in one span go together.`;
  return {
    ...result,
    posterior,
    confidence: Float64Array.from(result.path, (k, t) => posterior[t * K + k]),
    notes: [note, ...result.notes],
  };
}

const weightOf = ({ weight }: SequenceData, i: number) => (weight ? weight[i] : 1);

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
  // A pair counts once, whatever its tags weigh, unless they weigh nothing.
  const weight = data.weight && new Float64Array(keys.length);
  pair.forEach((each, i) => {
    if (weight && weightOf(data, i) > 0) weight[each] = 1;
  });
  return {
    pairs: {
      ...data,
      ...(weight && { weight }),
      task: Int32Array.from(keys, (key) => Math.floor(key / W)),
      worker: Int32Array.from(keys, (key) => key % W),
    },
    pair,
  };
}

/** A hash of all tags of each pair by their positions. */
function saidBy(data: SequenceData, pair: Int32Array, count: number) {
  const { classes, label, token, tokens } = data;
  const ofTag = Uint32Array.from(classes, hashText);
  const said = new Uint32Array(count);
  label.forEach((k, i) => {
    said[pair[i]] += weightOf(data, i) * mix(ofTag[k], tokens.position[token[i]]);
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
      const share = weightOf(data, i) * posterior[data.token[i] * K + c];
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
    finish: lessSure,
    cluster: (data) => pairsOf(data).pairs.task,
    size: ({ label }) => label.length,
    many: 1_000_000,
  },
);
