/**
 * Audits: labels of closed tasks that were drawn by lot, so that the error of closed tasks is measured, not assumed.
 *
 * A worker who errs disagrees with right answers too. With a the answer, θ how the worker labels and q what was believed,
 *
 *   d₀ = 1 − θ[a, a]                                    disagrees although the answer is right
 *   d₁ = Σ_{c ≠ a} q[c] (1 − θ[c, a]) / (1 − q[a])      disagrees if it is wrong
 *   error = (share that disagrees − mean d₀) / (mean d₁ − mean d₀)
 *
 * and the ends of the Wilson interval of the share are turned into errors alike.
 */
import type { Interval } from "../evaluate/accuracy.ts";
import type { Speaker } from "./expected-gain.ts";
import { type MeasuredShare, measuredShare } from "./gold-questions.ts";

/** What audits say of the answers of closed tasks. */
export interface Audited {
  /** Share of audits that disagree with the answer. */
  readonly disagreement: MeasuredShare;
  /** Share of wrong answers, with what workers get wrong taken off; undefined while audits tell nothing. */
  readonly error: Interval | undefined;
}

export interface Audits {
  /** Notes the label that a worker gave for a closed task that was believed[at + class]. */
  add(believed: Float64Array, at: number, label: number, speaker: Speaker): void;
  measured(): Audited;
}

/** Least difference between what a worker says of wrong and of right answers from which an error can be told. */
const TELLS = 0.05;

export function createAudits(): Audits {
  let [labels, disagreed, ifRight, ifWrong] = [0, 0, 0, 0];
  return {
    add(believed, at, label, { rows, entropy }) {
      const K = entropy.length;
      const L = rows.length / K;
      let a = 0;
      for (let c = 1; c < K; c++) if (believed[at + c] > believed[at + a]) a = c;
      let [wrong, rest] = [0, 0];
      for (let c = 0; c < K; c++) {
        // With nothing left for other classes, any of them may be the right one.
        const q = c === a ? 0 : Math.max(believed[at + c], 1e-9);
        wrong += q * (1 - rows[c * L + a]);
        rest += q;
      }
      labels++;
      disagreed += Number(label !== a);
      ifRight += 1 - rows[a * L + a];
      ifWrong += wrong / rest;
    },
    measured() {
      const disagreement = measuredShare(disagreed, labels);
      const [right, wrong] = [ifRight / labels, ifWrong / labels];
      if (!(wrong - right >= TELLS)) return { disagreement, error: undefined };
      const turn = (share: number) => Math.min(1, Math.max(0, (share - right) / (wrong - right)));
      const { value, low, high } = disagreement;
      return { disagreement, error: { value: turn(value), low: turn(low), high: turn(high) } };
    },
  };
}
