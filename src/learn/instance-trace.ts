/**
 * Confusion matrices that depend on the task: a second head on the trunk gives each worker a matrix for
 * what is seen, and the traces of all of them are made small, as in trace regularisation.
 */

import { byTask, type CategoricalData } from "../data/categorical.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { constant, type Tensor } from "../tensor/graph.ts";
import { gaussian, given } from "../tensor/layers/starts.ts";
import { add, divide, maximum, multiply, negate } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { log, softplus } from "../tensor/ops/elementwise.ts";
import { gather, pick } from "../tensor/ops/gather.ts";
import { mean } from "../tensor/ops/reduce.ts";
import { reshape } from "../tensor/ops/reshape.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import type { Scope } from "../tensor/scope.ts";
import { learner } from "./learner.ts";
import { throughOwn } from "./losses.ts";
import type { Io, Net } from "./network.ts";
import { trainingWith } from "./options.ts";
import { diagonalStart, identityMatrix, rowSoftplus } from "./worker-matrix.ts";

/**
 * Instance-dependent trace regularisation: a worker's confusion matrix depends on the features of
 * the task.
 */
export const instanceTrace = learner(
  {
    id: "instance-trace",
    title: "Instance-dependent trace regularisation",
    summary:
      "Confusion matrices depend on the features of the task, with a penalty on their trace.",
    paper: {
      authors:
        "L. Zhang, R. Tanno, M.-C. Xu, C. Jin, J. Jacob, O. Ciccarelli, F. Barkhof, D. C. Alexander",
      year: 2020,
      title: "Disentangling Human Error from the Ground Truth in Segmentation of Medical Images",
      url: "https://proceedings.neurips.cc/paper/2020/hash/b5d17ed2b502da15aa727af0d51508d6-Abstract.html",
    },
    options: {
      ...trainingWith({ decay: 2e-5, schedule: "cosine" }),
      lambda: { default: 0.01, min: 0, help: "Weight of the mean trace." },
      warmUp: {
        default: 5,
        min: 0,
        integer: true,
        unit: "epochs",
        help: "Number of initial epochs in which the matrices stay near the identity.",
      },
    },
    forecasts: false,
    confusion: true,
    cost: "O(network) per task and O(K² · width of the trunk) per label",
  },
  async function* (session, { lambda, warmUp }) {
    const { data } = session;
    const { rate, crowdRate, decay } = session.options;
    const net = await session.network((io) => ({ loss: instanceLoss(io, lambda) }), {
      decoupled: true,
      groups: { crowd: { rate: crowdRate || rate, decay } },
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

/**
 * The posterior, through the matrix of each label, and P(label | class) of each worker: the mean of that
 * row of their matrices over their tasks, each by how much it is believed to be of the class.
 */
async function readMatrices(net: Net, data: CategoricalData) {
  const K = data.classes.length;
  const { start, other, label } = byTask(data);
  const posterior = await net.predict();
  const confusion = new Float64Array(data.workers.length * K * K);
  const evaluate = await net.evaluator((io) => ({ theta: matrices(io) }));
  for (const batch of net.inOrder(256)) {
    const { theta } = await evaluate(batch);
    let first = 0;
    for (const t of batch.tasks) {
      const own = theta.subarray(first * K * K, (first + start[t + 1] - start[t]) * K * K);
      const said = label.subarray(start[t], start[t + 1]);
      const q = posterior.subarray(t * K, (t + 1) * K);
      q.forEach((p, k) => {
        q[k] = Math.log(Math.max(p, 1e-9));
        said.forEach((l, i) => {
          q[k] += Math.log(Math.max(own[(i * K + k) * K + l], 1e-12));
        });
      });
      normalizeLog(q, 0, K);
      own.forEach((p, at) => {
        const i = start[t] + Math.floor(at / (K * K));
        confusion[other[i] * K * K + (at % (K * K))] += q[Math.floor(at / K) % K] * p;
      });
      first += said.length;
    }
  }
  toRates(confusion, rowSoftplus(diagonalStart(1, K, "softplus", 0), K), K);
  return { posterior, confusion };
}

/** Rows to shares of their sum; a row of nothing is that of the start. */
function toRates(rows: Float64Array, start: Float64Array, K: number): void {
  for (let row = 0; row < rows.length; row += K) {
    const total = rows.subarray(row, row + K).reduce((sum, p) => sum + p, 0);
    for (let l = 0; l < K; l++) {
      rows[row + l] = total > 0 ? rows[row + l] / total : start[(row % (K * K)) + l];
    }
  }
}

/** The matrices of each label's worker for each label's task, [labels, classes, classes]. */
function matrices({ scope, workers, classes, features, task, worker }: Io): Tensor {
  const width = Number(features.shape[1]);
  const { weight, bias } = head(scope, workers, width, classes);
  const linear = throughOwn(gather(features, task), gather(weight, worker));
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
  const predicted = throughOwn(gather(softmax(io.logits), task), theta);
  const misfit = negate(mean(log(maximum(pick(predicted, label), 1e-10))));
  const eye = constant(identityMatrix(classes), [classes, classes]);
  const trace = mean(sum(multiply(theta, eye), [1, 2]));
  return lambda > 0 ? add(misfit, multiply(trace, lambda)) : misfit;
}
