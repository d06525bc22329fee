/**
 * Whom to ask what next, one label at a time, on a live model.
 *
 *   cover     every task first gets `cover` labels, fewest first: before that, workers are not known well enough to choose by
 *   explore   with a small probability any open task and any worker, so that a worker who was misjudged is heard again
 *   gain      the task and worker with the largest expected information per cost (expected-gain.ts), discounted:
 *
 *               (1 − ρ) / (1 + (d − 1) ρ)²
 *
 *             is how much a further label adds to d labels whose errors have the correlation ρ, as the derivative of their
 *             worth d / (1 + (d − 1) ρ) (diagnose/shared-errors.ts): labels on a task that stays open after many are spent in vain
 *
 *   gold      now and then a task whose class is known, so that workers are measured (gold-questions.ts)
 *   audit     now and then a closed task, so that the error of closed tasks is measured (audits.ts)
 *
 * A task is closed when its answer is `confident` and does not rest on one label, or when it has `mostPerTask`; it is opened again if
 * its answer falls under 1 − 2 (1 − confident). Only the tasks with the largest discounted entropy are looked at, 64 of them and
 * 8 others, so that a choice costs the same on a million labels.
 *
 * Houlsby et al. (2011), Bayesian active learning for classification and preference learning. https://arxiv.org/abs/1112.5745
 */
import type { Name } from "../data/rows.ts";
import type { LiveLabel } from "../online/live-label.ts";
import type { OnlineModel } from "../online/online.ts";
import { type Audited, createAudits } from "./audits.ts";
import type { Assignment, Choice } from "./choose.ts";
import type { MeasuredShare } from "./gold-questions.ts";
import type { PlanOptions } from "./plan-options.ts";
import { makeParts, type Parts } from "./plan-parts.ts";
import { createStopRules, type PlanStop } from "./stop-rules.ts";
import { judgeWorkers, type PlanWorker } from "./worker-quality.ts";

/** How far a campaign is. */
export interface PlanProgress {
  /** Number of tasks, gold questions left out. */
  readonly tasks: number;
  /** Tasks that may be asked about. */
  readonly open: number;
  /** Tasks that are closed because their answer is sure enough. */
  readonly confident: number;
  /** Number of labels. */
  readonly labels: number;
  /** Questions of this plan, those that wait for an answer included, and what they cost. */
  readonly asked: number;
  readonly cost: number;
}

/** What a campaign has measured of itself. */
export interface PlanMeasures {
  /** Accuracy of all workers on gold questions. */
  readonly gold: MeasuredShare;
  /** Errors of closed tasks. */
  readonly audits: Audited;
}

/** Whom to ask what next. */
export interface Plan {
  /** Returns the next question for this worker, or for anybody; undefined if there is none, and `stop` says why. */
  next(worker?: Name): Assignment | undefined;
  /** Tells the model and the plan of a label. */
  apply(label: LiveLabel): void;
  /** Counts a question that has been asked but not answered yet: its task as if it had one more label. */
  reserve(question: Pick<Assignment, "task" | "worker">): void;
  /** Takes back a question that will not be answered. */
  release(question: Pick<Assignment, "task" | "worker">): void;
  /** Asks this worker nothing more. */
  dismiss(worker: Name): void;
  /** Looks at all tasks and workers again, after `sweep` or `refit` of the model or new priors of tasks. O(tasks). */
  refresh(): void;
  progress(): PlanProgress;
  /** Returns why the campaign is over, or why the worker was asked nothing last time; undefined if neither is so. */
  stop(worker?: Name): PlanStop | undefined;
  /** Returns what gold questions and audits have measured. */
  measured(): PlanMeasures;
  /** Returns what is known of each worker, with a flag on those who should be looked at. O(labels). */
  workers(): PlanWorker[];
}

/** Returns a plan on a live model. */
export function plan(model: OnlineModel, given: PlanOptions = {}): Plan {
  const parts = makeParts(model, given);
  const { offers, ledger, gold, speakers, board, tasks } = parts;
  const { next, stop, takeAudit } = createAsking(parts);
  const { apply, reserve, release, audited } = createBooking(model, parts, takeAudit);
  return {
    next,
    stop,
    apply,
    reserve,
    release,
    dismiss(worker) {
      offers.dismiss(offers.worker(String(worker)));
      speakers.forget();
    },
    refresh() {
      speakers.forget();
      parts.evidence?.recount(model);
      board.refresh();
    },
    progress: () => ({
      tasks: tasks(),
      open: board.open(),
      confident: board.sure(),
      labels: board.labels(),
      ...ledger.spent(),
    }),
    measured: () => ({ gold: gold.accuracy(), audits: audited() }),
    workers: () =>
      judgeWorkers(
        model,
        (name) => speakers.of(offers.worker(name)),
        (name) => gold.accuracy(offers.worker(name)),
      ),
  };
}

