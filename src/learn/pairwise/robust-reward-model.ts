/**
 * Robust reward model: a loss that stays unbiased when judges flip their answers at known rates.
 *
 *   robust        ((1 - e) l(d) - e l(-d)) / (1 - 2e)
 *   conservative  (1 - e) l(d) + e l(-d)            l(d) = -log logistic(d), d the lead of the winner
 *
 * In expectation over flips of rate e the robust loss is what l would be without flips. It has no lower bound, so that a
 * large network can follow single answers; decay of the weights holds it. The conservative loss is label smoothing: it
 * has a bound, and pulls scores together. Unless one is given, the rate of each judge is that of a crowd reward model,
 * which is trained first, or of the model of flip rates on the comparisons alone. A judge with a rate of .4 or more would
 * only add variance and is left out. Ties are left out.
 *
 * Chowdhury, Kini & Natarajan (2024), ICML. https://arxiv.org/abs/2403.00409
 */
import { flipRate } from "../../aggregate/pairwise/flip-rate.ts";
import type { PairwiseData } from "../../data/pairwise.ts";
import { CrowdError, hint, plural } from "../../error.ts";
import { constant, type Tensor } from "../../tensor/graph.ts";
import { add, divide, multiply, negate, subtract } from "../../tensor/ops/arithmetic.ts";
import { sum } from "../../tensor/ops/broadcast.ts";
import { absolute, softplus } from "../../tensor/ops/elementwise.ts";
import { gather } from "../../tensor/ops/gather.ts";
import type { LearnProgress } from "../create-learner.ts";
import type { Io } from "../network.ts";
import type { Session } from "../session.ts";
import { decidedWeight, reliabilityLoss } from "./crowd-reward-model.ts";
import { pairwiseLearner } from "./pairwise-learner.ts";
import { leadOf, rewardOptions, trained } from "./reward-model.ts";

/** Rates from here on say too little: the loss is divided by 1 - 2e. */
const MOST_FLIPS = 0.4;

/** Robust reward model: a loss that allows for judges who flip their answers at known rates. */
export const robustRewardModel = pairwiseLearner(
  {
    id: "robust-reward-model",
    title: "Robust reward model",
    summary:
      "A network gives scores, trained with a loss that allows for the rate at which each judge flips answers.",
    paper: {
      authors: "S. R. Chowdhury, A. Kini, N. Natarajan",
      year: 2024,
      title: "Provably Robust DPO: Aligning Language Models with Noisy Feedback",
      url: "https://arxiv.org/abs/2403.00409",
    },
    options: {
      ...rewardOptions({ crowdRate: 0.01 }),
      flip: {
        default: 0,
        min: 0,
        max: 0.39,
        help: "Flip rate of all judges; 0 estimates one for each judge.",
      },
      rates: {
        default: "network",
        choices: ["network", "comparisons"],
        help: "Where flip rates of judges come from: a crowd reward model, or flip-rate on the comparisons alone.",
      },
      loss: {
        default: "robust",
        choices: ["robust", "conservative"],
        help: "Unbiased under the flip rate, or with smoothed answers.",
      },
    },
    cost: "O(network) per item of a batch and O(1) per comparison, twice",
  },
  async function* (session, { flip, rates: source, loss }) {
    const { data } = session;
    const rates =
      flip > 0
        ? new Float64Array(data.workers.length).fill(flip)
        : source === "comparisons"
          ? flipRate(data).flip
          : yield* learntRates(session);
    const left = rates.filter((e) => e >= MOST_FLIPS).length;
    if (left === rates.length && left > 0) {
      throw new CrowdError(
        "bad-data",
        `robust-reward-model: every judge seems to flip ${100 * MOST_FLIPS} % of the answers or more. ` +
          `Use crowd-reward-model, or give ${hint("flip")}.`,
      );
    }
    const net = await session.network((io) => ({ loss: robustLoss(io, rates, loss) }));
    yield* trained(session.run(net));
    const notes =
      left > 0
        ? [
            `${plural(left, "judge flips", "judges flip")} ${100 * MOST_FLIPS} % of the answers or more and ${left === 1 ? "was" : "were"} left out.`,
          ]
        : [];
    return { net, reliability: rates.map((e) => 1 - e), notes };
  },
);

/** Flip rates by a crowd reward model, trained first. */
async function* learntRates(
  session: Session<PairwiseData>,
): AsyncGenerator<LearnProgress, Float64Array, void> {
  const prior = { right: 9, wrong: 1, total: decidedWeight(session.data) };
  const net = await session.network((io) => ({ loss: reliabilityLoss(io, prior) }));
  yield* trained(session.run(net, {}, { choose: false, stage: "flip rates" }));
  return Float64Array.from(net.trainer.weights.get("judge") ?? [], (a) => 1 / (1 + Math.exp(a)));
}

/** The weighted mean of the corrected losses over the decided comparisons of judges who are kept. */
export function robustLoss(io: Io, rates: Float64Array, kind: "robust" | "conservative"): Tensor {
  const kept = rates.map((e) => (e < MOST_FLIPS ? 1 : 0));
  const perJudge = (values: Float64Array) =>
    gather(constant(values, [io.workers]), io.ints("worker"));
  const side = subtract(multiply(io.floats("outcome"), 2), 1);
  const d = multiply(leadOf(io), side);
  const [won, lost] = [softplus(negate(d)), softplus(d)];
  const robust = kind === "robust";
  // Weights of l(d) and l(-d); those of judges who are left out are of no matter.
  const a = rates.map((e) => (robust ? (1 - e) / (1 - 2 * Math.min(e, MOST_FLIPS)) : 1 - e));
  const b = rates.map((e) => (robust ? -e / (1 - 2 * Math.min(e, MOST_FLIPS)) : e));
  const losses = add(multiply(perJudge(a), won), multiply(perJudge(b), lost));
  const weight = multiply(multiply(io.floats("weight"), absolute(side)), perJudge(kept));
  return divide(sum(multiply(losses, weight)), add(sum(weight), constant([1e-9], [])));
}
