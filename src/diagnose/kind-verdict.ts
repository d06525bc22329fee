/**
 * Whether to rely on answers that are no classes: numbers, scores, tags, sets, clusters. As verdict.ts judges labels, from
 * what these kinds share: checks of what can be learnt, how many independent workers there are, how much of the
 * differences between answers is error, and with gold whether intervals hold it.
 */
import { plural } from "../error.ts";
import type { Check } from "./checks.ts";
import type { Verdict } from "./verdict.ts";

/** What such a verdict rests on; what is absent is not looked at. */
export interface KindEvidence {
  readonly checks: readonly Check[];
  /** How many independent workers these are worth, and how many there are. */
  readonly effective?: { readonly crowd: number; readonly workers: number } | undefined;
  /** Share of the variance of the answers that is no error, by the standard errors of the method. */
  readonly reliability?: number | undefined;
  /** How many 95 % intervals hold the gold, of how many. */
  readonly intervals?: { readonly held: number; readonly of: number } | undefined;
  /** Mean probability of the answers, where the method gives any. */
  readonly confidence?: number | undefined;
  /** Mean share of right answers by gold with its interval, comparable with `confidence`. */
  readonly gold?:
    | { readonly value: number; readonly high: number; readonly of: number }
    | undefined;
  /** What is answered, for advice: task, item. */
  readonly thing: "task" | "item";
  /** Number of them. */
  readonly count: number;
}

/** What a diagnosis finds anyway, and a verdict takes over. */
export type Judged = Pick<KindEvidence, "checks" | "effective">;

interface Finding {
  readonly weight: "stop" | "care" | "fine";
  readonly reason: string;
  readonly next?: string;
  readonly alarm?: boolean;
}

/** Judges whether the answers can be relied on. */
export function kindVerdict(evidence: KindEvidence): Verdict {
  const { intervals, gold, thing, count, reliability } = evidence;
  const found = [
    ...goldFindings(evidence),
    ...evidence.checks.flatMap(checkFinding),
    ...agreementFindings(evidence.checks),
    ...reliabilityFindings(reliability),
    ...effectiveFindings(evidence.effective),
  ];
  const of = (weight: Finding["weight"]) => found.filter((finding) => finding.weight === weight);
  const ordered = [...of("stop"), ...of("care"), ...of("fine")];
  const level =
    of("stop").length > 0 ? "do not trust yet" : of("care").length > 0 ? "use with care" : "trust";
  const alarm = found.find((finding) => finding.alarm)?.reason;
  const next = ordered.flatMap((finding) => finding.next ?? []);
  const audited = Math.min(100, count);
  const audit = `Answer ${plural(audited, `random ${thing}`, `random ${thing}s`)} yourself and pass them as gold: answers alone cannot show what all workers mistake alike.`;
  return {
    level,
    reasons: ordered.map(({ reason }) => reason),
    next: [...new Set([...next, ...(intervals || gold ? [] : [audit])])],
    expected: gold?.value ?? reliability ?? Number.NaN,
    ...(alarm !== undefined && { alarm }),
  };
}

/** Agreement below which care is asked for. */
const LITTLE = 0.4;

/** Gold answers from which on they decide. */
const ENOUGH_GOLD = 20;

function goldFindings({ intervals, gold, confidence }: KindEvidence): Finding[] {
  const found: Finding[] = [];
  if (intervals && intervals.of >= ENOUGH_GOLD) {
    const share = intervals.held / intervals.of;
    // Two standard errors of a share of 95 %.
    const least = 0.95 - 2 * Math.sqrt((0.95 * 0.05) / intervals.of);
    const held = `${intervals.held} of ${intervals.of} intervals hold the gold`;
    if (share >= least) found.push({ weight: "fine", reason: `${held}.` });
    else {
      found.push({
        weight: share < 0.8 ? "stop" : "care",
        alarm: true,
        reason: `Only ${held}, where 95 % should: the answers are overconfident.`,
        next: "Look at the answers that are farthest from the gold: workers may share an error, or the gold may mean something else.",
      });
    }
  }
  if (gold && confidence !== undefined && gold.of >= ENOUGH_GOLD && confidence > gold.high) {
    found.push({
      weight: confidence - gold.value > 0.1 ? "stop" : "care",
      alarm: true,
      reason: `By gold ${percent(gold.value)} of the answers are right, but their mean probability is ${percent(confidence)}: the answers are overconfident.`,
      next: "Give the gold to the method (--use-gold), and check the instructions on what is wrong.",
    });
  }
  return found;
}

function checkFinding({ status, serious, finding, advice }: Check): Finding[] {
  if (status === "ok") return [];
  const weight = serious ? "stop" : "care";
  return [{ weight, reason: finding, ...(advice !== "" && { next: advice }) }];
}

/** An agreement that is above chance but low asks for care. */
function agreementFindings(checks: readonly Check[]): Finding[] {
  const found = checks.find(({ id, status }) => id === "agreement" && status === "ok");
  const alpha = found?.facts["alpha"];
  if (alpha === undefined || alpha >= LITTLE) return [];
  return [
    {
      weight: "care",
      reason: `Workers agree little (Krippendorff's alpha ${alpha.toFixed(2)}).`,
      next: "Look at what they disagree on most, and check the instructions there.",
    },
  ];
}

function reliabilityFindings(reliability: number | undefined): Finding[] {
  if (reliability === undefined || Number.isNaN(reliability)) return [];
  const share = percent(Math.max(0, reliability));
  if (reliability >= 0.7) {
    return [
      {
        weight: "fine",
        reason: `Reliability: ${share} of the variance between answers is not error.`,
      },
    ];
  }
  return [
    {
      weight: reliability < 0.3 ? "stop" : "care",
      reason: `Low reliability: by the standard errors, only ${share} of the variance between answers is not error.`,
      next: "Collect more answers where intervals are wide.",
    },
  ];
}

function effectiveFindings(effective: KindEvidence["effective"]): Finding[] {
  if (!effective || effective.workers < 3 || effective.crowd > 0.8 * effective.workers) return [];
  const { crowd, workers } = effective;
  return [
    {
      weight: crowd <= 0.2 * workers ? "stop" : "care",
      reason: `The ${workers} workers with answers enough to tell are worth about ${crowd.toFixed(1)} independent ones: some give the same answers.`,
      next: "Find out whether workers copy each other, or share an account or a model.",
    },
  ];
}

/** Share of the variance of estimates that is no error; NaN with fewer than two. */
export function reliabilityOf(estimate: Float64Array, sd: Float64Array): number {
  const known = Array.from(estimate.keys()).filter((t) => !Number.isNaN(estimate[t] + sd[t]));
  if (known.length < 2) return Number.NaN;
  const mean = known.reduce((sum, t) => sum + estimate[t], 0) / known.length;
  let [spread, error] = [0, 0];
  for (const t of known) {
    spread += (estimate[t] - mean) ** 2 / (known.length - 1);
    error += sd[t] ** 2 / known.length;
  }
  return spread > 0 ? 1 - error / spread : Number.NaN;
}

const percent = (share: number) => `${Math.round(100 * share)} %`;
