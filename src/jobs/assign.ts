/** Whom to ask what next: a batch of questions for labels that have been collected so far. */
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import type { Assignment, AssignPolicy } from "../assign/choose.ts";
import { type Plan, type PlanProgress, plan } from "../assign/plan.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import { kindOf } from "../kinds.ts";
import type { Steps } from "../method.ts";
import { online } from "../online/online.ts";
import { run, walk } from "../run.ts";
import { type Hooks, walking } from "./hooks.ts";

/** How many questions to ask, and how to choose them. */
export interface AssignRequest {
  readonly data: CrowdData;
  /** Number of questions; default 100. */
  readonly budget?: number | undefined;
  readonly policy?: AssignPolicy | undefined;
  /** Labels that every task gets before gains are compared; default 2. */
  readonly cover?: number | undefined;
  /** Probability of its answer from which on a task is closed; default .95. */
  readonly confident?: number | undefined;
  /** Labels that a task gets at most, those it has included; 0 sets no limit. */
  readonly mostPerTask?: number | undefined;
  /** Questions that a worker gets at most; 0 sets no limit. */
  readonly perWorker?: number | undefined;
  readonly seed?: number | undefined;
}

/** Questions, best first, and how far the campaign is. */
export interface Assigned {
  readonly questions: readonly Assignment[];
  readonly progress: PlanProgress;
}

/** Few labels do not show the shares of the classes. */
const MODEL = { shrinkage: 4, prior: "uniform" } as const;

/**
 * Chooses questions one after the other. What the answers will be is not known, so a task that has been asked about counts
 * as if it had one more label and is asked again only if that is still worth most.
 */
export async function assignJob(
  { data, budget = 100, perWorker = 0, ...options }: AssignRequest,
  hooks: Hooks = {},
): Promise<Assigned> {
  const kind = kindOf(data);
  if (kind.id !== "categorical") {
    throw new CrowdError("not-supported", `assign is for labels; these are ${kind.id} answers.`);
  }
  const labels = data as CategoricalData;
  const result = await run(labels, dawidSkene, MODEL, walking(hooks, dawidSkene.id));
  const campaign = plan(online(labels, result), { explore: 0, ...options });
  const progress = campaign.progress();
  const steps = choose(campaign, budget, perWorker);
  const questions = await walk(steps, "choosing", walking(hooks, "choosing questions"));
  return { questions, progress };
}

function* choose(campaign: Plan, budget: number, perWorker: number): Steps<Assignment[]> {
  const asked = new Map<string, number>();
  const questions: Assignment[] = [];
  while (questions.length < budget) {
    const next = campaign.next();
    if (!next) break;
    campaign.reserve(next);
    const count = (asked.get(next.worker) ?? 0) + 1;
    asked.set(next.worker, count);
    if (perWorker > 0 && count >= perWorker) campaign.dismiss(next.worker);
    yield { iteration: questions.push(next), objective: 0, stage: "choosing" };
  }
  return questions;
}
