/**
 * How many independent workers those who gave numbers are worth: copies of one worker err together.
 *
 * The error of an answer is what it lies above the value that others than the two workers in question give its task:
 * their mean. That value errs too, which moves both errors alike:
 * its variance is taken off their covariance. Offsets do not count. The covariance over tasks that both answered
 * counts where it exceeds four of its standard errors. Pairs that stand out most are taken first: they are left out of the
 * values that judge either of them, count as one in those that judge others, and all are judged anew. Then the number is that of panel-size.ts.
 */
import { labelsPerWorker } from "../../data/crowd-data.ts";
import { inCommonUnits, type NumericData, withinTasks } from "../../data/numeric.ts";
import { crowdSize } from "./panel-size.ts";

/** Workers whose numbers go together. */
export interface AnswererCorrelation {
  readonly workers: readonly [number, number];
  /** Correlation of their errors. */
  readonly correlation: number;
  /** Tasks that both answered and others too. */
  readonly common: number;
  /** True where it is too large for chance. */
  readonly dependent: boolean;
}

/** How many independent workers a crowd that gave numbers is worth. */
export interface EffectiveAnswerers {
  /** Independent workers of the same kind that would be as good. */
  readonly crowd: number;
  /** Workers who are counted: those with 20 answers or more. */
  readonly workers: number;
  /** Pairs of workers with 20 common tasks or more, the most alike first; at most 100, but all that are dependent. */
  readonly correlations: readonly AnswererCorrelation[];
}

const [FEWEST, THRESHOLD, LISTED] = [20, 4, 100];
/** Rounds at most, and the share of the largest excess that a pair needs to be taken in a round. */
const [ROUNDS, NEAR_MOST] = [20, 0.7];
/** Turns of offsets and variances, and the least variance of a worker in units of the pooled one. */
const [TURNS, LEAST] = [4, 0.01];
/** Pairs of answers at most that are looked at; beyond, the first tasks decide. */
const MOST_VISITS = 2e7;

/** Sums over the tasks that two workers have in common: errors a and b, their products, variances of the values. */
interface Sums {
  readonly pair: readonly [number, number];
  common: number;
  a: number;
  b: number;
  aa: number;
  bb: number;
  ab: number;
  variance: number;
}

/** Counts the independent workers among those who gave numbers. */
export function effectiveAnswerers(given: NumericData): EffectiveAnswerers {
  const data = inCommonUnits(given);
  const workload = labelsPerWorker(data);
  const counted = Array.from(workload.keys()).filter((w) => workload[w] >= FEWEST);
  const taken = Array.from(data.workers, () => new Map<number, number>());
  let found: Judged[] = [];
  // Copies pull the values to them, so that others seem to err together: those that stand out most are taken first, and
  // the rest is judged anew.
  for (let round = 0; round < ROUNDS; round++) {
    found = correlationsOf(withoutOffsets(data, taken), new Set(counted), taken);
    const fresh = found.filter(
      ({ workers: [u, v], excess }) => excess > THRESHOLD && !taken[u].has(v),
    );
    if (fresh.length === 0) break;
    const most = fresh.reduce((top, { excess }) => Math.max(top, excess), 0);
    join(
      taken,
      fresh.filter(({ excess }) => excess >= NEAR_MOST * most),
    );
  }
  const partners = taken.map(() => new Map<number, number>());
  join(
    partners,
    found.filter(({ excess }) => excess > THRESHOLD),
  );
  return {
    crowd: crowdSize({ background: 0, partners }, counted),
    workers: counted.length,
    correlations: found
      .sort((a, b) => b.excess - a.excess)
      .map(({ excess, ...rest }) => ({ ...rest, dependent: excess > THRESHOLD }))
      .filter(({ dependent }, k) => dependent || k < LISTED),
  };
}

/** A pair, and by how many standard errors its covariance exceeds 0. */
interface Judged extends Omit<AnswererCorrelation, "dependent"> {
  readonly excess: number;
}

function join(partners: readonly Map<number, number>[], pairs: readonly Judged[]): void {
  for (const {
    workers: [u, v],
    correlation,
  } of pairs) {
    partners[u].set(v, correlation);
    partners[v].set(u, correlation);
  }
}

/** Answers less the offset of their worker, task after task, and the variance of each worker's errors. */
interface Centred {
  readonly answers: readonly TaskAnswers[];
  readonly variance: Float64Array;
}

/** Worker and number of each answer of a task, by worker. */
type TaskAnswers = readonly (readonly [worker: number, value: number])[];

