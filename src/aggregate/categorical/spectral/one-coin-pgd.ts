/**
 * One-coin skills from agreement: how often two workers agree is a product of how good each is.
 *
 *   C[w, v]   = (K · share of common tasks on which they agree - 1) / (K - 1)
 *   E C[w, v] = s[w] · s[v],   s = (K · skill - 1) / (K - 1)
 *   minimise ½ · sum over pairs of common[w, v] · (C[w, v] - s[w] · s[v])²,  within the range of s
 *
 * by projected gradient from a random positive start; then the posterior of one-coin workers with these
 * skills. No likelihood and no posterior is needed to learn the skills, so tasks with few labels do no
 * harm as long as pairs share some. They are determined, up to a sign, if and only if each part of the
 * crowd has a ring of an odd number of workers; where not, a note says so.
 *
 * Blind to workers who favour a class. One worker who copies or colludes spoils all: see `mmsr`.
 *
 * Ma, Olshevsky, Szepesvari & Saligrama (2018), ICML, PMLR 80, 3335–3344. https://arxiv.org/abs/1904.11608
 */
import { selectLabels } from "../../../data/categorical.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, probabilisticOptions } from "../aggregator.ts";
import { chanceCorrected, workerPairs } from "./agreement-moments.ts";
import { answersOf, type CoinSkills, pairNotes, settleSigns } from "./coin-skills.ts";
import { crowdParts } from "./crowd-parts.ts";
import { fitRankOne } from "./rank-one.ts";

/**
 * One-coin skills from agreement: each worker is right with one probability, fitted to how often
 * pairs agree.
 */
export const oneCoinPgd = aggregator(
  {
    id: "one-coin-pgd",
    title: "One-coin skills from agreement",
    summary:
      "Each worker is right with one probability, fitted to the agreement of pairs of workers.",
    paper: {
      authors: "Y. Ma, A. Olshevsky, C. Szepesvari, V. Saligrama",
      year: 2018,
      title:
        "Gradient descent for sparse rank-one matrix completion for crowd-sourced aggregation of sparsely interacting workers",
      url: "https://arxiv.org/abs/1904.11608",
    },
    family: "spectral",
    probabilistic: true,
    cost: "O(Σ d²) for tasks with d labels, then O(pairs) per iteration; O(pairs) memory",
    options: {
      ...probabilisticOptions,
      margin: {
        default: 0.01,
        min: 1e-9,
        max: 0.5,
        help: "Distance that s keeps from the values of workers who are always right or always wrong.",
      },
      maxIterations: {
        default: 1000,
        min: 1,
        integer: true,
        help: "Maximum number of gradient steps.",
      },
      tolerance: {
        default: 1e-11,
        min: 0,
        help: "Largest change of an entry of s at which to stop.",
      },
    },
  },
  function* (data, options, context): Steps<CoinSkills> {
    const { known, K } = context;
    const said = context.L > K ? selectLabels(data, (i) => data.label[i] < K) : data;
    const pairs = workerPairs("one-coin-pgd", said);
    const parts = crowdParts(said);
    const range = [-1 / Math.max(1, K - 1) + options.margin, 1 - options.margin] as const;
    const random = createRandom(options.seed).split("start");
    const start = Float64Array.from(data.workers, (name) => 0.2 + 0.6 * random.split(name).next());
    const values = chanceCorrected(pairs, K);
    const { vector, trace, converged } = yield* fitRankOne(
      { pairs, parts, values, weights: pairs.common, low: range[0], high: range[1] },
      start,
      options,
    );
    const reliability = settleSigns(said, pairs, parts, known.gold, vector, range);
    return {
      ...answersOf(data, reliability, context),
      trace,
      converged,
      notes: pairNotes(said, pairs, parts),
    };
  },
);
