/** Many methods on the same answers, learners among them: scores, agreement between them, time. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, type Hint, hint } from "../error.ts";
import { pairedDifference } from "../evaluate/paired-difference.ts";
import type { Kind, KindMethod } from "../kinds/kind.ts";
import { kindOf } from "../kinds.ts";
import { learnerList } from "../learn/index.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { append } from "../math/lists.ts";
import { settle } from "../method.ts";
import { type Compared, lowered, type Measure, measureOf } from "../report/comparison.ts";
import { comparisonReport } from "../report/comparison-report.ts";
import type { Report } from "../report/model.ts";
import { listed } from "../report/text.ts";
import { run } from "../run.ts";
import { inapplicable } from "./applicable.ts";
import { type Chosen, idOf, methodNamed, ofKind } from "./choose-method.ts";
import { overallProgress } from "./compare-progress.ts";
import type { Entry, RunSettings, TrainRun } from "./compare-runners.ts";
import { type Ran, runSeeds, runsOf } from "./compare-runs.ts";
import { withDifferences } from "./compare-summary.ts";
import type { Hooks } from "./hooks.ts";
import { goldOfRows, type LearnRequest, type TestSet } from "./learn.ts";
import { sameName } from "./nearest-name.ts";
import { trainJob } from "./train.ts";

/** Which methods to compare, on which data. */
export interface CompareRequest {
  readonly data: CrowdData;
  /**
   * Ids or presets of methods, and with `learning` ids of learners. Default: all methods of the kind;
   * with `learning` all learners, and the kind's default and baseline beside them.
   */
  readonly methods?: readonly string[] | undefined;
  /** Options for every method or learner that has them. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly known?: object | undefined;
  /** Number of runs, with seeds from `seed` up; default 1. */
  readonly seeds?: number | undefined;
  readonly seed?: number | undefined;
  /** Cross-validation folds in which answers are hidden; 0 hides none; default 5. */
  readonly folds?: number | undefined;
  /** Seconds after which a method is given up; default: never. */
  readonly limit?: number | undefined;
  /** The method that others are compared with, seed by seed; default: the best. */
  readonly against?: string | undefined;
  readonly plugins?: readonly KindMethod[] | undefined;
  /** What learners need: features and what runs networks, or a function that trains elsewhere. */
  readonly learning?: LearningHere | LearningElsewhere | undefined;
  /** Told of every method that is done, before differences between methods are known. */
  readonly onRow?: ((row: Compared) => void) | undefined;
  /** Words the options that the message of a failed run names. */
  readonly wording?: ((hint: Hint) => string) | undefined;
}

/** Learners that are trained in this thread. */
export interface LearningHere extends Pick<LearnRequest, "features" | "executor" | "valid"> {
  /** Tasks that no training sees, and their classes. */
  readonly test?: Pick<TestSet, "features" | "gold"> | undefined;
  /** Learners of the user's own. */
  readonly plugins?: readonly AnyLearner[] | undefined;
  readonly train?: undefined;
}

/** Learners that are trained by a function, such as in a thread. */
export interface LearningElsewhere {
  readonly train: TrainRun;
  /** Classes of the test tasks that `train` predicts. */
  readonly test?: Pick<TestSet, "gold"> | undefined;
  readonly plugins?: readonly AnyLearner[] | undefined;
}

/** What each method gave, and how far they agree. */
export interface Comparison {
  readonly kind: Kind;
  readonly rows: readonly Compared[];
  /** What the methods are ranked by; undefined if nothing could be measured. */
  readonly measure: Measure | undefined;
  /** How much the methods that ran agree, in their order, from 0 to 1. */
  readonly agreement: readonly (readonly number[])[];
  /** What is missing, and why. */
  readonly notes: readonly string[];
  report(): Report;
}

/** Runs the methods one after another. */
export async function compareJob(request: CompareRequest, hooks: Hooks = {}): Promise<Comparison> {
  const { data } = request;
  const kind = kindOf(data);
  const entries = entriesOf(request, kind);
  const settings = settingsOf(request, kind);
  const against = againstOf(request, entries);
  const baseline = await run(data, methodNamed(kind.baseline, kind).method);
  const credits = kind.goldCount(data) > 0 ? kind.credits(data, baseline) : undefined;
  const withGain = ({ row, first }: Ran): Compared => {
    if (!credits || !first?.credits) return row;
    const { value, low, high } = pairedDifference(first.credits, credits);
    return { ...row, gain: { value, low, high } };
  };
  const part = overallProgress(
    entries.map((entry) => ({
      group: entry.learner ? "learners" : "methods",
      runs: runsOf(entry, settings),
      weight: entry.learner || !request.learning ? 1 : 0.05,
    })),
    hooks,
  );
  const rows: Compared[] = [];
  const done: Ran[] = [];
  const notes: string[] = [];
  for (const [m, entry] of entries.entries()) {
    const own = part(m);
    own.progress?.({ words: `${entry.name}, method ${m + 1} of ${entries.length}` });
    const ran = skippedOf(entry, settings) ?? (await runSeeds(entry, settings, own, onStop));
    const row = withGain(ran);
    rows.push(row);
    request.onRow?.(row);
    append(notes, ran.notes);
    if (ran.first) done.push(ran);
  }
  function onStop(row: Compared): void {
    request.onRow?.(row);
  }
  const results = done.flatMap(({ first }) => first?.result ?? []);
  const agreement = results.map((a) => results.map((b) => kind.alike(a, b)));
  const measure = measureOf(rows);
  const [{ id: metric, better }] = kind.metrics;
  const compared =
    settings.detailed && measure
      ? withDifferences(rows, {
          measure,
          metric,
          better: measure === "held-out" ? "higher" : better,
          against,
        })
      : rows;
  append(notes, missingNotes(compared, kind, settings));
  return {
    kind,
    rows: compared,
    measure,
    agreement,
    notes,
    report: () => reportOf({ kind, rows: compared, agreement, notes }, data),
  };
}

