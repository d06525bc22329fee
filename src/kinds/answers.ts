/** What the records of several kinds share. */

import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import type { GoldPair } from "../io/sink.ts";
import type { ReadNumbers } from "../io/sinks/numbers.ts";
import { shuffle } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import type { Steps } from "../method.ts";

/** A number as plain data; null where it cannot be told. */
export const maybe = (x: number): number | null => (Number.isNaN(x) ? null : x);

/** Parts of the gold that take turns in being scored. */
const FOLDS = 5;

/** Splits the places with gold into parts, by a seeded shuffle. */
export function numberFolds(gold: Float64Array): number[][] {
  const known = Array.from(gold.keys()).filter((t) => !Number.isNaN(gold[t]));
  shuffle(createRandom(0).split("gold folds"), known);
  return Array.from({ length: FOLDS }, (_, f) => known.filter((_, at) => at % FOLDS === f)).filter(
    (fold) => fold.length > 0,
  );
}

/** Joins gold with the answers of the same names; refuses where there is none. */
export function goldOfAnswers(
  { names, outputs }: ReadNumbers & { readonly outputs?: readonly string[] },
  gold: readonly GoldPair[],
  goldName: string,
  what: "task" | "item",
): { rows: readonly { readonly row: number; readonly known: number }[]; missing: number } {
  const key = (name: string, output: string | undefined) => JSON.stringify([name, output ?? ""]);
  const places = new Map(names.map((name, row) => [key(name, outputs?.[row]), row]));
  const rows = gold.flatMap(([name, known, , output]) => {
    const row = places.get(key(name, output));
    return row === undefined ? [] : [{ row, known: Number(known) }];
  });
  if (rows.length === 0) {
    throw new CrowdError(
      "bad-data",
      `None of the ${gold.length} gold ${what}s of ${goldName} has an answer: gold names "${gold[0]?.[0] ?? ""}", ` +
        `the answers "${names[0] ?? ""}". Do both files name ${what}s the same way?`,
    );
  }
  return { rows, missing: gold.length - rows.length };
}

/**
 * Hides each fold of the answers in turn and returns the mean log-probability that `predict` gives to
 * the hidden ones. Every task keeps at least one answer: only others are hidden.
 */
export function* heldOutFolds(
  data: CrowdData,
  folds: number,
  seed: number,
  predict: (shown: Int32Array, hidden: Int32Array) => Steps<readonly number[]>,
): Steps<number> {
  const order = Int32Array.from(data.task.keys());
  shuffle(createRandom(seed).split("hidden answers"), order);
  const kept = new Uint8Array(data.tasks.length);
  const fold = new Int32Array(order.length).fill(-1);
  let next = 0;
  for (const i of order) {
    if (!kept[data.task[i]]) kept[data.task[i]] = 1;
    else fold[i] = next++ % folds;
  }
  let [sum, count] = [0, 0];
  for (let f = 0; f < folds; f++) {
    const hidden = order.filter((i) => fold[i] === f);
    if (hidden.length === 0) continue;
    const shown = Int32Array.from(fold.keys()).filter((i) => fold[i] !== f);
    yield { iteration: f + 1, objective: 0, stage: `hiding answers, part ${f + 1} of ${folds}` };
    for (const logProbability of yield* predict(shown, hidden)) sum += logProbability;
    count += hidden.length;
  }
  return count > 0 ? sum / count : 0;
}
