/**
 * Compares policies on labels that exist, or on simulated crowds: accuracy, confidence, held-out likelihood and cost against the number
 * of labels, with bands over several seeds, and how many labels each policy needs for a target (campaign-run.ts runs one campaign).
 */
import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import { studentQuantile } from "../math/incomplete.ts";
import { mean, variance } from "../math/statistics.ts";
import { drain, type Steps } from "../method.ts";
import { type CampaignSettings, campaignSteps, type RunPoint } from "./campaign-run.ts";
import type { AssignPolicy } from "./choose.ts";

/** Settings of a simulated campaign. */
export interface CampaignOptions extends CampaignSettings {
  /** Default: cover-gain, round-robin and random. */
  readonly policies?: readonly AssignPolicy[] | undefined;
  /** Number of seeds; default 5. */
  readonly seeds?: number | undefined;
  /** The first seed; default 0. */
  readonly seed?: number | undefined;
  /** Accuracy to be reached. Default: a point below the accuracy with all labels. */
  readonly target?: number | undefined;
}

/** A mean over seeds with its 95 % band; the band of one seed is the mean itself. */
export interface Band {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** A policy at one checkpoint. */
export interface CampaignPoint {
  readonly labels: number;
  /** Accuracy by a fit of the labels so far. */
  readonly accuracy: Band;
  /** Accuracy of the live model that the policy stands on. */
  readonly live: Band;
  /** Mean confidence; where it is above the accuracy, answers are not as sure as they say. */
  readonly confidence: Band;
  /** Mean log-likelihood of labels not revealed yet, in nats; NaN if none is left. */
  readonly heldOut: Band;
  readonly cost: Band;
}

/** How one policy did. */
export interface PolicyCurve {
  readonly policy: AssignPolicy;
  readonly points: readonly CampaignPoint[];
  /** Labels from which on the mean accuracy stays at the target or above; undefined if it never does. */
  readonly needed: number | undefined;
  /** Every seed's own points. */
  readonly runs: readonly (readonly RunPoint[])[];
}

/** Policies side by side. */
export interface CampaignComparison {
  readonly target: number;
  readonly seeds: number;
  readonly curves: readonly PolicyCurve[];
}

/** Labels with gold, or a function that draws a crowd from a seed. */
export type CampaignData = CategoricalData | ((seed: number) => CategoricalData);

/** Runs every policy with every seed and compares them. */
export function simulateCampaign(
  data: CampaignData,
  options: CampaignOptions = {},
): CampaignComparison {
  return drain(comparisonSteps(data, options));
}

/** The same in steps, with progress. */
export function* comparisonSteps(
  data: CampaignData,
  options: CampaignOptions = {},
): Steps<CampaignComparison> {
  const { policies = ["cover-gain", "round-robin", "random"], seeds = 5, seed = 0 } = options;
  if (!(Number.isInteger(seeds) && seeds >= 1)) {
    throw new CrowdError(
      "bad-option",
      `simulateCampaign: seeds must be a whole number from 1, not ${seeds}.`,
    );
  }
  const runs = new Map<AssignPolicy, RunPoint[][]>();
  let done = 0;
  for (const policy of policies) {
    const own: RunPoint[][] = [];
    for (let s = seed; s < seed + seeds; s++) {
      const crowd = typeof data === "function" ? data(s) : data;
      const steps = campaignSteps(crowd, policy, s, options);
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) {
          own.push(step.value);
          break;
        }
        yield { iteration: ++done, objective: 0, stage: `${policy}, seed ${s}` };
      }
    }
    runs.set(policy, own);
  }
  const curves = [...runs].map(([policy, own]) => ({ policy, points: pointsOf(own), runs: own }));
  const ends = curves.map(({ points }) => points[points.length - 1].accuracy.mean);
  const target = options.target ?? ends.reduce((most, end) => Math.max(most, end), 0) - 0.01;
  return {
    target,
    seeds,
    curves: curves.map((curve) => ({ ...curve, needed: labelsFor(curve.points, target) })),
  };
}

/** Returns the number of labels from which on the mean accuracy stays at a target, by the line between checkpoints. */
export function labelsFor(points: readonly CampaignPoint[], target: number): number | undefined {
  let at = points.length;
  while (at > 0 && points[at - 1].accuracy.mean >= target) at--;
  if (at === points.length) return undefined;
  const [to, from] = [points[at], points[at - 1]];
  if (!from) return to.labels;
  const part = (target - from.accuracy.mean) / (to.accuracy.mean - from.accuracy.mean);
  return from.labels + part * (to.labels - from.labels);
}

function pointsOf(runs: readonly (readonly RunPoint[])[]): CampaignPoint[] {
  return runs[0].map(({ labels }, i) => {
    const band = (key: keyof RunPoint) => bandOf(runs.map((run) => run[i][key]));
    return {
      labels,
      accuracy: band("accuracy"),
      live: band("live"),
      confidence: band("confidence"),
      heldOut: band("heldOut"),
      cost: band("cost"),
    };
  });
}

function bandOf(values: readonly number[]): Band {
  // Nothing is left to be held out once all labels are revealed.
  if (values.some(Number.isNaN)) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN };
  const [n, middle] = [values.length, mean(values)];
  if (n === 1) return { mean: middle, low: middle, high: middle };
  const half = studentQuantile(0.975, n - 1) * Math.sqrt(variance(values) / n);
  return { mean: middle, low: middle - half, high: middle + half };
}
