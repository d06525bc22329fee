/** The tasks of a campaign: what is believed of them, how many labels they have, and which are open. */
import { createRandom, type Random } from "../math/random.ts";
import { createRanking } from "../math/ranking.ts";
import { grownDoubles, grownInts } from "../online/growing.ts";
import type { LiveVote } from "../online/live-answers.ts";
import type { OnlineModel } from "../online/online.ts";
import { entropyOf, type Speaker } from "./expected-gain.ts";
import type { Offers } from "./offers.ts";
import type { Speakers } from "./speakers.ts";

/** When tasks are closed, and what further labels of a task are worth. */
export interface BoardOptions {
  readonly cover: number;
  readonly coverOf: (task: string) => number;
  readonly mostPerTask: number;
  readonly confident: number;
  readonly correlation: number;
  readonly lots: number;
  readonly seed: number;
  /** Tells whether the class of a task is known, so that no label is needed. */
  readonly isGold: (t: number) => boolean;
}

export interface TaskBoard {
  /** What is believed of each task, posterior[task * K + class]. */
  posterior(): Float64Array;
  /** Counts a label of a task, or a question about it that has no answer yet; -1 takes such a question back. */
  count(t: number): void;
  reserve(t: number, times?: 1 | -1): void;
  /** Looks at a task again. */
  look(t: number): void;
  /** Looks at all tasks again. */
  refresh(): void;
  /** How much a further label of a task adds, as a share of what a first label would. */
  discount(t: number): number;
  /** Yields open tasks: fewest labels first, those without `cover` labels, largest discounted entropy first, by lot. */
  fewest(): Iterable<number>;
  uncovered(): Iterable<number>;
  unsure(): Iterable<number>;
  byLot(random: Random): Iterable<number>;
  /** Tasks that are closed because their answer is sure, and that may have more labels. */
  readonly retired: readonly number[];
  isRetired(t: number): boolean;
  /** Number of open tasks. */
  open(): number;
  /** Number of tasks that are closed because their answer is sure, and of labels. */
  sure(): number;
  labels(): number;
}

/** Returns the board of all tasks that may be asked about. */
export function createBoard(
  model: OnlineModel,
  offers: Offers,
  speakers: Speakers,
  K: number,
  options: BoardOptions,
): TaskBoard {
  const { cover, coverOf, mostPerTask, confident, correlation, seed, isGold } = options;
  const lots = createRandom(seed).split("tasks");
  const open = createOpenTasks();
  const [sure, retired] = [createBag(), createBag()];
  const { labels, asked, count, reserve, all } = createCounts();
  let posterior: Float64Array = new Float64Array(0);
  const discount = (t: number) =>
    (1 - correlation) / (1 + Math.max(0, asked(t) - 1) * correlation) ** 2;
  const isSure = (t: number) => {
    if (confident >= 1 || labels(t) < Math.max(2, coverOf(offers.tasks.at(t)))) return false;
    const share = topShare(posterior, t * K, K, 1 / (1 + (labels(t) - 1) * correlation));
    // A closed task is opened again only if its answer has become much less sure.
    if (sure.has(t)) return share >= 2 * confident - 1;
    if (share < confident) return false;
    const votes = model.votes(offers.tasks.at(t));
    return !restsOnOneVote(posterior, t * K, K, votes, (name) => speakers.of(offers.worker(name)));
  };
  const board: TaskBoard = {
    posterior: () => posterior,
    count,
    reserve,
    look(t) {
      posterior = grownDoubles(posterior, (t + 1) * K);
      const name = offers.tasks.at(t);
      if (model.has(name)) posterior.set(model.posterior(name).posterior, t * K);
      else posterior.fill(1 / K, t * K, (t + 1) * K);
      const full = mostPerTask > 0 && asked(t) >= mostPerTask;
      const askable = !full && !isGold(t) && offers.any(t);
      sure.put(t, !isGold(t) && isSure(t));
      retired.put(t, sure.has(t) && askable);
      if (sure.has(t) || !askable) open.close(t);
      else {
        const lot = lots.split(name).next();
        const unsure = entropyOf(posterior, t * K, K) * discount(t) + options.lots * lot;
        open.set(t, unsure, lot - asked(t) + (coverOf(name) - cover));
      }
    },
    refresh() {
      for (let t = 0; t < offers.tasks.length(); t++) board.look(t);
    },
    discount,
    fewest: () => open.fewest.largest(),
    uncovered: () => until(open.fewest.largest(), (t) => asked(t) >= coverOf(offers.tasks.at(t))),
    unsure: () => open.unsure.largest(),
    byLot: (random) => drawn(open.list, offers, random),
    retired: retired.list,
    isRetired: sure.has,
    open: () => open.list.length,
    sure: () => sure.list.length,
    labels: all,
  };
  return board;
}

