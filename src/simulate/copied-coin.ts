/**
 * One worker who knows, one who flips a coin, and many who copy the coin: the likelihood of the labels
 * is far larger if the coin is taken for the truth. The feature is the class itself.
 *
 * Cao, Xu, Kong & Wang (2019), example E.2. https://openreview.net/forum?id=BJg9DoR9t7
 */
import { fromMatrix } from "../data/features.ts";
import { everybody } from "./assignment.ts";
import { balancedTruth, drawLabels, evenErrors, stack, toDataset, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

/**
 * A coin and its copies: one worker is always right, one flips a coin, and the others copy the
 * coin.
 */
export const copiedCoinCrowd = scenario(
  {
    id: "copied-coin",
    title: "A coin and its copies",
    summary: "Two classes; one worker is always right, one flips a coin, the others copy the coin.",
    paper: {
      authors: "P. Cao, Y. Xu, Y. Kong, Y. Wang",
      year: 2019,
      title: "Max-MIG: an information theoretic approach for joint learning from crowds",
      url: "https://openreview.net/forum?id=BJg9DoR9t7",
    },
    features: true,
    options: {
      tasks: { default: 300, min: 1, integer: true, help: "Number of tasks." },
      copies: { default: 99, min: 0, integer: true, help: "Number of workers who copy the coin." },
    },
  },
  ({ copies }, random, tasks) => {
    const truth = balancedTruth(tasks, 2, random.split("truth"));
    const T = truth.length;
    const W = 2 + copies;
    const coins = Array.from({ length: 1 + copies }, () => evenErrors([0.5, 0.5]));
    const confusion = stack([evenErrors([1, 1]), ...coins]);
    const places = everybody(T, W);
    const label = drawLabels(places, truth, confusion, 2, random.split("labels"));
    for (let t = 0; t < T; t++) label.fill(label[t * W + 1], t * W + 2, (t + 1) * W);
    const data = toDataset(places, truth, label, W, 2);
    return {
      data,
      prior: uniform(2),
      confusion,
      roles: ["perfect", "coin", ...Array.from({ length: copies }, () => "copies the coin")],
      features: fromMatrix([...data.tasks], [1], Float32Array.from(truth)),
    };
  },
);
