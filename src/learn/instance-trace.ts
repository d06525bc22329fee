/**
 * Confusion matrices that depend on the task: a second head on the trunk gives each worker a matrix for
 * what is seen, and the traces of all of them are made small, as in trace regularisation.
 */

import { byTask, type CrowdDataset } from "../dataset/dataset.ts";
import { constant, type Tensor } from "../tensor/graph.ts";
import { gaussian, given } from "../tensor/layers/starts.ts";
import { add, divide, maximum, multiply, negate } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { log, softplus } from "../tensor/ops/elementwise.ts";
import { gather, pick } from "../tensor/ops/gather.ts";
import { matmul } from "../tensor/ops/matmul.ts";
import { mean } from "../tensor/ops/reduce.ts";
import { reshape } from "../tensor/ops/reshape.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import type { Scope } from "../tensor/scope.ts";
import { normalise } from "./evidence.ts";
import { learner } from "./learner.ts";
import type { Io, Net } from "./network.ts";
import { trainingWith } from "./options.ts";
import { diagonalStart, identityMatrix, rowSoftplus } from "./worker-matrix.ts";

export const instanceTrace = learner(
  {
    id: "instance-trace",
    title: "Instance-dependent trace regularisation",
    summary:
      "A worker's confusion matrix depends on the features of the task; of all explanations the one with the least reliable workers is taken.",
    paper: {
      authors:
        "L. Zhang, R. Tanno, M.-C. Xu, C. Jin, J. Jacob, O. Ciccarelli, F. Barkhof, D. C. Alexander",
      year: 2020,
      title: "Disentangling Human Error from the Ground Truth in Segmentation of Medical Images",
      url: "https://proceedings.neurips.cc/paper/2020/hash/b5d17ed2b502da15aa727af0d51508d6-Abstract.html",
    },
    options: {
      ...trainingWith({ decay: 2e-5 }),
      lambda: { default: 0.1, min: 0, help: "Weight of the mean trace." },
      warmUp: {
        ...{ default: 5, min: 0, integer: true, unit: "epochs" },
        help: "Epochs at the start in which the matrices stay near the identity.",
      },
    },
    forecasts: false,
    confusion: true,
    cost: "O(network) a task and O(K² · width of the trunk) a label",
  },
  async function* (session, { lambda, warmUp }) {
    const { data } = session;
    const net = await session.network((io) => ({ loss: instanceLoss(io, lambda) }), {
      decoupled: true,
    });
    const run = session.run(net);
    while (run.more()) {
      const frozen = run.epoch < warmUp ? { crowd: 0 } : {};
      const loss = await run.train(undefined, { shares: frozen });
      yield await run.done(loss);
    }
    await run.finish();
    return { net, ...(await readMatrices(net, data)) };
  },
);

/** The posterior, through the matrices of each label, and each worker's mean matrix. */
async function readMatrices(net: Net, data: CrowdDataset) {
  const K = data.classes.length;
  const { other, label } = byTask(data);
  const posterior = (await net.predict()).map((p) => Math.log(Math.max(p, 1e-9)));
  const confusion = new Float64Array(data.workers.length * K * K);
  const counts = new Float64Array(data.workers.length);
  const evaluate = await net.evaluator((io) => ({ theta: matrices(io) }));
  for (const batch of net.inOrder(256)) {
    const { theta } = await evaluate(batch);
    batch.labels.forEach((j, i) => {
      const own = theta.subarray(i * K * K, (i + 1) * K * K);
      const to = taskOf(data, j) * K;
      for (let k = 0; k < K; k++)
        posterior[to + k] += Math.log(Math.max(own[k * K + label[j]], 1e-12));
      counts[other[j]]++;
      own.forEach((p, at) => {
        confusion[other[j] * K * K + at] += p;
      });
    });
  }
  for (let at = 0; at < posterior.length; at += K) normalise(posterior, at, K);
  const start = rowSoftplus(diagonalStart(1, K, "softplus", 0), K);
  confusion.forEach((p, at) => {
    const n = counts[Math.floor(at / (K * K))];
    confusion[at] = n > 0 ? p / n : start[at % (K * K)];
  });
  return { posterior, confusion };
}

/** The task of a label by its place in `byTask`. */
function taskOf(data: CrowdDataset, place: number): number {
  const { start } = byTask(data);
  let [low, high] = [0, data.tasks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (start[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The matrices of each label's worker for each label's task, [labels, classes, classes]. */
function matrices({ scope, workers, classes, features, task, worker }: Io): Tensor {
  const width = Number(features.shape[1]);
  const { weight, bias } = head(scope, workers, width, classes);
  const rows = reshape(gather(features, task), ["labels", 1, width]);
  const linear = reshape(matmul(rows, gather(weight, worker)), ["labels", classes * classes]);
  return normalised(add(linear, gather(bias, worker)), classes);
}

/** Weights near 0, biases 6 I - 5: every matrix starts near the identity, whatever is seen. */
function head(scope: Scope, workers: number, width: number, classes: number) {
  const size = classes * classes;
  const start = diagonalStart(workers, classes, "softplus", 0);
  const group = { group: "crowd" };
  return {
    weight: scope.parameter("matrices/weight", [workers, width, size], gaussian(1e-3), group),
    bias: scope.parameter("matrices/bias", [workers, size], given(start), {
      ...group,
      decay: false,
    }),
  };
}

function normalised(free: Tensor, classes: number): Tensor {
  const positive = reshape(softplus(free), [free.shape[0], classes, classes]);
  return divide(positive, sum(positive, [-1], true));
}

/** -mean over labels of log sum_k f(x)[k] theta_u(x)[k][y], plus lambda · mean over labels of the trace. */
export function instanceLoss(io: Io, lambda: number): Tensor {
  const { classes, task, label } = io;
  const theta = matrices(io);
  const f = reshape(gather(softmax(io.logits), task), ["labels", 1, classes]);
  const predicted = reshape(matmul(f, theta), ["labels", classes]);
  const misfit = negate(mean(log(maximum(pick(predicted, label), 1e-10))));
  const eye = constant(identityMatrix(classes), [classes, classes]);
  const trace = mean(sum(multiply(theta, eye), [1, 2]));
  return lambda > 0 ? add(misfit, multiply(trace, lambda)) : misfit;
}
