/**
 * Workers who mark spans in sentences, as BIO tags. Of every true span a worker may miss it, move one of its ends by a word, or give it another
 * type; a span may also be invented at any word. Some do one of these far more often than others, and some mark
 * spans without reading.
 */
import { namesOf } from "../data/names.ts";
import type { SequenceData, Tokens } from "../data/sequence.ts";
import { integer } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import { answerScenario, cast, numbered, roleCount } from "./answers.ts";
import { assign, assignmentOptions } from "./assignment.ts";

const TYPES = ["PER", "LOC", "ORG", "MISC", "DATE", "TITLE"];

/** A span within a sentence: words from `start` to before `end`. */
interface Marked {
  readonly start: number;
  readonly end: number;
  readonly type: number;
}

/** Probabilities of the mistakes of a worker. */
interface Mistakes {
  readonly miss: number;
  readonly shift: number;
  readonly confuse: number;
  readonly invent: number;
}

/** By how much the ends of a span may move. */
const moves = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const;

const often = 0.5;
const mistakes: Readonly<Record<string, Mistakes>> = {
  careful: { miss: 0.1, shift: 0.05, confuse: 0.05, invent: 0.01 },
  "misses spans": { miss: often, shift: 0.05, confuse: 0.05, invent: 0.01 },
  "shifts ends": { miss: 0.1, shift: often, confuse: 0.05, invent: 0.01 },
  "confuses types": { miss: 0.1, shift: 0.05, confuse: often, invent: 0.01 },
  guesser: { miss: 1, shift: 0, confuse: 0, invent: 0.15 },
};

/** Sequences of BIO tags: careful workers, and workers who miss spans, shift their ends, confuse types or guess. */
export const taggersCrowd = answerScenario(
  {
    id: "taggers",
    kind: "sequence",
    title: "Workers who mark spans",
    summary: "Tags of words: some workers miss spans, shift their ends, confuse types, or guess.",
    options: {
      ...assignmentOptions,
      tasks: { ...assignmentOptions.tasks, default: 200, help: "Number of sentences." },
      workers: { ...assignmentOptions.workers, default: 16, max: 1_000_000 },
      labelsPerTask: {
        ...assignmentOptions.labelsPerTask,
        default: 4,
        help: "Number of workers per sentence; 0 means that every worker tags every sentence.",
      },
      shortest: { default: 6, min: 1, max: 10_000, integer: true, help: "Words at least." },
      longest: { default: 16, min: 1, max: 10_000, integer: true, help: "Words at most." },
      types: {
        default: 2,
        min: 1,
        max: TYPES.length,
        integer: true,
        help: "Number of types of spans.",
      },
      density: {
        default: 0.15,
        min: 0,
        max: 1,
        help: "Probability that a span of one to three words begins at a word outside spans.",
      },
      missing: roleCount(3, "Number of workers who miss half of the spans."),
      shifting: roleCount(3, "Number of workers who shift an end of half of the spans."),
      confusing: roleCount(2, "Number of workers who give half of the spans another type."),
      guessers: roleCount(2, "Number of workers who mark spans without reading."),
    },
    answers: ({ tasks, labelsPerTask, workers, longest }) =>
      tasks * longest * (labelsPerTask || workers),
  },
  (options, random) => {
    const { tasks: T, workers: W, types: K } = options;
    const roles = cast("taggers", W, "careful", {
      "misses spans": options.missing,
      "shifts ends": options.shifting,
      "confuses types": options.confusing,
      guesser: options.guessers,
    });
    const shape = random.split("sentences");
    const range = Math.max(1, options.longest - options.shortest + 1);
    const lengths = Int32Array.from({ length: T }, () => options.shortest + integer(shape, range));
    const tokens = tokensOf(lengths);
    const truth = Array.from(lengths, (n) => spansIn(n, options.density, K, shape));
    const places = assign({ ...options, testTasks: 0 }, random.split("assignment"));
    const draws = random.split("tags");
    const [task, worker, token, label]: number[][] = [[], [], [], []];
    for (let t = 0; t < T; t++) {
      for (let i = places.start[t]; i < places.start[t + 1]; i++) {
        const w = places.worker[i];
        const seen = marked(truth[t], mistakes[roles[w]], lengths[t], K, draws);
        tagsOf(seen, lengths[t], K).forEach((tag, at) => {
          task.push(t);
          worker.push(w);
          token.push(tokens.chains[t] + at);
          label.push(tag);
        });
      }
    }
    const gold = new Int32Array(tokens.length);
    truth.forEach((spans, t) => {
      gold.set(tagsOf(spans, lengths[t], K), tokens.chains[t]);
    });
    const names = TYPES.slice(0, K);
    const data: SequenceData = {
      kind: "sequence",
      tasks: namesOf(numbered("t", T)),
      workers: namesOf(numbered("w", W)),
      classes: namesOf([...names.flatMap((type) => [`B-${type}`, `I-${type}`]), "O"]),
      task: Int32Array.from(task),
      worker: Int32Array.from(worker),
      token: Int32Array.from(token),
      label: Int32Array.from(label),
      tokens,
      gold,
      notes: [],
    };
    const fact = (name: keyof Mistakes) => Float64Array.from(roles, (role) => mistakes[role][name]);
    return {
      data,
      roles,
      facts: {
        miss: fact("miss"),
        shift: fact("shift"),
        confuse: fact("confuse"),
        invent: fact("invent"),
      },
    };
  },
);

