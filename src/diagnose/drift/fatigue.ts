/**
 * Whether workers get worse within a session.
 *
 * A session ends where a worker gives no label for 30 minutes. With the number of labels that a worker gave before in the
 * session,
 *
 *   log-odds of a right label = a[worker] + b · log(1 + labels before in the session)
 *
 * b below 0 means that workers tire. It is pooled over all workers, with standard errors that are robust to answers of one
 * worker that depend on each other (slope.ts). A worker's own b is given only with 200 judged labels in 5 sessions, with the
 * sessions as clusters.
 *
 * If later tasks of a session are harder, or other workers stay longer than those who do badly, b shows that too: without a
 * random order of tasks it is no effect of fatigue.
 */
import type { Aggregation } from "../../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { plural } from "../../error.ts";
import { type OptionTable, settle } from "../../method.ts";
import { type Slope, slopeOf } from "./slope.ts";
import { crowdAnswers, type JudgeOptions, type WorkerAnswers } from "./worker-answers.ts";

/** Settings of `fatigue`. */
export interface FatigueOptions extends JudgeOptions {
  /** Longest pause within a session, in minutes. Default: 30. */
  readonly gap?: number | undefined;
  /** Probability of the intervals. Default: .95. */
  readonly level?: number | undefined;
  /** Number of judged labels from which a worker has a slope of their own. Default: 200. */
  readonly fewestLabels?: number | undefined;
  /** Number of sessions from which a worker has a slope of their own. Default: 5. */
  readonly fewestSessions?: number | undefined;
}

/** How the skill goes within sessions. */
export interface Fatigue {
  /** Over all workers; absent if no session has two judged labels of different places, or there is only one worker with one session. */
  readonly pooled?: Slope;
  /** Of workers with enough labels and sessions. */
  readonly workers: readonly WorkerFatigue[];
  /** Number of sessions of all workers. */
  readonly sessions: number;
  /** True if some labels were judged by the other workers' labels, not by gold. */
  readonly approximate: boolean;
  readonly notes: readonly string[];
}

/** How the skill of one worker goes within sessions. */
export interface WorkerFatigue extends Slope {
  readonly worker: string;
  readonly sessions: number;
}

const table = {
  gold: { default: false, help: "Judge labels on tasks with gold by it." },
  seed: { default: 0, integer: true, help: "Random seed." },
  gap: { default: 30, min: 0, unit: "minutes", help: "Longest pause within a session." },
  level: { default: 0.95, min: 0.5, max: 0.999, help: "Probability of the intervals." },
  fewestLabels: {
    default: 200,
    min: 2,
    integer: true,
    help: "Judged labels for a slope of one worker.",
  },
  fewestSessions: {
    default: 5,
    min: 2,
    integer: true,
    help: "Sessions for a slope of one worker.",
  },
} as const satisfies OptionTable;

const MINUTE = 60_000;
/** What a slope within sessions may be due to. */
export const CONFOUNDED =
  "If the order of tasks was not random, a slope may be due to the tasks and not to fatigue.";

/** Estimates how the log-odds of a right label change within sessions. */
export function fatigue(
  data: CategoricalData,
  result: Aggregation,
  options: FatigueOptions = {},
): Fatigue {
  const settings = settle("fatigue", table, { ...options });
  const { gap, level, fewestLabels, fewestSessions } = settings;
  const { workers: answers, approximate, notes } = crowdAnswers(data, result, settings);
  const sessions = answers.map(({ times }) => sessionsOf(times, gap * MINUTE));
  const counts = sessions.map(({ session }) =>
    session.length > 0 ? session[session.length - 1] + 1 : 0,
  );
  const judgedBy = new Set([...answers.keys()].filter((w) => answers[w].right.length > 0));
  // One worker's answers cannot say how workers differ; that worker's sessions can stand in.
  const clusters = judgedBy.size > 1 ? "worker" : "session";
  const all = [...answers.keys()];
  const pooled = slopeOf(join(all, answers, sessions, clusters), level);
  const workers = all.flatMap((w): WorkerFatigue[] => {
    if (answers[w].right.length < fewestLabels || counts[w] < fewestSessions) return [];
    const own = slopeOf(join([w], answers, sessions, "session"), level);
    return own ? [{ worker: data.workers.at(w), sessions: counts[w], ...own }] : [];
  });
  return {
    ...(pooled && { pooled }),
    workers,
    sessions: counts.reduce((sum, n) => sum + n, 0),
    approximate,
    notes: [
      ...notes,
      ...(pooled ? [CONFOUNDED] : ["No slope: sessions are too short, or there is only one."]),
      ...(workers.length === 0
        ? [
            `No worker has ${plural(fewestLabels, "judged label")} in ${plural(fewestSessions, "session")}, which a slope of one worker needs.`,
          ]
        : []),
    ],
  };
}

interface Sessions {
  /** The session of each label, from 0. */
  readonly session: Int32Array;
  /** Number of labels before in the session. */
  readonly before: Int32Array;
}

/** Splits labels in the order of time wherever the pause is longer than the gap. */
export function sessionsOf(times: Float64Array, gap: number): Sessions {
  const session = new Int32Array(times.length);
  const before = new Int32Array(times.length);
  for (let at = 1; at < times.length; at++) {
    const same = times[at] - times[at - 1] <= gap;
    session[at] = session[at - 1] + (same ? 0 : 1);
    before[at] = same ? before[at - 1] + 1 : 0;
  }
  return { session, before };
}

/** The judged answers of some workers in one list. */
function join(
  chosen: readonly number[],
  answers: readonly WorkerAnswers[],
  sessions: readonly Sessions[],
  clusters: "worker" | "session",
) {
  const [right, wrong, x, worker, cluster]: number[][] = [[], [], [], [], []];
  chosen.forEach((w, at) => {
    const own = answers[w];
    own.place.forEach((place, j) => {
      right.push(own.right[j]);
      wrong.push(own.wrong[j]);
      x.push(Math.log1p(sessions[w].before[place]));
      worker.push(at);
      cluster.push(clusters === "worker" ? at : sessions[w].session[place]);
    });
  });
  return {
    right: Float64Array.from(right),
    wrong: Float64Array.from(wrong),
    x: Float64Array.from(x),
    worker: Int32Array.from(worker),
    cluster: Int32Array.from(cluster),
  };
}
