/**
 * All that can be said of a crowd and a result, as plain data: the verdict, and what it rests on.
 *
 * Up to 200,000 labels everything is looked at. Of more, workers, groups and shared errors are judged on a sample of
 * whole tasks, and `notes` say so: a million labels of a thousand workers take seconds.
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import { numberGroups } from "../belief/worker-groups.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { findGroupSteps, isSearchable } from "../em/find-groups.ts";
import type { Engine } from "../kernels/engine.ts";
import { drain, type Steps, staged } from "../method.ts";
import { type Agreement, type AgreementOptions, agreement } from "./agreement.ts";
import { type BoxPlots, boxPlots } from "./box-plots.ts";
import { copiesOf, oneVoiceEach } from "./collusion/exact-copies.ts";
import {
  type ExcessAgreement,
  type ExcessOptions,
  excessAgreementSteps,
} from "./collusion/excess-agreement.ts";
import { groupLists, groupNumbers } from "./collusion/fused-groups.ts";
import {
  type EffectiveOptions,
  type EffectiveWorkers,
  effectiveWorkersSteps,
} from "./effective/effective-workers.ts";
import { type Explanation, explain } from "./explain.ts";
import {
  type Identifiability,
  type IdentifiabilityOptions,
  identifiability,
} from "./identifiability.ts";
import { type ScoreIntervals, scoreIntervalSteps } from "./score-intervals.ts";
import { type SharedErrors, sharedErrorSteps } from "./shared-errors.ts";
import type { SkillIntervals } from "./skill-intervals.ts";
import {
  type GoldCheck,
  type SuspectGroup,
  type Verdict,
  type VerdictEvidence,
  verdict,
} from "./verdict.ts";
import { type ScoreOptions, scoreWorkers, type WorkerScore } from "./worker-scores.ts";

/** Settings of each part of a diagnosis. */
export interface DiagnoseOptions {
  /** Random seed, unless a part has a seed of its own. */
  readonly seed?: number | undefined;
  readonly agreement?: AgreementOptions | undefined;
  readonly workers?: ScoreOptions | undefined;
  readonly identifiability?: IdentifiabilityOptions | undefined;
  readonly excess?: ExcessOptions | undefined;
  readonly effective?: EffectiveOptions | undefined;
  /** The model that stands in for the result on all labels (refit.ts), if it was fitted already. */
  readonly fitted?: Aggregation | undefined;
  /** Intervals of the skills, where they were found already. */
  readonly skillIntervals?: SkillIntervals | undefined;
  /** How the answers compare with gold, for the verdict. */
  readonly gold?: GoldCheck | undefined;
  /** Tasks to explain, by number. */
  readonly explain?: readonly number[] | undefined;
  readonly engine?: Engine | undefined;
}

/** What labels and a result say about themselves. */
export interface Diagnosis {
  readonly method: string;
  /** Whether to rely on the answers, by all that follows. */
  readonly verdict: Verdict;
  readonly agreement: Agreement;
  /** One per worker, in the order of the workers. */
  readonly workers: readonly WorkerScore[];
  /** Intervals of informativeness, capacity and information; absent if refits disagree too much. */
  readonly scoreIntervals?: ScoreIntervals;
  readonly identifiability: Identifiability;
  readonly sharedErrors: SharedErrors;
  /** Workers who agree more than their skills explain. */
  readonly excess: ExcessAgreement;
  /** Workers of each group that errs together, by number; absent if they were not looked for. */
  readonly groups?: readonly SuspectGroup[];
  /** Workers who are copies of one another, by number; they are judged, and judge the others, as one. */
  readonly copies: readonly SuspectGroup[];
  /** How many independent workers the crowd is worth. */
  readonly effective: EffectiveWorkers;
  readonly boxPlots: BoxPlots;
  readonly skillIntervals?: SkillIntervals;
  readonly explanations?: readonly Explanation[];
  /** What was judged on a sample, or not at all. */
  readonly notes: readonly string[];
}

/** How far workers do not err independently. */
export type Dependence = Pick<
  Diagnosis,
  "sharedErrors" | "excess" | "effective" | "groups" | "copies"
>;

