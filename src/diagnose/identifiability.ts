/**
 * Whether these labels can tell who is right at all, in eight checks with a reason and an advice each.
 *
 * Without gold, skills and classes are only known up to what leaves the labels as likely: classes can
 * be exchanged, workers who share no tasks cannot be compared, and a crowd of guesses is explained by
 * any answer. The checks go from the design (who labelled what) to the fit (ranks, anchors, local
 * information) and to a second fit. They are symptoms: all can pass and the model be wrong.
 *
 * Dawid & Skene's model is identified, up to the names of the classes, if three workers (or groups of
 * them) have confusions of full rank: Kruskal (1977), https://doi.org/10.1016/0024-3795(77)90069-6;
 * Allman, Matias & Rhodes (2009), Annals of Statistics 37(6A), https://doi.org/10.1214/09-AOS689
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { labelsPerTask, labelsPerWorker } from "../data/crowd-data.ts";
import { plural } from "../error.ts";
import { minOf } from "../math/lists.ts";
import { type Check, type CheckStatus, checkOf, worstOf } from "./checks.ts";
import type { Coefficient } from "./coefficient.ts";
import { type FitChecks, fitChecks, ILL_CONDITIONED } from "./fit-checks.ts";
import { krippendorffAlpha } from "./krippendorff.ts";
import { countConfusion } from "./leave-one-out.ts";
import { type Model, scoreRank } from "./score-rank.ts";
import { MOST_TRIANGLES, workerGraph } from "./worker-graph.ts";

export type CheckId =
  | "co-labelling"
  | "labels-per-worker"
  | "rank"
  | "class-support"
  | "anchors"
  | "better-than-random"
  | "local-information"
  | "starts";

/** One check of whether the labels determine the answers. */
export type IdentifiabilityCheck = Check<CheckId>;

/** Whether the labels determine the answers, check by check. */
export interface Identifiability {
  /** The worst of the checks: warn, then unknown, then ok. */
  readonly status: CheckStatus;
  readonly checks: readonly IdentifiabilityCheck[];
}

export interface IdentifiabilityOptions {
  readonly seed?: number | undefined;
  /** Pairs of labels that are compared; more are judged on a sample. Default: 5 million. */
  readonly mostPairs?: number | undefined;
  /** More labels than this are fitted twice on a sample of whole tasks. Default: 200,000. */
  readonly mostLabels?: number | undefined;
}

/** Checks whether the labels determine the answers of a model. */
export function identifiability(
  data: CategoricalData,
  result: Aggregation,
  options: IdentifiabilityOptions = {},
): Identifiability {
  const L = result.given;
  const model: Model = {
    confusion: result.confusion ?? countConfusion(data, result.posterior, L),
    prior: result.prior,
    given: L,
  };
  const { data: part, known } = sampleTasks(
    data,
    { start: result.posterior },
    MOST_FITTED,
    options.seed ?? 0,
  );
  const fit = fitChecks(part, model, known.start ?? result.posterior);
  const alpha = krippendorffAlpha(data, { interval: "linearised" });
  const checks = [
    coLabellingCheck(data, options),
    parameterCheck(data, result),
    rankCheck(fit, alpha),
    supportCheck(result),
    anchorCheck(fit, result),
    randomCheck(alpha, fit, result),
    informationCheck(data, model, options),
    startCheck(data, options),
  ];
  return { status: worstOf(checks), checks };
}