/** Yields things up to the first that is at the end. */
function* until(things: Iterable<number>, isEnd: (thing: number) => boolean): Generator<number> {
  for (const thing of things) {
    if (isEnd(thing)) return;
    yield thing;
  }
}

/** Yields tasks by lot, one with twice as many offers twice as often; after many draws all of them. */
function* drawn(list: readonly number[], offers: Offers, random: Random): Generator<number> {
  for (let tries = 0; list.length > 0 && tries < 4 * list.length; tries++) {
    const t = list[Math.floor(random.next() * list.length)];
    if (random.next() < offers.share(t)) yield t;
  }
  yield* list;
}

/** The largest of K probabilities from `at` on, all to a power and summing to 1 again. */
function topShare(p: Float64Array, at: number, K: number, power: number): number {
  let [top, total] = [0, 0];
  for (let k = at; k < at + K; k++) {
    top = Math.max(top, p[k] ** power);
    total += p[k] ** power;
  }
  return top / total;
}

/**
 * Tells whether an answer rests on one vote: without some label, another class would be the most probable. What is believed
 * without a label is what is believed with it over how probable the label is in each class.
 */
function restsOnOneVote(
  p: Float64Array,
  at: number,
  K: number,
  votes: readonly LiveVote[],
  speakerOf: (worker: string) => Speaker,
): boolean {
  let top = 0;
  for (let k = 1; k < K; k++) if (p[at + k] > p[at + top]) top = k;
  return votes.some(({ worker, label, weight }) => {
    const { rows } = speakerOf(worker);
    const L = rows.length / K;
    const without = (k: number) =>
      Math.log(Math.max(p[at + k], 1e-300)) -
      weight * Math.log(Math.max(rows[k * L + label], 1e-12));
    for (let k = 0; k < K; k++) if (k !== top && without(k) >= without(top)) return true;
    return false;
  });
}

/** How many labels each task has, and how many questions about it wait for an answer. */
function createCounts() {
  let given: Int32Array = new Int32Array(0);
  let waiting: Int32Array = new Int32Array(0);
  let all = 0;
  const labels = (t: number) => given[t] ?? 0;
  return {
    labels,
    asked: (t: number) => labels(t) + (waiting[t] ?? 0),
    all: () => all,
    count(t: number) {
      given = grownInts(given, t + 1);
      given[t]++;
      all++;
    },
    reserve(t: number, times: 1 | -1 = 1) {
      waiting = grownInts(waiting, t + 1);
      waiting[t] += times;
    },
  };
}

/** The open tasks: a list to draw from, and two rankings. */
function createOpenTasks() {
  const [unsure, fewest] = [createRanking(), createRanking()];
  const bag = createBag();
  return {
    list: bag.list,
    unsure,
    fewest,
    has: bag.has,
    set(t: number, uncertainty: number, turn: number) {
      bag.put(t, true);
      unsure.set(t, uncertainty);
      fewest.set(t, turn);
    },
    close(t: number) {
      if (!bag.has(t)) return;
      bag.put(t, false);
      unsure.remove(t);
      fewest.remove(t);
    },
  };
}

/** A set of tasks that can be drawn from. */
function createBag() {
  const list: number[] = [];
  const place = new Map<number, number>();
  return {
    list: list as readonly number[],
    has: (t: number) => place.has(t),
    /** Puts a task in or takes it out. */
    put(t: number, wanted: boolean) {
      const at = place.get(t);
      if (wanted === (at !== undefined)) return;
      if (at === undefined) {
        place.set(t, list.push(t) - 1);
        return;
      }
      const last = list.pop();
      if (last !== undefined && last !== t) {
        list[at] = last;
        place.set(last, at);
      }
      place.delete(t);
    },
  };
}