/** More labels than this are judged on samples. */
const ALL_LABELS = 200_000;
/** Labels of a sample on which pairs of workers are compared, and labels on which workers are judged. */
const PAIR_LABELS = 50_000;
const WORKER_LABELS = 60_000;
/** Groups with a smaller share of the labels do not change the verdict. */
const SMALLEST_SHARE = 0.05;

/** Checks agreement, workers, dependence and identifiability of a result, and whether to rely on it. */
export function diagnose(
  data: CategoricalData,
  result: Aggregation,
  options: DiagnoseOptions = {},
): Diagnosis {
  return drain(diagnoseSteps(data, result, options));
}

/** The same in steps, with progress. */
export function* diagnoseSteps(
  data: CategoricalData,
  result: Aggregation,
  options: DiagnoseOptions = {},
): Steps<Diagnosis> {
  const { skillIntervals } = options;
  const dependence = yield* dependenceSteps(data, result, options);
  const labels = yield* labelSteps(data, result, { ...options, groups: dependence.groups });
  return {
    method: result.method,
    verdict: verdict(data, result, {
      shared: dependence.sharedErrors,
      gold: options.gold,
      workers: labels.workers,
      groups: suspects(dependence.excess, foundGroups(result)),
      copies: dependence.copies,
      effective: dependence.effective,
      alpha: alphaOf(labels.agreement),
      checks: labels.identifiability.checks,
    }),
    ...labels,
    ...dependence,
    boxPlots: boxPlots(data, result),
    ...(skillIntervals && { skillIntervals }),
    ...(options.explain && {
      explanations: options.explain.map((task) => explain(data, result, task)),
    }),
    notes: notesOf(data.label.length > ALL_LABELS, dependence.groups === undefined),
  };
}

/** More labels than this are not judged worker by worker for the verdict of a result. */
const VERDICT_LABELS = 100_000;

/**
 * Says whether to rely on a result: by all that `diagnose` looks at, or, if the labels are many, by what is told in no
 * time: shared errors, groups that the result found, agreement and gold.
 */
export function* verdictSteps(
  data: CategoricalData,
  result: Aggregation,
  options: Pick<DiagnoseOptions, "seed" | "engine" | "gold"> & { readonly known?: Known },
): Steps<Verdict> {
  const { seed = 0, engine, gold, known } = options;
  const shared =
    (result as Aggregation & Found).sharedErrors ??
    (yield* sharedErrorSteps(data, { seed, engine, known }));
  const found = foundGroups(result);
  yield { iteration: 1, objective: 0, stage: "measuring agreement" };
  const { data: sample } = sampleTasks(data, {}, VERDICT_LABELS, seed);
  const merged = copiesOf(data, result);
  const copies = groupMembers(merged);
  const quick = { shared, gold, alpha: alphaOf(agreement(sample, { seed })), copies };
  if (data.label.length > VERDICT_LABELS) return verdict(data, result, { ...quick, groups: found });
  yield { iteration: 2, objective: 0, stage: "scoring workers" };
  const workers = scoreWorkers(data, result, { seed });
  yield { iteration: 3, objective: 0, stage: "checking identifiability" };
  const voices = oneVoiceEach(data, merged);
  const { checks } = identifiability(voices, result, { seed });
  const excess = yield* excessAgreementSteps(voices, { seed });
  const effective = yield* effectiveWorkersSteps(voices, { seed, interval: false });
  const groups = suspects(excess, found);
  return verdict(data, result, { ...quick, workers, checks, groups, effective });
}

function alphaOf({ krippendorff }: Agreement): VerdictEvidence["alpha"] {
  return krippendorff.defined ? krippendorff : undefined;
}

