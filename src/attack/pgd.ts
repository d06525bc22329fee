/** Many small steps, each followed by a projection back into the ball. */
import { type Attack, STEP_SHARE } from "./attack.ts";

/**
 * Projected gradient descent: small steps along the sign of the gradient, each projected back into
 * the allowed ball.
 */
export const pgd: Attack = {
  id: "pgd",
  title: "Projected gradient descent",
  summary:
    "Small steps along the sign of the gradient, each brought back into the ball; may start anywhere in it.",
  paper: {
    authors: "A. Madry, A. Makelov, L. Schmidt, D. Tsipras, A. Vladu",
    year: 2018,
    title: "Towards Deep Learning Models Resistant to Adversarial Attacks",
    url: "https://openreview.net/forum?id=rJzIBfZAb",
  },
  loss: "cross-entropy",
  settle: ({ epsilon, norm, steps, randomStart, range }) => ({
    epsilon,
    norm,
    steps,
    randomStart,
    range,
    stepSize: STEP_SHARE * epsilon,
  }),
};
