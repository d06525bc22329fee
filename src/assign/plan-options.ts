/** The settings of a plan, their defaults and their bounds. */
import type { Name } from "../data/rows.ts";
import { CrowdError } from "../error.ts";
import { type WorkerChoice, workerChoices } from "./bandits.ts";
import type { AssignPolicy } from "./choose.ts";

/** Settings of a plan. */
export interface PlanOptions {
  /** Default: cover-gain. */
  readonly policy?: AssignPolicy | undefined;
  /**
   * Labels that every task gets before gains are compared, or a function that gives them by name of the task, so that groups of
   * tasks get a minimum of their own. Default: 2; 1 if `budget` is below two labels per task.
   */
  readonly cover?: number | ((task: string) => number) | undefined;
  /** How workers are compared for a task, if the policy compares gains. Default: gain. */
  readonly workerChoice?: WorkerChoice | undefined;
  /** Labels that a task gets at most; 0 sets no limit. Default: 0. */
  readonly mostPerTask?: number | undefined;
  /** Probability of its answer from which on a task is closed; 1 closes none. Default: 0.95. */
  readonly confident?: number | undefined;
  /** Probability of asking anybody anything. Default: 0.05. */
  readonly explore?: number | undefined;
  /** Correlation of the errors of workers on one task. Default: 0.1 √(K − 1), as `auto` assumes; 0 for tutorial. */
  readonly correlation?: number | undefined;
  /** What a label of each worker costs, by name; others cost 1. */
  readonly cost?: ReadonlyMap<string, number> | undefined;
  /** Tasks that may have no label yet. */
  readonly tasks?: Iterable<Name> | undefined;
  /** Workers who may have given no label yet. */
  readonly workers?: Iterable<Name> | undefined;
  /** The pairs that may be asked; default: every worker every task once. */
  readonly offers?: Iterable<{ readonly task: Name; readonly worker: Name }> | undefined;
  /**
   * Gold questions: tasks and their classes, which the model is told of. They are asked between others to measure workers:
   * 30 % of the first 10 questions of a worker, 10 % up to 50, then 3 %; never first, never two in a row. Default: the tasks
   * whose class the model knows; an empty list asks none.
   */
  readonly gold?: Iterable<readonly [task: Name, label: Name]> | undefined;
  /** Share of questions that ask about a closed task again, so that the error of closed tasks is measured. Default: 0.02. */
  readonly audit?: number | undefined;
  /** Least expected information of a question, in nats; a worker who can tell less is asked nothing. Default: 0.001. */
  readonly minGain?: number | undefined;
  /** Questions that a worker gets at most, or by name of the worker; 0 sets no limit. Default: 0. */
  readonly perWorker?: number | ReadonlyMap<string, number> | undefined;
  /** Labels after which the campaign stops, questions that wait for an answer included. Default: no limit. */
  readonly budget?: number | undefined;
  /** Cost after which the campaign stops. Default: no limit. */
  readonly money?: number | undefined;
  /** Stops if the next 100 labels are expected to raise the accuracy by less. Default: 0, off. */
  readonly minRise?: number | undefined;
  /** What one more right answer is worth: stops if no label is expected to be worth its cost. Default: 0, off. */
  readonly value?: number | undefined;
  readonly seed?: number | undefined;
}

/** All policies, the default first. */
export const policies: readonly AssignPolicy[] = [
  "cover-gain",
  "gain",
  "entropy",
  "round-robin",
  "random",
  "tutorial",
];

/** Every setting that is a number or a policy. */
export interface PlanSettings {
  readonly policy: AssignPolicy;
  readonly workerChoice: WorkerChoice;
  /** Labels that a task gets first, if nothing else is said of it. */
  readonly cover: number;
  readonly coverOf: (task: string) => number;
  readonly mostPerTask: number;
  readonly confident: number;
  readonly explore: number;
  readonly correlation: number;
  /** What equally unsure tasks are told apart by, in nats: a lot for each task, times this. */
  readonly lots: number;
  readonly audit: number;
  readonly minGain: number;
  readonly budget: number;
  readonly money: number;
  readonly minRise: number;
  readonly value: number;
  readonly seed: number;
}

/** Returns all settings for K classes and so many tasks; refuses what means nothing. */
export function settlePlan(options: PlanOptions, K: number, tasks: number): PlanSettings {
  const { policy = "cover-gain", mostPerTask = 0, confident = 0.95, seed = 0 } = options;
  const shared = policy === "tutorial" ? 0 : 0.1 * Math.sqrt(Math.max(0, K - 1));
  const { explore = 0.05, correlation = shared } = options;
  const { workerChoice = "gain", audit = 0.02, minGain = 0.001, minRise = 0, value = 0 } = options;
  const { budget = Infinity, money = Infinity } = options;
  const fallback = budget < 2 * tasks ? 1 : 2;
  const { cover: given = fallback } = options;
  const cover = typeof given === "number" ? given : fallback;
  const settings = {
    policy,
    workerChoice,
    cover,
    mostPerTask,
    confident,
    explore,
    correlation,
    audit,
    minGain,
    budget,
    money,
    minRise,
    value,
    seed,
    lots: policy === "tutorial" ? 1e-9 : 0,
    coverOf: typeof given === "number" ? () => cover : given,
  };
  check(settings);
  return settings;
}

function check(settings: PlanSettings): void {
  const bounds = {
    cover: [0, Infinity],
    mostPerTask: [0, Infinity],
    confident: [0, 1],
    explore: [0, 1],
    correlation: [0, 1],
    audit: [0, 1],
    minGain: [0, Infinity],
    budget: [0, Infinity],
    money: [0, Infinity],
    minRise: [0, 1],
    value: [0, Infinity],
  } as const;
  for (const [name, [low, high]] of Object.entries(bounds)) {
    const value = settings[name as keyof typeof bounds];
    if (value >= low && value <= high) continue;
    throw new CrowdError(
      "bad-option",
      `assign: ${name} must be between ${low} and ${high}, not ${value}.`,
    );
  }
  requireOneOf("policy", settings.policy, policies);
  requireOneOf("workerChoice", settings.workerChoice, workerChoices);
}

function requireOneOf(name: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  throw new CrowdError(
    "bad-option",
    `assign: ${name} must be one of ${choices.join(", ")}, not ${value}.`,
  );
}
