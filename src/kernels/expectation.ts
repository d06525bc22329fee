/**
 * One E step after another over the same labels: the part of every EM-like method that touches
 * each label, behind two small objects.
 *
 * `Expectation` serves models with a full table of rates P(label | class, worker); `Coin` those
 * whose label speaks only for its own class, in O(1) a label. Both add up in a fixed order: tasks
 * are cut into segments by the size of the data alone and the segments are summed in order, so
 * that any number of threads gives the same bits.
 */
import { type Arena, type Argument, arenaBytes, type Engine, twinEngine } from "./engine.ts";

/** The labels, as columns of indices, and how many there are of everything. */
export interface Labels {
  readonly task: Int32Array;
  readonly worker: Int32Array;
  /** 0..given-1; from `classes` on an answer that is no class (an abstention). */
  readonly label: Int32Array;
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

export function createExpectation(labels: Labels, engine: Engine): Expectation {
  const { classes: K, workers: W, given: L } = labels;
  const { arena, steps, rates, counts, layout } = prepare(labels, engine, W * L * K);
  const { starts, rows, base, posterior, prior, weight } = layout;
  return {
    ...steps({
      infer: (segment) => [
        K,
        segment.from,
        segment.to,
        starts,
        rows,
        rates,
        prior,
        base,
        posterior,
        segment.counts,
        segment.totals,
        segment.scratch,
        segment.out,
        ...weight,
      ],
      inferOperation: "expect",
      count: (segment) => [
        K,
        segment.from,
        segment.to,
        starts,
        rows,
        posterior,
        segment.counts,
        segment.totals,
        ...weight,
      ],
      countOperation: "count",
      arena,
    }),
    rates,
    counts,
  };
}

export function createCoin(labels: Labels, engine: Engine): Coin {
  const { classes: K, workers: W, given: L } = labels;
  const { arena, steps, rates, counts, layout } = prepare(labels, engine, W * L);
  const { starts, rows, base, posterior, prior, weight } = layout;
  return {
    ...steps({
      infer: (segment) => [
        K,
        L,
        segment.from,
        segment.to,
        starts,
        rows,
        rates,
        prior,
        base,
        posterior,
        segment.counts,
        segment.totals,
        segment.scratch,
        segment.out,
        ...weight,
      ],
      inferOperation: "expectCoin",
      count: (segment) => [
        K,
        L,
        segment.from,
        segment.to,
        starts,
        rows,
        posterior,
        segment.counts,
        segment.totals,
        ...weight,
      ],
      countOperation: "countCoin",
      arena,
    }),
    ratios: rates,
    hits: counts,
  };
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly counts: Float64Array;
  readonly totals: Float64Array;
  readonly scratch: Float64Array;
  readonly out: Float64Array;
}

interface Plan {
  readonly infer: (segment: Segment) => Argument[];
  readonly inferOperation: "expect" | "expectCoin";
  readonly count: (segment: Segment) => Argument[];
  readonly countOperation: "count" | "countCoin";
  readonly arena: Arena;
}

/** Sorts the labels by task into an arena and cuts the tasks into segments. */
function prepare(labels: Labels, engine: Engine, cells: number) {
  const { classes: K, given: L, tasks: T } = labels;
  const N = labels.task.length;
  const S = segmentCount(N, cells);
  const tables = S === 1 ? 0 : engine.threads === 1 ? 1 : S;
  const chosen = labels.weight ? twinEngine : engine;
  const arena = chosen.arena(
    arenaBytes(
      [T + 1, N],
      [
        K,
        K,
        cells,
        cells,
        T * K,
        labels.base ? T * K : 0,
        tables * cells,
        ...new Array<number>(S).fill(K),
        ...new Array<number>(S).fill(K),
        ...new Array<number>(S).fill(3),
      ],
    ),
  );
  const starts = arena.ints(T + 1);
  const rows = arena.ints(N);
  const order = labels.weight ? new Int32Array(N) : undefined;
  sortByTask(labels, L, starts, rows, order);
  const { weight: byRow } = labels;
  const weight = byRow && order ? [Float64Array.from(order, (i) => byRow[i])] : [];
  const prior = arena.doubles(K);
  const totals = arena.doubles(K);
  const rates = arena.doubles(cells);
  const counts = arena.doubles(cells);
  const posterior = arena.doubles(T * K);
  const base = labels.base ? arena.doubles(T * K) : null;
  if (base && labels.base) base.set(labels.base);
  const shared = Array.from({ length: tables }, () => arena.doubles(cells));
  const segments: Segment[] = [];
  for (let s = 0, from = 0; s < S; s++) {
    const to = s === S - 1 ? T : firstTaskAt(starts, Math.round(((s + 1) * N) / S));
    segments.push({
      from,
      to: Math.max(from, to),
      counts: S === 1 ? counts : shared[s % tables],
      totals: arena.doubles(K),
      scratch: arena.doubles(K),
      out: arena.doubles(3),
    });
    from = Math.max(from, to);
  }

  const steps = (plan: Plan): Steps => {
    // With one scratch table the segments take turns; with one each they may run at once.
    const sweep = (
      operation: Plan["inferOperation"] | Plan["countOperation"],
      args: Plan["infer"],
    ) => {
      counts.fill(0);
      totals.fill(0);
      const batches = tables === 1 ? segments.map((segment) => [segment]) : [segments];
      for (const batch of batches) {
        for (const segment of batch) {
          if (S > 1) segment.counts.fill(0);
          segment.totals.fill(0);
        }
        plan.arena.run(operation, batch.map(args));
        for (const segment of batch) {
          if (S > 1) add(counts, segment.counts);
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
          ...weight,
        ]);
        plan.arena.run("votes", calls);
        sweep(plan.countOperation, plan.count);
      },
      startFrom(start) {
        posterior.set(start);
        sweep(plan.countOperation, plan.count);
      },
      infer(shares) {
        prior.set(shares);
        sweep(plan.inferOperation, plan.infer);
        return segments.reduce((sum, { out }) => sum + out[0], 0);
      },
      change: () => segments.reduce((largest, { out }) => Math.max(largest, out[1]), 0),
    };
  };
  return { arena, steps, rates, counts, layout: { starts, rows, base, posterior, prior, weight } };
}

/** One segment for every 128k labels, at most 16, while their count tables stay small. */
function segmentCount(labels: number, cells: number): number {
  const wanted = Math.min(16, Math.max(1, Math.ceil(labels / 131072)));
  return wanted * cells <= 2 ** 22 ? wanted : 1;
}

/** Counting sort of the labels by task: starts[task] and the rows worker * L + label. */
function sortByTask(
  { task, worker, label, tasks }: Labels,
  L: number,
  starts: Int32Array,
  rows: Int32Array,
  order: Int32Array | undefined,
): void {
  starts.fill(0);
  for (let i = 0; i < task.length; i++) starts[task[i] + 1]++;
  for (let t = 0; t < tasks; t++) starts[t + 1] += starts[t];
  // starts[t] walks to the end of task t while filling, and is set back afterwards.
  for (let i = 0; i < task.length; i++) {
    const at = starts[task[i]]++;
    rows[at] = worker[i] * L + label[i];
    if (order) order[at] = i;
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
