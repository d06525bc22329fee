/** How often triples of workers said what of the same tasks. */
import { byTask, type CategoricalData } from "../../../data/categorical.ts";
import { integer } from "../../../math/distributions.ts";
import { append } from "../../../math/lists.ts";
import type { Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import type { PairMoments } from "./moments.ts";

export interface TripleMoments {
  /** The three workers of triple i, in order: members[3 i], members[3 i + 1], members[3 i + 2]. */
  readonly members: Int32Array;
  /** Tasks that all three labelled. */
  readonly common: Float64Array;
  /** joint[((triple * L + first) * L + second) * L + third label]; each triple's L³ sum to 1. */
  readonly joint: Float64Array;
}

/**
 * All triples of workers of whom each two are a pair, or, where there are more than `each` for every
 * worker, that many drawn for each. O(labels of the three) per triple.
 */
export function* tripleMoments(
  data: CategoricalData,
  pairs: PairMoments,
  each: number,
  random: Random,
): Steps<TripleMoments> {
  const { given: L, workers: W } = pairs;
  const lists = labelsByTask(data);
  const members: number[] = [];
  const common: number[] = [];
  const joint: number[] = [];
  const chosen = allTriples(pairs, each * W) ?? drawTriples(pairs, each, random);
  for (const [i, triple] of chosen.entries()) {
    if (i % 10000 === 0) yield { iteration: i, objective: 0, stage: "triples of workers" };
    const counts = new Float64Array(L * L * L);
    const total = countTriple(lists, triple, L, counts);
    if (total === 0) continue;
    append(members, triple);
    common.push(total);
    for (const count of counts) joint.push(count / total);
  }
  return {
    members: Int32Array.from(members),
    common: Float64Array.from(common),
    joint: Float64Array.from(joint),
  };
}

type Triple = readonly [number, number, number];

/** Every triple, or undefined where there are more than `most`. */
function allTriples(pairs: PairMoments, most: number): Triple[] | undefined {
  const triples: Triple[] = [];
  for (let u = 0; u < pairs.workers; u++) {
    const later = partnersOf(pairs, u).filter((v) => v > u);
    for (const v of later) {
      const both = new Set(partnersOf(pairs, v));
      for (const w of later) if (w > v && both.has(w)) triples.push([u, v, w]);
      if (triples.length > most) return undefined;
    }
  }
  return triples;
}

/** Up to `each` triples with each worker, no triple twice. */
function drawTriples(pairs: PairMoments, each: number, random: Random): Triple[] {
  const W = pairs.workers;
  const sets = Array.from({ length: W }, (_, w) => new Set(partnersOf(pairs, w)));
  const chosen = new Map<number, Triple>();
  for (let u = 0; u < W; u++) {
    const partners = partnersOf(pairs, u);
    for (let draw = 0; partners.length > 1 && draw < each; draw++) {
      const v = partners[integer(random, partners.length)];
      const w = partners[integer(random, partners.length)];
      if (!sets[v].has(w)) continue;
      const [a, b, c] = [u, v, w].sort((x, y) => x - y);
      chosen.set((a * W + b) * W + c, [a, b, c]);
    }
  }
  return [...chosen.values()];
}

function partnersOf({ start, partner }: PairMoments, w: number): Int32Array {
  return partner.subarray(start[w], start[w + 1]);
}

interface TaskList {
  readonly task: number[];
  readonly label: number[];
  readonly weight: number[];
}

/** The labels of each worker, in the order of tasks. */
function labelsByTask(data: CategoricalData): TaskList[] {
  const lists = Array.from(data.workers, (): TaskList => ({ task: [], label: [], weight: [] }));
  const { start, other, label } = byTask(data);
  const weights = new Float64Array(data.label.length).fill(1);
  const next = start.slice();
  for (let i = 0; data.weight && i < data.task.length; i++) {
    weights[next[data.task[i]]++] = data.weight[i];
  }
  for (let t = 0; t < data.tasks.length; t++) {
    for (let i = start[t]; i < start[t + 1]; i++) {
      const list = lists[other[i]];
      list.task.push(t);
      list.label.push(label[i]);
      list.weight.push(weights[i]);
    }
  }
  return lists;
}

/** Adds up what the three said of their common tasks; returns how many those are. */
function countTriple(
  lists: readonly TaskList[],
  [u, v, w]: Triple,
  L: number,
  counts: Float64Array,
): number {
  const [a, b, c] = [lists[u], lists[v], lists[w]];
  let total = 0;
  let [i, j, k] = [0, 0, 0];
  while (i < a.task.length && j < b.task.length && k < c.task.length) {
    const t = Math.max(a.task[i], b.task[j], c.task[k]);
    while (a.task[i] < t) i++;
    while (b.task[j] < t) j++;
    while (c.task[k] < t) k++;
    if (a.task[i] !== t || b.task[j] !== t || c.task[k] !== t) continue;
    for (let x = i; a.task[x] === t; x++) {
      for (let y = j; b.task[y] === t; y++) {
        for (let z = k; c.task[z] === t; z++) {
          const weight = a.weight[x] * b.weight[y] * c.weight[z];
          counts[(a.label[x] * L + b.label[y]) * L + c.label[z]] += weight;
          total += weight;
        }
      }
    }
    while (a.task[i] === t) i++;
  }
  return total;
}
