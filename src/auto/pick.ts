/**
 * Auto for kinds whose answers do not blend: fits several methods with some answers hidden, and takes the
 * first, in an order from plain to complex, that predicts those about as well as the best does.
 *
 *   gain[m]   mean over hidden answers of log P(answer | m) − log P(answer | baseline)
 *   error[m]  standard error of that mean; the answers of one task (or one judge) count as one draw
 *   chosen    the first candidate whose gain is at least the largest gain less its error; the baseline stands first
 *
 * The rule of one standard error: Breiman et al. (1984), Classification and Regression Trees, section 3.4.3.
 */
import type { CrowdResult } from "../aggregate/result.ts";
import { CrowdError } from "../error.ts";
import {
  drain,
  type MethodCard,
  type OptionTable,
  type Steps,
  settle,
  staged,
  type Values,
} from "../method.ts";
import { meanOfKnown } from "./hidden-answers.ts";

/** One method with the options that `auto` tries. */
export interface Choice<Data, Result> {
  readonly name: string;
  readonly method: {
    readonly id: string;
    steps(data: Data, options?: object, known?: object): Steps<Result>;
  };
  readonly options?: Readonly<Record<string, number | string | boolean>>;
  /** Options of `auto` that it is given as well. */
  readonly takes?: readonly string[];
  /** Number of answers up to which it is tried; default any. */
  readonly most?: number;
}

/** One method that was tried. */
export interface Tried {
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  /** Mean log-probability of a hidden answer, in nats. */
  readonly heldOut: number;
  /** What it gains on the first candidate, in nats per hidden answer, and the standard error of that. */
  readonly gain: number;
  readonly error: number;
  /** Its share in the answers: 1 for a candidate that was chosen alone. */
  readonly weight: number;
  /** Why it was not tried. */
  readonly leftOut?: string;
}

/** The result of the method that was chosen, and what was tried. */
export type Picked<Result extends CrowdResult> = Result & { readonly portfolio: readonly Tried[] };

/** How answers are hidden, and what else `auto` was asked for. */
export interface JudgeSettings {
  readonly folds: number;
  readonly seed: number;
  readonly [option: string]: number | string | boolean;
}

/** What all candidates have in common. */
export interface Prepared<Result> {
  readonly options: Readonly<Record<string, number | string | boolean>>;
  readonly found?: Partial<Result>;
}

/** How a kind is judged. */
export interface Contest<Data, Result> {
  /** What to try, from plain to complex; the first is the baseline. */
  readonly choices: readonly Choice<Data, Result>[];
  /** Log-probability of each answer while it was hidden, NaN for those that never are: the same ones for every method. */
  judge(
    method: Choice<Data, Result>["method"],
    options: object,
    data: Data,
    known: object,
    settings: JudgeSettings,
  ): Steps<Float64Array>;
  /** Finds options that all candidates have in common, and what the result takes over from finding them. */
  prepare?(data: Data, known: object, options: JudgeSettings): Steps<Prepared<Result>>;
  /** Changes the result of the method that was chosen by what hidden answers say of it: how sure it may be, say. */
  finish?(
    result: Result,
    method: Choice<Data, Result>["method"],
    options: object,
    data: Data,
    known: object,
    settings: JudgeSettings,
  ): Steps<Result>;
  /** Answers that count as one draw: those of one task, say. */
  cluster(data: Data): Int32Array;
  /** How many answers each counts for; absent where all count for one. */
  weight?(data: Data): Float64Array | undefined;
  /** Number of answers. */
  size(data: Data): number;
  /** Number of answers beyond which a tenth is hidden once; default 100,000. */
  readonly many?: number;
}

/** `auto` of a kind: call it for the result, or walk its `steps` for progress. */
export interface Picker<
  Data,
  Known,
  Result extends CrowdResult,
  Kind extends string,
  Options extends OptionTable,
> extends MethodCard<Options> {
  readonly kind: Kind;
  (data: Data, options?: Partial<Values<Options>>, known?: Known): Picked<Result>;
  steps(data: Data, options?: Partial<Values<Options>>, known?: Known): Steps<Picked<Result>>;
}

export const pickOptions = {
  folds: {
    default: 5,
    min: 1,
    max: 50,
    integer: true,
    help: "Cross-validation folds; 1 hides a tenth of the answers once.",
  },
  seed: {
    default: 0,
    min: 0,
    max: 2 ** 53 - 1,
    integer: true,
    help: "Random seed of the folds.",
  },
} as const satisfies OptionTable;

const MANY = 100_000;

/** What `auto` of a kind says of itself. */
export const pickCard = <const Kind extends string>(kind: Kind, cost: string) =>
  ({
    id: "auto",
    kind,
    title: "Auto",
    summary: "Fits several methods, scores them on hidden answers, and takes the best one.",
    paper: {
      authors: "L. Breiman, J. Friedman, R. Olshen, C. Stone",
      year: 1984,
      title: "Classification and Regression Trees",
      url: "https://doi.org/10.1201/9781315139470",
    },
    family: "blend",
    cost,
    options: pickOptions,
  }) as const;

/** Makes `auto` of a kind; the first call says what it is about, the second how it is done. */
export const pickerFor =
  <Data, Known extends object, Result extends CrowdResult>() =>
  <const Kind extends string, const Options extends OptionTable & typeof pickOptions>(
    kind: Kind,
    cost: string,
    options: Options,
    contest: Contest<Data, Result>,
  ): Picker<Data, Known, Result, Kind, Options> =>
    picker({ ...pickCard(kind, cost), options }, contest);

function picker<
  Data,
  Known extends object,
  Result extends CrowdResult,
  Kind extends string,
  Options extends OptionTable & typeof pickOptions,
