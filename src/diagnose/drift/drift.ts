/**
 * Whether workers get better or worse over time: skill curves, sudden changes, and changes that many share.
 *
 * The labels of each worker are taken in the order of time and judged by gold or by the other workers
 * (worker-answers.ts). Three views of the same answers:
 *
 *   windows   the skill in the last 50 labels, at every tenth (windows.ts)
 *   curve     a random walk of the log-odds of a right label, one step per 10 labels (state-space.ts)
 *   change    one sudden change, with its Bayes factor and the posterior of its place (change-point.ts)
 *
 * A worker is flagged if a log Bayes factor, of a change or of a moving skill, is above 3 and p = min(1, 1/BF) survives Benjamini and
 * Hochberg's control over the workers at 5 %; a moving skill must differ by 5 points besides. Under a constant skill P(BF ≥ 1/p) ≤ p for a change, so such p-values err
 * on the safe side. Changes that more than 20 % of the workers have at one date are changes of the tasks (task-drift.ts).
 *
 * Kass & Raftery (1995), Journal of the American Statistical Association 90(430), 773–795, for Bayes factors as
 * evidence. https://doi.org/10.1080/01621459.1995.10476572
 */
import type { Aggregation } from "../../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { benjaminiHochberg } from "../../math/benjamini-hochberg.ts";
import { maxOf, minOf } from "../../math/lists.ts";
import { drain, type Steps } from "../../method.ts";
import { type ChangePoint, changePoint } from "./change-point.ts";
import { type DriftOptions, type DriftSettings, driftSettings } from "./drift-options.ts";
import type { Drift, DriftFlag, SkillChange, SkillSpan, WorkerDrift } from "./drift-result.ts";
import { changeReason, driftReason, fewReason, taskReason } from "./drift-words.ts";
import { skillPath } from "./state-space.ts";
import { type CommonChange, commonChanges } from "./task-drift.ts";
import { type SkillEstimate, skillWindows, windowSkill } from "./windows.ts";
import { crowdAnswers, type WorkerAnswers } from "./worker-answers.ts";

/** Log Bayes factor above which a worker may be flagged. */
const STRONG = 3;
/** Least difference between the highest and the lowest skill of a curve that counts as drift. */
const LEAST_MOVE = 0.05;
const DAY = 86_400_000;

/** Follows the skill of each worker over time. O(N K) per fit of the others, and O(n √n) per worker with n labels. */
export function drift(
  data: CategoricalData,
  result: Aggregation,
  options: DriftOptions = {},
): Drift {
  return drain(driftSteps(data, result, options));
}

/** Follows the skill of each worker over time, with one progress report per worker. */
export function* driftSteps(
  data: CategoricalData,
  result: Aggregation,
  options: DriftOptions = {},
): Steps<Drift> {
  const settings = driftSettings(options);
  yield { iteration: 0, objective: 0, stage: "learning what the other workers say" };
  const { workers: answers, approximate, notes } = crowdAnswers(data, result, settings);
  const views: View[] = [];
  for (const [w, own] of answers.entries()) {
    views.push(viewOf(data.workers.at(w), own, settings));
    yield { iteration: w + 1, objective: 0, stage: "following the skill of each worker" };
  }
  const found = flagged(views, settings);
  const common = commonChanges(
    found.changed.map((w) => datedChange(w, views[w])),
    views.filter(({ tested }) => tested).map(({ span }) => span),
  );
  const names = (list: readonly number[]) => list.map((w) => data.workers.at(w));
  return {
    workers: views.map((view, w) =>
      worded(
        view,
        { changed: found.changed.includes(w), moving: found.moving.includes(w) },
        common.find(({ workers }) => workers.includes(w)),
        settings.fewest,
      ),
    ),
    taskDrift: common.map(({ at, fell, workers, active }) => ({
      at,
      direction: fell ? "fall" : "rise",
      workers: names(workers),
      active,
    })),
    approximate,
    notes,
  };
}

/** The three views of one worker, before all workers are compared. */
interface View {
  readonly facts: Omit<WorkerDrift, "change" | "drift" | "flags" | "reasons">;
  readonly change: SkillChange | undefined;
  readonly tested: boolean;
  readonly span: { readonly first: number; readonly last: number };
}

