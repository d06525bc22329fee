/** The prior counts that the Bayesian methods share, as their options give them. */
export interface CountSettings {
  /** Whether P(class) is learnt or uniform. */
  readonly prior: "learn" | "uniform";
  /** Prior count of tasks of each class. */
  readonly classCount: number;
  /** Prior counts of right labels, and of each wrong label. */
  readonly diagonal: number;
  readonly offDiagonal: number;
}
