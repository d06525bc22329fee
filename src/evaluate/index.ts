/** All scores of beliefs against gold in one call. */
import { type Accuracy, accuracy, type Scored } from "./accuracy.ts";
import { type Calibration, calibration } from "./calibration.ts";
import { brier, logLoss } from "./log-loss.ts";
import { auc, type ClassScores, perClass } from "./per-class.ts";

/** All scores of class answers against gold. */
export interface Metrics {
  readonly accuracy: Accuracy;
  readonly logLoss: number;
  readonly brier: number;
  readonly calibration: Calibration;
  readonly perClass: ClassScores;
  /** Only for two classes. */
  readonly auc?: number;
}

/** Throws `bad-data` where no task has gold. */
export function evaluate(scored: Scored): Metrics {
  const area = auc(scored);
  return {
    accuracy: accuracy(scored),
    logLoss: logLoss(scored),
    brier: brier(scored),
    calibration: calibration(scored),
    perClass: perClass(scored),
    ...(area !== undefined && { auc: area }),
  };
}
