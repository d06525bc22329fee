/** The next question of a plan, by numbers of tasks and workers. */
import type { Random } from "../math/random.ts";
import type { createBandit } from "./bandits.ts";
import { diagonalOf, expectedInformation } from "./expected-gain.ts";
import type { Offers } from "./offers.ts";
import { LISTENED, type Speakers } from "./speakers.ts";
import type { TaskBoard } from "./task-board.ts";

/** How the next label is chosen. */
export type AssignPolicy =
  | "cover-gain"
  | "gain"
  | "entropy"
  | "round-robin"
  | "random"
  | "tutorial";

/** One question: a task for a worker. */
export interface Assignment {
  readonly task: string;
  readonly worker: string;
  /** Why it is asked. */
  readonly purpose:
    | "cover"
    | "explore"
    | "gain"
    | "entropy"
    | "round-robin"
    | "random"
    | "tutorial"
    | "gold"
    | "audit";
  /** Expected information of the label about the task, in nats. */
  readonly gain: number;
}

export interface ChooserOptions {
  readonly policy: AssignPolicy;
  readonly explore: number;
  readonly minGain: number;
  readonly K: number;
  readonly costOf: (w: number) => number;
  /** Number of questions that a worker has been asked. */
  readonly answersOf: (w: number) => number;
  /** Number of questions of the plan so far. */
  readonly askedSoFar: () => number;
  /** What a label is worth, if not its expected information. */
  readonly bandit: ReturnType<typeof createBandit> | undefined;
}

/** A task and a worker, and why they were chosen. */
export interface Choice {
  readonly t: number;
  readonly w: number;
  readonly purpose: Assignment["purpose"];
}

type Pair = Omit<Choice, "purpose">;

export interface Chooser {
  /** Returns the next question for worker number `only`, or for anybody; "useless" if none would tell enough. */
  next(only: number | undefined): Choice | "useless" | undefined;
  /** Returns the most telling of those who may be asked about a task; -1 if nobody may. */
  bestFor(t: number, only: number | undefined): number;
  /** Returns the expected information of a label, in nats. */
  gain(t: number, w: number): number;
}

/** Tasks whose gains are compared: the least sure, and some others. */
const SHORTLIST = 64;
const OTHERS = 8;
/** Questions of which too little is known of a worker to say that nothing useful will come. */
const PROBATION = 10;

export function createChooser(
  speakers: Speakers,
  offers: Offers,
  board: TaskBoard,
  random: Random,
  options: ChooserOptions,
): Chooser {
  const { policy, explore, minGain, costOf, answersOf, askedSoFar } = options;
  const { gain, first, asked, best } = createPicks(speakers, offers, board, random, options);
  /** Whether so little information is too little: not while nothing is known of this worker, or of anybody. */
  const isTooLittle = (information: number, w: number) =>
    information < minGain && answersOf(w) >= PROBATION && speakers.most() >= minGain;
  /** The first task without enough labels, for a worker who can tell something of it. */
  const cover = (only: number | undefined): Pair | "useless" | undefined => {
    const found = first(board.uncovered(), only);
    if (!found || !isTooLittle(speakers.worth(found.w), found.w)) return found;
    if (only !== undefined) return "useless";
    const w = speakers.mostTelling().find((each) => offers.may(found.t, each));
    return w === undefined ? found : { t: found.t, w };
  };
  /** The least sure task, for the worker with the largest diagonal; at first for any worker half of the time. */
  const tutorial = (only: number | undefined): Pair | undefined => {
    const anybody = random.next() < (askedSoFar() < 100 ? 0.5 : 0.05);
    if (only !== undefined || anybody) return first(board.unsure(), only);
    for (const t of board.unsure()) {
      const w = largest(asked(t, only), (each) => diagonalOf(speakers.of(each)));
      if (w >= 0) return { t, w };
    }
    return undefined;
  };
  const choose = (only: number | undefined): [Choice["purpose"], Pair | "useless" | undefined] => {
    if (policy === "random") return ["random", first(board.byLot(random), only)];
    if (policy === "round-robin") return ["round-robin", first(board.fewest(), only)];
    if (policy === "tutorial") return ["tutorial", tutorial(only)];
    const covering = policy === "cover-gain" ? cover(only) : undefined;
    if (covering) return ["cover", covering];
    if (policy === "entropy") return ["entropy", first(board.unsure(), only)];
    if (random.next() < explore) {
      const found = first(board.byLot(random), only, SHORTLIST);
      if (found) return ["explore", found];
    }
    // None of the shortlist may be left for this worker.
    const found = best(only) ?? first(board.unsure(), only);
    return ["gain", found && isTooLittle(gain(found.t, found.w), found.w) ? "useless" : found];
  };
  return {
    next(only) {
      const [purpose, pair] = choose(only);
      return typeof pair === "object" ? { ...pair, purpose } : pair;
    },
    bestFor: (t, only) => largest(asked(t, only), (w) => speakers.worth(w) / costOf(w)),
    gain,
  };
}

/** Ways to pick a task and a worker, for worker number `only` or for anybody. */
function createPicks(
  speakers: Speakers,
  offers: Offers,
  board: TaskBoard,
  random: Random,
  { K, costOf, bandit }: ChooserOptions,
) {
  const gain = (t: number, w: number) =>
    expectedInformation(board.posterior(), t * K, speakers.of(w));
  /** The first of the tasks that the worker, or anybody, may be asked about. */
  const first = (tasks: Iterable<number>, only: number | undefined, most = Infinity) => {
    for (const t of take(tasks, most)) {
      const w = only === undefined ? offers.draw(t, random) : offers.may(t, only) ? only : -1;
      if (w >= 0) return { t, w };
    }
    return undefined;
  };
  const asked = (t: number, only: number | undefined): readonly number[] => {
    if (only === undefined) return offers.speakers(t, LISTENED, random, speakers.mostTelling);
    return offers.may(t, only) ? [only] : [];
  };
  const best = (only: number | undefined): Pair | undefined => {
    let found: Pair | undefined;
    let most = -1;
    bandit?.turn();
    for (const t of [...take(board.unsure(), SHORTLIST), ...take(board.byLot(random), OTHERS)]) {
      for (const w of asked(t, only)) {
        const worth = bandit ? bandit.score(board.posterior(), t * K, w) : gain(t, w);
        const score = (worth * board.discount(t)) / costOf(w);
        if (score > most) [found, most] = [{ t, w }, score];
      }
    }
    return found;
  };
  return { gain, first, asked, best };
}

/** Returns the first of the things with the largest value; -1 if there are none. */
function largest(things: readonly number[], value: (thing: number) => number): number {
  let [found, most] = [-1, -Infinity];
  for (const thing of things) {
    const own = value(thing);
    if (own > most) [found, most] = [thing, own];
  }
  return found;
}

/** Yields the first so many things. */
export function* take<Thing>(things: Iterable<Thing>, most: number): Generator<Thing> {
  let taken = 0;
  for (const thing of things) {
    if (taken++ >= most) return;
    yield thing;
  }
}
