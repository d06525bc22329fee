/** Scores of sequences: against gold, and of a file of tags. */
import type { SequenceData } from "../data/sequence.ts";
import { sequenceFromColumns } from "../data/sequence-from-columns.ts";
import { evaluateTags, type ScoredTags } from "../evaluate/sequence.ts";
import type { GoldPair } from "../io/sink.ts";
import type { ReadPositions } from "../io/sinks/positions.ts";
import { rounded } from "../report/csv-files.ts";
import { count, percent } from "../report/text.ts";
import { numberFolds } from "./answers.ts";
import type { Scores } from "./kind.ts";

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
