/** The workers of `mace`: who knows the class how often, and what each says otherwise. */

import type { CategoricalData } from "../../../data/categorical.ts";
import type { Coin } from "../../../kernels/expectation.ts";
import { digamma, logBeta, logMultivariateBeta } from "../../../math/gamma.ts";
import type { Random } from "../../../math/random.ts";

export interface HabitSettings {
  readonly variant: "vb" | "em";
  readonly skillPrior: number;
  readonly habitPrior: number;
  readonly smoothing: number;
}

/** The workers' parameters: they set the ratios of `model` and learn from its hits. */
export interface Crowd {
  readonly data: CategoricalData;
  readonly counts: Counts;
  readonly model: Coin;
  readonly variant: "vb" | "em";
  /** Pseudo-labels known, and as many spammed; and pseudo-labels spammed per class. */
  readonly a: number;
  readonly c: number;
  /** Log of the normalisers of the priors of one worker. */
  readonly logPriors: number;
  /** The parameters for em; for vb exp E[log] of them, which sums to less than 1. */
  readonly knows: Float64Array;
  readonly spams: Float64Array;
  /** As habit[worker * K + label]. */
  readonly habit: Float64Array;
  /** The expected numbers of labels, known and by habit, that the parameters were made from. */
  readonly known: Float64Array;
  readonly spam: Float64Array;
}

/** Draws the parameters of all workers by name. */
export function createCrowd(
  data: CategoricalData,
  counts: Counts,
  model: Coin,
  { variant, skillPrior, habitPrior, smoothing }: HabitSettings,
  random: Random,
): Crowd {
  const [W, K] = [data.workers.length, data.classes.length];
  const [a, c] = variant === "vb" ? [skillPrior, habitPrior] : [smoothing / K, smoothing / K];
  const knows = new Float64Array(W);
  const spams = new Float64Array(W);
  const habit = new Float64Array(W * K);
  const crowd: Crowd = {
    data,
    counts,
    model,
    variant,
    a,
    c,
    logPriors: logBeta(a, a) + logMultivariateBeta(new Float64Array(K).fill(c)),
    knows,
    spams,
    habit,
    known: new Float64Array(W),
    spam: new Float64Array(W * K),
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
  setRatios(crowd);
  return crowd;
}

/** Sets P(label | right class) / P(label | any other class) of each worker and label. */
function setRatios({ data, counts: { L }, model, knows, spams, habit }: Crowd): void {
  const [W, K] = [data.workers.length, data.classes.length];
  for (let w = 0; w < W; w++) {
    for (let l = 0; l < K; l++) {
      model.ratios[w * L + l] = 1 + knows[w] / (spams[w] * habit[w * K + l]);
    }
  }
}

/** Splits each worker's labels into known and spammed, and makes new parameters from both. */
export function maximise(crowd: Crowd): void {
  const { data, counts, model, variant, a, c, knows, spams, habit, known, spam } = crowd;
  const { said, right, L } = counts;
  const [W, K] = [data.workers.length, data.classes.length];
  const share = (count: number, total: number) =>
    variant === "em" ? count / total : Math.exp(digamma(count) - digamma(total));
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
  setRatios(crowd);
}

/** Returns what the log-likelihood under the ratios lacks to the objective. */
export function remainder(crowd: Crowd): number {
  const { data, counts, model, variant, a, c, logPriors } = crowd;
  const { knows, spams, habit, known, spam } = crowd;
  const { said, right, L } = counts;
  const [W, K] = [data.workers.length, data.classes.length];
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
}

/** Returns the mean of each worker's parameters, and the confusion they make. */
export function readCrowd({ data, counts: { said, L }, a, c, known, spam }: Crowd) {
  const [W, K] = [data.workers.length, data.classes.length];
  const skill = new Float64Array(W);
  const habit = new Float64Array(W * K);
  for (let w = 0; w < W; w++) {
    const counts = spam.subarray(w * K, (w + 1) * K);
    const spammed = counts.reduce((sum, count) => sum + count, 0);
    skill[w] = (known[w] + a) / (known[w] + spammed + 2 * a);
    for (let l = 0; l < K; l++) habit[w * K + l] = (counts[l] + c) / (spammed + K * c);
  }
  return { skill, habit, confusion: confusionOf(skill, habit, said, K, L) };
}

export interface Counts {
  /** Labels of each worker by what they said, past ones too, as said[worker * L + label]. */
  readonly said: Float64Array;
  /** Those of the past that were right, laid out alike. */
  readonly right: Float64Array;
  readonly L: number;
}

/** Counts the labels of each worker, and those of the past. */
export function countLabels(
  data: CategoricalData,
  history: Float64Array | undefined,
  L: number,
): Counts {
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

/** Returns P(label | class, worker); abstentions, if modelled, come at a worker's own rate whatever the class. */
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
