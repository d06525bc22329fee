/**
 * Chains of classes: the model of iBCC, prior and confusions integrated out, sampled task after task.
 *
 *   P(z[t] = k | rest) ∝ (classCount + n[k]) · product over its labels of (beta[k, l] + m[w, k, l]) / sum over l
 *
 * n and m being counts without the task itself; times whatever else a method has to say of the task's
 * class. What comes of the chains is the same for all: means, intervals, and whether they have met.
 */

import { skillOf, transpose } from "../../../belief/confusion-table.ts";
import {
  type Chain,
  type ChainSettings,
  countsInPrior,
  createMeans,
  drawsPerChain,
  type Entries,
  entriesOf,
  keptOf,
  logRising,
  walk,
} from "../../../belief/gibbs.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { type NameOrder, nameOrder } from "../../../belief/name-order.ts";
import { sumOverTasks } from "../../../belief/task-priors.ts";
import { expectedLabels } from "../../../belief/worker-beliefs.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import { createClassPrior } from "../../../em/class-prior.ts";
import { effectiveSize, splitRHat } from "../../../math/chains.ts";
import { beta as betaDraw, categorical, dirichlet } from "../../../math/distributions.ts";
import { logMultivariateBeta } from "../../../math/gamma.ts";
import { maxOf } from "../../../math/lists.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import type { Random } from "../../../math/random.ts";
import { quantile } from "../../../math/statistics.ts";
import type { Steps } from "../../../method.ts";
import type { Context, Fit } from "../aggregator.ts";
import { priorTable } from "./ibcc.ts";

const FURTHEST = 1e6;

export interface ClassChains extends Fit {
  /** Posterior mean of the confusions. */
  readonly confusion: Float64Array;
  /** Monte Carlo error of the posterior, from the spread between halves of chains. */
  readonly standardError: Float64Array;
  /** Between these lies 95 % of what was drawn for each worker's skill. */
  readonly skillLow: Float64Array;
  readonly skillHigh: Float64Array;
  /** Split R-hat of each worker's skill: near 1 where the chains agree, at most 1e6. */
  readonly rHat: Float64Array;
  /** Number of independent draws that each worker's skill is worth. */
  readonly effectiveSize: Float64Array;
  /** The same two of the log joint density, for the chains as a whole. */
  readonly rHatOverall: number;
  readonly effectiveSizeOverall: number;
}

/** What else speaks of classes in a chain, with a state of its own. */
export interface Voice {
  /** Draws its state given the classes of all tasks. */
  draw(z: Int32Array): void;
  /** Adds the log of what it says of each class of a task. */
  speak(t: number, logs: Float64Array): void;
  /** Log density of its state, and of what it says of these classes. */
  logDensity(z: Int32Array): number;
  /** Notes its state, which is kept. */
  keep(): void;
}

export interface ChainModel extends ModelOptions, ChainSettings {}

/** Where chains start, in shares of classes of all tasks, and who else speaks in them. */
export interface ChainParts {
  /** Chains whose R-hat is above this have not met. */
  readonly mixed: number;
  shares(data: CrowdDataset): Float64Array;
  voice?(entries: Entries, sorted: NameOrder): (random: Random) => Voice;
}

