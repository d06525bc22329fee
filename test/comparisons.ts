/** Comparisons that tests of rankers share: the worked example, and the split of the public sets. */
import { expect, it } from "vitest";
import { answerChances } from "../src/aggregate/pairwise/answering.ts";
import { bradleyTerry } from "../src/aggregate/pairwise/bradley-terry.ts";
import type { PairwiseResult } from "../src/aggregate/pairwise/ranker.ts";
import { type ComparisonRow, fromRows } from "../src/data/from-rows.ts";
import { LEFT, type PairwiseData, TIE } from "../src/data/pairwise.ts";
import { normal } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";
import { loadComparisons, withSet } from "./datasets.ts";
import { randomComparisons } from "./random-answers.ts";

/** Fixture P1 of the pairwise spec: judge, left, right, winner. */
export const fixture: ComparisonRow[] = [
  ["u", "a", "b", "a"],
  ["u", "b", "c", "b"],
  ["u", "a", "c", "a"],
  ["u", "c", "b", "c"],
  ["v", "a", "b", "a"],
  ["v", "c", "a", "a"],
  ["v", "b", "a", "b"],
  ["v", "b", "c", "tie"],
].map(([worker, left, right, label]) => ({ worker, left, right, label }));

export const fixtureData = () => fromRows(fixture, { kind: "pairwise" });

/** The rows of some numbers, in that order. */
function takeRows(data: PairwiseData, rows: readonly number[]): PairwiseData {
  const ints = (column: Int32Array) => Int32Array.from(rows, (i) => column[i]);
  const { weight } = data;
  return {
    ...data,
    task: ints(data.task),
    worker: ints(data.worker),
    left: ints(data.left),
    right: ints(data.right),
    label: ints(data.label),
    ...(weight && { weight: Float64Array.from(rows, (i) => weight[i]) }),
  };
}

/** Every fifth row is hidden. */
export function splitRows(data: PairwiseData): { shown: PairwiseData; hidden: PairwiseData } {
  const rows = Array.from(data.label.keys());
  return {
    shown: takeRows(
      data,
      rows.filter((i) => i % 5 !== 4),
    ),
    hidden: takeRows(
      data,
      rows.filter((i) => i % 5 === 4),
    ),
  };
}

/** The same comparisons with rows in another order. */
export function shuffled(data: PairwiseData, seed: number): PairwiseData {
  const random = createRandom(seed);
  const keys = Array.from(data.label, () => random.next());
  const order = Array.from(data.label.keys()).sort((a, b) => keys[a] - keys[b]);
  return takeRows(data, order);
}

/** The same comparisons with every left item on the right. */
export function turned(data: PairwiseData): PairwiseData {
  return {
    ...data,
    left: data.right,
    right: data.left,
    label: data.label.map((l) => (l === TIE ? TIE : 1 - l)),
  };
}

/** Share of decided comparisons that the better score won; equal scores count half. */
export function accuracyOf({ left, right, label }: PairwiseData, score: Float64Array): number {
  let [followed, all] = [0, 0];
  label.forEach((l, i) => {
    if (l === TIE) return;
    const lead = (score[left[i]] - score[right[i]]) * (l === LEFT ? 1 : -1);
    followed += Math.abs(lead) <= 1e-9 ? 0.5 : lead > 0 ? 1 : 0;
    all++;
  });
  return followed / all;
}

/** Mean of -log of the probability of each comparison; ties are left out unless asked for. */
export function logLoss(
  data: PairwiseData,
  probability: (i: number) => number,
  { ties = false } = {},
): number {
  const rows = Array.from(data.label.keys()).filter((i) => ties || data.label[i] !== TIE);
  return rows.reduce((sum, i) => sum - Math.log(probability(i)), 0) / rows.length;
}

/** A public set; in dots and puzzle, where the left item is always the better one, odd rows are turned. */
export function publicComparisons(name: string): PairwiseData {
  const sorted = name === "dots" || name === "puzzle";
  const file = name.startsWith("pair_") ? "comparisons.csv" : "labels.csv";
  const data = loadComparisons(name, file);
  if (!sorted) return data;
  const other = turned(data);
  const odd = (even: Int32Array, swapped: Int32Array) =>
    even.map((x, i) => (i % 2 === 0 ? x : swapped[i]));
  return {
    ...data,
    left: odd(data.left, other.left),
    right: odd(data.right, other.right),
    label: odd(data.label, other.label),
  };
}

/** One test per set: accuracy and log-loss of every fifth comparison, which the fit did not see. */
export function hiddenGates(
  ranked: (data: PairwiseData) => PairwiseResult,
  expected: Readonly<Record<string, readonly [accuracy: number, loss: number]>>,
  { ties = false } = {},
): void {
  for (const [name, [accuracy, loss]] of Object.entries(expected)) {
    withSet(name, `hidden comparisons: accuracy ${accuracy}, log-loss ${loss}`, () => {
      const { shown, hidden } = splitRows(publicComparisons(name));
      const result = ranked(shown);
      const decided = hidden.label.filter((l) => l !== TIE).length;
      expect(Math.abs(accuracyOf(hidden, result.score) - accuracy)).toBeLessThan(
        1 / decided + 5e-5,
      );
      const chance = (i: number) =>
        answerChances(result, hidden.left[i], hidden.right[i], hidden.worker[i])[hidden.label[i]];
      expect(Math.abs(logLoss(hidden, chance, { ties }) - loss)).toBeLessThan(0.0005 + 5e-5);
    });
  }
}

/** A judge: the probability to choose the left item, from the difference of the two scores. */
export type Judge = (lead: number) => number;

const byScores = (lead: number) => 1 / (1 + Math.exp(-lead));

