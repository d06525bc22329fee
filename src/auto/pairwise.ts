/**
 * Auto for comparisons. Every candidate predicts who won a hidden comparison, given that somebody did, by its scores and by
 * what it believes of the judge. Ties are shown and never hidden, since methods without a model of ties say nothing
 * of them.
 */
import { answerChances } from "../aggregate/pairwise/answering.ts";
import { bradleyTerry } from "../aggregate/pairwise/bradley-terry.ts";
import { crowdBt } from "../aggregate/pairwise/crowd-bt.ts";
import { flipRate } from "../aggregate/pairwise/flip-rate.ts";
import { noisyBradleyTerry } from "../aggregate/pairwise/noisy-bradley-terry.ts";
import type { PairwiseKnown, PairwiseResult } from "../aggregate/pairwise/ranker.ts";
import { LEFT, type PairwiseData, selectComparisons, TIE } from "../data/pairwise.ts";
import type { Steps } from "../method.ts";
import { hiddenParts, hideInTurn, type Units } from "./hidden-answers.ts";
import { type Choice, pickerFor, pickOptions } from "./pick.ts";

/** Log-probability of each comparison while it is hidden. */
export function* hiddenComparisons(
  method: Choice<PairwiseData, PairwiseResult>["method"],
  options: object,
  data: PairwiseData,
  known: object,
  { folds, seed }: { readonly folds: number; readonly seed: number },
): Steps<Float64Array> {
  const { left, right, worker, label } = data;
  const { part, parts } = hiddenParts(unitsOf(data), folds, seed);
  const decided = { part: part.map((p, i) => (label[i] === TIE ? -1 : p)), parts };
  return yield* hideInTurn(decided, function* (shown, hidden) {
    const part = selectComparisons(data, shown);
    const fit = yield* method.steps(part, options, known);
    return Float64Array.from(hidden, (i) => {
      return logOutcome(answerChances(fit, left[i], right[i], worker[i]), label[i]);
    });
  });
}

/** Least probability of an outcome that counts. */
const LEAST = 1e-10;

function logOutcome([won, lost]: readonly number[], label: number): number {
  const decided = Math.max(LEAST, won + lost);
  const [left, right] = [won, lost].map((p) => Math.log(Math.max(LEAST, p / decided)));
  return label === LEFT ? left : right;
}

/** Items, judges and questions; no item is kept, since an item without comparisons has the score 0. */
function unitsOf({
  items,
  workers,
  tasks,
  left,
  right,
  worker,
  task,
  label,
  weight,
}: PairwiseData): Units {
  return {
    said: Uint32Array.from(label),
    roles: [
      { of: [left], count: items.length },
      { of: [right], count: items.length },
      { of: [worker], count: workers.length },
      { of: [task], count: tasks.length },
    ],
    kept: { of: new Int32Array(label.length), count: 1 },
    weight,
  };
}

/** The unordered pair of items of each comparison, as a number. */
function pairsOf({ items, left, right }: PairwiseData): Int32Array {
  const numbers = new Map<number, number>();
  return left.map((a, i) => {
    const [low, high] = a < right[i] ? [a, right[i]] : [right[i], a];
    const key = low * items.length + high;
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  });
}

/** Auto for comparisons: takes the method that predicts hidden ones best, or Bradley–Terry. */
export const pairwiseAuto = pickerFor<PairwiseData, PairwiseKnown, PairwiseResult>()(
  "pairwise",
  "six fits of four methods; two beyond 100,000 comparisons",
  { ...pickOptions },
  {
    choices: [
      { name: "Bradley–Terry", method: bradleyTerry },
      { name: "Crowd-BT", method: crowdBt },
      { name: "noisy Bradley–Terry", method: noisyBradleyTerry },
      { name: "flip rates", method: flipRate },
    ],
    judge: hiddenComparisons,
    cluster: pairsOf,
    weight: ({ weight }) => weight,
    size: ({ label }) => label.length,
  },
);