export function* sampleClasses(
  data: CrowdDataset,
  options: ChainModel,
  { known, K, L }: Omit<Context, "engine">,
  parts: ChainParts,
): Steps<ClassChains> {
  const W = data.workers.length;
  const { chains } = options;
  const draws = drawsPerChain(options);
  const sorted = nameOrder(data, known, { K, L });
  const model = createModel(sorted, options, { K, L }, parts);
  const posteriors = createMeans(data.tasks.length * K);
  const confusions = createMeans(W * L * K);
  const skills = Array.from({ length: W }, () => new Float32Array(chains * draws));
  const crossed: boolean[] = [];

  const trace = yield* walk(options, (c, random): Chain => {
    const state = model.start(random);
    const forSkills = random.split("skills");
    return {
      sweep: state.sweep,
      keep(draw) {
        state.keep();
        posteriors.add(state.conditional);
        confusions.add(state.rates());
        state.drawSkills(forSkills, (w, skill) => {
          skills[w][c * draws + draw] = skill;
        });
        if ((draw + 1) % (draws / 2) === 0) {
          posteriors.close();
          confusions.close();
        }
        if (draw + 1 === draws) crossed.push(state.diagonalMass() < 1 / K);
      },
    };
  });

  const { mean, standardError } = posteriors.finish();
  const posterior = sorted.restore.posterior(mean);
  const shape = { workers: W, classes: K, given: L };
  const confusion = sorted.restore.confusion(transpose(confusions.finish().mean, shape));
  const alpha = new Float64Array(K).map(
    (_, k) => options.classCount + (known.priorCounts?.[k] ?? 0),
  );
  const classes = createClassPrior(data, { ...known, priorCounts: alpha }, options.prior);
  classes.update(sumOverTasks(posterior, K));
  const inChains = (values: ArrayLike<number>) =>
    Array.from({ length: chains }, (_, c) =>
      Array.prototype.slice.call(values, c * draws, (c + 1) * draws),
    );
  const byWorker = (measure: (values: Float32Array) => number) =>
    sorted.restore.workers(Float64Array.from(skills, measure));
  const rHat = byWorker((values) => rHatOf(inChains(values)));
  const joint = Array.from({ length: chains }, (_, c) => keptOf(trace, c, options));
  const rHatOverall = rHatOf(joint);
  const notes = mixingNotes(rHat, rHatOverall, crossed, parts.mixed);
  return {
    posterior,
    standardError: sorted.restore.posterior(standardError),
    prior: classes.shares,
    confusion,
    exposure: expectedLabels(data, posterior, K),
    skill: skillOf(confusion, classes.shares, shape),
    skillLow: byWorker((values) => quantile(values.toSorted(), 0.025)),
    skillHigh: byWorker((values) => quantile(values.toSorted(), 0.975)),
    rHat,
    rHatOverall,
    effectiveSize: byWorker((values) => effectiveSize(inChains(values))),
    effectiveSizeOverall: effectiveSize(joint),
    trace,
    notes,
    converged: !(maxOf(rHat, rHatOverall) > parts.mixed),
  };
}

interface ModelOptions {
  readonly diagonal: number;
  readonly offDiagonal: number;
  readonly classCount: number;
  readonly prior: "learn" | "uniform";
}

