/**
 * Elo: ratings that move after every comparison, by as much as its outcome was a surprise.
 *
 *   E = 1 / (1 + 10^((R[b] - R[a]) / 400))       what a should get against b
 *   R[a] += k (X - E),  R[b] -= k (X - E)        X = 1, ½, 0: a won, tie, b won
 *
 * One pass of stochastic gradient ascent on the likelihood of Bradley–Terry. A pass depends on the order of the
 * comparisons: by default ratings are means over random orders, which are drawn from the comparisons sorted by
 * name, so that the order of rows and the sides do not matter. For a ranking bradley-terry is better; Elo is for
 * streams of comparisons, where the latest should count most.
 *
 * Scores are ratings in natural units, (R - start) · ln 10 / 400, as those of Bradley–Terry are. A comparison of
 * weight w moves ratings by w · k.
 *
 * Elo (1978), The Rating of Chessplayers, Past and Present, Arco.
 * Aldous (2017), Statistical Science 32(4), 616–629. https://doi.org/10.1214/17-STS628
 */
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { CrowdError } from "../../error.ts";
import { shuffle } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import type { Steps } from "../../method.ts";
import { type PairwiseResult, type RankingOf, ranker } from "./ranker.ts";

/** What Elo returns. */
export interface Elo extends PairwiseResult {
  /** The rating of each item on the scale of chess. */
  readonly rating: Float64Array;
  /** Standard deviation of each rating over random orders; NaN with one order. It is not a standard error. */
  readonly spread: Float64Array;
}

/** Natural units per point of a rating. */
const UNIT = Math.LN10 / 400;

/** Elo: ratings that move after every comparison, by as much as its outcome was a surprise. */
export const elo = ranker(
  {
    id: "elo",
    title: "Elo",
    summary: "Ratings move after every comparison, by as much as its outcome was a surprise.",
    paper: {
      authors: "A. E. Elo",
      year: 1978,
      title: "The Rating of Chessplayers, Past and Present",
      url: "https://openlibrary.org/isbn/0668047216",
    },
    family: "scores",
    cost: "O(N) per order, O(N log N) once; K memory",
    options: {
      k: {
        default: 32,
        min: 0,
        help: "Points by which a complete surprise moves a rating; 4 is usual for rankings of models.",
      },
      start: { default: 1500, help: "Rating of an item before its first comparison." },
      order: {
        default: "averaged",
        choices: ["averaged", "file", "time"],
        help: "Order of the comparisons: mean over random ones, as in the data, or by time.",
      },
      permutations: {
        default: 100,
        min: 1,
        integer: true,
        help: "Number of random orders to average over.",
      },
      seed: { default: 0, help: "Random seed." },
    },
  },
  function* (data, { k, start, order, permutations, seed }): Steps<RankingOf<Elo>> {
    const n = data.items.length;
    const rows = order === "time" ? byTime(data) : order === "file" ? asGiven(data) : byName(data);
    const passes = order === "averaged" ? permutations : 1;
    const random = createRandom(seed).split("elo");
    const mean = new Float64Array(n);
    const squares = new Float64Array(n);
    for (let pass = 1; pass <= passes; pass++) {
      const sequence = rows.slice();
      if (order === "averaged") shuffle(random.split(pass), sequence);
      const { rating, surprise } = play(data, sequence, k);
      for (let i = 0; i < n; i++) {
        const gap = rating[i] - mean[i];
        mean[i] += gap / pass;
        squares[i] += gap * (rating[i] - mean[i]);
      }
      yield { iteration: pass, objective: -surprise };
    }
    return {
      score: mean.map((r) => r * UNIT),
      sd: new Float64Array(n).fill(Number.NaN),
      rating: mean.map((r) => start + r),
      spread: squares.map((sum) => (passes > 1 ? Math.sqrt(sum / (passes - 1)) : Number.NaN)),
      trace: [],
      converged: true,
    };
  },
);

/** One pass: ratings above the start, and -log of the probability that each outcome had before it came. */
function play(
  { items, left, right, label, weight }: PairwiseData,
  sequence: Int32Array,
  k: number,
): { rating: Float64Array; surprise: number } {
  const rating = new Float64Array(items.length);
  let surprise = 0;
  for (const i of sequence) {
    const [a, b] = [left[i], right[i]];
    const outcome = label[i] === TIE ? 0.5 : label[i] === LEFT ? 1 : 0;
    const expected = 1 / (1 + Math.exp((rating[b] - rating[a]) * UNIT));
    const count = weight ? weight[i] : 1;
    const move = count * k * (outcome - expected);
    rating[a] += move;
    rating[b] -= move;
    surprise -=
      count *
      (outcome * Math.log(expected) + (1 - outcome) * Math.log(Math.max(1e-300, 1 - expected)));
  }
  return { rating, surprise };
}

const asGiven = ({ label }: PairwiseData) => Int32Array.from(label.keys());

function byTime(data: PairwiseData): Int32Array {
  const { time } = data;
  if (!time || time.some(Number.isNaN)) {
    throw new CrowdError(
      "not-supported",
      "elo: the order by time needs the time of every comparison. Add a column time, or choose another order.",
    );
  }
  return asGiven(data).sort((a, b) => time[a] - time[b] || a - b);
}

/** Rows sorted by what they say, so that random orders depend neither on the order of rows nor on the sides. */
function byName(data: PairwiseData): Int32Array {
  const { items, left, right, label, weight } = data;
  const names = [...items];
  const sorted = Array.from(names.keys()).sort((a, b) => (names[a] < names[b] ? -1 : 1));
  const place = new Int32Array(names.length);
  sorted.forEach((item, at) => {
    place[item] = at;
  });
  const first = left.map((l, i) => Math.min(place[l], place[right[i]]));
  const second = left.map((l, i) => Math.max(place[l], place[right[i]]));
  const outcome = label.map((l, i) => {
    if (l === TIE) return 2;
    return place[l === LEFT ? left[i] : right[i]] === first[i] ? 0 : 1;
  });
  return asGiven(data).sort(
    (a, b) =>
      first[a] - first[b] ||
      second[a] - second[b] ||
      outcome[a] - outcome[b] ||
      (weight ? weight[a] - weight[b] : 0),
  );
}
