/**
 * The largest gap of a rate between groups, and how large it would be by chance.
 *
 * The difference between the highest and the lowest of several rates is above 0 even if all are alike in truth. So the
 * groups are shuffled among tasks, within strata that they may well depend on, and the largest gap is taken again.
 */
import { shuffle } from "../../math/distributions.ts";
import type { Random } from "../../math/random.ts";
import { quantile } from "../../math/statistics.ts";
import type { Grouping } from "./attributes.ts";
import { smoothed } from "./difference-of-shares.ts";
import { type RateKind, type RateTable, shareOf, tabulate, type Votes } from "./rate-table.ts";

/** What is compared, and how. */
export interface Comparison {
  readonly classes: readonly number[];
  readonly name: (k: number) => string;
  readonly least: number;
  readonly level: number;
}

/** The largest gap: of which rate and class, between which groups. */
export interface Widest {
  readonly value: number;
  readonly kind: RateKind;
  readonly k: number;
  readonly high: number;
  readonly low: number;
}

/** Finds the largest gap over kinds of rates, classes and groups with enough tasks. */
export function widest(
  table: RateTable,
  kinds: readonly RateKind[],
  { classes, least }: Comparison,
): Widest | undefined {
  let best: Widest | undefined;
  for (const kind of kinds) {
    for (const k of kind === "error" ? [-1] : classes) {
      let [high, low, most, fewest] = [-1, -1, -Infinity, Infinity];
      for (let g = 0; g < table.groups; g++) {
        const share = shareOf(table, kind, k, g);
        if (share.tasks < least) continue;
        const rate = smoothed(share);
        if (rate > most) [high, most] = [g, rate];
        // Of equal rates the last is the lowest, so that a pair is of two groups.
        if (rate <= fewest) [low, fewest] = [g, rate];
      }
      if (high < 0 || high === low) continue;
      if (!best || most - fewest > best.value) best = { value: most - fewest, kind, k, high, low };
    }
  }
  return best;
}

/** Draws the largest gap after shuffling groups among tasks of the same stratum. */
export function chanceGaps(
  votes: Votes,
  { names, of }: Grouping,
  kinds: readonly RateKind[],
  setting: Comparison,
  stratum: (gold: number) => number,
  shuffles: number,
  random: Random,
): Float64Array {
  const strata = new Map<number, number[]>();
  for (let t = 0; t < of.length; t++) {
    if (of[t] < 0) continue;
    const key = stratum(votes.gold[t]);
    const list = strata.get(key);
    if (list) list.push(t);
    else strata.set(key, [t]);
  }
  const parts = [...strata.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, tasks]) => ({ tasks, groups: Int32Array.from(tasks, (t) => of[t]) }));
  const mixed = of.slice();
  return Float64Array.from({ length: shuffles }, () => {
    for (const { tasks, groups } of parts) {
      shuffle(random, groups);
      for (let i = 0; i < tasks.length; i++) mixed[tasks[i]] = groups[i];
    }
    return widest(tabulate(votes, mixed, names.length), kinds, setting)?.value ?? 0;
  });
}

/** Sets a gap beside those of chance. */
export function beside(value: number, drawn: Float64Array): { chance: number; p: number } {
  const larger = drawn.reduce((sum, each) => sum + (each >= value - 1e-12 ? 1 : 0), 0);
  return { chance: quantile(drawn.sort(), 0.95), p: (1 + larger) / (1 + drawn.length) };
}
