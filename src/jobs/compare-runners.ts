/** How a comparison runs a method on labels alone, and how it runs a learner. */
import type { CrowdResult } from "../aggregate/result.ts";
import { cutFolds, predict, readOut, totalWeight } from "../belief/hold-out.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, type Hint } from "../error.ts";
import { metricValues } from "../kinds/categorical.ts";
import type { Kind } from "../kinds/kind.ts";
import type { AnyLearner } from "../learn/learner.ts";
import type { ComparedRun } from "../report/comparison.ts";
import { run, walk } from "../run.ts";
import type { Chosen } from "./choose-method.ts";
import { type Hooks, walking } from "./hooks.ts";
import { scoreLearning, type TaskGold } from "./learn.ts";
import type { Trained } from "./train.ts";

/** One training of a comparison. */
export interface LearnerRun {
  readonly method: AnyLearner;
  readonly options: Chosen["options"];
  /** The labels to train on: all, or without those that are held out. */
  readonly data: CategoricalData;
}

/** Trains a learner: here, in a thread, or elsewhere. */
export type TrainRun = (run: LearnerRun, hooks: Hooks) => Promise<Trained>;

/** A method on labels alone, or a learner, with its options. */
export type Entry =
  | (Chosen & { readonly learner?: undefined })
  | (Omit<Chosen, "method"> & { readonly learner: AnyLearner });

/** What all methods of a comparison share. */
export interface RunSettings {
  readonly kind: Kind;
  readonly data: CrowdData;
  readonly known: object;
  readonly seeds: number;
  /** The first of the seeds. */
  readonly first: number;
  readonly folds: number;
  /** Seconds after which a method is given up. */
  readonly limit: number;
  /** Whether rows list their runs. */
  readonly detailed: boolean;
  readonly train?: TrainRun | undefined;
  readonly testGold?: TaskGold | undefined;
  /** Words the options that a message names. */
  readonly wording?: ((hint: Hint) => string) | undefined;
}

/** Hooks that also stop when the time is up. */
export interface WatchedHooks extends Hooks {
  /** Looks at the clock, and stops the work if it has taken too long. */
  check(): void;
}

/** What one run gave. */
export interface Fitted {
  readonly result: CrowdResult;
  readonly run: ComparedRun;
  /** The first metric task by task; absent without gold. */
  readonly credits?: Float64Array | undefined;
}

/** How one method or learner is run. */
export interface Runner {
  fit(seed: number, hooks: WatchedHooks): Promise<Fitted>;
  heldOut?(hooks: WatchedHooks): Promise<number>;
  /** Number of fits that `heldOut` makes, for the progress. */
  readonly hidden: number;
  /** Says whether a failure is told in the row; else it ends the comparison. */
  survives(error: unknown): boolean;
}

/** Makes what runs an entry. */
export function runnerOf(entry: Entry, settings: RunSettings): Runner {
  return entry.learner ? learnerRunner(entry, settings) : methodRunner(entry, settings);
}

function methodRunner({ name, method, options }: Chosen, settings: RunSettings): Runner {
  const { kind, data, known, folds, first } = settings;
  const seeded = (seed: number) =>
    Object.hasOwn(method.options, "seed") ? { ...options, seed } : options;
  const watched = (hooks: WatchedHooks, part = "") =>
    walking(hooks, `${name} ${part}`.trim(), hooks.check);
  const { heldOut } = folds > 0 ? kind : { heldOut: undefined };
  return {
    hidden: heldOut ? folds : 0,
    async fit(seed, hooks) {
      const fitted = (more: object, part: string) =>
        run(data, method, seeded(seed), { known: { ...known, ...more }, ...watched(hooks, part) });
      const start = performance.now();
      const result = await fitted({}, "");
      const seconds = (performance.now() - start) / 1000;
      if (kind.goldCount(data) === 0) return { result, run: { seed, seconds } };
      const scores = await kind.score(data, result, known, fitted);
      return {
        result,
        credits: scores.credits ?? kind.credits(data, result),
        run: { seed, scores: scores.values, seconds },
      };
    },
    ...(heldOut && {
      heldOut: (hooks) =>
        walk(
          heldOut(method, seeded(first), data, known, { folds, seed: first }),
          name,
          watched(hooks),
        ),
    }),
    survives: (error) => error instanceof CrowdError && error.code === "too-large",
  };
}

function learnerRunner(
  { name, learner, options }: Entry & { readonly learner: AnyLearner },
  settings: RunSettings,
): Runner {
  const { kind, folds, first, train, testGold } = settings;
  const data = settings.data as CategoricalData;
  const known = kind.goldCount(data) > 0;
  // Each fold is a training of its own, so they are trained only if nothing else tells learners apart.
  const hides = folds > 0 && !known && testGold === undefined;
  const trained = (seed: number, labels: CategoricalData, hooks: Hooks) => {
    if (!train) throw new CrowdError("bad-option", `${name} needs features.`);
    const seeded = Object.hasOwn(learner.options, "seed") ? { ...options, seed } : options;
    return train({ method: learner, options: seeded, data: labels }, hooks);
  };
  return {
    hidden: hides ? folds : 0,
    async fit(seed, hooks) {
      const start = performance.now();
      const made = await trained(seed, data, hooks);
      const seconds = (performance.now() - start) / 1000;
      const { learning: result } = made;
      const tested = scoreLearning(data, learner, made, testGold && { gold: testGold }).tested;
      const scores = known
        ? await kind.score(data, result, {}, () => Promise.resolve(result))
        : undefined;
      return {
        result,
        credits: scores && (scores.credits ?? kind.credits(data, result)),
        run: {
          seed,
          ...(scores && { scores: scores.values }),
          ...(tested?.metrics && { test: metricValues(tested.metrics) }),
          seconds,
        },
      };
    },
    ...(hides && {
      heldOut: (hooks) =>
        learnerHeldOut(data, settings, hooks, (shown, inner) => trained(first, shown, inner)),
    }),
    // A wrong option is the user's slip and wrong for every run; anything else may be this run's own.
    survives: (error) => !(error instanceof CrowdError && error.code === "bad-option"),
  };
}

/** Hides labels from a learner fold by fold, and reads its posterior out as that of every method. */
async function learnerHeldOut(
  all: CategoricalData,
  { folds, first }: RunSettings,
  hooks: WatchedHooks,
  train: (shown: CategoricalData, hooks: Hooks) => Promise<Trained>,
): Promise<number> {
  // Learners take no abstentions.
  const data = selectLabels(all, (i) => all.label[i] < all.classes.length);
  let [sum, labels] = [0, 0];
  for (const [f, { shown, hidden }] of cutFolds(data, folds, first).entries()) {
    const { learning } = await train(shown, {
      ...hooks,
      progress: ({ words, fraction = 0 }) =>
        hooks.progress?.({
          words: `${words}, hiding labels, part ${f + 1} of ${folds}`,
          fraction: (f + fraction) / folds,
        }),
    });
    const { posterior, given } = learning;
    sum += predict(hidden, posterior, readOut(shown, posterior, given), given);
    labels += totalWeight(hidden);
  }
  return labels > 0 ? sum / labels : 0;
}
