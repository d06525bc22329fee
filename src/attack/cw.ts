/**
 * Small steps that close the lead of the true class over the next. Carlini and Wagner's loss in the loop
 * of PGD, as the papers on learning from crowds use it; not their search for the smallest change.
 */
import { type Attack, STEP_SHARE } from "./attack.ts";

/** Margin attack after Carlini and Wagner: small steps that shrink the lead of the true class. */
export const cw: Attack = {
  id: "cw",
  title: "Margin attack after Carlini and Wagner",
  summary: "Small steps that make the true class lose its lead; stops where it has lost.",
  paper: {
    authors: "N. Carlini, D. Wagner",
    year: 2017,
    title: "Towards Evaluating the Robustness of Neural Networks",
    url: "https://doi.org/10.1109/SP.2017.49",
  },
  loss: "margin",
  settle: ({ epsilon, norm, steps, randomStart, range }) => ({
    epsilon,
    norm,
    steps,
    randomStart,
    range,
    stepSize: STEP_SHARE * epsilon,
  }),
};