/** Finds offsets and variances of workers beside the means of the others, in turns. */
function withoutOffsets(data: NumericData, taken: Partners): Centred {
  const W = data.workers.length;
  const unit = withinTasks(data)[0];
  let answers: readonly TaskAnswers[] = answersByTask(data);
  let variance = new Float64Array(W).fill(unit ** 2);
  const output = (t: number) => data.outputs?.of[t] ?? 0;
  const O = data.outputs?.names.length ?? 1;
  for (let turn = 0; turn < TURNS; turn++) {
    const [sum, n, squares] = [0, 0, 0].map(() => new Float64Array(W * O));
    answers.forEach((own, t) => {
      const others = othersOf(own, variance, taken);
      for (const [w, y] of own) {
        const found = others(w, w);
        if (!found) continue;
        const place = w * O + output(t);
        sum[place] += y - found.value;
        squares[place] += (y - found.value) ** 2 - found.variance;
        n[place]++;
      }
    });
    const shift = sum.map((each, place) => (n[place] > 0 ? each / n[place] : 0));
    const next = new Float64Array(W);
    for (let w = 0; w < W; w++) {
      let [left, all] = [0, 0];
      for (let place = w * O; place < (w + 1) * O; place++) {
        left += squares[place] - n[place] * shift[place] ** 2;
        all += n[place];
      }
      next[w] = all > 0 ? Math.max(left / all, LEAST * unit ** 2) : unit ** 2;
    }
    variance = next;
    answers = answers.map((own, t) =>
      own.map(([w, y]) => [w, y - shift[w * O + output(t)]] as const),
    );
  }
  return { answers, variance };
}

type Partners = readonly ReadonlyMap<number, number>[];

/** Correlations of all pairs that have tasks enough in common, judged by others than those who go with either. */
function correlationsOf(
  { answers, variance }: Centred,
  counted: ReadonlySet<number>,
  partners: Partners,
): Judged[] {
  const W = variance.length;
  const pairs = new Map<number, Sums>();
  let visits = 0;
  for (const own of answers) {
    if (visits > MOST_VISITS) break;
    const others = othersOf(own, variance, partners);
    for (let at = 0; at < own.length; at++) {
      const [v, y] = own[at];
      for (let before = 0; counted.has(v) && before < at; before++, visits++) {
        const [u, x] = own[before];
        if (u === v || !counted.has(u)) continue;
        const found = others(u, v);
        if (!found) continue;
        const sums = pairs.get(u * W + v) ?? emptySums(u, v);
        add(sums, x - found.value, y - found.value, found.variance);
        pairs.set(u * W + v, sums);
      }
    }
  }
  return [...pairs.values()].filter(({ common }) => common >= FEWEST).map(correlationOf);
}

function answersByTask({ tasks, task, worker, value }: NumericData): TaskAnswers[] {
  const answers = Array.from(tasks, (): [number, number][] => []);
  for (let i = 0; i < task.length; i++) answers[task[i]].push([worker[i], value[i]]);
  for (const each of answers) each.sort((a, b) => a[0] - b[0]);
  return answers;
}

/**
 * Returns the mean of a task without two workers and those who go with them, and its variance; undefined if nobody is
 * left. Workers who go together count as one. A plain mean: precisions would trust copies, who agree.
 */
function othersOf(
  answers: TaskAnswers,
  variance: Float64Array,
  partners: Partners,
): (u: number, v: number) => { value: number; variance: number } | undefined {
  const here = new Set(answers.map(([w]) => w));
  const weights = answers.map(([w]) => {
    let alike = 1;
    for (const partner of partners[w].keys()) if (here.has(partner)) alike++;
    return 1 / alike;
  });
  const sumOf = (counts: (w: number) => boolean) => {
    let [sum, total, spread] = [0, 0, 0];
    for (const [k, [w, y]] of answers.entries()) {
      if (!counts(w)) continue;
      sum += weights[k] * y;
      total += weights[k];
      spread += weights[k] * variance[w];
    }
    return { sum, total, spread };
  };
  const all = sumOf(() => true);
  return (u, v) => {
    const out = (w: number) => w === u || w === v || partners[u].has(w) || partners[v].has(w);
    const gone = sumOf(out);
    const total = all.total - gone.total;
    if (total < 1e-9) return undefined;
    return {
      value: (all.sum - gone.sum) / total,
      variance: (all.spread - gone.spread) / total ** 2,
    };
  };
}

const emptySums = (u: number, v: number): Sums => ({
  pair: [u, v],
  common: 0,
  a: 0,
  b: 0,
  aa: 0,
  bb: 0,
  ab: 0,
  variance: 0,
});

function add(sums: Sums, a: number, b: number, variance: number): void {
  sums.common++;
  sums.a += a;
  sums.b += b;
  sums.aa += a * a;
  sums.bb += b * b;
  sums.ab += a * b;
  sums.variance += variance;
}

/** Correlation of errors less what the unsure value adds to it. */
function correlationOf({ pair, common: n, a, b, aa, bb, ab, variance }: Sums): Judged {
  const unsure = variance / n;
  const [one, other] = [aa / n - (a / n) ** 2, bb / n - (b / n) ** 2];
  const joint = ab / n - (a / n) * (b / n) - unsure;
  const own = Math.sqrt(Math.max(one - unsure, 0) * Math.max(other - unsure, 0));
  const error = Math.sqrt((one * other + unsure ** 2) / n);
  return {
    workers: pair,
    correlation: own > 0 ? Math.max(-1, Math.min(1, joint / own)) : Math.sign(joint),
    common: n,
    excess: error > 0 ? joint / error : 0,
  };
}
