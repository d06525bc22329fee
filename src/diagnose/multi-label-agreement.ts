/**
 * Agreement on sets of labels: Krippendorff's alpha with a distance between sets, and label by label.
 *
 * The distance is that of MASI: 1 - Jaccard's overlap times how the sets lie to each other, 1 if they are equal, 2/3 if one
 * holds the other, 1/3 if they only share labels, 0 if they share none. Label by label, alpha is that of chosen or not.
 *
 * Passonneau (2006), LREC, 831–836. https://aclanthology.org/L06-1392/
 */
import {
  distinctSets,
  jaccard,
  type MultiLabelData,
  setsOf,
  sharedLabels,
} from "../data/multi-label.ts";
import { createRandom } from "../math/random.ts";
import { type Coefficient, estimate, type Measured, NO_PAIRS } from "./coefficient.ts";

/** How much workers agree on sets of labels. */
export interface MultiLabelAgreement {
  /** Krippendorff's alpha of whole sets, with MASI's distance. */
  readonly alpha: Coefficient;
  /** Krippendorff's alpha of each label, chosen or not; NaN where all answers are the same. */
  readonly labels: Float64Array;
  /** Mean of those that are defined. */
  readonly mean: number;
  /** Share of pairs of answers to a task that are exactly the same set. */
  readonly same: number;
}

/** How far apart two sets are, by MASI: 0 if equal, 1 if they share nothing. */
export function masi(a: Int32Array, b: Int32Array): number {
  const shared = sharedLabels(a, b);
  if (shared === a.length && shared === b.length) return 0;
  if (shared === 0) return 1;
  const within = shared === a.length || shared === b.length ? 2 / 3 : 1 / 3;
  return 1 - jaccard(a, b) * within;
}

/** More different sets than this are compared with so many answers drawn at random. */
const DRAWN = 2000;

/** Measures how much workers agree. */
export function multiLabelAgreement(
  data: MultiLabelData,
  { seed = 0 }: { readonly seed?: number } = {},
): MultiLabelAgreement {
  const labels = labelAlphas(data);
  const defined = labels.filter((alpha) => !Number.isNaN(alpha));
  return {
    ...setAlpha(data, seed),
    labels,
    mean: defined.reduce((sum, alpha) => sum + alpha, 0) / defined.length,
  };
}

/** The answers of each task, as numbers of different sets. */
function answersByTask({ tasks, task }: MultiLabelData, of: Int32Array): number[][] {
  const lists: number[][] = Array.from(tasks, () => []);
  task.forEach((t, i) => {
    lists[t].push(of[i]);
  });
  return lists.filter((list) => list.length > 1);
}

function setAlpha(data: MultiLabelData, seed: number): Pick<MultiLabelAgreement, "alpha" | "same"> {
  const { sets, of } = distinctSets(setsOf(data));
  const units = answersByTask(data, of);
  const within = Float64Array.from(units, (list) => {
    let sum = 0;
    list.forEach((a, i) => {
      for (let j = 0; j < i; j++) sum += 2 * masi(sets[a], sets[list[j]]);
    });
    return sum / (list.length - 1);
  });
  let [pairs, same] = [0, 0];
  for (const list of units) {
    const counts = new Map<number, number>();
    for (const a of list) counts.set(a, (counts.get(a) ?? 0) + 1);
    pairs += list.length * (list.length - 1);
    for (const n of counts.values()) same += n * (n - 1);
  }
  const far = distancesTo(sets, units, seed);
  const table = {
    labels: Int32Array.from(units, (list) => list.length),
    tasks: new Int32Array(units.length).fill(1),
  };
  const measure = (weight: ArrayLike<number>, influence?: Float64Array) =>
    alphaOf(units, within, far(weight), weight, influence);
  return {
    alpha: estimate(table, { fewest: 2, lowest: -1, measure }, { seed, interval: "linearised" }),
    same: same / pairs,
  };
}

/** Returns the sum of distances of each set to all answers, under weights of tasks; of many sets, to answers drawn. */
function distancesTo(sets: readonly Int32Array[], units: readonly number[][], seed: number) {
  const random = createRandom(seed).split("sets");
  const all = units.flat();
  const drawn =
    sets.length <= DRAWN
      ? undefined
      : Array.from({ length: DRAWN }, () => all[Math.floor(random.next() * all.length)]);
  return (weight: ArrayLike<number>): Float64Array => {
    const counts = new Float64Array(sets.length);
    let n = 0;
    units.forEach((list, t) => {
      n += weight[t] * list.length;
      if (!drawn) for (const a of list) counts[a] += weight[t];
    });
    for (const a of drawn ?? []) counts[a] += n / DRAWN;
    const met = Array.from(counts.keys()).filter((a) => counts[a] > 0);
    return Float64Array.from(sets, (set) =>
      met.reduce((sum, b) => sum + counts[b] * masi(set, sets[b]), 0),
    );
  };
}

function alphaOf(
  units: readonly number[][],
  within: Float64Array,
  far: Float64Array,
  weight: ArrayLike<number>,
  influence: Float64Array | undefined,
): Measured {
  let [n, observed, between] = [0, 0, 0];
  units.forEach((list, t) => {
    n += weight[t] * list.length;
    observed += weight[t] * within[t];
    for (const a of list) between += weight[t] * far[a];
  });
  if (n === 0) return { value: 0, chance: 0, problem: NO_PAIRS };
  const expected = between / (n - 1);
  if (!(expected > 0)) {
    return { value: 1, chance: 1, problem: "All answers are the same set." };
  }
  units.forEach((list, t) => {
    if (!influence) return;
    const change = list.reduce((sum, a) => sum + 2 * far[a], 0) - expected * list.length;
    influence[t] = (observed * change) / (n - 1) / expected ** 2 - within[t] / expected;
  });
  return { value: 1 - observed / expected, chance: 1 - expected / n };
}

/** Alpha of each label, chosen or not. */
function labelAlphas({ tasks, classes, task, start, label }: MultiLabelData): Float64Array {
  const [T, L] = [tasks.length, classes.length];
  const answers = new Int32Array(T);
  const chosen = new Int32Array(T * L);
  task.forEach((t, i) => {
    answers[t]++;
    for (let at = start[i]; at < start[i + 1]; at++) chosen[t * L + label[at]]++;
  });
  const [apart, yes] = [new Float64Array(L), new Float64Array(L)];
  let n = 0;
  for (let t = 0; t < T; t++) {
    if (answers[t] < 2) continue;
    n += answers[t];
    for (let l = 0; l < L; l++) {
      const c = chosen[t * L + l];
      yes[l] += c;
      apart[l] += (2 * c * (answers[t] - c)) / (answers[t] - 1);
    }
  }
  return apart.map((observed, l) => 1 - observed / ((2 * yes[l] * (n - yes[l])) / (n - 1)));
}