/** What is asked next, and why nothing is. */
function createAsking(parts: Parts) {
  const { K, offers, settings, ledger, gold, speakers, board, chooser, costOf } = parts;
  const stopRule = createStopRules(settings, board, offers, speakers, costOf, K);
  const campaignStop = () => stopRule(ledger.spent(), parts.tasks());
  const auditing = new Set<string>();
  const auditLots = parts.random.split("audit");
  const refusals = new Map<number, PlanStop>();
  /** Now and then a closed task, for whoever tells most of it. */
  const drawAudit = (only: number | undefined): Choice | undefined => {
    const { retired } = board;
    if (retired.length === 0 || auditLots.next() >= settings.audit) return undefined;
    const t = retired[Math.floor(auditLots.next() * retired.length)];
    const w = chooser.bestFor(t, only);
    return w < 0 ? undefined : { t, w, purpose: "audit" };
  };
  const choose = (only: number | undefined): Choice | "useless" | undefined => {
    const choice = drawAudit(only) ?? chooser.next(only);
    if (typeof choice !== "object" || choice.purpose === "audit") return choice;
    const t = gold.due(choice.w);
    return t < 0 ? choice : { t, w: choice.w, purpose: "gold" };
  };
  return {
    next(worker?: Name): Assignment | undefined {
      const only = worker === undefined ? undefined : offers.worker(String(worker));
      if (campaignStop()) return undefined;
      const choice = choose(only);
      const refused = refusalOf(choice, ledger.spent().cost, settings.money, costOf);
      if (typeof choice !== "object" || refused) {
        if (refused) refusals.set(only ?? -1, refused);
        return undefined;
      }
      refusals.delete(only ?? -1);
      const { t, w, purpose } = choice;
      const pair = { task: offers.tasks.at(t), worker: offers.workers.at(w) };
      if (purpose === "audit") auditing.add(pairKey(pair.task, pair.worker));
      return { ...pair, purpose, gain: chooser.gain(t, w) };
    },
    stop: (worker?: Name): PlanStop | undefined =>
      campaignStop() ?? refusals.get(worker === undefined ? -1 : offers.worker(String(worker))),
    /** Returns whether a pair was asked as an audit, which it is no more. */
    takeAudit: (task: string, worker: string) => auditing.delete(pairKey(task, worker)),
  };
}

/** What follows from questions that are asked, answered or taken back. */
function createBooking(
  model: OnlineModel,
  parts: Parts,
  takeAudit: (task: string, worker: string) => boolean,
) {
  const { offers, ledger, gold, speakers, board } = parts;
  const audits = createAudits();
  const ask = (t: number, w: number) => {
    if (ledger.ask(t, w)) speakers.forget();
    gold.ask(t, w);
  };
  return {
    audited: audits.measured,
    apply(label: LiveLabel) {
      const task = String(label.task);
      const isAudit = takeAudit(task, String(label.worker));
      const before = isAudit ? model.posterior(task).posterior : undefined;
      model.apply(label);
      const [t, w] = [offers.task(task), offers.worker(String(label.worker))];
      if (before && board.isRetired(t)) {
        audits.add(before, 0, parts.classOf(String(label.label)), speakers.of(w));
      }
      if (ledger.settle(t, w)) board.reserve(t, -1);
      else ask(t, w);
      gold.answer(t, w, String(label.label));
      speakers.forget(w);
      parts.evidence?.add(w, model.posterior(task).posterior);
      board.count(t);
      board.look(t);
    },
    reserve({ task, worker }: Pick<Assignment, "task" | "worker">) {
      const [t, w] = [offers.task(task), offers.worker(worker)];
      ask(t, w);
      ledger.wait(t, w);
      board.reserve(t);
      board.look(t);
    },
    release({ task, worker }: Pick<Assignment, "task" | "worker">) {
      const [t, w] = [offers.task(task), offers.worker(worker)];
      if (!ledger.settle(t, w)) return;
      ledger.release(t, w);
      gold.forget(t, w);
      takeAudit(task, worker);
      board.reserve(t, -1);
      board.look(t);
    },
  };
}

const pairKey = (task: string, worker: string) => JSON.stringify([task, worker]);

/** Says why a choice is none, or costs more than is left. */
function refusalOf(
  choice: Choice | "useless" | undefined,
  cost: number,
  money: number,
  costOf: (w: number) => number,
): PlanStop | undefined {
  if (choice === undefined) {
    return { reason: "nothing-left", words: "There is no open task that may be asked about." };
  }
  if (choice === "useless") {
    const words =
      "No question is expected to tell enough: every open task is sure, or the worker's labels tell too little.";
    return { reason: "nothing-useful", words };
  }
  if (cost + costOf(choice.w) <= money) return undefined;
  return {
    reason: "money",
    words: `The next label costs ${costOf(choice.w)}, which is more than is left.`,
  };
}
