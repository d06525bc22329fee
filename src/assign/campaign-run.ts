/**
 * One campaign on labels that exist: a policy asks for one label at a time, and only labels that were given can be had.
 * What is known grows as it would in a live campaign: the model follows each label and is fitted again now and then.
 *
 *   both      the policy picks task and worker
 *   arrive    a worker turns up and the policy picks the task: in the order of the labels if they have times, else by lot, each worker as
 *             often as in the data
 */
import type { Aggregation, AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { shuffle } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import type { Steps } from "../method.ts";
import { type OnlineModel, online } from "../online/online.ts";
import { type Plan, plan } from "./plan.ts";
import type { PlanOptions } from "./plan-options.ts";
import { tutorialModel } from "./tutorial-model.ts";

/** Settings of a simulated campaign that all policies share. */
export interface CampaignSettings
  extends Pick<
    PlanOptions,
    "cover" | "explore" | "correlation" | "cost" | "perWorker" | "workerChoice"
  > {
  /** Whether the policy picks task and worker, or the task for a worker who turns up. Default: both. */
  readonly mode?: "both" | "arrive" | undefined;
  /** A method that can be kept live. Default: dawid-skene, shrunk, with a uniform class prior. */
  readonly method?: AnyAggregator | undefined;
  readonly options?: object | undefined;
  /** Numbers of labels at which accuracy is measured. Default: twenty, evenly spread over all labels. */
  readonly checkpoints?: readonly number[] | undefined;
  /** New labels, as a share of all, after which the model is fitted again. Default: 0.02; never for tutorial. */
  readonly refit?: number | undefined;
  /** Makes the live model that the policy stands on from data without labels. Default: that of the method. */
  readonly model?: ((empty: CategoricalData) => OnlineModel) | undefined;
}

/** The state of one campaign at one checkpoint. */
export interface RunPoint {
  readonly labels: number;
  /** Share of right answers among tasks with gold, ties shared, by a fit of the labels so far. */
  readonly accuracy: number;
  /** The same by the live model that the policy stands on. */
  readonly live: number;
  /** Mean confidence of the answers of tasks with gold, by the fit. */
  readonly confidence: number;
  /** Mean log-likelihood of a label that is not revealed yet, in nats; NaN if none is left. */
  readonly heldOut: number;
  readonly cost: number;
}

/** Few labels do not show the shares of the classes: with a uniform prior no class runs away with all tasks. */
const SPARSE = { shrinkage: 4, prior: "uniform" } as const;
/** Labels after which a model is fitted again at the earliest. */
const LEAST_NEW = 50;

/** Runs one campaign; a step per fit. */
export function* campaignSteps(
  data: CategoricalData,
  policy: NonNullable<PlanOptions["policy"]>,
  seed: number,
  settings: CampaignSettings,
): Steps<RunPoint[]> {
  const { method = dawidSkene, options = SPARSE, mode = "both", checkpoints } = settings;
  const { refit = policy === "tutorial" ? Infinity : 0.02 } = settings;
  const N = data.label.length;
  if (!data.gold.some((k) => k >= 0)) {
    throw new CrowdError(
      "bad-data",
      "A campaign is replayed to measure accuracy, so it needs gold. Pass gold with the data.",
    );
  }
  const goals = checkpoints ?? Array.from({ length: 20 }, (_, i) => Math.round((N * (i + 1)) / 20));
  const model = (settings.model ?? defaultModel(policy, method, options))(
    selectLabels(data, () => false),
  );
  const { cover, explore, correlation, cost, perWorker, workerChoice } = settings;
  const campaign = plan(model, {
    policy,
    seed,
    cover,
    explore,
    correlation,
    cost,
    perWorker,
    workerChoice,
    confident: 1,
    minGain: 0,
    tasks: data.tasks,
    offers: pairsOf(data),
  });
  const hidden = hiddenLabels(data);
  const arrivals = mode === "arrive" ? arrivalsOf(data, seed) : undefined;
  const points: RunPoint[] = [];
  let [last, given] = [0, 0];
  for (const goal of goals.toSorted((a, b) => a - b)) {
    for (; given < Math.min(goal, N); given++) {
      if (!reveal(data, campaign, hidden, arrivals)) break;
      if (given + 1 - last >= Math.max(LEAST_NEW, refit * N)) {
        model.refit();
        campaign.refresh();
        last = given + 1;
        yield { iteration: given, objective: 0, stage: "replaying" };
      }
    }
    const fit = method(model.data(), options);
    points.push({
      labels: given,
      ...scoresOf(data, fit, model),
      heldOut: heldOutOf(data, online(model.data(), fit, {}, { methods: [method] }), hidden),
      cost: campaign.progress().cost,
    });
    yield { iteration: given, objective: 0, stage: "replaying" };
  }
  return points;
}

function defaultModel(policy: string, method: AnyAggregator, options: object) {
  if (policy === "tutorial") return tutorialModel;
  return (empty: CategoricalData) =>
    online(empty, method(empty, options), {}, { methods: [method] });
}

/** The rows of each pair that are not revealed yet, first row last. */
type Hidden = Map<string, number[]>;

const pairKey = (task: string, worker: string) => JSON.stringify([task, worker]);

/** Asks for the next label and tells it; false if there is none. */
function reveal(
  data: CategoricalData,
  campaign: Plan,
  hidden: Hidden,
  arrivals: Iterator<string> | undefined,
): boolean {
  for (;;) {
    const turn = arrivals?.next();
    if (turn?.done) return false;
    const asked = campaign.next(turn?.value);
    // Others may still turn up.
    if (!asked && arrivals) continue;
    const row = asked && hidden.get(pairKey(asked.task, asked.worker))?.pop();
    if (!asked || row === undefined) return false;
    campaign.apply({ ...asked, label: data.classes.at(data.label[row]) });
    return true;
  }
}

/** Yields the worker of every label, by time or by lot. */
function* arrivalsOf(data: CategoricalData, seed: number): Generator<string, undefined> {
  const rows = Array.from(data.label, (_, i) => i);
  const { time } = data;
  if (time) rows.sort((a, b) => (time[a] || 0) - (time[b] || 0));
  else shuffle(createRandom(seed).split("arrivals"), rows);
  for (const i of rows) yield data.workers.at(data.worker[i]);
  return undefined;
}

function hiddenLabels(data: CategoricalData): Hidden {
  const rows: Hidden = new Map();
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

/** Accuracy and confidence of a fit, and accuracy of the live model; tasks may stand in another order than in the data. */
function scoresOf(data: CategoricalData, fit: Aggregation, model: OnlineModel) {
  const K = data.classes.length;
  const T = data.tasks.length;
  const [fitted, live] = [0, 0].map(() => new Float64Array(T * K).fill(1 / K));
  const confidence = new Float64Array(T).fill(1 / K);
  for (let t = 0; t < fit.tasks.length; t++) {
    const name = fit.tasks.at(t);
    const at = data.tasks.indexOf(name);
    fitted.set(fit.posterior.subarray(t * K, (t + 1) * K), at * K);
    live.set(model.posterior(name).posterior, at * K);
    confidence[at] = fit.confidence[t];
  }
  const { classes, gold } = data;
  const scored = confidence.filter((_, t) => gold[t] >= 0);
  return {
    accuracy: accuracy({ classes, gold, posterior: fitted }).split,
    live: accuracy({ classes, gold, posterior: live }).split,
    confidence: scored.reduce((sum, p) => sum + p, 0) / scored.length,
  };
}

/** Mean log-likelihood of the labels that are not revealed yet. */
function heldOutOf(data: CategoricalData, model: OnlineModel, hidden: Hidden): number {
  const K = data.classes.length;
  const rows = Array.from(data.workers, (name) => model.confusion(name));
  const beliefs = Array.from(data.tasks, (name) =>
    model.has(name) ? model.posterior(name).posterior : new Float64Array(K).fill(1 / K),
  );
  let [sum, count] = [0, 0];
  for (const list of hidden.values()) {
    for (const i of list) {
      const [belief, own] = [beliefs[data.task[i]], rows[data.worker[i]]];
      const L = own.length / K;
      const p = belief.reduce((all, q, c) => all + q * own[c * L + data.label[i]], 0);
      sum += Math.log(Math.max(p, 1e-12));
      count++;
    }
  }
  return sum / count;
}
