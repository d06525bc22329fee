/**
 * Takes the labels of spammers out, as an explicit step, and says what that does.
 *
 * Nothing else in the library removes workers. Which ones is decided by the caller, or by the standing of
 * worker-scores.ts: those who cannot be told from guessing. Workers who are worse than guessing tell something to a model of
 * workers, which turns their labels round; only votes, which cannot, do better without them (`worse`).
 * Groups of workers who err together count for one worker (em/find-groups.ts). Three things stop it, unless `force` is set:
 *
 *   more than 60 % of the workers      so many spammers leave too little to tell anybody by
 *   the last label of a task           the task would be without an answer
 *   held-out labels                    labels of the kept workers are hidden, five folds, and predicted from what the
 *                                      remaining labels say: with the spammers' labels, and without; if they
 *                                      are predicted worse without, by more than two standard errors, the labels held
 *                                      information
 */
import type { Aggregation, AnyAggregator } from "../../aggregate/categorical/aggregator.ts";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { cutFolds, predict, readOut, totalWeight } from "../../belief/hold-out.ts";
import { type CategoricalData, selectLabels } from "../../data/categorical.ts";
import { labelsPerTask, labelsPerWorker } from "../../data/crowd-data.ts";
import { findGroupSteps, isSearchable } from "../../em/find-groups.ts";
import { CrowdError, hint, plural } from "../../error.ts";
import { drain, type Steps } from "../../method.ts";
import type { Standing } from "../standing.ts";
import { scoreWorkers } from "../worker-scores.ts";

/** Whom to take out, and how it is checked. */
export interface PruneOptions {
  /** Whom to take out, by name or number. Default: those whose standing is guessing. */
  readonly workers?: readonly (string | number)[] | undefined;
  /**
   * Takes out those whose standing is worse than guessing as well, which is right for votes: a model of workers turns their
   * labels round. Default: true if `method` is a vote.
   */
  readonly worse?: boolean | undefined;
  /** The method behind the answers before and after. Default: dawid-skene. */
  readonly method?: AnyAggregator | undefined;
  /** Takes them out whatever the guards say. */
  readonly force?: boolean | undefined;
  readonly seed?: number | undefined;
}

/** A worker whose labels were taken out. */
export interface PrunedWorker {
  readonly worker: string;
  readonly labels: number;
  /** Why, with the numbers behind it; empty if the caller named the worker. */
  readonly reasons: readonly string[];
}

/** How well hidden labels of the kept workers are predicted: mean log-probability per label, in nats. */
export interface HeldOutChange {
  readonly before: number;
  readonly after: number;
  /** Standard error of the difference, over folds. */
  readonly error: number;
  /** True if they are predicted worse without the pruned labels, by more than two standard errors. */
  readonly worse: boolean;
}

