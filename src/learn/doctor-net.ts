/**
 * An output of its own for each worker on a shared trunk; the classifier is the mean of all of them,
 * or a weighted mean whose weights are learnt afterwards from what the others said.
 */

import { byTask } from "../data/categorical.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { input, type Tensor } from "../tensor/graph.ts";
import { filled, glorot } from "../tensor/layers/starts.ts";
import { add, negate } from "../tensor/ops/arithmetic.ts";
import { log } from "../tensor/ops/elementwise.ts";
import { gather, pick } from "../tensor/ops/gather.ts";
import { transpose } from "../tensor/ops/layout.ts";
import { matmul } from "../tensor/ops/matmul.ts";
import { mean } from "../tensor/ops/reduce.ts";
import { reshape } from "../tensor/ops/reshape.ts";
import { logSoftmax, softmax } from "../tensor/ops/softmax.ts";
import type { Module, Scope } from "../tensor/scope.ts";
import { learner } from "./learner.ts";
import { throughOwn } from "./losses.ts";
import type { Io, Net } from "./network.ts";
import { trainingWith } from "./options.ts";
import { inChunks } from "./predictor.ts";
import type { Session } from "./session.ts";
import { whoLabelled } from "./worker-matrix.ts";

/**
 * Doctor Net: a shared network with one output per worker; predictions are the mean of all outputs.
 */
export const doctorNet = learner(
  {
    id: "doctor-net",
    title: "Doctor Net",
    summary:
      "Trains one output per worker on a shared network; predictions are the mean of all outputs.",
    paper: {
      authors: "M. Y. Guan, V. Gulshan, A. M. Dai, G. E. Hinton",
      year: 2018,
      title: "Who Said What: Modeling Individual Labelers Improves Classification",
      url: "https://doi.org/10.1609/aaai.v32i1.11756",
    },
    options: {
      ...trainingWith({ rate: 3e-3, decay: 3e-3, schedule: "cosine" }),
      weighted: { default: true, help: "Learn a weight for each worker's output afterwards." },
    },
    forecasts: false,
    confusion: false,
    cost: "O(network) per task and O(K · width of the trunk) per label",
  },
  async function* (session, { weighted }) {
    const { data } = session;
    const heard = whoLabelled(data);
    const net = await session.network((io) => ({ loss: headLoss(io) }), {
      classifier: meanOfHeads(session.trunk, data.workers.length, data.classes.length),
    });
    setShares(net, heard);
    const run = session.run(net);
    while (run.more()) {
      const loss = await run.train();
      yield await run.done(loss);
    }
    await run.finish();
    const workerWeights = weighted ? await learnShares(session, net, heard) : toShares(heard);
    setShares(net, workerWeights);
    return { net, workerWeights };
  },
);

/** The parameters of all heads: weights [workers, width, classes] and biases [workers, classes]. */
function heads(scope: Scope, workers: number, width: number, classes: number) {
  const own = scope.child("heads");
  return {
    weight: own.parameter("weight", [workers, width, classes], glorot),
    bias: own.parameter("bias", [workers, classes], filled(0), { decay: false }),
    // Logarithms of the shares of the heads, up to a constant; training leaves them as they are.
    share: own.state("share", [workers], 0),
  };
}

/** -mean over the labels of log p_u[y], p_u the output of the worker's own head. */
export function headLoss({ scope, features, workers, classes, task, worker, label }: Io): Tensor {
  const { weight, bias } = heads(scope, workers, Number(features.shape[1]), classes);
  const linear = throughOwn(gather(features, task), gather(weight, worker));
  return negate(mean(pick(logSoftmax(add(linear, gather(bias, worker))), label)));
}

/** The probabilities of all heads, [batch, workers, classes], and their shares, [workers]. */
function allHeads(x: Tensor, trunk: Module, scope: Scope, W: number, K: number) {
  const features = trunk(x, scope);
  const width = Number(features.shape[1]);
  const { weight, bias, share } = heads(scope, W, width, K);
  const flat = reshape(transpose(weight, [1, 0, 2]), [width, W * K]);
  const logits = add(matmul(features, flat), reshape(bias, [W * K]));
  return { each: softmax(reshape(logits, ["batch", W, K])), shares: softmax(share) };
}

/** The logarithm of the weighted mean of all heads' probabilities. */
const meanOfHeads =
  (trunk: Module, W: number, K: number): Module =>
  (x, scope) => {
    const { each, shares } = allHeads(x, trunk, scope, W, K);
    const mixed = matmul(reshape(shares, [1, 1, W]), each);
    return log(reshape(mixed, ["batch", K]));
  };

/** Heads that were never trained have no share: in single precision exp(-100) is nothing. */
function setShares(net: Net, shares: Float64Array): void {
  net.trainer.weights.get("heads/share")?.set(shares.map((s) => Math.log(Math.max(s, 1e-43))));
}

function toShares(weights: Float64Array): Float64Array {
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
}

const ROUNDS = 200;
/** Probabilities held at once while shares are learnt. */
const MOST = 2e7;

/**
 * Shares of the heads, which stay as they are. A head may only be judged by labels that it was not
 * trained on, so for the label y of worker u on task i the other heads predict:
 * -log sum_{v != u} w_v p_v(x_i)[y] / (1 - w_u). Softmax shares, gradient descent with momentum.
 */
async function learnShares(session: Session, net: Net, heard: Float64Array): Promise<Float64Array> {
  const { data } = session;
  const W = data.workers.length;
  const K = data.classes.length;
  // A head that was never trained starts with no share, and none is learnt.
  const free = heard.map((one) => (one > 0 ? 0 : -100));
  const { tasks, predictions } = await predictHeads(session, net);
  const { start, other, label } = byTask(data);
  const velocity = new Float64Array(W);
  for (let round = 0; round < ROUNDS && W > 1; round++) {
    const share = free.slice();
    normalizeLog(share, 0, W);
    const slope = new Float64Array(W);
    let labels = 0;
    tasks.forEach((t, i) => {
      for (let j = start[t]; j < start[t + 1]; j++, labels++) {
        const own = other[j];
        const at = i * W * K + label[j];
        let mixed = 0;
        for (let v = 0; v < W; v++) if (v !== own) mixed += share[v] * predictions[at + v * K];
        for (let v = 0; v < W; v++) {
          if (v !== own) slope[v] += predictions[at + v * K] / Math.max(mixed, 1e-12);
        }
        slope[own] += 1 / Math.max(1 - share[own], 1e-12);
      }
    });
    const centre = slope.reduce((total, s, v) => total + s * share[v], 0);
    for (let v = 0; v < W; v++) {
      velocity[v] = 0.9 * velocity[v] + (share[v] * (slope[v] - centre)) / labels;
      free[v] += 0.5 * velocity[v];
    }
  }
  normalizeLog(free, 0, W);
  return free;
}

/** What every head says of tasks, as predictions[(i * W + worker) * K + class]; of as many as fit. */
async function predictHeads({ data, features, rows, trained, trunk }: Session, net: Net) {
  const W = data.workers.length;
  const K = data.classes.length;
  const tasks = trained.subarray(0, Math.max(1, Math.floor(MOST / (W * K))));
  const evaluate = await net.trainer.evaluator((scope) => ({
    heads: allHeads(input("features", ["batch", ...features.shape]), trunk, scope, W, K).each,
  }));
  const predictions = await inChunks(
    features,
    tasks.map((t) => rows[t]),
    W * K,
    async (x) => (await evaluate({ features: x }))["heads"],
  );
  return { tasks, predictions };
}
