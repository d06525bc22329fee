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
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import { minOf } from "../math/lists.ts";
import { createRandom } from "../math/random.ts";
import { type FitChecks, fitChecks, ILL_CONDITIONED } from "./fit-checks.ts";
import { krippendorffAlpha } from "./krippendorff.ts";
import { countConfusion } from "./leave-one-out.ts";
import { type Model, scoreRank } from "./score-rank.ts";
import { MOST_TRIANGLES, workerGraph } from "./worker-graph.ts";

type CheckStatus = "ok" | "warn" | "fail";

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
export interface IdentifiabilityCheck {
  readonly id: CheckId;
  readonly status: CheckStatus;
  readonly title: string;
  /** What was found, in a sentence with its numbers. */
  readonly finding: string;
  /** What to do about it; empty where nothing is wrong. */
  readonly advice: string;
  /** The numbers of the finding, by name. */
  readonly facts: Readonly<Record<string, number>>;
}

/** Whether the labels determine the answers, check by check. */
export interface Identifiability {
  /** The worst of the checks. */
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
  const fit = fitChecks(data, model, result.posterior);
  const checks = [
    coLabellingCheck(data, options),
    parameterCheck(data, result),
    rankCheck(fit),
    supportCheck(result),
    anchorCheck(fit, result),
    randomCheck(data, fit, result),
    informationCheck(data, model, options),
    startCheck(data, options),
  ];
  const worst = (["fail", "warn"] as const).find((status) =>
    checks.some((check) => check.status === status),
  );
  return { status: worst ?? "ok", checks };
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
  const fail = largest === 0 || main || flat;
  const many = graph.triangles >= MOST_TRIANGLES ? "at least " : "";
  return {
    id: "co-labelling",
    title: "Do workers share tasks?",
    status: fail ? "fail" : problems.length > 0 ? "warn" : "ok",
    finding:
      `${graph.workers} workers, ${graph.medianDegree} colleagues in the median and ${graph.smallestDegree} at least, ` +
      `${many}${graph.triangles} triangles, ${three} of ${sizes.length} tasks with three labels or more` +
      `${problems.length > 0 ? `; ${problems.join("; ")}` : ""}${graph.sampled ? " (on a sample)" : ""}.`,
    advice:
      problems.length === 0
        ? ""
        : "Have some tasks labelled by three workers or more, chosen across the groups, or add gold for each group.",
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
  };
}

/** A confusion has K (L − 1) free rates; twice as many labels is the least to know them by. */
function parameterCheck(data: CategoricalData, result: Aggregation): IdentifiabilityCheck {
  const K = result.classes.length;
  const parameters = K * (result.given - 1);
  const sizes = result.workload.filter((n) => n > 0);
  const below = sizes.filter((n) => n < 2 * parameters);
  const share = sizes.length > 0 ? below.length / sizes.length : 0;
  const labels = below.reduce((sum, n) => sum + n, 0) / Math.max(1, data.label.length);
  const status = labels > 0.75 ? "fail" : share > 0.25 ? "warn" : "ok";
  return {
    id: "labels-per-worker",
    title: "Enough labels for a confusion each?",
    status,
    finding:
      `A worker's confusion has ${parameters} free rates; ${below.length} of ${sizes.length} workers gave fewer than ` +
      `${2 * parameters} labels, ${percent(labels)} of all labels.`,
    advice:
      status === "ok"
        ? ""
        : "Use a method with fewer parameters per worker (one-coin) or one that shares them (dawid-skene with shrinkage, ibcc).",
    facts: { parameters, below: below.length, share, labelShare: labels },
  };
}

function rankCheck(fit: FitChecks): IdentifiabilityCheck {
  const status =
    fit.fullRank < 3
      ? "fail"
      : fit.illConditioned > fit.workers / 2 || fit.illPairs > fit.pairs / 2
        ? "warn"
        : "ok";
  return {
    id: "rank",
    title: "Do labels tell the classes apart?",
    status,
    finding:
      `${fit.fullRank} of ${fit.workers} workers tell all classes apart by more than noise, and depend on what others say; ` +
      `${fit.illConditioned} confusions and ${fit.illPairs} of ${fit.pairs} joint tables are ill-conditioned (above ${ILL_CONDITIONED}).`,
    advice:
      status === "ok"
        ? ""
        : "Confusions need three workers who tell all classes apart. Collect more labels per worker, merge classes nobody separates, or use gold.",
    facts: {
      workers: fit.workers,
      fullRank: fit.fullRank,
      illConditioned: fit.illConditioned,
      medianSingular: fit.medianSingular,
      pairs: fit.pairs,
      illPairs: fit.illPairs,
    },
  };
}

function supportCheck({ classes, posterior }: Aggregation): IdentifiabilityCheck {
  const K = classes.length;
  const support = new Float64Array(K);
  for (let at = 0; at < posterior.length; at++) support[at % K] += posterior[at];
  const rare = [...classes].filter((_, k) => support[k] < 5);
  const least = K > 0 ? minOf(support) : 0;
  return {
    id: "class-support",
    title: "Is every class met often enough?",
    status: rare.length > 0 ? "warn" : "ok",
    finding:
      rare.length > 0
        ? `Fewer than 5 tasks are expected to be ${names(rare)}; ${least.toFixed(1)} of the rarest.`
        : `The rarest class is expected on ${least.toFixed(1)} tasks.`,
    advice:
      rare.length > 0
        ? "What workers do with these classes is hardly known: merge them, or look for more such tasks."
        : "",
    facts: { rare: rare.length, least },
  };
}

