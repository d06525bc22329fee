/**
 * Whether to rely on the answers: trust, use with care, or do not trust yet, with reasons and what to do next.
 *
 * Each finding says how much it weighs: it stops, asks for care, or is fine. One that stops is enough for "do not
 * trust yet"; one that asks for care is enough for "use with care". With gold, what gold says of accuracy takes the
 * place of what the method expects, and confidence above it by more than its interval is an alarm. Without gold the
 * expectation allows for errors that workers share (shared-errors.ts). What all workers mistake alike, nothing but
 * gold can show, and the verdict says so.
 */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { plural } from "../error.ts";
import { maxOf } from "../math/lists.ts";
import type { Check } from "./checks.ts";
import { mergedIn } from "./collusion/exact-copies.ts";
import { assumedCorrelation, likelihoodPowers, type SharedErrors } from "./shared-errors.ts";
import type { WorkerScore } from "./worker-scores.ts";

/** How far to rely on answers. */
export type VerdictLevel = "trust" | "use with care" | "do not trust yet";

/** Whether to rely on the answers, why, and what to do next. */
export interface Verdict {
  readonly level: VerdictLevel;
  /** What decided, the gravest first. */
  readonly reasons: readonly string[];
  /** What to do next. */
  readonly next: readonly string[];
  /** Share of answers expected to be right: by gold if there is enough, else by confidence. */
  readonly expected: number;
  /** What gold says if it shows that confidence is too high; one of the reasons as well. */
  readonly alarm?: string;
}

/** Scores against gold that a verdict looks at. */
export interface GoldCheck {
  /** Number of tasks with gold. */
  readonly tasks: number;
  /** Share of right answers, with its interval. */
  readonly accuracy: { readonly value: number; readonly low: number; readonly high: number };
  /** Mean confidence of the same answers. */
  readonly confidence: number;
}

/** Workers who agree more than their skills explain. */
export interface SuspectGroup {
  readonly workers: readonly number[];
}

/** What a verdict rests on; what is absent is not looked at. */
export interface VerdictEvidence {
  readonly shared: SharedErrors;
  readonly gold?: GoldCheck | undefined;
  readonly workers?: readonly Pick<WorkerScore, "labels" | "standing">[] | undefined;
  /** Groups that agree more than their skills explain. */
  readonly groups?: readonly SuspectGroup[] | undefined;
  /** Workers who are copies of one another. */
  readonly copies?: readonly SuspectGroup[] | undefined;
  /** Krippendorff's alpha, with the upper end of its interval. */
  readonly alpha?: { readonly value: number; readonly high: number } | undefined;
  /** How many independent workers these are worth, and how many there are. */
  readonly effective?: { readonly crowd: number; readonly workers: number } | undefined;
  readonly checks?: readonly Check[] | undefined;
}

/** Share of answers expected to be right below which they are not to be trusted, or to be used with care. */
const STOP_BELOW = 0.75;
const CARE_BELOW = 0.88;
/** Gold tasks from which on gold decides. */
const ENOUGH_GOLD = 20;

interface Finding {
  readonly weight: "stop" | "care" | "fine";
  readonly reason: string;
  readonly next?: string;
  readonly alarm?: boolean;
  /** True of what is not worth saying if something stops. */
  readonly hopeful?: boolean;
}

/** Judges whether the answers of a result can be relied on. */
export function verdict(
  data: CategoricalData,
  result: Aggregation,
  evidence: VerdictEvidence,
): Verdict {
  const { gold } = evidence;
  const hoped = expectedAccuracy(data, result, evidence.shared);
  const judged = gold && gold.tasks >= ENOUGH_GOLD ? gold : undefined;
  const expected = judged ? judged.accuracy.value : hoped;
  const found: Finding[] = [
    ...goldFindings(gold),
    ...expectationFindings(result, expected, judged !== undefined),
    ...redundancyFindings(evidence.shared),
    ...agreementFindings(judged ? undefined : evidence.alpha),
    ...sharedFindings(evidence.shared, judged !== undefined),
    ...copyFindings(result, evidence.copies ?? []),
    ...groupFindings(result, evidence.groups ?? []),
    ...effectiveFindings(evidence.effective),
    ...workerFindings(evidence.workers ?? [], judged !== undefined),
    ...checkFindings(evidence.checks ?? []),
  ];
  const of = (weight: Finding["weight"]) => found.filter((finding) => finding.weight === weight);
  const stops = of("stop").length > 0;
  const fine = of("fine").filter(({ hopeful }) => !(hopeful && stops));
  const ordered = [...of("stop"), ...of("care"), ...fine];
  const level =
    of("stop").length > 0 ? "do not trust yet" : of("care").length > 0 ? "use with care" : "trust";
  const loud = found.find(({ alarm }) => alarm);
  const next = ordered.flatMap((finding) => finding.next ?? []);
  return {
    level,
    reasons: ordered.map(({ reason }) => reason),
    next: [...new Set([...next, ...(gold ? [] : [auditAdvice(data)])])],
    expected,
    ...(loud && { alarm: loud.reason }),
  };
}

