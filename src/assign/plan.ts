/**
 * Whom to ask what next, one label at a time, on a live model.
 *
 *   cover     every task first gets `cover` labels, fewest first: before that, workers are not known well enough to choose by
 *   explore   with a small probability any open task and any worker, so that a worker who was misjudged is heard again
 *   gain      the task and worker with the largest expected information per cost (expected-gain.ts), discounted:
 *
 *               (1 − ρ) / (1 + (d − 1) ρ)²
 *
 *             is how much a further label adds to d labels whose errors have the correlation ρ, as the derivative of their
 *             worth d / (1 + (d − 1) ρ) (diagnose/shared-errors.ts): labels on a task that stays open after many are spent in vain
 *
 * A task is closed when its answer is `confident` and does not rest on one label, or when it has `mostPerTask`. Only the tasks with
 * the largest discounted entropy are looked at, 64 of them and 8 others, so that a choice costs the same on a million labels.
 *
 * Houlsby et al. (2011), Bayesian active learning for classification and preference learning. https://arxiv.org/abs/1112.5745
 */
import type { CategoricalData } from "../data/categorical.ts";
import type { Name } from "../data/rows.ts";
import { CrowdError } from "../error.ts";
import type { LiveLabel } from "../online/live-label.ts";
import type { OnlineModel } from "../online/online.ts";
import { type Assignment, type AssignPolicy, createChooser } from "./choose.ts";
import { createOffers } from "./offers.ts";
import { createBoard } from "./task-board.ts";

/** Settings of a plan. */
export interface PlanOptions {
  /** Default: cover-gain. */
  readonly policy?: AssignPolicy | undefined;
  /** Labels that every task gets before gains are compared. Default: 2. */
  readonly cover?: number | undefined;
  /** Labels that a task gets at most; 0 sets no limit. Default: 0. */
  readonly mostPerTask?: number | undefined;
  /** Probability of its answer from which on a task is closed; 1 closes none. Default: 0.95. */
  readonly confident?: number | undefined;
  /** Probability of asking anybody anything. Default: 0.05. */
  readonly explore?: number | undefined;
  /** Correlation of the errors of workers on one task. Default: 0.1 √(K − 1), as `auto` assumes. */
  readonly correlation?: number | undefined;
  /** What a label of each worker costs, by name; others cost 1. */
  readonly cost?: ReadonlyMap<string, number> | undefined;
  /** Tasks that may have no label yet. */
  readonly tasks?: Iterable<Name> | undefined;
  /** Workers who may have given no label yet. */
  readonly workers?: Iterable<Name> | undefined;
  /** The pairs that may be asked; default: every worker every task once. */
  readonly offers?: Iterable<{ readonly task: Name; readonly worker: Name }> | undefined;
  readonly seed?: number | undefined;
}

/** How far a campaign is. */
export interface PlanProgress {
  readonly tasks: number;
  /** Tasks that may be asked about. */
  readonly open: number;
  /** Tasks that are closed because their answer is sure enough. */
  readonly confident: number;
  /** Number of labels. */
  readonly labels: number;
}

/** Whom to ask what next. */
export interface Plan {
  /** Returns the next question for this worker, or for anybody; undefined if there is none. */
  next(worker?: Name): Assignment | undefined;
  /** Tells the model and the plan of a label. */
  apply(label: LiveLabel): void;
  /** Counts a question that has been asked but not answered yet: its task as if it had one more label. */
  reserve(question: Pick<Assignment, "task" | "worker">): void;
  /** Asks this worker nothing more. */
  dismiss(worker: Name): void;
  /** Looks at all tasks and workers again, after `sweep` or `refit` of the model. O(tasks). */
  refresh(): void;
  progress(): PlanProgress;
}

/** All policies, the default first. */
export const policies: readonly AssignPolicy[] = [
  "cover-gain",
  "gain",
  "entropy",
  "round-robin",
  "random",
];

interface Settings {
  readonly policy: AssignPolicy;
  readonly cover: number;
  readonly mostPerTask: number;
  readonly confident: number;
  readonly explore: number;
  readonly correlation: number;
  readonly seed: number;
}

/** Returns a plan on a live model. */
export function plan(model: OnlineModel, given: PlanOptions = {}): Plan {
  const data = model.data();
  const K = data.classes.length;
  const settings = settle(given, K);
  checkSettings(settings);
  const offers = createOffers(
    labelledPairs(data),
    {
      tasks: [...data.tasks, ...(given.tasks ?? [])],
      workers: [...data.workers, ...(given.workers ?? [])],
    },
    given.offers,
  );
  const board = createBoard(model, offers, K, settings);
  for (let i = 0; i < data.label.length; i++) board.count(offers.task(data.tasks.at(data.task[i])));
  board.refresh();
  const chooser = createChooser(model, offers, board, { ...settings, K, cost: given.cost });
  return {
    next: (worker) =>
      chooser.next(worker === undefined ? undefined : offers.worker(String(worker))),
    apply(label) {
      model.apply(label);
      const [t, w] = [offers.task(String(label.task)), offers.worker(String(label.worker))];
      offers.take(t, w);
      chooser.forget(w);
      board.count(t);
      board.look(t);
    },
    reserve({ task, worker }) {
      const t = offers.task(task);
      offers.take(t, offers.worker(worker));
      board.reserve(t);
      board.look(t);
    },
    dismiss(worker) {
      offers.dismiss(offers.worker(String(worker)));
      chooser.forget();
    },
    refresh() {
      chooser.forget();
      board.refresh();
    },
    progress: () => board.progress(),
  };
}

function* labelledPairs(data: CategoricalData): Generator<readonly [string, string]> {
  for (let i = 0; i < data.label.length; i++) {
    yield [data.tasks.at(data.task[i]), data.workers.at(data.worker[i])];
  }
}

function settle(options: PlanOptions, K: number): Settings {
  const { policy = "cover-gain", cover = 2, mostPerTask = 0, confident = 0.95 } = options;
  const { explore = 0.05, correlation = 0.1 * Math.sqrt(Math.max(0, K - 1)), seed = 0 } = options;
  return { policy, cover, mostPerTask, confident, explore, correlation, seed };
}

function checkSettings(settings: Settings): void {
  const bounds = {
    cover: [0, Infinity],
    mostPerTask: [0, Infinity],
    confident: [0, 1],
    explore: [0, 1],
    correlation: [0, 1],
  } as const;
  for (const [name, [low, high]] of Object.entries(bounds)) {
    const value = settings[name as keyof typeof bounds];
    if (value >= low && value <= high) continue;
    throw new CrowdError(
      "bad-option",
      `assign: ${name} must be between ${low} and ${high}, not ${value}.`,
    );
  }
  if (policies.includes(settings.policy)) return;
  throw new CrowdError(
    "bad-option",
    `assign: policy must be one of ${policies.join(", ")}, not ${String(settings.policy)}.`,
  );
}
