/**
 * Annotator types: judges of several tastes, each type with Bradley–Terry scores of its own.
 *
 *   type[u]               ~ Categorical(share)
 *   P(u says that a beats b) = logistic(score[type[u], a] - score[type[u], b])
 *
 * EM from several starts (`type-em.ts`): clusters of judges by what they chose, then random ones. The number of types
 * is that with the smallest BIC, or given. Strong where judges disagree because they want different things; of no
 * use where they give a few answers each, since nobody's type can then be told.
 *
 * Chakraborty, Qiu, Yuan, Koppel, Huang, Manocha, Bedi & Wang (2024), ICML, PMLR 235. https://arxiv.org/abs/2402.08925
 */
import type { PairwiseData } from "../../data/pairwise.ts";
import { blockEigen } from "../../math/block-krylov.ts";
import { kMeans } from "../../math/k-means.ts";
import { createRandom, type Random } from "../../math/random.ts";
import { pearson } from "../../math/statistics.ts";
import { drain, type Steps, staged } from "../../method.ts";
import { describedTypes } from "./described-types.ts";
import { type Answers, answersOf, answersPerJudge, FIRST, tiesNote } from "./judge-em.ts";
import { boundNote, collapse, type Pairs, partsOf } from "./pairs.ts";
import { type PairwiseResult, type RankingOf, ranker, type WorkerType } from "./ranker.ts";
import { centredErrors, MOST_EXACT } from "./score-errors.ts";
import { climb } from "./score-fit.ts";
import { factor } from "./score-system.ts";
import { climbTypes, startTypes, type TypedCrowd, type TypeFit } from "./type-em.ts";

/** What a number of types is worth. */
interface TypeCount {
  readonly types: number;
  /** Bayesian information criterion: smaller is better. */
  readonly bic: number;
}

/** What annotator types return. */
export interface AnnotatorTypes extends PairwiseResult {
  readonly types: readonly WorkerType[];
  readonly type: Int32Array;
  readonly typeProbability: Float64Array;
  /** P(type | worker), as membership[worker * types + type]. */
  readonly membership: Float64Array;
  /** The numbers of types that were tried. */
  readonly tried: readonly TypeCount[];
}

/** Iterations of each start before the best of them goes on. */
const TRIAL = 20;
/** Types whose scores correlate by more are one. */
const SAME = 0.95;
/** Numbers of types in a row that are no better, after which no more is tried. */
const PATIENCE = 2;
/** Directions in which judges may differ that starts look at. */
const DIRECTIONS = 5;