/** Share of answers expected to be right, allowing for errors that workers share. */
export function expectedAccuracy(
  data: CategoricalData,
  result: Aggregation,
  shared: SharedErrors,
): number {
  const { confidence, posterior, consensus } = result;
  const K = result.classes.length;
  let [sum, tasks] = [0, 0];
  // A result that measured shared errors has allowed for them.
  const power =
    "sharedErrors" in result || K < 2
      ? undefined
      : likelihoodPowers(data, assumedCorrelation(shared, K), K);
  for (let t = 0; t < consensus.length; t++) {
    if (consensus[t] < 0) continue;
    tasks++;
    const row = posterior.subarray(t * K, (t + 1) * K);
    if (!power) {
      sum += confidence[t];
      continue;
    }
    const top = maxOf(row);
    let total = 0;
    for (const p of row) total += (p / top) ** power[t];
    sum += Math.min(confidence[t], 1 / total);
  }
  return tasks > 0 ? sum / tasks : 0;
}

function goldFindings(gold: GoldCheck | undefined): Finding[] {
  if (!gold || gold.tasks === 0) return [];
  const { tasks, accuracy, confidence } = gold;
  const range = `${percent(accuracy.low)} to ${percent(accuracy.high)}`;
  const right = `On ${plural(tasks, "task", "tasks")} with gold ${percent(accuracy.value)} of the answers are right (95 % interval ${range})`;
  if (confidence <= accuracy.high) {
    return [
      { weight: "fine", reason: `${right}; their mean confidence is ${percent(confidence)}.` },
    ];
  }
  return [
    {
      weight: confidence - accuracy.value > 0.1 ? "stop" : "care",
      alarm: true,
      reason: `${right}, but their mean confidence is ${percent(confidence)}: the answers are overconfident.`,
      next: "Give the gold to the method (--use-gold) so that it sets the confidence, and check the instructions on the tasks that are wrong.",
    },
  ];
}

function expectationFindings(result: Aggregation, expected: number, known: boolean): Finding[] {
  const unsure = result.confidence.filter((p, t) => result.consensus[t] >= 0 && p < 0.7).length;
  const relabel =
    unsure > 0
      ? `Collect more labels for the ${plural(unsure, "task", "tasks")} with a confidence below 70 %.`
      : "Collect more labels per task.";
  if (expected >= CARE_BELOW) {
    if (known) return [];
    return [
      {
        weight: "fine",
        hopeful: true,
        reason: `About ${percent(expected)} of the answers are expected to be right.`,
        ...(unsure > 0 && { next: relabel }),
      },
    ];
  }
  return [
    {
      weight: expected < STOP_BELOW ? "stop" : "care",
      reason: known
        ? `Only ${percent(expected)} of the answers are right by gold.`
        : `Only about ${percent(expected)} of the answers are expected to be right.`,
      next: relabel,
    },
  ];
}

function redundancyFindings({ labelsPerTask }: SharedErrors): Finding[] {
  if (labelsPerTask >= 3) return [];
  const few = `There are only ${labelsPerTask.toFixed(1)} labels per task`;
  return labelsPerTask < 1.5
    ? [
        {
          weight: "stop",
          reason: `${few}: most answers rest on one label that nobody checked.`,
          next: "Collect at least three labels per task.",
        },
      ]
    : [
        {
          weight: "care",
          reason: `${few}, so that few errors can be noticed.`,
          next: "Collect at least three labels per task.",
        },
      ];
}

function agreementFindings(alpha: VerdictEvidence["alpha"]): Finding[] {
  if (!alpha || !(alpha.high < 0.1)) return [];
  return [
    {
      weight: alpha.high < 0.05 ? "stop" : "care",
      reason: `Workers hardly agree beyond chance (Krippendorff's alpha ${alpha.value.toFixed(2)}), so that it is doubtful which of them are right.`,
      next: "Check the instructions, and give gold for some tasks: it tells which workers are right.",
    },
  ];
}

function sharedFindings(
  { correlation, deviation, misled, labelsPerTask, effectiveLabels }: SharedErrors,
  known: boolean,
): Finding[] {
  if (!(correlation > 2 * deviation) || labelsPerTask < 1.5) return [];
  const worth = `${labelsPerTask.toFixed(1)} labels per task are worth ${effectiveLabels.toFixed(1)} independent ones, because workers make the same errors`;
  // Gold shows the errors themselves.
  if (known || misled < 0.03) {
    return effectiveLabels < 0.5 * labelsPerTask ? [{ weight: "fine", reason: `${worth}.` }] : [];
  }
  return [
    {
      weight: misled >= 0.1 ? "stop" : "care",
      reason: `${worth}; on about ${percent(misled)} of the tasks most workers may be wrong together.`,
      next: "Look at the tasks on which workers split, and fix the instructions for the classes that they confuse.",
    },
  ];
}

