/**
 * The coupled cross-entropy, among whose solutions the one is wanted whose predictions F span the
 * largest volume: minus lambda · log det(FᵀF + rI) is added, over each batch.
 *
 * The slope of log det grows with the number of classes K, and what the labels tell of each class falls with it. So that
 * the volume does not win over the labels, lambda is divided by (K / 10)² where there are more than ten classes (`scaled`).
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
  scaled: {
    default: true,
    help: "With more than ten classes K, divide the weight of the volume by (K / 10)².",
  },
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
      ...(options.lambda > 0 && {
        penalty: (io) =>
          volumeOfPredictions(io, {
            ...options,
            lambda: volumeWeight(io, options.lambda, options),
          }),
      }),
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

/** Classes up to which the weight of the volume is as it was given. */
const FEW_CLASSES = 10;

/** The weight of the volume of predictions over so many classes. */
export const volumeWeight = (
  { classes }: Pick<Io, "classes">,
  weight: number,
  { scaled }: { readonly scaled: boolean },
): number => (scaled ? weight * Math.min(1, FEW_CLASSES / classes) ** 2 : weight);

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
