/**
 * Reward model: the score of an item is what a network makes of its features, and all judges answer by the same scores.
 *
 *   P(left wins) = logistic(f(left) - f(right)); a tie counts half for either side
 *
 * The baseline that every other learner of preferences has to beat: Bradley and Terry's model with a network for scores.
 *
 * Christiano, Leike, Brown, Martic, Legg & Amodei (2017), NeurIPS 30. https://arxiv.org/abs/1706.03741
 */
import type { Tensor } from "../../tensor/graph.ts";
import { add, divide, multiply, negate, subtract } from "../../tensor/ops/arithmetic.ts";
import { sum } from "../../tensor/ops/broadcast.ts";
import { softplus } from "../../tensor/ops/elementwise.ts";
import { gather } from "../../tensor/ops/gather.ts";
import { reshape } from "../../tensor/ops/reshape.ts";
import type { LearnProgress } from "../create-learner.ts";
import type { Run } from "../epoch-run.ts";
import type { Io } from "../network.ts";
import { networkWith, type TrainingValues } from "../options.ts";
import { pairwiseLearner } from "./pairwise-learner.ts";

/** The options of learners of preferences: items are few and the noise is large, so that weights decay. */
export const rewardOptions = (more: Partial<TrainingValues> = {}) =>
  networkWith({ dropout: 0, epochs: 100, decay: 0.01, ...more });

/** Reward model: a network gives scores, and all judges answer by them alike. */
export const rewardModel = pairwiseLearner(
  {
    id: "reward-model",
    title: "Reward model",
    summary: "A network gives each item a score; all judges prefer the higher one alike.",
    paper: {
      authors: "P. F. Christiano, J. Leike, T. B. Brown, M. Martic, S. Legg, D. Amodei",
      year: 2017,
      title: "Deep Reinforcement Learning from Human Preferences",
      url: "https://arxiv.org/abs/1706.03741",
    },
    options: rewardOptions(),
    cost: "O(network) per item of a batch and O(1) per comparison",
  },
  async function* (session) {
    const net = await session.network((io) => ({ loss: preferenceLoss(io) }));
    yield* trained(session.run(net));
    return { net };
  },
);

/** Trains epoch after epoch, and keeps the chosen one. */
export async function* trained(run: Run): AsyncGenerator<LearnProgress, void, void> {
  while (run.more()) {
    const loss = await run.train();
    yield await run.done(loss);
  }
  await run.finish();
}

/** The lead of the left item in each comparison. */
export function leadOf(io: Io): Tensor {
  const [left, right] = [io.ints("left"), io.ints("right")].map((row) => gather(io.logits, row));
  return reshape(subtract(left, right), ["labels"]);
}

/** The weighted mean over the comparisons. */
export function overAnswers(io: Io, losses: Tensor): Tensor {
  const weight = io.floats("weight");
  return divide(sum(multiply(losses, weight)), sum(weight));
}

/** -log logistic(d) where the left item won, -log logistic(-d) where the right one did, half of both for a tie. */
export function preferenceLoss(io: Io): Tensor {
  const d = leadOf(io);
  const outcome = io.floats("outcome");
  const losses = add(
    multiply(outcome, softplus(negate(d))),
    multiply(subtract(1, outcome), softplus(d)),
  );
  return overAnswers(io, losses);
}
