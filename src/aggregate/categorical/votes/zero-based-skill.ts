/**
 * ZeroBasedSkill: Wawa again and again, each skill moving towards the agreement it finds.
 *
 *   skill[w]  starts just above a guess, 1/K
 *   vote by skill;  skill[w] += rate · (agreement of w with the vote - skill[w])
 *
 * The rate starts at 1 and is halved every 20 passes, which ends the swings that a full step can
 * fall into. Good and bad where Wawa is, somewhat sharper; the posterior is a share of weight.
 *
 * Differs from the original only in stopping once neither answers nor skills move; what follows
 * would repeat itself. The trace holds the share of labels that agree with the answers, not nats.
 *
 * Ustalov, Pavlichenko & Tseitlin (2024), JOSS 9(96), 6227. https://doi.org/10.21105/joss.06227
 */
import { clampGold } from "../../../belief/known.ts";
import { decide } from "../../../belief/ties.ts";
import { labelShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { agreementWith, wawa, weightedShares } from "./wawa.ts";

/**
 * ZeroBasedSkill: votes by skill and moves each skill towards its agreement with the vote, in
 * turns.
 */
export const zeroBasedSkill = aggregator(
  {
    id: "zero-based-skill",
    title: "ZeroBasedSkill",
    summary:
      "Alternates between a vote weighted by skill and updates of each skill towards its agreement with the vote.",
    paper: wawa.paper,
    family: "votes",
    probabilistic: false,
    cost: "O(N) per iteration",
    options: {
      maxIterations: {
        default: 100,
        min: 1,
        integer: true,
        help: "Maximum number of passes over the labels.",
      },
      rate: { default: 1, min: 0, max: 1, help: "Initial learning rate of the skills." },
      halveEvery: {
        default: 20,
        min: 1,
        integer: true,
        unit: "iterations",
        help: "Number of passes after which the rate is halved.",
      },
    },
  },
  function* (data, options, { known, K }): Steps<Fit> {
    const prior = labelShares(data);
    const vote = (weights: Float64Array) => {
      const posterior = weightedShares(data, weights);
      clampGold(data, known, posterior);
      return { posterior, consensus: decide(data, posterior, prior, options).consensus };
    };
    const skill = new Float64Array(data.workers.length).fill(1 / K + 1e-5);
    const trace: number[] = [];
    let { posterior, consensus } = vote(skill);
    let converged = false;
    for (let iteration = 1; iteration <= options.maxIterations && !converged; iteration++) {
      const rate = options.rate * 0.5 ** Math.floor(iteration / options.halveEvery);
      const agreement = agreementWith(data, consensus);
      let moved = 0;
      for (let w = 0; w < skill.length; w++) {
        const step = rate * (agreement[w] - skill[w]);
        skill[w] += step;
        moved = Math.max(moved, Math.abs(step));
      }
      const before = consensus;
      ({ posterior, consensus } = vote(skill));
      converged = moved <= 1e-12 && consensus.every((k, t) => k === before[t]);
      const objective = shareAgreeing(data, consensus);
      trace.push(objective);
      yield { iteration, objective };
    }
    return { posterior, prior, skill, trace, converged };
  },
);

/** Share of all labels that name the class of their task. */
function shareAgreeing({ task, label, weight }: CategoricalData, consensus: Int32Array): number {
  let same = 0;
  let all = 0;
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    all += count;
    if (label[i] === consensus[task[i]]) same += count;
  }
  return all > 0 ? same / all : 1;
}
