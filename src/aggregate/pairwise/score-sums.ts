/** Adds up what all pairs say at a point: the log-likelihood, its slopes and its curvature. */
import type { Pairs } from "./pairs.ts";
import type { Point } from "./score-fit.ts";
import { half, noTerms, type TieModel } from "./tie-models.ts";

/** Sums over all pairs; pulls are first derivatives, bends are second ones with the sign turned. */
export interface Sums {
  value: number;
  /** By each score. */
  readonly pull: Float64Array;
  /** Of each pair, by the difference of its two scores. */
  readonly bend: Float64Array;
  /** By the parameter of ties, alone and with each score. */
  tiePull: number;
  tieBend: number;
  readonly byTies: Float64Array;
  /** By the advantage of the left side, alone and with each score. */
  leftPull: number;
  leftBend: number;
  readonly byLeft: Float64Array;
  /** By both. */
  both: number;
}

/** Adds up all pairs; what the left side bends only if asked for. */
export function sumsAt(pairs: Pairs, model: TieModel, left: boolean, at: Point): Sums {
  const n = at.score.length;
  const sums: Sums = {
    value: 0,
    pull: new Float64Array(n),
    bend: new Float64Array(pairs.first.length),
    tiePull: 0,
    tieBend: 0,
    byTies: new Float64Array(n),
    leftPull: 0,
    leftBend: 0,
    byLeft: new Float64Array(n),
    both: 0,
  };
  if (model === half) addHalved(pairs, at, sums);
  else addTerms(pairs, model, at, sums);
  if (left) addLeft(pairs, sums);
  return sums;
}

function addTerms({ first, second, won, lost, tied }: Pairs, model: TieModel, at: Point, to: Sums) {
  const { pull, bend, byTies } = to;
  const terms = noTerms();
  for (let p = 0; p < first.length; p++) {
    const [a, b] = [first[p], second[p]];
    model.terms(won[p], lost[p], tied[p], at.score[a] - at.score[b] + at.left, at.x, terms);
    to.value += terms.value;
    pull[a] += terms.pull;
    pull[b] -= terms.pull;
    bend[p] = terms.bend;
    to.tiePull += terms.tiePull;
    to.tieBend += terms.tieBend;
    byTies[a] += terms.cross;
    byTies[b] -= terms.cross;
    to.leftPull += terms.pull;
    to.both += terms.cross;
  }
}

/** Widest range of scores whose exponentials can be divided by each other. */
const WIDEST = 600;

/** Most comparisons of a pair whose logarithm is taken together with that of other pairs. */
const FEW = 4;

/** The same where ties are halved, with an exponential per item instead of one per pair, and hardly a logarithm. */
function addHalved({ first, second, won, lost, tied }: Pairs, at: Point, to: Sums): void {
  const { pull, bend } = to;
  const { score, left } = at;
  const { power, narrow } = powersOf(score, left);
  const lift = Math.exp(left);
  let [value, leftPull, product] = [0, 0, 1];
  for (let p = 0; p < first.length; p++) {
    const [a, b] = [first[p], second[p]];
    const lead = score[a] - score[b] + left;
    const ahead = lead > 0;
    let better: number;
    let worse: number;
    if (narrow) {
      const [one, other] = [power[a] * lift, power[b]];
      better = (ahead ? one : other) / (one + other);
      worse = (ahead ? other : one) / (one + other);
    } else {
      const small = Math.exp(-Math.abs(lead));
      better = 1 / (1 + small);
      worse = small * better;
    }
    const [wins, losses] = [won[p] + tied[p] / 2, lost[p] + tied[p] / 2];
    const count = wins + losses;
    value -= ahead ? losses * lead : -wins * lead;
    // The product of many chances has one logarithm; none is below a half.
    if (count === 1) product *= better;
    else if (count <= FEW && Number.isInteger(count)) product *= better ** count;
    else value += count * Math.log(better);
    if (product < 1e-250) {
      value += Math.log(product);
      product = 1;
    }
    const own = ahead ? wins * worse - losses * better : wins * better - losses * worse;
    pull[a] += own;
    pull[b] -= own;
    leftPull += own;
    bend[p] = count * better * worse;
  }
  to.value = value + Math.log(product);
  to.leftPull = leftPull;
}

/** exp(score) of each item, from the middle of all scores; useless where they are far apart. */
function powersOf(score: Float64Array, left: number): { power: Float64Array; narrow: boolean } {
  let [low, high] = [Infinity, -Infinity];
  for (const s of score) {
    low = Math.min(low, s);
    high = Math.max(high, s);
  }
  return {
    power: score.map((s) => Math.exp(s - (low + high) / 2)),
    narrow: high - low + Math.abs(left) < WIDEST,
  };
}

/** Adds what the advantage of the left side bends, which is what the leads do. */
function addLeft({ first, second }: Pairs, to: Sums): void {
  const { bend, byLeft } = to;
  for (let p = 0; p < first.length; p++) {
    to.leftBend += bend[p];
    byLeft[first[p]] += bend[p];
    byLeft[second[p]] -= bend[p];
  }
}
