/** A crowd of which half is biased between two groups of tasks, with features. */
import type { CategoricalData } from "../data/categorical.ts";
import { namesOf } from "../data/names.ts";
import { normal } from "../math/distributions.ts";
import { createRandom, type Random } from "../math/random.ts";

/** How the crowd is drawn. */
export interface BiasedCrowdOptions {
  readonly tasks: number;
  readonly workers: number;
  /** Probability that a worker labels a task. */
  readonly rate: number;
  /** By how much the first feature is shifted, up in group 0 and down in group 1. */
  readonly shift: number;
  /** What biased workers lose: sensitivity in group 0, specificity in group 1. */
  readonly bias: number;
  readonly seed: number;
}

/** The crowd, with `taskAttributes.group` and the features behind its truth. */
export interface BiasedCrowd {
  readonly data: CategoricalData;
  /** The group of each task: "0" or "1". */
  readonly groups: readonly string[];
  /** Standard normal but for the shift: features[task * 6 + column]. */
  readonly features: Float64Array;
}

export const FEATURES = 6;

/** Slopes of the log-odds of class 1; with them truth has the parity difference of the published run. */
const slopes = [1.4, 0.8, 0.8, 0.5, 0.5, 0.3];

/** Range of sensitivity and specificity before the bias. */
const [LOWEST, HIGHEST] = [0.7, 0.92];

/** Draws features, truth and labels. */
export function biasedCrowd({
  tasks: T,
  workers: W,
  rate,
  shift,
  bias,
  seed,
}: BiasedCrowdOptions): BiasedCrowd {
  const random = createRandom(seed).split("biased crowd");
  const groups = Array.from({ length: T }, () => (random.next() < 0.5 ? "0" : "1"));
  const features = Float64Array.from({ length: T * FEATURES }, () => normal(random));
  const gold = Int32Array.from(groups, (group, t) => {
    // Group 1 has the higher share of class 1, as biased workers make it still higher there.
    features[t * FEATURES] += group === "1" ? shift : -shift;
    let odds = 0;
    for (let j = 0; j < FEATURES; j++) odds += slopes[j] * features[t * FEATURES + j];
    return Number(random.next() < 1 / (1 + Math.exp(-odds)));
  });
  const skills = Array.from({ length: W }, (_, w) => skillOf(random, w < W / 2 ? bias : 0));
  const rows: { t: number; w: number; label: number }[] = [];
  for (let t = 0; t < T; t++) {
    for (let w = 0; w < W; w++) {
      const asked = random.next() < rate;
      const right = random.next() < skills[w](groups[t], gold[t]);
      if (asked) rows.push({ t, w, label: right ? gold[t] : 1 - gold[t] });
    }
  }
  const names = (letter: string, n: number) =>
    namesOf(Array.from({ length: n }, (_, i) => `${letter}${i}`));
  const data: CategoricalData = {
    kind: "categorical",
    tasks: names("t", T),
    workers: names("w", W),
    classes: namesOf(["0", "1"]),
    task: Int32Array.from(rows, ({ t }) => t),
    worker: Int32Array.from(rows, ({ w }) => w),
    label: Int32Array.from(rows, ({ label }) => label),
    gold,
    taskAttributes: new Map([["group", groups]]),
    notes: [],
  };
  return { data, groups, features };
}

/** Draws the skills of one worker: P(right label) by group and true class. */
function skillOf(random: Random, bias: number): (group: string, truth: number) => number {
  const draw = () => LOWEST + (HIGHEST - LOWEST) * random.next();
  const [sensitivity, specificity] = [draw(), draw()];
  return (group, truth) =>
    truth === 1
      ? sensitivity - (group === "0" ? bias : 0)
      : specificity - (group === "1" ? bias : 0);
}
