/**
 * What a simulated crowd is: labels with known truth, and what they were drawn from.
 *
 * A scenario is a card with options as data, like a method, and one function of a random stream. The
 * same seed gives the same crowd.
 */
import type { CrowdDataset } from "../dataset/dataset.ts";
import { createRandom, type Random } from "../math/random.ts";
import { type OptionTable, type Paper, settle, type Values } from "../method.ts";

export interface Simulation {
  /** The labels; gold is the truth of every task. */
  readonly data: CrowdDataset;
  /** P(class). */
  readonly prior: Float64Array;
  /** P(label | class, worker), where a worker's labels depend on nothing else: confusion[(worker * K + class) * K + label]. */
  readonly confusion?: Float64Array;
  /** What each worker is: "expert", "spammer", "copies w3", … */
  readonly roles: readonly string[];
  /** How hard each task is, where tasks differ. */
  readonly difficulty?: Float64Array;
}

export interface Scenario<Options extends OptionTable = OptionTable> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly paper?: Paper;
  readonly options: Options;
  (options?: Partial<Values<Options>>): Simulation & { readonly parameters: Values<Options> };
}

/** Any scenario, for lists. */
export type AnyScenario = Omit<Scenario, never> &
  ((options?: object) => Simulation & { readonly parameters: object });

export const seedOption = {
  seed: { default: 0, integer: true, help: "Where all random numbers come from." },
} as const;

export function scenario<const Options extends OptionTable>(
  card: Pick<Scenario<Options>, "id" | "title" | "summary" | "paper" | "options">,
  draw: (options: Values<Options & typeof seedOption>, random: Random) => Simulation,
): Scenario<Options & typeof seedOption> {
  const options = { ...card.options, ...seedOption };
  const simulate = (chosen: object = {}) => {
    const parameters = settle(card.id, options, chosen as Record<string, unknown>) as Values<
      Options & typeof seedOption
    >;
    const { seed } = parameters as { readonly seed: number };
    return { ...draw(parameters, createRandom(seed).split(card.id)), parameters };
  };
  return Object.assign(simulate, { ...card, options }) as Scenario<Options & typeof seedOption>;
}
