/**
 * How common a class is, and how often workers see it where it is and where it is not, from how well
 * each tells it from the rest: v = √(1 - b²) · (sensitivity + specificity - 1).
 *
 * Jaffe, Nadler & Kluger (2015), AISTATS, PMLR 38, 407–415. https://proceedings.mlr.press/v38/jaffe15.html
 */
import type { CategoricalData } from "../../../data/categorical.ts";

export interface Asked {
  readonly data: CategoricalData;
  /** +1 or -1 per label, times its weight. */
  readonly sign: Float64Array;
  /** One number per worker. */
  readonly v: Float64Array;
}

export interface TwoClassRates {
  readonly sensitivity: Float64Array;
  readonly specificity: Float64Array;
}

/** Imbalances further out leave one of the classes without tasks. */
const MOST = 0.98;
/** Rates are kept this far from 0 and 1. */
const LEAST = 0.01;

/**
 * b from third moments: T = a · v · v · v over all triples of workers, by least squares, each triple as
 * often as it shares a task; then b = -a / √(4 + a²). Undefined where no task has three workers with v.
 */
export function imbalanceByMoments({ data, sign, v }: Asked): number | undefined {
  const { task, worker, tasks, weight } = data;
  const mean = meansOf(data, sign);
  const T = tasks.length;
  const seen = symmetricSums(T);
  const model = symmetricSums(T);
  for (let i = 0; i < task.length; i++) {
    const w = worker[i];
    // A third of the weight's logarithm each: a task whose labels all weigh two is two tasks.
    const share = weight ? Math.cbrt(weight[i]) : 1;
    seen.add(task[i], share * v[w] * (Math.sign(sign[i]) - mean[w]));
    model.add(task[i], share * v[w] * v[w]);
  }
  const size = model.total();
  if (!(size > 0)) return undefined;
  const a = seen.total() / size;
  return clip(-a / Math.sqrt(4 + a * a), MOST);
}

/** The b of 99 under which the labels are likeliest. */
export function imbalanceByScan(asked: Asked): number {
  let best = 0;
  let highest = logLikelihood(asked, 0);
  for (let step = 1; step <= 49; step++) {
    for (const b of [0.02 * step, -0.02 * step]) {
      const likelihood = logLikelihood(asked, b);
      if (likelihood > highest) [best, highest] = [b, likelihood];
    }
  }
  return best;
}

/** sensitivity = ½ (1 + mean + v √((1-b)/(1+b))), specificity = ½ (1 - mean + v √((1+b)/(1-b))). */
export function ratesOf({ data, sign, v }: Asked, b: number): TwoClassRates {
  const mean = meansOf(data, sign);
  const odds = Math.sqrt((1 - b) / (1 + b));
  const rate = (x: number) => Math.min(1 - LEAST, Math.max(LEAST, 0.5 * (1 + x)));
  return {
    sensitivity: v.map((x, w) => rate(mean[w] + x * odds)),
    specificity: v.map((x, w) => rate(-mean[w] + x / odds)),
  };
}

/** What a label that says the class, or another, adds to the log-odds of the class. */
export function oddsOf({ sensitivity, specificity }: TwoClassRates) {
  return {
    says: sensitivity.map((p, w) => Math.log(p / (1 - specificity[w]))),
    denies: sensitivity.map((p, w) => Math.log((1 - p) / specificity[w])),
  };
}

function logLikelihood(asked: Asked, b: number): number {
  const { data, sign } = asked;
  const { sensitivity, specificity } = ratesOf(asked, b);
  const { says, denies } = oddsOf({ sensitivity, specificity });
  const odds = new Float64Array(data.tasks.length).fill(Math.log((1 + b) / (1 - b)));
  let sum = data.tasks.length * Math.log((1 - b) / 2);
  for (let i = 0; i < sign.length; i++) {
    const w = data.worker[i];
    const count = Math.abs(sign[i]);
    odds[data.task[i]] += count * (sign[i] > 0 ? says[w] : denies[w]);
    sum += count * Math.log(sign[i] > 0 ? 1 - specificity[w] : specificity[w]);
  }
  for (const x of odds) sum += Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
  return sum;
}

/** Mean of each worker's +1 and -1, by weight; 0 without labels. */
function meansOf({ workers, worker }: CategoricalData, sign: Float64Array): Float64Array {
  const sums = new Float64Array(workers.length);
  const all = new Float64Array(workers.length);
  for (let i = 0; i < worker.length; i++) {
    sums[worker[i]] += sign[i];
    all[worker[i]] += Math.abs(sign[i]);
  }
  return sums.map((sum, w) => (all[w] > 0 ? sum / all[w] : 0));
}

/** Sums over all triples of a task's numbers of their product, for all tasks, one number at a time. */
function symmetricSums(T: number) {
  const one = new Float64Array(T);
  const two = new Float64Array(T);
  const three = new Float64Array(T);
  return {
    add(t: number, y: number): void {
      three[t] += y * two[t];
      two[t] += y * one[t];
      one[t] += y;
    },
    total: () => three.reduce((sum, x) => sum + x, 0),
  };
}

function clip(x: number, most: number): number {
  return Math.min(most, Math.max(-most, x));
}
