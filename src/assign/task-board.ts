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
  /** Counts a label of a task. */
  count(t: number): void;
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
  const lots = createRandom(options.seed).split("tasks");
  const [unsure, fewest] = [createRanking(), createRanking()];
  const open: number[] = [];
  let place: Int32Array = new Int32Array(0);
  let labels: Int32Array = new Int32Array(0);
  let posterior: Float64Array = new Float64Array(0);
  let lot: Float64Array = new Float64Array(0);
  let all = 0;
  const discount = (t: number) => {
    const ρ = options.correlation;
    return (1 - ρ) / (1 + Math.max(0, labels[t] - 1) * ρ) ** 2;
  };
  const isSure = (t: number) => {
    if (labels[t] < Math.max(2, options.cover)) return false;
    const power = 1 / (1 + (labels[t] - 1) * options.correlation);
    let [top, total] = [0, 0];
    for (let k = t * K; k < (t + 1) * K; k++) {
      top = Math.max(top, posterior[k] ** power);
      total += posterior[k] ** power;
    }
    return top / total >= options.confident;
  };
  const close = (t: number) => {
    const at = place[t];
    const last = open.pop();
    if (last !== undefined && last !== t) {
      open[at] = last;
      place[last] = at;
    }
    place[t] = -1;
    unsure.remove(t);
    fewest.remove(t);
  };
  const rank = (t: number) => {
    const full = options.mostPerTask > 0 && labels[t] >= options.mostPerTask;
    if (full || !offers.any(t) || (options.confident < 1 && isSure(t))) {
      if (place[t] >= 0) close(t);
      return;
    }
    if (place[t] < 0) place[t] = open.push(t) - 1;
    if (lot[t] < 0) lot[t] = lots.split(offers.tasks.at(t)).next();
    unsure.set(t, entropyOf(posterior, t * K, K) * discount(t));
    fewest.set(t, lot[t] - labels[t]);
  };
  let room = 0;
  const grow = (T: number) => {
    if (T <= room) return;
    const [before, next] = [room, Math.max(T, 2 * room)];
    [place, labels] = [grownInts(place, next), grownInts(labels, next)];
    [posterior, lot] = [grownDoubles(posterior, next * K), grownDoubles(lot, next)];
    place.fill(-1, before);
    lot.fill(-1, before);
    room = next;
  };
  const believe = (t: number) => {
    if (labels[t] > 0) posterior.set(model.posterior(offers.tasks.at(t)).posterior, t * K);
    else posterior.fill(1 / K, t * K, (t + 1) * K);
  };
  const board: TaskBoard = {
    posterior: () => posterior,
    count(t) {
      grow(t + 1);
      labels[t]++;
      all++;
    },
    look(t) {
      grow(t + 1);
      believe(t);
      rank(t);
    },
    refresh() {
      for (let t = 0; t < offers.tasks.length(); t++) board.look(t);
    },
    discount,
    fewest: () => fewest.largest(),
    *uncovered() {
      for (const t of fewest.largest()) {
        if (labels[t] >= options.cover) return;
        yield t;
      }
    },
    unsure: () => unsure.largest(),
    *byLot(random) {
      for (let tries = 0; open.length > 0 && tries < 4 * open.length; tries++) {
        const t = open[Math.floor(random.next() * open.length)];
        // A task with twice as many offers comes twice as often.
        if (random.next() < offers.share(t)) yield t;
      }
      yield* open;
    },
    progress() {
      const tasks = offers.tasks.length();
      let confident = 0;
      for (let t = 0; t < tasks; t++) if (place[t] < 0 && isSure(t)) confident++;
      return { tasks, open: open.length, confident, labels: all };
    },
  };
  return board;
}
