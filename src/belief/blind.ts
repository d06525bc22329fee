/**
 * Labels without the names of tasks and workers: methods see them so, and draw random numbers by what the
 * labels say. A draw then depends neither on what things are called nor on the order in which they came.
 *
 * In place of its name a task has a hash of its labels and of those who gave them, a worker likewise; a few
 * rounds of this tell apart whatever the labels tell apart (Weisfeiler & Leman 1968). What they do not tell
 * apart is alike in every respect, and gets an ordinal beside the hash that it shares.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { hashNumber, hashText, mix, times } from "../data/content-hash.ts";
import type { Names } from "../data/names.ts";
import type { Known } from "./known.ts";

export interface Blind {
  /** The data with hashes for names, which are made when they are first asked for. */
  readonly data: CategoricalData;
  /** Gives tasks that are alike the mean of their rows, in place: what a sampler finds differs by chance alone. */
  averageAlike(table: Float64Array): void;
}

const ROUNDS = 3;

/** Takes the names from the data; what is known of a task or a worker tells it apart as well. */
export function blind(data: CategoricalData, known: Known): Blind {
  let found: ReturnType<typeof hashes> | undefined;
  const content = () => {
    found ??= hashes(data, known);
    return found;
  };
  const K = data.classes.length;
  return {
    data: {
      ...data,
      tasks: lazyNames(data.tasks.length, () => content().tasks.names),
      workers: lazyNames(data.workers.length, () => content().workers.names),
    },
    averageAlike: (table) => averageRows(table, content().tasks.first, K),
  };
}

/** Names that are made when the first of them is asked for. */
function lazyNames(length: number, make: () => Names): Names {
  return {
    length,
    at: (i) => make().at(i),
    indexOf: (name) => make().indexOf(name),
    [Symbol.iterator]: () => make()[Symbol.iterator](),
  };
}

function hashes(data: CategoricalData, known: Known) {
  const K = data.classes.length;
  const { gold, evidence, taskPrior, start, predictions, history, weights } = known;
  let tasks = firstHashes(data.tasks.length, [
    [gold, 1],
    [evidence, K],
    [taskPrior, K],
    [start, K],
    [predictions, K],
  ]);
  let workers = firstHashes(data.workers.length, [
    [history, (history?.length ?? 0) / data.workers.length],
    [weights, 1],
  ]);
  const said = saidHashes(data);
  for (let round = 0; round < ROUNDS; round++) {
    const next = [tasks.slice(), workers.slice()] as const;
    gather(data, said, tasks, workers, next[0], next[1]);
    tasks = next[0].map((sum) => mix(sum, round));
    workers = next[1].map((sum) => mix(sum, round));
  }
  return { tasks: named(tasks), workers: named(workers) };
}

/** Two lanes of 32 bits for each thing, from what is known of it. */
function firstHashes(
  length: number,
  known: readonly (readonly [values: Float64Array | Int32Array | undefined, width: number])[],
): Uint32Array {
  const lanes = new Uint32Array(2 * length).fill(1);
  for (const [values, width] of known) {
    if (!values) continue;
    for (let at = 0; at < length * width; at++) {
      const thing = 2 * Math.floor(at / width);
      const bits = hashNumber(values[at]);
      for (let lane = 0; lane < 2; lane++)
        lanes[thing + lane] = mix(lanes[thing + lane], bits + lane);
    }
  }
  return lanes;
}

/** A hash of what each label says. */
function saidHashes({ label, classes }: CategoricalData): Uint32Array {
  const ofClass = Uint32Array.from(classes, hashText);
  const abstained = 2;
  return Uint32Array.from(label, (l) => (l < ofClass.length ? ofClass[l] : abstained));
}

/**
 * Adds what every label says of its task and its worker. Sums do not depend on the order, and a label of
 * weight 2 adds what two labels add.
 */
function gather(
  { task, worker, weight }: CategoricalData,
  said: Uint32Array,
  tasks: Uint32Array,
  workers: Uint32Array,
  toTasks: Uint32Array,
  toWorkers: Uint32Array,
): void {
  for (let i = 0; i < said.length; i++) {
    const t = 2 * task[i];
    const w = 2 * worker[i];
    const count = weight ? weight[i] : 1;
    toTasks[t] += times(count, mix(said[i], workers[w]));
    toTasks[t + 1] += times(count, mix(said[i] + 1, workers[w + 1]));
    toWorkers[w] += times(count, mix(said[i] + 2, tasks[t]));
    toWorkers[w + 1] += times(count, mix(said[i] + 3, tasks[t + 1]));
  }
}

/** Returns names that are made of hashes when they are asked for; `first` is the first of those that are alike. */
function named(lanes: Uint32Array): { names: Names; first: Int32Array } {
  const { first, ordinal } = findAlike(lanes);
  const at = (i: number) => {
    if (!(i >= 0 && i < first.length)) return "";
    const name = `${lanes[2 * i].toString(36)}-${lanes[2 * i + 1].toString(36)}`;
    return ordinal[i] > 0 ? `${name} ${ordinal[i]}` : name;
  };
  function* all() {
    for (let i = 0; i < first.length; i++) yield at(i);
  }
  const names: Names = {
    length: first.length,
    at,
    indexOf: (name) => first.findIndex((_, i) => at(i) === name),
    [Symbol.iterator]: all,
  };
  return { names, first };
}

/** Finds things with the same hash: the first of them, and how many came before each. */
function findAlike(lanes: Uint32Array): { first: Int32Array; ordinal: Int32Array } {
  const length = lanes.length / 2;
  const first = new Int32Array(length);
  const ordinal = new Int32Array(length);
  const counts = new Int32Array(length);
  // A table with open addressing: no strings, and a few bytes for each thing.
  let size = 4;
  while (size < 2 * length) size *= 2;
  const table = new Int32Array(size).fill(-1);
  for (let i = 0; i < length; i++) {
    let slot = lanes[2 * i] & (size - 1);
    while (table[slot] >= 0 && !sameLanes(lanes, table[slot], i)) slot = (slot + 1) & (size - 1);
    if (table[slot] < 0) table[slot] = i;
    first[i] = table[slot];
    ordinal[i] = counts[first[i]]++;
  }
  return { first, ordinal };
}

function sameLanes(lanes: Uint32Array, i: number, j: number): boolean {
  return lanes[2 * i] === lanes[2 * j] && lanes[2 * i + 1] === lanes[2 * j + 1];
}

/** Replaces rows of things that are alike by their mean. */
function averageRows(table: Float64Array, first: Int32Array, K: number): void {
  const counts = new Float64Array(first.length);
  const sums = new Float64Array(table.length);
  for (let t = 0; t < first.length; t++) {
    counts[first[t]]++;
    for (let k = 0; k < K; k++) sums[first[t] * K + k] += table[t * K + k];
  }
  for (let t = 0; t < first.length; t++) {
    if (counts[first[t]] === 1) continue;
    for (let k = 0; k < K; k++) table[t * K + k] = sums[first[t] * K + k] / counts[first[t]];
  }
}
