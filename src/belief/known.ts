/**
 * What may be known beyond the labels, in every probabilistic method: gold, priors, a worker's past.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError, hint } from "../error.ts";
import { checkLinks, type Links } from "./links.ts";

/** What may be known beyond the labels: gold, priors, history of workers. */
export interface Known {
  /** Known class of each task, or -1: clamped in every E step. Not `data.gold`, which only scores. */
  readonly gold?: Int32Array;
  /** Soft gold: multiplies the likelihood of each task, as evidence[task * K + class]. */
  readonly evidence?: Float64Array;
  /** False if gold was chosen by class, so that it says nothing of how common a class is. Default true. */
  readonly goldInPrior?: boolean;
  /** P(class), fixed. */
  readonly prior?: Float64Array;
  /** Pseudo-tasks of each class, added where the class prior is learnt. */
  readonly priorCounts?: Float64Array;
  /** P(class) of each task, in place of the prior: taskPrior[task * K + class]. */
  readonly taskPrior?: Float64Array;
  /** Pseudo-labels of each worker from the past: history[(worker * K + class) * L + label]. */
  readonly history?: Float64Array;
  /** Where to start: a posterior, as start[task * K + class]. */
  readonly start?: Float64Array;
  /**
   * Groups of workers who may err together (site, team, model family), as groups[worker], or -1 for a worker who
   * belongs to none; for `group-dawid-skene` and `group-vote`.
   */
  readonly groups?: Int32Array;
  /** One weight per worker, for `weighted-vote`; NaN where unknown. */
  readonly weights?: Float64Array;
  /** P(class) of each task by a classifier, for `crowdlab`: predictions[task * K + class]. */
  readonly predictions?: Float64Array;
  /** P(label | class, worker), for `oracle`: confusion[(worker * K + class) * L + label]. */
  readonly confusion?: Float64Array;
  /** Pairs of tasks that tend to have the same class, for `graph-dawid-skene`. */
  readonly links?: Links;
}

/** Returns whether anything beyond labels tells the class of a task: gold, or a row that prefers some class. */
export function isKnownTask(
  { gold, evidence, taskPrior, predictions }: Known,
  t: number,
  K: number,
) {
  const prefers = (rows: Float64Array | undefined) =>
    rows?.subarray(t * K, (t + 1) * K).some((x) => x !== rows[t * K]) ?? false;
  return (gold?.[t] ?? -1) >= 0 || prefers(evidence) || prefers(taskPrior) || prefers(predictions);
}

/** Refuses what has the wrong size or holds what is no probability. */
export function checkKnown(id: string, data: CategoricalData, L: number, known: Known): void {
  const T = data.tasks.length;
  const W = data.workers.length;
  const K = data.classes.length;
  const lengths: [keyof Known, number][] = [
    ["gold", T],
    ["evidence", T * K],
    ["prior", K],
    ["priorCounts", K],
    ["taskPrior", T * K],
    ["history", W * K * L],
    ["start", T * K],
    ["groups", W],
    ["weights", W],
    ["predictions", T * K],
    ["confusion", W * K * L],
  ];
  for (const [name, length] of lengths) {
    const values = known[name] as Float64Array | Int32Array | undefined;
    if (values === undefined) continue;
    if (values.length !== length) {
      throw new CrowdError(
        "bad-option",
        `${id}: ${hint(`known.${name}`)} must hold ${length} numbers, not ${values.length}.`,
      );
    }
    if (name === "weights") continue;
    const numbered = name === "gold" || name === "groups";
    // The rows of a start are divided by their sums, so that posteriors may go back in as they came out.
    const fits = name === "start" ? (x: number) => x >= 0 && x <= 1e100 : isSize;
    const wrong = values.findIndex((x) => !(numbered ? x >= -1 : fits(x)));
    if (wrong >= 0) {
      throw new CrowdError(
        "bad-option",
        `${id}: ${hint(`known.${name}`)}[${wrong}] is ${values[wrong]}. ` +
          (numbered
            ? `Give a ${name === "gold" ? "class" : "group"} by its number, or -1.`
            : `Numbers there are ${SIZES}.`),
      );
    }
  }
  if (known.gold?.some((k) => k >= K)) {
    throw new CrowdError(
      "bad-option",
      `${id}: ${hint("known.gold")} names a class above the last, ${K - 1}.`,
    );
  }
  if (known.links) checkLinks(id, known.links, T);
  for (const name of ["evidence", "taskPrior", "start", "predictions"] as const) {
    const rows = known[name];
    for (let t = 0; rows && t < T; t++) {
      if (!rows.subarray(t * K, (t + 1) * K).some((x) => x > 0)) {
        throw new CrowdError(
          "bad-option",
          `${id}: ${hint(`known.${name}`)} leaves task ${t} no class at all.`,
        );
      }
    }
  }
}

