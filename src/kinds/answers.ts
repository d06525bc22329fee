/** What the records of several kinds share. */
import type { CrowdResult } from "../aggregate/result.ts";
import { meanOfKnown } from "../auto/hidden-answers.ts";
import type { Contest } from "../auto/pick.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { type KindEvidence, kindVerdict } from "../diagnose/kind-verdict.ts";
import { CrowdError } from "../error.ts";
import type { GoldPair } from "../io/sink.ts";
import type { ReadNumbers } from "../io/sinks/numbers.ts";
import { shuffle } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import type { Kind, Scores } from "./kind.ts";

/** Mean of numbers; those that are not known do not count. */
export function meanOf(values: Float64Array): number {
  return meanOfKnown(values);
}

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

/** Makes the `heldOut` of a kind from what `auto` judges its methods by. */
export function heldOutBy<Data extends CrowdData, Result extends CrowdResult>(
  judge: Contest<Data, Result>["judge"],
): NonNullable<Kind<Data, Result>["heldOut"]> {
  return function* (method, options, data, known, settings) {
    return meanOfKnown(yield* judge(method, options, data, known, settings));
  };
}

/** More answers than this get no verdict unasked: what it rests on takes seconds. */
const MOST_JUDGED = 500_000;

/** Makes the `verdict` of a kind from what it rests on. */
export function verdictBy<Data extends CrowdData, Result extends CrowdResult>(
  evidence: (data: Data, result: Result, scores: Scores | undefined, seed: number) => KindEvidence,
): NonNullable<Kind<Data, Result>["verdict"]> {
  return (data, result, scores, { seed }) => {
    if (data.task.length > MOST_JUDGED) return undefined;
    // biome-ignore lint/correctness/useYield: there is nothing to wait for
    return (function* () {
      return kindVerdict(evidence(data, result, scores, seed));
    })();
  };
}