/** The words of all sentences, one chain per sentence. */
function tokensOf(lengths: Int32Array): Tokens {
  const chains = new Int32Array(lengths.length + 1);
  lengths.forEach((n, t) => {
    chains[t + 1] = chains[t] + n;
  });
  const length = chains[lengths.length];
  const [task, position] = [new Int32Array(length), new Int32Array(length)];
  lengths.forEach((n, t) => {
    for (let at = 0; at < n; at++) {
      task[chains[t] + at] = t;
      position[chains[t] + at] = at;
    }
  });
  return { length, task, position, chains };
}

/** Spans of one to three words that begin by chance. */
function spansIn(words: number, density: number, K: number, random: Random): Marked[] {
  const spans: Marked[] = [];
  for (let start = 0; start < words; start++) {
    if (random.next() >= density) continue;
    const end = Math.min(words, start + 1 + integer(random, 3));
    spans.push({ start, end, type: integer(random, K) });
    start = end - 1;
  }
  return spans;
}

/** The spans as a worker sees them; of two that overlap the later one gives way. */
function marked(
  truth: readonly Marked[],
  { miss, shift, confuse, invent }: Mistakes,
  words: number,
  K: number,
  random: Random,
): readonly Marked[] {
  const seen: Marked[] = spansIn(words, invent, K, random);
  const invented = seen.length;
  for (const { start, end, type } of truth) {
    const [missed, shifted, confused] = [miss, shift, confuse].map((p) => random.next() < p);
    const [before, after] = shifted ? moves[integer(random, moves.length)] : [0, 0];
    const other = K > 1 ? (type + 1 + integer(random, K - 1)) % K : type;
    if (missed) continue;
    const span = {
      start: Math.max(0, start + before),
      end: Math.min(words, end + after),
      type: confused ? other : type,
    };
    if (span.end > span.start) seen.push(span);
  }
  // What was there to be seen comes first, so that nothing invented hides it.
  return [...seen.slice(invented), ...seen.slice(0, invented)];
}

/** The tags of spans: B and I by type, and the last tag outside; what is taken already stays. */
function tagsOf(spans: readonly Marked[], words: number, K: number): Int32Array {
  const tags = new Int32Array(words).fill(2 * K);
  for (const { start, end, type } of spans) {
    if (tags.subarray(start, end).some((tag) => tag !== 2 * K)) continue;
    tags.fill(2 * type + 1, start, end);
    tags[start] = 2 * type;
  }
  return tags;
}
