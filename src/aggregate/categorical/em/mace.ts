/**
 * MACE, "multi-annotator competence estimation": a worker either knows the class or spams.
 *
 *   z[t]      ~ Categorical(prior), uniform
 *   knows[i]  ~ Bernoulli(skill[w])
 *   label[i]  = z[t] if they know, else ~ Categorical(habit[w]), whatever the class
 *
 * so P(label | class) = skill·[label = class] + (1 - skill)·habit[label]. Variational Bayes (the
 * default) or EM from `restarts` random points of at most `maxIterations` steps each; the one with
 * the highest objective is kept. A label speaks for its own class alone: O(1) a label and step.
 * Good where spammers are suspected, whatever they like to say; weak with honest workers who mix up
 * particular classes. A skill is no accuracy: it leaves out lucky guesses.
 *
 * A worker's history counts as labels on tasks of known class.
 *
 * Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013), NAACL-HLT, 1120–1130. https://aclanthology.org/N13-1132
 */

import { startingPosterior, taskBase } from "../../../belief/known.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import { createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { type Climb, climb, climbOptions } from "../../../em/climb.ts";
import { type Coin, createCoin } from "../../../kernels/expectation.ts";
import { digamma, logBeta, logMultivariateBeta } from "../../../math/gamma.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

export interface Mace extends Fit {
  readonly confusion: Float64Array;
  /** What each worker says when they do not know, as habit[worker * K + label]. */
  readonly habit: Float64Array;
  /** Uncertainty of each task in nats, from 0 to log K: answer only the smallest to err less. */
  readonly entropy: Float64Array;
  /** The final objective of each restart. */
  readonly objectives: Float64Array;
}

export const mace = aggregator(
  {
    id: "mace",
    title: "MACE",
    summary: "Each worker knows the class with some probability, and else answers by habit.",
    paper: {
      authors: "D. Hovy, T. Berg-Kirkpatrick, A. Vaswani, E. Hovy",
      year: 2013,
      title: "Learning whom to trust with MACE",
      url: "https://aclanthology.org/N13-1132",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N + T·K + W·K) an iteration, times restarts",
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
      restarts: { default: 10, min: 1, integer: true, help: "Random starts; the best is kept." },
      skillPrior: {
        default: 0.5,
        min: 1e-3,
        unit: "labels",
        help: "With vb: pseudo-labels known, and as many spammed.",
      },
      habitPrior: {
        default: 10,
        min: 1e-3,
        unit: "labels",
        help: "With vb: pseudo-labels spammed, a class.",
      },
      smoothing: {
        default: 0.01,
        min: 1e-6,
        unit: "labels",
        help: "With em: divided by K, then added to known, spammed, and each class spammed.",
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
            crowd.maximise();
          },
          infer: () => model.infer(prior.factor) + crowd.objective() + prior.logDensity(),
          change: model.change,
        },
        options,
      );
      const posterior = model.posterior.slice();
      fits.push({ posterior, prior: prior.shares, ...crowd.result(), ...climbed });
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

interface Settings {
  readonly variant: "vb" | "em";
  readonly skillPrior: number;
  readonly habitPrior: number;
  readonly smoothing: number;
}

