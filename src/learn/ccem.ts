/**
 * The coupled cross-entropy: every worker's label is the classifier's prediction passed through the
 * worker's confusion matrix, and all of it is learnt by gradient descent at once.
 */
import { coupledPaper, coupledTraining, trainCoupled } from "./coupled.ts";
import { learner } from "./learner.ts";
import { trainingWith } from "./options.ts";
import { startingLogits, startOptions } from "./worker-matrix.ts";

/**
 * Coupled cross-entropy: confusion matrices and classifier minimise the cross-entropy of the labels
 * together.
 */
export const ccem = learner(
  {
    id: "ccem",
    title: "Coupled cross-entropy",
    summary:
      "Workers have confusion matrices, trained together with the classifier to minimise the cross-entropy of the labels.",
    paper: coupledPaper,
    options: {
      ...trainingWith({ ...coupledTraining, schedule: "constant", decay: 1e-3 }),
      ...startOptions,
    },
    presets: {
      "spee-lfc": {
        title: "SpeeLFC",
        options: {
          start: "softmaxIdentity",
          batch: 64,
          epochs: 50,
          crowdRate: 0.01,
          schedule: "constant",
          decay: 0,
        },
      },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) per task and O(K) per label",
  },
  (session, options) => trainCoupled(session, { start: startingLogits(session.data, options) }),
);
