/** The tasks of a campaign: what is believed of them, how many labels they have, and which are open. */
import { createRandom, type Random } from "../math/random.ts";
import { createRanking } from "../math/ranking.ts";
import { grownDoubles, grownInts } from "../online/growing.ts";
import type { OnlineModel } from "../online/online.ts";
import { entropyOf } from "./expected-gain.ts";
import type { Offers } from "./offers.ts";

/** When tasks are closed, and what further labels of a task are worth. */
export interface BoardOptions {
  readonly cover: number;
  readonly mostPerTask: number;
  readonly confident: number;
  readonly correlation: number;
  readonly seed: number;
}

export interface TaskBoard {
  /** What is believed of each task, posterior[task * K + class]. */
  posterior(): Float64Array;
  /** Counts a label of a task, or a question about it that has no answer yet. */
  count(t: number): void;
  reserve(t: number): void;
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
  progress(): { tasks: number; open: number; confident: number; labels: number };
}

/** Returns the board of all tasks that may be asked about. */
export function createBoard(
  model: OnlineModel,
  offers: Offers,
  K: number,
  options: BoardOptions,
): TaskBoard {
  const { cover, mostPerTask, confident, correlation, seed } = options;
  const lots = createRandom(seed).split("tasks");
  const open = createOpenTasks();
  const counts = createCounts();
  const { labels, asked } = counts;
  let posterior: Float64Array = new Float64Array(0);
  const discount = (t: number) =>
    (1 - correlation) / (1 + Math.max(0, asked(t) - 1) * correlation) ** 2;
  const isSure = (t: number) => {
    if (labels(t) < Math.max(2, cover)) return false;
    const power = 1 / (1 + (labels(t) - 1) * correlation);
    return topShare(posterior, t * K, K, power) >= confident;
  };
  const board: TaskBoard = {
    posterior: () => posterior,
    count: counts.count,
    reserve: counts.reserve,
    look(t) {
      posterior = grownDoubles(posterior, (t + 1) * K);
      const name = offers.tasks.at(t);
      if (model.has(name)) posterior.set(model.posterior(name).posterior, t * K);
      else posterior.fill(1 / K, t * K, (t + 1) * K);
      const full = mostPerTask > 0 && asked(t) >= mostPerTask;
      if (full || !offers.any(t) || (confident < 1 && isSure(t))) open.close(t);
      else {
        const unsure = entropyOf(posterior, t * K, K) * discount(t);
        open.set(t, unsure, lots.split(name).next() - asked(t));
      }
    },
    refresh() {
      for (let t = 0; t < offers.tasks.length(); t++) board.look(t);
    },
    discount,
    fewest: () => open.fewest.largest(),
    *uncovered() {
      for (const t of open.fewest.largest()) {
        if (asked(t) >= cover) return;
        yield t;
      }
    },
    unsure: () => open.unsure.largest(),
    byLot: (random) => drawn(open.list, offers, random),
    progress() {
      const tasks = offers.tasks.length();
      let sure = 0;
      for (let t = 0; t < tasks; t++) if (!open.has(t) && isSure(t)) sure++;
      return { tasks, open: open.list.length, confident: sure, labels: counts.all() };
    },
  };
  return board;
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
    reserve(t: number) {
      waiting = grownInts(waiting, t + 1);
      waiting[t]++;
    },
  };
}

/** The open tasks: a list to draw from, and two rankings. */
function createOpenTasks() {
  const [unsure, fewest] = [createRanking(), createRanking()];
  const list: number[] = [];
  const place = new Map<number, number>();
  return {
    list: list as readonly number[],
    unsure,
    fewest,
    has: (t: number) => place.has(t),
    set(t: number, uncertainty: number, turn: number) {
      if (!place.has(t)) place.set(t, list.push(t) - 1);
      unsure.set(t, uncertainty);
      fewest.set(t, turn);
    },
    close(t: number) {
      const at = place.get(t);
      if (at === undefined) return;
      const last = list.pop();
      if (last !== undefined && last !== t) {
        list[at] = last;
        place.set(last, at);
      }
      place.delete(t);
      unsure.remove(t);
      fewest.remove(t);
    },
  };
}
