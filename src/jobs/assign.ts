/** Whom to ask what next: a batch of questions for labels that have been collected so far. */
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import type { Assignment } from "../assign/choose.ts";
import { type Plan, type PlanMeasures, type PlanProgress, plan } from "../assign/plan.ts";
import type { PlanOptions } from "../assign/plan-options.ts";
import type { PlanStop } from "../assign/stop-rules.ts";
import type { Known } from "../belief/known.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import type { Probabilities } from "../io/probabilities.ts";
import { kindOf } from "../kinds.ts";
import type { Steps } from "../method.ts";
import { type OnlineModel, online } from "../online/online.ts";
import { run, walk } from "../run.ts";
import { type Hooks, walking } from "./hooks.ts";
import { knownFrom } from "./known.ts";

/** How many questions to ask, and how to choose them. */
export interface AssignRequest
  extends Pick<
    PlanOptions,
    | "policy"
    | "workerChoice"
    | "cover"
    | "confident"
    | "mostPerTask"
    | "perWorker"
    | "tasks"
    | "workers"
    | "cost"
    | "gold"
    | "audit"
    | "minGain"
    | "money"
    | "minRise"
    | "value"
    | "seed"
  > {
  /** Labels so far; there may be none. */
  readonly data: CrowdData;
  /** Number of questions; default 100. */
  readonly budget?: number | undefined;
  /** P(class) of tasks, such as the predictions of a classifier; its tasks may have no label yet. */
  readonly taskPrior?: Probabilities | undefined;
}

/** Questions, best first, and how far the campaign is. */
export interface Assigned {
  readonly questions: readonly Assignment[];
  /** How far the campaign was before these questions. */
  readonly progress: PlanProgress;
  /** Why there are fewer questions than asked for; absent if there are not. */
  readonly stop?: PlanStop;
  /** What gold questions say of the workers so far. */
  readonly measured: PlanMeasures;
}

/** Few labels do not show the shares of the classes. */
const MODEL = { shrinkage: 4, prior: "uniform" } as const;

/**
 * Chooses questions one after the other. What the answers will be is not known, so a task that has been asked about counts
 * as if it had one more label and is asked again only if that is still worth most.
 */
export async function assignJob(
  { data, budget = 100, taskPrior, gold, ...options }: AssignRequest,
  hooks: Hooks = {},
): Promise<Assigned> {
  const kind = kindOf(data);
  if (kind.id !== "categorical") {
    throw new CrowdError("not-supported", `assign is for labels; these are ${kind.id} answers.`);
  }
  const labels = data as CategoricalData;
  const asGold = gold && [...gold];
  const known: Known = {
    ...knownFrom(data, { taskPrior }),
    ...(asGold && { gold: goldNumbers(labels, asGold) }),
  };
  const result = await run(labels, dawidSkene, MODEL, {
    ...walking(hooks, dawidSkene.id),
    known,
  });
  const model = online(labels, result, known);
  if (taskPrior) setNewPriors(model, labels, taskPrior);
  const campaign = plan(model, { explore: 0, ...options, gold: asGold });
  const [progress, measured] = [campaign.progress(), campaign.measured()];
  const steps = choose(campaign, budget);
  const questions = await walk(steps, "choosing", walking(hooks, "choosing questions"));
  const stop = questions.length < budget ? campaign.stop() : undefined;
  return { questions, progress, measured, ...(stop && { stop }) };
}

/** The known classes of the tasks that have labels, by number. */
function goldNumbers(
  { tasks, classes }: CategoricalData,
  gold: Iterable<readonly [unknown, unknown]>,
): Int32Array {
  const known = new Map(Array.from(gold, ([task, label]) => [String(task), String(label)]));
  return Int32Array.from(tasks, (task) => classes.indexOf(known.get(task) ?? ""));
}

/** Sets the priors of tasks that have no label; the fit knows those of the others. */
function setNewPriors(model: OnlineModel, data: CategoricalData, taskPrior: Probabilities): void {
  const { tasks, classes, posterior } = taskPrior;
  const columns = Array.from(data.classes, (name) => classes.indexOf(name));
  tasks.forEach((task, t) => {
    if (data.tasks.indexOf(task) >= 0) return;
    const row = columns.map((c) => (c < 0 ? 0 : posterior[t * classes.length + c]));
    model.setTaskPrior(task, row);
  });
}

function* choose(campaign: Plan, budget: number): Steps<Assignment[]> {
  const questions: Assignment[] = [];
  while (questions.length < budget) {
    const next = campaign.next();
    if (!next) break;
    campaign.reserve(next);
    yield { iteration: questions.push(next), objective: 0, stage: "choosing" };
  }
  return questions;
}
