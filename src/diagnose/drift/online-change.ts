/**
 * Watches one worker's answers as they come, and says when the skill has changed.
 *
 * The run length l is the number of answers since the last change. After each answer, with the predictive
 * f[l] = (1 + right answers of the run) / (2 + answers of the run) for a right answer and 1 − f[l] for a wrong one:
 *
 *   R[0] ∝ hazard · Σ_l R[l] f[l]        R[l + 1] ∝ (1 − hazard) · R[l] f[l]
 *
 * Run lengths with R below 1e-6 are dropped. The alarm is on while P(run < half of all answers) > .95, from the
 * twentieth answer on.
 *
 * Adams & MacKay (2007), Bayesian online changepoint detection. https://arxiv.org/abs/0710.3742
 */
import { CrowdError } from "../../error.ts";
import { type OptionTable, settle } from "../../method.ts";

const table = {
  hazard: {
    default: 1 / 300,
    min: 1e-9,
    max: 0.5,
    help: "Probability of a change after each answer.",
  },
  alarm: {
    default: 0.95,
    min: 0.5,
    max: 1,
    help: "Probability of a change at which the alarm is raised.",
  },
  fewest: {
    default: 20,
    min: 1,
    integer: true,
    help: "Number of answers before which no alarm is raised.",
  },
} as const satisfies OptionTable;

/** Settings of `onlineChange`. */
export interface OnlineChangeOptions {
  /** Probability of a change after each answer. Default: 1/300. */
  readonly hazard?: number | undefined;
  /** Probability of a change at which the alarm is raised. Default: .95. */
  readonly alarm?: number | undefined;
  /** Number of answers before which no alarm is raised. Default: 20. */
  readonly fewest?: number | undefined;
}

/** What is known after an answer. */
export interface OnlineState {
  /** True if the skill has probably changed within the last half of the answers. */
  readonly alarm: boolean;
  /** Probability that the last change is less than half of all answers ago. */
  readonly changed: number;
  /** Most probable number of answers since the last change. */
  readonly runLength: number;
  /** Skill since the last change: the mean over run lengths. */
  readonly skill: number;
  /** Number of answers so far. */
  readonly answers: number;
}

/** A detector for one worker. */
export interface OnlineChange {
  /** Takes the next answer: 1 if right, 0 if wrong, or the probability that it is right. */
  push(right: number): OnlineState;
  /** Returns P(run length) of the run lengths that are not dropped. */
  runLengths(): ReadonlyMap<number, number>;
}

const LEAST = 1e-6;

interface Run {
  readonly length: number;
  readonly probability: number;
  /** Right answers of the run. */
  readonly right: number;
}

/** Starts a detector of changes for the answers of one worker. */
export function onlineChange(options: OnlineChangeOptions = {}): OnlineChange {
  const { hazard, alarm, fewest } = settle("onlineChange", table, { ...options });
  let runs: readonly Run[] = [{ length: 0, probability: 1, right: 0 }];
  let answers = 0;
  return {
    push(right) {
      if (!(right >= 0 && right <= 1)) {
        throw new CrowdError(
          "bad-data",
          `onlineChange: an answer is 1 (right), 0 (wrong) or a probability between, not ${right}.`,
        );
      }
      answers++;
      runs = extend(runs, right, hazard);
      let [changed, skill] = [0, 0];
      for (const { length, probability, right: hits } of runs) {
        if (length < answers / 2) changed += probability;
        skill += (probability * (1 + hits)) / (2 + length);
      }
      const { length: runLength } = runs.reduce((best, run) =>
        run.probability > best.probability ? run : best,
      );
      return { alarm: answers >= fewest && changed > alarm, changed, runLength, skill, answers };
    },
    runLengths: () => new Map(runs.map(({ length, probability }) => [length, probability])),
  };
}

/** The run lengths after one more answer. */
function extend(runs: readonly Run[], right: number, hazard: number): readonly Run[] {
  const grown = runs.map(({ length, probability, right: hits }) => {
    const hit = (1 + hits) / (2 + length);
    return {
      length: length + 1,
      probability: probability * (right * hit + (1 - right) * (1 - hit)),
      right: hits + right,
    };
  });
  const total = grown.reduce((sum, { probability }) => sum + probability, 0);
  const next = [
    { length: 0, probability: hazard, right: 0 },
    ...grown.map((run) => ({ ...run, probability: ((1 - hazard) * run.probability) / total })),
  ].filter(({ probability }) => probability >= LEAST);
  const kept = next.reduce((sum, { probability }) => sum + probability, 0);
  return next.map((run) => ({ ...run, probability: run.probability / kept }));
}
