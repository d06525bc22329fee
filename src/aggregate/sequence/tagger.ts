/** What an aggregator of sequences is: from tags that workers gave to one tag per token, and spans. */
import type { Names } from "../../data/names.ts";
import {
  allSpans,
  repaired,
  type SequenceData,
  type Span,
  schemeOf,
  type TagScheme,
  type Tokens,
} from "../../data/sequence.ts";
import { previousAnswers } from "../../data/sequence-from-columns.ts";
import type { MethodCard, OptionTable, Steps, Values } from "../../method.ts";
import { type CrowdResult, crowdMethod, type Fitted, type Method } from "../result.ts";
import type { PathLinks } from "./chain.ts";
import { workerTagging } from "./worker-tagging.ts";

/** What may be known beyond the answers. */
export interface SequenceKnown {
  /** Known tag of each token, or -1: kept as it is. Not `data.gold`, which only scores. */
  readonly gold?: Int32Array | undefined;
}

/** Spans, column by column. */
export interface Spans {
  /** First and last token of each span. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** Number of the type of each span in `types`. */
  readonly type: Int32Array;
  readonly types: readonly string[];
  /** Probability that there is a span of exactly these tokens and this type. */
  readonly probability: Float64Array;
}

/** What every aggregator of sequences returns. */
export interface SequenceResult extends CrowdResult {
  readonly kind: "sequence";
  readonly tasks: Names;
  readonly classes: Names;
  readonly tokens: Tokens;
  /** The tag of each token; where tags are BIO, none of them breaks BIO. */
  readonly path: Int32Array;
  /** Probability of each tag at each token, T × K. */
  readonly posterior: Float64Array;
  /** Probability of the tag of each token. */
  readonly confidence: Float64Array;
  /** The spans of the path; none where tags are not BIO. */
  readonly spans: Spans;
  /** Share of each worker's tags that are those of the path; NaN without any. */
  readonly accuracy: Float64Array;
  /** F1 of each worker's spans against those of the path, on what the worker answered; NaN without spans. */
  readonly spanF1: Float64Array;
}

/** What the code of an aggregator of sequences returns. */
export interface Tagging extends Fitted {
  readonly path: Int32Array;
  readonly posterior: Float64Array;
  readonly confidence: Float64Array;
  /** Probability that a span begins where the path has one begin, then how the path goes on. */
  readonly begins: (span: Span) => number;
  readonly links: PathLinks;
}

/** A method for sequences: call it for the result, or walk its `steps` for progress. */
export type Tagger<Options extends OptionTable = OptionTable> = Method<
  SequenceData,
  Options,
  SequenceKnown,
  SequenceResult
>;

/** Answers by token, then by worker. */
export interface Frame {
  readonly T: number;
  readonly W: number;
  readonly K: number;
  readonly chains: Int32Array;
  /** Where the answers of each token begin, and the end. */
  readonly start: Int32Array;
  readonly worker: Int32Array;
  readonly label: Int32Array;
  /** The same worker's tag on the token before; K where there is none. */
  readonly before: Int32Array;
  readonly weight: Float64Array;
  readonly scheme: TagScheme | undefined;
  /** Known tags, none of them breaking BIO, or -1. */
  readonly gold: Int32Array | undefined;
}

/** Makes an aggregator of sequences: spans and worker quality follow from the path. */
export function tagger<const Options extends OptionTable>(
  card: Omit<MethodCard<Options>, "kind">,
  iterate: (frame: Frame, options: Values<Options>) => Steps<Tagging>,
): Tagger<Options> {
  return crowdMethod(
    { ...card, kind: "sequence" },
    function* (data: SequenceData, options: Values<Options>, known: SequenceKnown) {
      const frame = frameOf(data, known.gold);
      const { begins, links, ...fit } = yield* iterate(frame, options);
      const { tasks, classes, tokens } = data;
      return {
        ...fit,
        tasks,
        classes,
        tokens,
        spans: spansWith(frame, fit.path, begins, links),
        ...workerTagging(data, frame.scheme, fit.path),
      };
    },
  ) as Tagger<Options>;
}

/** Sorts answers by token and worker. */
function frameOf(data: SequenceData, gold?: Int32Array): Frame {
  const { worker, token, label, weight, tokens } = data;
  const K = data.classes.length;
  const [T, W] = [tokens.length, data.workers.length];
  const before = previousAnswers(data);
  const byWorker = countingSort(Int32Array.from(token.keys()), worker, W);
  const order = countingSort(byWorker, token, T);
  const start = new Int32Array(T + 1);
  for (const t of token) start[t + 1]++;
  for (let t = 0; t < T; t++) start[t + 1] += start[t];
  const scheme = schemeOf(data.classes);
  return {
    T,
    W,
    K,
    chains: tokens.chains,
    start,
    worker: order.map((i) => worker[i]),
    label: order.map((i) => label[i]),
    before: order.map((i) => (before[i] < 0 ? K : before[i])),
    weight: Float64Array.from(order, (i) => (weight ? weight[i] : 1)),
    scheme,
    gold: gold && repaired(scheme, gold, tokens.chains),
  };
}

/** Sorts rows by a column of small numbers; equal ones keep their order. */
function countingSort(rows: Int32Array, column: Int32Array, size: number): Int32Array {
  const next = new Int32Array(size + 1);
  for (const i of rows) next[column[i] + 1]++;
  for (let at = 0; at < size; at++) next[at + 1] += next[at];
  const sorted = new Int32Array(rows.length);
  for (const i of rows) sorted[next[column[i]]++] = i;
  return sorted;
}

/** Shares of the votes of each token; the same for all tags where nobody answered, certain where the tag is known. */
export function voteShares({ T, K, start, label, weight, gold }: Frame): Float64Array {
  const shares = new Float64Array(T * K);
  for (let t = 0; t < T; t++) {
    const own = shares.subarray(t * K, (t + 1) * K);
    if (gold && gold[t] >= 0) {
      own[gold[t]] = 1;
      continue;
    }
    let total = 0;
    for (let i = start[t]; i < start[t + 1]; i++) {
      own[label[i]] += weight[i];
      total += weight[i];
    }
    for (let c = 0; c < K; c++) own[c] = total > 0 ? own[c] / total : 1 / K;
  }
  return shares;
}

/** The spans of a path, with the probability of each. */
function spansWith(
  { scheme, chains, T }: Frame,
  path: Int32Array,
  begins: Tagging["begins"],
  { onward, longer }: PathLinks,
): Spans {
  const spans = scheme ? [...allSpans(scheme, path, chains)] : [];
  const first = new Uint8Array(T + 1);
  for (const t of chains) first[t] = 1;
  return {
    start: Int32Array.from(spans, ({ start }) => start),
    end: Int32Array.from(spans, ({ end }) => end),
    type: Int32Array.from(spans, ({ type }) => type),
    types: scheme?.types ?? [],
    probability: Float64Array.from(spans, (span) => {
      let probability = begins(span);
      for (let t = span.start + 1; t <= span.end; t++) probability *= onward[t];
      return first[span.end + 1] ? probability : probability * (1 - longer[span.end + 1]);
    }),
  };
}
