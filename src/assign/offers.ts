/** Which worker may still be asked about which task. */

import { namesOf } from "../data/names.ts";
import type { Name } from "../data/rows.ts";
import type { Random } from "../math/random.ts";
import { createGrowingNames, type GrowingNames } from "../online/growing-names.ts";

export interface Offers {
  readonly tasks: GrowingNames;
  readonly workers: GrowingNames;
  /** Returns the number of a task or worker, who is added if new. */
  task(name: string): number;
  worker(name: string): number;
  /** True if the worker may be asked about the task. */
  may(t: number, w: number): boolean;
  /** True if anybody may be. */
  any(t: number): boolean;
  /** Number of those who may be asked about a task, over the largest such number there was. */
  share(t: number): number;
  /** Returns one of those who may be asked about a task, by lot; -1 if nobody may. */
  draw(t: number, random: Random): number;
  /** Returns those who may be asked about a task; of very many, those that `heaviest` names and some others. */
  speakers(
    t: number,
    most: number,
    random: Random,
    heaviest: () => readonly number[],
  ): readonly number[];
  /** Notes that the worker was asked about the task. */
  take(t: number, w: number): void;
  /** Takes that back. */
  giveBack(t: number, w: number): void;
  /** Takes a worker out of all offers, or lets the worker in again. */
  dismiss(w: number): void;
  readmit(w: number): void;
  /** True of a worker who was taken out. */
  isGone(w: number): boolean;
}

/** Tries to find a worker by lot who has not labelled a task. */
const TRIES = 32;

/** Returns offers of given pairs, or of every pair but those that were asked already. */
export function createOffers(
  asked: Iterable<readonly [task: string, worker: string]>,
  names: { readonly tasks: Iterable<Name>; readonly workers: Iterable<Name> },
  pairs: Iterable<{ readonly task: Name; readonly worker: Name }> | undefined,
): Offers {
  const tasks = createGrowingNames(namesOf([]));
  const workers = createGrowingNames(namesOf([]));
  // With given pairs the workers left for each task, else those who were asked already.
  const lists: number[][] = [];
  const task = (name: string) => {
    const t = tasks.add(name);
    while (lists.length <= t) lists.push([]);
    return t;
  };
  const worker = (name: string) => workers.add(name);
  for (const name of names.tasks) task(String(name));
  for (const name of names.workers) worker(String(name));
  const given = pairs !== undefined;
  if (pairs)
    for (const pair of pairs) lists[task(String(pair.task))].push(worker(String(pair.worker)));
  const put = (t: number, w: number) => {
    if (!lists[t].includes(w)) lists[t].push(w);
  };
  const take = (t: number, w: number) => (given ? drop(lists[t], w) : put(t, w));
  for (const [t, w] of asked) take(task(t), worker(w));
  const most = lists.reduce((max, { length }) => Math.max(max, length), 1);
  const gone = new Set<number>();
  const left = (t: number) => (gone.size === 0 ? lists[t] : lists[t].filter((w) => !gone.has(w)));
  const may = (t: number, w: number) => !gone.has(w) && lists[t].includes(w) === given;
  const any = (t: number) => {
    if (given) return left(t).length > 0;
    const out = gone.size === 0 ? lists[t].length : new Set([...lists[t], ...gone]).size;
    return out < workers.length();
  };
  return {
    tasks,
    workers,
    task,
    worker,
    may,
    any,
    take,
    giveBack: (t, w) => (given ? lists[t].push(w) : drop(lists[t], w)),
    dismiss: (w) => gone.add(w),
    readmit: (w) => gone.delete(w),
    isGone: (w) => gone.has(w),
    share: (t) => (given ? lists[t].length / most : 1),
    draw(t, random) {
      if (!any(t)) return -1;
      if (!given) return drawWorker(workers.length(), (w) => may(t, w), random);
      return left(t)[Math.floor(random.next() * left(t).length)];
    },
    speakers: (t, listened, random, heaviest) =>
      given
        ? left(t)
        : someWorkers(workers.length(), listened, random, heaviest).filter((w) => may(t, w)),
  };
}

function drop(list: number[], w: number): void {
  const at = list.indexOf(w);
  if (at >= 0) list.splice(at, 1);
}

/** One of W workers who may be asked, by lot; -1 if there is none. */
function drawWorker(W: number, may: (w: number) => boolean, random: Random): number {
  for (let i = 0; i < TRIES; i++) {
    const w = Math.floor(random.next() * W);
    if (may(w)) return w;
  }
  return Array.from({ length: W }, (_, w) => w).find(may) ?? -1;
}

/** All of W workers, or of many the heaviest and as many others. */
function someWorkers(
  W: number,
  most: number,
  random: Random,
  heaviest: () => readonly number[],
): number[] {
  if (W <= 2 * most) return Array.from({ length: W }, (_, w) => w);
  return [...heaviest(), ...Array.from({ length: most }, () => Math.floor(random.next() * W))];
}
