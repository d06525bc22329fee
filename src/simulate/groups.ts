/**
 * Workers in groups that err together: each group has an opinion of every task, drawn from the truth by
 * the group's confusion, and its members know the truth through that opinion only.
 *
 *   opinion[t, g] ~ group[g, truth[t]]      label[t, w] ~ member[w, opinion[t, group of w]]
 *
 * More members say more of the group's opinion, and nothing more of the truth.
 */
import { dirichlet } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import { everybody } from "./assignment.ts";
import { balancedTruth, classOption, drawLabels, pick, stack, toDataset, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

/** Groups of workers who err together: members see a task through their group's opinion of it. */
export const groupsCrowd = scenario(
  {
    id: "groups",
    title: "Groups of workers who err together",
    summary: "Members of a group repeat the group's opinion of a task.",
    paper: {
      authors: "S. Ibrahim, P. A. Traganitis, X. Fu, G. B. Giannakis",
      year: 2024,
      title: "Learning from crowdsourced noisy labels: a signal processing perspective",
      url: "https://arxiv.org/abs/2407.06902",
    },
    options: {
      tasks: { default: 5000, min: 1, integer: true, help: "Number of tasks." },
      workers: { default: 40, min: 1, integer: true, help: "Number of workers." },
      classes: { ...classOption.classes, default: 3 },
      groups: { default: 5, min: 1, integer: true, help: "Number of groups." },
      first: {
        default: 0,
        min: 0,
        max: 1,
        help: "Share of workers in the first group; 0 for groups of equal size.",
      },
      groupLow: {
        default: 0.5,
        min: 0,
        max: 1,
        help: "Lowest probability that a group knows the true class.",
      },
      groupHigh: {
        default: 0.8,
        min: 0,
        max: 1,
        help: "Highest probability that a group knows the true class; otherwise its opinion is a random class.",
      },
      low: {
        default: 0.6,
        min: 0,
        max: 1,
        help: "Lowest probability that a member repeats the group's opinion.",
      },
      high: {
        default: 0.9,
        min: 0,
        max: 1,
        help: "Highest probability that a member repeats the group's opinion; otherwise the label is a random class.",
      },
    },
  },
  (options, random, tasks) => {
    const { workers: W, groups: G, classes: K, groupLow, groupHigh, low, high } = options;
    const truth = balancedTruth(tasks, K, random.split("truth"));
    const T = truth.length;
    const habits = random.split("habits");
    const blocks = (n: number, from: number, to: number) =>
      stack(
        Array.from({ length: n }, () => heardOrAny(K, from + (to - from) * habits.next(), habits)),
      );
    const group = blocks(G, groupLow, groupHigh);
    const member = blocks(W, low, high);
    const opinion = drawLabels(everybody(T, G), truth, group, K, random.split("opinions"));
    const first = Math.round(options.first * W);
    const groupOf = (w: number) => (first === 0 || G === 1 ? w % G : inRest(w, first, G));
    const places = everybody(T, W);
    const draws = random.split("labels");
    const label = places.worker.map((w, i) => {
      const heard = opinion[Math.floor(i / W) * G + groupOf(w)];
      return pick(member, (w * K + heard) * K, K, draws.next());
    });
    const names = Array.from({ length: W }, (_, w) => `group ${groupOf(w)}`);
    return {
      data: {
        ...toDataset(places, truth, label, W, K),
        workerAttributes: new Map([["group", names]]),
      },
      prior: uniform(K),
      roles: names,
    };
  },
);

/** Right with probability `certain`, else any class, by a distribution of each true class's own. */
function heardOrAny(K: number, certain: number, random: Random): Float64Array {
  const block = new Float64Array(K * K);
  for (let k = 0; k < K; k++) {
    const row = dirichlet(random, new Float64Array(K).fill(1), block.subarray(k * K, (k + 1) * K));
    for (let l = 0; l < K; l++) row[l] = (1 - certain) * row[l] + (l === k ? certain : 0);
  }
  return block;
}

/** The first workers are the first group; the others are dealt to the other groups in turn. */
function inRest(w: number, first: number, G: number): number {
  return w < first ? 0 : 1 + ((w - first) % (G - 1));
}
