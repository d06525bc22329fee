/**
 * What a method is: a card that says all there is to show without running it, options as plain
 * data, and steps. Called, a method gives the answer; stepped, it gives progress and can be stopped.
 */
import type { Size } from "./data/crowd-data.ts";
import { CrowdError } from "./error.ts";

/** One option, as plain data: its CLI flag, its form field and its docs row are all made from this. */
export type Option = NumberOption | ChoiceOption | FlagOption | TextOption;

export interface NumberOption {
  readonly default: number;
  readonly help: string;
  readonly unit?: string;
  readonly min?: number;
  /** Default: a hundred million for whole numbers that are not negative, else none. */
  readonly max?: number;
  readonly integer?: boolean;
}

interface ChoiceOption {
  readonly default: string;
  readonly help: string;
  readonly choices: readonly string[];
}

interface FlagOption {
  readonly default: boolean;
  readonly help: string;
}

interface TextOption {
  readonly default: string;
  readonly help: string;
  /** A regular expression that the whole text matches. */
  readonly pattern: string;
  /** What that is, in words: `sizes such as 128 or 256,128`. */
  readonly wants: string;
}

/** Options by name. */
export type OptionTable = Readonly<Record<string, Option>>;

type Value<O extends Option> = O extends ChoiceOption
  ? O["choices"][number]
  : O extends NumberOption
    ? number
    : O extends TextOption
      ? string
      : boolean;

/** The value of each option of a table. */
export type Values<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Value<Options[Name]>;
};

/** Where a method was published. */
export interface Paper {
  readonly authors: string;
  readonly year: number;
  readonly title: string;
  readonly url: string;
}

/** All there is to show about a method without running it. */
export interface Card<Options extends OptionTable = OptionTable> {
  /** Its file name, CLI name and docs page: one word everywhere. */
  readonly id: string;
  readonly title: string;
  /** One sentence: what it assumes and what it learns. */
  readonly summary: string;
  readonly paper: Paper;
  readonly options: Options;
  /** Time per iteration and memory, in N labels, T tasks, W workers, K classes. */
  readonly cost: string;
  /** Estimates the bytes that a fit needs beyond the data, where they may be too many. */
  readonly memory?: (size: Size) => number;
  /** Estimates the elementary steps of one iteration, where they may be too many. */
  readonly work?: (size: Size) => number;
  /** Estimates the elementary steps of a whole fit with usual options, where they may take minutes. */
  readonly total?: (size: Size) => number;
}

/** What every method has besides its card's options: the kind of answers it takes, and its family. */
export interface MethodCard<Options extends OptionTable = OptionTable> extends Card<Options> {
  /** The kind of answers it takes: `categorical`, `numeric`, `pairwise`, … */
  readonly kind: string;
  /** What it belongs with: methods of a family rest on the same idea. */
  readonly family: string;
  /** What it cannot do without, by its name in `known`. */
  readonly needs?: "weights" | "gold" | "confusion" | "predictions" | "links" | undefined;
  /** True where it takes two classes only. */
  readonly binaryOnly?: true;
  /** Option values under a name of their own, which chooses method and values together. */
  readonly presets?: Readonly<Record<string, Preset>>;
}

/** Option values under a name of their own. */
export interface Preset {
  readonly title: string;
  readonly options: Readonly<Record<string, number | string | boolean>>;
}

/** What a running method says after each iteration. */
export interface Progress {
  readonly iteration: number;
  /** What the method maximises, in nats; comparable only within one run. */
  readonly objective: number;
  /** What is being done, where a method is made of others. */
  readonly stage?: string;
}

/** A fit as steps: one progress report per iteration, then the result. */
export type Steps<Result> = Generator<Progress, Result, void>;

/** The same steps, each with the words for what is going on. */
export function* staged<Result>(steps: Steps<Result>, stage: string): Steps<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield { ...step.value, stage } satisfies Progress;
  }
}

/** Runs steps to their end and returns the result. */
export function drain<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The value of every option, filled in from the defaults; refuses what is misspelt or out of range. */
export function settle<Options extends OptionTable>(
  id: string,
  table: Options,
  given: Readonly<Record<string, unknown>> = {},
): Values<Options> {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(table, name)) {
      const known = Object.keys(table).join(", ") || "none";
      throw new CrowdError("bad-option", `${id} has no option "${name}". It has: ${known}.`);
    }
  }
  const values: Record<string, number | string | boolean> = {};
  for (const [name, option] of Object.entries(table)) {
    const value = given[name] ?? option.default;
    const rule = broken(option, value);
    if (rule) {
      throw new CrowdError("bad-option", `${id}: ${name} must be ${rule}, not ${String(value)}.`);
    }
    values[name] = value as number | string | boolean;
  }
  return values as Values<Options>;
}

/** The maximum of counts that have none of their own: more of anything fits no machine. */
const MOST_COUNT = 1e8;

/** The rule that a value breaks, in words, or undefined. */
function broken(option: Option, value: unknown): string | undefined {
  if ("choices" in option) {
    return option.choices.includes(value as string)
      ? undefined
      : `one of ${option.choices.join(", ")}`;
  }
  if ("pattern" in option) {
    const fits = typeof value === "string" && new RegExp(`^(?:${option.pattern})$`).test(value);
    return fits ? undefined : option.wants;
  }
  if (typeof option.default === "boolean") {
    return typeof value === "boolean" ? undefined : "true or false";
  }
  const { min = -Infinity, integer = false, ...limits } = option as NumberOption;
  const { max = integer && min >= 0 ? MOST_COUNT : Infinity } = limits;
  if (typeof value !== "number" || Number.isNaN(value)) return "a number";
  if (integer && !Number.isInteger(value)) return "a whole number";
  if (value < min) return `at least ${min}`;
  if (value > max) return `at most ${max}`;
  return undefined;
}
