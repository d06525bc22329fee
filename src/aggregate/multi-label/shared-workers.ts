/**
 * Shared workers: every label is a yes-or-no question of its own, but workers are the same on all of them. A worker finds
 * a label that belongs with probability sens[u][l] and leaves out one that does not with spec[u][l]; both are drawn to
 * the worker's rates over all labels, and these to the crowd's, so that rare labels borrow from frequent ones.
 *
 *   z_il ~ pi_l,   Pr(u chooses l on i | z_il = 1) = sens[u][l],   Pr(… | z_il = 0) = 1 - spec[u][l]
 *
 * EM. The shrinkage is plugged in, so the objective is expected, not guaranteed, to rise. With `kappa` infinite a worker
 * has one pair of rates; with 0 each label is fitted alone, as by Dawid and Skene.
 *
 * A label that excludes all others, such as "none", conditions each task on {that label alone} or {some others}.
 *
 * Duan, Oyama, Sato, Kurihara (2014), Expert Systems with Applications 41(13), 5723–5732.
 * https://doi.org/10.1016/j.eswa.2014.03.048
 */
import { quoteName } from "../../data/look-alike.ts";
import type { Names } from "../../data/names.ts";
import { CrowdError, grouped } from "../../error.ts";
import type { Steps } from "../../method.ts";
import { conditioned, decide } from "./exclusive.ts";
import { type Frame, type Labelling, labeller, meanOver, voteShares } from "./labeller.ts";
import { countsOf, type Rates, ratesOf } from "./rates.ts";

/** Labels as yes-or-no questions with shared workers, whose rates are shrunk label by label. */
export const sharedWorkers = labeller(
  {
    id: "shared-workers",
    title: "Shared workers",
    summary:
      "Each label is a question of its own; what is learnt of a worker on one label helps on the others.",
    paper: {
      authors: "L. Duan, S. Oyama, H. Sato, M. Kurihara",
      year: 2014,
      title: "Separate or joint? Estimation of multiple labels from crowdsourced annotations",
      url: "https://doi.org/10.1016/j.eswa.2014.03.048",
    },
    family: "labels",
    cost: "O(NL) per iteration, with N answers and L labels",
    memory: ({ tasks, workers, classes: L }) => 8 * (4 * tasks * L + 12 * workers * L),
    options: {
      kappa: {
        default: 10,
        min: 0,
        unit: "answers",
        help: "Pull of a worker's rates on a label to those on all labels; 1e9 or more: one pair of rates per worker, 0: each label alone.",
      },
      kappa0: {
        default: 10,
        min: 0,
        unit: "answers",
        help: "Pull of a worker's rates to those of the crowd.",
      },
      exclusive: {
        default: "auto",
        pattern: "[^]+",
        wants: "auto, off or the name of a label",
        help: "Label that excludes all others, such as none; auto finds one that never occurs beside another, off has none.",
      },
      maxIterations: { default: 100, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-6,
        min: 0,
        help: "Stop when the objective changes by less than this share of it, or no probability by more than this.",
      },
    },
  },
  function* (frame, options): Steps<Labelling> {
    const { exclusive, notes } = exclusiveLabel(frame, options.exclusive);
    const trace: number[] = [];
    let posterior = voteShares(frame);
    let prior = meanOver(posterior, frame);
    let rates: Rates | undefined;
    let converged = false;
    const odds = new Float64Array(posterior.length);
    while (!converged && trace.length < options.maxIterations) {
      rates = ratesOf(countsOf(frame, posterior), frame, options);
      prior = priorOf(frame, posterior, options.kappa === 0);
      let objective = logOdds(frame, rates, prior, odds);
      const next = odds.map((x) => 1 / (1 + Math.exp(-x)));
      if (exclusive >= 0) objective += conditioned(frame, odds, exclusive, next);
      const last = trace.at(-1) ?? Number.NaN;
      trace.push(objective);
      converged =
        Math.abs(objective - last) <= options.tolerance * Math.abs(objective) ||
        largestStep(posterior, next) <= options.tolerance;
      posterior = next;
      yield { iteration: trace.length, objective };
    }
    const decided = decide(frame, odds, exclusive);
    return {
      posterior,
      ...decided,
      exclusive,
      ...(rates && { rates }),
      prior,
      trace,
      converged,
      notes,
    };
  },
);

