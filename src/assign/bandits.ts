/**
 * Workers as the arms of a bandit, beside the expected gain: a worker of whom little is known may be better than the mean of what is
 * believed says.
 *
 *   ucb        entropy of the task × (min(1, s + √(2 ln t / n*)) − 1/K), s being P(right label) and t the number of labels
 *   thompson   the expected information of the task from rows drawn for the worker, Dirichlet with the mean θ and weight 2 + n* over K per row
 *
 * n* is what the labels of a worker are worth as evidence: Σ (1 − H(q) / ln K) over the tasks q that the worker labelled, since a label of a task
 * of which nothing is known says nothing of its worker. It is a cheap stand-in for the jackknife of `skillIntervals`.
 *
 * Auer, Cesa-Bianchi & Fischer (2002). https://doi.org/10.1023/A:1013689704352
 */

import type { CategoricalData } from "../data/categorical.ts";
import { dirichlet } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import type { OnlineModel } from "../online/online.ts";
import {
  diagonalOf,
  entropyOf,
  expectedInformation,
  type Speaker,
  speakerOf,
} from "./expected-gain.ts";
import type { Offers } from "./offers.ts";
import type { Speakers } from "./speakers.ts";

/** How workers are compared for a task. */
export type WorkerChoice = "gain" | "ucb" | "thompson";

/** All ways to compare workers, the default first. */
export const workerChoices: readonly WorkerChoice[] = ["gain", "ucb", "thompson"];

/** What the labels of workers are worth as evidence of how they label. */
export interface Evidence {
  add(w: number, belief: Float64Array): void;
  /** Returns n* of a worker. */
  of(w: number): number;
  /** Returns the number of labels. */
  labels(): number;
  /** Counts all labels again. O(labels). */
  recount(model: OnlineModel): void;
}

export function createEvidence(offers: Offers, K: number): Evidence {
  const worth = new Map<number, number>();
  let labels = 0;
  const add = (w: number, belief: Float64Array) => {
    const known = K > 1 ? 1 - entropyOf(belief, 0, K) / Math.log(K) : 1;
    worth.set(w, (worth.get(w) ?? 0) + known);
    labels++;
  };
  return {
    add,
    of: (w) => worth.get(w) ?? 0,
    labels: () => labels,
    recount(model) {
      worth.clear();
      labels = 0;
      const { task, worker, tasks, workers }: CategoricalData = model.data();
      const beliefs = Array.from(tasks, (name) => model.posterior(name).posterior);
      const numbers = Array.from(workers, (name) => offers.worker(name));
      for (let i = 0; i < task.length; i++) add(numbers[worker[i]], beliefs[task[i]]);
    },
  };
}

/** Weight of what is believed of a worker before any label, per row. */
const PRIOR = 2;

/** Returns what a label of a worker is worth for a task that is believed[at + class]; drawn anew with every `turn`. */
export function createBandit(
  choice: Exclude<WorkerChoice, "gain">,
  speakers: Speakers,
  evidence: Evidence,
  K: number,
  random: Random,
) {
  const drawn = new Map<number, Speaker>();
  const draw = (w: number): Speaker => {
    const known = drawn.get(w);
    if (known) return known;
    const { rows } = speakers.of(w);
    const L = rows.length / K;
    const weight = evidence.of(w) / K + PRIOR;
    const own = new Float64Array(rows.length);
    for (let c = 0; c < K; c++) {
      const alpha = rows.slice(c * L, (c + 1) * L).map((p) => Math.max(1e-3, p * weight));
      dirichlet(random, alpha, own.subarray(c * L, (c + 1) * L));
    }
    const speaker = speakerOf(own, K);
    drawn.set(w, speaker);
    return speaker;
  };
  const index = (w: number) => {
    const width = Math.sqrt((2 * Math.log(Math.max(2, evidence.labels()))) / evidence.of(w));
    return Math.max(0, Math.min(1, diagonalOf(speakers.of(w)) + width) - 1 / K);
  };
  return {
    turn: () => drawn.clear(),
    score: (believed: Float64Array, at: number, w: number) =>
      choice === "ucb"
        ? entropyOf(believed, at, K) * index(w)
        : expectedInformation(believed, at, draw(w)),
  };
}
