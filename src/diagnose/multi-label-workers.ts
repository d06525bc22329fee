/**
 * How each worker's sets stand against guessing: their overlap with the labels that at least half of the others chose,
 * tested against the overlap of the same sets with what others chose on any task; one who knows half would be half as far
 * above that as a perfect worker.
 */
import type { MultiLabelResult } from "../aggregate/multi-label/labeller.ts";
import { distinctSets, jaccard, type MultiLabelData, setsOf } from "../data/multi-label.ts";
import { wilsonInterval } from "../math/incomplete.ts";
import { createRandom } from "../math/random.ts";
import { type Standing, standingFrom } from "./standing.ts";

/** What is known of one worker who chose sets of labels. */
export interface MultiLabelWorker {
  readonly labels: number;
  /** Mean overlap of the worker's sets with those of the result; NaN without answers. */
  readonly skill: number;
  /** 95 % interval of the overlap. */
  readonly low: number;
  readonly high: number;
  readonly sensitivity: number;
  readonly specificity: number;
  readonly informativeness: number;
  readonly standing: Standing;
}

/** Judges each worker, in the order of the workers. */
export function multiLabelWorkers(
  data: MultiLabelData,
  result: Pick<
    MultiLabelResult,
    "overlap" | "workload" | "sensitivity" | "specificity" | "informativeness"
  >,
): MultiLabelWorker[] {
  const standings = besideOthers(data);
  return Array.from(result.overlap, (skill, w) => {
    const n = result.workload[w];
    return {
      labels: n,
      skill,
      ...wilsonInterval((Number.isNaN(skill) ? 0 : Math.min(1, skill)) * n, n),
      sensitivity: result.sensitivity[w],
      specificity: result.specificity[w],
      informativeness: result.informativeness[w],
      standing: standings[w],
    };
  });
}

/** Sets of others that a set is compared with, drawn at random where there are more. */
const COMPARED = 1000;

/** Fewer answers beside those of others than this tell nothing. */
const FEWEST = 10;

/** The standing of each worker, from tasks that others answered too. */
function besideOthers(data: MultiLabelData): Standing[] {
  const { workers, worker } = data;
  const own = distinctSets(setsOf(data));
  const { others, of } = choicesOfOthers(data);
  const chance = chanceOf(own.sets, others, of);
  const W = workers.length;
  const [n, above, spread, reach] = Array.from({ length: 4 }, () => new Float64Array(W));
  for (let i = 0; i < worker.length; i++) {
    if (of[i] < 0) continue;
    const { mean, variance } = chance(own.of[i]);
    n[worker[i]]++;
    above[worker[i]] += jaccard(own.sets[own.of[i]], others[of[i]]) - mean;
    reach[worker[i]] += 1 - mean;
    spread[worker[i]] += variance;
  }
  return Array.from(n, (count, w) => {
    if (count < FEWEST || !(spread[w] > 0)) return "unknown";
    const error = Math.sqrt(spread[w]);
    return standingFrom(above[w] / error, (0.5 * reach[w]) / error);
  });
}

/** The labels that at least half of the others chose on the task of each answer, as numbers of different sets; -1 without others. */
function choicesOfOthers({ tasks, classes, task, start, label }: MultiLabelData): {
  others: readonly Int32Array[];
  of: Int32Array;
} {
  const [T, L] = [tasks.length, classes.length];
  const answers = new Int32Array(T);
  const counts = new Int32Array(T * L);
  task.forEach((t, i) => {
    answers[t]++;
    for (let at = start[i]; at < start[i + 1]; at++) counts[t * L + label[at]]++;
  });
  function* lists() {
    for (const [i, t] of task.entries()) {
      const own = label.subarray(start[i], start[i + 1]);
      const set: number[] = [];
      for (let l = 0; l < L; l++) {
        const votes = counts[t * L + l];
        if (votes > 0 && 2 * (votes - (own.includes(l) ? 1 : 0)) >= answers[t] - 1) set.push(l);
      }
      yield answers[t] > 1 ? Int32Array.from(set) : new Int32Array(0);
    }
  }
  const { sets, of } = distinctSets(lists());
  return { others: sets, of: of.map((set, i) => (answers[task[i]] > 1 ? set : -1)) };
}

/** Mean and variance of the overlap of a set with what others chose on any task. */
function chanceOf(sets: readonly Int32Array[], others: readonly Int32Array[], of: Int32Array) {
  const shared = of.filter((set) => set >= 0);
  const random = createRandom(0).split("chance");
  const drawn =
    others.length <= COMPARED
      ? shared
      : Int32Array.from(
          { length: COMPARED },
          () => shared[Math.floor(random.next() * shared.length)],
        );
  const share = new Float64Array(others.length);
  for (const set of drawn) share[set] += 1 / drawn.length;
  const met = Array.from(share.keys()).filter((set) => share[set] > 0);
  const known = new Map<number, { mean: number; variance: number }>();
  return (set: number) => {
    const before = known.get(set);
    if (before) return before;
    let [mean, squares] = [0, 0];
    for (const other of met) {
      const overlap = jaccard(sets[set], others[other]);
      mean += share[other] * overlap;
      squares += share[other] * overlap * overlap;
    }
    const found = { mean, variance: Math.max(0, squares - mean * mean) };
    known.set(set, found);
    return found;
  };
}
