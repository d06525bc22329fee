/** What `drift` returns: plain data, one entry per worker, times in milliseconds since 1970 as in the data. */

/** A reason to look at how a worker's skill went. */
export type DriftFlag = "few-labels" | "change" | "drift" | "task-drift";

/** The skill of a worker in a stretch of time. */
export interface SkillSpan {
  /** Time of the first and of the last label of the stretch. */
  readonly from: number;
  readonly to: number;
  /** Number of judged labels in it. */
  readonly labels: number;
  /** Probability of a right label, and its interval. */
  readonly skill: number;
  readonly low: number;
  readonly high: number;
}

/** One change of a worker's skill. */
export interface SkillChange {
  /** Time of the first label after the change. */
  readonly at: number;
  /** Number of the worker's labels before the change. */
  readonly label: number;
  /** The interval of that number. */
  readonly low: number;
  readonly high: number;
  /** The interval of the time. */
  readonly earliest: number;
  readonly latest: number;
  /** Probability of a right label before and after. */
  readonly before: number;
  readonly after: number;
  /** Log of the Bayes factor of one change against none, in nats. */
  readonly logBayes: number;
}

/** How one worker's skill went over time. */
export interface WorkerDrift {
  readonly worker: string;
  /** Number of labels with a time. */
  readonly labels: number;
  /** Number of these that gold or the other workers can judge. */
  readonly judged: number;
  /** Skill over time by a random walk of its log-odds, one entry per bin. */
  readonly curve: readonly SkillSpan[];
  /** Skill in the last 50 labels, at every tenth. */
  readonly windows: readonly SkillSpan[];
  /** Log Bayes factor of one sudden change against a constant skill; 0 if fewer than two labels are judged. */
  readonly changeLogBayes: number;
  /** Log Bayes factor of a skill that moves all the time against a constant one. */
  readonly driftLogBayes: number;
  /** The change, if the worker has the flag `change` or `task-drift`. */
  readonly change?: SkillChange;
  /** True if the worker's own skill changed: flag `change` or `drift`. */
  readonly drift: boolean;
  readonly flags: readonly DriftFlag[];
  /** One sentence for each flag, in the same order, with the numbers behind it. */
  readonly reasons: readonly string[];
}

/** A date at which many workers changed alike, so that the tasks are the likely cause. */
export interface TaskDrift {
  readonly at: number;
  /** `fall` or `rise` of the skills. */
  readonly direction: "fall" | "rise";
  /** Names of the workers who changed. */
  readonly workers: readonly string[];
  /** Number of workers who were active before and after the date. */
  readonly active: number;
}

/** How the skills of all workers went over time. */
export interface Drift {
  /** In the order of data.workers. */
  readonly workers: readonly WorkerDrift[];
  readonly taskDrift: readonly TaskDrift[];
  /** True if some labels were judged by the other workers' labels, not by gold. */
  readonly approximate: boolean;
  readonly notes: readonly string[];
}
