/** Many methods on the same answers: scores, agreement between them, time. */
import type { CrowdResult } from "../aggregate/result.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import { pairedDifference } from "../evaluate/paired-difference.ts";
import type { Kind, KindMethod, Scores } from "../kinds/kind.ts";
import { kindOf } from "../kinds.ts";
import type { Compared } from "../report/comparison.ts";
import { comparisonReport } from "../report/comparison-report.ts";
import type { Report } from "../report/model.ts";
import { run, walk } from "../run.ts";
import { inapplicable } from "./applicable.ts";
import { type Chosen, methodNamed, ofKind } from "./choose-method.ts";
import { createClock, type Hooks, walking } from "./hooks.ts";

/** Which methods to compare, on which data. */
export interface CompareRequest {
  readonly data: CrowdData;
  /** Ids or presets of methods; default: all of the kind. */
  readonly methods?: readonly string[] | undefined;
  /** Options for every method that has them. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly known?: object | undefined;
  /** Number of runs, with seeds from `seed` up; default 1. */
  readonly seeds?: number | undefined;
  readonly seed?: number | undefined;
  /** Cross-validation folds in which answers are hidden; 0 hides none; default 5. */
  readonly folds?: number | undefined;
  /** Seconds after which a method is given up; default: never. */
  readonly limit?: number | undefined;
  readonly plugins?: readonly KindMethod[] | undefined;
  /** Told of every method that is done. */
  readonly onRow?: ((row: Compared) => void) | undefined;
}

/** What each method gave, and how far they agree. */
export interface Comparison {
  readonly kind: Kind;
  readonly rows: readonly Compared[];
  /** How much the methods that ran agree, in their order, from 0 to 1. */
  readonly agreement: readonly (readonly number[])[];
  report(): Report;
}

/** Runs the methods one after another. */
export async function compareJob(request: CompareRequest, hooks: Hooks = {}): Promise<Comparison> {
  const { data, plugins = [], known = {}, seeds = 1, seed = 0, folds = 5 } = request;
  const kind = kindOf(data);
  const own = ofKind(plugins, kind);
  const chosen = request.methods
    ? request.methods.map((name) => methodNamed(name, kind, own))
    : [...kind.methods, ...own].map((method) => ({ name: method.id, method, options: {} }));
  const baseline = await run(data, methodNamed(kind.baseline, kind).method);
  const settings = {
    kind,
    data,
    known,
    seeds,
    first: seed,
    folds,
    limit: request.limit ?? Infinity,
    baseline,
  };
  const clock = createClock(chosen.length);
  const rows: Compared[] = [];
  const results: CrowdResult[] = [];
  for (const [m, { name, method, options }] of chosen.entries()) {
    hooks.progress?.({ words: `${name}, method ${m + 1} of ${chosen.length}`, ...clock(m) });
    const own = sharedOptions(method, request.options);
    const { row, result } = await compareOne(
      { name, method, options: { ...options, ...own } },
      settings,
      hooks,
    );
    rows.push(row);
    request.onRow?.(row);
    if (result) results.push(result);
  }
  const agreement = results.map((a) => results.map((b) => kind.alike(a, b)));
  return { kind, rows, agreement, report: () => reportOf(kind, data, rows, agreement) };
}

interface Settings {
  readonly kind: Kind;
  readonly data: CrowdData;
  readonly known: object;
  readonly seeds: number;
  /** The first of the seeds. */
  readonly first: number;
  readonly folds: number;
  /** Seconds after which a method is given up. */
  readonly limit: number;
  readonly baseline: CrowdResult;
}

/** Fits, scores and hides answers; or says why not. */
async function compareOne(
  { name, method, options }: Chosen,
  settings: Settings,
  hooks: Hooks,
): Promise<{ row: Compared; result?: CrowdResult }> {
  const { kind, data, known, seeds, first, folds, limit } = settings;
  const reason = inapplicable(method, kind.size(data), known);
  if (reason) return { row: { method: name, ...reason } };
  const start = performance.now();
  const late = new AbortController();
  const signals = hooks.signal ? [hooks.signal, late.signal] : [late.signal];
  const signal = AbortSignal.any(signals);
  const watched = (part: string) =>
    walking({ ...hooks, signal }, `${name} ${part}`.trim(), () => {
      if (performance.now() - start > 1000 * limit) late.abort();
    });
  const seeded = (seed: number) =>
    Object.hasOwn(method.options, "seed") ? { ...options, seed } : options;
  const fitted = (seed: number) => (more: object, part: string) =>
    run(data, method, seeded(seed), { known: { ...known, ...more }, ...watched(part) });
  try {
    const runs: CrowdResult[] = [];
    for (let s = 0; s < seeds; s++) runs.push(await fitted(first + s)({}, ""));
    const seconds = (performance.now() - start) / 1000 / seeds;
    const scores: Scores[] = [];
    for (const [s, result] of runs.entries()) {
      if (kind.goldCount(data) > 0)
        scores.push(await kind.score(data, result, known, fitted(first + s)));
    }
    const heldOut =
      folds === 0 || !kind.heldOut
        ? undefined
        : await walk(
            kind.heldOut(method, seeded(first), data, known, { folds, seed: first }),
            name,
            watched(""),
          );
    const row = {
      method: name,
      ...(heldOut !== undefined && { heldOut }),
      ...summarise(settings, scores, runs[0]),
      seconds,
      iterations: runs[0].iterations,
      converged: runs[0].converged,
    };
    return { row, result: runs[0] };
  } catch (error) {
    // One method that these answers are too many for does not stop the others.
    if (!(error instanceof CrowdError) || hooks.signal?.aborted) throw error;
    const slow = error.code === "cancelled" && `was given up after ${limit} seconds`;
    if (!slow && error.code !== "too-large") throw error;
    return { row: { method: name, skipped: slow || error.message } };
  }
}

/** The shared options that a method has. */
function sharedOptions(
  { options }: KindMethod,
  given: Readonly<Record<string, unknown>> = {},
): Chosen["options"] {
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => Object.hasOwn(options, name)),
  ) as Chosen["options"];
}

/** Means over the seeds, the spread of the first metric, and its gain over the baseline. */
function summarise(
  { kind, data, baseline }: Settings,
  scores: readonly Scores[],
  first: CrowdResult,
): Partial<Compared> {
  if (scores.length === 0) return {};
  const mean = (id: string) =>
    scores.reduce((sum, { values }) => sum + values[id], 0) / scores.length;
  const [{ id: primary }] = kind.metrics;
  const center = mean(primary);
  const variance =
    scores.reduce((sum, { values }) => sum + (values[primary] - center) ** 2, 0) /
    Math.max(1, scores.length - 1);
  const { value, low, high } = pairedDifference(
    scores[0].credits ?? kind.credits(data, first),
    kind.credits(data, baseline),
  );
  return {
    scores: Object.fromEntries(kind.metrics.map(({ id }) => [id, mean(id)])),
    ...(scores.length > 1 && { spread: Math.sqrt(variance) }),
    gain: { value, low, high },
  };
}

function reportOf(
  kind: Kind,
  data: CrowdData,
  rows: readonly Compared[],
  agreement: readonly (readonly number[])[],
): Report {
  return comparisonReport({
    counts: kind.counts(data),
    notes: data.notes,
    metrics: kind.metrics,
    baseline: kind.baseline,
    rows,
    agreement,
  });
}
