/**
 * The coupled cross-entropy with a penalty on the traces of the confusion matrices. The trace is made
 * *smaller*: among all pairs that explain the labels it picks the least reliable workers, and with them
 * the most confident classifier; the start near the identity decides which order of classes is found.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { constant, type Tensor } from "../tensor/graph.ts";
import { maximum, multiply } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { exp } from "../tensor/ops/elementwise.ts";
import { type Coupling, trainCoupled } from "./coupled.ts";
import { learner } from "./learner.ts";
import type { Io } from "./network.ts";
import { trainingWith } from "./options.ts";
import { diagonalStart, whoLabelled } from "./worker-matrix.ts";

/** Diagonals are not pushed below this by the logarithmic penalty. */
const LEAST_DIAGONAL = 1e-6;

/**
 * Trace regularisation: coupled cross-entropy with a penalty on reliable workers, which makes the
 * solution unique.
 */
export const traceRegularised = learner(
  {
    id: "trace-regularised",
    title: "Trace regularisation",
    summary:
      "Coupled cross-entropy with a penalty on the trace of the confusion matrices, which makes the solution unique.",
    paper: {
      authors: "R. Tanno, A. Saeedi, S. Sankaranarayanan, D. C. Alexander, N. Silberman",
      year: 2019,
      title: "Learning From Noisy Labels by Regularized Estimation of Annotator Confusion",
      url: "https://doi.org/10.1109/CVPR.2019.01150",
    },
    options: {
      ...trainingWith({ crowdRate: 0.01, decay: 1e-3 }),
      lambda: {
        default: 0.02,
        min: 0,
        help: "Weight of the penalty; 0.5 to 2 for log.",
      },
      penalty: {
        default: "trace",
        choices: ["trace", "log"],
        help: "Penalty: the mean trace, or the sum of the logarithms of the diagonals.",
      },
      form: {
        default: "softplus",
        choices: ["softplus", "softmax"],
        help: "Parametrisation of rows that sum to one.",
      },
      startDiagonal: {
        default: 0,
        min: 0,
        max: 0.9999,
        help: "Initial probability of a right label; 0 uses that of the paper (.965 for 8 classes).",
      },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) per task and O(K) per label",
  },
  (session, options) => trainCoupled(session, traceCoupling(session.data, options)),
);

export interface TraceSettings {
  readonly lambda: number;
  readonly penalty: "trace" | "log";
  readonly form: "softplus" | "softmax";
  readonly startDiagonal: number;
}

export function traceCoupling(
  data: CategoricalData,
  { lambda, penalty, form, startDiagonal }: TraceSettings,
): Coupling {
  const K = data.classes.length;
  const W = data.workers.length;
  const heard = whoLabelled(data);
  const workers = heard.reduce((sum, one) => sum + one, 0);
  // Only of those who gave labels: nothing else would hold the others where they are.
  const diagonal = constant(
    Float64Array.from({ length: W * K * K }, (_, at) =>
      (at % (K * K)) % (K + 1) === 0 ? heard[Math.floor(at / (K * K))] : 0,
    ),
    [W, K, K],
  );
  const penalties = {
    // Mean over the workers of sum_k theta[k][k].
    trace: (_: Io, logTheta: Tensor) =>
      multiply(sum(multiply(exp(logTheta), diagonal)), lambda / workers),
    // Sum over workers and classes of log theta[k][k], beside a sum over the labels: here their mean.
    log: (_: Io, logTheta: Tensor) => {
      const floored = maximum(logTheta, Math.log(LEAST_DIAGONAL));
      return multiply(sum(multiply(floored, diagonal)), lambda / data.label.length);
    },
  };
  return {
    form,
    start: diagonalStart(W, K, form, startDiagonal),
    ...(lambda > 0 && { penalty: penalties[penalty] }),
  };
}
