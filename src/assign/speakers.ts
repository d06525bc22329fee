/** How workers label, looked up when needed, and who tells most for the cost. */
import type { OnlineModel } from "../online/online.ts";
import { expectedInformation, type Speaker, speakerOf } from "./expected-gain.ts";
import type { Offers } from "./offers.ts";

export interface Speakers {
  /** Returns how a worker labels. */
  of(w: number): Speaker;
  /** Returns the expected information of a label of the worker about a task of which nothing is known. */
  worth(w: number): number;
  /** Returns the workers who tell most for the cost, as of when all were forgotten last. */
  mostTelling(): readonly number[];
  /** Returns the most that any worker told when all were forgotten last: 0 while the model knows nothing of anybody. */
  most(): number;
  /** Forgets how a worker labels, or all of them, so that it is looked up again. */
  forget(w?: number): void;
}

/** Workers who are compared for a task that anybody may be asked: those who tell most, and as many others. */
export const LISTENED = 16;

export function createSpeakers(
  model: OnlineModel,
  offers: Offers,
  K: number,
  costOf: (w: number) => number,
): Speakers {
  const known = new Map<number, Speaker>();
  const even = new Float64Array(K).fill(1 / K);
  let heaviest: readonly number[] | undefined;
  let most = 0;
  const of = (w: number): Speaker => {
    const speaker = known.get(w) ?? speakerOf(model.confusion(offers.workers.at(w)), K);
    known.set(w, speaker);
    return speaker;
  };
  const worth = (w: number) => expectedInformation(even, 0, of(w));
  const mostTelling = () => {
    if (heaviest) return heaviest;
    const worths = Float64Array.from({ length: offers.workers.length() }, (_, w) => worth(w));
    most = worths.reduce((max, each) => Math.max(max, each), 0);
    const perCost = worths.map((each, w) => each / costOf(w));
    heaviest = [...perCost.keys()]
      .filter((w) => !offers.isGone(w))
      .sort((a, b) => perCost[b] - perCost[a])
      .slice(0, LISTENED);
    return heaviest;
  };
  return {
    of,
    worth,
    mostTelling,
    most() {
      mostTelling();
      return most;
    },
    forget(w) {
      if (w !== undefined) {
        known.delete(w);
        return;
      }
      known.clear();
      heaviest = undefined;
    },
  };
}
