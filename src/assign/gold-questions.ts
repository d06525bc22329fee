/**
 * Gold questions: tasks whose class is known, asked between others to measure workers. Whether the next question of a worker is one
 * follows from the seed, the worker and the number of questions so far, so it does not change until the worker is asked.
 */
import type { Interval } from "../evaluate/accuracy.ts";
import { wilsonInterval } from "../math/incomplete.ts";
import type { Random } from "../math/random.ts";
import type { Offers } from "./offers.ts";

/** A share that was measured, with its 95 % Wilson interval. */
export interface MeasuredShare extends Interval {
  /** Number of labels that it was measured on. */
  readonly labels: number;
}

/** Returns a share of so many labels; NaN, with an interval of 0 to 1, of none. */
export function measuredShare(part: number, labels: number): MeasuredShare {
  return { labels, value: part / labels, ...wilsonInterval(part, labels) };
}

export interface GoldQuestions {
  /** Number of gold tasks. */
  readonly size: number;
  has(t: number): boolean;
  /** Returns the gold task that a worker is to be asked now, or -1. */
  due(w: number): number;
  /** Notes that a worker was asked about a task. */
  ask(t: number, w: number): void;
  /** Takes a question back. */
  forget(t: number, w: number): void;
  /** Returns the number of questions that a worker was asked. */
  asked(w: number): number;
  /** Notes the answer to a gold question. */
  answer(t: number, w: number, label: string): void;
  /** Returns the accuracy of a worker on gold questions, or of all workers. */
  accuracy(w?: number): MeasuredShare;
}

/** Tries to find a gold task that a worker has not been asked. */
const TRIES = 32;

/** Share of gold questions among the questions of a worker who was asked so many. */
const rateAfter = (asked: number) => (asked < 10 ? 0.3 : asked < 50 ? 0.1 : 0.03);

export function createGoldQuestions(
  gold: ReadonlyMap<number, string>,
  offers: Offers,
  random: Random,
): GoldQuestions {
  const tasks = [...gold.keys()];
  const asked = new Map<number, number>();
  const last = new Set<number>();
  const tallies = new Map<number, { labels: number; right: number }>();
  const tally = (w: number) => tallies.get(w) ?? { labels: 0, right: 0 };
  /** A gold task that the worker may still be asked, by lot. */
  const draw = (w: number, lot: Random): number => {
    for (let i = 0; i < Math.min(TRIES, 4 * tasks.length); i++) {
      const t = tasks[Math.floor(lot.next() * tasks.length)];
      if (offers.may(t, w)) return t;
    }
    return tasks.length <= TRIES ? (tasks.find((t) => offers.may(t, w)) ?? -1) : -1;
  };
  return {
    size: tasks.length,
    has: (t) => gold.has(t),
    due(w) {
      const so = asked.get(w) ?? 0;
      if (tasks.length === 0 || so === 0 || last.has(w)) return -1;
      const lot = random.split(offers.workers.at(w)).split(so);
      return lot.next() < rateAfter(so) ? draw(w, lot) : -1;
    },
    ask(t, w) {
      asked.set(w, (asked.get(w) ?? 0) + 1);
      if (gold.has(t)) last.add(w);
      else last.delete(w);
    },
    forget(t, w) {
      asked.set(w, (asked.get(w) ?? 1) - 1);
      if (gold.has(t)) last.delete(w);
    },
    asked: (w) => asked.get(w) ?? 0,
    answer(t, w, label) {
      if (!gold.has(t)) return;
      const { labels, right } = tally(w);
      tallies.set(w, { labels: labels + 1, right: right + Number(gold.get(t) === label) });
    },
    accuracy(w) {
      const counted = w === undefined ? [...tallies.values()] : [tally(w)];
      const sum = (key: "labels" | "right") => counted.reduce((all, each) => all + each[key], 0);
      return measuredShare(sum("right"), sum("labels"));
    },
  };
}
