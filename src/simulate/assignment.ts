/** Who labels what: complete, at random, exactly regular, or by how active workers are. */
import { CrowdError } from "../error.ts";
import { integer, logNormal, shuffle } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";

/** The workers of each task: those of task t stand at start[t]..start[t + 1]. */
export interface Assignment {
  readonly start: Int32Array;
  readonly worker: Int32Array;
}

export const assignmentOptions = {
  tasks: { default: 1000, min: 1, integer: true, help: "Number of tasks." },
  workers: { default: 50, min: 1, integer: true, help: "Number of workers." },
  labelsPerTask: {
    default: 5,
    min: 0,
    integer: true,
    help: "Number of labels per task; 0 means that every worker labels every task.",
  },
  activity: {
    default: 0,
    min: 0,
    help: "Standard deviation of the logarithm of the workers' activity.",
  },
  regular: {
    default: false,
    help: "Give every worker the same number of tasks; tasks · labels must be divisible by workers.",
  },
} as const;

export interface AssignmentChoice {
  readonly tasks: number;
  /** Tasks to test on, which come after the others. */
  readonly testTasks: number;
  readonly workers: number;
  readonly labelsPerTask: number;
  readonly activity: number;
  readonly regular: boolean;
}

export function assign(
  { tasks, testTasks, workers: W, labelsPerTask, activity, regular }: AssignmentChoice,
  random: Random,
): Assignment {
  const T = tasks + testTasks;
  const size = labelsPerTask === 0 ? W : labelsPerTask;
  if (size > W) {
    throw new CrowdError(
      "bad-option",
      `labelsPerTask must be at most the number of workers, ${W}, not ${size}.`,
    );
  }
  if (size === W) return everybody(T, W);
  const start = Int32Array.from({ length: T + 1 }, (_, t) => t * size);
  if (!regular) return { start, worker: byActivity(T, W, size, activity, random) };
  const worker = new Int32Array(T * size);
  worker.set(regularGraph(tasks, W, size, random));
  // Tasks to test on come in any number; where they cannot be shared out evenly, chance does it.
  const even = (testTasks * size) % W === 0;
  const rest = random.split("test");
  worker.set(
    even ? regularGraph(testTasks, W, size, rest) : byActivity(testTasks, W, size, 0, rest),
    tasks * size,
  );
  return { start, worker };
}

/** Every worker labels every task. */
export function everybody(T: number, W: number): Assignment {
  return {
    start: Int32Array.from({ length: T + 1 }, (_, t) => t * W),
    worker: Int32Array.from({ length: T * W }, (_, i) => i % W),
  };
}

/** Distinct workers for each task, drawn in proportion to their activity. */
function byActivity(
  T: number,
  W: number,
  size: number,
  activity: number,
  random: Random,
): Int32Array {
  const rates = Float64Array.from({ length: W }, () =>
    activity > 0 ? logNormal(random, 0, activity) : 1,
  );
  const sums = new Float64Array(W);
  let total = 0;
  for (let w = 0; w < W; w++) sums[w] = total += rates[w];
  const worker = new Int32Array(T * size);
  for (let t = 0; t < T; t++) {
    for (let j = 0; j < size; j++) {
      let w = draw(sums, random.next() * total);
      while (has(worker, t * size, t * size + j, w)) w = draw(sums, random.next() * total);
      worker[t * size + j] = w;
    }
  }
  return worker;
}

/** Every task `size` workers and every worker the same number of tasks, no pair twice. */
function regularGraph(T: number, W: number, size: number, random: Random): Int32Array {
  if ((T * size) % W !== 0) {
    throw new CrowdError(
      "bad-option",
      `A regular assignment needs tasks · labelsPerTask = ${T * size} to divide by the ${W} workers.`,
    );
  }
  const worker = Int32Array.from({ length: T * size }, (_, i) => i % W);
  shuffle(random, worker);
  // A worker twice on one task trades places with a random other until nobody is.
  for (let i = 0; i < worker.length; i++) {
    const from = i - (i % size);
    while (clashes(worker, from, size, i, worker[i])) {
      const j = integer(random, worker.length);
      const other = j - (j % size);
      if (other === from) continue;
      if (clashes(worker, other, size, j, worker[i]) || clashes(worker, from, size, i, worker[j]))
        continue;
      [worker[i], worker[j]] = [worker[j], worker[i]];
    }
  }
  return worker;
}

function clashes(
  worker: Int32Array,
  from: number,
  size: number,
  except: number,
  w: number,
): boolean {
  for (let i = from; i < from + size; i++) if (i !== except && worker[i] === w) return true;
  return false;
}

/** The first place whose running sum exceeds the value. */
function draw(sums: Float64Array, value: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function has(list: Int32Array, from: number, to: number, value: number): boolean {
  for (let i = from; i < to; i++) if (list[i] === value) return true;
  return false;
}
