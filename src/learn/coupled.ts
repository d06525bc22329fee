/**
 * What the methods of the coupled cross-entropy share: each label is the classifier's prediction passed
 * through the worker's confusion matrix, -log sum_k f[k] theta[u][k][y], and everything is learnt by
 * gradient descent at once. They differ in how theta is written and in what is added to the loss.
 */
import type { Tensor } from "../tensor/graph.ts";
import { given } from "../tensor/layers/starts.ts";
import { add, subtract } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { log, softplus } from "../tensor/ops/elementwise.ts";
import { logSoftmax } from "../tensor/ops/softmax.ts";
import type { LearnProgress } from "./create-learner.ts";
import { infer, toEvidence } from "./evidence.ts";
import type { Lesson } from "./learner.ts";
import { coupledCrossEntropy } from "./losses.ts";
import type { Io } from "./network.ts";
import type { Session } from "./session.ts";
import { rowSoftmax, rowSoftplus } from "./worker-matrix.ts";

export const coupledPaper = {
  authors: "S. Ibrahim, T. Nguyen, X. Fu",
  year: 2023,
  title:
    "Deep Learning from Crowdsourced Labels: Coupled Cross-Entropy Minimization, Identifiability, and Regularization",
  url: "https://openreview.net/forum?id=_qVhsWyWB9",
} as const;

/**
 * Its authors train 150 epochs of batches of 512 with the workers' rate at 1e-3: at that a worker who starts at
 * 90 % right and guesses needs thousands of steps to be known for it.
 */
export const coupledTraining = {
  schedule: "one-cycle",
  decay: 1e-4,
  crowdRate: 0.01,
} as const;

/** How free numbers become rows that sum to one. */
export type Form = "softmax" | "softplus";

/** log theta of all workers, [workers, classes, labels], from free numbers that start as given. */
export function logTheta(io: Io, start: Float64Array, form: Form = "softmax"): Tensor {
  const shape = [io.workers, io.classes, io.classes];
  const free = io.scope.parameter("confusion", shape, given(start), {
    group: "crowd",
    decay: false,
  });
  if (form === "softmax") return logSoftmax(free);
  const positive = softplus(free);
  return subtract(log(positive), log(sum(positive, [-1], true)));
}

export interface Coupling {
  readonly start: Float64Array;
  readonly form?: Form;
  /** What is added to the cross-entropy. */
  readonly penalty?: (io: Io, logTheta: Tensor) => Tensor;
  /** In place of the coupled cross-entropy. */
  readonly misfit?: (io: Io, logTheta: Tensor) => Tensor;
}

/** The loss alone, for whoever wants to look at it. */
export function coupledLoss(
  io: Io,
  { start, form, penalty, misfit = coupledCrossEntropy }: Coupling,
): Tensor {
  const theta = logTheta(io, start, form);
  const loss = misfit(io, theta);
  return penalty ? add(loss, penalty(io, theta)) : loss;
}

/** Trains on a coupled loss; the posterior joins the classifier and the labels through theta. */
export async function* trainCoupled(
  session: Session,
  coupling: Coupling,
): AsyncGenerator<LearnProgress, Lesson, void> {
  const { data } = session;
  const net = await session.network((io) => ({ loss: coupledLoss(io, coupling) }));
  const run = session.run(net);
  while (run.more()) {
    const loss = await run.train();
    yield await run.done(loss);
  }
  await run.finish();
  const free = Float64Array.from(net.trainer.weights.get("confusion") ?? []);
  const toRows = coupling.form === "softplus" ? rowSoftplus : rowSoftmax;
  const confusion = toRows(free, data.classes.length);
  const evidence = toEvidence(confusion);
  const posterior = await net.predict();
  infer(data, posterior, evidence, posterior);
  return { net, posterior, confusion, evidence };
}
