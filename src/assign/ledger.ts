/** What has been asked in a campaign: questions that wait for an answer, what was spent, and who has had enough questions. */
import type { Offers } from "./offers.ts";
import type { PlanOptions } from "./plan-options.ts";
import type { Spent } from "./stop-rules.ts";

export interface Ledger {
  /** Notes a question; returns whether its worker may be asked nothing more. */
  ask(t: number, w: number): boolean;
  /** Notes that a question waits for its answer. */
  wait(t: number, w: number): void;
  /** Returns whether a question was waiting, which it is no more. */
  settle(t: number, w: number): boolean;
  /** Takes a question back. */
  release(t: number, w: number): void;
  spent(): Spent;
}

export function createLedger(
  offers: Offers,
  costOf: (w: number) => number,
  perWorker: PlanOptions["perWorker"] = 0,
): Ledger {
  const waiting = new Set<string>();
  const used = new Map<number, number>();
  let [asked, cost] = [0, 0];
  const capOf = (w: number) => {
    if (typeof perWorker === "number") return perWorker === 0 ? Infinity : perWorker;
    return perWorker.get(offers.workers.at(w)) ?? Infinity;
  };
  const settle = (t: number, w: number) => waiting.delete(`${t} ${w}`);
  return {
    ask(t, w) {
      offers.take(t, w);
      asked++;
      cost += costOf(w);
      used.set(w, (used.get(w) ?? 0) + 1);
      if ((used.get(w) ?? 0) < capOf(w)) return false;
      offers.dismiss(w);
      return true;
    },
    wait: (t, w) => waiting.add(`${t} ${w}`),
    settle,
    release(t, w) {
      settle(t, w);
      offers.giveBack(t, w);
      asked--;
      cost -= costOf(w);
      if ((used.get(w) ?? 0) === capOf(w)) offers.readmit(w);
      used.set(w, (used.get(w) ?? 1) - 1);
    },
    spent: () => ({ asked, cost }),
  };
}
