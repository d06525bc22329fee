/** Scores of sequences: against gold, of a file of tags, and of answers that were hidden. */
import type { SequenceResult } from "../aggregate/sequence/tagger.ts";
import type { SequenceData } from "../data/sequence.ts";
import { sequenceFromColumns } from "../data/sequence-from-columns.ts";
import { evaluateTags, type ScoredTags } from "../evaluate/sequence.ts";
import type { GoldPair } from "../io/sink.ts";
import type { ReadPositions } from "../io/sinks/positions.ts";
import { rounded } from "../report/csv-files.ts";
import { count, percent } from "../report/text.ts";
import { heldOutFolds, numberFolds } from "./answers.ts";
import type { KindMethod, Scores } from "./kind.ts";

/** Splits the tasks with gold into parts that take turns in being scored. */
export function foldsOfTasks({ tasks, gold, tokens }: SequenceData): ReadonlySet<number>[] {
  const known = new Float64Array(tasks.length).fill(Number.NaN);
  gold.forEach((k, t) => {
    if (k >= 0) known[tokens.task[t]] = 1;
  });
  return numberFolds(known).map((fold) => new Set(fold));
}

/** The scores of tags against gold. */
export function tagScores(scored: ScoredTags): Scores {
  const metrics = evaluateTags(scored);
  const { tasks, tokens, tokenAccuracy, spans, precision, recall, f1, credits } = metrics;
  const spanned = !Number.isNaN(f1.value);
  const ends = ({ low, high }: { low: number; high: number }) =>
    Number.isNaN(low) ? "" : `  [${low.toFixed(4)}, ${high.toFixed(4)}]`;
  const rounding = ({ value, low, high }: typeof f1) => ({
    value: number(value),
    low: number(low),
    high: number(high),
  });
  const lines: [string, string][] = [
    ["gold tasks", String(tasks)],
    ["gold tokens", String(tokens)],
    ...(spanned
      ? ([
          ["precision", precision.toFixed(4)],
          ["recall", recall.toFixed(4)],
          ["span F1", `${f1.value.toFixed(4)}${ends(f1)}`],
        ] as [string, string][])
      : []),
    ["token accuracy", `${tokenAccuracy.value.toFixed(4)}${ends(tokenAccuracy)}`],
  ];
  const share = ({ value, low, high }: typeof f1) =>
    Number.isNaN(low) ? percent(value) : `${percent(value)} [${percent(low)}, ${percent(high)}]`;
  return {
    line:
      (spanned ? `Span F1 ${share(f1)}, ` : "") +
      `${share(tokenAccuracy)} of ${count(tokens, "token")} right, on ${count(tasks, "gold task")}.`,
    values: {
      span_f1: f1.value,
      precision,
      recall,
      token_accuracy: tokenAccuracy.value,
    },
    credits,
    document: {
      tasks,
      tokens,
      spans,
      precision: number(precision),
      recall: number(recall),
      spanF1: rounding(f1),
      tokenAccuracy: rounding(tokenAccuracy),
    },
    table: `${lines.map(([name, value]) => `${name.padEnd(20)}${value}`).join("\n")}\n`,
    details: metrics,
  };
}

const number = (x: number) => (Number.isNaN(x) ? null : rounded(x));

/** Scores tags that a file holds. */
export function scoreReadTags(
  answers: unknown,
  gold: readonly GoldPair[],
  _goldName: string,
): { readonly scores: Scores; readonly notes: readonly string[] } {
  const { tasks, positions, labels } = answers as ReadPositions;
  const [names, tags] = [interned(tasks), interned(labels)];
  const data = sequenceFromColumns(
    {
      tasks: names.names,
      task: names.code,
      workers: ["answers"],
      worker: new Int32Array(tasks.length),
      position: positions,
      labels: tags.names,
      label: tags.code,
    },
    {
      repeats: "error",
      gold: gold.map(([task, tag, position]) => [task, String(tag), position ?? 0] as const),
    },
  );
  const path = new Int32Array(data.tokens.length);
  data.token.forEach((t, i) => {
    path[t] = data.label[i];
  });
  return {
    scores: tagScores({ classes: data.classes, tokens: data.tokens, path, gold: data.gold }),
    notes: data.notes.filter((note) => note.includes("gold")),
  };
}

/** Different texts in order of first appearance, and the number of each. */
function interned(texts: readonly string[]): { names: string[]; code: Int32Array } {
  const numbers = new Map<string, number>();
  const code = Int32Array.from(texts, (text) => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  });
  return { names: [...numbers.keys()], code };
}

/** What all workers have in common counts for so many answers of one worker. */
const SHARED = 5;

/**
 * Hides all that a worker said of a task, for some pairs of worker and task at a time: the mean log-probability
 * of these tags under the posterior without them, and under the rates of the worker's other answers against that posterior.
 */
export function heldOutTags(
  method: KindMethod<SequenceData, SequenceResult>,
  options: object,
  data: SequenceData,
  known: object,
  { folds, seed }: { readonly folds: number; readonly seed: number },
) {
  const W = data.workers.length;
  const pairs = interned(Array.from(data.task, (t, i) => String(t * W + data.worker[i])));
  const first = Float64Array.from(pairs.names, Number);
  const units = {
    ...data,
    task: Int32Array.from(first, (key) => Math.floor(key / W)),
    worker: Int32Array.from(first, (key) => key % W),
  };
  return heldOutFolds(units, folds, seed, function* (shown, hidden) {
    const kept = new Uint8Array(first.length);
    for (const pair of shown) kept[pair] = 1;
    const part = selectRows(data, (i) => kept[pairs.code[i]] === 1);
    const { posterior } = yield* method.steps(part, options, known);
    const rates = tagRates(part, posterior);
    const [sum, tags] = [new Float64Array(first.length), new Int32Array(first.length)];
    data.label.forEach((_, i) => {
      if (kept[pairs.code[i]]) return;
      sum[pairs.code[i]] += logProbability(data, posterior, rates, i);
      tags[pairs.code[i]]++;
    });
    return Array.from(hidden, (pair) => sum[pair] / tags[pair]);
  });
}

function selectRows(data: SequenceData, keep: (i: number) => boolean): SequenceData {
  const rows = Int32Array.from(data.label.keys()).filter(keep);
  return {
    ...data,
    task: rows.map((i) => data.task[i]),
    worker: rows.map((i) => data.worker[i]),
    token: rows.map((i) => data.token[i]),
    label: rows.map((i) => data.label[i]),
    ...(data.weight && { weight: Float64Array.from(rows, (i) => data.weight?.[i] ?? 1) }),
  };
}

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
