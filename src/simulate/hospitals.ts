/**
 * Three hospitals of 5, 50 and 5 doctors. Each has one senior who judges alone; juniors mostly repeat
 * the senior. The majority is one senior's opinion fifty times over.
 */
import { everybody } from "./assignment.ts";
import { balancedTruth, toDataset, uniform } from "./draw.ts";
import { maxMigPaper } from "./max-mig.ts";
import { scenario } from "./scenario.ts";

/**
 * Hospitals with seniors and juniors: in each group one senior judges alone and the juniors follow.
 */
export const hospitalsCrowd = scenario(
  {
    id: "hospitals",
    title: "Hospitals with seniors and juniors",
    summary:
      "Groups of 5, 50 and 5 doctors; in each group one senior judges alone and the juniors follow.",
    paper: maxMigPaper,
    options: {
      tasks: { default: 2000, min: 1, integer: true, help: "Number of tasks." },
      small: {
        default: 5,
        min: 1,
        integer: true,
        help: "Number of doctors in the first and third hospital.",
      },
      large: {
        default: 50,
        min: 1,
        integer: true,
        help: "Number of doctors in the second hospital.",
      },
      senior: { default: 0.8, min: 0, max: 1, help: "Accuracy of a senior doctor." },
      follow: {
        default: 0.9,
        min: 0,
        max: 1,
        help: "Probability that a junior doctor repeats the senior's label.",
      },
      junior: {
        default: 0.6,
        min: 0,
        max: 1,
        help: "Accuracy of a junior doctor who judges alone.",
      },
    },
  },
  (options, random, tasks) => {
    const sizes = [options.small, options.large, options.small];
    const W = sizes.reduce((sum, size) => sum + size, 0);
    const truth = balancedTruth(tasks, 2, random.split("truth"));
    const T = truth.length;
    const label = new Int32Array(T * W);
    const draws = random.split("labels");
    for (let t = 0; t < T; t++) {
      let at = t * W;
      for (const size of sizes) {
        const opinion = draws.next() < options.senior ? truth[t] : 1 - truth[t];
        for (let doctor = 0; doctor < size; doctor++, at++) {
          const follows = doctor === 0 || draws.next() < options.follow;
          const alone = draws.next() < options.junior ? truth[t] : 1 - truth[t];
          label[at] = follows ? opinion : alone;
        }
      }
    }
    const data = toDataset(everybody(T, W), truth, label, W, 2);
    const site = sizes.flatMap((size, h) => new Array<string>(size).fill("ABC"[h]));
    return {
      data: { ...data, workerAttributes: new Map([["site", site]]) },
      prior: uniform(2),
      roles: sizes.flatMap((size, h) =>
        Array.from(
          { length: size },
          (_, doctor) => `${doctor === 0 ? "senior" : "junior"} of ${"ABC"[h]}`,
        ),
      ),
    };
  },
);