/** Copies that the result has merged count for one worker; in others each of them counts. */
function copyFindings(result: Aggregation, copies: readonly SuspectGroup[]): Finding[] {
  const members = copies.flatMap(({ workers }) => [...workers]);
  if (members.length === 0) return [];
  const share = shareOf(result, members);
  const who = `${plural(members.length, "worker", "workers")} with ${percent(share)} of the labels are copies of one another, in ${plural(copies.length, "group", "groups")}`;
  if (mergedIn(result)) {
    return [
      {
        weight: "care",
        reason: `${who}; each group counted for one worker.`,
        next: "Find out why workers never disagree: one person or model may answer under several names.",
      },
    ];
  }
  return [
    {
      weight: share >= 0.25 ? "stop" : "care",
      reason: `${who}, and each counted for itself.`,
      next: "Use auto, which counts copies for one worker, or leave all but one of each group out.",
    },
  ];
}

/** The share of the labels that some workers gave. */
const shareOf = ({ workload }: Aggregation, workers: readonly number[]): number =>
  workers.reduce((sum, w) => sum + workload[w], 0) /
  Math.max(
    1,
    workload.reduce((sum, n) => sum + n, 0),
  );

/** Groups that the result itself found have lost their weight; others still have it. */
function groupFindings(result: Aggregation, suspected: readonly SuspectGroup[]): Finding[] {
  const { groups } = result as { readonly groups?: Int32Array };
  const share = (members: readonly number[]) => shareOf(result, members);
  if (groups) {
    const sizes = new Map<number, number>();
    for (const g of groups) sizes.set(g, (sizes.get(g) ?? 0) + 1);
    const members = [...groups.keys()].filter((w) => (sizes.get(groups[w]) ?? 0) > 1);
    const count = [...sizes.values()].filter((size) => size > 1).length;
    if (members.length > 0) {
      return [
        {
          weight: "care",
          reason: `${plural(members.length, "worker", "workers")} with ${percent(share(members))} of the labels err together in ${plural(count, "group", "groups")}; each group counted for one worker.`,
          next: "Look at the workers who err together: they may copy each other, or follow the same wrong rule.",
        },
      ];
    }
  }
  if (suspected.length === 0) return [];
  const members = suspected.flatMap(({ workers }) => [...workers]);
  return [
    {
      weight: share(members) >= 0.25 ? "stop" : "care",
      reason: `${plural(members.length, "worker", "workers")} with ${percent(share(members))} of the labels agree more than their skills explain, in ${plural(suspected.length, "group", "groups")}.`,
      next: "Look at the workers who agree more than their skills explain: their labels may be copies.",
    },
  ];
}

function effectiveFindings(effective: VerdictEvidence["effective"]): Finding[] {
  if (!effective || effective.workers < 3) return [];
  const { crowd, workers } = effective;
  if (crowd > 0.5 * workers) return [];
  return [
    {
      weight: crowd <= 0.2 * workers ? "stop" : "care",
      reason: `The ${workers} workers with labels enough to tell are worth about ${crowd.toFixed(1)} independent ones: many give the same labels.`,
      next: "Find out whether workers copy each other, or share an account or a model.",
    },
  ];
}

/** Many labels that tell nothing ask for care, unless gold has shown what the answers are worth. */
function workerFindings(
  workers: readonly Pick<WorkerScore, "labels" | "standing">[],
  known: boolean,
): Finding[] {
  const total = workers.reduce((sum, { labels }) => sum + labels, 0);
  const poor = workers.filter(({ standing }) => standing === "guessing" || standing === "worse");
  const share = poor.reduce((sum, { labels }) => sum + labels, 0) / Math.max(1, total);
  if (share < 0.1) return [];
  return [
    {
      weight: share >= 0.6 && !known ? "care" : "fine",
      reason: `${percent(share)} of the labels come from ${plural(poor.length, "worker", "workers")} who cannot be told from guessing, or are worse.`,
      next: "Retrain or replace the workers who are not better than guessing.",
    },
  ];
}

function checkFindings(checks: readonly Check[]): Finding[] {
  return checks
    .filter(({ serious }) => serious)
    .map(({ finding, advice }) => ({
      weight: "care",
      reason: finding,
      ...(advice !== "" && { next: advice }),
    }));
}

function auditAdvice(data: CategoricalData): string {
  const tasks = Math.min(100, data.tasks.length);
  return `Answer ${plural(tasks, "random task", "random tasks")} yourself and pass them as gold: labels alone cannot show what all workers mistake alike.`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