/** The workers' parameters, drawn by name; they set the ratios of `model` and learn from its hits. */
function createCrowd(
  data: CrowdDataset,
  { said, right, L }: Counts,
  model: Coin,
  { variant, skillPrior, habitPrior, smoothing }: Settings,
  random: Random,
) {
  const K = data.classes.length;
  const W = data.workers.length;
  const [a, c] = variant === "vb" ? [skillPrior, habitPrior] : [smoothing / K, smoothing / K];
  const logPriors = logBeta(a, a) + logMultivariateBeta(new Float64Array(K).fill(c));
  // The parameters for em; for vb exp E[log] of them, which sums to less than 1.
  const knows = new Float64Array(W);
  const spams = new Float64Array(W);
  const habit = new Float64Array(W * K);
  // The expected numbers of labels, known and by habit, that they were made from.
  const known = new Float64Array(W);
  const spam = new Float64Array(W * K);
  const share = (count: number, total: number) =>
    variant === "em" ? count / total : Math.exp(digamma(count) - digamma(total));
  const setRatios = () => {
    for (let w = 0; w < W; w++) {
      for (let l = 0; l < K; l++) {
        model.ratios[w * L + l] = 1 + knows[w] / (spams[w] * habit[w * K + l]);
      }
    }
  };
  const order = Array.from(data.classes, (_, k) => k);
  order.sort((k, l) => (data.classes.at(k) < data.classes.at(l) ? -1 : 1));
  for (let w = 0; w < W; w++) {
    const own = random.split(data.workers.at(w));
    const draw = () => 1 + 1.5 * own.next();
    const [know, spammed] = [draw(), draw()];
    knows[w] = know / (know + spammed);
    spams[w] = spammed / (know + spammed);
    let sum = 0;
    for (const k of order) sum += habit[w * K + k] = draw();
    for (let k = 0; k < K; k++) habit[w * K + k] /= sum;
  }
  setRatios();

  return {
    /** Splits each worker's labels into known and spammed, and makes new parameters from both. */
    maximise(): void {
      for (let w = 0; w < W; w++) {
        known[w] = 0;
        let spammed = 0;
        for (let l = 0; l < K; l++) {
          const at = w * L + l;
          // P(knew | right label) is knows / (knows + spams · habit), or 1 - 1 / ratio.
          const knew = (model.hits[at] + right[at]) * (1 - 1 / model.ratios[at]);
          spam[w * K + l] = Math.max(0, said[at] - knew);
          known[w] += knew;
          spammed += spam[w * K + l];
        }
        const all = known[w] + spammed + 2 * a;
        knows[w] = share(known[w] + a, all);
        spams[w] = share(spammed + a, all);
        for (let l = 0; l < K; l++) {
          habit[w * K + l] = share(spam[w * K + l] + c, spammed + K * c);
        }
      }
      setRatios();
    },
    /** What the log-likelihood under the ratios lacks to the objective. */
    objective(): number {
      let sum = 0;
      for (let w = 0; w < W; w++) {
        const logKnows = Math.log(knows[w]);
        const logSpams = Math.log(spams[w]);
        let spammed = 0;
        for (let l = 0; l < K; l++) {
          const at = w * L + l;
          const logHabit = Math.log(habit[w * K + l]);
          // Every label has the factor spams · habit, whatever the class; then its ratio.
          sum += said[at] * (logSpams + logHabit) + right[at] * Math.log(model.ratios[at]);
          sum += variant === "em" ? c * logHabit : -spam[w * K + l] * logHabit;
          spammed += spam[w * K + l];
        }
        if (variant === "em") sum += a * (logKnows + logSpams);
        else {
          // Minus the divergence of the posteriors of skill and habit from their priors.
          sum -= known[w] * logKnows + spammed * logSpams;
          sum += logBeta(known[w] + a, spammed + a) - logPriors;
          sum += logMultivariateBeta(spam.subarray(w * K, (w + 1) * K).map((count) => count + c));
        }
      }
      return sum;
    },
    result() {
      const skill = new Float64Array(W);
      const mean = new Float64Array(W * K);
      for (let w = 0; w < W; w++) {
        const counts = spam.subarray(w * K, (w + 1) * K);
        const spammed = counts.reduce((sum, count) => sum + count, 0);
        skill[w] = (known[w] + a) / (known[w] + spammed + 2 * a);
        for (let l = 0; l < K; l++) mean[w * K + l] = (counts[l] + c) / (spammed + K * c);
      }
      return { skill, habit: mean, confusion: confusionOf(skill, mean, said, K, L) };
    },
  };
}

interface Counts {
  /** Labels of each worker by what they said, past ones too, as said[worker * L + label]. */
  readonly said: Float64Array;
  /** Those of the past that were right, laid out alike. */
  readonly right: Float64Array;
  readonly L: number;
}

function countLabels(data: CrowdDataset, history: Float64Array | undefined, L: number): Counts {
  const K = data.classes.length;
  const said = new Float64Array(data.workers.length * L);
  const right = new Float64Array(said.length);
  for (let i = 0; i < data.label.length; i++) {
    said[data.worker[i] * L + data.label[i]] += data.weight ? data.weight[i] : 1;
  }
  for (let at = 0; history && at < history.length; at++) {
    const l = at % L;
    const w = Math.floor(at / (K * L));
    said[w * L + l] += history[at];
    if (l === Math.floor(at / L) % K) right[w * L + l] += history[at];
  }
  return { said, right, L };
}

/** P(label | class, worker); abstentions, where modelled, come at a worker's own rate whatever the class. */
function confusionOf(
  skill: Float64Array,
  habit: Float64Array,
  said: Float64Array,
  K: number,
  L: number,
): Float64Array {
  const confusion = new Float64Array(skill.length * K * L);
  for (let w = 0; w < skill.length; w++) {
    const all = said.subarray(w * L, (w + 1) * L).reduce((sum, count) => sum + count, 0);
    const silence = L > K && all > 0 ? said[w * L + K] / all : 0;
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < K; l++) {
        const rate = (1 - skill[w]) * habit[w * K + l] + (l === k ? skill[w] : 0);
        confusion[(w * K + k) * L + l] = (1 - silence) * rate;
      }
      if (L > K) confusion[(w * K + k) * L + K] = silence;
    }
  }
  return confusion;
}

/** Entropy of each task's posterior, in nats. */
function entropies(posterior: Float64Array, K: number): Float64Array {
  const entropy = new Float64Array(posterior.length / K);
  for (let at = 0; at < posterior.length; at++) {
    if (posterior[at] > 0) entropy[Math.floor(at / K)] -= posterior[at] * Math.log(posterior[at]);
  }
  return entropy;
}
