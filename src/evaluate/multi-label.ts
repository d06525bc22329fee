/**
 * Sets of labels against gold: label by label over all tasks (micro: precision, recall, F1), the mean F1 of the labels
 * (macro, over labels that either side has), how many sets are right as a whole, and whether probabilities of labels
 * mean what they say.
 */

import { type Names, namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import type { Interval } from "./accuracy.ts";
import { type Calibration, calibration } from "./calibration.ts";
import { ratioOverTasks } from "./ratio.ts";

/** Sets to be scored, T × L. */
export interface ScoredSets {
  readonly classes: Names;
  /** 1 for the labels of each task. */
  readonly chosen: Uint8Array;
  /** Probability that each label belongs to each task, where it is known. */
  readonly posterior?: Float64Array | undefined;
  /** 1, 0, or -1 where it is not known: such labels are not scored. */
  readonly gold: Int8Array;
}

/** All scores of sets of labels against gold. */
export interface MultiLabelMetrics {
  /** Number of tasks with gold. */
  readonly tasks: number;
  /** Labels chosen, labels of gold, and those that are both. */
  readonly labels: { readonly found: number; readonly gold: number; readonly right: number };
  /** NaN where nothing was chosen, or gold has nothing. */
  readonly precision: number;
  readonly recall: number;
  /** F1 of all labels together, with a 95 % interval over tasks; NaN where neither side has any. */
  readonly microF1: Interval;
  /** Mean F1 of the labels that either side has. */
  readonly macroF1: number;
  /** Share of tasks whose whole set is right, with a 95 % interval. */
  readonly setAccuracy: Interval;
  /** Share of labels decided wrongly, over all tasks and labels. */
  readonly hamming: number;
  /** Whether labels with a probability of .8 belong in 80 % of the cases; absent without probabilities. */
  readonly calibration?: Calibration;
  /** Counts of each label, in the order of the labels. */
  readonly perLabel: readonly {
    readonly found: number;
    readonly gold: number;
    readonly right: number;
  }[];
  /** What each task adds to the micro F1: their mean is the score. */
  readonly credits: Float64Array;
}

interface Counts {
  found: number;
  gold: number;
  right: number;
  wrong: number;
  known: number;
}

/** Scores sets of labels against gold. */
export function evaluateSets({ classes, chosen, posterior, gold }: ScoredSets): MultiLabelMetrics {
  const L = classes.length;
  const none = (): Counts => ({ found: 0, gold: 0, right: 0, wrong: 0, known: 0 });
  const labels = Array.from({ length: L }, none);
  const tasks: Counts[] = [];
  for (let t = 0; t * L < gold.length; t++) {
    const own = none();
    for (let l = 0; l < L; l++) {
      const [said, known] = [chosen[t * L + l], gold[t * L + l]];
      if (known < 0) continue;
      for (const part of [own, labels[l]]) {
        part.known++;
        part.found += said;
        part.gold += known;
        part.right += said * known;
        part.wrong += said === known ? 0 : 1;
      }
    }
    if (own.known > 0) tasks.push(own);
  }
  if (tasks.length === 0) {
    throw new CrowdError(
      "bad-data",
      "There is no gold to score against: no task has known labels.",
    );
  }
  const total = (of: (part: Counts) => number) => tasks.reduce((sum, part) => sum + of(part), 0);
  const [found, known, right] = [
    total((p) => p.found),
    total((p) => p.gold),
    total((p) => p.right),
  ];
  const micro = ratioOverTasks(
    tasks.map((p) => 2 * p.right),
    tasks.map((p) => p.found + p.gold),
  );
  const met = labels.filter((p) => p.found + p.gold > 0);
  return {
    tasks: tasks.length,
    labels: { found, gold: known, right },
    precision: right / found,
    recall: right / known,
    microF1: micro.interval,
    macroF1: met.reduce((sum, p) => sum + (2 * p.right) / (p.found + p.gold), 0) / met.length,
    setAccuracy: ratioOverTasks(
      tasks.map((p) => (p.wrong === 0 ? 1 : 0)),
      tasks.map(() => 1),
    ).interval,
    hamming: total((p) => p.wrong) / total((p) => p.known),
    ...(posterior && { calibration: labelCalibration(posterior, gold) }),
    perLabel: labels.map((p) => ({ found: p.found, gold: p.gold, right: p.right })),
    credits: micro.credits,
  };
}

/** Calibration of the probabilities that labels belong, all tasks and labels together. */
function labelCalibration(posterior: Float64Array, gold: Int8Array): Calibration {
  const known = Int32Array.from(gold.keys()).filter((at) => gold[at] >= 0);
  const pairs = new Float64Array(2 * known.length);
  known.forEach((at, i) => {
    pairs[2 * i] = 1 - posterior[at];
    pairs[2 * i + 1] = posterior[at];
  });
  return calibration({
    classes: namesOf(["does not belong", "belongs"]),
    posterior: pairs,
    gold: known.map((at) => gold[at]),
    // Scored is how likely "belongs" is, whether or not it is the more likely of the two.
    consensus: new Int32Array(known.length).fill(1),
  });
}
