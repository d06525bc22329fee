/**
 * How probable it is that a worker is at least 15 points above guessing, by the worker's labels and by what the crowd is like.
 *
 *   u[w]     how far worker w is above guessing, in units of 15 points
 *   excess   ~ normal(u · knowing.excess, deviation of that u)                       of each worker, see dependence.ts
 *   share[g] of workers with u = g, for g = −1, −¾, …, 6                              fitted to all workers by EM
 *   knows[w] = Σ over g ≥ 1 of P(u[w] = g | excess)
 *
 * Eighty labels of five per task can often not tell a guesser from a worker just above guessing, but the crowd can: if
 * nobody else guesses, an unlucky worker probably does not either, and where half of the crowd guesses, a worker whose
 * labels tell nothing probably does. Five workers of an ordinary crowd are added to the counts, three in ten of them guessers,
 * so that a small crowd is not judged by itself alone.
 *
 * Efron (2008), Microarrays, empirical Bayes and the two-groups model, Statistical Science 23(1), 1–22.
 * https://doi.org/10.1214/07-STS236
 */
import type { Dependence } from "./dependence.ts";

/** What is needed of each worker's test. */
export type Test = Pick<Dependence, "excess" | "deviation" | "knowing">;

const GRID = Float64Array.from({ length: 29 }, (_, g) => g / 4 - 1);
const ORDINARY = 5;
const [GUESSERS, BELOW] = [0.3, 0.05];
const ordinary = GRID.map((u) => {
  if (u === 0) return GUESSERS;
  const alike = GRID.filter((other) => Math.sign(other) === Math.sign(u)).length;
  return (u < 0 ? BELOW : 1 - GUESSERS - BELOW) / alike;
});
const ITERATIONS = 100;
/** Workers by whom the shares are fitted at most, evenly taken. */
const MOST_WORKERS = 2000;

/** Returns the probability that each worker is at least 15 points above guessing; 1 if labels cannot tell anything of it. */
export function knowledge(tests: readonly Test[]): Float64Array {
  const every = Math.max(1, Math.ceil(tests.length / MOST_WORKERS));
  const share = crowdShares(
    tests.filter((_, w) => w % every === 0).flatMap((test) => likelihood(test) ?? []),
  );
  return Float64Array.from(tests, (test) => {
    const row = likelihood(test);
    if (!row) return 1;
    let [all, above] = [0, 0];
    row.forEach((p, g) => {
      all += share[g] * p;
      if (GRID[g] >= 1) above += share[g] * p;
    });
    return above / all;
  });
}

/** How probable the excess is at each u, up to a factor; undefined if labels cannot tell anything. */
function likelihood({ excess, deviation, knowing }: Test): Float64Array | undefined {
  if (!(knowing.excess > 1e-9)) return undefined;
  const logs = GRID.map((u) => {
    const part = Math.min(1, Math.max(0, u));
    const spread = Math.max(1e-9, (1 - part) * deviation + part * knowing.deviation);
    return -(((excess - u * knowing.excess) / spread) ** 2) / 2 - Math.log(spread);
  });
  const top = logs.reduce((a, b) => Math.max(a, b));
  return logs.map((x) => Math.exp(x - top));
}

/** The share of workers at each u, by EM. */
function crowdShares(rows: readonly Float64Array[]): Float64Array {
  let share = ordinary;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const counts = ordinary.map((x) => ORDINARY * x);
    for (const row of rows) {
      let total = 0;
      for (let g = 0; g < row.length; g++) total += share[g] * row[g];
      for (let g = 0; g < row.length; g++) counts[g] += (share[g] * row[g]) / total;
    }
    share = counts.map((x) => x / (ORDINARY + rows.length));
  }
  return share;
}