>(
  card: MethodCard<Options> & { readonly kind: Kind },
  contest: Contest<Data, Result>,
): Picker<Data, Known, Result, Kind, Options> {
  function* steps(data: Data, chosen: object = {}, known: object = {}): Steps<Picked<Result>> {
    const given = chosen as Readonly<Record<string, unknown>>;
    const options = settle(card.id, card.options, given) as unknown as JudgeSettings;
    const { tried, choices, found, settings } = yield* tryAll(contest, data, known, options);
    const at = simplest(tried);
    const portfolio = tried.map((each, m) => ({ ...each, weight: m === at ? 1 : 0 }));
    const { method, name } = choices[at];
    const own = tried[at].options;
    const fit = yield* staged(method.steps(data, own, known), `fitting ${name}`);
    const result = contest.finish
      ? yield* staged(contest.finish(fit, method, own, data, known, settings), "checking how sure")
      : fit;
    const notes = [reason(portfolio, at), ...result.notes];
    return { ...result, ...found, method: card.id, options, notes, portfolio };
  }
  const call = (data: Data, chosen?: object, known?: object) => drain(steps(data, chosen, known));
  return Object.assign(call, card, { steps });
}

/** What was tried before it is known what each is worth. */
export type Judged = Omit<Tried, "weight">;

const REFUSED = { heldOut: Number.NaN, gain: -Infinity, error: 0 };

/** Judges every candidate on the same hidden answers. */
export function* tryAll<Data, Result>(
  contest: Contest<Data, Result>,
  data: Data,
  known: object,
  options: JudgeSettings,
): Steps<{
  readonly tried: readonly Judged[];
  readonly choices: Contest<Data, Result>["choices"];
  readonly found: Partial<Result> | undefined;
  /** The options as candidates were judged by. */
  readonly settings: JudgeSettings;
}> {
  const size = contest.size(data);
  const settings = { ...options, folds: size > (contest.many ?? MANY) ? 1 : options.folds };
  const common: Prepared<Result> = contest.prepare
    ? yield* contest.prepare(data, known, options)
    : { options: {} };
  const choices = contest.choices.filter(({ most = Infinity }) => size <= most);
  const cluster = contest.cluster(data);
  const weight = contest.weight?.(data);
  let baseline: Float64Array | undefined;
  const tried: Judged[] = [];
  for (const { name, method, options: preset, takes = [] } of choices) {
    const given = Object.fromEntries(takes.map((option) => [option, options[option]]));
    const own = { name, method: method.id, options: { ...common.options, ...given, ...preset } };
    try {
      const steps = contest.judge(method, own.options, data, known, settings);
      const logs = yield* staged(steps, `judging ${name}`);
      baseline ??= logs;
      const gained = pairedGain(logs, baseline, cluster, weight);
      tried.push({ ...own, heldOut: meanOfKnown(logs, weight), ...gained });
    } catch (error) {
      // A method may refuse data that others can do something with; the baseline may not.
      const refused = error instanceof CrowdError && error.code !== "bad-option";
      if (!refused || !baseline) throw error;
      tried.push({ ...own, ...REFUSED, leftOut: error.message });
    }
  }
  return { tried, choices, found: common.found, settings };
}

/** The first candidate that is not worse than the best by more than a standard error. */
function simplest(tried: readonly Judged[]): number {
  const best = tried.reduce((top, each) => (each.gain > top.gain ? each : top));
  return tried.findIndex(({ gain }) => gain >= best.gain - best.error - 1e-12);
}

/** With fewer clusters than this nothing is better beyond chance. */
const FEW = 10;

/** Mean difference of two lists of log-probabilities, and its standard error over clusters. */
export function pairedGain(
  logs: Float64Array,
  baseline: Float64Array,
  cluster: Int32Array,
  weight?: Float64Array,
): { readonly gain: number; readonly error: number } {
  const sums = new Map<number, { sum: number; count: number }>();
  let [total, count] = [0, 0];
  logs.forEach((log, i) => {
    const difference = log - baseline[i];
    if (Number.isNaN(difference)) return;
    const times = weight ? weight[i] : 1;
    const own = sums.get(cluster[i]) ?? { sum: 0, count: 0 };
    sums.set(cluster[i], { sum: own.sum + times * difference, count: own.count + times });
    total += times * difference;
    count += times;
  });
  if (count === 0) return { gain: 0, error: 0 };
  const gain = total / count;
  let squares = 0;
  for (const own of sums.values()) squares += (own.sum - own.count * gain) ** 2;
  const error = Math.sqrt((squares * sums.size) / Math.max(1, sums.size - 1)) / count;
  return { gain, error: sums.size < FEW ? Math.max(error, Math.abs(gain)) : error };
}

/** Says what a blend is made of. */
export function blendNote(portfolio: readonly Pick<Tried, "name" | "weight">[]): string {
  const parts = portfolio
    .filter(({ weight }) => weight >= 0.005)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name, weight }) => `${name} ${(100 * weight).toFixed(0)} %`);
  return `Blend: ${parts.join(", ")}.`;
}

/** Says what was chosen and why. */
function reason(portfolio: readonly Tried[], at: number): string {
  const { name, gain, error } = portfolio[at];
  const others = portfolio.length - 1;
  if (at === 0) {
    return others === 0
      ? `Chosen: ${name}, since nothing else was tried.`
      : `Chosen: ${name}, since ${others === 1 ? "the other method does not predict" : `none of the ${others} others predicts`} hidden answers better beyond chance.`;
  }
  return (
    `Chosen: ${name}, which predicts hidden answers by ${gain.toFixed(3)} nats per answer better than ` +
    `${portfolio[0].name} (standard error ${error.toFixed(3)}), and no other by more than chance.`
  );
}
