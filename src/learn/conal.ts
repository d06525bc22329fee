/**
 * Noise that all workers share beside noise of their own: for each label a gate, from the task's features
 * and the worker, says how much the common matrix speaks and how much the worker's.
 */
import { constant, type Tensor } from "../tensor/graph.ts";
import { dense, flatten } from "../tensor/layers/layers.ts";
import { given, glorot } from "../tensor/layers/starts.ts";
import { add, divide, multiply, negate, subtract } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { sigmoid, sqrt, square } from "../tensor/ops/elementwise.ts";
import { gather, pick } from "../tensor/ops/gather.ts";
import { matmul } from "../tensor/ops/matmul.ts";
import { mean } from "../tensor/ops/reduce.ts";
import { reshape } from "../tensor/ops/reshape.ts";
import { logSoftmax, softmax } from "../tensor/ops/softmax.ts";
import { learner } from "./learner.ts";
import { throughOwn } from "./losses.ts";
import type { Io } from "./network.ts";
import { trainingWith } from "./options.ts";
import { identityMatrix } from "./worker-matrix.ts";

/** Sizes of the network behind the gate, as in the authors' code. */
const GATE_HIDDEN = 128;
const GATE_WIDTH = 20;

/**
 * CoNAL: labels have noise common to all workers and noise of their own; a gate chooses by task and
 * worker.
 */
export const conal = learner(
  {
    id: "conal",
    title: "CoNAL",
    summary:
      "Noise is common to all workers or individual; a gate decides from task and worker which one applies.",
    paper: {
      authors: "Z. Chu, J. Ma, H. Wang",
      year: 2021,
      title: "Learning from Crowds by Modeling Common Confusions",
      url: "https://doi.org/10.1609/aaai.v35i7.16730",
    },
    options: {
      ...trainingWith({ rate: 3e-3, schedule: "cosine" }),
      lambda: {
        default: 1e-5,
        min: 0,
        help: "Weight of the term that separates the worker matrices from the common one.",
      },
      gateScale: {
        default: 1,
        min: 0,
        help: "Steepness of the gate; at 1, as in the paper, the gate stays between .27 and .73.",
      },
    },
    forecasts: false,
    confusion: false,
    cost: "O(network) per task and O(K²) per label",
  },
  async function* (session, settings) {
    const net = await session.network((io) => ({ loss: conalLoss(io, settings) }));
    const run = session.run(net);
    while (run.more()) {
      const loss = await run.train();
      yield await run.done(loss);
    }
    await run.finish();
    const read = (name: string) => [...(net.trainer.weights.get(name) ?? [])];
    // The common matrix first, then one per worker.
    return { net, workerWeights: Float64Array.from([...read("common"), ...read("matrices")]) };
  },
);

export interface ConalSettings {
  readonly lambda: number;
  readonly gateScale: number;
}

/** Cross-entropy of the labels under the gated matrices, minus lambda · sum_u |V_u - V_0|. */
export function conalLoss(io: Io, { lambda, gateScale }: ConalSettings): Tensor {
  const { scope, workers, classes, worker, label, task } = io;
  const start = identityMatrix(classes).map((x) => 2 * x);
  const crowd = { group: "crowd", decay: false };
  const common = scope.parameter("common", [classes, classes], given(start), crowd);
  const all = scope.parameter(
    "matrices",
    [workers, classes, classes],
    given(
      Float64Array.from({ length: workers * start.length }, (_, at) => start[at % start.length]),
    ),
    crowd,
  );
  const f = softmax(io.logits);
  const shared = gather(matmul(f, common), task);
  const own = throughOwn(gather(f, task), gather(all, worker));
  const gate = reshape(sigmoid(multiply(closeness(io), gateScale)), ["labels", 1]);
  const logits = add(own, multiply(gate, subtract(shared, own)));
  const misfit = negate(mean(pick(logSoftmax(logits), label)));
  if (lambda === 0) return misfit;
  // The least distance keeps the gradient of the root finite where matrices are still the same.
  const apart = sqrt(add(sum(square(subtract(all, common)), [1, 2]), constant(1e-12)));
  return subtract(misfit, multiply(sum(apart), lambda));
}

/** The cosine between what task and worker are mapped to, one per label. */
function closeness({ scope, standard, workers, worker, task }: Io): Tensor {
  const gate = scope.child("gate");
  const hidden = dense(GATE_HIDDEN)(flatten(standard, gate), gate.child("0"));
  const ofTask = unit(dense(GATE_WIDTH)(hidden, gate.child("1")));
  const ofWorker = unit(gate.parameter("worker", [workers, GATE_WIDTH], glorot));
  return sum(multiply(gather(ofTask, task), gather(ofWorker, worker)), [1]);
}

const unit = (x: Tensor): Tensor => divide(x, sqrt(add(sum(square(x), [1], true), 1e-12)));
