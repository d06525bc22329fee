/** Tasks of different difficulty: right with probability logistic(ability · exp(ease)), as in GLAD. */
import { integer, normal } from "../math/distributions.ts";
import { assign, assignmentOptions } from "./assignment.ts";
import { classOption, drawTruth, toDataset, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

/**
 * Easy and hard tasks: a label is right with probability logistic(ability of the worker · ease of
 * the task).
 */
export const difficultyCrowd = scenario(
  {
    id: "difficulty",
    title: "Easy and hard tasks",
    summary:
      "A label is right with probability logistic(ability of the worker · ease of the task).",
    paper: {
      authors: "J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma, J. Movellan",
      year: 2009,
      title:
        "Whose vote should count more: optimal integration of labels from labelers of unknown expertise",
      url: "https://proceedings.neurips.cc/paper/2009/hash/f899139df5e1059396431415e770c6dd-Abstract.html",
    },
    options: {
      ...assignmentOptions,
      ...classOption,
      abilityMean: { default: 1, help: "Mean of the workers' abilities." },
      abilitySpread: { default: 1, min: 0, help: "Standard deviation of the workers' abilities." },
      easeMean: { default: 1, help: "Mean of the logarithm of the tasks' ease." },
      easeSpread: {
        default: 1,
        min: 0,
        help: "Standard deviation of the logarithm of the tasks' ease.",
      },
    },
  },
  (options, random, tasks) => {
    const { classes: K, workers: W } = options;
    const prior = uniform(K);
    const truth = drawTruth(tasks, prior, random.split("truth"));
    const T = truth.length;
    const abilities = random.split("abilities");
    const eases = random.split("eases");
    const ability = Float64Array.from(
      { length: W },
      () => options.abilityMean + options.abilitySpread * normal(abilities),
    );
    const ease = Float64Array.from(
      { length: T },
      () => options.easeMean + options.easeSpread * normal(eases),
    );
    const places = assign(options, random.split("assignment"));
    const draws = random.split("labels");
    const label = new Int32Array(places.worker.length);
    for (let t = 0; t < T; t++) {
      for (let i = places.start[t]; i < places.start[t + 1]; i++) {
        const right = 1 / (1 + Math.exp(-ability[places.worker[i]] * Math.exp(ease[t])));
        const error = integer(draws, K - 1);
        const wrong = error < truth[t] ? error : error + 1;
        label[i] = draws.next() < right ? truth[t] : wrong;
      }
    }
    return {
      data: toDataset(places, truth, label, W, K),
      prior,
      roles: Array.from(ability, (a) => (a < 0 ? "adversary" : "worker")),
      difficulty: ease.map((b) => -b),
    };
  },
);