/** Answers that a label needs before it is taken for exclusive unasked. */
const ENOUGH = 50;

/** Returns a label by its name; -1 for auto and off; refuses any other name. */
export function labelNamed(classes: Names, wanted: string): number {
  if (wanted === "auto" || wanted === "off") return -1;
  const place = classes.indexOf(wanted);
  if (place >= 0) return place;
  const known = Array.from(classes).slice(0, 10).map(quoteName).join(", ");
  const more = classes.length > 10 ? ", …" : "";
  throw new CrowdError(
    "bad-option",
    `exclusive must be auto, off or one of the labels (${known}${more}), not ${quoteName(wanted)}.`,
  );
}

/** The label that excludes all others: as named, or one that never occurs beside another. */
function exclusiveLabel(
  { classes, start, label, L }: Frame,
  wanted: string,
): { exclusive: number; notes: string[] } {
  if (wanted === "off") return { exclusive: -1, notes: [] };
  if (wanted !== "auto") return { exclusive: labelNamed(classes, wanted), notes: [] };
  const [count, beside] = [new Int32Array(L), new Int32Array(L)];
  for (let i = 0; i + 1 < start.length; i++) {
    const alone = start[i + 1] - start[i] === 1;
    for (let at = start[i]; at < start[i + 1]; at++) {
      count[label[at]]++;
      if (!alone) beside[label[at]]++;
    }
  }
  const found = Array.from(count.keys()).filter((l) => count[l] >= ENOUGH && beside[l] === 0);
  // Where several never occur beside another, answers may simply be of one label each.
  if (found.length !== 1 || !beside.some((n) => n > 0)) return { exclusive: -1, notes: [] };
  const [exclusive] = found;
  return {
    exclusive,
    notes: [
      `The label ${quoteName(classes.at(exclusive))} never occurs beside another in ${grouped(count[exclusive])} answers, so it is ` +
        `taken for one that excludes all others. If it is not, set exclusive to "off".`,
    ],
  };
}

/** Share of tasks that each label belongs to; a label of its own kind is smoothed by one task. */
function priorOf(frame: Frame, posterior: Float64Array, separate: boolean): Float64Array {
  const means = meanOver(posterior, frame);
  return separate ? means : means.map((mean) => (1 + frame.T * mean) / (frame.T + 2));
}

/** The E step: log-odds that each label belongs to each task; returns the log-likelihood. */
function logOdds(
  { T, L, from, worker, weight, start, label, gold }: Frame,
  { label: { sensitivity, specificity } }: Rates,
  prior: Float64Array,
  odds: Float64Array,
): number {
  const [chose, left] = [sensitivity.map(Math.log), sensitivity.map((s) => Math.log(1 - s))];
  const [wrong, passed] = [specificity.map((s) => Math.log(1 - s)), specificity.map(Math.log)];
  const [belongs, not] = [new Float64Array(L), new Float64Array(L)];
  let likelihood = 0;
  for (let t = 0; t < T; t++) {
    for (let l = 0; l < L; l++) {
      belongs[l] = Math.log(prior[l]);
      not[l] = Math.log(1 - prior[l]);
    }
    for (let i = from[t]; i < from[t + 1]; i++) {
      const w = worker[i] * L;
      for (let l = 0; l < L; l++) {
        belongs[l] += weight[i] * left[w + l];
        not[l] += weight[i] * passed[w + l];
      }
      for (let at = start[i]; at < start[i + 1]; at++) {
        const l = label[at];
        belongs[l] += weight[i] * (chose[w + l] - left[w + l]);
        not[l] += weight[i] * (wrong[w + l] - passed[w + l]);
      }
    }
    for (let l = 0; l < L; l++) {
      const known = gold ? gold[t * L + l] : -1;
      odds[t * L + l] = known < 0 ? belongs[l] - not[l] : known > 0 ? Infinity : -Infinity;
      const [high, low] = belongs[l] > not[l] ? [belongs[l], not[l]] : [not[l], belongs[l]];
      if (known < 0) likelihood += high + Math.log1p(Math.exp(low - high));
      else likelihood += known > 0 ? belongs[l] : not[l];
    }
  }
  return likelihood;
}

function largestStep(before: Float64Array, after: Float64Array): number {
  let most = 0;
  for (let at = 0; at < before.length; at++) {
    most = Math.max(most, Math.abs(before[at] - after[at]));
  }
  return most;
}
