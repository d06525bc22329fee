/**
 * The coupled cross-entropy, among whose solutions the one is wanted whose predictions F span the
 * largest volume: minus lambda · log det(FᵀF + rI) is added, over each batch.
 */
import { plural } from "../error.ts";
import { constant, type Tensor } from "../tensor/graph.ts";
import { add, multiply } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { logDet } from "../tensor/ops/linear-algebra.ts";
import { matmul } from "../tensor/ops/matmul.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import { coupledPaper, coupledTraining, trainCoupled } from "./coupled.ts";
import { learner } from "./learner.ts";
import type { Io } from "./network.ts";
import { trainingWith } from "./options.ts";
import type { Session } from "./session.ts";
import { identityMatrix, startingLogits, startOptions } from "./worker-matrix.ts";

export const geoOptions = {
  ...trainingWith(coupledTraining),
  ...startOptions,
  lambda: { default: 0.03, min: 0, help: "Weight of the volume term." },
  ridge: {
    default: 1e-4,
    min: 0,
    help: "Ridge added to the diagonal before the determinant, as a share of its mean.",
  },
} as const;

/**
 * GeoCrowdNet (F): coupled cross-entropy that spreads the predictions; right if some tasks are
 * clear cases of their class.
 */
export const geoCrowdNetF = learner(
  {
    id: "geo-crowd-net-f",
    title: "GeoCrowdNet (F)",
    summary:
      "Coupled cross-entropy that maximises the volume of the predictions; identifiable if some tasks are clear cases of their class, even without expert workers.",
    paper: coupledPaper,
    options: geoOptions,
    forecasts: true,
    confusion: true,
    cost: "O(network) per task, O(K) per label, O(batch · K² + K³) per step",
  },
  (session, options) => {
    if (options.lambda > 0) noteSmallBatches(session);
    return trainCoupled(session, {
      start: startingLogits(session.data, options),
      ...(options.lambda > 0 && { penalty: (io) => volumeOfPredictions(io, options) }),
    });
  },
);

/** The volume of fewer predictions than classes is nothing, and that of not many more mostly chance. */
export function noteSmallBatches({ data, trained, options, notes }: Session): void {
  const size = Math.min(options.batch, trained.length);
  const wanted = 4 * data.classes.length;
  if (size < wanted) {
    notes.push(
      `Batches of ${plural(size, "task")} say little about the volume of ${data.classes.length} classes; use ${wanted} or more.`,
    );
  }
}

export interface GeoSettings {
  readonly lambda: number;
  readonly ridge: number;
}

/** -lambda log det(FᵀF + rI), F the predictions of the batch. */
export function volumeOfPredictions(io: Io, settings: GeoSettings): Tensor {
  const f = softmax(io.logits);
  return negativeVolume(matmul(f, f, { left: true }), settings);
}

/** -lambda log det(G + rI), r a share of the mean diagonal of G. */
export function negativeVolume(gram: Tensor, { lambda, ridge }: GeoSettings): Tensor {
  const K = Number(gram.shape[0]);
  const eye = constant(identityMatrix(K), [K, K]);
  const diagonal = multiply(sum(multiply(gram, eye)), ridge / K);
  return multiply(logDet(add(gram, multiply(eye, diagonal))), -lambda);
}
