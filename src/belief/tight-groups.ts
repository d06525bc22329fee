/**
 * Groups of workers who agree with each other more than with everybody else, however few tasks each pair has in common.
 *
 *   p[u, v]    = m[u] m[v] / m     m[u] how often u agrees with anybody, m how often any two agree
 *   gain(S)    = A log(A / E) + (N − A) log((N − A) / (N − E))
 *
 * with A agreements on N common tasks of the pairs within S, where E = Σ N p were expected: the evidence for one rate of
 * agreement within S. A group grows from the pair with most evidence by the worker who adds most, as long as that is more
 * than the best of so many workers would add by chance. Its members are set aside, and the next group grows.
 *
 * Good workers of a bad crowd agree as well, so these are proposals: whether workers err together is decided by
 * likelihood (`em/find-groups.ts`).
 */
import type { CategoricalData } from "../data/categorical.ts";
import { comparable, numberGroups, visitPairs } from "./worker-groups.ts";

/** Pairs from which a group is grown; the best group is kept. */
const SEEDS = 30;

/** Returns the group of each worker by number, with at most `most` groups of two workers or more; the others are alone. */
export function tightGroups(data: CategoricalData, most: number): Int32Array {
  const { order } = comparable(data);
  const pairs = countPairs(data, order);
  const groups = new Int32Array(data.workers.length).fill(-1);
  const free = new Uint8Array(order.length).fill(1);
  for (let group = 0; group < most; group++) {
    const members = tightest(pairs, free);
    if (members.length < 2) break;
    for (const i of members) {
      free[i] = 0;
      groups[order[i]] = group;
    }
  }
  return numberGroups(groups);
}

/** Counts of pairs, n × n: common tasks, agreements, and agreements expected. */
interface Pairs {
  readonly n: number;
  readonly common: Float64Array;
  readonly agreed: Float64Array;
  readonly expected: Float64Array;
}

function countPairs(data: CategoricalData, order: Int32Array): Pairs {
  const n = order.length;
  const [common, agreed] = [new Float64Array(n * n), new Float64Array(n * n)];
  const [tasks, same] = [new Float64Array(n), new Float64Array(n)];
  let [allTasks, allSame] = [0, 0];
  visitPairs(data, order, (i, j, counts) => {
    for (const [a, b] of [
      [i, j],
      [j, i],
    ]) {
      common[a * n + b] = counts.common;
      agreed[a * n + b] = counts.agreed;
      tasks[a] += counts.common;
      same[a] += counts.agreed;
    }
    allTasks += counts.common;
    allSame += counts.agreed;
  });
  const mean = allSame / Math.max(1, allTasks);
  const rate = same.map((x, i) => x / Math.max(1, tasks[i]));
  const expected = common.map((x, at) => {
    const p = (rate[Math.floor(at / n)] * rate[at % n]) / Math.max(1e-9, mean);
    return x * Math.min(0.98, Math.max(0.02, p));
  });
  return { n, common, agreed, expected };
}

/** Evidence in nats that pairs agree more often than expected, by one rate. */
function gain(agreed: number, common: number, expected: number): number {
  if (!(agreed > expected)) return 0;
  const apart = common - agreed;
  const rest = apart > 1e-9 ? apart * Math.log(apart / (common - expected)) : 0;
  return agreed * Math.log(agreed / expected) + rest;
}

/** The members of the group with most evidence, of the workers who are free; none if it could be chance. */
function tightest(pairs: Pairs, free: Uint8Array): number[] {
  const { n, common, agreed, expected } = pairs;
  const seeds: { readonly at: number; readonly gain: number }[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i && free[i]; j++) {
      const at = i * n + j;
      const found = free[j] ? gain(agreed[at], common[at], expected[at]) : 0;
      if (found > (seeds.at(-1)?.gain ?? 0) || (found > 0 && seeds.length < SEEDS)) {
        seeds.push({ at, gain: found });
        seeds.sort((a, b) => b.gain - a.gain);
        if (seeds.length > SEEDS) seeds.pop();
      }
    }
  }
  let best: { readonly members: number[]; readonly worth: number } = { members: [], worth: 0 };
  for (const { at } of seeds) {
    const grown = grow(pairs, free, [Math.floor(at / n), at % n]);
    if (grown.worth > best.worth) best = grown;
  }
  return best.members;
}

/** Adds the worker who adds most evidence, while that is more than chance; worth is what is left after paying for the choice. */
function grow(
  { n, common, agreed, expected }: Pairs,
  free: Uint8Array,
  seed: readonly [number, number],
): { members: number[]; worth: number } {
  const inside = new Uint8Array(n);
  // What each worker has in common with the members.
  const sums = [common, agreed, expected].map((table) => ({
    table,
    with: new Float64Array(n),
    all: 0,
  }));
  const [N, A, E] = sums;
  const members: number[] = [];
  const add = (i: number) => {
    for (const sum of sums) {
      sum.all += sum.with[i];
      for (let j = 0; j < n; j++) sum.with[j] += sum.table[i * n + j];
    }
    inside[i] = 1;
    members.push(i);
  };
  for (const i of seed) add(i);
  const price = Math.log(n) + 1;
  let evidence = gain(A.all, N.all, E.all);
  for (;;) {
    let [next, most] = [-1, evidence + price];
    for (let i = 0; i < n; i++) {
      if (!free[i] || inside[i]) continue;
      const found = gain(A.all + A.with[i], N.all + N.with[i], E.all + E.with[i]);
      if (found > most) [next, most] = [i, found];
    }
    if (next < 0) return { members, worth: evidence - members.length * price };
    add(next);
    evidence = most;
  }
}
