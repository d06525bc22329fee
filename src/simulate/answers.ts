/**
 * Simulated crowds whose answers are more than one label per task: a card with options as data and one function of a
 * random stream, as in scenario.ts. The data are of the kind that the card names; every worker has a role, and numbers that
 * say what its answers were drawn from.
 */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import { createRandom, type Random } from "../math/random.ts";
import { type OptionTable, type Paper, settle, type Values } from "../method.ts";

/** Answers of any kind with known truth, and what each worker was made to be. */
export interface AnswerSimulation<Data extends CrowdData = CrowdData> {
  /** The answers; gold is the truth of all there is. */
  readonly data: Data;
  /** What each worker is: "careful", "guesser", "copies w0", … */
  readonly roles: readonly string[];
  /** What the answers of each worker were drawn from, by name: facts.noise[worker]; NaN where it does not apply. */
  readonly facts: Readonly<Record<string, Float64Array>>;
}

/** Simulated answers with the value of every option that they were drawn by. */
export interface SimulatedAnswers<Data extends CrowdData, Options extends OptionTable>
  extends AnswerSimulation<Data> {
  readonly parameters: Values<Options>;
}

/** A kind of simulated crowd that gives answers other than labels: call it with options. */
export interface AnswerScenario<
  Data extends CrowdData = CrowdData,
  Options extends OptionTable = OptionTable,
> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly paper?: Paper;
  /** The kind of its answers. */
  readonly kind: Data["kind"];
  readonly options: Options;
  (options?: Partial<Values<Options>>): SimulatedAnswers<Data, Options>;
}

/** Any scenario of answers other than labels, for lists. */
export type AnyAnswerScenario = Omit<AnswerScenario, never> &
  ((options?: object) => AnswerSimulation & { readonly parameters: object });

const seedOption = { seed: { default: 0, integer: true, help: "Random seed." } } as const;

/** The card of a scenario, and how many answers its options ask for. */
interface Card<Data extends CrowdData, Options extends OptionTable>
  extends Pick<
    AnswerScenario<Data, Options>,
    "id" | "title" | "summary" | "paper" | "kind" | "options"
  > {
  answers(options: Values<Options>): number;
}

/** Makes a scenario of answers: options are checked, memory is estimated, and then the crowd is drawn. */
export function answerScenario<Data extends CrowdData, const Options extends OptionTable>(
  { answers, ...card }: Card<Data, Options>,
  draw: (options: Values<Options & typeof seedOption>, random: Random) => AnswerSimulation<Data>,
): AnswerScenario<Data, Options & typeof seedOption> {
  const options = { ...card.options, ...seedOption };
  const simulate = (chosen: object = {}) => {
    const parameters = settle(card.id, options, { ...chosen }) as Values<
      Options & typeof seedOption
    >;
    checkAnswers(card.id, answers(parameters as unknown as Values<Options>));
    const { seed } = parameters as { readonly seed: number };
    return { ...draw(parameters, createRandom(seed).split(card.id)), parameters };
  };
  return Object.assign(simulate, { ...card, options }) as unknown as AnswerScenario<
    Data,
    Options & typeof seedOption
  >;
}

/** More answers than this are not made, and the bytes that each takes. */
const [MOST_ANSWERS, BYTES] = [1e8, 60];

/** Refuses a crowd that would not fit into memory, before it is drawn. */
function checkAnswers(id: string, answers: number): void {
  if (answers <= MOST_ANSWERS) return;
  throw new CrowdError(
    "bad-option",
    `${id}: these sizes make about ${Math.round(answers).toLocaleString("en-US")} answers and take about ` +
      `${((answers * BYTES) / 1e9).toFixed(0)} GB of memory; at most ` +
      `${MOST_ANSWERS.toLocaleString("en-US")} answers are made. Choose smaller numbers.`,
  );
}

/** Gives every worker a role: the first for most, and for the last ones as many of each other as asked for. */
export function cast(
  id: string,
  workers: number,
  most: string,
  others: Readonly<Record<string, number>>,
): readonly string[] {
  if (workers === 0) {
    throw new CrowdError("bad-option", `${id}: there are no workers. Ask for at least one.`);
  }
  const named = Object.entries(others).flatMap(([role, n]) =>
    Array.from({ length: n }, () => role),
  );
  if (named.length > workers) {
    throw new CrowdError(
      "bad-option",
      `${id}: ${named.length} workers have another role than ${most}, but there are ${workers} workers in all.`,
    );
  }
  const rest = Array.from({ length: workers - named.length }, () => most);
  return [...rest, ...named];
}

/** The option of how many workers have a role. */
export function roleCount<const Count extends number>(count: Count, help: string) {
  return { default: count, min: 0, max: 100_000, integer: true, help } as const;
}

/** Names w0, w1, … or with another letter. */
export function numbered(letter: string, n: number): readonly string[] {
  return Array.from({ length: n }, (_, i) => `${letter}${i}`);
}

/** A number between two ends, each as likely as any other. */
export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random.next();
}
