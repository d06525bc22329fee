/** Crowds of honest workers and spammers of a known kind and share: what detectors of spammers are measured on. */
import { createRandom, type Random } from "../math/random.ts";
import { simulateCrowd } from "../simulate/crowd.ts";
import { unevenErrors } from "../simulate/draw.ts";
import type { Drawn } from "../simulate/simulation.ts";

/** What a spammer does: guesses evenly, always says one class, or guesses by the shares of the classes. */
export const spammerKinds = ["uniform", "one-class", "frequency"] as const;

export type SpammerKind = (typeof spammerKinds)[number];

export interface SpammerCrowd {
  readonly tasks: number;
  readonly workers: number;
  /** 0: every worker labels every task. */
  readonly labelsPerTask: number;
  /** The share of each class. */
  readonly prior: readonly number[];
  /** Share of workers who are spammers. */
  readonly spammers: number;
  readonly kind: SpammerKind;
  /** Lowest and highest probability of a right label of an honest worker, drawn evenly for each class. */
  readonly low: number;
  readonly high: number;
  readonly seed: number;
}

/** Draws the crowd; the roles are "honest" and "spammer", the spammers come last. */
export function spammerCrowd(options: SpammerCrowd): Drawn {
  const { tasks, workers: W, labelsPerTask, prior, spammers, kind, low, high, seed } = options;
  const random = createRandom(seed).split("spammers");
  const draws = random.split("workers");
  const honest = W - Math.round(spammers * W);
  const right = () => low + (high - low) * draws.next();
  const workers = Array.from({ length: W }, (_, w) => ({
    role: w < honest ? "honest" : "spammer",
    block: w < honest ? unevenErrors(prior.length, right, draws) : spammerRows(prior, kind, draws),
  }));
  return simulateCrowd(
    { tasks, testTasks: 0, workers: W, labelsPerTask, activity: 0, regular: false },
    Float64Array.from(prior),
    workers,
    random,
    { of: "spammers", train: tasks, test: 0 },
  );
}

function spammerRows(prior: readonly number[], kind: SpammerKind, random: Random): Float64Array {
  const K = prior.length;
  const always = Math.floor(random.next() * K);
  return Float64Array.from({ length: K * K }, (_, cell) => {
    const l = cell % K;
    if (kind === "one-class") return l === always ? 1 : 0;
    return kind === "uniform" ? 1 / K : prior[l];
  });
}