function anchorCheck(fit: FitChecks, { classes }: Aggregation): IdentifiabilityCheck {
  const experts = fit.purity.filter((x) => x >= 0.95).length;
  const missing = [...classes].filter((_, k) => fit.purity[k] < 0.8);
  return {
    id: "anchors",
    title: "Does some label give each class away?",
    status: missing.length > 0 ? "warn" : "ok",
    finding:
      `${experts} of ${classes.length} classes have a label of some worker that is pure evidence for them (.95), ` +
      `${classes.length - missing.length} a nearly pure one (.8); scatter ${fit.scatter.toFixed(3)}` +
      `${missing.length > 0 ? `. None for ${names(missing)}` : ""}.`,
    advice:
      missing.length > 0
        ? "Methods that start from pure labels will mix these classes with others; a few experts or gold tasks of them help."
        : "",
    facts: {
      experts,
      near: classes.length - missing.length,
      scatter: fit.scatter,
      fewestNearPure: fit.nearPure.length > 0 ? minOf(fit.nearPure) : 0,
    },
  };
}

function randomCheck(
  data: CategoricalData,
  fit: FitChecks,
  { classes }: Aggregation,
): IdentifiabilityCheck {
  const { counted, better } = fit;
  // Where too few can be judged alone, all together: whether any two agree more than chance would.
  const alone = counted >= 3;
  const alpha = krippendorffAlpha(data, { interval: "linearised" });
  const share = alone ? better / counted : alpha.defined && alpha.low > 0 ? 1 : 0;
  const wrong = fit.misnamed.map((k) => classes.at(k));
  const status = share < 0.5 ? "fail" : share < 0.75 || wrong.length > 0 ? "warn" : "ok";
  const turned =
    wrong.length > 0 ? ` The crowd calls ${names(wrong)} by another name more often.` : "";
  return {
    id: "better-than-random",
    title: "Are most workers better than a guess?",
    status,
    finding:
      (alone
        ? `${better} of the ${counted} workers with labels enough to tell agree with the others more than a guess would.`
        : `Too few labels to tell of single workers; together their alpha is ${alpha.value.toFixed(3)}, at least ${alpha.low.toFixed(3)}.`) +
      turned,
    advice:
      status === "ok"
        ? ""
        : "Which class is which rests on most workers being right. Where they may not be, only gold can settle it.",
    facts: { counted, better, share, alpha: alpha.value, misnamed: wrong.length },
  };
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
    const finding = "Not checked: more than 500 free parameters.";
    return { ...base, status: "ok", finding, advice: "", facts: { checked: 0 } };
  }
  const { parameters, rank, least } = found;
  const status = rank < parameters ? "fail" : least < 1e-3 ? "warn" : "ok";
  return {
    ...base,
    status,
    finding:
      `Any number of such tasks determines ${rank} of ${parameters} free parameters` +
      (rank < parameters
        ? `: they can move in ${parameters - rank} directions that no label notices.`
        : `; the least known keeps ${percent(least)} of its information beside the others.`),
    advice:
      status === "ok"
        ? ""
        : "Several sets of confusions explain the labels equally well. Fix some by gold, share them between workers, or use one-coin.",
    facts: { checked: 1, parameters, rank, least },
  };
}

/** Fits from the votes and from shares drawn around them, and compares the ends. */
function startCheck(
  data: CategoricalData,
  { seed = 0, mostLabels = 200_000 }: IdentifiabilityOptions,
): IdentifiabilityCheck {
  const share = mostLabels / Math.max(1, data.label.length);
  const random = createRandom(seed).split("two starts");
  const kept = Uint8Array.from(data.tasks, (name) => (random.split(name).next() < share ? 1 : 0));
  const part = share < 1 ? selectLabels(data, (i) => kept[data.task[i]] > 0) : data;
  const votes = dawidSkene(part, { start: "votes" });
  const drawn = dawidSkene(part, { start: "random", seed });
  let [same, tasks] = [0, 0];
  for (let t = 0; t < data.tasks.length; t++) {
    if (votes.support[t] === 0) continue;
    tasks++;
    if (votes.consensus[t] === drawn.consensus[t]) same++;
  }
  const agreed = tasks > 0 ? same / tasks : 1;
  const gap = (drawn.trace.at(-1) ?? 0) - (votes.trace.at(-1) ?? 0);
  const status = agreed < 0.8 ? "fail" : agreed < 0.95 ? "warn" : "ok";
  return {
    id: "starts",
    title: "Do two starts end alike?",
    status,
    finding:
      `Two fits from different starts agree on ${percent(agreed)} of the tasks; the second ends ` +
      `${Math.abs(gap).toPrecision(3)} nats ${gap > 0 ? "higher" : "lower"}${share < 1 ? " (on a sample)" : ""}.`,
    advice:
      status === "ok"
        ? ""
        : "The answer depends on where the fit starts. Try more starts, a stiffer method, or gold.",
    facts: { agreed, gap, tasks },
  };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** At most five, quoted. */
function names(list: readonly string[]): string {
  const shown = list.slice(0, 5).map((name) => JSON.stringify(name));
  return shown.join(", ") + (list.length > 5 ? ` and ${list.length - 5} more` : "");
}
