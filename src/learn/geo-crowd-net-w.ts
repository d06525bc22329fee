/**
 * The coupled cross-entropy, among whose solutions the one is wanted whose confusion matrices, stacked
 * to W, span the largest volume: minus lambda · log det(WᵀW + rI) is added.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { constant, type Tensor } from "../tensor/graph.ts";
import { multiply } from "../tensor/ops/arithmetic.ts";
import { exp } from "../tensor/ops/elementwise.ts";
import { transpose } from "../tensor/ops/layout.ts";
import { matmul } from "../tensor/ops/matmul.ts";
import { reshape } from "../tensor/ops/reshape.ts";
import { coupledPaper, coupledTraining, trainCoupled } from "./coupled.ts";
import { type GeoSettings, geoOptions, negativeVolume } from "./geo-crowd-net-f.ts";
import { learner } from "./learner.ts";
import type { Io } from "./network.ts";
import { trainingWith } from "./options.ts";
import { startingLogits, whoLabelled } from "./worker-matrix.ts";

const { scaled: _, ...ofConfusions } = geoOptions;

/**
 * GeoCrowdNet (W): coupled cross-entropy that spreads the confusion matrices; right if every class
 * has an expert.
 */
export const geoCrowdNetW = learner(
  {
    id: "geo-crowd-net-w",
    title: "GeoCrowdNet (W)",
    summary:
      "Coupled cross-entropy that maximises the volume of the confusion matrices; identifiable if every class has an expert worker, even with few tasks.",
    paper: coupledPaper,
    options: {
      ...ofConfusions,
      ...trainingWith({ ...coupledTraining, schedule: "constant" }),
      lambda: { ...geoOptions.lambda, default: 0.001 },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) per task, O(K) per label, O(workers · K³) per step",
  },
  (session, options) =>
    trainCoupled(session, {
      start: startingLogits(session.data, options),
      ...(options.lambda > 0 && {
        penalty: (io, logTheta) => volumeOfConfusions(io, logTheta, session.data, options),
      }),
    }),
);

/** -lambda log det(sum_u theta[u] theta[u]ᵀ + rI), over the true classes; u are those who gave labels. */
export function volumeOfConfusions(
  { workers, classes }: Io,
  logTheta: Tensor,
  data: CategoricalData,
  settings: GeoSettings,
): Tensor {
  const theta = multiply(exp(logTheta), constant(whoLabelled(data), [workers, 1, 1]));
  // [classes, workers · labels]: one long row for each true class.
  const wide = reshape(transpose(theta, [1, 0, 2]), [classes, workers * classes]);
  return negativeVolume(matmul(wide, wide, { right: true }), settings);
}