function viewOf(worker: string, own: WorkerAnswers, settings: DriftSettings): View {
  const { level, window: size, step, bin, fewest } = settings;
  const judged = own.right.length;
  const start = bin === "day" ? dayBins(own) : evenBins(judged, bin);
  const { curve, logBayes: driftLogBayes } = skillPath(own, start, level);
  const point = changePoint(own, level);
  const at = (j: number) => own.times[own.place[j]];
  const span = ({ skill, low, high }: SkillEstimate, from: number, to: number): SkillSpan => ({
    from: at(Math.min(from, judged - 1)),
    to: at(Math.max(from, to - 1)),
    labels: to - from,
    skill,
    low,
    high,
  });
  return {
    facts: {
      worker,
      labels: own.times.length,
      judged,
      // A day without labels has the time of the next one.
      curve: curve.map((each, t) => span(each, start[t], start[t + 1])),
      windows: skillWindows(own, { size, step, level }).map((each) =>
        span(each, each.from, each.to),
      ),
      changeLogBayes: point?.logBayes ?? 0,
      driftLogBayes,
    },
    change: point && changeOf(own, point),
    tested: judged >= fewest,
    span: { first: own.times[0] ?? 0, last: own.times[own.times.length - 1] ?? 0 },
  };
}

/** The change as numbers of labels and times; the answers before number `at` are of the first skill. */
function changeOf(own: WorkerAnswers, { logBayes, at, low, high }: ChangePoint): SkillChange {
  const time = (j: number) => own.times[own.place[j]];
  return {
    at: time(at),
    label: own.place[at],
    low: own.place[low],
    high: own.place[high],
    earliest: time(low),
    latest: time(high),
    before: windowSkill(own, 0, at).skill,
    after: windowSkill(own, at, own.right.length).skill,
    logBayes,
  };
}

function evenBins(n: number, size: number): Int32Array {
  return Int32Array.from({ length: Math.ceil(n / size) + 1 }, (_, t) => Math.min(n, t * size));
}

/** One bin per day from the first judged label to the last, also for days without labels. */
function dayBins({ times, place }: WorkerAnswers): Int32Array {
  const days = Array.from(place, (at) => Math.floor(times[at] / DAY));
  const start: number[] = [];
  days.forEach((day, j) => {
    while (start.length <= day - days[0]) start.push(j);
  });
  return Int32Array.from([...start, days.length]);
}

/** The workers whose evidence is strong and survives the control of false discoveries. */
function flagged(views: readonly View[], { falseDiscoveries }: DriftSettings) {
  const tested = [...views.keys()].filter((w) => views[w].tested);
  const strong = (logBayes: (view: View) => number) => {
    const p = tested.map((w) => Math.min(1, Math.exp(-logBayes(views[w]))));
    const kept = benjaminiHochberg(p, falseDiscoveries);
    return tested.filter((w, i) => kept[i] && logBayes(views[w]) > STRONG);
  };
  return {
    changed: strong(({ facts }) => facts.changeLogBayes),
    // Thousands of answers that are all right speak for log-odds that still rise, which matters to nobody.
    moving: strong(({ facts }) => facts.driftLogBayes).filter((w) => {
      const skills = views[w].facts.curve.map(({ skill }) => skill);
      return maxOf(skills) - minOf(skills) >= LEAST_MOVE;
    }),
  };
}

function datedChange(worker: number, { change, facts }: View) {
  const { at = 0, earliest = 0, latest = 0, before = 0, after = 0 } = change ?? {};
  const { low = 0, high = 0 } = change ?? {};
  const width = Math.min(1, (high - low + 1) / facts.labels);
  return { worker, at, earliest, latest, fell: after < before, width };
}

/** Flags and reasons of one worker. */
function worded(
  { facts, change, tested }: View,
  { changed, moving }: { readonly changed: boolean; readonly moving: boolean },
  common: CommonChange | undefined,
  fewest: number,
): WorkerDrift {
  const found: (readonly [DriftFlag, string])[] = [];
  if (!tested) found.push(["few-labels", fewReason(facts.judged, fewest)]);
  if (common && change) found.push(["task-drift", taskReason(change, common)]);
  if (!common && changed && change) found.push(["change", changeReason(change, facts.labels)]);
  if (!common && moving) found.push(["drift", driftReason(facts.curve, facts.driftLogBayes)]);
  return {
    ...facts,
    ...(changed && change && { change }),
    drift: !common && (changed || moving),
    flags: found.map(([flag]) => flag),
    reasons: found.map(([, reason]) => reason),
  };
}