function settingsOf(request: CompareRequest, kind: Kind): RunSettings {
  const { data, known = {}, seeds = 1, seed = 0, folds = 5, limit = Infinity, learning } = request;
  return {
    kind,
    data,
    known,
    seeds,
    first: seed,
    folds,
    limit,
    detailed: seeds > 1 || learning !== undefined || request.against !== undefined,
    train: learning && trainOf(learning),
    testGold: learning?.test?.gold,
    wording: request.wording,
  };
}

/** Returns what trains a learner; in this thread if nothing else was given. */
function trainOf(learning: LearningHere | LearningElsewhere): TrainRun {
  if (learning.train) return learning.train;
  const { features, executor, valid, test } = learning;
  return ({ method, options, data }, { progress, note, signal }) => {
    const gold = valid && goldOfRows(valid.features.tasks, valid.gold, data.classes);
    return trainJob(
      {
        data,
        features,
        method,
        options,
        executor,
        valid: valid && gold && { features: valid.features, gold },
        test: test?.features,
      },
      { progress, note, signal },
    );
  };
}

/** Finds what was asked for by name, each once, with the shared options that it has. */
function entriesOf(request: CompareRequest, kind: Kind): Entry[] {
  const { plugins = [], learning } = request;
  const own = ofKind(plugins, kind);
  if (learning && kind.id !== "categorical") {
    throw new CrowdError(
      "not-supported",
      `Learners take labels; these are ${kind.id} answers. Compare them without ${hint("features")}.`,
    );
  }
  const learners = learning ? [...learnerList, ...(learning.plugins ?? [])] : [];
  const usual = learning
    ? [...learners.map(({ id }) => id), kind.defaultMethod, kind.baseline]
    : [...[...kind.methods, ...own].map(({ id }) => id), kind.baseline];
  const entries = (request.methods ?? usual).map((typed) =>
    entryNamed(typed, kind, { own, learners, options: request.options }),
  );
  return [...new Map(entries.map((entry) => [entry.name, entry])).values()];
}

function entryNamed(
  typed: string,
  kind: Kind,
  {
    own,
    learners,
    options,
  }: {
    readonly own: readonly KindMethod[];
    readonly learners: readonly AnyLearner[];
    readonly options: CompareRequest["options"];
  },
): Entry {
  const ids = learners.map(({ id }) => id);
  const learner = learners.find(({ id }) => id === sameName(typed, ids));
  if (learner) {
    const shared = sharedOptions(learner, options);
    // Wrong values are refused before anything runs.
    settle(learner.id, learner.options, shared);
    return { name: learner.id, learner, options: shared };
  }
  const known = learnerList.find(({ id }) => id === typed);
  if (known) {
    throw new CrowdError(
      "bad-option",
      `${known.id} is a learner, which needs features of the tasks: ${hint("features")}.`,
    );
  }
  const { name, method, options: preset } = methodNamed(typed, kind, own, ids);
  return { name, method, options: { ...preset, ...sharedOptions(method, options) } };
}

/** Finds the method that others are compared with among those that run. */
function againstOf({ against }: CompareRequest, entries: readonly Entry[]): string | undefined {
  if (against === undefined) return undefined;
  const names = entries.map(({ name }) => name);
  const found = idOf(against, names);
  if (found !== undefined) return found;
  throw new CrowdError(
    "bad-option",
    `${hint("against")} names one of the methods that are compared (${names.join(", ")}), not "${against}".`,
  );
}

/** Says why a method cannot run on these answers, or undefined. */
function skippedOf(entry: Entry, { kind, data, known }: RunSettings): Ran | undefined {
  const reason = entry.learner ? undefined : inapplicable(entry.method, kind.size(data), known);
  return reason && { row: { method: entry.name, ...reason }, notes: [] };
}

/** Returns the shared options that a method has. */
function sharedOptions(
  { options }: Pick<KindMethod, "options">,
  given: Readonly<Record<string, unknown>> = {},
): Chosen["options"] {
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => Object.hasOwn(options, name)),
  ) as Chosen["options"];
}

/** Says which numbers are missing for want of gold. */
function missingNotes(
  rows: readonly Compared[],
  { metrics }: Kind,
  { train, folds }: RunSettings,
): string[] {
  const ran = rows.filter(({ skipped }) => skipped === undefined);
  if (!train || ran.length === 0) return [];
  const shown = metrics.filter(({ detail }) => !detail);
  const names = listed(shown.map(({ title }, m) => (m === 0 ? title : lowered(title))));
  if (ran.every(({ scores, test }) => !scores && !test)) {
    const instead = folds > 0 ? "held-out labels and time" : "time and agreement alone";
    return [`${names} need gold. Without it methods are compared by ${instead}.`];
  }
  if (ran.some(({ test, scores }) => !test && !scores)) {
    return [
      "Methods without features have no score on the test tasks; gold of the labelled tasks would score them.",
    ];
  }
  return [];
}

function reportOf(comparison: Omit<Comparison, "report" | "measure">, data: CrowdData): Report {
  const { kind, rows, agreement, notes } = comparison;
  return comparisonReport({
    counts: kind.counts(data),
    notes: [...data.notes, ...notes],
    metrics: kind.metrics,
    baseline: kind.baseline,
    rows,
    agreement,
  });
}
