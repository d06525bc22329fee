/**
 * Five workers of given sensitivity and specificity, among them a guesser and one who hardly ever says
 * yes; everybody labels everything.
 *
 * Rodrigues & Pereira (2018), from the code of their experiment on dogs and cats.
 */
import { simulateCrowd } from "./crowd.ts";
import { evenErrors } from "./draw.ts";
import { scenario } from "./scenario.ts";

const SENSITIVITY = [0.7, 0.8, 0.5, 0.2, 0.9];
const SPECIFICITY = [0.6, 0.9, 0.5, 0.9, 0.9];

/**
 * Five workers of given sensitivity and specificity: two good workers, a fair one, a guesser and
 * one who hardly says yes.
 */
export const fiveWorkersCrowd = scenario(
  {
    id: "five-workers",
    title: "Five workers of given sensitivity and specificity",
    summary: "Two classes; two good workers, a fair one, a guesser and one who rarely says yes.",
    paper: {
      authors: "F. Rodrigues, F. Pereira",
      year: 2018,
      title: "Deep learning from crowds",
      url: "https://arxiv.org/abs/1709.01779",
    },
    options: {
      tasks: { default: 2000, min: 1, integer: true, help: "Number of tasks." },
      positive: { default: 0.5, min: 0, max: 1, help: "Share of tasks of the second class." },
    },
  },
  (options, random, tasks) => {
    const workers = SENSITIVITY.map((sensitivity, w) => ({
      role: `sensitivity ${sensitivity}, specificity ${SPECIFICITY[w]}`,
      block: evenErrors([SPECIFICITY[w], sensitivity]),
    }));
    const everything = { workers: 5, labelsPerTask: 0, activity: 0, regular: false };
    const prior = Float64Array.of(1 - options.positive, options.positive);
    return simulateCrowd({ ...options, ...everything }, prior, workers, random, tasks);
  },
);
