/**
 * Replays a campaign on labels that exist: a policy asks for one label at a time, and only labels that were given can be had.
 * What is known grows as it would in a live campaign: the model follows each label and is fitted again now and then.
 */
import type { AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { drain, type Steps } from "../method.ts";
import { online } from "../online/online.ts";
import { type Plan, plan } from "./plan.ts";
import type { PlanOptions } from "./plan-options.ts";

/** Settings of a replayed campaign. */
export interface CampaignOptions
  extends Pick<PlanOptions, "policy" | "cover" | "explore" | "correlation" | "cost" | "seed"> {
  /** A method that can be kept live. Default: dawid-skene, shrunk, with a uniform class prior. */
  readonly method?: AnyAggregator | undefined;
  readonly options?: object | undefined;
  /** Numbers of labels at which accuracy is measured. Default: twenty, evenly spread over all labels. */
  readonly checkpoints?: readonly number[] | undefined;
  /** New labels, as a share of all, after which the model is fitted again. Default: 0.02. */
  readonly refit?: number | undefined;
}

/** The state of a campaign at one checkpoint. */
export interface CampaignPoint {
  readonly labels: number;
  /** Share of right answers among tasks with gold, ties shared. */
  readonly accuracy: number;
}

/** Few labels do not show the shares of the classes: with a uniform prior no class runs away with all tasks. */
const SPARSE = { shrinkage: 4, prior: "uniform" } as const;
/** Labels after which a model is fitted again at the earliest. */
const LEAST_NEW = 50;

/** Replays a campaign and returns the accuracy at each checkpoint. */
export function replayCampaign(
  data: CategoricalData,
  options: CampaignOptions = {},
): CampaignPoint[] {
  return drain(replaySteps(data, options));
}

/** The same in steps, with progress. */
function* replaySteps(
  data: CategoricalData,
  {
    method = dawidSkene,
    options = SPARSE,
    refit = 0.02,
    checkpoints,
    ...policy
  }: CampaignOptions = {},
): Steps<CampaignPoint[]> {
  const N = data.label.length;
  if (!data.gold.some((k) => k >= 0)) {
    throw new CrowdError(
      "bad-data",
      "A campaign is replayed to measure accuracy, so it needs gold. Pass gold with the data.",
    );
  }
  const goals = checkpoints ?? Array.from({ length: 20 }, (_, i) => Math.round((N * (i + 1)) / 20));
  const nothing = selectLabels(data, () => false);
  const model = online(nothing, method(nothing, options), {}, { methods: [method] });
  const rows = labelsByPair(data);
  const campaign = plan(model, {
    ...policy,
    confident: 1,
    minGain: 0,
    tasks: data.tasks,
    offers: pairsOf(data),
  });
  const points: CampaignPoint[] = [];
  let [last, given] = [0, 0];
  for (const goal of goals.toSorted((a, b) => a - b)) {
    for (; given < Math.min(goal, N); given++) {
      if (!reveal(data, campaign, rows)) break;
      if (given + 1 - last >= Math.max(LEAST_NEW, refit * N)) {
        model.refit();
        campaign.refresh();
        last = given + 1;
        yield { iteration: given, objective: 0, stage: "replaying" };
      }
    }
    const { posterior, tasks } = method(model.data(), options);
    points.push({ labels: given, accuracy: scored(data, tasks, posterior) });
    yield { iteration: given, objective: 0, stage: "replaying" };
  }
  return points;
}

/** Asks for the next label and tells it; false if there is none. */
function reveal(data: CategoricalData, campaign: Plan, rows: Map<string, number[]>): boolean {
  const asked = campaign.next();
  const row = asked && rows.get(pairKey(asked.task, asked.worker))?.pop();
  if (!asked || row === undefined) return false;
  campaign.apply({ ...asked, label: data.classes.at(data.label[row]) });
  return true;
}

const pairKey = (task: string, worker: string) => JSON.stringify([task, worker]);

function labelsByPair(data: CategoricalData): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  for (let i = data.label.length - 1; i >= 0; i--) {
    const key = pairKey(data.tasks.at(data.task[i]), data.workers.at(data.worker[i]));
    const list = rows.get(key);
    if (list) list.push(i);
    else rows.set(key, [i]);
  }
  return rows;
}

function* pairsOf(data: CategoricalData) {
  for (let i = 0; i < data.label.length; i++) {
    yield { task: data.tasks.at(data.task[i]), worker: data.workers.at(data.worker[i]) };
  }
}

/** Accuracy of beliefs about tasks that stand in another order than those of the data. */
function scored(
  data: CategoricalData,
  tasks: CategoricalData["tasks"],
  posterior: Float64Array,
): number {
  const K = data.classes.length;
  const ordered = new Float64Array(data.tasks.length * K).fill(1 / K);
  for (let t = 0; t < tasks.length; t++) {
    const at = data.tasks.indexOf(tasks.at(t));
    ordered.set(posterior.subarray(t * K, (t + 1) * K), at * K);
  }
  return accuracy({ classes: data.classes, posterior: ordered, gold: data.gold }).split;
}
