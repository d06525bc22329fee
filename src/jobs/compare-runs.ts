/** The runs of one method of a comparison: with each seed, scored, within a time limit. */
import { asProperty, CrowdError, wordHints } from "../error.ts";
import type { Compared, ComparedRun } from "../report/comparison.ts";
import {
  type Entry,
  type Fitted,
  type Runner,
  type RunSettings,
  runnerOf,
  type WatchedHooks,
} from "./compare-runners.ts";
import { summariseRuns } from "./compare-summary.ts";
import type { Hooks } from "./hooks.ts";

/** What a method gave: its row, and the first of its results. */
export interface Ran {
  readonly row: Compared;
  readonly first?: Fitted | undefined;
  readonly notes: readonly string[];
}

/** Returns the number of runs of an entry, for the progress. */
export function runsOf(entry: Entry, settings: RunSettings): number {
  return settings.seeds + runnerOf(entry, settings).hidden;
}

/** Runs a method with every seed, and hides labels from it; a stop hands what is done to `onStop`. */
export async function runSeeds(
  entry: Entry,
  settings: RunSettings,
  hooks: Hooks,
  onStop: (row: Compared) => void,
): Promise<Ran> {
  const { seeds, first, limit } = settings;
  const runner = runnerOf(entry, settings);
  const total = seeds + runner.hidden;
  const watch = limited(hooks, limit);
  const runs: ComparedRun[] = [];
  const fits: Fitted[] = [];
  const rowSoFar = () => rowOf(entry, settings, runs, fits);
  try {
    for (let s = 0; s < seeds && !watch.late() && !settled(entry, fits); s++) {
      const seed = first + s;
      try {
        const fitted = await runner.fit(seed, watch.part(s / total, 1 / total));
        fits.push(fitted);
        runs.push(fitted.run);
      } catch (error) {
        const failed = failureOf(error, { runner, watch, hooks, settings });
        runs.push({ seed, failed });
        if (!entry.learner) break;
      }
    }
    const row = rowSoFar();
    if (!runner.heldOut || fits.length === 0) return { row, first: fits[0], notes: [] };
    try {
      const heldOut = await runner.heldOut(watch.part(seeds / total, 1 - seeds / total));
      return { row: { ...row, heldOut }, first: fits[0], notes: [] };
    } catch (error) {
      const failed = failureOf(error, { runner, watch, hooks, settings });
      const note = `${entry.name} has no held-out score: ${failed}`;
      return { row, first: fits[0], notes: [note] };
    }
  } catch (error) {
    if (hooks.signal?.aborted && fits.length > 0) onStop(rowSoFar());
    throw error;
  }
}

/** Says why a run failed; throws what ends the whole comparison. */
function failureOf(
  error: unknown,
  {
    runner,
    watch,
    hooks,
    settings,
  }: {
    readonly runner: Runner;
    readonly watch: ReturnType<typeof limited>;
    readonly hooks: Hooks;
    readonly settings: RunSettings;
  },
): string {
  if (hooks.signal?.aborted) throw error;
  if (watch.late()) return `was given up after ${settings.limit} seconds`;
  if (!runner.survives(error)) throw error;
  if (error instanceof CrowdError) return wordHints(error.template, settings.wording ?? asProperty);
  return error instanceof Error ? error.message : String(error);
}

/** Makes the row of what was run. */
function rowOf(
  entry: Entry,
  { detailed }: RunSettings,
  runs: readonly ComparedRun[],
  fits: readonly Fitted[],
): Compared {
  const start = { method: entry.name, ...(entry.learner && { learner: true as const }) };
  const more = detailed && { runs };
  const failed = runs.find((run) => run.failed !== undefined)?.failed;
  if (fits.length === 0) return { ...start, ...more, skipped: failed ?? "did not run" };
  const deterministic = settled(entry, fits);
  const kept = deterministic ? runs.slice(0, 1) : runs;
  const { iterations, converged } = fits[0].result;
  return {
    ...start,
    ...summariseRuns(kept, { spread: fits.length > 1 }),
    ...(detailed && { runs: kept }),
    ...(deterministic && { deterministic: true as const }),
    iterations,
    converged,
  };
}

/**
 * Says whether the first two results of a method on labels are the same bit for bit, so that the seed does not
 * matter. Learners run with every seed.
 */
function settled(entry: Entry, fits: readonly Fitted[]): boolean {
  if (fits.length < 2 || entry.learner) return false;
  const [a, b] = fits.map(({ result }) => new Map<string, unknown>(Object.entries(result)));
  return [...a].every(([name, values]) => {
    const others = b.get(name);
    if (!(values instanceof Float64Array) || !(others instanceof Float64Array)) return true;
    return values.length === others.length && values.every((x, i) => Object.is(x, others[i]));
  });
}

/** Hooks that also stop when the time is up. */
function limited(hooks: Hooks, limit: number) {
  const start = performance.now();
  const stop = new AbortController();
  const signal = hooks.signal ? AbortSignal.any([hooks.signal, stop.signal]) : stop.signal;
  const check = () => {
    if (performance.now() - start > 1000 * limit) stop.abort();
  };
  return {
    late: () => stop.signal.aborted,
    /** Returns the hooks of a part of the work that begins at `from` and is `share` of the whole. */
    part: (from: number, share: number): WatchedHooks => ({
      ...hooks,
      signal,
      check,
      progress({ words, fraction = 0 }) {
        check();
        hooks.progress?.({ words, fraction: from + share * fraction });
      },
    }),
  };
}
