/**
 * The coupled cross-entropy: every worker's label is the classifier's prediction passed through the
 * worker's confusion matrix, and all of it is learnt by gradient descent at once.
 */
import { trainCoupled } from "./coupled.ts";
import { learner } from "./learner.ts";
import { trainingOptions } from "./options.ts";
import { startingLogits, startOptions } from "./worker-matrix.ts";

export const ccem = learner(
  {
    id: "ccem",
    title: "Coupled cross-entropy",
    summary:
      "Workers have confusion matrices; they and the classifier minimise the cross-entropy of the labels together.",
    paper: {
      authors: "F. Rodrigues, F. C. Pereira",
      year: 2018,
      title: "Deep Learning from Crowds",
      url: "https://doi.org/10.1609/aaai.v32i1.11506",
    },
    options: { ...trainingOptions, ...startOptions },
    forecasts: true,
    confusion: true,
    cost: "O(network) a task and O(K) a label",
  },
  (session, options) => trainCoupled(session, { start: startingLogits(session.data, options) }),
);
