/**
 * One E step after another over the same labels: the part of every EM-like method that touches
 * each label, behind two small objects.
 *
 * `Expectation` serves models with a full table of rates P(label | class, worker); `Coin` those
 * whose label speaks only for its own class, in O(1) per label. Both add up in a fixed order: tasks
 * are cut into segments by the size of the data alone and the segments are summed in order, so
 * that any number of threads gives the same bits. If labels have weights, the kernels work on
 * logarithms of the rates, which are taken once per step.
 */
import { type Arena, type Argument, arenaBytes, type Engine, type Operation } from "./engine.ts";

/** The labels, as columns of indices, and how many there are of everything. */
export interface Labels {
  readonly task: Int32Array;
  readonly worker: Int32Array;
  /** 0..given-1; from `classes` on an answer that is no class (an abstention). */
  readonly label: Int32Array;
  /** How many labels each label counts for, at least 0; absent if every label counts once. */
  readonly weight?: Float64Array | undefined;
  readonly tasks: number;
  readonly workers: number;
  readonly classes: number;
  readonly given: number;
  /** Multiplies the prior, task by task: base[task * classes + class]. */
  readonly base?: Float64Array | undefined;
}

interface Steps {
  /** P(class | labels) as posterior[task * K + class]; overwritten by every step. */
  readonly posterior: Float64Array;
  /** Sum of the posteriors of all tasks, by class. */
  readonly totals: Float64Array;
  /** Sets the posterior to the vote shares and counts under it. */
  startFromVotes(): void;
  /** Sets the posterior to this one and counts under it. */
  startFrom(posterior: Float64Array): void;
  /** E step under `prior` and the current table; returns the log-likelihood. */
  infer(prior: Float64Array): number;
  /** Largest change of a posterior in the last E step. */
  change(): number;
}

export interface Expectation extends Steps {
  /** P(label | class, worker) as rates[(worker * given + label) * K + class]; write it before `infer`. */
  readonly rates: Float64Array;
  /** Expected labels, laid out like `rates`, under the posterior. */
  readonly counts: Float64Array;
}

export interface Coin extends Steps {
  /** By how much a label multiplies the odds of its own class: ratios[worker * given + label]. */
  readonly ratios: Float64Array;
  /** Expected number of right labels, laid out like `ratios`. */
  readonly hits: Float64Array;
}

/** Creates the E step of models with a table of rates per worker. */
export function createExpectation(labels: Labels, engine: Engine): Expectation {
  const { classes: K, workers: W, given: L } = labels;
  const memory = prepare(labels, engine, W * L * K);
  const kernels = { infer: "expect", count: "count", sizes: [K] } as const;
  return {
    ...createSteps(labels, memory, kernels),
    rates: memory.rates,
    counts: memory.counts,
  };
}

/** Creates the E step of models whose label speaks only for its own class. */
export function createCoin(labels: Labels, engine: Engine): Coin {
  const { classes: K, workers: W, given: L } = labels;
  const memory = prepare(labels, engine, W * L);
  const kernels = { infer: "expectCoin", count: "countCoin", sizes: [K, L] } as const;
  return {
    ...createSteps(labels, memory, kernels),
    ratios: memory.rates,
    hits: memory.counts,
  };
}

/** Consecutive tasks, and where the kernels add up what they find there. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly counts: Float64Array;
  readonly totals: Float64Array;
  readonly scratch: Float64Array;
  readonly out: Float64Array;
}

/** Which kernels a model runs, and the sizes that come first among their arguments. */
interface Kernels {
  readonly infer: "expect" | "expectCoin";
  readonly count: "count" | "countCoin";
  readonly sizes: readonly number[];
}

/** The arrays of a model, in an arena. */
interface Memory {
  readonly arena: Arena;
  /** The labels of task t are rows[starts[t]]..rows[starts[t + 1] - 1]. */
  readonly starts: Int32Array;
  /** worker * L + label of each label, sorted by task. */
  readonly rows: Int32Array;
  /** Weight of each label, in the order of `rows`; null if every label counts once. */
  readonly weights: Float64Array | null;
  /** The model's table as its owner writes it. */
  readonly rates: Float64Array;
  /** What the kernels read: `rates`, or their base-2 logarithms if there are weights. */
  readonly table: Float64Array;
  /** P(class) of the current step; base-2 logarithms if there are weights. */
  readonly prior: Float64Array;
  /** Multiplies the prior of each task; base-2 logarithms if there are weights. */
  readonly base: Float64Array | null;
  readonly posterior: Float64Array;
  readonly counts: Float64Array;
  readonly totals: Float64Array;
  readonly segments: readonly Segment[];
  /** Whether segments have a table of counts each, so that they may run at the same time. */
  readonly parallel: boolean;
}

/** The weighted kernels score so many classes of consecutive tasks at a time (`assembly/scores.ts`). */
const BLOCK = 512;

