/**
 * One-coin: a worker is right with one probability, whatever the class.
 *
 *   z[t]      ~ Categorical(prior)
 *   label[i]  = z[t] with probability skill[w], else any other class, all alike
 *
 * EM, starting from the vote shares. Strong with many classes or few labels per worker, since there is
 * one number per worker to learn; weak where workers favour a class. The prior is uniform by default:
 * a learnt one can slide into a single class.
 *
 * The preset `zencrowd` starts from skills of 0.8 instead of votes: the normalised single-choice
 * form of Demartini et al. (2012), whose own candidates are independent binary variables.
 *
 * Zhang, Chen, Zhou & Jordan (2016), JMLR 17(102), 1–44, section 2. https://jmlr.org/papers/v17/14-511.html
 */

import { coinConfusion, countLabels } from "../../../belief/coin.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { type Climb, climb, climbOptions } from "../../../em/climb.ts";
import {
  addSkillDensity,
  clipSkill,
  coinPast,
  estimateSkill,
  liveCoin,
  oddsRatio,
} from "../../../em/one-coin.ts";
import { createCoin } from "../../../kernels/expectation.ts";
import { maxOf } from "../../../math/lists.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Context, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What one-coin Dawid–Skene finds beyond the answers. */
export interface OneCoin extends Fit {
  readonly confusion: Float64Array;
}

/**
 * One-coin Dawid–Skene: each worker is right with one probability, learnt together with the classes
 * by EM.
 */
export const oneCoin = aggregator(
  {
    id: "one-coin",
    title: "One-coin Dawid–Skene",
    summary:
      "Each worker is right with one probability; EM estimates it together with the classes.",
    paper: {
      authors: "Y. Zhang, X. Chen, D. Zhou, M. I. Jordan",
      year: 2016,
      title: "Spectral methods meet EM: a provably optimal algorithm for crowdsourcing",
      url: "https://jmlr.org/papers/v17/14-511.html",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N + T·K) per iteration",
    options: {
      ...probabilisticOptions,
      ...climbOptions,
      prior: { ...priorOption.prior, default: "uniform" },
      right: {
        default: 0,
        min: 0,
        unit: "labels",
        help: "Pseudo-count of right labels per worker.",
      },
      wrong: {
        default: 0,
        min: 0,
        unit: "labels",
        help: "Pseudo-count of wrong labels per worker.",
      },
      start: {
        default: "votes",
        choices: ["votes", "skill"],
        help: "Start of EM: vote shares, or the same skill for every worker.",
      },
      startSkill: {
        default: 0.8,
        min: 0,
        max: 1,
        help: "Skill of every worker at the start, if start is skill.",
      },
      comparePriors: {
        default: true,
        help: "Fit with the other prior as well, and add a note if more than 5 % of the answers differ.",
      },
    },
    presets: {
      zencrowd: {
        title: "ZenCrowd",
        options: { start: "skill", startSkill: 0.8, right: 0, wrong: 0, prior: "uniform" },
      },
    },
    live: liveCoin,
  },
  function* (data, options, context): Steps<OneCoin> {
    const fit = yield* fitOneCoin(data, options, context);
    if (!options.comparePriors || context.known.prior || context.known.taskPrior) return fit;
    const prior = options.prior === "learn" ? "uniform" : "learn";
    const other = yield* fitOneCoin(data, { ...options, prior }, context);
    const share = differing(fit.posterior, other.posterior, context.K);
    if (share <= 0.05) return fit;
    const percent = (100 * share).toFixed(1);
    return {
      ...fit,
      notes: [
        `${percent} % of the answers change if the class prior is ${prior === "learn" ? "learnt" : prior}.`,
      ],
    };
  },
);

interface Settings {
  readonly prior: "learn" | "uniform";
  readonly right: number;
  readonly wrong: number;
  readonly start: "votes" | "skill";
  readonly startSkill: number;
  readonly maxIterations: number;
  readonly tolerance: number;
}

function* fitOneCoin(
  data: CategoricalData,
  options: Settings,
  { known, engine, K, L }: Context,
): Steps<OneCoin> {
  const W = data.workers.length;
  const shape = { tasks: data.tasks.length, workers: W, classes: K, given: L };
  const model = createCoin({ ...data, ...shape, base: taskBase(data, known) }, engine);
  const prior = createClassPrior(data, known, options.prior);
  const { labels, silence } = countLabels(data, K);
  const past = coinPast(known.history, W, K, L);
  const skill = new Float64Array(W);
  const fromSkill = options.start === "skill" && !known.start;
  if (!fromSkill) model.startFrom(startingPosterior(data, known, voteShares(data)));

  let first = fromSkill;
  const climbed: Climb = yield* climb(
    {
      maximise() {
        if (first) skill.fill(clipSkill(options.startSkill));
        else {
          prior.update(model.totals);
          for (let w = 0; w < W; w++) {
            const at = w * L;
            skill[w] = estimateSkill(model.hits, at, at + K, labels[w], w, options, past, K);
          }
        }
        first = false;
        for (let w = 0; w < W; w++) {
          model.ratios.fill(oddsRatio(skill[w], K), w * L, (w + 1) * L);
        }
      },
      infer() {
        let objective = model.infer(prior.factor) + prior.logDensity();
        for (let w = 0; K > 1 && w < W; w++) {
          objective = addSkillDensity(objective, skill[w], labels[w], w, options, past, K);
        }
        return objective;
      },
      change: model.change,
    },
    options,
  );
  return {
    posterior: model.posterior.slice(),
    prior: prior.shares,
    confusion: coinConfusion(skill, silence, K, L),
    skill,
    ...climbed,
  };
}

/** Share of tasks whose most probable class differs. */
function differing(a: Float64Array, b: Float64Array, K: number): number {
  let count = 0;
  for (let from = 0; from < a.length; from += K) {
    const [x, y] = [a.subarray(from, from + K), b.subarray(from, from + K)];
    if (x.indexOf(maxOf(x)) !== y.indexOf(maxOf(y))) count++;
  }
  return a.length > 0 ? (count * K) / a.length : 0;
}
