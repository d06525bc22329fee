/** Small steps along a direction that remembers earlier gradients. */
import { type Attack, STEP_SHARE } from "./attack.ts";

/** Momentum iterative method: small steps along the sum of all gradients so far. */
export const mim: Attack = {
  id: "mim",
  title: "Momentum iterative method",
  summary:
    "Small steps along the sum of all gradients so far, each divided by its mean size; moves over from one model to another best.",
  paper: {
    authors: "Y. Dong, F. Liao, T. Pang, H. Su, J. Zhu, X. Hu, J. Li",
    year: 2018,
    title: "Boosting Adversarial Attacks with Momentum",
    url: "https://doi.org/10.1109/CVPR.2018.00957",
  },
  loss: "cross-entropy",
  settle: ({ epsilon, norm, steps, range }) => ({
    epsilon,
    norm,
    steps,
    range,
    stepSize: STEP_SHARE * epsilon,
    randomStart: false,
    momentum: 1,
  }),
};
