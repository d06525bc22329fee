/**
 * Mixture of reward models: judges belong to a few types, and a network gives an item one score for each of them.
 *
 *   P(judge u prefers i to j) = sum over types k of h[k] · logistic(f[k](i) - f[k](j)), with one k for all answers of u
 *
 * EM: r[u][k] ∝ h[k] · P(answers of u | scores of type k), then an epoch of the network with every answer counted r[u][k]
 * for type k. Memberships begin nearly even and sharpen over the first epochs, so that early chances decide little; of
 * several starts the likeliest goes on. Types are never averaged in silence: the result has the scores, members and
 * satisfaction of each beside the common score. Ties count half for either side.
 *
 * Chakraborty, Qiu, Yuan, Koppel, Huang, Manocha, Bedi & Wang (2024), MaxMin-RLHF, ICML. https://arxiv.org/abs/2402.08925
 */
import type { PairwiseData } from "../../data/pairwise.ts";
import { logSumExp } from "../../math/log-sum-exp.ts";
import type { Random } from "../../math/random.ts";
import { input, type Tensor } from "../../tensor/graph.ts";
import { add, multiply, negate, subtract } from "../../tensor/ops/arithmetic.ts";
import { sum } from "../../tensor/ops/broadcast.ts";
import { softplus } from "../../tensor/ops/elementwise.ts";
import { gather } from "../../tensor/ops/gather.ts";
import { reshape } from "../../tensor/ops/reshape.ts";
import type { LearnProgress } from "../create-learner.ts";
import type { RunSettings } from "../epoch-run.ts";
import type { Batch, Io, Net } from "../network.ts";
import type { Session } from "../session.ts";
import { answersOf, type JudgeAnswers, logSigmoid } from "./judge-answers.ts";
import { pairwiseLearner } from "./pairwise-learner.ts";
import { overAnswers, rewardOptions } from "./reward-model.ts";

/** Share of the epochs that each start gets, and of those over which memberships sharpen. */
const [TRIAL, SOFT] = [0.3, 0.5];

/** Mixture of reward models: types of judges, with a score of each item for each type. */
export const rewardModelMixture = pairwiseLearner(
  {
    id: "reward-model-mixture",
    title: "Mixture of reward models",
    summary: "Judges belong to a few types; a network gives each item a score for every type.",
    paper: {
      authors:
        "S. Chakraborty, J. Qiu, H. Yuan, A. Koppel, F. Huang, D. Manocha, A. S. Bedi, M. Wang",
      year: 2024,
      title: "MaxMin-RLHF: alignment with diverse human preferences",
      url: "https://arxiv.org/abs/2402.08925",
    },
    options: {
      ...rewardOptions(),
      types: { default: 2, min: 1, max: 20, integer: true, help: "Number of types of judges." },
      starts: { default: 4, min: 1, max: 100, integer: true, help: "Number of starts." },
    },
    cost: "O(network) per item of a batch and O(types) per comparison, times 1 + .3 per start",
  },
  async function* (session, { types, starts }) {
    const seen = answersOf(session.data, "half");
    const trials: Trial[] = [];
    const epochs = Math.max(1, Math.round(TRIAL * session.options.epochs));
    for (let s = 0; s < (types > 1 ? starts : 1); s++) {
      const net = await session.network((io) => ({ loss: mixtureLoss(io) }), { outputs: types });
      const trial = { net, ...startOf(session, types, session.random.split("types").split(s)) };
      const stage = `start ${s + 1} of ${starts}`;
      // With one type all starts are the same: there is nothing to try.
      if (types > 1) yield* climb(session, seen, trial, { epochs, choose: false, stage });
      trials.push(trial);
    }
    const best = trials.reduce((a, b) => (b.quality[0] > a.quality[0] ? b : a));
    // The best start is trained to the end: its own quality must not move, or another would be the best on a second look.
    yield* climb(session, seen, { ...best, quality: new Float64Array(1) }, {});
    return { net: best.net, membership: best.membership };
  },
);

