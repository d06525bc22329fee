/**
 * Sensitivity and specificity of workers, shrunk in two levels: those of a worker on a label to those of the worker on all
 * labels, and these to those of the crowd.
 *
 *   crowd   s    = (Σ_ul n1 + 1) / (Σ_ul n + 2)
 *   worker  s_u  = (Σ_l n1 + kappa0 s) / (Σ_l n + kappa0)
 *   label   s_ul = (n1 + kappa s_u) / (n + kappa)
 *
 * with n the expected number of the worker's answers on tasks that the label belongs to, and n1 those that chose it;
 * specificity is the same of labels that do not belong and were not chosen.
 */
import type { Frame } from "./labeller.ts";

/** Expected counts by worker and label, W × L: of labels that belong to the task (and were chosen), and of others. */
export interface Counts {
  readonly belongs: Float64Array;
  readonly hit: Float64Array;
  readonly others: Float64Array;
  readonly passed: Float64Array;
}

/** Two rates for each of something. */
interface Pair {
  readonly sensitivity: Float64Array;
  readonly specificity: Float64Array;
}

/** Rates of each worker over all labels, and of each worker on each label. */
export interface Rates {
  readonly worker: Pair;
  readonly label: Pair;
}

/** How strongly rates are drawn to those of the level above, in answers. */
export interface Shrinkage {
  readonly kappa: number;
  readonly kappa0: number;
}

/** Rates stay away from 0 and 1 by this. */
const LEAST = 1e-6;
/** A pull from here on leaves nothing of the own rates. */
const INFINITE = 1e9;
/** Added to each cell where labels are separate. */
const CELL = 0.01;

const clip = (rate: number) => Math.min(1 - LEAST, Math.max(LEAST, rate));

/** Sums what workers chose, weighed by the probability that labels belong. */
export function countsOf(frame: Frame, posterior: Float64Array): Counts {
  const { T, W, L, from, worker, weight, start, label } = frame;
  const [belongs, hit, others, passed] = Array.from({ length: 4 }, () => new Float64Array(W * L));
  for (let t = 0; t < T; t++) {
    for (let i = from[t]; i < from[t + 1]; i++) {
      const w = worker[i] * L;
      for (let l = 0; l < L; l++) {
        const q = posterior[t * L + l];
        belongs[w + l] += weight[i] * q;
        others[w + l] += weight[i] * (1 - q);
        passed[w + l] += weight[i] * (1 - q);
      }
      for (let at = start[i]; at < start[i + 1]; at++) {
        const q = posterior[t * L + label[at]];
        hit[w + label[at]] += weight[i] * q;
        passed[w + label[at]] -= weight[i] * (1 - q);
      }
    }
  }
  return { belongs, hit, others, passed };
}

/** The rates that the counts give. */
export function ratesOf(
  { belongs, hit, others, passed }: Counts,
  { W, L }: Pick<Frame, "W" | "L">,
  { kappa, kappa0 }: Shrinkage = { kappa: 10, kappa0: 10 },
): Rates {
  const sensitive = shrunk(hit, belongs, W, L, kappa, kappa0);
  const specific = shrunk(passed, others, W, L, kappa, kappa0);
  return {
    worker: { sensitivity: sensitive.worker, specificity: specific.worker },
    label: { sensitivity: sensitive.label, specificity: specific.label },
  };
}

function shrunk(
  part: Float64Array,
  whole: Float64Array,
  W: number,
  L: number,
  kappa: number,
  kappa0: number,
): { worker: Float64Array; label: Float64Array } {
  const sum = (list: Float64Array) => list.reduce((total, x) => total + x, 0);
  const crowd = (sum(part) + 1) / (sum(whole) + 2);
  const worker = Float64Array.from({ length: W }, (_, w) => {
    const [own, all] = [part, whole].map((list) => sum(list.subarray(w * L, (w + 1) * L)));
    return kappa0 >= INFINITE || all + kappa0 === 0
      ? clip(crowd)
      : clip((own + kappa0 * crowd) / (all + kappa0));
  });
  const label = part.map((own, at) => {
    if (kappa >= INFINITE) return worker[Math.floor(at / L)];
    if (kappa === 0) return clip((own + CELL) / (whole[at] + 2 * CELL));
    return clip((own + kappa * worker[Math.floor(at / L)]) / (whole[at] + kappa));
  });
  return { worker, label };
}