function coLabellingCheck(
  data: CategoricalData,
  { seed, mostPairs }: IdentifiabilityOptions,
): IdentifiabilityCheck {
  const graph = workerGraph(data, { seed, mostPairs });
  const sizes = labelsPerTask(data);
  const three = sizes.reduce((sum, n) => sum + (n >= 3 ? 1 : 0), 0);
  const [largest = 0] = graph.components;
  const main = graph.bipartite[0] === largest && largest > 0;
  const problems: string[] = [];
  if (largest === 0) problems.push("no two workers share a task");
  else if (graph.components.length > 1) {
    problems.push(`${graph.components.length} groups of workers share no task with each other`);
  }
  if (graph.isolated > 0 && largest > 0) {
    problems.push(`workers who share no task with anybody: ${graph.isolated}`);
  }
  if (graph.bipartite.length > 0) {
    problems.push(`bipartite groups: ${graph.bipartite.length}`);
  }
  // On a sample no triangle may be left of those that tasks of three workers make.
  const flat = graph.triangles === 0 && three === 0;
  if (largest > 0 && flat) problems.push("no three workers pairwise share tasks");
  const serious = largest === 0 || main || flat;
  const many = graph.triangles >= MOST_TRIANGLES ? "at least " : "";
  const found = serious ? "serious" : problems.length > 0 ? "warn" : "ok";
  return checkOf(graph.workers < 2 ? "unknown" : found, {
    id: "co-labelling",
    title: "Do workers share tasks?",
    finding:
      `${graph.workers} workers, ${graph.medianDegree} colleagues in the median and ${graph.smallestDegree} at least, ` +
      `${many}${graph.triangles} triangles, ${three} of ${sizes.length} tasks with three labels or more` +
      `${problems.length > 0 ? `; ${problems.join("; ")}` : ""}${graph.sampled ? " (on a sample)" : ""}.`,
    advice:
      "Have some tasks labelled by three workers or more, chosen across the groups, or add gold for each group.",
    facts: {
      workers: graph.workers,
      isolated: graph.isolated,
      components: graph.components.length,
      bipartite: graph.bipartite.length,
      smallestDegree: graph.smallestDegree,
      triangles: graph.triangles,
      tasksWithThree: three,
      sampled: graph.sampled ? 1 : 0,
    },
  });
}

/** A confusion has K (L − 1) free rates; twice as many labels is the least to know them by. */
function parameterCheck(data: CategoricalData, result: Aggregation): IdentifiabilityCheck {
  const K = result.classes.length;
  const parameters = K * (result.given - 1);
  const sizes = result.workload.filter((n) => n > 0);
  const below = sizes.filter((n) => n < 2 * parameters);
  const share = sizes.length > 0 ? below.length / sizes.length : 0;
  const labels = below.reduce((sum, n) => sum + n, 0) / Math.max(1, data.label.length);
  const found = labels > 0.75 ? "serious" : share > 0.25 ? "warn" : "ok";
  const none = sizes.length === 0 || parameters === 0;
  return checkOf(none ? "unknown" : found, {
    id: "labels-per-worker",
    title: "Enough labels for a confusion each?",
    finding: none
      ? "There is nothing to learn about a worker: there are no labels, or all are of one class."
      : `A worker's confusion has ${parameters} free rates; ${below.length} of ${sizes.length} workers gave fewer than ` +
        `${2 * parameters} labels, ${percent(labels)} of all labels.`,
    advice: none
      ? "Collect labels of two classes or more."
      : "Use a method with fewer parameters per worker (one-coin) or one that shares them (dawid-skene with shrinkage, ibcc).",
    facts: { parameters, below: below.length, share, labelShare: labels },
  });
}

/** More labels than this are checked against the fit on a sample of whole tasks. */
const MOST_FITTED = 300_000;

/** Fewer workers than this with labels enough to tell say nothing about a crowd. */
const FEW_WORKERS = 3;

/** An alpha that is surely below this is little; one that is surely above needs more than a few who know. */
const LITTLE = 0.2;

/** Tells whether the labels surely agree little; single workers cannot be judged by others who guess. */
const agreesLittle = ({ defined, high }: Coefficient) => defined && high < LITTLE;

/** Fewer than three who tell the classes apart are a fact only if the labels of three would have shown it. */
function rankCheck(fit: FitChecks, alpha: Coefficient): IdentifiabilityCheck {
  const untold = fit.fullRank < 3 && fit.counted < FEW_WORKERS && !agreesLittle(alpha);
  const ill = fit.illConditioned > fit.workers / 2 || fit.illPairs > fit.pairs / 2;
  const found = fit.fullRank < 3 ? "serious" : ill ? "warn" : "ok";
  return checkOf(untold ? "unknown" : found, {
    id: "rank",
    title: "Do labels tell the classes apart?",
    finding:
      (untold ? "Too few labels per worker to tell: " : "") +
      `${fit.fullRank} of ${fit.workers} workers tell all classes apart by more than noise, and depend on what others say; ` +
      `${plural(fit.illConditioned, "confusion")} and ${fit.illPairs} of ${fit.pairs} joint tables are ill-conditioned (above ${ILL_CONDITIONED}).`,
    advice:
      "Confusions need three workers who tell all classes apart. Collect more labels per worker, merge classes nobody separates, or use gold.",
    facts: {
      workers: fit.workers,
      fullRank: fit.fullRank,
      illConditioned: fit.illConditioned,
      medianSingular: fit.medianSingular,
      pairs: fit.pairs,
      illPairs: fit.illPairs,
    },
  });
}

