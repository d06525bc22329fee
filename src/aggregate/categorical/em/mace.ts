/**
 * MACE, "multi-annotator competence estimation": a worker either knows the class or spams.
 *
 *   z[t]      ~ Categorical(prior), uniform
 *   knows[i]  ~ Bernoulli(skill[w])
 *   label[i]  = z[t] if they know, else ~ Categorical(habit[w]), whatever the class
 *
 * so P(label | class) = skill·[label = class] + (1 - skill)·habit[label]. Variational Bayes (the
 * default) or EM from `restarts` random points of at most `maxIterations` steps each; the one with
 * the highest objective is kept. A label speaks for its own class alone: O(1) per label and step.
 * Good where spammers are suspected, whatever they like to say; weak with honest workers who mix up
 * particular classes. A skill is no accuracy: it leaves out lucky guesses.
 *
 * A worker's history counts as labels on tasks of known class.
 *
 * Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013), NAACL-HLT, 1120–1130. https://aclanthology.org/N13-1132
 */

import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { type Climb, climb, climbOptions } from "../../../em/climb.ts";
import { createCoin } from "../../../kernels/expectation.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";
import { countLabels, createCrowd, maximise, readCrowd, remainder } from "./mace-crowd.ts";

/** What MACE finds beyond the answers. */
export interface Mace extends Fit {
  readonly confusion: Float64Array;
  /** What each worker says when they do not know, as habit[worker * K + label]. */
  readonly habit: Float64Array;
  /** Uncertainty of each task in nats, from 0 to log K: answer only the smallest to err less. */
  readonly entropy: Float64Array;
  /** The final objective of each restart. */
  readonly objectives: Float64Array;
}

/** MACE: each worker knows the class with some probability, and otherwise answers by habit. */
export const mace = aggregator(
  {
    id: "mace",
    title: "MACE",
    summary: "Each worker knows the class with some probability and otherwise answers by habit.",
    paper: {
      authors: "D. Hovy, T. Berg-Kirkpatrick, A. Vaswani, E. Hovy",
      year: 2013,
      title: "Learning whom to trust with MACE",
      url: "https://aclanthology.org/N13-1132",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N + T·K + W·K) per iteration, times restarts",
    options: {
      ...probabilisticOptions,
      ...climbOptions,
      maxIterations: { ...climbOptions.maxIterations, default: 50 },
      prior: { ...priorOption.prior, default: "uniform" },
      variant: {
        default: "vb",
        choices: ["vb", "em"],
        help: "Variational Bayes with the two priors below, or EM with smoothing.",
      },
      restarts: {
        default: 10,
        min: 1,
        integer: true,
        help: "Number of random starts; the best one is kept.",
      },
      skillPrior: {
        default: 0.5,
        min: 1e-3,
        unit: "labels",
        help: "With vb: pseudo-count of known labels, and the same number of spammed ones.",
      },
      habitPrior: {
        default: 10,
        min: 1e-3,
        unit: "labels",
        help: "With vb: pseudo-count of spammed labels per class.",
      },
      smoothing: {
        default: 0.01,
        min: 1e-6,
        unit: "labels",
        help: "With em: pseudo-count, divided by K, added to the known labels, the spammed labels and each spammed class.",
      },
    },
  },
  function* (data, options, { known, engine, K, L }): Steps<Mace> {
    const shape = { tasks: data.tasks.length, workers: data.workers.length, classes: K, given: L };
    const model = createCoin({ ...data, ...shape, base: taskBase(data, known) }, engine);
    const counts = countLabels(data, known.history, L);
    const random = createRandom(options.seed).split("restart");
    const start = known.start && startingPosterior(data, known, known.start);
    const fits: (Climb & Omit<Mace, "objectives" | "entropy">)[] = [];
    for (let r = 0; r < options.restarts; r++) {
      const prior = createClassPrior(data, known, options.prior);
      const crowd = createCrowd(data, counts, model, options, random.split(r));
      if (start) model.startFrom(start);
      else model.infer(prior.factor);
      const climbed = yield* climb(
        {
          maximise() {
            prior.update(model.totals);
            maximise(crowd);
          },
          infer: () => model.infer(prior.factor) + remainder(crowd) + prior.logDensity(),
          change: model.change,
        },
        options,
      );
      const posterior = model.posterior.slice();
      fits.push({ posterior, prior: prior.shares, ...readCrowd(crowd), ...climbed });
    }
    const objectives = Float64Array.from(fits, ({ trace }) => trace.at(-1) ?? 0);
    let best = 0;
    // By more than rounding, or chance would choose between equal ends.
    objectives.forEach((objective, r) => {
      if (objective > objectives[best] + 1e-9 * Math.abs(objectives[best])) best = r;
    });
    return { ...fits[best], entropy: entropies(fits[best].posterior, K), objectives };
  },
);

/** Returns the entropy of each task's posterior, in nats. */
function entropies(posterior: Float64Array, K: number): Float64Array {
  const entropy = new Float64Array(posterior.length / K);
  for (let at = 0; at < posterior.length; at++) {
    if (posterior[at] > 0) entropy[Math.floor(at / K)] -= posterior[at] * Math.log(posterior[at]);
  }
  return entropy;
}
