/**
 * How many independent workers those who gave numbers are worth: copies of one worker err together.
 *
 * The error of an answer is what it lies above the value that others than the two workers in question give its task:
 * their mean, by the precision that each worker has under `gaussian`. That value errs too, which moves both errors alike;
 * its variance is taken off their covariance. Their correlation over tasks that both answered counts where it exceeds
 * four standard errors (correlation · sqrt(tasks) > 4). Then the number is that of panel-size.ts.
 */
import { gaussian } from "../../aggregate/numeric/gaussian.ts";
import { labelsPerWorker } from "../../data/crowd-data.ts";
import { inCommonUnits, type NumericData } from "../../data/numeric.ts";
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
/** Rounds in which pairs found to go together are taken out of the values that others are judged by. */
const ROUNDS = 3;

/** Sums over the tasks that two workers have in common. */
interface Sums {
  readonly pair: readonly [number, number];
  common: number;
  joint: number;
  one: number;
  other: number;
}

/** Counts the independent workers among those who gave numbers. */
export function effectiveAnswerers(given: NumericData): EffectiveAnswerers {
  const data = inCommonUnits(given);
  const workload = labelsPerWorker(data);
  const counted = Array.from(workload.keys()).filter((w) => workload[w] >= FEWEST);
  const precision = precisionsOf(given);
  let found: AnswererCorrelation[] = [];
  let partners = Array.from(data.workers, () => new Map<number, number>());
  for (let round = 0; round < ROUNDS; round++) {
    const before = found.filter(({ dependent }) => dependent).length;
    found = correlationsOf(data, precision, new Set(counted), partners);
    partners = Array.from(data.workers, () => new Map<number, number>());
    for (const { workers: [u, v], correlation, dependent } of found) {
      if (!dependent) continue;
      partners[u].set(v, correlation);
      partners[v].set(u, correlation);
    }
    if (found.filter(({ dependent }) => dependent).length === before) break;
  }
  return {
    crowd: crowdSize({ background: 0, partners }, counted),
    workers: counted.length,
    correlations: found
      .sort((a, b) => Number(b.dependent) - Number(a.dependent) || b.correlation - a.correlation)
      .filter(({ dependent }, k) => dependent || k < LISTED),
  };
}

/** Precision of each worker, in units of the pooled variance; 1 for those without answers. */
function precisionsOf(data: NumericData): Float64Array {
  const { weight } = gaussian(data, { tolerance: 1e-4 });
  return weight.map((each) => (each > 0 ? each : 1));
}

/** Correlations of all pairs that have tasks enough in common, judged by others than those who go with either. */
function correlationsOf(
  data: NumericData,
  precision: Float64Array,
  counted: ReadonlySet<number>,
  partners: readonly ReadonlyMap<number, number>[],
): AnswererCorrelation[] {
  const pairs = new Map<number, Sums>();
  for (const answers of answersByTask(data)) {
    for (const [at, [v, y]] of answers.entries()) {
      if (!counted.has(v)) continue;
      for (const [u, x] of answers.slice(0, at)) {
        if (u === v || !counted.has(u)) continue;
        const others = answers.filter(
          ([w]) => w !== u && w !== v && !partners[u].has(w) && !partners[v].has(w),
        );
        add(pairs, u, v, x, y, valueOf(others, precision), data.workers.length);
      }
    }
  }
  return [...pairs.values()]
    .filter(({ common }) => common >= FEWEST)
    .map(({ pair, common, joint, one, other }) => {
      const correlation = one > 0 && other > 0 ? joint / Math.sqrt(one * other) : 0;
      return {
        workers: pair,
        correlation: Math.max(-1, Math.min(1, correlation)),
        common,
        dependent: correlation * Math.sqrt(common) > THRESHOLD,
      };
    });
}

/** Worker and number of each answer of a task, task after task, by worker. */
function answersByTask({ tasks, task, worker, value }: NumericData): [number, number][][] {
  const answers = Array.from(tasks, (): [number, number][] => []);
  for (let i = 0; i < task.length; i++) answers[task[i]].push([worker[i], value[i]]);
  for (const each of answers) each.sort((a, b) => a[0] - b[0]);
  return answers;
}

/** Mean of answers by precision, and its variance; undefined without answers. */
function valueOf(answers: readonly (readonly [number, number])[], precision: Float64Array) {
  let [sum, total] = [0, 0];
  for (const [w, y] of answers) {
    sum += precision[w] * y;
    total += precision[w];
  }
  return total > 0 ? { value: sum / total, variance: 1 / total } : undefined;
}

function add(
  pairs: Map<number, Sums>,
  u: number,
  v: number,
  x: number,
  y: number,
  task: ReturnType<typeof valueOf>,
  workers: number,
): void {
  if (!task) return;
  const key = u * workers + v;
  const sums = pairs.get(key) ?? { pair: [u, v] as const, common: 0, joint: 0, one: 0, other: 0 };
  const [a, b] = [x - task.value, y - task.value];
  sums.common++;
  sums.joint += a * b - task.variance;
  sums.one += a * a - task.variance;
  sums.other += b * b - task.variance;
  pairs.set(key, sums);
}