/** Judges agreement, workers and identifiability, on a sample if the labels are many; a group counts for one worker. */
function* labelSteps(
  data: CategoricalData,
  result: Aggregation,
  { seed = 0, ...options }: DiagnoseOptions & { readonly groups: Dependence["groups"] | undefined },
): Steps<Pick<Diagnosis, "agreement" | "workers" | "identifiability" | "scoreIntervals">> {
  const large = data.label.length > ALL_LABELS;
  const step = (iteration: number, stage: string) => ({ iteration, objective: 0, stage });
  yield step(1, "measuring agreement");
  const { data: sample } = sampleTasks(data, {}, large ? ALL_LABELS / 2 : ALL_LABELS, seed);
  const agreed = agreement(sample, { seed, ...options.agreement });
  yield step(2, "scoring workers");
  const fewer = large ? { mostSampled: WORKER_LABELS, mostPerWorker: 0 } : {};
  const groups = groupNumbers(
    (options.groups ?? []).map(({ workers }) => Int32Array.from(workers)),
    data.workers.length,
  );
  const workers = scoreWorkers(data, result, {
    seed,
    groups: numberGroups(groups),
    ...fewer,
    ...options.workers,
  });
  yield step(3, "checking identifiability");
  const smaller = large ? { mostPairs: 500_000, mostLabels: PAIR_LABELS / 2 } : {};
  const voices = oneVoiceEach(data, copiesOf(data, result));
  const identified = identifiability(voices, result, {
    seed,
    ...smaller,
    ...options.identifiability,
  });
  const intervals = yield* scoreIntervalSteps(data, result, {
    seed,
    fitted: options.fitted,
    ...(large && { mostLabels: PAIR_LABELS / 2 }),
  });
  return {
    agreement: agreed,
    workers,
    identifiability: identified,
    ...(intervals && { scoreIntervals: intervals }),
  };
}

/** What some methods find besides the answers. */
interface Found {
  readonly sharedErrors?: SharedErrors;
  /** The group of each worker by number. */
  readonly groups?: Int32Array;
}

/** Looks for workers who do not err independently, on a sample if the labels are many; groups only if asked to. */
export function* dependenceSteps(
  data: CategoricalData,
  result: Aggregation,
  { seed = 0, engine, excess: excessOptions, effective: effectiveOptions }: DiagnoseOptions,
  searched = true,
): Steps<Dependence> {
  const sharedErrors =
    (result as Aggregation & Found).sharedErrors ??
    (yield* staged(sharedErrorSteps(data, { seed, engine }), "measuring shared errors"));
  const large = data.label.length > ALL_LABELS;
  const copies = copiesOf(data, result);
  const voices = oneVoiceEach(data, copies);
  const { data: sample } = sampleTasks(voices, {}, large ? PAIR_LABELS : ALL_LABELS, seed);
  const fewer = large ? { mostLabels: PAIR_LABELS / 2 } : {};
  const excess = yield* staged(
    excessAgreementSteps(sample, { seed, ...fewer, ...excessOptions }),
    "comparing pairs of workers",
  );
  const own = foundGroups(result);
  const search = searched && own.length === 0 && isSearchable(data);
  const groups = search
    ? groupMembers((yield* staged(findGroupSteps(sample, { seed }), "looking for groups")).groups)
    : own.length > 0
      ? own
      : undefined;
  const effective = yield* staged(
    effectiveWorkersSteps(sample, { seed, ...effectiveOptions }),
    "counting independent workers",
  );
  return {
    sharedErrors,
    copies: groupMembers(copies),
    excess: sample === voices ? excess : { ...excess, sampled: true },
    effective: sample === voices ? effective : { ...effective, sampled: true },
    ...(groups && { groups }),
  };
}

/** The groups of two workers or more, from the number of each worker's group. */
function groupMembers(groups: Int32Array | undefined): SuspectGroup[] {
  return groups ? groupLists(groups).map((workers) => ({ workers: [...workers] })) : [];
}

/** The groups that the method of a result found. */
export function foundGroups(result: Aggregation): SuspectGroup[] {
  return groupMembers((result as Aggregation & Found).groups);
}

/** Groups that are suspected and large enough to matter, and those of the result with none of their members. */
function suspects({ groups }: ExcessAgreement, found: readonly SuspectGroup[]): SuspectGroup[] {
  const suspected = groups
    .filter(({ status, share }) => status === "suspected" && share >= SMALLEST_SHARE)
    .map(({ workers }) => ({ workers: [...workers] }));
  const members = new Set(suspected.flatMap(({ workers }) => workers));
  return [...suspected, ...found.filter(({ workers }) => !workers.some((w) => members.has(w)))];
}

function notesOf(large: boolean, skipped: boolean): string[] {
  return [
    ...(large
      ? [
          "There are more than 200,000 labels: agreement, workers, pairs of workers and the effective number were judged on samples of whole tasks.",
        ]
      : []),
    ...(skipped
      ? [
          "Groups of workers who err together were not looked for: that takes long for so many workers. group-dawid-skene and findGroups do.",
        ]
      : []),
  ];
}
