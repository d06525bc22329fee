/**
 * Crowd reward model: scores by a network, and for each judge the probability of answering by them, learnt together.
 *
 *   P(judge u prefers i to j) = eta[u] · logistic(f(i) - f(j)) + (1 - eta[u]) · logistic(f(j) - f(i))
 *
 * eta[u] = logistic(a[u]) has the prior Beta(9, 1) as counts, 9 log eta + log(1 - eta) per judge, so that a judge with few
 * answers is taken for an honest one; a judge below ½ answers the wrong way round, and the model reads him so. Ties say
 * nothing here and are left out. Crowd-BT with features instead of a free score per item.
 *
 * Chhan, Novoseller & Lawhern (2024), Crowd-PrefRL. https://arxiv.org/abs/2401.10941
 * Chen, Bennett, Collins-Thompson & Horvitz (2013), WSDM, 193–202. https://doi.org/10.1145/2433396.2433420
 */
import { type PairwiseData, TIE } from "../../data/pairwise.ts";
import { plural } from "../../error.ts";
import { constant, type Tensor } from "../../tensor/graph.ts";
import { filled } from "../../tensor/layers/starts.ts";
import { add, divide, multiply, negate, subtract } from "../../tensor/ops/arithmetic.ts";
import { sum } from "../../tensor/ops/broadcast.ts";
import { absolute, softplus } from "../../tensor/ops/elementwise.ts";
import { gather } from "../../tensor/ops/gather.ts";
import type { Io } from "../network.ts";
import { pairwiseLearner } from "./pairwise-learner.ts";
import { leadOf, rewardOptions, trained } from "./reward-model.ts";

/** Crowd reward model: scores by a network and the reliability of each judge, learnt together. */
export const crowdRewardModel = pairwiseLearner(
  {
    id: "crowd-reward-model",
    title: "Crowd reward model",
    summary:
      "A network gives scores, and each judge answers by them with a probability of its own; both are learnt together.",
    paper: {
      authors: "D. Chhan, E. Novoseller, V. J. Lawhern",
      year: 2024,
      title: "Crowd-PrefRL: Preference-Based Reward Learning from Crowds",
      url: "https://arxiv.org/abs/2401.10941",
    },
    options: {
      // A step of Adam is as long as its rate, whatever the gradient, and logits of judges have far to go.
      ...rewardOptions({ crowdRate: 0.01 }),
      priorRight: {
        default: 9,
        min: 0.01,
        help: "Prior of a judge's reliability as counts: answers by the scores.",
      },
      priorWrong: { default: 1, min: 0.01, help: "The same: answers against the scores." },
    },
    cost: "O(network) per item of a batch and O(1) per comparison",
  },
  async function* (session, { priorRight, priorWrong }) {
    const { data } = session;
    const total = decidedWeight(data);
    const prior = { right: priorRight, wrong: priorWrong, total };
    const net = await session.network((io) => ({ loss: reliabilityLoss(io, prior) }));
    yield* trained(session.run(net));
    const reliability = Float64Array.from(
      net.trainer.weights.get("judge") ?? [],
      (a) => 1 / (1 + Math.exp(-a)),
    );
    const ties = data.label.filter((said) => said === TIE).length;
    const notes = ties > 0 ? [`${plural(ties, "tie")} told nothing to this method.`] : [];
    return { net, reliability, notes };
  },
);

/** How many comparisons that are no ties count. */
export function decidedWeight({ label, weight }: PairwiseData): number {
  return label.reduce((sum, said, i) => sum + (said === TIE ? 0 : weight ? weight[i] : 1), 0);
}

interface JudgePrior {
  readonly right: number;
  readonly wrong: number;
  /** Answers that the prior is spread over. */
  readonly total: number;
}

/** -log of the mixture, as softplus(a) + softplus(d) - softplus(a + d), d the lead of the winner; and the prior. */
export function reliabilityLoss(io: Io, { right, wrong, total }: JudgePrior): Tensor {
  const start = Math.log(right / wrong);
  const judges = io.scope.parameter("judge", [io.workers], filled(start), {
    group: "crowd",
    decay: false,
  });
  const a = gather(judges, io.ints("worker"));
  const outcome = io.floats("outcome");
  // 1 where the left item won, -1 where the right one did, 0 for a tie, which then counts nothing.
  const side = subtract(multiply(outcome, 2), 1);
  const d = multiply(leadOf(io), side);
  const decided = multiply(io.floats("weight"), absolute(side));
  const losses = subtract(add(softplus(a), softplus(d)), softplus(add(a, d)));
  const misfit = divide(sum(multiply(losses, decided)), add(sum(decided), constant([1e-9], [])));
  const prior = add(multiply(softplus(negate(judges)), right), multiply(softplus(judges), wrong));
  return add(misfit, multiply(sum(prior), 1 / Math.max(1, total)));
}