interface Settings {
  readonly types: number;
  readonly maxTypes: number;
  readonly starts: number;
  readonly seed: number;
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Annotator types: judges of several tastes, each type with scores of its own. */
export const annotatorTypes = ranker(
  {
    id: "annotator-types",
    title: "Annotator types",
    summary: "Judges belong to a few types, each with Bradley–Terry scores of its own.",
    paper: {
      authors:
        "S. Chakraborty, J. Qiu, H. Yuan, A. Koppel, F. Huang, D. Manocha, A. S. Bedi, M. Wang",
      year: 2024,
      title: "MaxMin-RLHF: alignment with diverse human preferences",
      url: "https://arxiv.org/abs/2402.08925",
    },
    family: "judges",
    cost: "O(N) per iteration and type, times 10 starts of 20 iterations; O(K³) once for up to 2,000 items K of a component",
    memory: ({ classes }) => 24 * Math.min(classes, MOST_EXACT) ** 2,
    options: {
      types: {
        default: 0,
        min: 0,
        max: 50,
        integer: true,
        help: "Number of types; 0 chooses it by BIC.",
      },
      maxTypes: {
        default: 4,
        min: 1,
        max: 50,
        integer: true,
        help: "Largest number of types to try.",
      },
      penalty: {
        default: 0.5,
        min: 1e-6,
        help: "Ridge on the scores of each type: penalty / 2 times the sum of squares.",
      },
      starts: { default: 10, min: 1, integer: true, help: "Number of starts per number of types." },
      seed: { default: 0, integer: true, help: "Random seed of the starts." },
      maxIterations: { default: 500, min: 1, integer: true, help: "Maximum number of EM steps." },
      tolerance: { default: 1e-8, min: 0, help: "Largest change of a score at which to stop." },
    },
  },
  function* (data, values): Steps<RankingOf<AnnotatorTypes>> {
    const pairs = collapse(data, { ties: "drop" });
    const answers = answersOf(data, pairs);
    const judges = data.workers.length;
    const crowd: TypedCrowd = {
      pairs,
      answers,
      parts: partsOf(data),
      items: data.items.length,
      judges,
      active: answersPerJudge(answers, judges).filter((n) => n > 0).length,
      penalty: values.penalty,
    };
    const { fit, tried, alike } = yield* search(crowd, values);
    const found = described(data, fit);
    const notes = [
      ...tiesNote(data),
      ...boundNote(pairs, data.items.length, values.penalty),
      ...found.notes,
    ];
    const double = `Two of the ${values.types} types rank items alike: fewer would do.`;
    return {
      ...found,
      tried,
      trace: fit.trace,
      converged: fit.converged,
      notes: alike ? [double, ...notes] : notes,
    };
  },
);

/** Fits the given number of types, or all numbers until they get no better, and takes the best. */
function* search(crowd: TypedCrowd, values: Settings) {
  const most = Math.min(values.types || values.maxTypes, Math.max(1, crowd.active));
  const tried: TypeCount[] = [];
  let best: { fit: TypeFit; bic: number; alike: boolean } | undefined;
  let worse = 0;
  for (let J = values.types ? most : 1; J <= most && worse < PATIENCE; J++) {
    const fit = yield* staged(fitTypes(crowd, J, values), J === 1 ? "one type" : `${J} types`);
    const bic = bicOf(crowd, fit);
    const alike = twins(fit);
    tried.push({ types: J, bic });
    // Types that rank alike are one, which the smaller number has told already.
    const better = !best || (bic < best.bic && !alike);
    if (better) best = { fit, bic, alike };
    worse = better ? 0 : worse + 1;
  }
  if (!best) throw new RangeError("no number of types was tried");
  return { fit: best.fit, tried, alike: best.alike };
}

/** -2 log-likelihood + parameters · log(judges). */
function bicOf({ parts, active }: TypedCrowd, { likelihood, share }: TypeFit): number {
  const free = parts.reduce((sum, part) => sum + part.length - 1, 0);
  const parameters = share.length * free + share.length - 1;
  return (
    (Number.isFinite(likelihood) ? -2 * likelihood : 0) + parameters * Math.log(Math.max(1, active))
  );
}

/** Tells whether two types have nearly the same scores. */
function twins({ points }: TypeFit): boolean {
  return points.some((a, j) => points.slice(0, j).some((b) => pearson(a.score, b.score) > SAME));
}

/** EM from several starts for a while, and from the best of them to its end. */
function* fitTypes(crowd: TypedCrowd, J: number, values: Settings): Steps<TypeFit> {
  const random = createRandom(values.seed).split("types").split(J);
  const starts = J === 1 ? 1 : values.starts;
  const positions = J === 1 ? new Float64Array(0) : tastes(crowd);
  let best: TypeFit | undefined;
  for (let start = 0; start < starts; start++) {
    const membership = started(crowd, J, positions, start, random.split(start));
    const maxIterations = Math.min(TRIAL, values.maxIterations);
    const limits = { ...values, maxIterations, newton: 1 };
    const fit = yield* climbTypes(crowd, startTypes(crowd, J, membership), limits);
    const [now, before] = [fit, best].map((each) => each?.trace.at(-1) ?? -Infinity);
    if (!best || now > before + 1e-9 * Math.abs(before)) best = fit;
  }
  if (!best) throw new RangeError("there is no start");
  const left = values.maxIterations - best.trace.length;
  return best.converged ? best : yield* climbTypes(crowd, best, { ...values, maxIterations: left });
}

/** Who belongs to which type at first: by clusters of judges in every other start, by chance in the others. */
function started(
  { judges }: TypedCrowd,
  J: number,
  positions: Float64Array,
  start: number,
  random: Random,
): Float64Array {
  const membership = new Float64Array(judges * J);
  const size = positions.length / Math.max(1, judges);
  const cluster =
    start % 2 === 0 && size > 0
      ? kMeans(positions, size, J, random)
      : Int32Array.from({ length: judges }, () => Math.floor(random.next() * J));
  // Nobody is sure of anything yet.
  cluster.forEach((own, u) => {
    for (let j = 0; j < J; j++)
      membership[u * J + j] = J === 1 ? 1 : j === own ? 0.9 : 0.1 / (J - 1);
  });
  return membership;
}

/**
 * Where each judge stands in the few directions in which judges differ most: how often the judge chose each item less
 * how often another one, per answer, along the leading singular vectors.
 */
function tastes({ answers, pairs, items, judges }: TypedCrowd): Float64Array {
  const count = answersPerJudge(answers, judges);
  const size = Math.min(DIRECTIONS, items);
  if (size === 0) return new Float64Array(0);
  const along = (v: Float64Array) => chosen(answers, pairs, v, count);
  const { vectors } = blockEigen(
    (v, into) => {
      const own = along(v);
      into.fill(0);
      eachAnswer(answers, pairs, (u, winner, loser, weight) => {
        const pull = (weight * own[u]) / count[u];
        into[winner] += pull;
        into[loser] -= pull;
      });
    },
    items,
    size,
    { tolerance: 1e-5, maxRounds: 20 },
  );
  const positions = new Float64Array(judges * size);
  for (let d = 0; d < size; d++) {
    along(vectors.subarray(d * items, (d + 1) * items)).forEach((x, u) => {
      positions[u * size + d] = x;
    });
  }
  return positions;
}

/** Mean over each judge's answers of v[winner] - v[loser]. */
function chosen(
  answers: Answers,
  pairs: Pairs,
  v: Float64Array,
  count: Float64Array,
): Float64Array {
  const sums = new Float64Array(count.length);
  eachAnswer(answers, pairs, (u, winner, loser, weight) => {
    sums[u] += weight * (v[winner] - v[loser]);
  });
  return sums.map((sum, u) => (count[u] > 0 ? sum / count[u] : 0));
}

function eachAnswer(
  { judge, pair, outcome, weight }: Answers,
  { first, second }: Pairs,
  see: (judge: number, winner: number, loser: number, weight: number) => void,
): void {
  for (let i = 0; i < judge.length; i++) {
    const [a, b] = [first[pair[i]], second[pair[i]]];
    see(judge[i], outcome[i] === FIRST ? a : b, outcome[i] === FIRST ? b : a, weight[i]);
  }
}

/** The types of a fit with the errors of their scores. */
function described(data: PairwiseData, fit: TypeFit) {
  const found = Array.from(fit.share, (share, j) => {
    const point = fit.points[j];
    const limits = { maxIterations: 1, tolerance: 0 };
    const { at, surface } = drain(climb(fit.fits[j], point, limits));
    const system = factor(fit.fits[j], at, surface, { exact: 1e-9, most: MOST_EXACT });
    const { sd, notes } = drain(centredErrors(fit.fits[j], system, data.items.length));
    return { share, score: point.score, sd, notes };
  });
  return {
    ...describedTypes(
      data,
      found.map(({ share, score, sd }) => ({ share, score, sd })),
      fit.membership,
    ),
    // Each type may have the same to say of its errors.
    notes: [...new Set(found.flatMap(({ notes }) => notes))],
  };
}