/** Tasks of each class below which little is known of it. */
const RARE = 5;

/** With fewer tasks than five per class some class is rare whatever the classes are like. */
function supportCheck({ classes, posterior, support: labels }: Aggregation): IdentifiabilityCheck {
  const K = classes.length;
  const support = new Float64Array(K);
  for (let at = 0; at < posterior.length; at++) support[at % K] += posterior[at];
  const tasks = labels.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0);
  const rare = [...classes].filter((_, k) => support[k] < RARE);
  const least = K > 0 ? minOf(support) : 0;
  const untold = tasks < RARE * Math.max(1, K);
  return checkOf(untold ? "unknown" : rare.length > 0 ? "warn" : "ok", {
    id: "class-support",
    title: "Is every class met often enough?",
    finding: untold
      ? `Too few tasks to tell: ${tasks} with labels, for ${K} classes.`
      : rare.length > 0
        ? `Fewer than ${RARE} tasks are expected to be ${names(rare)}: ${least.toFixed(1)} for the rarest class.`
        : `The rarest class is expected on ${least.toFixed(1)} tasks.`,
    advice: untold
      ? `Label ${RARE * Math.max(1, K)} tasks or more.`
      : "What workers do with these classes is hardly known: merge them, or look for more such tasks.",
    facts: { rare: rare.length, least, tasks },
  });
}

/** Only labels that some worker gave five times or more count; without any, nothing is known. */
function anchorCheck(fit: FitChecks, { classes }: Aggregation): IdentifiabilityCheck {
  const experts = fit.purity.filter((x) => x >= 0.95).length;
  const missing = [...classes].filter((_, k) => fit.purity[k] < 0.8);
  const untold = fit.purity.every((x) => x === 0);
  return checkOf(untold ? "unknown" : missing.length > 0 ? "warn" : "ok", {
    id: "anchors",
    title: "Does some label give each class away?",
    finding: untold
      ? "Too few labels to tell: no worker gave the same label five times."
      : `${experts} of ${classes.length} classes have a label of some worker that is pure evidence for them (.95), ` +
        `${classes.length - missing.length} a nearly pure one (.8); scatter ${fit.scatter.toFixed(3)}` +
        `${missing.length > 0 ? `. None for ${names(missing)}` : ""}.`,
    advice: untold
      ? "Collect more labels per worker."
      : "Methods that start from pure labels will mix these classes with others; a few experts or gold tasks of them help.",
    facts: {
      experts,
      near: classes.length - missing.length,
      scatter: fit.scatter,
      fewestNearPure: fit.nearPure.length > 0 ? minOf(fit.nearPure) : 0,
    },
  });
}

function randomCheck(
  alpha: Coefficient,
  fit: FitChecks,
  { classes }: Aggregation,
): IdentifiabilityCheck {
  const { counted, better } = fit;
  // Where too few can be judged alone, all together: whether any two agree more than chance would.
  const alone = counted >= FEW_WORKERS;
  const untold = !alone && !agreesLittle(alpha) && !(alpha.defined && alpha.low >= LITTLE);
  const share = alone ? better / counted : alpha.low >= LITTLE ? 1 : alpha.low > 0 ? 0.5 : 0;
  const wrong = fit.misnamed.map((k) => classes.at(k));
  const found = share < 0.5 ? "serious" : share < 0.75 || wrong.length > 0 ? "warn" : "ok";
  const turned =
    wrong.length > 0 ? ` The crowd calls ${names(wrong)} by another name more often.` : "";
  const together = alpha.defined
    ? `together their alpha is ${alpha.value.toFixed(3)}, at least ${alpha.low.toFixed(3)}.`
    : "and no two labels of a task to compare.";
  return checkOf(untold ? "unknown" : found, {
    id: "better-than-random",
    title: "Are most workers better than a guess?",
    finding:
      (alone
        ? `${better} of the ${counted} workers with labels enough to tell agree with the others more than a guess would.`
        : `Too few labels to judge single workers; ${together}`) + turned,
    advice: untold
      ? "Have more tasks labelled by the same workers, or add gold."
      : "Which class is which rests on most workers being right. Where they may not be, only gold can settle it.",
    facts: { counted, better, share, alpha: alpha.value, misnamed: wrong.length },
  });
}

