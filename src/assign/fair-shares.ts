/**
 * Fair assignment: what share of the tasks to send to each worker, so that answers are accurate and workers' biases
 * between groups of tasks cancel out.
 *
 *   maximise  Σ x[w] accuracy[w]
 *   with      Σ x[w] = 1,   0 ≤ x[w] ≤ cap,   Σ x[w] cost[w] ≤ budget,
 *             −delta ≤ Σ x[w] gap[w] ≤ delta      for each kind of gap (false positives, false negatives, parity)
 *
 * Robust: intervals of gaps in place of gaps, Σ x[w] high[w] ≤ delta and Σ x[w] low[w] ≥ −delta, which holds whatever
 * the gaps are within their intervals. If no shares meet delta, it is replaced by the least one that can be met.
 * With types of tasks there is one share per worker and type: x[w, y] sums to the share of type y, is at most cap times
 * that, and the other sums run over types as well.
 *
 * The constraint bounds the gap of the average answer, not the gap after aggregation: measure again.
 *
 * Goel & Faltings (2019), AIES. https://doi.org/10.1145/3306618.3314282
 */
import { CrowdError } from "../error.ts";
import { type Constraint, maximise } from "../math/linear-program.ts";

/** One number per worker, or per worker and type of task: values[worker][type]. */
export type PerWorker<Value = number> = readonly (Value | readonly Value[])[];

/** A gap that is known up to an interval. */
export interface GapInterval {
  readonly low: number;
  readonly high: number;
}

/** What is known of the workers, and what the shares must meet. */
export interface FairSharesInput {
  /** Probability of a right label of each worker. */
  readonly accuracy: PerWorker;
  /**
   * Differences of rates between two groups of tasks: one list per kind of gap, with one gap per worker. An interval in
   * place of a number makes the constraint robust.
   */
  readonly gaps: readonly PerWorker<number | GapInterval>[];
  /** Cost of one label of each worker. Default: 1. */
  readonly cost?: PerWorker | undefined;
  /** Maximum mean cost of one label. Default: no limit. */
  readonly budget?: number | undefined;
  /** Maximum share of one worker. Default: 1. */
  readonly cap?: number | undefined;
  /** Maximum absolute value of each mean gap. */
  readonly delta: number;
  /** Share of each type of task, if workers are chosen by type. Default: one type. */
  readonly types?: readonly number[] | undefined;
  /** Number of tasks to distribute; gives `quotas`. */
  readonly tasks?: number | undefined;
}

/** Shares of tasks per worker, and what they achieve. */
export interface FairShares {
  /** Share of all tasks for each worker and type: shares[worker * types + type]. They sum to 1. */
  readonly shares: Float64Array;
  /** Whole tasks for each worker and type, by largest remainder; only with `tasks`. */
  readonly quotas?: Int32Array;
  /** Expected accuracy of one label. */
  readonly accuracy: number;
  /** Mean cost of one label. */
  readonly cost: number;
  /** Mean gap of each kind; of intervals the worse end. */
  readonly gaps: readonly number[];
  /** The bound on gaps that is met: as asked, or the least possible. */
  readonly delta: number;
  /** False if no shares meet the delta that was asked for. */
  readonly feasible: boolean;
  readonly notes: readonly string[];
}

/** The same, as flat lists over workers and types. */
interface Plan {
  readonly workers: number;
  readonly types: readonly number[];
  readonly accuracy: number[];
  readonly cost: number[];
  readonly low: number[][];
  readonly high: number[][];
  readonly upper: number[];
}

/** Finds the shares with the highest expected accuracy whose mean gaps are at most delta. */
export function fairShares(input: FairSharesInput): FairShares {
  const plan = planOf(input);
  const wanted = maximise({
    objective: plan.accuracy,
    constraints: [...frame(plan, input.budget), ...gapRows(plan, input.delta)],
    upper: plan.upper,
  });
  if (wanted.status === "optimal") return describe(plan, wanted.x, input, input.delta, true);
  const least = leastDelta(plan, input.budget);
  const best = maximise({
    objective: plan.accuracy,
    constraints: [...frame(plan, input.budget), ...gapRows(plan, least.delta + 1e-9)],
    upper: plan.upper,
  });
  const x = best.status === "optimal" ? best.x : least.x;
  return describe(plan, x, input, least.delta, false);
}

/** The constraints without gaps: all tasks are distributed, within the budget. */
function frame({ workers, types, cost }: Plan, budget: number | undefined): Constraint[] {
  const n = workers * types.length;
  const ofType = (type: number) =>
    Array.from({ length: n }, (_, j) => (j % types.length === type ? 1 : 0));
  const all = types.map((share, y): Constraint => ({ row: ofType(y), sign: "=", limit: share }));
  return budget === undefined ? all : [...all, { row: cost, sign: "<=", limit: budget }];
}

function gapRows({ low, high }: Plan, delta: number): Constraint[] {
  return low.flatMap((lows, kind): Constraint[] => [
    { row: high[kind], sign: "<=", limit: delta },
    { row: lows, sign: ">=", limit: -delta },
  ]);
}