/** A task whose answer changed; null where there is no answer. */
export interface PrunedAnswer {
  readonly task: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The data without the pruned labels, and what changed. */
export interface Pruning {
  readonly data: CategoricalData;
  readonly workers: readonly PrunedWorker[];
  /** How many labels were taken out, and of how many. */
  readonly labels: number;
  readonly ofLabels: number;
  /** Tasks that lost their last label. */
  readonly emptied: number;
  readonly changed: readonly PrunedAnswer[];
  readonly heldOut: HeldOutChange;
  readonly before: Aggregation;
  readonly after: Aggregation;
}

/** The largest share of workers that is taken out without `force`. */
const MOST = 0.6;
const FOLDS = 5;

/** Takes the labels of spammers out and reports what that changes; refuses what the guards forbid. */
export function pruneSpammers(data: CategoricalData, options: PruneOptions = {}): Pruning {
  return drain(pruneSpammerSteps(data, options));
}

/** The same in steps, with progress. */
export function* pruneSpammerSteps(
  data: CategoricalData,
  options: PruneOptions = {},
): Steps<Pruning> {
  const { workers, method = dawidSkene, force = false, seed = 0 } = options;
  const { worse = !method.probabilistic } = options;
  const before = yield* method.steps(data);
  const named = workers && chooseNamed(data, workers);
  const { chosen, reasons } = named ?? (yield* choose(data, before, worse, seed));
  const counts = labelsPerWorker(data);
  const kept = selectLabels(data, (i) => !chosen[data.worker[i]]);
  const emptied = countEmptied(data, kept);
  if (!force) checkSizes(data, chosen, emptied);
  const heldOut = yield* heldOutSteps(data, chosen, method, seed);
  if (!force && heldOut.worse) {
    throw new CrowdError(
      "bad-data",
      `Taking these workers out makes the labels of the others harder to predict (${heldOut.before.toFixed(3)} nats per ` +
        `label before, ${heldOut.after.toFixed(3)} after), so their labels hold information. Keep them, use a method that weighs ` +
        `workers, such as dawid-skene or spem, or set ${hint("force", true)}.`,
    );
  }
  const after = yield* method.steps(kept);
  const pruned = [...chosen.keys()].filter((w) => chosen[w]);
  return {
    data: kept,
    workers: pruned.map((w) => ({
      worker: data.workers.at(w),
      labels: counts[w],
      reasons: reasons[w] ?? [],
    })),
    labels: data.label.length - kept.label.length,
    ofLabels: data.label.length,
    emptied,
    changed: changedAnswers(before, after),
    heldOut,
    before,
    after,
  };
}

interface Choice {
  /** 1 for each worker to take out. */
  readonly chosen: Uint8Array;
  readonly reasons: readonly (readonly string[])[];
}

/** Marks the workers to take out by their standing. */
function* choose(
  data: CategoricalData,
  result: Aggregation,
  worse: boolean,
  seed: number,
): Steps<Choice> {
  const { groups } = isSearchable(data) ? yield* findGroupSteps(data, { seed }) : {};
  const scores = scoreWorkers(data, result, { seed, groups });
  const low: readonly Standing[] = worse ? ["guessing", "worse"] : ["guessing"];
  return {
    chosen: Uint8Array.from(scores, ({ standing }) => (low.includes(standing) ? 1 : 0)),
    reasons: scores.map(({ reasons }) => reasons),
  };
}

/** Marks the workers who were named. */
function chooseNamed(data: CategoricalData, workers: readonly (string | number)[]): Choice {
  const W = data.workers.length;
  const chosen = new Uint8Array(W);
  for (const worker of workers) {
    const w = typeof worker === "number" ? worker : data.workers.indexOf(worker);
    if (!(Number.isInteger(w) && w >= 0 && w < W)) {
      throw new CrowdError(
        "bad-option",
        `There is no worker ${JSON.stringify(worker)} in the data.`,
      );
    }
    chosen[w] = 1;
  }
  return { chosen, reasons: [] };
}

function countEmptied(data: CategoricalData, kept: CategoricalData): number {
  const left = labelsPerTask(kept);
  return labelsPerTask(data).reduce((sum, n, t) => sum + (n > 0 && left[t] === 0 ? 1 : 0), 0);
}

/** Refuses to take out most workers, or the last label of a task. */
function checkSizes(data: CategoricalData, chosen: Uint8Array, emptied: number): void {
  const active = labelsPerWorker(data).filter((n) => n > 0).length;
  const count = chosen.reduce((sum, flag) => sum + flag, 0);
  if (count > MOST * active) {
    throw new CrowdError(
      "bad-data",
      `${plural(count, "worker")} of ${active} would be taken out, which is more than ${100 * MOST} %. So many are rarely ` +
        `spammers: look at a few by hand first, check the crowd with identifiability, or set ${hint("force", true)}.`,
    );
  }
  if (emptied > 0) {
    throw new CrowdError(
      "bad-data",
      `${plural(emptied, "task")} would lose the last label and with it the answer. ` +
        `Collect labels for ${emptied === 1 ? "it" : "them"} first, take fewer workers out, or set ${hint("force", true)}.`,
    );
  }
}

/** Predicts hidden labels of the kept workers with and without the labels of the chosen ones. */
export function* heldOutSteps(
  data: CategoricalData,
  chosen: Uint8Array,
  method: AnyAggregator,
  seed: number,
): Steps<HeldOutChange> {
  const K = data.classes.length;
  const spoken = selectLabels(data, (i) => data.label[i] < K);
  const isKept = (labels: CategoricalData) =>
    selectLabels(labels, (i) => !chosen[labels.worker[i]]);
  const [before, after]: [number[], number[]] = [[], []];
  for (const { shown, hidden } of cutFolds(spoken, FOLDS, seed)) {
    const asked = isKept(hidden);
    const rest = isKept(shown);
    const weight = totalWeight(asked);
    if (!(weight > 0) || rest.label.length === 0) continue;
    for (const [fitted, scores] of [
      [shown, before],
      [rest, after],
    ] as const) {
      const { posterior } = yield* method.steps(fitted);
      // Both are read out on the same labels, so that only the beliefs about tasks differ.
      const rates = readOut(rest, posterior, K);
      scores.push(predict(asked, posterior, rates, K) / weight);
    }
  }
  return compared(before, after);
}

function compared(before: readonly number[], after: readonly number[]): HeldOutChange {
  const n = before.length;
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, n);
  const differences = after.map((score, i) => score - before[i]);
  const change = mean(differences);
  const squares = mean(differences.map((each) => (each - change) ** 2));
  const error = n > 1 ? Math.sqrt(squares / (n - 1)) : 0;
  return {
    before: mean(before),
    after: mean(after),
    error,
    worse: n > 1 && change < -2 * error && change < -1e-9,
  };
}

function changedAnswers(before: Aggregation, after: Aggregation): PrunedAnswer[] {
  const name = (result: Aggregation, t: number) => {
    const k = result.consensus[t];
    return k < 0 ? null : result.classes.at(k);
  };
  const changed: PrunedAnswer[] = [];
  for (let t = 0; t < before.consensus.length; t++) {
    if (before.consensus[t] === after.consensus[t]) continue;
    changed.push({ task: before.tasks.at(t), before: name(before, t), after: name(after, t) });
  }
  return changed;
}