/** What all chains share: labels as entries, prior counts, what is known of tasks. */
function createModel(
  sorted: NameOrder,
  options: ModelOptions,
  { K, L }: { readonly K: number; readonly L: number },
  parts: ChainParts,
) {
  const { data, known } = sorted;
  const [T, W] = [data.tasks.length, data.workers.length];
  const entries = entriesOf(data);
  const { start, worker, label, count, before } = entries;
  const voiceOf = parts.voice?.(entries, sorted);
  const beta = priorTable({ workers: W, classes: K, given: L }, options, known.history);
  const base = taskBase(data, known);
  const learnt = options.prior === "learn" && !known.prior && !known.taskPrior;
  const fixed = createClassPrior(data, known, options.prior).factor;
  const alpha = new Float64Array(K).map(
    (_, k) => options.classCount + (known.priorCounts?.[k] ?? 0),
  );
  const starts = startingPosterior(data, known, parts.shares(data));
  const counted = Array.from(data.tasks, (_, t) => countsInPrior(known, t));

  /** One chain: all tasks get a class drawn from the shares at the start. */
  function begin(random: Random) {
    const z = new Int32Array(T);
    const voice = voiceOf?.(random);
    const tasksOf = alpha.slice();
    const counts = beta.slice(); // counts[(worker * L + label) * K + class], with the prior's
    const totals = new Float64Array(W * K);
    const conditional = new Float64Array(T * K);
    const logs = new Float64Array(K);
    const product = new Float64Array(K);
    for (let at = 0; at < beta.length; at++)
      totals[Math.floor(at / (L * K)) * K + (at % K)] += beta[at];

    /** Adds a task's labels to the counts of class k, or takes them away. */
    const move = (t: number, k: number, sign: number): void => {
      if (counted[t]) tasksOf[k] += sign;
      for (let e = start[t]; e < start[t + 1]; e++) {
        counts[(worker[e] * L + label[e]) * K + k] += sign * count[e];
        totals[worker[e] * K + k] += sign * count[e];
      }
    };

    /** Log of the probability of each class of a task given all others, but for a constant. */
    const weigh = (t: number): void => {
      for (let k = 0; k < K; k++) {
        const shares = learnt ? (counted[t] ? tasksOf[k] : 1) : fixed[k];
        logs[k] = Math.log(base ? shares * base[t * K + k] : shares);
      }
      product.fill(1);
      for (let e = start[t], room = 16; e < start[t + 1]; e++, room--) {
        const cell = (worker[e] * L + label[e]) * K;
        const row = worker[e] * K;
        if (count[e] === 1) {
          const earlier = before[e];
          for (let k = 0; k < K; k++) product[k] *= counts[cell + k] / (totals[row + k] + earlier);
        } else {
          for (let k = 0; k < K; k++) {
            logs[k] += logRising(counts[cell + k], count[e]);
            logs[k] -= logRising(totals[row + k] + before[e], count[e]);
          }
        }
        // Sixteen factors above 1e-10 cannot underflow.
        if (room > 1 && e + 1 < start[t + 1]) continue;
        for (let k = 0; k < K; k++) logs[k] += Math.log(product[k]);
        product.fill(1);
        room = 17;
      }
    };

    for (let t = 0; t < T; t++) {
      z[t] = categorical(random, starts.subarray(t * K, (t + 1) * K));
      move(t, z[t], 1);
    }
    let objective = logJoint();

    /** log p(labels, classes), parameters integrated out. */
    function logJoint(): number {
      let log = learnt ? logMultivariateBeta(tasksOf) - logMultivariateBeta(alpha) : 0;
      for (let t = 0; t < T; t++) {
        if (base) log += Math.log(base[t * K + z[t]]);
        if (!learnt) log += Math.log(fixed[z[t]]);
      }
      const row = new Float64Array(L);
      const prior = new Float64Array(L);
      for (let at = 0; at < W * K; at++) {
        const from = Math.floor(at / K) * L * K + (at % K);
        for (let l = 0; l < L; l++) {
          row[l] = counts[from + l * K];
          prior[l] = beta[from + l * K];
        }
        log += logMultivariateBeta(row) - logMultivariateBeta(prior);
      }
      return log;
    }

    return {
      /** P(class | all other tasks) of each task when it was last drawn. */
      conditional,
      sweep(): number {
        voice?.draw(z);
        for (let t = 0; t < T; t++) {
          move(t, z[t], -1);
          weigh(t);
          voice?.speak(t, logs);
          const last = logs[z[t]];
          const row = conditional.subarray(t * K, (t + 1) * K);
          row.set(logs);
          normalizeLog(row, 0, K);
          z[t] = categorical(random, row);
          // Where it started may have been impossible, and then says nothing of the change.
          if (last > -Infinity) objective += logs[z[t]] - last;
          move(t, z[t], 1);
        }
        if (voice) return logJoint() + voice.logDensity(z);
        if (!Number.isFinite(objective)) objective = logJoint();
        return objective;
      },
      keep: () => voice?.keep(),
      /** Mean of each confusion given the classes, as rates[(worker * L + label) * K + class]. */
      rates: () => counts.map((n, at) => n / totals[Math.floor(at / (L * K)) * K + (at % K)]),
      /** A draw of each worker's skill given the classes. */
      drawSkills(stream: Random, take: (w: number, skill: number) => void): void {
        const shares = learnt || known.taskPrior ? dirichlet(stream, tasksOf) : fixed;
        for (let w = 0; w < W; w++) {
          let skill = 0;
          for (let k = 0; k < K; k++) {
            const right = counts[(w * L + k) * K + k];
            const wrong = totals[w * K + k] - right;
            skill += shares[k] * (L > 1 ? betaDraw(stream, right, wrong) : 1);
          }
          take(w, skill);
        }
      },
      /** Mean over the labels of how often a class is called by its name. */
      diagonalMass(): number {
        let [right, all] = [0, 0];
        for (let w = 0; w < W; w++) {
          for (let k = 0; k < K; k++) {
            right += counts[(w * L + k) * K + k];
            all += totals[w * K + k];
          }
        }
        return all > 0 ? right / all : 1;
      },
    };
  }
  return { start: begin };
}

/** Chains that stand still in different places have no finite R-hat. */
const rHatOf = (chains: readonly ArrayLike<number>[]): number =>
  Math.min(FURTHEST, splitRHat(chains));

function mixingNotes(
  rHat: Float64Array,
  overall: number,
  crossed: readonly boolean[],
  mixed: number,
): string[] {
  const notes: string[] = [];
  const apart = rHat.filter((r) => r > mixed).length;
  if (overall > mixed || apart > 0) {
    const largest = maxOf(rHat, overall).toFixed(2);
    notes.push(
      `The chains disagree: R-hat is ${overall.toFixed(2)} overall, above ${mixed} for ${apart} of ` +
        `${rHat.length} workers, at most ${largest}. More burnIn and samples help if they are only slow.`,
    );
  }
  const turned = crossed.filter(Boolean).length;
  if (turned > 0) {
    notes.push(
      `${turned} of ${crossed.length} chains call most classes by another's name: label switching, ` +
        "or a crowd that misleads. Gold settles which.",
    );
  }
  return notes;
}
