/**
 * iBCC by Gibbs sampling: the same model as `ibcc`, but drawn from instead of approximated.
 *
 *   prior            ~ Dirichlet(classCount)
 *   confusion[w, k]  ~ Dirichlet(diagonal where label = k, offDiagonal elsewhere)
 *   z[t]             ~ Categorical(prior)
 *   label[i]         ~ Categorical(confusion[w, z[t]])
 *
 * Prior and confusions are integrated out, and the tasks drawn one after the other, n and m being counts
 * without the task itself:
 *
 *   P(z[t] = k | rest) ∝ (classCount + n[k]) · product over its labels of (beta[k, l] + m[w, k, l]) / sum over l
 *
 * Chains start at draws from the vote shares, near the answer that the crowd means, since every renaming
 * of the classes fits the labels as well. The posterior is the mean of these probabilities over all
 * sweeps that are kept; it is not too sure of itself, as the variational one is.
 *
 * Kim & Ghahramani (2012), AISTATS, PMLR 22, 619–627. https://proceedings.mlr.press/v22/kim12.html
 */
import type { CrowdDataset } from "../../dataset/dataset.ts";
import { effectiveSize, splitRHat } from "../../math/chains.ts";
import { beta as betaDraw, categorical, dirichlet } from "../../math/distributions.ts";
import { logMultivariateBeta } from "../../math/gamma.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import type { Random } from "../../math/random.ts";
import { quantile } from "../../math/statistics.ts";
import type { Steps } from "../../method.ts";
import { aggregator, type Context, type Fit, probabilisticOptions } from "./aggregator.ts";
import { dirichletOptions, priorTable } from "./ibcc.ts";
import { voteShares } from "./majority-vote.ts";
import { createClassPrior, priorOption } from "./shared/class-prior.ts";
import { skillOf, transpose } from "./shared/confusion-table.ts";
import {
  type Chain,
  chainOptions,
  countsInPrior,
  createMeans,
  drawsPerChain,
  entriesOf,
  keptOf,
  logRising,
  walk,
} from "./shared/gibbs.ts";
import { startingPosterior, taskBase } from "./shared/known.ts";
import { nameOrder } from "./shared/name-order.ts";
import { sumOverTasks } from "./shared/task-priors.ts";
import { expectedLabels } from "./shared/worker-beliefs.ts";

/** Chains whose R-hat is above this have not met. */
const MIXED = 1.05;
const FURTHEST = 1e6;

export interface IbccGibbs extends Fit {
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

export const ibccGibbs = aggregator(
  {
    id: "ibcc-gibbs",
    title: "iBCC (Gibbs sampling)",
    summary: "Dawid–Skene with priors, by sampling: honest probabilities and intervals for skills.",
    paper: {
      authors: "H.-C. Kim, Z. Ghahramani",
      year: 2012,
      title: "Bayesian classifier combination",
      url: "https://proceedings.mlr.press/v22/kim12.html",
    },
    family: "Bayesian",
    probabilistic: true,
    cost: "O(N·K + W·K²) a sweep, 1800 sweeps; W·K² + W·samples memory",
    options: { ...probabilisticOptions, ...chainOptions, ...priorOption, ...dirichletOptions },
  },
  function* (data, options, { known, K, L }): Steps<IbccGibbs> {
    const W = data.workers.length;
    const { chains } = options;
    const draws = drawsPerChain(options);
    const sorted = nameOrder(data, known, { K, L });
    const model = createModel(sorted.data, options, { known: sorted.known, K, L });
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
    const notes = mixingNotes(rHat, rHatOverall, crossed);
    return {
      ...{ posterior, standardError: sorted.restore.posterior(standardError) },
      ...{ prior: classes.shares, confusion, exposure: expectedLabels(data, posterior, K) },
      skill: skillOf(confusion, classes.shares, shape),
      skillLow: byWorker((values) => quantile(values.toSorted(), 0.025)),
      skillHigh: byWorker((values) => quantile(values.toSorted(), 0.975)),
      ...{ rHat, rHatOverall },
      effectiveSize: byWorker((values) => effectiveSize(inChains(values))),
      effectiveSizeOverall: effectiveSize(joint),
      ...{ trace, notes, converged: !(Math.max(rHatOverall, ...rHat) > MIXED) },
    };
  },
);

interface ModelOptions {
  readonly diagonal: number;
  readonly offDiagonal: number;
  readonly classCount: number;
  readonly prior: "learn" | "uniform";
}

/** What all chains share: labels as entries, prior counts, what is known of tasks. */
function createModel(
  data: CrowdDataset,
  options: ModelOptions,
  { known, K, L }: Omit<Context, "engine">,
) {
  const [T, W] = [data.tasks.length, data.workers.length];
  const { start, worker, label, count, before } = entriesOf(data);
  const beta = priorTable({ workers: W, classes: K, given: L }, options, known.history);
  const base = taskBase(data, known);
  const learnt = options.prior === "learn" && !known.prior && !known.taskPrior;
  const fixed = createClassPrior(data, known, options.prior).factor;
  const alpha = new Float64Array(K).map(
    (_, k) => options.classCount + (known.priorCounts?.[k] ?? 0),
  );
  const starts = startingPosterior(data, known, voteShares(data));
  const counted = data.tasks.map((_, t) => countsInPrior(known, t));

  /** One chain: all tasks get a class drawn from the vote shares. */
  function begin(random: Random) {
    const z = new Int32Array(T);
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
        for (let t = 0; t < T; t++) {
          move(t, z[t], -1);
          weigh(t);
          const last = logs[z[t]];
          const row = conditional.subarray(t * K, (t + 1) * K);
          row.set(logs);
          normalizeLog(row, 0, K);
          z[t] = categorical(random, row);
          // Where it started may have been impossible, and then says nothing of the change.
          if (last > -Infinity) objective += logs[z[t]] - last;
          move(t, z[t], 1);
        }
        if (!Number.isFinite(objective)) objective = logJoint();
        return objective;
      },
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

function mixingNotes(rHat: Float64Array, overall: number, crossed: readonly boolean[]): string[] {
  const notes: string[] = [];
  const apart = rHat.filter((r) => r > MIXED).length;
  if (overall > MIXED || apart > 0) {
    const largest = Math.max(overall, ...rHat).toFixed(2);
    notes.push(
      `The chains disagree: R-hat is ${overall.toFixed(2)} overall, above ${MIXED} for ${apart} of ` +
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
