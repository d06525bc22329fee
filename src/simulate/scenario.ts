/**
 * What a simulated crowd is: a card with options as data, like a method, and one function of a random
 * stream. The same seed gives the same crowd. Given tasks take the place of those it would make up.
 */
import { CrowdError } from "../error.ts";
import { createRandom, type Random } from "../math/random.ts";
import { type OptionTable, type Paper, settle, type Values } from "../method.ts";
import type { AnyAnswerScenario } from "./answers.ts";
import { part } from "./part.ts";
import type { Drawn, Simulation } from "./simulation.ts";
import { decidedOptions, type GivenTasks, joinGiven, type Tasks } from "./tasks.ts";

export type { LabelledTasks, Simulation } from "./simulation.ts";

/** A kind of simulated crowd: call it with options for labels with known truth. */
export interface Scenario<Options extends OptionTable = OptionTable> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly paper?: Paper;
  /** The kind of its answers. */
  readonly kind: "categorical";
  /** It can label tasks that are there already, and its tasks can be given features. */
  readonly given: true;
  /** True where tasks have features of the scenario's own making. */
  readonly features?: true;
  readonly options: Options;
  (options?: Partial<Values<Options>>, given?: GivenTasks): Simulated<Options>;
}

/** A simulated crowd with the value of every option that it was drawn by. */
export interface Simulated<Options extends OptionTable = OptionTable> extends Simulation {
  readonly parameters: Values<Options>;
}

/** Any scenario, for lists. */
export type AnyScenario = AnyLabelScenario | AnyAnswerScenario;

/** Any scenario of labels, for lists. */
export type AnyLabelScenario = Omit<Scenario, never> &
  ((options?: object, given?: GivenTasks) => Simulation & { readonly parameters: object });

export const commonOptions = {
  testTasks: {
    default: 0,
    min: 0,
    integer: true,
    help: "Number of test tasks, labelled by the same workers.",
  },
  seed: { default: 0, integer: true, help: "Random seed." },
} as const;

export function scenario<const Options extends OptionTable>(
  card: Pick<Scenario<Options>, "id" | "title" | "summary" | "paper" | "features" | "options">,
  draw: (options: Values<Options & typeof commonOptions>, random: Random, tasks: Tasks) => Drawn,
): Scenario<Options & typeof commonOptions> {
  const options = { ...card.options, ...commonOptions };
  const simulate = (chosen: object = {}, given?: GivenTasks) => {
    const known = given && joinGiven(card.id, given);
    const decided = known && decidedOptions(known, options, { ...chosen });
    const parameters = settle(card.id, options, { ...chosen, ...decided }) as Values<
      Options & typeof commonOptions
    >;
    const { tasks: train, testTasks: test, seed } = parameters as Record<string, number>;
    checkSize(card.id, parameters as Record<string, number>);
    const tasks = known ?? { of: card.id, train, test };
    const drawn = draw(parameters, createRandom(seed).split(card.id), tasks);
    return { ...(given || test > 0 ? part(drawn, tasks, given) : drawn), parameters };
  };
  const fixed = { kind: "categorical", given: true } as const;
  return Object.assign(simulate, { ...card, ...fixed, options }) as Scenario<
    Options & typeof commonOptions
  >;
}

/** More memory than this is not taken for a crowd, in bytes. */
const MOST_BYTES = 1.2e10;

/** Refuses a crowd that would not fit into memory, before it is drawn. */
function checkSize(id: string, parameters: Readonly<Record<string, number | undefined>>): void {
  const { tasks = 0, testTasks = 0, workers = 10, classes = 4, dimensions = 0 } = parameters;
  const perTask = parameters["labelsPerTask"] || workers;
  const T = tasks + testTasks;
  const labels = T * Math.min(perTask, workers);
  const bytes = 24 * labels + T * (60 + 4 * dimensions) + workers * (200 + 8 * classes ** 2);
  if (bytes <= MOST_BYTES) return;
  throw new CrowdError(
    "bad-option",
    `${id}: these sizes make about ${Math.round(labels).toLocaleString("en-US")} labels and take about ` +
      `${(bytes / 1e9).toFixed(0)} GB of memory; at most ${MOST_BYTES / 1e9} GB are used. ` +
      "Choose fewer tasks, workers, classes or labels per task.",
  );
}
