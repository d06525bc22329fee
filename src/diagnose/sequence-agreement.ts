/**
 * Agreement on sequences: how many spans two workers share, and Krippendorff's alpha of their tags.
 *
 * Of spans: F1 = 2 · same / (spans of one + spans of the other) over what both answered; kappa is not defined for
 * spans, since nothing counts as a span that neither saw. `pooled` sums over pairs, `mean` averages pairs with a span.
 */

import { type SequenceData, schemeOf, spansOf } from "../data/sequence.ts";
import { matchSpans, type Stretch, stretchesOf } from "../data/span-match.ts";
import { createRandom } from "../math/random.ts";
import { quantile } from "../math/statistics.ts";

/** How much workers agree. */
export interface SequenceAgreement {
  /** Span F1 of pairs of workers; NaN where no two workers share a span, or tags are not BIO. */
  readonly pooled: number;
  readonly mean: number;
  /** Pairs of workers who share tokens and have a span there. */
  readonly pairs: number;
  /** Krippendorff's alpha of tags, token by token, with a 95 % bootstrap interval over tasks. */
  readonly alpha: { readonly value: number; readonly low: number; readonly high: number };
}

/** Measures how much workers agree on spans and on tags. */
export function sequenceAgreement(
  data: SequenceData,
  { seed = 0, draws = 500 }: { readonly seed?: number; readonly draws?: number } = {},
): SequenceAgreement {
  return { ...spanAgreement(data), alpha: tokenAlpha(data, seed, draws) };
}

type Tagged = Stretch & { readonly tags: Int32Array };

function spanAgreement(data: SequenceData): Omit<SequenceAgreement, "alpha"> {
  const scheme = schemeOf(data.classes);
  const byTask = new Map<number, Tagged[]>();
  const tags = new Int32Array(data.tokens.length);
  for (const stretch of scheme ? stretchesOf(data, tags) : []) {
    const list = byTask.get(stretch.task) ?? [];
    list.push({ ...stretch, tags: tags.slice(stretch.from, stretch.to) });
    byTask.set(stretch.task, list);
  }
  const W = data.workers.length;
  const pairs = new Map<number, [same: number, spans: number]>();
  for (const list of byTask.values()) {
    for (const [at, a] of list.entries()) {
      for (const b of list.slice(0, at)) {
        const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
        if (!scheme || a.worker === b.worker || from >= to) continue;
        const spans = (one: Tagged) => [
          ...spansOf(scheme, one.tags.subarray(from - one.from, to - one.from), 0, to - from),
        ];
        const { matches, given, wanted } = matchSpans(spans(a), spans(b));
        const key = Math.min(a.worker, b.worker) * W + Math.max(a.worker, b.worker);
        const pair = pairs.get(key) ?? [0, 0];
        pairs.set(key, [pair[0] + matches, pair[1] + given + wanted]);
      }
    }
  }
  const spanned = [...pairs.values()].filter(([, spans]) => spans > 0);
  const sum = (of: (pair: [number, number]) => number) =>
    spanned.reduce((total, pair) => total + of(pair), 0);
  return {
    pooled: (2 * sum(([same]) => same)) / sum(([, spans]) => spans),
    mean: sum(([same, spans]) => (2 * same) / spans) / spanned.length,
    pairs: spanned.length,
  };
}

/** What the tokens of one task add: disagreement within tokens, and how often each tag was given. */
interface Unit {
  disagreement: number;
  readonly counts: Float64Array;
}

function tokenAlpha(data: SequenceData, seed: number, draws: number): SequenceAgreement["alpha"] {
  const units = unitsOf(data).filter(({ counts }) => counts.some((n) => n > 0));
  const value = alphaOf(units);
  if (Number.isNaN(value) || units.length < 2) return { value, low: Number.NaN, high: Number.NaN };
  const random = createRandom(seed).split("alpha");
  const drawn = Float64Array.from({ length: draws }, () =>
    alphaOf(units.map(() => units[Math.floor(random.next() * units.length)])),
  ).filter((x) => !Number.isNaN(x));
  drawn.sort();
  return { value, low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

function unitsOf({ tasks, tokens, classes, token, label }: SequenceData): Unit[] {
  const K = classes.length;
  const counts = new Float64Array(tokens.length * K);
  for (let i = 0; i < label.length; i++) counts[token[i] * K + label[i]]++;
  const units = Array.from(tasks, (): Unit => ({ disagreement: 0, counts: new Float64Array(K) }));
  for (let t = 0; t < tokens.length; t++) {
    const own = counts.subarray(t * K, (t + 1) * K);
    let [n, squares] = [0, 0];
    for (let c = 0; c < K; c++) {
      n += own[c];
      squares += own[c] * own[c];
    }
    if (n < 2) continue;
    const unit = units[tokens.task[t]];
    unit.disagreement += (n * n - squares) / (n - 1);
    for (let c = 0; c < K; c++) unit.counts[c] += own[c];
  }
  return units;
}

function alphaOf(units: readonly Unit[]): number {
  const K = units[0]?.counts.length ?? 0;
  const counts = new Float64Array(K);
  let [observed, n, squares] = [0, 0, 0];
  for (const unit of units) {
    observed += unit.disagreement;
    for (let c = 0; c < K; c++) counts[c] += unit.counts[c];
  }
  for (const count of counts) {
    n += count;
    squares += count * count;
  }
  return 1 - observed / ((n * n - squares) / (n - 1));
}
