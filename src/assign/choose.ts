/** The next question of a plan, by numbers of tasks and workers. */
import { createRandom } from "../math/random.ts";
import type { OnlineModel } from "../online/online.ts";
import { expectedInformation, type Speaker, speakerOf } from "./expected-gain.ts";
import type { Offers } from "./offers.ts";
import type { TaskBoard } from "./task-board.ts";

/** How the next label is chosen. */
export type AssignPolicy = "cover-gain" | "gain" | "entropy" | "round-robin" | "random";

/** One question: a task for a worker. */
export interface Assignment {
  readonly task: string;
  readonly worker: string;
  /** Why it is asked. */
  readonly purpose: "cover" | "explore" | "gain" | "entropy" | "round-robin" | "random";
  /** Expected information of the label about the task, in nats. */
  readonly gain: number;
}

export interface ChooserOptions {
  readonly policy: AssignPolicy;
  readonly explore: number;
  readonly seed: number;
  readonly K: number;
  readonly cost: ReadonlyMap<string, number> | undefined;
}

export interface Chooser {
  /** Returns the next question for worker number `only`, or for anybody. */
  next(only: number | undefined): Assignment | undefined;
  /** Forgets how a worker labels, or all of them, so that it is looked up again. */
  forget(w?: number): void;
}

/** A task and a worker. */
interface Pair {
  readonly t: number;
  readonly w: number;
}

/** Tasks whose gains are compared: the least sure, and some others. */
const SHORTLIST = 64;
const OTHERS = 8;
/** Workers who are compared for a task that anybody may be asked: those who tell most, and as many others. */
const LISTENED = 16;

export function createChooser(
  model: OnlineModel,
  offers: Offers,
  board: TaskBoard,
  { policy, explore, seed, K, cost }: ChooserOptions,
): Chooser {
  const random = createRandom(seed).split("assign");
  const costOf = (w: number) => cost?.get(offers.workers.at(w)) ?? 1;
  const { speaker, mostTelling, forget } = createSpeakers(model, offers, K, costOf);
  const gainOf = (t: number, w: number) =>
    expectedInformation(board.posterior(), t * K, speaker(w));
  /** The first of the tasks that the worker, or anybody, may be asked about. */
  const first = (tasks: Iterable<number>, only: number | undefined, most = Infinity) => {
    for (const t of take(tasks, most)) {
      const w = only === undefined ? offers.draw(t, random) : offers.may(t, only) ? only : -1;
      if (w >= 0) return { t, w };
    }
    return undefined;
  };
  const asked = (t: number, only: number | undefined): readonly number[] => {
    if (only === undefined) return offers.speakers(t, LISTENED, random, mostTelling);
    return offers.may(t, only) ? [only] : [];
  };
  const best = (only: number | undefined): Pair | undefined => {
    let found: Pair | undefined;
    let most = -1;
    for (const t of [...take(board.unsure(), SHORTLIST), ...take(board.byLot(random), OTHERS)]) {
      for (const w of asked(t, only)) {
        const score = (gainOf(t, w) * board.discount(t)) / costOf(w);
        if (score > most) [found, most] = [{ t, w }, score];
      }
    }
    return found;
  };
  const choose = (only: number | undefined): [Assignment["purpose"], Pair | undefined] => {
    if (policy === "random") return ["random", first(board.byLot(random), only)];
    if (policy === "round-robin") return ["round-robin", first(board.fewest(), only)];
    const covering = policy === "cover-gain" ? first(board.uncovered(), only) : undefined;
    if (covering) return ["cover", covering];
    if (policy === "entropy") return ["entropy", first(board.unsure(), only)];
    if (random.next() < explore) {
      const found = first(board.byLot(random), only, SHORTLIST);
      if (found) return ["explore", found];
    }
    // None of the shortlist may be left for this worker.
    return ["gain", best(only) ?? first(board.unsure(), only)];
  };
  return {
    next(only) {
      const [purpose, pair] = choose(only);
      if (!pair) return undefined;
      const { t, w } = pair;
      const [task, worker] = [offers.tasks.at(t), offers.workers.at(w)];
      return { task, worker, purpose, gain: gainOf(t, w) };
    },
    forget,
  };
}

/** How workers label, looked up when needed, and who tells most for the cost. */
function createSpeakers(
  model: OnlineModel,
  offers: Offers,
  K: number,
  costOf: (w: number) => number,
) {
  const speakers = new Map<number, Speaker>();
  let heaviest: readonly number[] | undefined;
  const speaker = (w: number): Speaker => {
    const known = speakers.get(w) ?? speakerOf(model.confusion(offers.workers.at(w)), K);
    speakers.set(w, known);
    return known;
  };
  return {
    speaker,
    /** The workers who tell most of a task of which nothing is known, as of when all were forgotten last. */
    mostTelling(): readonly number[] {
      if (heaviest) return heaviest;
      const even = new Float64Array(K).fill(1 / K);
      const worth = Float64Array.from(
        { length: offers.workers.length() },
        (_, w) => expectedInformation(even, 0, speaker(w)) / costOf(w),
      );
      heaviest = [...worth.keys()]
        .filter((w) => !offers.isGone(w))
        .sort((a, b) => worth[b] - worth[a])
        .slice(0, LISTENED);
      return heaviest;
    },
    forget(w?: number): void {
      if (w !== undefined) {
        speakers.delete(w);
        return;
      }
      speakers.clear();
      heaviest = undefined;
    },
  };
}

/** Yields the first so many things. */
function* take<Thing>(things: Iterable<Thing>, most: number): Generator<Thing> {
  let taken = 0;
  for (const thing of things) {
    if (taken++ >= most) return;
    yield thing;
  }
}
