/**
 * Workers who are copies of one another: they never disagree, and are too often wrong for that to be by merit.
 *
 *   agreement above chance   a[u][v] = (share of equal labels - 1 / K) / (1 - 1 / K) = s[u] s[v], if errors are independent
 *   skill of a worker        s[u]² = a[u][c] a[u][d] / a[c][d], the median over pairs of workers outside
 *
 * Two who are always right agree always, and others agree with both as often as these are right. Copies of somebody who errs
 * agree always too, but others agree with them less than with the truth. That takes three voices besides theirs.
 */

import { sampleTasks } from "../../belief/sample-tasks.ts";
import { byTask, type CategoricalData } from "../../data/categorical.ts";
import { createForest } from "../../math/forest.ts";
import { groupLists } from "./fused-groups.ts";
import { treatGroups } from "./treat-groups.ts";

/** Tasks that two must have in common, and answers among them that are not the most frequent one. */
const SHARED = 100;
const RARER = 30;
/** Tasks in common from which on two voices say something of a third. */
const FEW = 30;
/** Voices besides a group that say whether it may be right so often. */
const OTHERS = 3;
/** A group whose members should agree less often than this, and always do, are copies. */
const EXPECTED = 0.9;
/** More workers than this are not compared: those with the most labels are. */
const MOST = 1000;

/** The group of each worker, by the number of its first member, where copies are one; undefined if there are no copies. */
export function exactCopies(data: CategoricalData): Int32Array | undefined {
  const compared = busiest(data);
  const E = compared.length;
  if (E < 2 + OTHERS) return undefined;
  const { shared, equal, rarer } = comparisons(data, compared);
  const alike = (a: number, b: number) => shared[a * E + b] === equal[a * E + b];
  const { root, join } = createForest(E);
  const members = Array.from({ length: E }, (_, e) => [e]);
  for (let a = 0; a < E; a++) {
    for (let b = a + 1; b < E; b++) {
      const [from, to] = [root(a), root(b)];
      if (from === to || !alike(a, b)) continue;
      if (shared[a * E + b] < SHARED || rarer[a * E + b] < RARER) continue;
      if (!members[from].every((x) => members[to].every((y) => alike(x, y)))) continue;
      join(a, b);
      const both = [...members[from], ...members[to]];
      members[root(a)] = both;
    }
  }
  const voices = [...new Set(Array.from({ length: E }, (_, e) => root(e)))];
  const K = data.classes.length;
  const above = (a: number, b: number) => {
    const n = shared[a * E + b];
    return n < FEW ? undefined : (equal[a * E + b] / n - 1 / K) / (1 - 1 / K);
  };
  const groups = Int32Array.from(data.workers, (_, w) => w);
  let found = false;
  for (const voice of voices) {
    if (members[voice].length < 2) continue;
    const expected = expectedAgreement(voice, voices, above, K);
    if (expected === undefined || expected > EXPECTED) continue;
    const workers = members[voice].map((e) => compared[e]).sort((a, b) => a - b);
    for (const w of workers) groups[w] = workers[0];
    found = true;
  }
  return found ? groups : undefined;
}

/** How often two with the skill of this voice would agree if they erred independently, as the others show it. */
function expectedAgreement(
  voice: number,
  voices: readonly number[],
  above: (a: number, b: number) => number | undefined,
  K: number,
): number | undefined {
  const others = voices.filter((v) => v !== voice && above(voice, v) !== undefined).slice(0, 50);
  const squares: number[] = [];
  others.forEach((c, i) => {
    for (const d of others.slice(i + 1)) {
      const between = above(c, d) ?? 0;
      const [toC, toD] = [above(voice, c) ?? 0, above(voice, d) ?? 0];
      if (between > 0) squares.push(Math.max(0, Math.min(1, (toC * toD) / between)));
    }
  });
  if (others.length < OTHERS || squares.length < OTHERS) return undefined;
  const middle = squares.sort((a, b) => a - b)[squares.length >> 1];
  return 1 / K + (1 - 1 / K) * middle;
}

/** More labels than this are compared on a sample of whole tasks. */
const SAMPLE = 100_000;

/** The copies that a result has merged, else those that the labels show. */
export const copiesOf = (data: CategoricalData, result: object): Int32Array | undefined =>
  mergedIn(result) ?? findCopies(data);

/** Exact copies, of many labels on a sample. */
export const findCopies = (data: CategoricalData): Int32Array | undefined =>
  exactCopies(sampleTasks(data, {}, SAMPLE, 0).data);

/** The copies that count for one worker in a result. */
export const mergedIn = (result: object): Int32Array | undefined =>
  (result as { readonly copies?: Int32Array }).copies;

/** The labels with one per task of each group of copies, all said by the first of them. */
export function oneVoiceEach(
  data: CategoricalData,
  copies: Int32Array | undefined,
): CategoricalData {
  if (!copies) return data;
  const kept = treatGroups(data, groupLists(copies), "one");
  return { ...kept, worker: kept.worker.map((w) => copies[w]) };
}

/** What was found of each worker's labels, for copies that of the one who speaks for them; `size` numbers per worker. */
export function asSpokenFor(values: Float64Array, copies: Int32Array, size = 1): Float64Array {
  const each = values.slice();
  copies.forEach((voice, w) => {
    each.copyWithin(w * size, voice * size, (voice + 1) * size);
  });
  return each;
}

/** The workers who could have enough tasks in common, those with the most labels first. */
function busiest({ worker, workers }: CategoricalData): readonly number[] {
  const load = new Int32Array(workers.length);
  for (const w of worker) load[w]++;
  return [...load.keys()]
    .filter((w) => load[w] >= FEW)
    .sort((a, b) => load[b] - load[a] || a - b)
    .slice(0, MOST);
}

/** Of each pair: tasks in common, equal labels, and equal ones that are not the most frequent label. */
function comparisons(data: CategoricalData, compared: readonly number[]) {
  const E = compared.length;
  const place = new Int32Array(data.workers.length).fill(-1);
  compared.forEach((w, e) => {
    place[w] = e;
  });
  const counts = new Int32Array(data.classes.length + 1);
  for (const l of data.label) counts[l]++;
  const common = counts.indexOf(counts.reduce((a, b) => Math.max(a, b)));
  const [shared, equal, rarer] = [0, 1, 2].map(() => new Int32Array(E * E));
  const { start, other, label } = byTask(data);
  for (let t = 0; t < data.tasks.length; t++) {
    for (let i = start[t]; i < start[t + 1]; i++) {
      const a = place[other[i]];
      if (a < 0) continue;
      for (let j = start[t]; j < start[t + 1]; j++) {
        const b = place[other[j]];
        if (b < 0) continue;
        shared[a * E + b]++;
        if (label[i] !== label[j]) continue;
        equal[a * E + b]++;
        if (label[i] !== common) rarer[a * E + b]++;
      }
    }
  }
  return { shared, equal, rarer };
}
