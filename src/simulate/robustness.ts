/**
 * Features on which accuracy and robustness pull apart: one strong feature that is right nine times in
 * ten, and a hundred weak ones that are better together but that a small push turns over.
 *
 *   x₀ = ±s, right with probability .9      x₁… ~ Normal(s / 4, 1)      s = -1 or 1, the class
 *
 * After Tsipras, Santurkar, Engstrom, Turner & Madry (2019). https://arxiv.org/abs/1805.12152
 */
import { fromMatrix } from "../data/features.ts";
import { normal } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import { simulateCrowd } from "./crowd.ts";
import { balancedTruth, evenErrors, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

const ACCURACY = [0.9, 0.8, 0.7, 0.6, 0.55];

/**
 * Weak features that an attack can flip: two classes, one strong feature and many weak ones, five
 * workers.
 */
export const robustnessCrowd = scenario(
  {
    id: "robustness",
    title: "Weak features that an attack can flip",
    summary: "Two classes, one strong feature and many weak ones; five workers, good to poor.",
    paper: {
      authors: "D. Tsipras, S. Santurkar, L. Engstrom, A. Turner, A. Mądry",
      year: 2019,
      title: "Robustness may be at odds with accuracy",
      url: "https://arxiv.org/abs/1805.12152",
    },
    features: true,
    options: {
      tasks: { default: 3000, min: 1, integer: true, help: "Number of tasks." },
      weak: { default: 100, min: 0, integer: true, help: "Number of weak features." },
      shift: { default: 0.25, min: 0, help: "Mean of a weak feature, times the class." },
      strong: {
        default: 0.9,
        min: 0,
        max: 1,
        help: "Probability that the strong feature has the sign of the class.",
      },
    },
  },
  (options, random, tasks) => {
    const truth = balancedTruth(tasks, 2, random.split("truth"));
    const workers = ACCURACY.map((accuracy) => ({
      role: `accuracy ${accuracy}`,
      block: evenErrors([accuracy, accuracy]),
    }));
    const everything = { workers: 5, labelsPerTask: 0, activity: 0, regular: false };
    const known = { ...tasks, truth };
    const crowd = simulateCrowd({ ...options, ...everything }, uniform(2), workers, random, known);
    const matrix = drawFeatures(truth, options, random.split("features"));
    return { ...crowd, features: fromMatrix([...crowd.data.tasks], [1 + options.weak], matrix) };
  },
);

function drawFeatures(
  truth: Int32Array,
  { weak, shift, strong }: Readonly<{ weak: number; shift: number; strong: number }>,
  random: Random,
): Float32Array {
  const d = 1 + weak;
  const matrix = new Float32Array(truth.length * d);
  for (let t = 0; t < truth.length; t++) {
    const s = truth[t] === 1 ? 1 : -1;
    matrix[t * d] = random.next() < strong ? s : -s;
    for (let j = 1; j < d; j++) matrix[t * d + j] = shift * s + normal(random);
  }
  return matrix;
}