function informationCheck(
  data: CategoricalData,
  model: Model,
  { seed = 0 }: IdentifiabilityOptions,
): IdentifiabilityCheck {
  const found = scoreRank(data, model, { seed });
  const base = {
    id: "local-information",
    title: "Does the design pin the parameters down?",
  } as const;
  if (!found) {
    return checkOf("unknown", {
      ...base,
      finding: "Not checked: more than 500 free parameters.",
      advice:
        "The other checks have to do; a method with fewer parameters, such as one-coin, needs less.",
      facts: { checked: 0 },
    });
  }
  const { parameters, rank, least } = found;
  // Rates that few labels put at zero count as known, so the rank of so small a fit says nothing.
  const workers = labelsPerWorker(data).reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0);
  const all = workers * data.classes.length * (model.given - 1) + data.classes.length - 1;
  const state = rank < parameters ? "serious" : least < 1e-3 ? "warn" : "ok";
  const untold = data.label.length < all || parameters === 0;
  return checkOf(untold ? "unknown" : state, {
    ...base,
    finding:
      (untold ? `Too few labels to tell: ${data.label.length}, for ${all} free parameters. ` : "") +
      `Any number of such tasks determines ${rank} of ${parameters} free parameters` +
      (rank < parameters
        ? `: they can move in ${parameters - rank} directions that no label notices.`
        : `; the least known keeps ${percent(least)} of its information beside the others.`),
    advice: untold
      ? "Collect more labels."
      : "Several sets of confusions explain the labels equally well. Fix some by gold, share them between workers, or use one-coin.",
    facts: { checked: 1, parameters, rank, least },
  });
}

/** Fewer tasks than this with two labels or more cannot show a difference of 5 %. */
const FEW_TASKS = 20;

/** Fits from the votes and from shares drawn around them, and compares the ends. */
function startCheck(
  data: CategoricalData,
  { seed = 0, mostLabels = 200_000 }: IdentifiabilityOptions,
): IdentifiabilityCheck {
  const { data: part } = sampleTasks(data, {}, mostLabels, seed);
  const votes = dawidSkene(part, { start: "votes" });
  const drawn = dawidSkene(part, { start: "random", seed });
  let [same, tasks] = [0, 0];
  for (let t = 0; t < part.tasks.length; t++) {
    if (votes.support[t] === 0) continue;
    tasks++;
    if (votes.consensus[t] === drawn.consensus[t]) same++;
  }
  const shared = votes.support.reduce((sum, n) => sum + (n >= 2 ? 1 : 0), 0);
  const untold = shared < FEW_TASKS;
  const agreed = tasks > 0 ? same / tasks : 1;
  const gap = (drawn.trace.at(-1) ?? 0) - (votes.trace.at(-1) ?? 0);
  return checkOf(untold ? "unknown" : agreed < 0.8 ? "serious" : agreed < 0.95 ? "warn" : "ok", {
    id: "starts",
    title: "Do two starts end alike?",
    finding:
      (untold ? `Too few tasks to tell: ${shared} with two labels or more. ` : "") +
      `Two fits from different starts agree on ${percent(agreed)} of the tasks; the second ends ` +
      `${Math.abs(gap).toPrecision(3)} nats ${gap > 0 ? "higher" : "lower"}${part === data ? "" : " (on a sample)"}.`,
    advice: untold
      ? `Label ${FEW_TASKS} tasks or more twice.`
      : "The answer depends on where the fit starts. Try more starts, a stiffer method, or gold.",
    facts: { agreed, gap, tasks, shared },
  });
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** At most five, quoted. */
function names(list: readonly string[]): string {
  const shown = list.slice(0, 5).map((name) => JSON.stringify(name));
  return shown.join(", ") + (list.length > 5 ? ` and ${list.length - 5} more` : "");
}