/** Minimises t with every mean gap in [−t, t]; throws if cap and budget alone cannot be met. */
function leastDelta(plan: Plan, budget: number | undefined) {
  const n = plan.accuracy.length;
  const withLast = ({ row, sign, limit }: Constraint, last: number): Constraint => ({
    row: [...Array.from(row), last],
    sign,
    limit,
  });
  const solution = maximise({
    objective: [...new Array<number>(n).fill(0), -1],
    constraints: [
      ...frame(plan, budget).map((each) => withLast(each, 0)),
      ...gapRows(plan, 0).map((each) => withLast(each, each.sign === "<=" ? -1 : 1)),
    ],
    upper: [...plan.upper, Infinity],
  });
  if (solution.status !== "optimal") {
    const cheapest = plan.cost.reduce((least, each) => Math.min(least, each), Infinity);
    throw new CrowdError(
      "bad-option",
      `fairShares: no shares meet the budget of ${budget} with at most ${plan.upper[0]} per worker; the cheapest label costs ${cheapest}. Raise budget or cap.`,
    );
  }
  return { x: solution.x.slice(0, n), delta: Math.max(0, -solution.value) };
}

function describe(
  plan: Plan,
  x: Float64Array,
  { tasks, delta: asked }: FairSharesInput,
  delta: number,
  feasible: boolean,
): FairShares {
  const dot = (list: readonly number[]) => list.reduce((sum, each, j) => sum + each * x[j], 0);
  const gaps = plan.high.map((highs, kind) => {
    const [high, low] = [dot(highs), dot(plan.low[kind])];
    return Math.abs(high) >= Math.abs(low) ? high : low;
  });
  return {
    shares: x,
    ...(tasks !== undefined && { quotas: quotasOf(x, tasks) }),
    accuracy: dot(plan.accuracy),
    cost: dot(plan.cost),
    gaps,
    delta,
    feasible,
    notes: feasible
      ? []
      : [`No shares meet delta ${asked}; the least that can be met is ${delta.toFixed(4)}.`],
  };
}

/** Distributes whole tasks like the shares: rounded down, the rest to the largest remainders. */
export function quotasOf(shares: ArrayLike<number>, tasks: number): Int32Array {
  // A share of 1/3 of 3 tasks is 1 task, whatever the rounding of 1/3.
  const exact = Array.from(shares, (share) => share * tasks + 1e-9);
  const quotas = Int32Array.from(exact, Math.floor);
  const left = tasks - quotas.reduce((sum, each) => sum + each, 0);
  const order = exact
    .map((value, at) => ({ at, rest: value - Math.floor(value) }))
    .sort((a, b) => b.rest - a.rest || a.at - b.at);
  for (let n = 0; n < left; n++) quotas[order[n % order.length].at]++;
  return quotas;
}

/** Checks the input and writes it as flat lists. */
function planOf({ accuracy, gaps, cost, cap = 1, delta, types = [1], ...rest }: FairSharesInput) {
  const workers = accuracy.length;
  if (workers === 0) throw new CrowdError("bad-option", "fairShares: there are no workers.");
  requireRange("delta", delta, 0, Infinity);
  requireRange("cap", cap, 0, 1);
  if (cap * workers < 1 - 1e-12) {
    throw new CrowdError(
      "bad-option",
      `fairShares: ${workers} workers with at most ${cap} of the tasks each cannot do all of them. Set cap to at least ${(1 / workers).toFixed(4)}.`,
    );
  }
  if (rest.budget !== undefined) requireRange("budget", rest.budget, -1e12, 1e12);
  if (rest.tasks !== undefined) requireRange("tasks", rest.tasks, 0, 1e9);
  for (const share of types) requireRange("types", share, 0, 1);
  const total = types.reduce((sum, share) => sum + share, 0);
  if (Math.abs(total - 1) > 1e-6) {
    throw new CrowdError(
      "bad-option",
      `fairShares: the shares of types sum to ${total}, not to 1.`,
    );
  }
  const spread = <Value>(name: string, list: PerWorker<Value>): Value[] => {
    const flat = list.flatMap((each) =>
      Array.isArray(each)
        ? (each as readonly Value[])
        : new Array<Value>(types.length).fill(each as Value),
    );
    if (list.length === workers && flat.length === workers * types.length) return flat;
    throw new CrowdError(
      "bad-option",
      `fairShares: ${name} must hold ${workers} entries, one per worker${types.length > 1 ? `, each one number or ${types.length}` : ""}; found ${list.length}.`,
    );
  };
  const ends = gaps.map((list, kind) => spread(`gaps[${kind}]`, list));
  const plan: Plan = {
    workers,
    types,
    accuracy: spread("accuracy", accuracy),
    cost: spread("cost", cost ?? new Array<number>(workers).fill(1)),
    low: ends.map((list) => list.map((gap) => (typeof gap === "number" ? gap : gap.low))),
    high: ends.map((list) => list.map((gap) => (typeof gap === "number" ? gap : gap.high))),
    upper: Array.from({ length: workers * types.length }, (_, j) => cap * types[j % types.length]),
  };
  return plan;
}

function requireRange(name: string, value: number, low: number, high: number): void {
  if (value >= low && value <= high) return;
  throw new CrowdError(
    "bad-option",
    `fairShares: ${name} must be ${low} to ${high}, not ${value}.`,
  );
}