/** Sorts the labels by task into an arena and cuts the tasks into segments. */
function prepare(labels: Labels, engine: Engine, cells: number): Memory {
  const { classes: K, tasks: T, weight } = labels;
  const N = labels.task.length;
  const S = segmentCount(N, cells);
  const tables = S === 1 ? 0 : engine.threads === 1 ? 1 : S;
  const scratch = weight ? Math.max(BLOCK, 2 * K) : K;
  const doubles = [K, K, cells, cells, T * K];
  if (labels.base) doubles.push(T * K);
  if (weight) doubles.push(N, cells);
  for (let s = 0; s < tables; s++) doubles.push(cells);
  for (let s = 0; s < S; s++) doubles.push(K, scratch, 3);
  const arena = engine.arena(arenaBytes([T + 1, N], doubles));
  const starts = arena.ints(T + 1);
  const rows = arena.ints(N);
  const weights = weight ? arena.doubles(N) : null;
  sortByTask(labels, starts, rows, weights);
  const prior = arena.doubles(K);
  const totals = arena.doubles(K);
  const rates = arena.doubles(cells);
  const counts = arena.doubles(cells);
  const posterior = arena.doubles(T * K);
  const base = labels.base ? arena.doubles(T * K) : null;
  if (base && labels.base) base.set(labels.base);
  if (base && weights) takeLogs(base, base);
  const table = weights ? arena.doubles(cells) : rates;
  const shared = Array.from({ length: tables }, () => arena.doubles(cells));
  const segments = cutTasks(starts, S).map(
    ({ from, to }, s): Segment => ({
      from,
      to,
      counts: S === 1 ? counts : shared[s % tables],
      totals: arena.doubles(K),
      scratch: arena.doubles(scratch),
      out: arena.doubles(3),
    }),
  );
  const parallel = tables !== 1;
  return {
    arena,
    starts,
    rows,
    weights,
    rates,
    table,
    prior,
    base,
    posterior,
    counts,
    totals,
    segments,
    parallel,
  };
}

/** Divides the tasks into `count` ranges with about as many labels each. */
function cutTasks(starts: Int32Array, count: number): { from: number; to: number }[] {
  const T = starts.length - 1;
  const N = starts[T];
  const ranges: { from: number; to: number }[] = [];
  for (let s = 0, from = 0; s < count; s++) {
    const end = s === count - 1 ? T : firstTaskAt(starts, Math.round(((s + 1) * N) / count));
    const to = Math.max(from, end);
    ranges.push({ from, to });
    from = to;
  }
  return ranges;
}

/** Creates the steps of a model: kernels on each segment, whose results are added up in order. */
function createSteps({ classes: K, given: L }: Labels, memory: Memory, kernels: Kernels): Steps {
  const { arena, segments, starts, rows, weights, table, prior, base, posterior } = memory;
  const { totals, counts } = memory;
  const { sizes } = kernels;
  const inferOn = ({ from, to, counts, totals, scratch, out }: Segment): Argument[] => [
    ...sizes,
    from,
    to,
    starts,
    rows,
    table,
    prior,
    base,
    posterior,
    counts,
    totals,
    scratch,
    out,
    weights,
  ];
  const countOn = ({ from, to, counts, totals }: Segment): Argument[] => {
    return [...sizes, from, to, starts, rows, posterior, counts, totals, weights];
  };
  const sweep = (operation: Operation, args: (segment: Segment) => Argument[]) => {
    counts.fill(0);
    totals.fill(0);
    const batches = memory.parallel ? [segments] : segments.map((segment) => [segment]);
    for (const batch of batches) {
      for (const segment of batch) {
        if (segment.counts !== counts) segment.counts.fill(0);
        segment.totals.fill(0);
      }
      arena.run(operation, batch.map(args));
      for (const segment of batch) {
        if (segment.counts !== counts) add(counts, segment.counts);
        add(totals, segment.totals);
      }
    }
  };
  return {
    posterior,
    totals,
    startFromVotes() {
      const calls = segments.map(({ from, to }) => [
        K,
        L,
        from,
        to,
        starts,
        rows,
        posterior,
        weights,
      ]);
      arena.run("votes", calls);
      sweep(kernels.count, countOn);
    },
    startFrom(start) {
      posterior.set(start);
      sweep(kernels.count, countOn);
    },
    infer(shares) {
      prior.set(shares);
      if (weights) {
        takeLogs(prior, prior);
        takeLogs(memory.rates, table);
      }
      sweep(kernels.infer, inferOn);
      return segments.reduce((sum, { out }) => sum + out[0], 0);
    },
    change: () => segments.reduce((largest, { out }) => Math.max(largest, out[1]), 0),
  };
}

/** Writes the base-2 logarithms of `values` to `into`, which may be the same array. */
function takeLogs(values: Float64Array, into: Float64Array): void {
  for (let i = 0; i < values.length; i++) into[i] = Math.log2(values[i]);
}

/** One segment for every 128k labels, at most 16, while their count tables stay small. */
function segmentCount(labels: number, cells: number): number {
  const wanted = Math.min(16, Math.max(1, Math.ceil(labels / 131072)));
  return wanted * cells <= 2 ** 22 ? wanted : 1;
}

/** Sorts the labels by task: starts[task], the rows worker * L + label, and their weights. */
function sortByTask(
  { task, worker, label, weight, tasks, given: L }: Labels,
  starts: Int32Array,
  rows: Int32Array,
  weights: Float64Array | null,
): void {
  starts.fill(0);
  if (weight) for (let i = 0; i < task.length; i++) starts[task[i] + 1] += weight[i] === 0 ? 0 : 1;
  else for (let i = 0; i < task.length; i++) starts[task[i] + 1]++;
  for (let t = 0; t < tasks; t++) starts[t + 1] += starts[t];
  // starts[t] walks to the end of task t while filling, and is set back afterwards.
  for (let i = 0; i < task.length; i++) {
    // A label of weight 0 counts for nothing and is left out.
    if (weight && weight[i] === 0) continue;
    const at = starts[task[i]]++;
    rows[at] = worker[i] * L + label[i];
    if (weight && weights) weights[at] = weight[i];
  }
  for (let t = tasks; t > 0; t--) starts[t] = starts[t - 1];
  starts[0] = 0;
}

/** The first task that begins at or after this place in the sorted labels. */
function firstTaskAt(starts: Int32Array, place: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function add(into: Float64Array, values: Float64Array): void {
  for (let i = 0; i < into.length; i++) into[i] += values[i];
}