interface Trial {
  readonly net: Net;
  /** r[judge * types + type]. */
  readonly membership: Float64Array;
  /** The log-likelihood of the answers. */
  readonly quality: Float64Array;
}

function startOf({ data }: Session<PairwiseData>, J: number, random: Random) {
  const membership = new Float64Array(data.workers.length * J);
  for (let u = 0; u < data.workers.length; u++) {
    const draws = random.split(data.workers.at(u));
    const row = Array.from({ length: J }, () => 1 + draws.next());
    const total = row.reduce((a, b) => a + b, 0);
    membership.set(
      row.map((r) => r / total),
      u * J,
    );
  }
  return { membership, quality: new Float64Array(1).fill(-Infinity) };
}

/** Epochs of EM. */
async function* climb(
  session: Session<PairwiseData>,
  seen: JudgeAnswers,
  { net, membership, quality }: Trial,
  settings: RunSettings,
): AsyncGenerator<LearnProgress, void, void> {
  const J = membership.length / session.data.workers.length;
  const run = session.run(net, { membership, quality }, settings);
  const soft = settings.choose === false ? SOFT * run.epochs : 0;
  while (run.more()) {
    const heat = Math.min(1, (run.epoch + 1) / Math.max(1, soft));
    const loss = await run.train((batch) => ({
      belongs: rowsOf(membership, session.data.worker, batch, J),
    }));
    quality[0] = assign(seen, await net.predict(), membership, J, heat);
    yield await run.done(loss);
  }
  await run.finish();
}

function rowsOf(
  membership: Float64Array,
  worker: Int32Array,
  { labels }: Batch,
  J: number,
): Float32Array {
  const rows = new Float32Array(labels.length * J);
  labels.forEach((i, at) => {
    rows.set(membership.subarray(worker[i] * J, (worker[i] + 1) * J), at * J);
  });
  return rows;
}

/** -sum over the types of r · log P(answer | type), the mean over the answers. */
export function mixtureLoss(io: Io): Tensor {
  const J = io.classes;
  const [left, right] = [io.ints("left"), io.ints("right")].map((row) => gather(io.logits, row));
  const d = subtract(left, right);
  const outcome = reshape(io.floats("outcome"), ["labels", 1]);
  const losses = add(
    multiply(outcome, softplus(negate(d))),
    multiply(subtract(1, outcome), softplus(d)),
  );
  return overAnswers(io, sum(multiply(losses, input("belongs", ["labels", J])), [1]));
}

/**
 * The E step: r[u][k] ∝ h[k] · exp(heat · log P(answers of u | scores of k)) in place of what `membership` holds, h its mean
 * with one judge added to each type. Returns the log-likelihood.
 */
export function assign(
  { winner, loser, judge, weight }: JudgeAnswers,
  score: Float64Array,
  membership: Float64Array,
  J: number,
  heat: number,
): number {
  const W = membership.length / J;
  const logs = new Float64Array(membership.length);
  winner.forEach((a, i) => {
    for (let j = 0; j < J; j++) {
      logs[judge[i] * J + j] += weight[i] * logSigmoid(score[a * J + j] - score[loser[i] * J + j]);
    }
  });
  const share = new Float64Array(J).fill(1 / (W + J));
  membership.forEach((r, at) => {
    share[at % J] += r / (W + J);
  });
  let total = 0;
  for (let u = 0; u < W; u++) {
    const own = logs.subarray(u * J, (u + 1) * J);
    const plain = own.map((log, j) => Math.log(share[j]) + log);
    total += logSumExp(plain);
    const warm = own.map((log, j) => Math.log(share[j]) + heat * log);
    const whole = logSumExp(warm);
    warm.forEach((log, j) => {
      membership[u * J + j] = Math.exp(log - whole);
    });
  }
  return total;
}