/** What counts and probabilities may be, so that neither products nor sums leave the numbers. */
const SIZES = "0, or from 1e-100 to 1e100";

function isSize(x: number): boolean {
  return x === 0 || (x >= 1e-100 && x <= 1e100);
}

const words = {
  gold: "gold",
  evidence: "evidence on tasks",
  prior: "the class prior",
  taskPrior: "the priors of tasks",
  history: "workers' history",
  groups: "workers' groups",
  links: "links between tasks",
} as const;

/** The same, and what of it nobody has looked at so far, in words. */
export function watchKnown(known: Known): { watched: Known; unread: () => string[] } {
  const unread = new Set<string>();
  const watched = { ...known };
  for (const [name, word] of Object.entries(words)) {
    const value = known[name as keyof typeof words];
    if (value === undefined) continue;
    unread.add(word);
    Object.defineProperty(watched, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        if (unread.size > 0) unread.delete(word);
        return value;
      },
    });
  }
  return { watched, unread: () => [...unread] };
}

/** What multiplies the prior of each task, base[task * K + class]: gold, evidence, task priors. */
export function taskBase(data: CategoricalData, known: Known): Float64Array | undefined {
  const { gold, evidence, taskPrior } = known;
  if (!gold?.some((k) => k >= 0) && !evidence && !taskPrior) return undefined;
  const K = data.classes.length;
  const base = taskPrior ? taskPrior.slice() : new Float64Array(data.tasks.length * K).fill(1);
  if (evidence) for (let i = 0; i < base.length; i++) base[i] *= evidence[i];
  for (let t = 0; gold && t < gold.length; t++) {
    if (gold[t] >= 0) for (let k = 0; k < K; k++) base[t * K + k] = k === gold[t] ? 1 : 0;
  }
  return base;
}

/** Vote shares, or the given start, with gold and evidence put in. */
export function startingPosterior(
  data: CategoricalData,
  known: Known,
  shares: Float64Array,
): Float64Array {
  const K = data.classes.length;
  const posterior = (known.start ?? shares).slice();
  const { gold, evidence } = known;
  for (let t = 0; t < data.tasks.length; t++) {
    let sum = 0;
    for (let k = 0; k < K; k++) {
      const at = t * K + k;
      if (evidence) posterior[at] *= evidence[at];
      if (gold && gold[t] >= 0) posterior[at] = k === gold[t] ? 1 : 0;
      sum += posterior[at];
    }
    for (let k = 0; k < K; k++) {
      if (sum > 0) posterior[t * K + k] /= sum;
      else posterior[t * K + k] = evidence ? evidence[t * K + k] : 1 / K;
    }
  }
  return posterior;
}

/** Puts gold into a posterior, in place. */
export function clampGold(data: CategoricalData, { gold }: Known, posterior: Float64Array): void {
  const K = data.classes.length;
  for (let t = 0; gold && t < gold.length; t++) {
    if (gold[t] < 0) continue;
    posterior.fill(0, t * K, (t + 1) * K);
    posterior[t * K + gold[t]] = 1;
  }
}
