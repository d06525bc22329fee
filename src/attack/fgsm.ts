/** One step along the sign of the gradient. */
import type { Attack } from "./attack.ts";

/**
 * Fast gradient sign method: one step of the largest allowed size along the sign of the gradient.
 */
export const fgsm: Attack = {
  id: "fgsm",
  title: "Fast gradient sign method",
  summary: "One step as far as allowed along the sign of the gradient.",
  paper: {
    authors: "I. J. Goodfellow, J. Shlens, C. Szegedy",
    year: 2015,
    title: "Explaining and Harnessing Adversarial Examples",
    url: "https://arxiv.org/abs/1412.6572",
  },
  loss: "cross-entropy",
  settle: ({ epsilon, norm, range }) => ({
    epsilon,
    norm,
    range,
    steps: 1,
    stepSize: epsilon,
    randomStart: false,
  }),
};