/** Kinds of judges that simulations draw on. */
export const judgeKinds = {
  honest: byScores,
  random: () => 0.5,
  adversary: (lead: number) => 1 - byScores(lead),
  left: () => 0.9,
  /** Right about the item that would win with a probability of its own. */
  right: (eta: number) => (lead: number) => eta * byScores(lead) + (1 - eta) * (1 - byScores(lead)),
} as const;

/** Judges who compare random pairs; the gold is the true score. */
export function simulatedJudges(
  seed: number,
  judges: readonly Judge[],
  { items = 15, answers = 60, sd = 1 } = {},
): PairwiseData {
  const random = createRandom(seed).split("judges");
  const score = Array.from({ length: items }, () => sd * normal(random));
  const rows: ComparisonRow[] = [];
  for (const [u, judge] of judges.entries()) {
    for (let k = 0; k < answers; k++) {
      const a = Math.floor(random.next() * items);
      const b = (a + 1 + Math.floor(random.next() * (items - 1))) % items;
      const left = random.next() < judge(score[a] - score[b]);
      rows.push({
        worker: `w${u}`,
        left: `i${a}`,
        right: `i${b}`,
        label: `i${left ? a : b}`,
      });
    }
  }
  return fromRows(rows, { kind: "pairwise", gold: score.map((s, i) => [`i${i}`, s] as const) });
}

/**
 * The scores that infinitely many judges would give whose own tastes add to the true scores: tastes draw them towards
 * each other.
 */
export function crowdScores(score: ArrayLike<number>, tastes: number): Float64Array {
  const rows: ComparisonRow[] = [];
  const each = Array.from(score, (_, i) => i);
  for (const a of each) {
    for (const b of each.slice(0, a)) {
      let [wins, all] = [0, 0];
      for (let z = -6; z <= 6; z += 0.1) {
        const density = Math.exp((-z * z) / 2);
        wins += density / (1 + Math.exp(score[b] - score[a] - tastes * Math.SQRT2 * z));
        all += density;
      }
      const row = { worker: "all", left: `i${a}`, right: `i${b}` };
      rows.push({ ...row, label: `i${a}`, weight: wins / all });
      rows.push({ ...row, label: `i${b}`, weight: 1 - wins / all });
    }
  }
  const data = fromRows(rows, { kind: "pairwise" });
  const found = bradleyTerry(data, { penalty: 0 }).score;
  return Float64Array.from(each, (i) => found[data.items.indexOf(`i${i}`)]);
}

/** Properties that every ranker with judges has: asked of small crowds from a seed. */
export function judgeContract(ranked: (data: PairwiseData) => PairwiseResult): void {
  const data = randomComparisons(3, { comparisons: 60 });
  const close = (values: Iterable<number>, digits = 6) =>
    [...values].map((s) => expect.closeTo(s, digits));

  it("does not care about the order of rows", () => {
    const [one, other] = [ranked(data), ranked(shuffled(data, 1))];
    expect([...other.score]).toEqual(close(one.score));
    expect([...(other.reliability ?? [])]).toEqual(close(one.reliability ?? []));
  });

  it("takes a weight of 2 for the row twice", () => {
    const rows = Array.from(data.label.keys());
    const twice = rows.flatMap((i) => (i % 3 === 0 ? [i, i] : [i]));
    const weight = Float64Array.from(rows, (i) => (i % 3 === 0 ? 2 : 1));
    expect([...ranked({ ...data, weight }).score]).toEqual(
      close(ranked(takeRows(data, twice)).score),
    );
  });

  it("gives the same scores under other names", () => {
    const rows = Array.from(data.label.keys(), (i) => {
      const [left, right] = [data.left[i], data.right[i]].map((x) => `the ${data.items.at(x)}`);
      const worker = `judge ${data.workers.at(data.worker[i])}`;
      return { worker, left, right, label: [left, right, "tie"][data.label[i]] };
    });
    expect([...ranked(fromRows(rows, { kind: "pairwise" })).score]).toEqual(
      close(ranked(data).score),
    );
  });

  it("never lowers its objective", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { trace } = ranked(randomComparisons(seed, { ties: 0.2, scale: 2 }));
      trace.forEach((objective, i) => {
        expect(objective).toBeGreaterThanOrEqual((trace[i - 1] ?? -Infinity) - 1e-9);
      });
    }
  });

  it("copes with an item that always wins, ties alone, and parts", () => {
    const row = (worker: string, left: string, right: string, label: string) => ({
      worker,
      left,
      right,
      label,
    });
    const both = [row("u", "a", "b", "a"), row("u", "b", "a", "a")];
    const one = ranked(fromRows(both, { kind: "pairwise" }));
    expect(one.score[0]).toBeGreaterThan(one.score[1]);
    expect(one.notes.join()).toContain("only the penalty bounds");
    const ties = ranked(fromRows([row("u", "a", "b", "tie")], { kind: "pairwise" }));
    expect([...ties.score]).toEqual(close([0, 0]));
    const parts = [...fixture, row("w", "x", "y", "x"), row("z", "y", "x", "tie")];
    const { score, component, rank } = ranked(fromRows(parts, { kind: "pairwise" }));
    expect(score.every(Number.isFinite)).toBe(true);
    expect([...component]).toEqual([0, 0, 0, 1, 1]);
    expect([...rank].slice(3)).toEqual([1, 2]);
  });
}

/** Central differences. */
export function slopes(f: (x: Float64Array) => number, x: Float64Array, step = 1e-5): Float64Array {
  return x.map((_, i) => {
    const [up, down] = [x.slice(), x.slice()];
    up[i] += step;
    down[i] -= step;
    return (f(up) - f(down)) / (2 * step);
  });
}
